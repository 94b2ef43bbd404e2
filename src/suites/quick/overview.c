/* suites/quick/overview.c - one line for each question that people have. */
#include "core/units.h"
#include "launch/library.h"
#include "pario_config.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/quick/quick.h"

#include <stdio.h>
#include <string.h>

#define LARGE_BYTES ((int64_t)1 << 20)
#define SMALL_BYTES ((int64_t)4 << 10)
#define PIECE_BYTES ((int64_t)1 << 10)
/* A device that had something to do for so much of the time sets the pace. */
#define BUSY_SHARE 0.9

/* What is measured, in this order. */
struct question {
    const char *test;
    struct quick_case what;
    enum quick_access access[2];
    int count;    /* of these */
    int prepared; /* the file is there before: it is rewritten */
};

static const struct question questions[] = {
    {.test = "file_per_process",
     .what = {.backend = &pario_backend_posix,
              .separate = 1,
              .request_bytes = LARGE_BYTES,
              .goes_round = 1},
     .access = {QUICK_WRITE, QUICK_READ},
     .count = 2},
    {.test = "shared_file",
     .what = {.backend = &pario_backend_posix,
              .request_bytes = LARGE_BYTES,
              .goes_round = 1},
     .access = {QUICK_WRITE, QUICK_READ},
     .count = 2},
    {.test = "random",
     .what = {.backend = &pario_backend_posix,
              .separate = 1,
              .random = 1,
              .request_bytes = SMALL_BYTES},
     .access = {QUICK_REWRITE, QUICK_READ},
     .count = 2,
     .prepared = 1},
#if PARIO_HAVE_MPIIO
    {.test = "collective",
     .what = {.backend = &pario_backend_mpiio_native,
              .library = "native",
              .request_bytes = LARGE_BYTES,
              .piece_bytes = PIECE_BYTES,
              .goes_round = 1},
     .access = {QUICK_WRITE},
     .count = 1},
    {.test = "collective",
     .what = {.backend = &pario_backend_mpiio,
              .library = "shipio",
              .request_bytes = LARGE_BYTES,
              .piece_bytes = PIECE_BYTES,
              .goes_round = 1},
     .access = {QUICK_WRITE},
     .count = 1},
#endif
};

#define NQUESTIONS (sizeof(questions) / sizeof(questions[0]))
#define METADATA_PHASES 2

/* Is it asked in this run? */
static int is_asked(const struct question *question)
{
    return question->what.library == NULL ||
           strcmp(question->what.library, "shipio") != 0 ||
           pario_shipio_loaded();
}

int quick_overview_begin(struct quick *quick, const char *dir)
{
    const struct quick_options *options = quick->options;
    int code = 0;

    /* Nothing from a cache where that can be helped; the names that the kernel
     * keeps of the whole machine are dropped only where it was asked for. */
    quick->cold_names = quick->run->common.cold;
    quick->run->common.cold = 1;
    if (!options->buffered)
        code = pario_backend_check(&pario_backend_posix, dir, PARIO_OPEN_DIRECT,
                                   SMALL_BYTES);
    quick->direct = !options->buffered && code == 0;
    quick->phases = METADATA_PHASES;
    for (size_t i = 0; i < NQUESTIONS; i++)
        quick->phases += is_asked(&questions[i]) ? questions[i].count : 0;
    return options->direct ? code : 0;
}

void quick_overview_print(const struct quick *quick)
{
    char size[PARIO_UNITS_LEN];
    int processes = pario_group_size(quick->run->world);

    printf("quick: %d process%s, %s\n", processes, processes == 1 ? "" : "es",
           quick->direct ? "O_DIRECT" : "cold reads");
    for (size_t i = 0; i < NQUESTIONS; i++)
        if (is_asked(&questions[i]))
            printf("  %s%s%s, requests of %s\n", questions[i].test,
                   questions[i].what.library != NULL ? ", " : "",
                   questions[i].what.library != NULL ? questions[i].what.library
                                                     : "",
                   pario_size_print(questions[i].what.request_bytes, size));
    printf("  metadata: files created and asked for\n");
    printf("  time: %.0f s, %.1f s for each of %d figures\n",
           quick->options->time_s, quick->options->time_s / quick->phases,
           quick->phases);
    printf("  memory: %s for each process\n",
           pario_size_print_short((int64_t)quick->region, size));
    printf("  disk space: at most %s\n",
           pario_size_print_short((int64_t)quick->region * processes, size));
}

