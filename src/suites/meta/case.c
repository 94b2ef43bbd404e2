/* suites/meta/case.c - one case: its directories, the phases over its names,
 * and away with what is left. */
#include "suites/meta/ops.h"

#include "core/beneath.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/path.h"
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
void meta_use_names_of(struct meta_worker *worker, int rank)
{
    const char *dash = strrchr(worker->run->directory, '-');
    char tag[32] = "";

    if (worker->what->interface == META_MPIIO && dash != NULL)
        snprintf(tag, sizeof(tag), "%s-", dash + 1);
    meta_names_init(&worker->names, worker->what, rank, tag);
}

/* The process whose names are asked for: on another node where there is one,
 * so that nobody's own cache answers. */
int meta_other_rank(const struct pario_group *group)
{
    int size = pario_group_size(group);
    int step = pario_group_nodes(group) > 1 ? pario_group_node_size(group) : 1;

    return (pario_group_rank(group) + step) % size;
}

struct pario_data meta_data_of(const struct meta_worker *worker, int rank,
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
    worker->stamps = worker->what->interface != META_URING;
    for (int i = 0; i < 2; i++) {
        size_t len = (size_t)(worker->slots * size);

        worker->kind[i] = meta_data_of(worker, rank, i);
        worker->data[i] = malloc(len + 1);
        if (worker->data[i] == NULL || worker->got == NULL)
            return pario_fail_errno(-ENOMEM, "cannot hold the files' data");
        pario_data_fill(&worker->kind[i], 0, worker->data[i], len);
    }
    return 0;
}

/* What errno alone would leave open; NULL: nothing. */
static const char *reason_of(int code)
{
    switch (code) {
    case -ENOSPC:
        return "no space or no inodes are left";
    case -EMLINK:
        return "this file system allows no more links or directories there "
               "(Too many links); choose fewer --files, or --layouts tree";
    case -EMFILE:
        return "Too many open files: see ulimit -n, or choose a smaller "
               "--queue-depth";
    default:
        return NULL;
    }
}

