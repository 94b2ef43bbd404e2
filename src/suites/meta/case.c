/* suites/meta/case.c - one case: its directories, the phases over its names,
 * the checks, and away with what is left. */
#include "suites/meta/ops.h"

#include "core/beneath.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/storage.h"
#include "io/backend.h"
#include "par/series.h"
#include "result/parameters.h"
#include "suites/shared_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SLOTS 4096
#define SLOT_MEMORY ((int64_t)16 << 20)
#define SAMPLES 256                 /* files that are checked */
#define MAX_TIMES ((size_t)1 << 20) /* samples of one phase */
#define SLOWEST_S 1e-3 /* of one name, for the schedule of other phases */

const char *const meta_layout_names[] = {
    [META_OWN] = "own",
    [META_SHARED] = "shared",
    [META_TREE] = "tree",
    NULL,
};

#define AT(field) offsetof(struct meta_case, field)
static const struct pario_field fields[] = {
    {PARIO_SHARED_INTERFACE(AT(interface))},
    {PARIO_FIELD("size", SIZE, AT(size_bytes)), .member = "size_bytes"},
    {PARIO_FIELD("entries", INT, AT(entries))},
    {PARIO_FIELD("depth", INT, AT(depth)), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("width", INT, AT(width)), .rules = PARIO_FIELD_IF_SET},
    {PARIO_SHARED_QUEUE_DEPTH(AT(queue_depth), 256),
     .rules = PARIO_FIELD_IF_SET},
    {.name = NULL},
};

struct pario_measure meta_measure(const struct meta_case *what, int op,
                                  int processes)
{
    return (struct pario_measure){
        .test = meta_layout_names[what->layout],
        .access = meta_ops[op].name,
        .partition = processes,
        .parameters = pario_parameters(fields, 0, what),
    };
}

/* MPI-IO libraries make semaphores by a file's name alone: two runs on one
 * machine must not share them. */
static void use_names_of(struct meta_worker *worker, int rank)
{
    const char *dash = strrchr(worker->run->directory, '-');
    char tag[32] = "";

    if (worker->what->interface == META_MPIIO && dash != NULL)
        snprintf(tag, sizeof(tag), "%s-", dash + 1);
    meta_names_init(&worker->names, worker->what, rank, tag);
}

/* The process whose names are asked for: on another node where there is one,
 * so that nobody's own cache answers. */
static int other_rank(const struct pario_group *group)
{
    int size = pario_group_size(group);
    int step = pario_group_nodes(group) > 1 ? pario_group_node_size(group) : 1;

    return (pario_group_rank(group) + step) % size;
}

static struct pario_data data_of(const struct meta_worker *worker, int rank,
                                 int rewritten)
{
    return (struct pario_data){.key = worker->run->data_key,
                               .file = (uint64_t)rank * 2 +
                                       (uint64_t)(rewritten != 0)};
}

static int make_data(struct meta_worker *worker)
{
    int64_t size = worker->what->size_bytes;
    int rank = pario_group_rank(worker->group);

    worker->slots = size == 0 ? 1 : SLOT_MEMORY / size;
    worker->slots = worker->slots > MAX_SLOTS ? MAX_SLOTS
                    : worker->slots < 1       ? 1
                                              : worker->slots;
    worker->got = calloc((size_t)worker->slots, (size_t)size + 1);
    for (int i = 0; i < 2; i++) {
        struct pario_data data = data_of(worker, rank, i);
        size_t len = (size_t)(worker->slots * size);

        worker->data[i] = malloc(len + 1);
        if (worker->data[i] == NULL || worker->got == NULL)
            return pario_fail_errno(-ENOMEM, "cannot hold the files' data");
        pario_data_fill(&data, 0, worker->data[i], len);
    }
    return 0;
}

