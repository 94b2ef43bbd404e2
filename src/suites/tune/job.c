/* suites/tune/job.c - one job: what it is told, what it reports, and whom to
 * exclude when it dies. */
#include "core/output.h"
#include "suites/tune/driver.h"

#include "core/cleanup.h"
#include "core/units.h"
#include "launch/job.h"

#include <ctype.h>
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_S 60       /* a job may take so long besides its passes */
#define SLOWEST_MBPS 2.0 /* a working library is faster */
#define HANGS_S 30       /* a pass that takes less than this does not hang */
#define HANGS_TIMES 20   /* ... nor if it is not slower than this */
#define LAST_WORDS_LEN 160

int64_t tune_file_bytes(const struct tune_driver *driver)
{
    const struct tune_pattern *p = &driver->race->pattern;
    int64_t calls = p->task_bytes / p->L;

    return (calls < 1 ? 1 : calls) * p->L * driver->options->processes;
}

/* Before the first pass nobody knows how slow it is here. */
static double limit_s(const struct tune_driver *driver)
{
    double call = (double)driver->race->pattern.L *
                  (double)driver->options->processes / (SLOWEST_MBPS * 1e6);
    double seen = driver->slowest_s > 0
                      ? driver->slowest_s
                      : 2 * (driver->options->pass_s + call) / HANGS_TIMES;

    if (driver->options->hang_s > 0)
        return driver->options->hang_s < 1 ? 1 : driver->options->hang_s;
    return HANGS_S + HANGS_TIMES * seen;
}

static int write_spec(const struct tune_driver *driver, const char *folder,
                      const char *variable, int passes, int *shipio_p)
{
    const struct tune_race *race = driver->race;
    const struct tune_pattern *p = &race->pattern;
    char path[PATH_MAX + 64];
    int members = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/spec", folder);
    file = pario_own_stream(path);
    if (file == NULL)
        return pario_fail_errno(-errno, "cannot write %s", path);
    fprintf(file, "%d %lld %lld %lld %.0f %d %d %.0f %s\n", p->type,
            (long long)p->l, (long long)p->L, (long long)p->task_bytes,
            driver->options->pass_s * 1e3, passes, driver->start,
            limit_s(driver), driver->confirming ? "confirmation" : "race");
    *shipio_p = 0;
    for (int i = 0; i < race->count; i++) {
        const struct tune_contender *one = &race->one[i];

        if (one->state != TUNE_IN || strcmp(one->variable, variable) != 0)
            continue;
        fprintf(file, "%d %s %s\n", i, one->shipio ? "shipio" : "native",
                one->hints);
        *shipio_p |= one->shipio;
        members++;
    }
    if (fclose(file) != 0)
        return pario_fail_errno(-errno, "cannot write %s", path);
    return members;
}

/* Of one access of a pass, as the job's engine made it: BYTES SECONDS
 * CHECKED_BYTES CACHE FLAGS DEVICE_READ_BYTES DEVICE_WRITTEN_BYTES. */
static struct pario_figures parse_access(char **at)
{
    struct pario_figures done = {.bytes = strtoll(*at, at, 10),
                                 .seen = {.resident_bytes = -1}};

    done.seconds = done.first_s = strtod(*at, at);
    done.checked_bytes = strtoll(*at, at, 10);
    done.cache = (enum pario_cache)strtol(*at, at, 10);
    done.flags = (unsigned)strtoul(*at, at, 10);
    done.seen.device_read_bytes = strtoll(*at, at, 10);
    done.seen.device_written_bytes = strtoll(*at, at, 10);
    done.seen.device_busy_ms = -1;
    return done;
}

/* Equal amounts written and read: the harmonic mean. */
static double figure(const struct tune_pattern *pattern, double write_mbps,
                     double read_mbps)
{
    if (!pattern->reads)
        return write_mbps;
    if (!pattern->writes)
        return read_mbps;
    return write_mbps > 0 && read_mbps > 0
               ? 2 / (1 / write_mbps + 1 / read_mbps)
               : 0;
}

static void exclude(struct tune_contender *one, const char *reason)
{
    one->state = TUNE_STRUCK;
    snprintf(one->reason, sizeof(one->reason), "excluded: %s", reason);
}

