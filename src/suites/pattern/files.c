/* suites/pattern/files.c - see files.h. */
#include "suites/pattern/files.h"

#include "core/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* IOR's name of a process's file. */
static void file_of(const struct pattern_options *options, int rank, char *path,
                    size_t len)
{
    if (options->file_per_process)
        snprintf(path, len, "%s.%08d", options->file, rank);
    else
        snprintf(path, len, "%s", options->file);
}

static int reads_only(const struct pattern_options *options)
{
    return options->read && !options->write && !pattern_draws(options);
}

int pattern_files_directory(const struct pario_run *run,
                            const struct pattern_options *options, char *dir,
                            size_t len)
{
    const char *slash;

    if (options->file == NULL) {
        snprintf(dir, len, "%s", run->noperands > 0 ? run->operands[0] : ".");
        return 0;
    }
    if (run->noperands > 0)
        return pario_fail(PARIO_EUSAGE,
                          "%s: the test file of -o says where already; leave "
                          "the directory out",
                          run->operands[0]);
    slash = strrchr(options->file, '/');
    if (slash != NULL && slash[1] == '\0')
        return pario_fail(PARIO_EUSAGE,
                          "--file %s: that is a directory; name a file in it, "
                          "or give the directory without -o",
                          options->file);
    if (slash == NULL)
        snprintf(dir, len, ".");
    else
        snprintf(dir, len, "%.*s",
                 slash == options->file ? 1 : (int)(slash - options->file),
                 options->file);
    return 0;
}

