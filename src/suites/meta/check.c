/* suites/meta/check.c - what was made, asked for or removed is what it should
 * be; after the time. */
#include "suites/meta/ops.h"

#include "core/path.h"
#include "core/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLES 256 /* files that are checked */

/* Bytes of file i of a process, as they should be. */
static void check_bytes(struct meta_worker *worker, int rank, int64_t i,
                        const char *bytes, struct pario_figures *figures)
{
    int64_t size = worker->what->size_bytes;
    struct pario_data data = meta_data_of(worker, rank, worker->rewritten);
    struct pario_data_chunk chunk = {
        .data = data,
        .offset = (worker->stamps ? i : i % worker->slots) * size,
        .base = data,
        .base_offset = i % worker->slots * size,
    };
    struct pario_data_error error;

    figures->checked_bytes += size;
    if ((worker->stamps
             ? pario_data_check_stamped(&chunk, bytes, (size_t)size, &error)
             : pario_data_check(&data, chunk.base_offset, bytes, (size_t)size,
                                &error)) == 0)
        return;
    if (figures->wrong_bytes == 0)
        snprintf(figures->wrong, sizeof(figures->wrong),
                 "file %lld of process %d holds other data at byte %lld",
                 (long long)i, rank, (long long)(error.offset - chunk.offset));
    figures->wrong_bytes += error.wrong_bytes;
}

/* A file that this process made or wrote: its size and its data. */
static int check_file(struct meta_worker *worker, int64_t i, char *bytes,
                      struct pario_figures *figures)
{
    int64_t size = worker->what->size_bytes;
    const char *name = meta_name(&worker->names, 0, worker->files, i);
    int fd = openat(worker->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    int code = 0;

    if (fd < 0 || fstat(fd, &st) != 0) {
        code = pario_fail_errno(-errno, "cannot find %s again", name);
        if (fd >= 0)
            close(fd);
        return code;
    }
    if (size > 0)
        code = pario_pread_all(fd, bytes, (size_t)size, 0);
    close(fd);
    if (st.st_size != size || code != 0)
        return pario_fail(PARIO_EVERIFY, "%s has %lld bytes instead of %lld",
                          name, (long long)st.st_size, (long long)size);
    if (size > 0)
        check_bytes(worker, pario_group_rank(worker->group), i, bytes, figures);
    return 0;
}

/* All files, or a sample of them. */
static int check_files(struct meta_worker *worker,
                       struct pario_figures *figures)
{
    int full = worker->run->common.verify == PARIO_VERIFY_FULL;
    int64_t step = full || worker->done < SAMPLES ? 1 : worker->done / SAMPLES;
    char *bytes = malloc((size_t)worker->what->size_bytes + 1);
    int code = bytes == NULL ? pario_fail_errno(-ENOMEM, "cannot check") : 0;

