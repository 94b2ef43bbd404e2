/* suites/meta/meta.c - `pario meta`: how fast are names? */
#include "core/clock.h"
#include "core/units.h"
#include "io/backend.h"
#include "pario_config.h"
#include "suites/meta/ops.h"
#include "suites/meta/print.h"
#include "suites/shared_fields.h"
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
#define MAX_LEAVES 1000000
#define MAX_SIZE (16 << 20) /* `pario quick` writes large files */
#define MAX_ENTRIES 1e12

struct meta_options {
    double time_s;
    int64_t files;
    const char *layouts, *ops, *interfaces, *sizes, *entries, *partitions;
    int64_t depth, width, queue_depth;
    int sync;
};

#define AT(field) offsetof(struct meta_options, field)

static const struct pario_field meta_fields[] = {
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(0, NO_TIME_S),
     .letter = 't',
     .help = "stop creating after this time (default: 1 s, or none where "
             "--files is given)"},
    {PARIO_OPTION("files", INT, AT(files), "N"), PARIO_RANGE(0, 1e9),
     .letter = 'f',
     .help = "files of one process, at most (default: 100000, fewer where "
             "space or inodes are short)"},
    {PARIO_OPTION("layouts", STRING, AT(layouts), "LIST"), .letter = 'l',
     .help = "own (a directory for each process), shared (one for all), tree"},
    {PARIO_OPTION("ops", STRING, AT(ops), "LIST"),
     .help = "operations, besides create (default: all)"},
    {PARIO_SHARED_INTERFACES(AT(interfaces)),
     .help = "posix, uring, mpiio (create, open and unlink alone)"},
    {PARIO_OPTION("size", STRING, AT(sizes), "LIST"), .letter = 's',
     .help = "sizes of the files, e.g. 0,3901,64k"},
    {PARIO_OPTION("entries", STRING, AT(entries), "LIST"),
     .help = "files that each directory holds before, e.g. 0,1000,1000000"},
    {PARIO_SHARED_PARTITIONS(AT(partitions)),
     .help = "numbers of processes (default: all)"},
    {PARIO_OPTION("depth", INT, AT(depth), "N"), PARIO_RANGE(1, META_MAX_DEPTH),
     .help = "levels of a tree"},
    {PARIO_OPTION("width", INT, AT(width), "N"), PARIO_RANGE(1, 1000),
     .help = "directories in each directory of a tree"},
    {PARIO_SHARED_QUEUE_DEPTH(AT(queue_depth), 256),
     .help = "names under way at once with io_uring"},
    {PARIO_FLAG("sync", AT(sync)),
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

struct meta {
    struct pario_run *run;
    const struct meta_options *options;
    struct pario_list layouts, interfaces, sizes, entries, partitions;
    struct meta_how how;
    int cases;
};

/* element: one of them. */
static int read_list(const char *text, const struct pario_option *element,
                     struct pario_list *list)
{
    return text == NULL ? 0 : pario_list_parse(element, text, list);
}

static int choose_ops(struct meta *meta)
{
    const char *names[32] = {NULL};
    const struct pario_option element = {
        .name = "ops", .type = PARIO_OPT_CHOICE, .choices = names};
    struct pario_list list = {.count = 0};
    int code;

    for (size_t i = 0; meta_ops[i].name != NULL; i++)
        names[i] = meta_ops[i].name;
    code = read_list(meta->options->ops, &element, &list);
    meta->how.ops = meta->options->ops == NULL ? ~0U : 1U; /* create */
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
    return 0;
}

/* Local. io_uring and MPI-IO may be missing. */
static int check_interfaces(const struct meta *meta)
{
    const struct pario_backend *backend;
    int code = 0;

    for (size_t i = 0; code == 0 && i < meta->interfaces.count; i++)
        code = pario_backend_find(
            pario_interface_names[meta->interfaces.value[i]], &backend);
    return code;
}

/* Collective. What is forbidden is left out, unless nothing else is left. */
static int leave_out_forbidden(struct meta *meta)
{
    struct pario_list *list = &meta->interfaces;
    const struct pario_backend *backend;
    size_t kept = 0;
    int code = 0;

    for (size_t i = 0; code == 0 && i < list->count; i++) {
        int allowed = 1;

        code =
            pario_backend_find(pario_interface_names[list->value[i]], &backend);
        if (code == 0)
            code = pario_backend_allowed(backend, meta->run->world, &allowed);
        if (code == 0 && !allowed && list->count > 1)
            pario_run_warn(meta->run, "%s: it is left out",
                           pario_error_message());
        if (allowed)
            list->value[kept++] = list->value[i];
    }
    if (code == 0 && kept == 0)
        return PARIO_EUNAVAIL; /* as the last one said */
    list->count = kept;
    return code;
}

static int choose(struct meta *meta)
{
    static const struct pario_option layout = {.name = "layouts",
                                               .type = PARIO_OPT_CHOICE,
                                               .choices = meta_layout_names};
    static const struct pario_option interface = {.name = "interfaces",
                                                  .type = PARIO_OPT_CHOICE,
                                                  .choices =
                                                      pario_interface_names};
    static const struct pario_option size = {
        .name = "size", .type = PARIO_OPT_SIZE, .max = MAX_SIZE};
    static const struct pario_option entries = {
        .name = "entries", .type = PARIO_OPT_SIZE, .max = MAX_ENTRIES};
    const struct meta_options *options = meta->options;
    int code = read_list(options->layouts, &layout, &meta->layouts);

    if (code == 0)
        code = read_list(options->interfaces, &interface, &meta->interfaces);
    if (code == 0)
        code = read_list(options->sizes, &size, &meta->sizes);
    if (code == 0)
        code = read_list(options->entries, &entries, &meta->entries);
    if (code == 0 && options->partitions != NULL)
        code = pario_shared_partitions(meta->run->world, options->partitions,
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
    return code;
}

static void count_cases(struct meta *meta)
{
    meta->cases =
        (int)(meta->layouts.count * meta->interfaces.count * meta->sizes.count *
              meta->entries.count * meta->partitions.count);
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
    int64_t entries = pario_list_largest(&meta->entries) * processes;
    int64_t files = meta->options->files, block, room;
    struct statvfs fs;

    if (statvfs(dir, &fs) != 0)
        return pario_fail_errno(-errno, "cannot use the directory %s", dir);
    block = disk_bytes(pario_list_largest(&meta->sizes), (int64_t)fs.f_frsize);
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
           (long long)pario_list_largest(&meta->entries));
    printf("  disk space: at most %s\n",
           pario_size_print_short(need_bytes, size));
    if (meta->how.seconds < NO_TIME_S)
        printf("  time: %.1f s of creating in each case\n", meta->how.seconds);
}

/* Collective. Was all of it done before the run was resumed? */
static int is_done(const struct meta *meta, const struct meta_case *what,
                   int processes)
{
    int done = 1;

    for (int i = 0; done && meta_ops[i].name != NULL; i++)
        if ((meta->how.ops & 1U << i) && meta_op_applies(&meta_ops[i], what))
            done =
                pario_run_is_done(meta->run, meta_measure(what, i, processes));
    return done;
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
        code = leave_out_forbidden(&meta);
    count_cases(&meta);
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
        code = meta_summarise(run->result);
    return pario_agree(run->world, code);
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
    .next = "pario report {file} -o meta.html",
};

const struct pario_suite pario_suite_meta = {
    .name = "meta",
    .operands = "[DIR]",
    .summary = "metadata: files and directories made, asked for and removed",
    .help = "Each process makes files for a second, then all of them are asked "
            "for by another process, opened, read, written, listed, renamed, "
            "linked and removed. Rates are operations per second of all "
            "processes; changes are durable before the time ends. What is "
            "asked for comes from the kernel's memory unless --cold is given "
            "(as root).",
    .fields = meta_fields,
    .options_size = sizeof(struct meta_options),
    .defaults = &meta_defaults,
    .tests = meta_tests,
    .run = meta_run,
    .view = &meta_view,
    .print = meta_print,
};