static int describe_error(const struct meta_worker *worker)
{
    const struct meta_case *what = worker->what;
    const char *reason = reason_of(worker->code);

    if (worker->code == PARIO_EMPI)
        return pario_fail(worker->code, "cannot %s %s/%s: %s", worker->op->verb,
                          worker->run->directory, worker->failed,
                          pario_error_message());
    if (reason != NULL)
        return pario_fail(worker->code, "cannot %s %s/%s: %s", worker->op->verb,
                          worker->run->directory, worker->failed, reason);
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

    for (int64_t i = first; i < first + n && last_ns < worker->stop_ns; i++) {
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

static void round_of(struct meta_worker *worker, int64_t first, int64_t n)
{
    if (worker->code == 0 && worker->queue != NULL)
        meta_queue_round(worker, first, n);
    else if (worker->code == 0)
        item_loop(worker, first, n);
}

/* All stop after the same name. */
static void go_together(struct meta_worker *worker, int creating)
{
    int over = goes_round(worker);
    int64_t n, done = 0;
    struct pario_series series;

    pario_series_start(&series, worker->group,
                       creating ? worker->how->seconds
                       : over   ? worker->how->ask_s
                                : 1e9,
                       over ? 0 : worker->cycle);
    while ((n = pario_series_next(&series)) > 0) {
        round_of(worker, done, n);
        done += n;
        series.failed = worker->code != 0;
    }
    worker->at_stonewall = worker->done;
}

/* Each stops by its own clock; then all do what the fastest has done. */
static int go_to_the_stonewall(struct meta_worker *worker)
{
    int64_t most = 0;
    int code;

    worker->stop_ns = pario_clock_ns() + (int64_t)(worker->how->seconds * 1e9);
    round_of(worker, 0, worker->cycle);
    worker->at_stonewall = worker->done;
    worker->stop_ns = INT64_MAX;
    code = pario_stonewall_most(worker->group, worker->done, &most);
    if (code == 0)
        round_of(worker, worker->done, most - worker->done);
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct meta_worker *worker = arg;
    const struct meta_op *op = worker->op;
    int creating = op->steps[0] == META_MAKE, code = 0;

    worker->cycle = creating                 ? worker->how->files
                    : op->rules & META_LISTS ? worker->names.leaves
                                             : worker->count;
    if (creating && worker->how->wear_out)
        code = go_to_the_stonewall(worker);
    else
        go_together(worker, creating);
    phase->figures.operations =
        op->rules & META_LISTS ? worker->seen : worker->done;
    if (op->rules & (META_WRITES | META_READS))
        phase->figures.bytes = worker->done * worker->what->size_bytes;
    if (op->rules & META_WRITES)
        phase->figures.written_bytes = phase->figures.bytes;
    return worker->code != 0 ? describe_error(worker) : code;
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
    .check = meta_check,
};

int meta_forget_names(struct pario_run *run, const struct pario_group *group,
                      int dir, int *cold_p)
{
    int64_t failed = 0;
    int code = pario_barrier(group);

    if (code == 0 && pario_group_node_rank(group) == 0)
        failed = syncfs(dir) != 0 || pario_cache_forget_all() != 0;
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_MAX, &failed, 1);
    *cold_p = code == 0 && !failed;
    if (code == 0 && failed)
        pario_run_warn(run,
                       "names could not be dropped from the caches (only root "
                       "can): what is asked for is warm");
    return code;
}

int meta_case_samples(struct meta_worker *worker, const char *suite,
                      const char *test)
{
    const struct pario_run *run = worker->run;
    char header[512];

    if (run->common.samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite %s\ntestname %s\ninterface %s\nfilesize %lld\n"
             "access %s\n",
             suite, test, pario_interface_names[worker->what->interface],
             (long long)worker->what->size_bytes, worker->op->name);
    return pario_samples_append(worker->group, run->common.samples, header,
                                worker->op->rules & META_CHANGES ? "w" : "r",
                                &worker->samples);
}

static int works_on_others(const struct meta_worker *worker)
{
    return worker->op->rules & META_OTHERS ||
           (worker->how->others && worker->op->steps[0] == META_UNLINK);
}

static double scheduled_s(const struct meta_worker *worker)
{
    const struct meta_how *how = worker->how;

    if (worker->op->steps[0] == META_MAKE)
        return how->wear_out ? how->seconds * 10 + 60 : how->seconds;
    return goes_round(worker) ? how->ask_s : (double)worker->count * SLOWEST_S;
}

/* step: what is done, where nobody has a title of his own. */
static void say_phase(const struct meta_worker *worker, double seconds,
                      const char *step)
{
    static const char *const places[] = {
        [META_OWN] = "a directory for each process",
        [META_SHARED] = "one directory",
        [META_TREE] = "a tree of directories",
    };
    const struct meta_case *what = worker->what;

    if (worker->how->title != NULL)
        pario_run_phase(worker->run, seconds, "%s", worker->how->title);
    else
        pario_run_phase(worker->run, seconds, "%s, %s, %s", step,
                        places[what->layout],
                        pario_interface_names[what->interface]);
}

static int run_phase(struct meta_worker *worker, struct pario_phase *phase)
{
    const struct meta_op *op = worker->op;
    int changes = (op->rules & META_CHANGES) != 0;
    int code = 0;

    worker->cold = 0;
    worker->done = worker->seen = worker->seen_bytes = worker->code = 0;
    worker->seen_names = 0;
    worker->samples.count = 0;
    worker->samples.lost = 0;
    worker->stop_ns = INT64_MAX;
    meta_use_names_of(worker, works_on_others(worker)
                                  ? meta_other_rank(worker->group)
                                  : pario_group_rank(worker->group));
    if (!changes && worker->how->cold)
        code = meta_forget_names(worker->run, worker->group, worker->dir,
                                 &worker->cold);
    say_phase(worker, scheduled_s(worker), op->name);
    *phase = (struct pario_phase){
        .run = worker->run,
        .group = worker->group,
        .path = worker->run->directory,
        .shared = 1,
        .writing = changes,
        .reading = !changes,
        .names = 1,
        .names_kept = worker->how->kept && !worker->cold,
        .unsynced = !worker->how->sync,
        .latency = &worker->latency,
    };
    return code != 0 ? code : pario_phase_run(phase, &calls, worker);
}

int meta_case_measure(struct meta_worker *worker, int op,
                      struct pario_phase *phase)
{
    int code;

    worker->op = &meta_ops[op];
    code = run_phase(worker, phase);
    if (code == 0 && worker->op->steps[0] == META_RENAME)
        worker->files = META_RENAMED;
    return code;
}

static int run_op(struct meta_worker *worker, int i)
{
    struct pario_phase phase;
    struct pario_measure measure;
    int code;

    code = meta_case_measure(worker, i, &phase);
    if (code == 0 && worker->how->record != NULL)
        return worker->how->record(worker->how->caller, i, &phase);
    if (code == 0)
        code = meta_case_samples(worker, "meta",
                                 meta_layout_names[worker->what->layout]);
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
    int64_t entries = meta_entries_of(worker, rank);

    if (entries > 0)
        say_phase(worker, (double)entries * SLOWEST_S, "entries");
    meta_use_names_of(worker, rank);
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

    /* The first process may have those of all to itself. */
    say_phase(worker,
              ((double)worker->count + (double)worker->what->entries) *
                  pario_group_size(worker->group) * SLOWEST_S,
              "away with what is left");
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

void meta_case_end(struct meta_worker *worker)
{
    if (worker == NULL)
        return;
    meta_queue_close(worker);
    if (worker->dir >= 0)
        close(worker->dir);
    pario_samples_fini(&worker->samples);
    free(worker->data[0]);
    free(worker->data[1]);
    free(worker->got);
    free(worker);
}

int meta_case_begin(struct pario_run *run, const struct pario_group *group,
                    const struct meta_case *what, const struct meta_how *how,
                    struct meta_worker **worker_p)
{
    struct meta_worker *worker = calloc(1, sizeof(*worker));
    int code =
        worker != NULL ? 0 : pario_fail_errno(-ENOMEM, "cannot start a case");

    *worker_p = worker;
    code = pario_agree(group, code);
    if (code != 0 || worker == NULL)
        return code != 0 ? code : -ENOMEM;
    worker->run = run;
    worker->group = group;
    worker->what = what;
    worker->how = how;
    worker->dir = -1;
    worker->files = META_FILE;
    return begin(worker);
}

const struct pario_stonewall *meta_case_stonewall(const struct meta_worker *w)
{
    return &w->stonewall;
}

int64_t meta_case_files(const struct meta_worker *worker)
{
    return worker->count;
}

int64_t meta_case_matches(struct meta_worker *worker, const char *text)
{
    int64_t matches = 0;

    meta_use_names_of(worker, pario_group_rank(worker->group));
    for (int64_t i = 0; i < worker->count; i++)
        matches += strstr(pario_base_name(
                              meta_name(&worker->names, 0, worker->files, i)),
                          text) != NULL;
    return matches;
}

int meta_case_run(struct pario_run *run, const struct pario_group *group,
                  const struct meta_case *what, const struct meta_how *how)
{
    struct meta_worker *worker = NULL;
    int code = meta_case_begin(run, group, what, how, &worker);

    for (int i = 0; code == 0 && meta_ops[i].name != NULL; i++)
        if (how->ops & 1U << i && meta_op_applies(&meta_ops[i], what))
            code = run_op(worker, i);
    if (code == 0 && !run->common.keep)
        code = remove_what_is_left(worker);
    meta_case_end(worker);
    return code;
}
