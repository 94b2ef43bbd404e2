/* suites/meta/meta.c - `pario meta`: how fast are names? */
#include "core/clock.h"
#include "core/nearest.h"
#include "core/units.h"
#include "io/backend.h"
#include "pario_config.h"
#include "suites/meta/ops.h"
#include "suites/meta/print.h"
#include "suites/suite.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define DEFAULT_FILES 100000
#define DEFAULT_SECONDS 1
#define NO_TIME_S 86400 /* where only --files says when to stop */
#define MAX_LIST 16
#define MAX_LEAVES 1000000
#define MAX_SIZE ((int64_t)16 << 20)

struct meta_options {
    double time_s;
    int64_t files;
    const char *layouts, *ops, *interfaces, *sizes, *entries, *partitions;
    int64_t depth, width, queue_depth;
    int sync;
};

#define AT(field) offsetof(struct meta_options, field)

static const struct pario_option meta_table[] = {
    {.name = "time",
     .letter = 't',
     .type = PARIO_OPT_TIME,
     .offset = AT(time_s),
     .argument = "TIME",
     .min = 0,
     .max = NO_TIME_S,
     .help = "stop creating after this time (default: 1 s, or none where "
             "--files is given)"},
    {.name = "files",
     .letter = 'f',
     .type = PARIO_OPT_INT,
     .offset = AT(files),
     .argument = "N",
     .min = 0,
     .max = 1e9,
     .help = "files of one process, at most (default: 100000, fewer where "
             "space or inodes are short)"},
    {.name = "layouts",
     .letter = 'l',
     .type = PARIO_OPT_STRING,
     .offset = AT(layouts),
     .argument = "LIST",
     .help = "own (a directory for each process), shared (one for all), tree"},
    {.name = "ops",
     .type = PARIO_OPT_STRING,
     .offset = AT(ops),
     .argument = "LIST",
     .help = "operations, besides create (default: all)"},
    {.name = "interfaces",
     .letter = 'i',
     .type = PARIO_OPT_STRING,
     .offset = AT(interfaces),
     .argument = "LIST",
     .help = "posix, uring, mpiio (create, open and unlink alone)"},
    {.name = "size",
     .letter = 's',
     .type = PARIO_OPT_STRING,
     .offset = AT(sizes),
     .argument = "LIST",
     .help = "sizes of the files, e.g. 0,3901,64k"},
    {.name = "entries",
     .type = PARIO_OPT_STRING,
     .offset = AT(entries),
     .argument = "LIST",
     .help = "files that each directory holds before, e.g. 0,1000,1000000"},
    {.name = "partitions",
     .type = PARIO_OPT_STRING,
     .offset = AT(partitions),
     .argument = "LIST",
     .help = "numbers of processes (default: all)"},
    {.name = "depth",
     .type = PARIO_OPT_INT,
     .offset = AT(depth),
     .argument = "N",
     .min = 1,
     .max = META_MAX_DEPTH,
     .help = "levels of a tree"},
    {.name = "width",
     .type = PARIO_OPT_INT,
     .offset = AT(width),
     .argument = "N",
     .min = 1,
     .max = 1000,
     .help = "directories in each directory of a tree"},
    {.name = "queue-depth",
     .type = PARIO_OPT_INT,
     .offset = AT(queue_depth),
     .argument = "N",
     .min = 1,
     .max = 256,
     .help = "names under way at once with io_uring"},
    {.name = "sync",
     .type = PARIO_OPT_FLAG,
     .offset = AT(sync),
     .help = "changes are durable before the time ends; --no-sync: as soon as "
             "the calls return"},
    {.name = NULL},
};

static const struct meta_options meta_defaults = {
    .layouts = "own,shared",
    .interfaces = "posix",
    .sizes = "0,3901",
    .entries = "0",
    .depth = 2,
    .width = 10,
    .queue_depth = 16,
    .sync = 1,
};

static const struct pario_test meta_tests[] = {
    {"own", "each process in a directory of its own"},
    {"shared", "all processes in one directory"},
    {"tree", "each process in a tree of directories"},
    {NULL, NULL},
};

struct list {
    int64_t value[MAX_LIST];
    size_t count;
};

struct meta {
    struct pario_run *run;
    const struct meta_options *options;
    struct list layouts, interfaces, sizes, entries, partitions;
    struct meta_how how;
    int cases;
};

