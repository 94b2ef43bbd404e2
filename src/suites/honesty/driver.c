/* suites/honesty/driver.c - makes the file, starts the job, gathers what the
 * ranks got reported and looks into the file. */
#include "suites/honesty/honesty.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/keyfile.h"
#include "core/storage.h"
#include "launch/job.h"
#include "launch/library.h"
#include "par/group.h"
#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define START_S 20 /* besides: what mpirun may need to start and end */

/* One case's places. */
struct place {
    char name[64]; /* of folder and file: unique on the machine, because OMPIO
                      makes semaphores by the file's name alone */
    char folder[PATH_MAX + 80], file[PATH_MAX + 160], fired[PATH_MAX + 96];
};

static struct pario_data data_of(const struct honesty_driver *driver,
                                 int generation)
{
    return (struct pario_data){.key = driver->key,
                               .file = (uint64_t)generation};
}

static int write_file(const struct honesty_driver *driver,
                      const struct honesty_case *kase, const char *path)
{
    int64_t whole = honesty_rank_bytes(kase) * driver->options->processes;
    int64_t len = kase->truncate ? whole : whole * kase->file_percent / 100;
    /* What stands there before a write is not what will be written. */
    struct pario_data data = data_of(driver, honesty_is_read(kase->call));
    char *bytes = malloc((size_t)len);
    int fd =
        pario_own_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int code = bytes == NULL || fd < 0 ? -errno : 0;

    if (code == 0)
        pario_data_fill(&data, 0, bytes, (size_t)len);
    if (code == 0)
        code = pario_write_all(fd, bytes, (size_t)len);
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = -errno;
    free(bytes);
    return code != 0 ? pario_fail_errno(code, "cannot make %s", path) : 0;
}

static int make_place(const struct honesty_driver *driver,
                      const struct honesty_result *result, struct place *place)
{
    const char *dash = strrchr(driver->base, '-');
    char hit[sizeof(place->folder) + 8];

    snprintf(place->name, sizeof(place->name), "%s-%s-%s",
             dash != NULL ? dash + 1 : "", result->kase->test.name,
             result->library);
    snprintf(place->folder, sizeof(place->folder), "%s/%s", driver->base,
             place->name);
    snprintf(hit, sizeof(hit), "%s/hit", place->folder);
    snprintf(place->file, sizeof(place->file), "%s/%s", hit, place->name);
    snprintf(place->fired, sizeof(place->fired), "%s/fired", place->folder);
    if (pario_own_mkdir(place->folder, 0755) != 0 ||
        pario_own_mkdir(hit, 0755) != 0)
        return pario_fail_errno(-errno, "cannot make %s", hit);
    return write_file(driver, result->kase, place->file);
}

/* The rules of the case, each for the files of this place. */
static void name_faults(const struct honesty_case *kase,
                        const struct place *place, char *text, size_t len)
{
    char rules[256], *rest = rules, *rule;
    size_t used = 0;

    snprintf(rules, sizeof(rules), "%s",
             kase->fault != NULL ? kase->fault : "");
    text[0] = '\0';
    while ((rule = strsep(&rest, ";")) != NULL && used < len)
        used += (size_t)snprintf(text + used, len - used, "%s%s,path=/%s/hit/",
                                 used > 0 ? ";" : "", rule, place->name);
}