/* WALL_S, then the write and the read. Only what counts is summed up. */
static void take_pass(struct tune_driver *driver, struct tune_contender *one,
                      const char *text)
{
    const struct tune_pattern *pattern = &driver->race->pattern;
    const int counts[] = {pattern->writes, pattern->reads};
    char *at = NULL;
    double wall_s = strtod(text, &at), mbps;
    struct pario_figures done[2];

    for (int i = 0; i < 2; i++)
        done[i] = parse_access(&at);
    mbps = figure(pattern, pario_mbps(done[0].bytes, done[0].seconds),
                  pario_mbps(done[1].bytes, done[1].seconds));
    if (!(mbps > 0))
        return;
    tune_pass_add(one, mbps);
    one->passes++;
    for (int i = 0; i < 2; i++)
        if (counts[i]) {
            done[i].operations = done[i].bytes / pattern->L;
            pario_figures_add(&one->done, &done[i]);
        }
    if (wall_s > driver->slowest_s)
        driver->slowest_s = wall_s;
}

struct report {
    int under_way;                /* who began and has not ended; -1 */
    int ended;                    /* the job came to its end */
    int timeout;                  /* it was ended */
    char stopped[LAST_WORDS_LEN]; /* why it could not go on, itself; "" */
};

/* 0: the line is about something else. */
static int take_placement(struct pario_placement *placement, const char *word,
                          const char *text)
{
    if (strcmp(word, "uneven") == 0 && text != NULL)
        snprintf(placement->uneven, sizeof(placement->uneven), "%s", text);
    else if (strcmp(word, "bound") == 0 && text != NULL)
        snprintf(placement->bound, sizeof(placement->bound), "%s", text);
    else
        return 0;
    return 1;
}

static void take_line(struct tune_driver *driver, char *line,
                      struct report *report)
{
    char *rest = line, *word = strsep(&rest, " ");
    struct tune_contender *one;
    long id;

    if (strcmp(word, "end") == 0)
        report->ended = 1;
    if (strcmp(word, "stopped") == 0 && rest != NULL)
        snprintf(report->stopped, sizeof(report->stopped), "%s", rest);
    if (take_placement(&driver->placement, word, rest))
        return;
    id = rest != NULL ? strtol(rest, &rest, 10) : -1;
    if (strcmp(word, "nodes") == 0) {
        driver->nodes = (int)id;
        return;
    }
    if (id < 0 || id >= driver->race->count || report->stopped[0] != '\0')
        return;
    one = &driver->race->one[id];
    rest += *rest == ' ';
    if (strcmp(word, "begin") == 0) {
        report->under_way = (int)id;
        return;
    }
    if (strcmp(word, "unknown") == 0) {
        tune_unknown_add(one, rest);
        return;
    }
    report->under_way = -1;
    if (strcmp(word, "bad") == 0)
        exclude(one, rest);
    else if (strcmp(word, "pass") == 0)
        take_pass(driver, one, rest);
}

static struct report read_report(struct tune_driver *driver, const char *folder)
{
    struct report report = {.under_way = -1};
    char path[PATH_MAX + 64], line[1024];
    FILE *file;

    snprintf(path, sizeof(path), "%s/report", folder);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        take_line(driver, line, &report);
    }
    if (file != NULL)
        fclose(file);
    return report;
}

/* The last line that says something; launchers frame theirs with dashes. */
static void last_words(const char *path, char *words)
{
    char line[LAST_WORDS_LEN];
    FILE *file = fopen(path, "r");

    snprintf(words, LAST_WORDS_LEN, "nothing was printed");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        for (const char *c = line; *c != '\0'; c++)
            if (isalnum((unsigned char)*c)) {
                snprintf(words, LAST_WORDS_LEN, "%s", line);
                break;
            }
    }
    if (file != NULL)
        fclose(file);
}

/* A job died or hung while nobody was under way. Where shipio was loaded it is
 * the suspect; else the parameters are, and all who need them go. */
static int blame_all(struct tune_driver *driver, const char *variable,
                     int shipio, const char *words, int hangs)
{
    struct tune_race *race = driver->race;
    char reason[LAST_WORDS_LEN + 24];

    snprintf(reason, sizeof(reason), "its job %s: %s", hangs ? "hangs" : "died",
             words);
    for (int i = 0; i < race->count; i++) {
        struct tune_contender *one = &race->one[i];

        if (one->state != TUNE_IN || strcmp(one->variable, variable) != 0 ||
            one->shipio != shipio)
            continue;
        exclude(one, reason);
        if (one->is_default && !one->shipio && one->passes == 0)
            return pario_fail(PARIO_EUNAVAIL,
                              "not even the library's default starts: %s",
                              reason);
    }
    return 0;
}