/* The number of a word of a list of names. */
static int word_number(const char *word, const char *what,
                       const char *const *names, int64_t *number_p)
{
    struct pario_nearest nearest = pario_nearest_of(word, names);
    char all[256] = "";

    for (int64_t i = 0; names[i] != NULL; i++) {
        if (strcmp(word, names[i]) == 0) {
            *number_p = i;
            return 0;
        }
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
                 i > 0 ? ", " : "", names[i]);
    }
    return pario_fail(PARIO_EUSAGE, "no %s is called \"%s\"%s (one of %s)",
                      what, word, pario_nearest_say(&nearest, ""), all);
}

/* names NULL: sizes or numbers. */
static int read_list(const char *text, const char *what,
                     const char *const *names, struct list *list)
{
    char *copy = strdup(text), *rest = copy, *word;
    int code = copy == NULL ? pario_fail_errno(-ENOMEM, "cannot start") : 0;

    list->count = 0;
    while (code == 0 && (word = strsep(&rest, ",")) != NULL) {
        int64_t value = 0;

        if (list->count == MAX_LIST)
            code =
                pario_fail(PARIO_EUSAGE, "more than %d of %s", MAX_LIST, what);
        else if (names != NULL)
            code = word_number(word, what, names, &value);
        else if (pario_size_parse(word, &value) != 0 || value < 0)
            code = pario_fail(PARIO_EUSAGE, "\"%s\" is no %s", word, what);
        if (code == 0)
            list->value[list->count++] = value;
    }
    free(copy);
    return code;
}

static int choose_ops(struct meta *meta)
{
    const char *names[32] = {NULL};
    struct list list = {.count = 0};
    int code = 0;

    for (size_t i = 0; meta_ops[i].name != NULL; i++)
        names[i] = meta_ops[i].name;
    meta->how.ops = meta->options->ops == NULL ? ~0U : 1U; /* create */
    if (meta->options->ops != NULL)
        code = read_list(meta->options->ops, "operation", names, &list);
    for (size_t i = 0; i < list.count; i++)
        meta->how.ops |= 1U << list.value[i];
    /* What rmdir removes, mkdir made. */
    for (size_t i = 1; names[i] != NULL; i++)
        if (meta_ops[i].steps[0] == META_RMDIR && meta->how.ops & 1U << i)
            meta->how.ops |= 1U << (i - 1);
    return code;
}

static int check_lists(const struct meta *meta)
{
    double leaves = 1;

    for (int64_t i = 0; i < meta->options->depth; i++)
        leaves *= (double)meta->options->width;
    if (leaves > MAX_LEAVES)
        return pario_fail(PARIO_EUSAGE,
                          "a tree of %.0f directories is too large: at most %d",
                          leaves, MAX_LEAVES);
    for (size_t i = 0; i < meta->sizes.count; i++)
        if (meta->sizes.value[i] > MAX_SIZE)
            return pario_fail(PARIO_EUSAGE,
                              "files of meta have at most 16 MiB "
                              "(`pario quick` writes large ones)");
    for (size_t i = 0; i < meta->partitions.count; i++)
        if (meta->partitions.value[i] < 1 ||
            meta->partitions.value[i] > pario_group_size(meta->run->world))
            return pario_fail(PARIO_EUSAGE, "%lld processes of %d",
                              (long long)meta->partitions.value[i],
                              pario_group_size(meta->run->world));
    return 0;
}

/* Local. io_uring and MPI-IO may be missing. */
static int check_interfaces(const struct meta *meta)
{
    const struct pario_backend *backend;
    int code = 0;

    for (size_t i = 0; code == 0 && i < meta->interfaces.count; i++) {
        code = pario_backend_find(
            meta_interface_names[meta->interfaces.value[i]], &backend);
        if (code == 0 && backend->probe != NULL)
            code = backend->probe();
    }
    return code;
}

static int choose(struct meta *meta)
{
    const struct meta_options *options = meta->options;
    int code = read_list(options->layouts, "layout", meta_layout_names,
                         &meta->layouts);

    if (code == 0)
        code = read_list(options->interfaces, "interface", meta_interface_names,
                         &meta->interfaces);
    if (code == 0)
        code = read_list(options->sizes, "size", NULL, &meta->sizes);
    if (code == 0)
        code = read_list(options->entries, "number of entries", NULL,
                         &meta->entries);
    if (code == 0 && options->partitions != NULL)
        code = read_list(options->partitions, "number of processes", NULL,
                         &meta->partitions);
    if (options->partitions == NULL) {
        meta->partitions.value[0] = pario_group_size(meta->run->world);
        meta->partitions.count = 1;
    }
    if (code == 0)
        code = choose_ops(meta);
    if (code == 0)
        code = check_lists(meta);
    if (code == 0)
        code = check_interfaces(meta);
    meta->cases =
        (int)(meta->layouts.count * meta->interfaces.count * meta->sizes.count *
              meta->entries.count * meta->partitions.count);
    return code;
}

