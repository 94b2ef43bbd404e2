/* measure/run.c - directory, measures, warnings and phases of one run. */
#include "measure/run.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "io/hints.h"
#include "par/watchdog.h"
#include "result/value.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A phase may take this many times its schedule, and this long besides. */
#define DEADLINE_FACTOR 4
#define MAX_SCHEDULED_S 1e9 /* 32 years; its ns are an int64_t still */
#define DEADLINE_MARGIN_S 60
#define SLOW_DISK_BYTES_PER_S 50e6
/* How long the others may keep a failed rank waiting, besides the time of the
 * phase: ROMIO leaves them inside a collective write. */
#define GRACE_S 10

static int is_first(const struct pario_run *run)
{
    return pario_group_rank(run->world) == 0;
}

int pario_run_survey(struct pario_run *run)
{
    int code = pario_kernels_find(run->world, &run->kernels);

    return code != 0 ? code : pario_surroundings_begin(run);
}

int pario_run_place(struct pario_run *run, const char *target,
                    const struct pario_fs_facts *fs)
{
    size_t index = run->nplaces++;

    if (run->result == NULL)
        return 0;
    return pario_result_place(run->result, index,
                              json_pack("{s:o, s:o, s:o}", "target",
                                        pario_json_text(target), "mount",
                                        pario_json_text(fs->mount), "source",
                                        pario_json_text(fs->source)));
}

static void record_filesystem(struct pario_run *run, const char *target)
{
    const struct pario_fs_facts *fs = &run->fs;
    struct pario_result *result = run->result;

    pario_result_set(result, "system", "filesystem", pario_json_text(fs->type));
    pario_result_set(
        result, "system", "filesystem_details",
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:i, s:b}",
                  "target", target, "mount", fs->mount, "source", fs->source,
                  "mount_options", fs->options, "block_bytes",
                  (json_int_t)fs->block_bytes, "free_bytes",
                  (json_int_t)fs->free_bytes, "total_bytes",
                  (json_int_t)fs->total_bytes, "stripe_bytes",
                  (json_int_t)fs->stripe_bytes, "stripe_count",
                  fs->stripe_count, "memory_backed", fs->memory_backed));
}

/* Rank 0: checks, then a fresh directory that nobody else has. */
static int make_directory(struct pario_run *run, const char *target,
                          int64_t need_bytes)
{
    int code = pario_fs_check_writable(target, need_bytes);
    char absolute[PATH_MAX], danger[PATH_MAX + 512];

    if (code != 0)
        return code;
    if (realpath(target, absolute) == NULL)
        return pario_fail_errno(-errno, "cannot use the directory %s", target);
    if (pario_fs_is_dangerous(absolute, danger, sizeof(danger)))
        pario_run_warn(run, "%s", danger);
    return pario_cleanup_make_tree(absolute, "pario", run->common.keep,
                                   run->directory, sizeof(run->directory));
}

/* On a network file system another node may see the directory late. */
static int wait_for_directory(const char *path)
{
    struct timespec pause = {.tv_nsec = 50000000};
    struct stat st;

    for (int i = 0; i < 100; i++) {
        if (stat(path, &st) == 0)
            return 0;
        nanosleep(&pause, NULL);
    }
    return pario_fail(-ENOENT,
                      "the directory %s that rank 0 made is not seen here: is "
                      "it shared between the nodes? (try `pario doctor`)",
                      path);
}

/* On the node of rank 0 it must be the very directory that rank 0 made. */
static int hold_directory(struct pario_run *run)
{
    uint64_t first[2] = {0, 0}, mine[2] = {0, 0};
    int code = 0;

    if (is_first(run))
        code = pario_cleanup_identity(run->directory, first);
    else
        code = wait_for_directory(run->directory);
    if (code == 0 && !is_first(run))
        code = pario_cleanup_hold_tree(run->directory);
    if (code == 0)
        code = pario_cleanup_identity(run->directory, mine);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = pario_bcast(run->world, first, sizeof(first));
    if (code == 0 && pario_group_node(run->world) == 0 &&
        (first[0] != mine[0] || first[1] != mine[1]))
        code = pario_fail(-ESTALE,
                          "%s is not the directory that rank 0 made: "
                          "something has taken its place",
                          run->directory);
    return code;
}

/* Every rank's janitor removes it, once it is known to be the right one. */
static int claim_directory(struct pario_run *run)
{
    uint64_t held[2] = {0, 0}, claimed[2] = {0, 0};
    int code = hold_directory(run);

    if (is_first(run))
        return code;
    if (code == 0 && !run->common.keep) {
        code = pario_cleanup_identity(run->directory, held);
        if (code == 0)
            code = pario_cleanup_add_tree(run->directory);
        if (code == 0)
            code = pario_cleanup_identity(run->directory, claimed);
        if (code == 0 && memcmp(held, claimed, sizeof(held)) != 0)
            code = pario_fail(-ESTALE, "something has taken the place of %s",
                              run->directory);
    }
    if (code != 0)
        pario_cleanup_forget(run->directory);
    return code;
}