/* Bytes of file i of a process, as they should be. */
static void check_bytes(struct meta_worker *worker, int rank, int64_t i,
                        const char *bytes, struct pario_figures *figures)
{
    int64_t size = worker->what->size_bytes;
    struct pario_data data = data_of(worker, rank, worker->rewritten);
    struct pario_data_error error;

    figures->checked_bytes += size;
    if (pario_data_check(&data, i % worker->slots * size, bytes, (size_t)size,
                         &error) == 0)
        return;
    if (figures->wrong_bytes == 0)
        snprintf(figures->wrong, sizeof(figures->wrong),
                 "file %lld of process %d holds other data at byte %lld",
                 (long long)i, rank,
                 (long long)(error.offset - i % worker->slots * size));
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
static int64_t entries_of(const struct meta_worker *worker, int rank)
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
    int64_t entries = entries_of(worker, rank);

    use_names_of(worker, rank);
    for (int64_t i = 0; i < worker->count; i++)
        *sum += meta_name_hash(
            meta_base(meta_name(&worker->names, 0, worker->files, i)));
    for (int64_t i = 0; i < entries; i++)
        *sum += meta_name_hash(
            meta_base(meta_name(&worker->names, 0, META_ENTRY, i)));
    *names += worker->count + entries;
}

/* readdir must have given every name once, and no other. */
static int check_names(struct meta_worker *worker)
{
    int rank = other_rank(worker->group);
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
        check_bytes(worker, other_rank(worker->group), i, meta_slot(worker, i),
                    figures);
}