static int start_job(const struct honesty_driver *driver,
                     const struct honesty_result *result,
                     const struct place *place,
                     struct pario_job_outcome *outcome)
{
    const struct honesty_case *kase = result->kase;
    int shipio = strcmp(result->library, "shipio") == 0;
    /* Faults of read(2) meet no mapping of the file. */
    int unmapped =
        honesty_is_read(kase->call) && kase->fault != NULL && !kase->mapped;
    const char *before = getenv("LD_PRELOAD");
    const char *hook = "UCX_MEM_MMAP_HOOK_MODE";
    char key[32], limit[32], blocks[32], output[sizeof(place->folder) + 16],
        fault[512];
    char preload[sizeof(driver->fault) + 4096];
    const char *arguments[] = {
        "honesty-case",
        kase->test.name,
        place->folder,
        key,
        limit,
        blocks,
        shipio ? "--mpiio=shipio" : NULL,
        NULL,
    };
    struct pario_job_variable variables[] = {
        {"LD_PRELOAD", kase->fault != NULL ? preload : before},
        {"PARIO_FAULT", kase->fault != NULL ? fault : NULL},
        {"PARIO_FAULT_LOG", place->fired},
        {"SHIPIO_MAP", unmapped ? "false" : getenv("SHIPIO_MAP")},
        /* UCX puts its own mmap before that of the fault library. */
        {hook, kase->mapped ? "none" : getenv(hook)},
        {NULL, NULL},
    };
    struct pario_job job = {
        .processes = (int)driver->options->processes,
        .arguments = arguments,
        .variables = variables,
        .output = output,
        .timeout_s = driver->options->timeout_s + START_S,
    };

    /* What the user preloads is part of what is examined. */
    snprintf(preload, sizeof(preload), "%s%s%s", driver->fault,
             before != NULL && before[0] != '\0' ? ":" : "",
             before != NULL ? before : "");
    snprintf(key, sizeof(key), "%llx", (unsigned long long)driver->key);
    snprintf(limit, sizeof(limit), "%.0f", driver->options->timeout_s);
    snprintf(blocks, sizeof(blocks), "%d", kase->blocks);
    snprintf(output, sizeof(output), "%s/output", place->folder);
    name_faults(kase, place, fault, sizeof(fault));
    return pario_job_run(&job, outcome);
}

/* Keeps what was reported in a line of a rank's report. */
static void take_line(struct honesty_rank *rank, const char *line)
{
    char word[16] = "", number[24] = "", class[40] = "";
    long step;

    (void)sscanf(line, "%15s %23s %39s", word, number, class);
    step = strtol(number, NULL, 10);
    step = step < 0 || step >= HONESTY_STEPS ? 0 : step;
    if (strcmp(word, "begin") == 0) {
        rank->begun = (int)step;
    } else if (strcmp(word, "end") == 0) {
        rank->ended = (int)step + 1;
        if (strcmp(class, "-") != 0)
            snprintf(rank->error[step], sizeof(rank->error[step]), "%s", class);
    } else if (strcmp(word, "count") == 0) {
        rank->count = strtoll(number, NULL, 10);
    } else if (strcmp(word, "wrong") == 0) {
        rank->wrong = strtoll(number, NULL, 10);
    } else if (strcmp(word, "gap") == 0) {
        rank->gap = (int)strtol(number, NULL, 10);
    } else if (strcmp(word, "nodes") == 0) {
        rank->nodes = (int)strtol(number, NULL, 10);
    } else if (strcmp(word, "alarm") == 0) {
        rank->alarm = 1;
    } else if (strcmp(word, "done") == 0) {
        rank->ended = HONESTY_STEPS;
    }
}

/* 0 when no rank began: then the job itself did not start. */
static int read_reports(const struct place *place,
                        struct honesty_result *result)
{
    int seen = 0;

    for (int r = 0; r < result->size; r++) {
        struct honesty_rank *rank = &result->rank[r];
        char path[sizeof(place->folder) + 32], line[256];
        FILE *file;

        rank->count = -1;
        snprintf(path, sizeof(path), "%s/report.%d", place->folder, r);
        file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
            take_line(rank, line);
            seen = 1;
        }
        if (file != NULL)
            fclose(file);
    }
    return seen;
}

static int data_is_there(const struct honesty_driver *driver,
                         const struct honesty_result *result, int r, int fd)
{
    struct pario_data data = data_of(driver, 1);
    char block[HONESTY_BLOCK];

    for (int64_t i = 0; i < honesty_rank_bytes(result->kase);
         i += HONESTY_BLOCK) {
        int64_t at = honesty_offset(result->kase, r, result->size, i);
        struct pario_data_error error;

        if (pread(fd, block, sizeof(block), at) != (ssize_t)sizeof(block) ||
            pario_data_check(&data, at, block, sizeof(block), &error) != 0)
            return 0;
    }
    return 1;
}