static int judge_end(struct tune_driver *driver, const char *variable,
                     int shipio, const char *folder,
                     const struct report *report)
{
    char output[PATH_MAX + 64], hangs[PATH_MAX + 64];
    char words[LAST_WORDS_LEN], reason[LAST_WORDS_LEN + 24];
    int hung;

    if (report->ended)
        return 0;
    snprintf(output, sizeof(output), "%s/output", folder);
    snprintf(hangs, sizeof(hangs), "%s/hangs", folder);
    /* Its own part failed: nobody's fault, and no better in the next job. */
    if (report->stopped[0] != '\0')
        return pario_fail(PARIO_EUNAVAIL, "a job cannot go on: %s",
                          report->stopped);
    hung = report->timeout || access(hangs, F_OK) == 0;
    last_words(output, words);
    if (report->under_way < 0)
        return blame_all(driver, variable, shipio, words, hung);
    snprintf(reason, sizeof(reason), "it ends the program: %s", words);
    exclude(&driver->race->one[report->under_way], hung ? "it hangs" : reason);
    return 0;
}

/* The environment of a job: one variable; what is preloaded already stays. */
struct environment {
    char name[64], value[8192];
    struct pario_job_variable variables[2];
};

static void set_environment(const char *variable, struct environment *env)
{
    const char *equals = strchr(variable, '=');
    const char *before = getenv("LD_PRELOAD");

    *env = (struct environment){.variables = {{NULL, NULL}, {NULL, NULL}}};
    if (equals == NULL)
        return;
    snprintf(env->name, sizeof(env->name), "%.*s", (int)(equals - variable),
             variable);
    if (strcmp(env->name, "LD_PRELOAD") != 0)
        before = NULL;
    snprintf(env->value, sizeof(env->value), "%s%s%s", equals + 1,
             before != NULL ? ":" : "", before != NULL ? before : "");
    env->variables[0] =
        (struct pario_job_variable){.name = env->name, .value = env->value};
}

int tune_run_job(struct tune_driver *driver, const char *variable, int passes)
{
    char folder[PATH_MAX + 32], output[PATH_MAX + 64], key[32];
    char semaphore[128], own[sizeof(driver->race->one->variable)];
    const char *arguments[] = {"tune-race", folder, key, NULL, NULL};
    struct environment env;
    struct pario_job job = {.processes = (int)driver->options->processes,
                            .arguments = arguments,
                            .variables = env.variables,
                            .output = output};
    struct pario_job_outcome outcome;
    struct report report;
    int members, shipio = 0, code;

    snprintf(own, sizeof(own), "%s", variable);
    set_environment(own, &env);
    snprintf(folder, sizeof(folder), "%s/%s.%d", driver->base,
             strrchr(driver->base, '-') + 1, driver->jobs++);
    snprintf(output, sizeof(output), "%s/output", folder);
    snprintf(key, sizeof(key), "%llx", (unsigned long long)driver->key);
    code = pario_cleanup_make_folder(folder);
    if (code != 0)
        return code;
    members = write_spec(driver, folder, own, passes, &shipio);
    if (members <= 0)
        return members;
    if (shipio)
        arguments[3] = "--mpiio=shipio";
    /* A pass that hangs ends its job itself: this is for what comes before
     * and after. */
    job.timeout_s =
        START_S + 2 * limit_s(driver) +
        4 * passes * members *
            (driver->slowest_s > 0 ? driver->slowest_s : limit_s(driver) / 4);
    code = pario_job_run(&job, &outcome);
    if (code != 0)
        return code;
    report = read_report(driver, folder);
    report.timeout = outcome.end == PARIO_JOB_TIMEOUT;
    code = judge_end(driver, own, shipio, folder, &report);
    snprintf(semaphore, sizeof(semaphore), "/OMPIO_%s-type%d.0",
             strrchr(folder, '/') + 1, driver->race->pattern.type);
    (void)sem_unlink(semaphore);
    return code != 0 ? code : pario_cleanup_remove(folder);
}
