/* cli/cmd_record.c - `pario record`: a program as it is, and what I/O it
 * does. */
#include "cli/commands.h"
#include "cli/program.h"
#include "core/clock.h"
#include "core/options.h"
#include "core/output.h"
#include "core/owned.h"
#include "core/rng.h"
#include "core/units.h"
#include "launch/library.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum under { UNDER_NATIVE, UNDER_SHIPIO };

struct wishes {
    const char *output, *below, *library;
    double resolution_s;
    int anonymous, force, under, print, help;
};

static const char *const under_names[] = {"native", "shipio", NULL};
static const struct wishes defaults = {.output = "pario.trace",
                                       .resolution_s = 0.01};

#define AT(field) offsetof(struct wishes, field)

static const struct pario_option table[] = {
    {PARIO_CLI_OUTPUT(AT(output)), .help = "the trace"},
    {PARIO_OPTION("below", STRING, AT(below), "DIR"),
     .help = "record only files below DIR; as often as wanted. Without: all "
             "of MPI-IO, and of the C library's all but those of the system "
             "(/usr, /etc, /proc, /dev ...)"},
    {PARIO_FLAG("anonymous", AT(anonymous)),
     .help = "names of files and folders as numbers"},
    {PARIO_OPTION("resolution", TIME, AT(resolution_s), "TIME"),
     PARIO_RANGE(0, 3600),
     .help = "calls that follow each other faster than a tenth of this share "
             "their times, for at most this long; 0: each call has its own"},
    {PARIO_FIELD("under", CHOICE, AT(under)), .choices = under_names,
     .help = "whose MPI-IO the program has: the MPI library's, or shipio's"},
    {PARIO_FLAG("force", AT(force)), .letter = 'f',
     .help = "overwrite an existing trace"},
    {PARIO_OPTION("library", STRING, AT(library), "PATH"),
     .help = "another libpariorecord.so than the one beside this program"},
    {PARIO_CLI_PRINT(AT(print))},
    {PARIO_CLI_HELP(AT(help))},
    {.name = NULL},
};

static void print_help(void)
{
    puts("usage: pario record [OPTION]... [--] mpirun ... PROGRAM ...\n"
         "       pario -n N record [OPTION]... [--] PROGRAM ...\n\n"
         "Runs a program, unchanged, and records its calls of MPI-IO and of "
         "the C\nlibrary's file functions: what, when, how long; no data. "
         "`pario trace` shows\nwhat it did, `pario replay` does it again. The "
         "exit status is the command's.\n\noptions:");
    pario_options_help(stdout, table, &defaults);
}

/* One more folder to the list in the environment. */
static int add_folder(const char *folder)
{
    const char *before = getenv("PARIO_RECORD_BELOW");
    char path[PATH_MAX];
    char *all = NULL;
    int rc;

    if (realpath(folder, path) == NULL)
        return pario_fail_errno(-errno, "--below: cannot read %s", folder);
    if (asprintf(&all, "%s%s%s", before != NULL ? before : "",
                 before != NULL ? ":" : "", path) < 0)
        return pario_fail_errno(-ENOMEM, "cannot start");
    rc = setenv("PARIO_RECORD_BELOW", all, 1);
    free(all);
    return rc == 0 ? 0 : pario_fail_errno(-errno, "cannot start");
}

/* --below may come again. */
static int take_below(void *values)
{
    struct wishes *wishes = values;
    int code = wishes->below != NULL ? add_folder(wishes->below) : 0;

    wishes->below = NULL;
    return code;
}

/* The recorder before shipio: it sees what the program asked for. */
static int find_libraries(const struct wishes *wishes, char *list, size_t len)
{
    char record[PATH_MAX], shipio[PATH_MAX];
    int code = 0;

    if (wishes->library == NULL)
        code = pario_library_record(record, sizeof(record));
    else if (realpath(wishes->library, record) == NULL)
        code = pario_fail_errno(-errno, "cannot read %s", wishes->library);
    if (code == 0 && wishes->under == UNDER_SHIPIO)
        code = pario_library_shipio(shipio, sizeof(shipio));
    if (code == 0)
        snprintf(list, len, "%s%s%s", record,
                 wishes->under == UNDER_SHIPIO ? ":" : "",
                 wishes->under == UNDER_SHIPIO ? shipio : "");
    return code;
}