static int find_truth(const struct honesty_driver *driver,
                      const struct place *place, struct honesty_result *result)
{
    int fd = open(place->file, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot look into %s", place->file);
    for (int r = 0; r < result->size; r++) {
        struct honesty_rank *rank = &result->rank[r];

        if (honesty_is_read(result->kase->call)) {
            rank->true_count =
                honesty_true_count(result->kase, r, result->size);
            rank->intact = rank->error[HONESTY_ACCESS][0] == '\0' &&
                           rank->count == rank->true_count && rank->wrong == 0;
        } else if (result->kase->call == HONESTY_SYNC) {
            rank->intact = !result->fired; /* it is not on the device */
        } else {
            rank->intact = data_is_there(driver, result, r, fd);
        }
    }
    close(fd);
    return 0;
}

/* The fault library writes a line when a rule first acts in a process. */
static void take_fired(struct honesty_result *result, const char *line)
{
    size_t used = strlen(result->met);
    char op[16];

    if (strstr(line, ": delay\n") != NULL) {
        result->witnessed = 1;
        return;
    }
    result->fired = 1;
    if (sscanf(line, "rank %*d: %15s", op) == 1 &&
        strstr(result->met, op) == NULL)
        snprintf(result->met + used, sizeof(result->met) - used, "%s%s",
                 used > 0 ? "," : "", op);
}

static void read_fired(const struct place *place, struct honesty_result *result)
{
    FILE *file = fopen(place->fired, "r");
    char line[PATH_MAX + 512];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        take_fired(result, line);
    if (file != NULL)
        fclose(file);
}

/* The job did not even begin: its own words say why. */
static int cannot_start(const struct place *place,
                        const struct honesty_result *result)
{
    char path[sizeof(place->folder) + 16], line[256] = "nothing was printed";
    FILE *file;

    snprintf(path, sizeof(path), "%s/output", place->folder);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strstr(line, "pario:") != NULL)
            break;
    if (file != NULL)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return pario_fail(PARIO_EUNAVAIL, "%s, %s: the job did not start: %s",
                      result->kase->test.name, result->library, line);
}

int honesty_run_case(struct honesty_driver *driver,
                     const struct honesty_case *kase, const char *library,
                     struct honesty_result *result)
{
    struct pario_job_outcome outcome = {.end = PARIO_JOB_EXITED};
    struct place place;
    char semaphore[80];
    int began = 0, code;

    *result = (struct honesty_result){
        .sized = honesty_case_sized(kase, (int)driver->options->processes,
                                    driver->nodes > 0 ? driver->nodes : 1),
        .library = library,
        .size = (int)driver->options->processes,
    };
    result->kase = &result->sized;
    code = make_place(driver, result, &place);
    /* A job that MPI could not start may start the next time; nothing of the
     * case has happened yet. */
    for (int tries = 0; code == 0 && !began && tries < 2; tries++) {
        code = start_job(driver, result, &place, &outcome);
        began = code == 0 && read_reports(&place, result);
        if (outcome.end == PARIO_JOB_TIMEOUT)
            break;
    }
    if (code != 0)
        return code;
    if (!began)
        return cannot_start(&place, result);
    read_fired(&place, result);
    driver->nodes = result->rank[0].nodes;
    result->timed_out = outcome.end == PARIO_JOB_TIMEOUT;
    result->seconds = outcome.seconds;
    code = find_truth(driver, &place, result);
    if (code == 0)
        honesty_judge(result);
    /* A job that was ended leaves it locked. */
    snprintf(semaphore, sizeof(semaphore), "/OMPIO_%s", place.name);
    (void)sem_unlink(semaphore);
    return code;
}
