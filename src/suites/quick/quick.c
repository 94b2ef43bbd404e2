/* suites/quick/quick.c - a one-minute look at a directory: every interface,
 * shared and separate files, four request sizes, two orders. */
#include "core/clock.h"
#include "core/units.h"
#include "suites/quick/phase.h"
#include "suites/suite.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quick_options {
    double time_s;
    int64_t size_bytes; /* of one process's data */
    const char *interfaces;
    int64_t queue_depth;
    int direct;
};

#define AT(field) offsetof(struct quick_options, field)

static const struct pario_option quick_table[] = {
    {.name = "time",
     .letter = 't',
     .type = PARIO_OPT_TIME,
     .offset = AT(time_s),
     .argument = "TIME",
     .min = 0.1,
     .max = 86400,
     .help = "time of all measures together"},
    {.name = "size",
     .letter = 's',
     .type = PARIO_OPT_SIZE,
     .offset = AT(size_bytes),
     .argument = "SIZE",
     .min = 16 << 20,
     .max = 1e12,
     .help = "most data of one process in one measure"},
    {.name = "interfaces",
     .letter = 'i',
     .type = PARIO_OPT_STRING,
     .offset = AT(interfaces),
     .argument = "LIST",
     .help = "I/O interfaces, separated by commas (default: all compiled in)"},
    {.name = "queue-depth",
     .type = PARIO_OPT_INT,
     .offset = AT(queue_depth),
     .argument = "N",
     .min = 1,
     .max = 64,
     .help = "requests under way at once with io_uring"},
    {.name = "direct",
     .type = PARIO_OPT_FLAG,
     .offset = AT(direct),
     .help = "O_DIRECT, where the interface has it"},
    {.name = NULL},
};

static const struct quick_options quick_defaults = {
    .time_s = 60,
    .size_bytes = 64 << 20,
    .queue_depth = 8,
};

static const struct pario_test quick_tests[] = {
    {"shared_file", "all processes in one file, chunks interleaved"},
    {"file_per_process", "one file for each process"},
    {NULL, NULL},
};

static const int64_t request_sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20};
static const char *const access_names[QUICK_ACCESSES] = {"write", "rewrite",
                                                         "read"};

#define SIZES (sizeof(request_sizes) / sizeof(request_sizes[0]))
#define MAX_INTERFACES 8
#define SHORTEST_PHASE_S 0.002
#define MAX_SAMPLES ((size_t)1 << 20) /* of one phase on one rank */

struct quick {
    struct pario_run *run;
    const struct quick_options *options;
    const struct pario_backend *backend[MAX_INTERFACES];
    int nbackends;
    double start_s, moved_s; /* since the start; in timed loops alone */
    int phases, phases_done;
    size_t region; /* bytes of one process */
    struct quick_part part;
    struct pario_samples samples;
};

/* Collective. Every interface that the system allows. */
static int take_all_interfaces(struct quick *quick)
{
    int code = 0;

    for (int i = 0;
         code == 0 && i < MAX_INTERFACES && pario_backends[i] != NULL; i++) {
        int allowed = 0;

        code = pario_backend_allowed(pario_backends[i], quick->run->world,
                                     &allowed);
        if (code == 0 && allowed)
            quick->backend[quick->nbackends++] = pario_backends[i];
        else if (code == 0)
            pario_run_warn(quick->run, "%s: it is left out",
                           pario_error_message());
    }
    return code;
}

