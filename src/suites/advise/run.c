/* suites/advise/run.c - the program once, recorded. */
#include "suites/advise/run.h"
#include "core/cleanup.h"
#include "core/output.h"
#include "launch/job.h"
#include "launch/library.h"
#include "launch/preload.h"
#include "launch/shipio_hints.h"
#include "trace/profile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_NAME "run.trace"

/* The variables of a contender, set in this process for the run and taken back
 * after it: launchers pass on what they find here. */
struct settings {
    const char *names[32];
    char *before[32]; /* NULL: it was not set */
    int count;
};

static void set(struct settings *settings, const char *name, const char *value)
{
    const char *before = getenv(name);

    if (settings->count == 32)
        return;
    settings->names[settings->count] = name;
    settings->before[settings->count++] =
        before != NULL ? strdup(before) : NULL;
    setenv(name, value, 1);
}

static void take_back(struct settings *settings)
{
    while (settings->count > 0) {
        int i = --settings->count;

        if (settings->before[i] != NULL)
            setenv(settings->names[i], settings->before[i], 1);
        else
            unsetenv(settings->names[i]);
        free(settings->before[i]);
    }
}

static void print_hint(void *out, const char *key, const char *value)
{
    fprintf(out, "%s %s\n", key, value);
}

void advise_print_hints(const struct advise_contender *one, FILE *out)
{
    pario_hints_each(one->hints, print_hint, out);
}

static int write_hints(const char *path, const struct advise_contender *one)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code;

    if (out == NULL)
        return pario_fail_errno(-errno, "the hints");
    advise_print_hints(one, out);
    code = fclose(out) == 0 ? pario_output_file(path, 1, text, len)
                            : pario_fail_errno(-errno, "the hints");
    free(text);
    return code;
}

/* shipio's hints have variables of their own. */
static void set_shipio(struct settings *settings, char *hints)
{
    char *rest = hints, *pair;

    while ((pair = strsep(&rest, ";")) != NULL) {
        char *value = strchr(pair, '=');
        const char *variable, *meaning;

        if (value == NULL)
            continue;
        *value++ = '\0';
        if (pario_shipio_variable(pair, value, &variable, &meaning) == 0)
            set(settings, variable, meaning);
    }
}

static int set_all(struct settings *settings, const char *folder,
                   const struct advise_contender *one, char *words, size_t len)
{
    char path[PATH_MAX + 32];
    char *equals;
    int code = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, TRACE_NAME);
    set(settings, "PARIO_RECORD", path);
    snprintf(words, len, "%s", one->shipio ? one->hints : one->variable);
    equals = strchr(words, '=');
    if (one->shipio) {
        set_shipio(settings, words);
    } else if (equals != NULL) {
        *equals = '\0';
        set(settings, words, equals + 1);
    }
    if (!one->shipio && one->hints[0] != '\0') {
        snprintf(path, sizeof(path), "%s/hints", folder);
        code = write_hints(path, one);
        set(settings, "ROMIO_HINTS", path);
    }
    return code;
}

/* Who spent most time in I/O, and on what. */
static int read_facts(const char *path, struct advise_facts *facts)
{
    struct pario_trace *trace = NULL;
    struct pario_profile profile;
    int64_t pieces = 0;
    int code = pario_trace_open(path, &trace);

    if (code == 0)
        code = pario_profile_init(&profile, trace);
    if (code != 0) {
        pario_trace_close(trace);
        return code;
    }
    for (size_t p = 0; p < profile.nprocesses; p++) {
        const struct pario_profile_process *sums = &profile.processes[p];
        const int64_t *ns = sums->data_ns;
        double io_s = (double)(ns[0] + ns[1] + ns[2]) * 1e-9;

        facts->processes += pario_trace_process_of(trace, p)->rank >= 0;
        if (io_s > facts->io_s) {
            facts->io_s = io_s;
            facts->read_s = (double)ns[PARIO_DATA_READ] * 1e-9;
            facts->write_s = (double)ns[PARIO_DATA_WRITE] * 1e-9;
        }
    }
    for (size_t i = 0; i < profile.nlines; i++) {
        const struct pario_profile_line *line = &profile.lines[i];
        const struct pario_trace_op_facts *op = &pario_trace_op_table[line->op];
        int mpi = strncmp(op->name, "File_", 5) == 0;

        facts->mpi_calls += mpi ? line->calls : 0;
        facts->posix_calls += mpi || line->path[0] == '\0' ? 0 : line->calls;
        facts->bytes += line->bytes;
        pieces += op->data != PARIO_DATA_NONE ? line->pieces : 0;
    }
    facts->piece = pieces > 0 ? (double)facts->bytes / (double)pieces : 0;
    pario_profile_fini(&profile);
    pario_trace_close(trace);
    return 0;
}