    for (int64_t i = 0; code == 0 && i < worker->done; i += step)
        code = check_file(worker, i, bytes, figures);
    free(bytes);
    return code;
}

/* Entries that were there before, of one process. */
int64_t meta_entries_of(const struct meta_worker *worker, int rank)
{
    int64_t entries = worker->what->entries;
    int64_t size = pario_group_size(worker->group);

    if (worker->what->layout != META_SHARED)
        return entries;
    return entries / size + (rank < entries % size);
}

/* Adds up what a process has in its directories. */
static void expect_names(struct meta_worker *worker, int rank, int64_t *names,
                         uint64_t *sum)
{
    int64_t entries = meta_entries_of(worker, rank);

    meta_use_names_of(worker, rank);
    for (int64_t i = 0; i < worker->count; i++)
        *sum += meta_name_hash(
            pario_base_name(meta_name(&worker->names, 0, worker->files, i)));
    for (int64_t i = 0; i < entries; i++)
        *sum += meta_name_hash(
            pario_base_name(meta_name(&worker->names, 0, META_ENTRY, i)));
    *names += worker->count + entries;
}

/* readdir must have given every name once, and no other. */
static int check_names(struct meta_worker *worker)
{
    int rank = meta_other_rank(worker->group);
    int64_t names = 0;
    uint64_t sum = 0;

    if (worker->what->layout != META_SHARED)
        expect_names(worker, rank, &names, &sum);
    else
        for (int i = 0; i < pario_group_size(worker->group); i++)
            expect_names(worker, i, &names, &sum);
    if (worker->seen == names && worker->seen_names == sum)
        return 0;
    return pario_fail(
        PARIO_EVERIFY, "readdir gave %lld names%s where %lld were made",
        (long long)worker->seen,
        worker->seen == names ? ", not the right ones," : "", (long long)names);
}

/* What stat said of the sizes. */
static int check_sizes(const struct meta_worker *worker)
{
    int64_t size = worker->what->size_bytes, bytes = worker->done * size;

    if (worker->op->rules & META_LISTS)
        bytes = worker->count * size *
                (worker->what->layout == META_SHARED
                     ? pario_group_size(worker->group)
                     : 1);
    if (worker->seen_bytes == bytes)
        return 0;
    return pario_fail(PARIO_EVERIFY,
                      "stat says that the files have %lld bytes, not %lld",
                      (long long)worker->seen_bytes, (long long)bytes);
}

/* What was removed must be gone. */
static int check_gone(struct meta_worker *worker)
{
    const struct meta_op *op = worker->op;
    enum meta_kind kind = op->from == META_FILE ? worker->files : op->from;
    int64_t step = worker->done < SAMPLES ? 1 : worker->done / SAMPLES;
    struct stat st;

    for (int64_t i = 0; i < worker->done; i += step) {
        const char *name = meta_name(&worker->names, 0, kind, i);

        if (fstatat(worker->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            return pario_fail(PARIO_EVERIFY,
                              "%s is still there after it was removed", name);
    }
    return 0;
}

/* Names that were made: their kind, and how many names a file has. */
static int check_made(struct meta_worker *worker, enum meta_kind kind)
{
    int64_t step = worker->done < SAMPLES ? 1 : worker->done / SAMPLES;

    for (int64_t i = 0; i < worker->done; i += step) {
        const char *name = meta_name(&worker->names, 0, kind, i);
        struct stat st;
        int right = fstatat(worker->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

        if (right && kind == META_DIRECTORY)
            right = S_ISDIR(st.st_mode);
        else if (right && kind == META_SYMLINK)
            right = S_ISLNK(st.st_mode);
        else if (right && kind == META_LINK)
            right = st.st_nlink == 2;
        if (!right)
            return pario_fail(PARIO_EVERIFY, "%s is not what was made", name);
    }
    return 0;
}

static void check_what_was_read(struct meta_worker *worker,
                                struct pario_figures *figures)
{
    int64_t last = worker->done - worker->slots;

    for (int64_t i = last > 0 ? last : 0; i < worker->done; i++)
        check_bytes(worker, meta_other_rank(worker->group), i,
                    meta_slot(worker, i), figures);
}

/* Files that hold what others hold, without a stamp of their own. */
static int repeats_data(const struct meta_worker *worker)
{
    int64_t size = worker->what->size_bytes;

    return (worker->op->rules & META_WRITES) && size > 0 &&
           (!worker->stamps || size < (int64_t)sizeof(uint64_t)) &&
           worker->done > worker->slots;
}

int meta_check(void *arg, struct pario_phase *phase)
{
    struct meta_worker *worker = arg;
    const struct meta_op *op = worker->op;
    enum meta_step step = op->steps[0];

    pario_samples_fold(&worker->samples, &worker->latency);
    phase->repeats_data = repeats_data(worker);
    if (step == META_MAKE) {
        int code = pario_stonewall_count(worker->group, worker->at_stonewall,
                                         &worker->stonewall);

        worker->count = worker->done;
        if (code != 0)
            return code;
    }
    if (step == META_OPEN_WRITE)
        worker->rewritten = 1;
    if (worker->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    if (op->rules & META_WRITES)
        return check_files(worker, &phase->figures);
    if (op->rules & META_READS)
        check_what_was_read(worker, &phase->figures);
    if (step == META_STAT || step == META_LIST_STAT) {
        int code = check_sizes(worker);

        if (code != 0 || step == META_STAT)
            return code;
    }
    if (op->rules & META_LISTS)
        return check_names(worker);
    if (step == META_UNLINK || step == META_RMDIR)
        return check_gone(worker);
    if (op->to != 0 || step == META_MKDIR)
        return check_made(worker, op->to != 0 ? op->to : op->from);
    return 0;
}