static int check(void *arg, struct pario_phase *phase)
{
    struct meta_worker *worker = arg;
    const struct meta_op *op = worker->op;
    enum meta_step step = op->steps[0];

    pario_samples_fold(&worker->samples, &worker->latency);
    if (step == META_MAKE)
        worker->count = worker->done;
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

static int describe_error(const struct meta_worker *worker)
{
    const struct meta_case *what = worker->what;

    if (worker->code == PARIO_EMPI)
        return pario_fail(worker->code, "cannot %s %s/%s: %s", worker->op->verb,
                          worker->run->directory, worker->failed,
                          pario_error_message());
    if (worker->code == -ENOSPC)
        return pario_fail(
            worker->code, "cannot %s %s/%s: no space or no inodes are left",
            worker->op->verb, worker->run->directory, worker->failed);
    return worker->code == 0
               ? 0
               : pario_fail_errno(worker->code, "cannot %s %s/%s (%s)",
                                  worker->op->verb, worker->run->directory,
                                  worker->failed,
                                  pario_interface_names[what->interface]);
}

/* The timed loop: one clock reading per name. */
static void item_loop(struct meta_worker *worker, int64_t first, int64_t n)
{
    int (*carry_out)(struct meta_worker *, struct meta_item *) =
        worker->what->interface == META_MPIIO ? meta_mpiio : meta_posix;
    int64_t last_ns = pario_clock_ns();

    for (int64_t i = first; i < first + n; i++) {
        struct meta_item item = meta_item_of(worker, &worker->names, i);
        int code = carry_out(worker, &item);
        int64_t now_ns = pario_clock_ns();

        pario_samples_take(&worker->samples, &worker->latency,
                           now_ns - last_ns);
        last_ns = now_ns;
        worker->done++;
        if (code != 0) {
            meta_failed(worker, code, item.name);
            return;
        }
    }
}

/* Files that are in memory anyway may be asked for again. */
static int goes_round(const struct meta_worker *worker)
{
    return worker->op->from == META_FILE &&
           !(worker->op->rules & (META_CHANGES | META_READS)) &&
           worker->how->ask_s > 0 && !worker->cold;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct meta_worker *worker = arg;
    const struct meta_op *op = worker->op;
    int creating = op->steps[0] == META_MAKE;
    int over = goes_round(worker);
    int64_t n, done = 0;
    struct pario_series series;

    worker->cycle = creating                 ? worker->how->files
                    : op->rules & META_LISTS ? worker->names.leaves
                                             : worker->count;
    pario_series_start(&series, worker->group,
                       creating ? worker->how->seconds
                       : over   ? worker->how->ask_s
                                : 1e9,
                       over ? 0 : worker->cycle);
    while ((n = pario_series_next(&series)) > 0) {
        if (worker->code == 0 && worker->queue != NULL)
            meta_queue_round(worker, done, n);
        else if (worker->code == 0)
            item_loop(worker, done, n);
        done += n;
        series.failed = worker->code != 0;
    }
    phase->figures.operations =
        op->rules & META_LISTS ? worker->seen : worker->done;
    if (op->rules & (META_WRITES | META_READS))
        phase->figures.bytes = worker->done * worker->what->size_bytes;
    if (op->rules & META_WRITES)
        phase->figures.written_bytes = phase->figures.bytes;
    return describe_error(worker);
}

/* Names and data are durable: one process of each node asks for it. */
static int sync_names(void *arg)
{
    struct meta_worker *worker = arg;
    int code = 0;

    if (!worker->how->sync)
        return 0;
    code = pario_barrier(worker->group);
    if (code == 0 && pario_group_node_rank(worker->group) == 0 &&
        syncfs(worker->dir) != 0)
        code =
            pario_fail_errno(-errno, "cannot sync %s", worker->run->directory);
    return code;
}

static const struct pario_phase_calls calls = {
    .loop = loop,
    .sync = sync_names,
    .check = check,
};

/* Collective. Names that the kernel remembers are no answer of the device. */
static int forget(struct meta_worker *worker)
{
    int64_t failed = 0;
    int code = pario_barrier(worker->group);

    if (code == 0 && pario_group_node_rank(worker->group) == 0)
        failed = syncfs(worker->dir) != 0 || pario_cache_forget_all() != 0;
    if (code == 0)
        code = pario_reduce_i64(worker->group, PARIO_MAX, &failed, 1);
    worker->cold = code == 0 && !failed;
    if (code == 0 && failed)
        pario_run_warn(worker->run,
                       "names could not be dropped from the caches (only root "
                       "can): what is asked for is warm");
    return code;
}

static int append_samples(struct meta_worker *worker)
{
    const struct pario_run *run = worker->run;
    char header[512];

    if (run->common.samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite meta\ntestname %s\ninterface %s\nfilesize %lld\n"
             "access %s\n",
             meta_layout_names[worker->what->layout],
             pario_interface_names[worker->what->interface],
             (long long)worker->what->size_bytes, worker->op->name);
    return pario_samples_append(worker->group, run->common.samples, header,
                                worker->op->rules & META_CHANGES ? "w" : "r",
                                &worker->samples);
}

static int run_phase(struct meta_worker *worker, struct pario_phase *phase)
{
    const struct meta_op *op = worker->op;
    int changes = (op->rules & META_CHANGES) != 0;
    double scheduled_s;
    int code = 0;

    worker->cold = 0;
    worker->done = worker->seen = worker->seen_bytes = worker->code = 0;
    worker->seen_names = 0;
    worker->samples.count = 0;
    worker->samples.lost = 0;
    use_names_of(worker, op->rules & META_OTHERS
                             ? other_rank(worker->group)
                             : pario_group_rank(worker->group));
    if (!changes && worker->how->cold)
        code = forget(worker);
    scheduled_s = op->steps[0] == META_MAKE ? worker->how->seconds
                  : goes_round(worker)      ? worker->how->ask_s
                                            : (double)worker->count * SLOWEST_S;
    pario_run_phase(worker->run, scheduled_s, "%s, %s: %s",
                    meta_layout_names[worker->what->layout],
                    pario_interface_names[worker->what->interface], op->name);
    *phase = (struct pario_phase){
        .run = worker->run,
        .group = worker->group,
        .path = worker->run->directory,
        .shared = 1,
        .writing = changes,
        .reading = !changes,
        .names = 1,
        .names_kept = worker->how->kept && !worker->cold,
        .latency = &worker->latency,
    };
    return code != 0 ? code : pario_phase_run(phase, &calls, worker);
}

static int run_op(struct meta_worker *worker, int i)
{
    struct pario_phase phase;
    struct pario_measure measure;
    int code;

    worker->op = &meta_ops[i];
    code = run_phase(worker, &phase);
    if (code == 0 && worker->op->steps[0] == META_RENAME)
        worker->files = META_RENAMED;
    if (code == 0 && worker->how->record != NULL)
        return worker->how->record(worker->how->caller, i, &phase);
    if (code == 0)
        code = append_samples(worker);
    if (code != 0)
        return code;
    measure = meta_measure(worker->what, i, pario_group_size(worker->group));
    /* Before they were durable: what the calls alone took. */
    measure.replaces = 1; /* a case that was cut short begins anew */
    if (phase.figures.loop_s > 0)
        measure.extra =
            json_pack("{s:f}", "accepted_per_s",
                      (double)phase.figures.operations / phase.figures.loop_s);
    return pario_phase_record(&phase, &measure);
}

/* What is in the directories before anything is measured. */
static int make_entries(struct meta_worker *worker)
{
    int rank = pario_group_rank(worker->group), code;
    int64_t entries = entries_of(worker, rank);

    use_names_of(worker, rank);
    code = meta_names_make(&worker->names, worker->dir, rank == 0);
    code = pario_agree(worker->group, code);
    for (int64_t i = 0; code == 0 && i < entries; i++) {
        const char *name = meta_name(&worker->names, 0, META_ENTRY, i);

        if (mknodat(worker->dir, name, S_IFREG | 0666, 0) != 0)
            code = pario_fail_errno(-errno, "cannot make %s/%s",
                                    worker->run->directory, name);
    }
    return pario_agree(worker->group, code);
}

/* Each process its own, then the first one the rest. */
static int remove_what_is_left(struct meta_worker *worker)
{
    int shared = worker->what->layout == META_SHARED;
    int code = 0, own = -1;
    char name[64];

    snprintf(name, sizeof(name), "c%d.p%d", worker->what->number,
             pario_group_rank(worker->group));
    if (!shared)
        own = openat(worker->dir, name,
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (own >= 0) {
        code = pario_beneath_empty(own);
        close(own);
    }
    code = pario_agree(worker->group, code);
    if (code == 0 && pario_group_rank(worker->group) == 0)
        code = pario_beneath_empty(worker->dir);
    if (code != 0)
        code =
            pario_fail_errno(code, "cannot empty %s", worker->run->directory);
    return pario_agree(worker->group, code);
}

static int begin(struct meta_worker *worker)
{
    int code = make_data(worker);

    if (code == 0)
        code = pario_samples_init(&worker->samples, MAX_TIMES);
    worker->dir = pario_own_open(worker->run->directory,
                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (code == 0 && worker->dir < 0)
        code =
            pario_fail_errno(-errno, "cannot open %s", worker->run->directory);
    if (code == 0 && worker->what->interface == META_URING)
        code = meta_queue_open(worker);
    code = pario_agree(worker->group, code);
    return code != 0 ? code : make_entries(worker);
}

static void end(struct meta_worker *worker)
{
    meta_queue_close(worker);
    if (worker->dir >= 0)
        close(worker->dir);
    pario_samples_fini(&worker->samples);
    free(worker->data[0]);
    free(worker->data[1]);
    free(worker->got);
}

int meta_case_run(struct pario_run *run, const struct pario_group *group,
                  const struct meta_case *what, const struct meta_how *how)
{
    struct meta_worker worker = {
        .run = run,
        .group = group,
        .what = what,
        .how = how,
        .dir = -1,
        .files = META_FILE,
    };
    int code = begin(&worker);

    for (int i = 0; code == 0 && meta_ops[i].name != NULL; i++)
        if (how->ops & 1U << i && meta_op_applies(&meta_ops[i], what))
            code = run_op(&worker, i);
    if (code == 0 && !run->common.keep)
        code = remove_what_is_left(&worker);
    end(&worker);
    return code;
}