int64_t pattern_files_bytes(const struct pattern_cases *cases, int processes)
{
    int64_t most = 0;

    for (size_t i = 0; i < cases->count; i++) {
        const struct pattern_options *options = &cases->list[i];
        int64_t stride = options->block_bytes + options->alignment_bytes;
        int64_t bytes = stride * options->segments * processes;
        struct stat st;

        if (reads_only(options) && options->file != NULL &&
            !options->file_per_process && stat(options->file, &st) == 0)
            bytes = 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Before anything is made beside it. */
static int check_kind(const char *path, mode_t mode)
{
    if (S_ISREG(mode))
        return 0;
    if (S_ISBLK(mode))
        return pario_fail(PARIO_EUSAGE,
                          "--file %s is a device: see the section [raw] of "
                          "`pario prio`",
                          path);
    return pario_fail(PARIO_EUSAGE,
                      "--file %s exists and is no regular file; choose another "
                      "name",
                      path);
}

/* A name that is taken is left alone without --force; a file is read as it
 * is. */
static int check_file(const struct pario_run *run,
                      const struct pattern_options *options)
{
    char path[4300];
    struct stat st;
    int code;

    if (options->file == NULL)
        return 0;
    file_of(options, pario_group_rank(run->world), path, sizeof(path));
    /* What is read may be behind a link, what is replaced may not. */
    if ((reads_only(options) ? stat : lstat)(path, &st) != 0)
        return errno == ENOENT
                   ? 0
                   : pario_fail_errno(-errno, "--file: cannot use %s", path);
    code = check_kind(path, st.st_mode);
    if (code != 0 || reads_only(options) || run->common.force)
        return code;
    return pario_fail(-EEXIST,
                      "--file %s exists; choose another name, read it with -r "
                      "alone, or let it be replaced with --force",
                      path);
}

int pattern_files_check(const struct pario_run *run,
                        const struct pattern_cases *cases)
{
    char first[4200], dir[4200];
    int code =
        pattern_files_directory(run, &cases->list[0], first, sizeof(first));

    for (size_t i = 0; code == 0 && i < cases->count; i++) {
        code = pattern_files_directory(run, &cases->list[i], dir, sizeof(dir));
        if (code == 0 && strcmp(first, dir) != 0)
            code = pario_fail(PARIO_EUSAGE,
                              "test files in %s and in %s: one run measures "
                              "one directory; make two of it",
                              first, dir);
        if (code == 0)
            code = check_file(run, &cases->list[i]);
    }
    return pario_agree(run->world, code);
}

/* Collective. How many ranks further on another node begins, as IOR sees it:
 * rank 0's node has the first ranks, or ranks go round over the nodes. */
static int find_shift(const struct pattern_part *part, int64_t *shift_p)
{
    const struct pario_group *world = part->run->world;
    int64_t size = pario_group_size(world);
    int64_t facts[] = {
        pario_group_rank(world) == 0 ? pario_group_node_size(world) : 0,
        pario_group_rank(world) == 1 ? pario_group_node(world) : 0,
    };
    int code = pario_reduce_i64(world, PARIO_MAX, facts, 2);
    int64_t per_node = facts[1] == 0 ? facts[0] : 1;
    int64_t shift = part->options->task_offset * per_node % size;

    /* On one node the next process will do: nobody reads what it wrote. */
    if (shift == 0)
        shift = part->options->task_offset % size;
    *shift_p = shift != 0 ? shift : 1 % size;
    return code;
}

int pattern_files_reader(struct pattern_part *part)
{
    const struct pattern_options *options = part->options;
    int rank = pario_group_rank(part->run->world);
    int size = pario_group_size(part->run->world);
    int64_t shift = 0;
    int code = 0;

    part->read.rank = rank;
    if (options->reorder) {
        code = find_shift(part, &shift);
        part->read.rank = (int)((rank + shift) % size);
    } else if (options->reorder_random) {
        struct pario_perm perm;

        pario_perm_init(&perm, (uint64_t)size, (uint64_t)options->reorder_seed);
        part->read.rank = (int)pario_perm_at(&perm, (uint64_t)rank);
    }
    return code;
}

static int check_existing(const char *path, const struct pattern_plan *plan)
{
    struct pattern_op last = pattern_op_in_order(plan, plan->count - 1);
    int64_t need = plan->options->order == PATTERN_SHUFFLED
                       ? plan->file_bytes
                       : last.offset + last.len;
    struct stat st;

    if (stat(path, &st) != 0)
        return pario_fail_errno(-errno, "cannot read %s (of --file)", path);
    if (!S_ISREG(st.st_mode) || st.st_size >= need)
        return check_kind(path, st.st_mode);
    return pario_fail(PARIO_EUSAGE,
                      "--file %s: the file is too short; this pattern reads "
                      "%lld bytes of it: choose smaller -b or -s, or write it "
                      "with -w",
                      path, (long long)need);
}

/* In the run's directory. */
static void own_file_of(const struct pattern_part *part, int rank, char *path,
                        size_t len)
{
    const struct pattern_part *writer =
        part->writer != NULL ? part->writer : part;
    const char *base = writer->name != NULL ? writer->name : "pattern";
    char name[64];

    if (writer->options->file_per_process)
        snprintf(name, sizeof(name), "%s.%08d", base, rank);
    else
        snprintf(name, sizeof(name), "%s", base);
    pario_run_path(part->run, name, path, len);
}

int pattern_files_find(struct pattern_part *part)
{
    const struct pattern_options *options = part->options;
    const struct pario_group *world = part->run->world;
    int64_t there = 0;
    int code = 0;

    own_file_of(part, pario_group_rank(world), part->path, sizeof(part->path));
    own_file_of(part, part->read.rank, part->read_path,
                sizeof(part->read_path));
    if (options->file != NULL && reads_only(options)) {
        char path[4300];

        file_of(options, part->read.rank, path, sizeof(path));
        there = access(path, F_OK) == 0;
        code = pario_reduce_i64(world, PARIO_MAX, &there, 1);
        if (code == 0 && there) {
            part->existing = 1;
            snprintf(part->read_path, sizeof(part->read_path), "%s", path);
            code = check_existing(path, &part->read);
        }
    }
    return pario_agree(world, code);
}

/* To the name that the user gave; nothing is replaced without --force. */
static int move(const struct pattern_part *part)
{
    char path[4300];
    int code;

    file_of(part->options, part->plan.rank, path, sizeof(path));
    code = pario_own_rename(part->path, path,
                            part->run->common.force ? 0 : RENAME_NOREPLACE);
    if (code != 0)
        return pario_fail_errno(-errno, "cannot give the test file the name %s",
                                path);
    return 0;
}

int pattern_files_end(struct pattern_part *part, int last)
{
    const struct pattern_options *options = part->options;
    const struct pario_group *world = part->run->world;
    int mine = options->file_per_process || pario_group_rank(world) == 0;
    int code = pario_barrier(world);

    if (code != 0 || part->existing || !mine ||
        (last && part->run->common.keep))
        return pario_agree(world, code);
    if (last && options->keep_file && options->file != NULL)
        code = move(part);
    else if (pario_own_unlink(part->path) != 0)
        code = pario_fail_errno(-errno, "cannot remove %s", part->path);
    return pario_agree(world, code);
}