static int set_variables(const struct wishes *wishes)
{
    char text[32];
    struct pario_rng rng;

    pario_rng_init(&rng, (uint64_t)pario_clock_ns());
    snprintf(text, sizeof(text), "%lld",
             (long long)(wishes->resolution_s * 1e9));
    setenv("PARIO_RECORD_RESOLUTION_NS", text, 1);
    snprintf(text, sizeof(text), "%llx",
             (unsigned long long)pario_rng_next(&rng));
    if (wishes->anonymous)
        setenv("PARIO_RECORD_ANONYMOUS", text, 1);
    else
        unsetenv("PARIO_RECORD_ANONYMOUS");
    return pario_program_set_file("PARIO_RECORD", wishes->output) == 0
               ? 0
               : pario_fail_errno(-errno, "cannot start");
}

/* One recording: its processes write into a folder that is made for it and
 * held; the trace is made of that alone, at the end. */
struct recording {
    const struct wishes *wishes;
    const char *trace;         /* absolute */
    char folder[PATH_MAX + 8]; /* TRACE.spool */
    struct pario_owned *spool;
};

/* A link that leads nowhere, too: what it leads to may come. */
static int exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* Nothing of an earlier recording may be mixed with this one. */
static int check_names(const struct recording *recording)
{
    const char *folder = recording->folder;
    char *real = NULL;
    int code = 0;

    if (recording->wishes->force) {
        if (exists(recording->trace))
            code = pario_output_resolve(recording->trace, &real);
        free(real);
        return code == 0 ? pario_trace_remove_spool(folder) : code;
    }
    if (exists(recording->trace))
        return pario_fail(-EEXIST,
                          "%s exists (--force overwrites it, -o names another)",
                          recording->wishes->output);
    if (exists(folder))
        return pario_fail(-EEXIST,
                          "%s is left of a recording that was not ended "
                          "(`pario trace %s` reads it, --force removes it)",
                          folder, folder);
    return 0;
}

/* The recorder knows the folder by a mark in it, with a name that nobody can
 * guess: another one may come to its name. */