int pario_run_directory(struct pario_run *run, const char *target,
                        int64_t need_bytes)
{
    int code = 0;

    if (target == NULL)
        target = ".";
    if (is_first(run))
        code = make_directory(run, target, need_bytes);
    code = pario_agree(run->world, code);
    if (code != 0) {
        run->directory[0] = '\0';
        return code;
    }
    code = pario_bcast(run->world, run->directory, sizeof(run->directory));
    if (code == 0)
        code = claim_directory(run);
    /* One view of the file system: plans made from it must be the same. */
    if (code == 0 && is_first(run))
        code = pario_fs_facts_get(run->directory, &run->fs);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = pario_bcast(run->world, &run->fs, sizeof(run->fs));
    pario_hints_are_for(run->fs.type);
    if (code == 0)
        code = pario_run_place(run, target, &run->fs);
    if (code == 0 && run->result != NULL) {
        record_filesystem(run, target);
        /* From here on there is something to keep. */
        code = pario_result_write(run->result);
    }
    code = pario_agree(run->world, code);
    if (code == 0)
        code = pario_surroundings_watch(run);
    pario_rate_watch(&run->rate, &run->progress, run->directory);
    return code;
}

/* The name carries the directory's random letters: OMPIO makes semaphores by
 * a file's name alone, and two runs on one machine must not share them. */
char *pario_run_path(const struct pario_run *run, const char *name, char *buf,
                     size_t len)
{
    const char *dash = strrchr(run->directory, '-');

    snprintf(buf, len, "%s/%s-%s", run->directory, dash != NULL ? dash + 1 : "",
             name);
    return buf;
}

/* What Ctrl-C says. */
static void say_what_is_kept(const struct pario_run *run)
{
    const char *path = pario_result_path(run->result);
    size_t count = json_array_size(
        json_object_get(pario_result_document(run->result), "measures"));
    char text[4600];

    snprintf(text, sizeof(text), "  %zu %s kept in %s\n%s%s%s", count,
             count == 1 ? "measure is" : "measures are", path,
             run->resumes ? "  go on with the same command and --resume " : "",
             run->resumes ? path : "", run->resumes ? "\n" : "");
    pario_cleanup_last_words(text);
}

int pario_run_add(struct pario_run *run, const struct pario_measure *measure)
{
    if (run->result != NULL) {
        int code = pario_result_add(run->result, measure);

        if (code == 0)
            say_what_is_kept(run);
        return code;
    }
    json_decref(measure->pattern);
    json_decref(measure->parameters);
    json_decref(measure->extra);
    return 0;
}

int pario_run_is_done(struct pario_run *run, struct pario_measure like)
{
    int64_t done =
        run->result != NULL && pario_result_find(run->result, &like) != NULL;

    json_decref(like.parameters);
    return pario_bcast(run->world, &done, sizeof(done)) == 0 && done;
}

void pario_run_warn(struct pario_run *run, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    /* The answer at the end has it; --quiet prints none. */
    if (run->result != NULL)
        pario_result_warn(run->result, "%s", text);
    if (run->result == NULL || run->common.quiet || run->warns_at_once)
        pario_progress_note(&run->progress, "warning: %s", text);
}

int pario_run_may_use(struct pario_run *run,
                      const struct pario_backend *backend, int *may_p)
{
    int code = pario_backend_allowed(backend, run->world, may_p);

    if (code == 0 && !*may_p)
        pario_run_warn(run, "%s: it is left out", pario_error_message());
    return code;
}

void pario_run_unwritten(struct pario_run *run)
{
    run->unwritten++;
    pario_run_warn(run, "%s", pario_error_message());
}

void pario_run_invalidate(struct pario_run *run, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (run->result != NULL)
        pario_result_invalidate(run->result, "%s", text);
    /* At once: a long run need not be waited for. */
    pario_progress_note(&run->progress, "INVALID: %s", text);
}

void pario_run_wait(struct pario_run *run, const char *what)
{
    pario_progress_phase(&run->progress, "%s", what);
    pario_watchdog_phase(0, GRACE_S, "%s", what);
}

/* What the page cache may hold back until a sync, at a slow disk's speed. */
static double sync_allowance_s(const struct pario_run *run)
{
    int64_t dirty = run->node.dirty_limit_bytes;

    return dirty > 0 ? (double)dirty / SLOW_DISK_BYTES_PER_S : 0;
}

void pario_run_phase(struct pario_run *run, double scheduled_s, const char *fmt,
                     ...)
{
    double longest_s =
        scheduled_s < MAX_SCHEDULED_S ? scheduled_s : MAX_SCHEDULED_S;
    double deadline = run->common.deadline_s > 0
                          ? run->common.deadline_s
                          : longest_s * DEADLINE_FACTOR + DEADLINE_MARGIN_S +
                                sync_allowance_s(run);
    char text[128];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pario_progress_phase(&run->progress, "%s", text);
    pario_watchdog_phase(deadline, longest_s + GRACE_S, "%s", text);
}