static int64_t largest(const struct list *list)
{
    int64_t most = 0;

    for (size_t i = 0; i < list->count; i++)
        most = list->value[i] > most ? list->value[i] : most;
    return most;
}

/* Blocks on disk of one file, in bytes. */
static int64_t disk_bytes(int64_t size, int64_t block)
{
    return (size + block - 1) / block * block;
}

/* Rank 0: how many files fit. What the user asks for is refused when it does
 * not; what nobody asked for takes at most half of what is free. */
static int plan_files(struct meta *meta, const char *dir, int64_t *need_bytes_p)
{
    int processes = pario_group_size(meta->run->world);
    int64_t entries = largest(&meta->entries) * processes;
    int64_t files = meta->options->files, block, room;
    struct statvfs fs;

    if (statvfs(dir, &fs) != 0)
        return pario_fail_errno(-errno, "cannot use the directory %s", dir);
    block = disk_bytes(largest(&meta->sizes), (int64_t)fs.f_frsize);
    room = fs.f_files > 0 ? (int64_t)fs.f_favail - entries : INT64_MAX;
    /* A file, its links, a directory: two inodes and a link. */
    if (files > 0 && room / 3 / processes < files)
        return pario_fail(-ENOSPC,
                          "%s has %lld inodes free: too few for %lld files of "
                          "each of %d processes",
                          dir, (long long)fs.f_favail, (long long)files,
                          processes);
    if (files == 0) {
        files = DEFAULT_FILES;
        if (room / 6 / processes < files)
            files = room / 6 / processes;
        if (block > 0 &&
            (int64_t)(fs.f_bavail * fs.f_frsize) / 2 / block / processes <
                files)
            files =
                (int64_t)(fs.f_bavail * fs.f_frsize) / 2 / block / processes;
    }
    if (files < 1)
        return pario_fail(-ENOSPC, "%s has no room for files", dir);
    meta->how.files = files;
    *need_bytes_p = files * processes * block;
    return 0;
}

static int plan(struct meta *meta, const char *dir, int64_t *need_bytes_p)
{
    const struct pario_group *world = meta->run->world;
    int64_t planned[2] = {0, 0};
    int code = 0;

    if (pario_group_rank(world) == 0)
        code = plan_files(meta, dir, need_bytes_p);
    code = pario_agree(world, code);
    planned[0] = meta->how.files;
    planned[1] = *need_bytes_p;
    if (code == 0)
        code = pario_bcast(world, planned, sizeof(planned));
    meta->how.files = planned[0];
    *need_bytes_p = planned[1];
    meta->how.sync = meta->options->sync;
    meta->how.cold = meta->run->common.cold;
    meta->how.seconds = meta->options->time_s > 0  ? meta->options->time_s
                        : meta->options->files > 0 ? NO_TIME_S
                                                   : DEFAULT_SECONDS;
    return code;
}

static void print_plan(const struct meta *meta, int64_t need_bytes)
{
    int processes = pario_group_size(meta->run->world);
    char size[PARIO_UNITS_LEN];

    if (pario_group_rank(meta->run->world) != 0)
        return;
    printf("meta: %d process%s, %d case%s:", processes,
           processes == 1 ? "" : "es", meta->cases,
           meta->cases == 1 ? "" : "s");
    for (size_t i = 0; i < meta->layouts.count; i++)
        printf(" %s", meta_layout_names[meta->layouts.value[i]]);
    printf("\n  operations:");
    for (int i = 0; meta_ops[i].name != NULL; i++)
        if (meta->how.ops & 1U << i)
            printf(" %s", meta_ops[i].name);
    printf("\n  files: at most %lld of each process, %lld in all, and %lld "
           "before\n",
           (long long)meta->how.files, (long long)meta->how.files * processes,
           (long long)largest(&meta->entries));
    printf("  disk space: at most %s\n",
           pario_size_print_short(need_bytes, size));
    if (meta->how.seconds < NO_TIME_S)
        printf("  time: %.1f s of creating in each case\n", meta->how.seconds);
}

/* Collective. Was all of it done before the run was resumed? */
static int is_done(const struct meta *meta, const struct meta_case *what,
                   int processes)
{
    int64_t done = 1;

    for (int i = 0; meta_ops[i].name != NULL && meta->run->result != NULL;
         i++) {
        struct pario_measure like;

        if (!(meta->how.ops & 1U << i) || !meta_op_applies(&meta_ops[i], what))
            continue;
        like = meta_measure(what, i, processes);
        done = done && pario_result_find(meta->run->result, &like) != NULL;
        json_decref(like.parameters);
    }
    if (pario_bcast(meta->run->world, &done, sizeof(done)) != 0)
        return 0;
    return (int)done;
}

