/* cli/cmd_record.c - `pario record`: a program as it is, and what I/O it
 * does. */
#include "cli/commands.h"
#include "cli/program.h"
#include "core/clock.h"
#include "core/options.h"
#include "core/rng.h"
#include "core/units.h"
#include "launch/library.h"
#include "trace/trace.h"

#include <errno.h>
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
         "       pario -n N record [OPTION]... [--] PROGRAM ...\n"
         "Runs a program, unchanged, and records its calls of MPI-IO and of "
         "the C library's\nfile functions: what, when, how long; no data. "
         "`pario trace` shows what it did,\n`pario replay` does it again. The "
         "exit status is the command's.\n");
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

/* A link that leads nowhere, too: what it leads to may come. */
static int exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* Nothing of an earlier recording may be mixed with this one. */
static int make_room(const struct wishes *wishes, const char *trace,
                     const char *folder)
{
    int code;

    if (!wishes->force && exists(trace))
        return pario_fail(-EEXIST,
                          "%s exists (--force overwrites it, -o names another)",
                          wishes->output);
    if (!wishes->force && exists(folder))
        return pario_fail(-EEXIST,
                          "%s is left of a recording that was not ended "
                          "(`pario trace %s` reads it, --force removes it)",
                          folder, folder);
    if (wishes->force) {
        code = pario_trace_remove_spool(folder);
        if (code != 0)
            return code;
        if (unlink(trace) != 0 && errno != ENOENT)
            return pario_fail_errno(-errno, "cannot remove %s", trace);
    }
    return 0;
}

/* All processes are over: what they did not join themselves is joined here. */
static int finish(const char *trace, const char *folder, char *const *command)
{
    struct pario_trace *read = NULL;
    char utc[PARIO_UTC_LEN], job[4096];
    size_t n;
    struct stat st;
    int code;

    if (!exists(trace) && !exists(folder)) {
        fprintf(stderr, "pario: the program did no I/O that is recorded\n");
        return 0;
    }
    pario_clock_utc(utc, 0);
    n = (size_t)snprintf(job, sizeof(job), "finished_utc %s\ncommand", utc);
    for (; *command != NULL && n < sizeof(job) - 2; command++)
        n += (size_t)snprintf(job + n, sizeof(job) - n, " %s", *command);
    n = n < sizeof(job) - 2 ? n : sizeof(job) - 2;
    memcpy(job + n, "\n", 2);
    code = pario_trace_open(trace, &read);
    if (code == 0)
        code = pario_trace_write(read, trace, job);
    if (code != 0)
        return code;
    fprintf(stderr, "pario: recorded %zu process%s in %s (%lld bytes)\n%s",
            pario_trace_processes(read),
            pario_trace_processes(read) == 1 ? "" : "es", trace,
            stat(trace, &st) == 0 ? (long long)st.st_size : 0LL,
            pario_trace_notes(read));
    pario_trace_close(read);
    return pario_trace_remove_spool(folder);
}

static int record(const struct wishes *wishes, const struct pario_preload *with)
{
    const char *trace = getenv("PARIO_RECORD");
    char folder[PATH_MAX + 16];
    int status, code;

    if (trace == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    snprintf(folder, sizeof(folder), "%s.spool", trace);
    code = make_room(wishes, trace, folder);
    if (code != 0)
        return code;
    status = pario_program_wait(with);
    code = finish(trace, folder, with->word);
    if (code != 0)
        fprintf(stderr, "pario: %s\n", pario_error_message());
    if (status != 0)
        exit(status);
    return code;
}

int pario_cmd_record(const struct pario_group *world, int argc, char **argv)
{
    static struct pario_words words;
    struct wishes wishes = defaults;
    struct pario_preload preload;
    char libraries[2 * PATH_MAX + 2], **command;
    const struct pario_program_line line = {
        .table = table, .values = &wishes, .each = take_below};
    int first = 1, code;

    (void)world;
    unsetenv("PARIO_RECORD_BELOW");
    code = pario_program_options(&line, argv, &first);
    if (code == 0 && wishes.help) {
        print_help();
        return 0;
    }
    if (code == 0 && first >= argc)
        code = pario_fail(PARIO_EUSAGE, "record needs a command, as in `pario "
                                        "record -- mpirun -n 4 program`");
    if (code == 0)
        code = find_libraries(&wishes, libraries, sizeof(libraries));
    if (code == 0)
        code = set_variables(&wishes);
    if (code == 0)
        code = pario_program_words(&words, argv + first, &command);
    if (code == 0)
        code = pario_preload_init(&preload, libraries, command);
    if (code != 0)
        return code;
    if (wishes.print)
        pario_program_print(&preload);
    else
        code = record(&wishes, &preload);
    pario_preload_fini(&preload);
    return code;
}