static int choose_interfaces(struct quick *quick)
{
    char *copy, *rest, *name;
    int code = 0;

    if (quick->options->interfaces == NULL)
        return take_all_interfaces(quick);
    copy = rest = strdup(quick->options->interfaces);
    if (copy == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    while (code == 0 && (name = strsep(&rest, ",")) != NULL &&
           quick->nbackends < MAX_INTERFACES)
        code = pario_backend_find(name, &quick->backend[quick->nbackends++]);
    free(copy);
    return code;
}

/* Direct I/O only where the interface has it; the others are left out. */
static int check_direct(struct quick *quick, const char *dir)
{
    int kept = 0;

    if (!quick->options->direct)
        return 0;
    for (int i = 0; i < quick->nbackends; i++) {
        if (!(quick->backend[i]->open_flags & PARIO_OPEN_DIRECT)) {
            pario_run_warn(quick->run, "%s has no O_DIRECT and is left out",
                           quick->backend[i]->name);
            continue;
        }
        quick->backend[kept++] = quick->backend[i];
    }
    quick->nbackends = kept;
    if (kept == 0)
        return pario_fail(PARIO_EUSAGE, "no interface with O_DIRECT is left");
    return pario_backend_check(quick->backend[0], dir, PARIO_OPEN_DIRECT,
                               request_sizes[0]);
}

/* The data of all processes of a node takes at most an eighth of its memory,
 * so that the tool does not push the page cache out. */
static int plan(struct quick *quick)
{
    const struct pario_run *run = quick->run;
    int64_t memory = run->node.memory_free_bytes > 0
                         ? run->node.memory_free_bytes
                         : run->node.memory_bytes;
    int64_t most = memory / 8 / pario_group_node_size(run->world);
    int64_t region = quick->options->size_bytes;
    int code;

    if (most < region)
        region = most;
    if (region < request_sizes[SIZES - 1])
        region = request_sizes[SIZES - 1];
    region -= region % request_sizes[SIZES - 1];
    /* Unlike nodes must not have unlike buffers. */
    code = pario_reduce_i64(run->world, PARIO_MIN, &region, 1);
    quick->region = (size_t)region;
    quick->phases = quick->nbackends * 2 * 2 * (int)SIZES * QUICK_ACCESSES;
    return code;
}

/* An equal share of the time that is left, less what the phases so far cost
 * besides (filling, syncing, checking, writing results). */
static double next_phase_s(const struct quick *quick)
{
    double elapsed_s = pario_clock_s() - quick->start_s;
    double share_s = (quick->options->time_s - elapsed_s) /
                     (quick->phases - quick->phases_done);
    double besides_s = quick->phases_done > 0
                           ? (elapsed_s - quick->moved_s) / quick->phases_done
                           : 0;

    return share_s - besides_s > SHORTEST_PHASE_S ? share_s - besides_s
                                                  : SHORTEST_PHASE_S;
}

static void print_plan(const struct quick *quick)
{
    char size[PARIO_UNITS_LEN];
    int processes = pario_group_size(quick->run->world);

    if (pario_group_rank(quick->run->world) != 0)
        return;
    printf("quick: %d processes, interfaces:", processes);
    for (int i = 0; i < quick->nbackends; i++)
        printf(" %s", quick->backend[i]->name);
    printf("\n  one shared file and one file per process; sequential and "
           "random; write, rewrite, read\n  requests of");
    for (size_t i = 0; i < SIZES; i++)
        printf(" %s", pario_size_print(request_sizes[i], size));
    printf("\n  time: %.1f s, %.2f s a measure\n", quick->options->time_s,
           quick->options->time_s / quick->phases);
    printf("  memory: %s a process\n",
           pario_size_print_short((int64_t)quick->region, size));
    printf("  disk space: at most %s\n",
           pario_size_print_short((int64_t)quick->region * processes, size));
}

static struct pario_measure describe(const struct quick *quick,
                                     const struct quick_case *what,
                                     enum quick_access access)
{
    return (struct pario_measure){
        .test = what->separate ? "file_per_process" : "shared_file",
        .access = access_names[access],
        .partition = pario_group_size(quick->run->world),
        .parameters = json_pack(
            "{s:s, s:s, s:I, s:i, s:b}", "interface", what->backend->name,
            "order", what->random ? "random" : "sequential", "request_bytes",
            (json_int_t)what->request_bytes, "queue_depth",
            what->backend->start != NULL && what->depth > 1 ? what->depth : 1,
            "direct", what->direct),
    };
}

static int append_samples(struct quick *quick, const struct quick_case *what,
                          enum quick_access access)
{
    char header[512];

    if (quick->run->common.samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite quick\ntestname %s\ninterface %s\norder %s\n"
             "blocksize %lld\naccess %s\n",
             what->separate ? "file_per_process" : "shared_file",
             what->backend->name, what->random ? "random" : "sequential",
             (long long)what->request_bytes, access_names[access]);
    return pario_samples_append(quick->run->world, quick->run->common.samples,
                                header, access == QUICK_READ ? "r" : "w",
                                quick->part.samples);
}

/* Collective. Was this done before the run was resumed? */
static int is_done(struct quick *quick, const struct quick_case *what,
                   enum quick_access access)
{
    struct pario_measure like = describe(quick, what, access);
    int64_t done = quick->run->result != NULL &&
                   pario_result_find(quick->run->result, &like) != NULL;

    json_decref(like.parameters);
    if (pario_bcast(quick->run->world, &done, sizeof(done)) != 0)
        return 0;
    return (int)done;
}

static int run_case(struct quick *quick, struct quick_case *what)
{
    struct pario_run *run = quick->run;
    struct quick_part *part = &quick->part;
    struct pario_phase phase;
    char name[64], size[PARIO_UNITS_LEN];
    int code = 0;

    if (is_done(quick, what, QUICK_READ)) {
        quick->phases_done += QUICK_ACCESSES;
        return 0;
    }
    snprintf(
        name, sizeof(name), what->separate ? "quick-%llu.%d" : "quick-%llu",
        (unsigned long long)what->file_number, pario_group_rank(run->world));
    pario_run_path(run, name, part->path, sizeof(part->path));
    part->what = what;
    part->chunks = part->rewritten = 0;
    pario_perm_init(&part->order, quick->region / (size_t)what->request_bytes,
                    (uint64_t)run->common.seed);
    for (int access = 0; code == 0 && access < QUICK_ACCESSES; access++) {
        double phase_s = next_phase_s(quick);

        pario_run_phase(run, phase_s, "%s %s %s %s %s", what->backend->name,
                        what->separate ? "separate" : "shared",
                        what->random ? "random" : "sequential",
                        pario_size_print(what->request_bytes, size),
                        access_names[access]);
        code = quick_phase(run, part, access, phase_s, &phase);
        if (code == 0)
            code = append_samples(quick, what, access);
        if (code == 0 && !is_done(quick, what, access)) {
            struct pario_measure measure = describe(quick, what, access);

            code = pario_phase_record(&phase, &measure);
        }
        quick->moved_s += code == 0 ? phase.figures.loop_s : 0;
        quick->phases_done++;
    }
    if (what->separate || pario_group_rank(run->world) == 0)
        (void)remove(part->path); /* the directory goes at the end anyway */
    return code;
}

static int run_cases(struct quick *quick)
{
    uint64_t number = 0;
    int code = 0;

    for (int b = 0; b < quick->nbackends; b++)
        for (int separate = 0; separate < 2; separate++)
            for (int random = 0; random < 2; random++)
                for (size_t s = 0; code == 0 && s < SIZES; s++) {
                    struct quick_case what = {
                        .backend = quick->backend[b],
                        .separate = separate,
                        .random = random,
                        .direct = quick->options->direct,
                        .depth = (int)quick->options->queue_depth,
                        .request_bytes = request_sizes[s],
                        .file_number = number++,
                    };

                    /* Only io_uring keeps a queue here: MPI-IO's nonblocking
                     * calls are measured by the suites about them. */
                    if (strcmp(what.backend->name, "uring") != 0)
                        what.depth = 1;
                    code = run_case(quick, &what);
                }
    return code;
}

static int is_of(const json_t *measure, const char *interface,
                 const char *access)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    const char *own =
        json_string_value(json_object_get(parameters, "interface"));
    const char *kind = json_string_value(json_object_get(measure, "access"));

    return own != NULL && strcmp(own, interface) == 0 && kind != NULL &&
           strcmp(kind, access) == 0;
}