/* Collective over the world: the first `processes` of it work, the others
 * sleep. */
static int run_case(struct meta *meta, const struct meta_case *what,
                    int processes)
{
    const struct pario_group *world = meta->run->world;
    struct pario_group *group = NULL;
    int code = pario_agree(world, pario_group_first(world, processes, &group));

    if (code == 0 && group != NULL)
        code = meta_case_run(meta->run, group, what, &meta->how);
    else if (code == 0)
        pario_run_wait(meta->run, "waiting for those who measure");
    if (code == 0 && processes < pario_group_size(world))
        code = pario_barrier_idle(world);
    pario_group_destroy(group);
    return pario_agree(world, code);
}

/* Case number i of all combinations. */
static struct meta_case case_number(const struct meta *meta, int i,
                                    int *processes_p)
{
    struct meta_case what = {.number = i};

    *processes_p =
        (int)meta->partitions.value[(size_t)i % meta->partitions.count];
    i /= (int)meta->partitions.count;
    what.entries = meta->entries.value[(size_t)i % meta->entries.count];
    i /= (int)meta->entries.count;
    what.size_bytes = meta->sizes.value[(size_t)i % meta->sizes.count];
    i /= (int)meta->sizes.count;
    what.layout = (int)meta->layouts.value[(size_t)i % meta->layouts.count];
    i /= (int)meta->layouts.count;
    what.interface = (int)meta->interfaces.value[i];
    if (what.layout == META_TREE) {
        what.depth = meta->options->depth;
        what.width = meta->options->width;
    }
    if (what.interface == META_URING)
        what.queue_depth = meta->options->queue_depth;
    return what;
}

static int run_cases(struct meta *meta)
{
    int code = 0;

    for (int i = 0; code == 0 && i < meta->cases; i++) {
        int processes;
        struct meta_case what = case_number(meta, i, &processes);

        if (!is_done(meta, &what, processes))
            code = run_case(meta, &what, processes);
    }
    return code;
}

static int meta_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    struct meta meta = {.run = run, .options = run->options};
    int64_t need_bytes = 0;
    int code = pario_agree(run->world, choose(&meta));

    if (code == 0)
        code = plan(&meta, dir, &need_bytes);
    if (code != 0)
        return code;
    if (run->common.dry_run) {
        print_plan(&meta, need_bytes);
        return 0;
    }
    code = pario_run_directory(run, dir, need_bytes);
    if (code == 0)
        code = run_cases(&meta);
    if (code == 0 && run->result != NULL)
        meta_summarise(run->result);
    return code;
}

static const struct pario_view_name meta_axes[] = {
    {.key = "entries", .name = "files in a directory"},
    {.key = "size_bytes", .name = "file size"},
    {.key = "queue_depth", .name = "queue depth"},
    {.key = NULL},
};

static const struct pario_view_name meta_values[] = {
    {.key = "operations_per_s", .name = "operations"},
    {.key = "latency_ns.p99", .name = "time of an operation, 99 % of them"},
    {.key = NULL},
};

static const struct pario_view_test meta_names[] = {
    {.test = "own", .name = "a directory for each process"},
    {.test = "shared", .name = "one directory for all"},
    {.test = "tree", .name = "a tree of directories"},
    {.test = NULL},
};

static const struct pario_view meta_view = {
    .title = "metadata: what is done to names",
    .question = "How many files and directories per second?",
    .lead = "measures",
    .axes = meta_axes,
    .values = meta_values,
    .tests = meta_names,
    .beside = "interface",
    .details = "depth width",
};

const struct pario_suite pario_suite_meta = {
    .name = "meta",
    .operands = "[DIR]",
    .summary = "metadata: files and directories made, asked for, renamed, "
               "linked, listed and removed",
    .help = "Each process makes files for a second, then all of them are asked "
            "for by another\nprocess, opened, read, written, listed, renamed, "
            "linked and removed. Rates are\noperations per second of all "
            "processes; changes are durable before the time ends.\nWhat is "
            "asked for comes from the kernel's memory unless --cold is given "
            "(as root).",
    .options = meta_table,
    .options_size = sizeof(struct meta_options),
    .defaults = &meta_defaults,
    .tests = meta_tests,
    .run = meta_run,
    .view = &meta_view,
    .print = meta_print,
    .answers = 1,
};