static struct pario_measure describe(const struct quick *quick,
                                     const struct question *question,
                                     enum quick_access access)
{
    return (struct pario_measure){
        .test = question->test,
        .access = access == QUICK_READ ? "read" : "write",
        .partition = pario_group_size(quick->run->world),
        .parameters = quick_parameters(quick, quick->part.what),
    };
}

/* The file of the random questions, through the page cache: allocating blocks
 * is not what they ask for. */
static int prepare(struct quick *quick)
{
    const struct quick_case *what = quick->part.what;
    struct quick_case laid = *what;
    struct pario_phase phase;
    int code;

    laid.direct = 0;
    pario_run_phase(quick->run, quick->options->time_s, "preparing a file");
    quick->part.what = &laid;
    code = quick_phase(quick->run, &quick->part, QUICK_WRITE,
                       quick->options->time_s, &phase);
    quick->part.what = what;
    return code;
}

static int ask(struct quick *quick, const struct question *question,
               uint64_t number)
{
    struct quick_case what = question->what;
    int code = 0;

    what.depth = 1;
    what.file_number = number;
    what.direct = quick->direct && what.library == NULL;
    quick_part_begin(quick, &what);
    if (pario_run_is_done(
            quick->run,
            describe(quick, question, question->access[question->count - 1]))) {
        quick->phases_done += question->count;
        return 0;
    }
    if (question->prepared)
        code = prepare(quick);
    for (int i = 0; code == 0 && i < question->count; i++) {
        struct pario_measure measure =
            describe(quick, question, question->access[i]);

        code = quick_measure(quick, question->access[i], &measure);
    }
    quick_part_end(quick);
    return code;
}

int quick_overview_run(struct quick *quick)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < NQUESTIONS; i++)
        if (is_asked(&questions[i]))
            code = ask(quick, &questions[i], i);
    return code != 0 ? code : quick_metadata(quick);
}

/* From the document: a resumed run has measures of before. */
static const json_t *find(const struct quick *quick, const char *test,
                          const char *access, const char *library)
{
    const json_t *document = pario_result_document(quick->run->result);
    const json_t *measure;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        const char *own = pario_text_of(json_object_get(measure, "parameters"),
                                        "library", NULL);

        if (strcmp(pario_text_of(measure, "test", NULL), test) == 0 &&
            strcmp(pario_text_of(measure, "access", NULL), access) == 0 &&
            (library == NULL || (own != NULL && strcmp(own, library) == 0)))
            return measure;
    }
    return NULL;
}

/* The figures of the summary. */
static const struct {
    const char *figure, *test, *access, *library, *member;
} summary[] = {
    {"file_per_process_write_mbps", "file_per_process", "write", NULL,
     "bandwidth_mbps"},
    {"file_per_process_read_mbps", "file_per_process", "read", NULL,
     "bandwidth_mbps"},
    {"shared_file_write_mbps", "shared_file", "write", NULL, "bandwidth_mbps"},
    {"shared_file_read_mbps", "shared_file", "read", NULL, "bandwidth_mbps"},
    {"random_write_iops", "random", "write", NULL, "operations"},
    {"random_write_p99_ns", "random", "write", NULL, "p99"},
    {"random_read_iops", "random", "read", NULL, "operations"},
    {"random_read_p99_ns", "random", "read", NULL, "p99"},
    {"collective_write_mbps", "collective", "write", "native",
     "bandwidth_mbps"},
    {"collective_shipio_write_mbps", "collective", "write", "shipio",
     "bandwidth_mbps"},
    {"create_per_s", "metadata", "create", NULL, "operations"},
    {"stat_per_s", "metadata", "stat", NULL, "operations"},
};