static int mark_spool(const struct recording *recording)
{
    char letters[7], name[16], path[PATH_MAX + 32];
    int fd;

    pario_random_letters(letters);
    snprintf(name, sizeof(name), "%s.spool", letters);
    snprintf(path, sizeof(path), "%s/%s", recording->folder, name);
    fd = pario_beneath_open(recording->spool->fd, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return setenv("PARIO_RECORD_SPOOL", path, 1) == 0 ? 0 : -errno;
}

static int remove_spool(struct recording *recording)
{
    int code = pario_owned_remove(recording->spool);

    pario_owned_drop(recording->spool);
    recording->spool = NULL;
    return code == 0
               ? 0
               : pario_fail_errno(code, "cannot remove %s", recording->folder);
}

/* Names of files may be nobody else's business. */
static int make_spool(struct recording *recording)
{
    mode_t before;
    int code;

    recording->trace = getenv("PARIO_RECORD");
    if (recording->trace == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    snprintf(recording->folder, sizeof(recording->folder), "%s.spool",
             recording->trace);
    code = check_names(recording);
    if (code != 0)
        return code;
    before = umask(077);
    code = pario_owned_make(PARIO_OWNED_TREE, recording->folder,
                            &recording->spool);
    umask(before);
    if (code == 0) {
        code = mark_spool(recording);
        if (code != 0)
            (void)!remove_spool(recording);
    }
    return code == 0
               ? 0
               : pario_fail_errno(code, "cannot make %s", recording->folder);
}

/* The lines of the trace about the job. */
static void describe(char *const *command, char *job, size_t len)
{
    char utc[PARIO_UTC_LEN];
    size_t n;

    pario_clock_utc(utc, 0);
    n = (size_t)snprintf(job, len, "finished_utc %s\ncommand", utc);
    for (; *command != NULL && n < len - 2; command++)
        n += (size_t)snprintf(job + n, len - n, " %s", *command);
    n = n < len - 2 ? n : len - 2;
    memcpy(job + n, "\n", 2);
}

static int is_empty(const struct pario_trace *read)
{
    return pario_trace_processes(read) == 0 &&
           pario_trace_notes(read)[0] == '\0';
}

/* A recording that cannot have its name is not lost. */
static int write_trace(const struct recording *recording,
                       const struct pario_trace *read, char *const *command)
{
    char job[4096], *why;
    int code;

    describe(command, job, sizeof(job));
    code = pario_trace_write(read, recording->trace, recording->wishes->force,
                             job);
    if (code != 0) {
        why = strdup(pario_error_message());
        code = pario_fail(code,
                          "%s; the recording stays in %s (`pario trace --to "
                          "trace -o NAME %s` makes a trace of it)",
                          why != NULL ? why : "cannot write the trace",
                          recording->folder, recording->folder);
        free(why);
    }
    return code;
}

static void say_what_is_recorded(const struct recording *recording,
                                 const struct pario_trace *read)
{
    size_t nprocesses = pario_trace_processes(read);
    struct stat st;

    if (is_empty(read))
        fprintf(stderr, "pario: the program did no I/O that is recorded\n");
    else
        fprintf(stderr, "pario: recorded %zu process%s in %s (%lld bytes)\n%s",
                nprocesses, nprocesses == 1 ? "" : "es", recording->trace,
                stat(recording->trace, &st) == 0 ? (long long)st.st_size : 0LL,
                pario_trace_notes(read));
}

/* All processes are over: what they have left is joined. */
static int finish(struct recording *recording, char *const *command)
{
    struct pario_trace *read = NULL;
    int code;

    if (pario_output_is_taken(recording->folder, recording->spool->fd))
        return pario_fail(-ESTALE,
                          "another folder has taken the name %s during the "
                          "recording: calls are missing, there is no trace",
                          recording->folder);
    code =
        pario_trace_open_folder(recording->spool->fd, recording->folder, &read);
    if (code != 0)
        return code;
    if (!is_empty(read))
        code = write_trace(recording, read, command);
    /* The words come last: nobody may be there to read them (SIGPIPE). */
    if (code == 0)
        code = remove_spool(recording);
    if (code == 0)
        say_what_is_recorded(recording, read);
    pario_trace_close(read);
    return code;
}

static int record(struct recording *recording, const struct pario_preload *with)
{
    int status = pario_program_wait(with);
    int code = finish(recording, with->word);

    if (code != 0)
        pario_error_print();
    if (status != 0)
        exit(status);
    return code;
}

/* With --print nothing is made. */
static int run(const struct wishes *wishes, char **program)
{
    static struct pario_words words;
    struct recording recording = {.wishes = wishes};
    struct pario_preload preload;
    char libraries[2 * PATH_MAX + 2], **command;
    int code = find_libraries(wishes, libraries, sizeof(libraries));

    if (code == 0)
        code = set_variables(wishes);
    if (code == 0)
        code = pario_program_words(&words, program, &command);
    if (code == 0 && !wishes->print)
        code = make_spool(&recording);
    if (code != 0)
        return code;
    code = pario_preload_init(&preload, libraries, command);
    if (code != 0) {
        if (recording.spool != NULL)
            (void)!remove_spool(&recording);
        return code;
    }
    if (recording.spool != NULL)
        code = record(&recording, &preload);
    else
        pario_program_print(&preload);
    pario_preload_fini(&preload);
    return code;
}

int pario_cmd_record(const struct pario_group *world, int argc, char **argv)
{
    struct wishes wishes = defaults;
    const struct pario_program_line line = {
        .table = table, .values = &wishes, .each = take_below};
    int first = 1, code;

    (void)world;
    unsetenv("PARIO_RECORD_BELOW");
    unsetenv("PARIO_RECORD_SPOOL");
    code = pario_program_options(&line, argv, &first);
    if (code == 0 && wishes.help) {
        print_help();
        return 0;
    }
    if (code == 0 && first >= argc)
        code = pario_fail(PARIO_EUSAGE, "record needs a command, as in `pario "
                                        "record -- mpirun -n 4 program`");
    return code == 0 ? run(&wishes, argv + first) : code;
}
