/* suites/quick/quick.c - what everyone runs first: a look at a directory in a
 * minute. */
#include "suites/quick/quick.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "measure/marks.h"
#include "result/parameters.h"
#include "result/view.h"
#include "suites/shared_fields.h"
#include "suites/suite.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST_PHASE_S 0.002
#define MAX_SAMPLES ((size_t)1 << 20) /* of one phase on one rank */

const char *const quick_access_names[QUICK_ACCESSES] = {"write", "rewrite",
                                                        "read"};

#define AT(field) offsetof(struct quick_options, field)

static const struct pario_field quick_fields[] = {
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(0.1, 86400),
     .letter = 't', .help = "time of all measures together"},
    {PARIO_OPTION("size", SIZE, AT(size_bytes), "SIZE"),
     PARIO_RANGE(16 << 20, 1e12), .letter = 's',
     .help = "most data of one process in one measure"},
    {PARIO_FLAG("buffered", AT(buffered)),
     .help = "through the page cache, as programs without O_DIRECT do; reads "
             "are still cold"},
    {PARIO_SHARED_INTERFACES(AT(interfaces)),
     .help = "instead of the overview the long table: write, rewrite and read "
             "in four sizes and two orders through each of these interfaces, "
             "separated by commas, or all"},
    {PARIO_SHARED_QUEUE_DEPTH(AT(queue_depth), 64),
     .help = "with --interfaces: requests under way at once with io_uring"},
    {PARIO_SHARED_DIRECT(AT(direct)),
     .help = "O_DIRECT or nothing; the overview has it where the file system "
             "does"},
    {.name = NULL},
};

static const struct quick_options quick_defaults = {
    .time_s = 60,
    .size_bytes = 64 << 20,
    .queue_depth = 8,
};

static const struct pario_test quick_tests[] = {
    {"file_per_process", "large requests, one file for each process"},
    {"shared_file", "large requests, all processes in one file, interleaved"},
    {"random", "4 KiB requests at random places, one file for each process"},
    {"collective",
     "MPI-IO: collective writes of 1 KiB pieces, with and without "
     "shipio"},
    {"metadata", "files created and asked for, each process in its directory"},
    {NULL, NULL},
};

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
    if (region < QUICK_LARGEST)
        region = QUICK_LARGEST;
    region -= region % QUICK_LARGEST;
    /* Unlike nodes must not have unlike buffers. */
    code = pario_reduce_i64(run->world, PARIO_MIN, &region, 1);
    quick->region = (size_t)region;
    return code;
}

double quick_share_s(const struct quick *quick)
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

/* The parameters of a measure, in the words of the document. */
struct parameters {
    const char *interface, *library;
    int random, direct;
    int64_t request_bytes, queue_depth, piece_bytes;
};

enum { IN_GRID = 1 }; /* the overview has no queues */

#define VALUE(member) offsetof(struct parameters, member)

static const char *const order_names[] = {"sequential", "random", NULL};

static const struct pario_field parameter_fields[] = {
    {PARIO_FIELD("interface", STRING, VALUE(interface))},
    {PARIO_FIELD("order", CHOICE, VALUE(random)), .choices = order_names},
    {PARIO_SHARED_REQUEST_BYTES(VALUE(request_bytes))},
    {PARIO_SHARED_QUEUE_DEPTH(VALUE(queue_depth), 64), .needs = IN_GRID},
    {PARIO_SHARED_DIRECT(VALUE(direct))},
    {PARIO_FIELD("library", STRING, VALUE(library))},
    {PARIO_FIELD("piece_bytes", SIZE, VALUE(piece_bytes)),
     .rules = PARIO_FIELD_IF_SET},
    {.name = NULL},
};

json_t *quick_parameters(const struct quick *quick,
                         const struct quick_case *what)
{
    struct parameters values = {
        .interface = what->backend->name,
        .library = what->library,
        .random = what->random,
        .direct = what->direct,
        .request_bytes = what->request_bytes,
        .queue_depth =
            what->backend->start != NULL && what->depth > 1 ? what->depth : 1,
        .piece_bytes = what->piece_bytes,
    };

    return pario_parameters(parameter_fields,
                            quick->options->interfaces != NULL ? IN_GRID : 0,
                            &values);
}