static double value_of(const json_t *measure, const char *member)
{
    double seconds = pario_number_of(measure, "seconds");

    if (strcmp(member, "p99") == 0)
        return pario_number_of(json_object_get(measure, "latency_ns"), member);
    if (strcmp(member, "operations") == 0)
        return seconds > 0 ? pario_number_of(measure, member) / seconds : 0;
    return pario_number_of(measure, member);
}

static void set_summary(struct quick *quick)
{
    const json_t *with = find(quick, "collective", "write", "shipio");
    const json_t *without = find(quick, "collective", "write", "native");

    for (size_t i = 0; i < sizeof(summary) / sizeof(summary[0]); i++) {
        const json_t *measure =
            find(quick, summary[i].test, summary[i].access, summary[i].library);

        if (measure != NULL)
            (void)pario_result_summary(
                quick->run->result, summary[i].figure,
                json_real(value_of(measure, summary[i].member)),
                pario_flags_of_measure(measure));
    }
    if (with != NULL && without != NULL &&
        pario_number_of(without, "bandwidth_mbps") > 0)
        (void)pario_result_summary(
            quick->run->result, "shipio_gain_ratio",
            json_real(pario_number_of(with, "bandwidth_mbps") /
                      pario_number_of(without, "bandwidth_mbps")),
            pario_flags_of_measure(with) | pario_flags_of_measure(without));
}

/* The share of the time in which the device had a request; < 0: not visible. */
static double busy_share(const json_t *measure)
{
    const json_t *busy_ms =
        json_object_get(json_object_get(measure, "device"), "busy_ms");
    double seconds = pario_number_of(measure, "seconds");

    return json_is_number(busy_ms) && seconds > 0
               ? json_number_value(busy_ms) / 1e3 / seconds
               : -1;
}

/* Is there a core of a node that has no process of this run? */
static int has_idle_cores(const struct quick *quick)
{
    return pario_group_size(quick->run->world) <
           pario_node_cpus() * pario_group_nodes(quick->run->world);
}

static void say_limit(struct quick *quick, const char *what, double busy)
{
    struct pario_result *result = quick->run->result;
    int percent = busy < 1 ? (int)(busy * 100 + 0.5) : 100;

    if (busy < 0)
        return;
    if (busy >= BUSY_SHARE)
        pario_view_say(result,
                       "%s are limited by the device: it was busy %d %% of "
                       "the time.",
                       what, percent);
    else
        pario_view_say(result,
                       "%s are limited by the processes, not by the device "
                       "(busy %d %% of the time)%s.",
                       what, percent,
                       has_idle_cores(quick) ? ": more may be faster"
                                             : "; every core has one");
}

static void say_limits(struct quick *quick)
{
    const json_t *write = find(quick, "file_per_process", "write", NULL);
    const json_t *read = find(quick, "file_per_process", "read", NULL);
    double writing = busy_share(write), reading = busy_share(read);

    unsigned both =
        pario_flags_of_measure(write) & pario_flags_of_measure(read);

    if ((both & PARIO_FLAG_CACHE) != 0) {
        pario_view_say(quick->run->result,
                       "It is limited by the memory: no device took part.");
    } else if (writing < 0 && reading < 0) {
        pario_view_say(quick->run->result,
                       "What limits it is not visible: there is no device "
                       "whose work the kernel counts.");
    } else if (writing >= BUSY_SHARE && reading >= BUSY_SHARE) {
        say_limit(quick, "Writes and reads",
                  writing < reading ? writing : reading);
    } else {
        say_limit(quick, "Writes", writing);
        say_limit(quick, "Reads", reading);
    }
}

void quick_overview_summarise(struct quick *quick, const char *dir)
{
    struct pario_result *result = quick->run->result;
    int processes = pario_group_size(quick->run->world);
    char before[32] = "";

    if (result == NULL)
        return;
    if (pario_shipio_loaded())
        (void)pario_result_set(result, "system", "mpi_io",
                               json_string("native and shipio"));
    set_summary(quick);
    say_limits(quick);
    pario_view_text(result, "conditions", "%s",
                    quick->direct ? "direct" : "cold");
    if (processes > 1)
        snprintf(before, sizeof(before), "-n %d ", processes);
    if (PARIO_HAVE_MPIIO)
        pario_view_text(result, "next", "pario %stune %s", before, dir);
}