/* The best of an interface is one that took long enough, if there is any. */
static const json_t *best_of(const json_t *measures, const char *interface,
                             const char *access)
{
    const json_t *best = NULL, *measure;
    int best_short = 1;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        int is_short =
            (pario_flags_of_measure(measure) & PARIO_FLAG_SHORT) != 0;

        if (!is_of(measure, interface, access) || is_short > best_short)
            continue;
        if (best == NULL || is_short < best_short ||
            json_number_value(json_object_get(measure, "bandwidth_mbps")) >
                json_number_value(json_object_get(best, "bandwidth_mbps"))) {
            best = measure;
            best_short = is_short;
        }
    }
    return best;
}

/* From the document: a resumed run has measures of before. */
static void summarise(struct quick *quick)
{
    struct pario_result *result = quick->run->result;
    const json_t *measures =
        result != NULL
            ? json_object_get(pario_result_document(result), "measures")
            : NULL;
    char name[64];

    for (int b = 0; measures != NULL && b < quick->nbackends; b++)
        for (int a = 0; a < QUICK_ACCESSES; a++) {
            const json_t *best =
                best_of(measures, quick->backend[b]->name, access_names[a]);

            snprintf(name, sizeof(name), "%s_best_%s_mbps",
                     quick->backend[b]->name, access_names[a]);
            if (best != NULL)
                pario_result_summary(
                    result, name,
                    json_copy(json_object_get(best, "bandwidth_mbps")),
                    pario_flags_of_measure(best));
        }
}

static int quick_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    struct quick quick = {.run = run, .options = run->options};
    void *buffer = NULL;
    int code = choose_interfaces(&quick);

    if (code == 0 && run->noperands > 1)
        code = pario_fail(PARIO_EUSAGE, "quick takes one directory, not %d",
                          run->noperands);
    if (code == 0)
        code = check_direct(&quick, dir);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = plan(&quick);
    if (code != 0)
        return code;
    if (run->common.dry_run) {
        print_plan(&quick);
        return 0;
    }
    code = pario_run_directory(
        run, dir, (int64_t)quick.region * pario_group_size(run->world));
    if (code != 0)
        return code;
    code = pario_buffer_alloc(quick.region, &buffer);
    if (code == 0)
        code = pario_samples_init(&quick.samples, MAX_SAMPLES);
    code = pario_agree(run->world, code);
    quick.part.samples = &quick.samples;
    quick.part.buffer = buffer;
    quick.part.buffer_len = quick.region;
    run->progress.total_s = quick.options->time_s;
    run->progress.start_s = quick.start_s = pario_clock_s();
    if (code == 0)
        code = run_cases(&quick);
    if (code == 0)
        summarise(&quick);
    pario_samples_fini(&quick.samples);
    free(buffer);
    return code;
}

const struct pario_suite pario_suite_quick = {
    .name = "quick",
    .operands = "[DIR]",
    .summary = "a one-minute look: shared and separate files, four sizes, two "
               "orders",
    .help = "Writes, rewrites and reads one shared file and one file per "
            "process with requests of\n4 KiB, 64 KiB, 1 MiB and 16 MiB, "
            "sequentially and in random order, through each I/O\ninterface. "
            "The data read is checked; every figure says whether it came from "
            "a cache.",
    .options = quick_table,
    .options_size = sizeof(struct quick_options),
    .defaults = &quick_defaults,
    .tests = quick_tests,
    .run = quick_run,
};