static int append_samples(struct quick *quick, const char *test,
                          enum quick_access access)
{
    const struct quick_case *what = quick->part.what;
    char header[512];

    if (quick->run->common.samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite quick\ntestname %s\ninterface %s\norder %s\n"
             "blocksize %lld\naccess %s\n",
             test, what->backend->name, order_names[what->random],
             (long long)what->request_bytes, quick_access_names[access]);
    return pario_samples_append(quick->run->world, quick->run->common.samples,
                                header, access == QUICK_READ ? "r" : "w",
                                quick->part.samples);
}

void quick_part_begin(struct quick *quick, const struct quick_case *what)
{
    struct pario_run *run = quick->run;
    struct quick_part *part = &quick->part;
    char name[64];

    snprintf(
        name, sizeof(name), what->separate ? "quick-%llu.%d" : "quick-%llu",
        (unsigned long long)what->file_number, pario_group_rank(run->world));
    pario_run_path(run, name, part->path, sizeof(part->path));
    part->what = what;
    part->written = part->rewritten = 0;
    pario_perm_init(&part->order, quick->region / (size_t)what->request_bytes,
                    (uint64_t)run->common.seed);
}

void quick_part_end(struct quick *quick)
{
    const struct quick_part *part = &quick->part;

    if (part->what->separate || pario_group_rank(quick->run->world) == 0)
        (void)pario_own_unlink(
            part->path); /* the directory goes at the end anyway */
}

static void announce(struct quick *quick, enum quick_access access,
                     double seconds)
{
    const struct quick_case *what = quick->part.what;
    int64_t bytes =
        what->piece_bytes > 0 ? what->piece_bytes : what->request_bytes;
    char size[PARIO_UNITS_LEN];

    pario_run_phase(quick->run, seconds, "%s, %s, %s %s%s",
                    what->library != NULL ? what->library : what->backend->name,
                    what->separate ? "file per process" : "shared file",
                    quick_access_names[access], what->random ? "random " : "",
                    pario_size_print(bytes, size));
}

int quick_measure(struct quick *quick, enum quick_access access,
                  struct pario_measure *measure)
{
    double seconds = quick_share_s(quick);
    struct pario_phase phase;
    int code, done = 0;

    announce(quick, access, seconds);
    code = quick_phase(quick->run, &quick->part, access, seconds, &phase);
    if (code == 0)
        code = append_samples(quick, measure->test, access);
    if (code == 0 && quick->options->interfaces == NULL)
        pario_figures_answer(&phase.figures);
    if (code == 0) {
        struct pario_measure like = *measure;

        like.parameters = json_incref(measure->parameters);
        done = pario_run_is_done(quick->run, like);
    }
    if (code == 0 && !done)
        code = pario_phase_record(&phase, measure);
    else
        json_decref(measure->parameters);
    quick->moved_s += code == 0 ? phase.figures.loop_s : 0;
    quick->phases_done++;
    return code;
}

static int begin(struct quick *quick, const char *dir)
{
    int code = 0;

    if (quick->options->direct && quick->options->buffered)
        code = pario_fail(PARIO_EUSAGE,
                          "--direct and --buffered contradict each other");
    else
        code = quick->options->interfaces != NULL
                   ? quick_grid_begin(quick, dir)
                   : quick_overview_begin(quick, dir);
    code = pario_agree(quick->run->world, code);
    return code != 0 ? code : plan(quick);
}