static int has_trace(const char *path)
{
    char spool[PATH_MAX + 64];

    snprintf(spool, sizeof(spool), "%s.spool", path);
    return access(path, F_OK) == 0 || access(spool, F_OK) == 0;
}

static void remove_files(const char *folder)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/" TRACE_NAME, folder);
    (void)pario_own_unlink(path);
    snprintf(path, sizeof(path), "%s/" TRACE_NAME ".spool", folder);
    (void)!pario_trace_remove_spool(path); /* in the run's own directory */
}

static int start(const struct advise_options *options, const char *libraries,
                 const struct pario_job *like,
                 struct pario_job_outcome *outcome_p)
{
    struct pario_preload preload;
    struct pario_job_variable variables[2] = {{NULL, NULL}, {NULL, NULL}};
    struct pario_job job = *like;
    int code = pario_preload_init(&preload, libraries, options->command);

    if (code != 0)
        return code;
    if (preload.environment != NULL)
        variables[0] =
            (struct pario_job_variable){"LD_PRELOAD", preload.environment};
    job.command = preload.word;
    job.variables = variables;
    code = pario_job_run(&job, outcome_p);
    pario_preload_fini(&preload);
    return code;
}

static int find_libraries(const struct advise_contender *one, char *list,
                          size_t len)
{
    char record[PATH_MAX], shipio[PATH_MAX] = "";
    int code = pario_library_record(record, sizeof(record));

    if (code == 0 && one->shipio)
        code = pario_library_shipio(shipio, sizeof(shipio));
    snprintf(list, len, "%s%s%s", record, one->shipio ? ":" : "", shipio);
    return code;
}

/* The last line of what the program printed. */
static void last_words(const char *path, char *text, size_t len)
{
    char line[512];
    FILE *in = fopen(path, "r");

    text[0] = '\0';
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '-')
            snprintf(text, len, "%.100s", line);
    }
    if (in != NULL)
        fclose(in);
}

static enum advise_end judge(const struct pario_job_outcome *outcome,
                             const struct pario_job *job, char why[200])
{
    char said[120];

    if (outcome->end == PARIO_JOB_TIMEOUT) {
        snprintf(why, 200, "did not end within %.0f s", job->timeout_s);
        return ADVISE_FAILED;
    }
    if (outcome->end == PARIO_JOB_EXITED && outcome->status == 0)
        return ADVISE_RAN;
    last_words(job->output, said, sizeof(said));
    snprintf(why, 200, "ended with %s %d: %s",
             outcome->end == PARIO_JOB_SIGNALLED ? "signal" : "status",
             outcome->status, said);
    return ADVISE_FAILED;
}

int advise_run_once(const struct advise_options *options,
                    const struct advise_contender *one, double timeout_s,
                    struct advise_facts *facts_p, enum advise_end *end_p,
                    char why[200])
{
    const char *folder = options->folder;
    struct settings settings = {.count = 0};
    struct pario_job_outcome outcome = {.status = 0};
    char libraries[2 * PATH_MAX + 2], words[512], output[PATH_MAX + 32];
    char path[PATH_MAX + 32];
    struct pario_job job = {.output = output, .timeout_s = timeout_s};
    int code = find_libraries(one, libraries, sizeof(libraries));

    snprintf(output, sizeof(output), "%s/output", folder);
    snprintf(path, sizeof(path), "%s/" TRACE_NAME, folder);
    memset(facts_p, 0, sizeof(*facts_p));
    why[0] = '\0';
    *end_p = ADVISE_FAILED;
    if (code == 0 && options->before != NULL && system(options->before) != 0)
        code =
            pario_fail(PARIO_EUSAGE, "--before: '%s' failed", options->before);
    sync(); /* what the run before left to be written is not this one's */
    if (code == 0)
        code = set_all(&settings, folder, one, words, sizeof(words));
    if (code == 0)
        code = start(options, libraries, &job, &outcome);
    take_back(&settings);
    if (code != 0)
        return code;
    facts_p->whole_s = outcome.seconds;
    *end_p = judge(&outcome, &job, why);
    /* A program that opens no file leaves no trace: all is 0. */
    if (*end_p == ADVISE_RAN && has_trace(path))
        code = read_facts(path, facts_p);
    remove_files(folder);
    return code;
}