static int measure_all(struct quick *quick, const char *dir)
{
    struct pario_run *run = quick->run;
    void *buffer = NULL;
    int code = pario_buffer_alloc(quick->region, &buffer);

    if (code == 0)
        code = pario_samples_init(&quick->samples, MAX_SAMPLES);
    code = pario_agree(run->world, code);
    quick->part.samples = &quick->samples;
    quick->part.buffer = buffer;
    quick->part.buffer_len = quick->region;
    run->progress.total_s = quick->options->time_s;
    run->progress.start_s = quick->start_s = pario_clock_s();
    if (code == 0)
        code = quick->options->interfaces != NULL ? quick_grid_run(quick)
                                                  : quick_overview_run(quick);
    if (code == 0 && quick->options->interfaces != NULL)
        quick_grid_summarise(quick);
    else if (code == 0)
        quick_overview_summarise(quick, dir);
    pario_samples_fini(&quick->samples);
    free(buffer);
    return code;
}

static int quick_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    struct quick quick = {.run = run, .options = run->options};
    int code = begin(&quick, dir);

    if (code != 0)
        return code;
    if (run->common.dry_run && pario_group_rank(run->world) == 0) {
        if (quick.options->interfaces != NULL)
            quick_grid_print(&quick);
        else
            quick_overview_print(&quick);
    }
    if (run->common.dry_run)
        return 0;
    code = pario_run_directory(
        run, dir, (int64_t)quick.region * pario_group_size(run->world));
    return code != 0 ? code : measure_all(&quick, dir);
}

/* Both MPI-IO libraries in one job: only the overview compares them. */
static int wants_shipio(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "-i", 2) == 0 ||
            strncmp(argv[i], "--interfaces", 12) == 0)
            return 0;
    return 1;
}

static const struct pario_view_line quick_lines[] = {
    {"large files",
     {{"write", "file_per_process_write_mbps"},
      {"read", "file_per_process_read_mbps"}},
     "one file per process"},
    {"",
     {{"write", "shared_file_write_mbps"}, {"read", "shared_file_read_mbps"}},
     "one shared file"},
    {"4 KiB random",
     {{"write", "random_write_iops"}, {"p99", "random_write_p99_ns"}},
     NULL},
    {"", {{"read", "random_read_iops"}, {"p99", "random_read_p99_ns"}}, NULL},
    {"MPI-IO, 1 KiB pieces, collective",
     {{"write", "collective_write_mbps"},
      {"shipio", "collective_shipio_write_mbps"},
      {"gain", "shipio_gain_ratio"}},
     NULL},
    {"metadata", {{"create", "create_per_s"}, {"stat", "stat_per_s"}}, NULL},
    {.label = NULL},
};

static const struct pario_view_name quick_axes[] = {
    {.key = "request_bytes", .name = "request size"},
    {.key = NULL},
};

static const struct pario_view_test quick_test_names[] = {
    {.test = "file_per_process", .name = "a file per process"},
    {.test = "shared_file", .name = "one shared file"},
    {.test = "random", .name = "4 KiB at random places"},
    {.test = "collective", .name = "MPI-IO, 1 KiB pieces, collective"},
    {.test = "metadata", .name = "files made and asked for"},
    {.test = NULL},
};

static const struct pario_view quick_view = {
    .title = "a look at a directory in a minute",
    .question = "How fast is this directory, and what limits it?",
    .lines = quick_lines,
    .axes = quick_axes,
    .tests = quick_test_names,
    .next = "pario report {file} -o quick.html",
};

const struct pario_suite pario_suite_quick = {
    .name = "quick",
    .operands = "[DIR]",
    .summary = "the first look: how fast is a directory? A minute, eight lines",
    .help = "Writes and reads large files (one for each process, and one that "
            "all share), reads and writes 4 KiB at random places, writes "
            "1 KiB pieces collectively with MPI-IO with and without shipio, "
            "creates files and asks for them. Nothing comes from a cache "
            "where that can be helped: O_DIRECT, else the file is evicted "
            "before it is read. The data is checked, and a figure that came "
            "from a cache all the same says so. Without MPI-IO that question "
            "is left out.",
    .view = &quick_view,
    .fields = quick_fields,
    .options_size = sizeof(struct quick_options),
    .defaults = &quick_defaults,
    .tests = quick_tests,
    .wants_shipio = wants_shipio,
    .run = quick_run,
};
