/* suites/pattern/print.c - the plan before, and the answer after. */
#include "core/units.h"
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/pattern/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWERED 8 /* lines */

static const char *plural(long long n)
{
    return n == 1 ? "" : "es";
}

static void print_case(const struct pattern_options *options, FILE *out)
{
    char block[PARIO_UNITS_LEN], transfer[PARIO_UNITS_LEN];
    char text[512];

    fprintf(out,
            "%s%s: %s, %lld segment%s of a block of %s per process, "
            "transfers of %s\n",
            options->label != NULL ? "\n" : "",
            options->label != NULL ? options->label : "pattern",
            options->file_per_process ? "one file per process"
                                      : "one shared file",
            (long long)options->segments, options->segments == 1 ? "" : "s",
            pario_size_print(options->block_bytes, block),
            pario_size_print(options->transfer_bytes, transfer));
    fprintf(out, "  %s\n",
            pario_fields_label(pattern_fields, 0, options, text, sizeof(text)));
}

void pattern_print_plan(const struct pattern_cases *cases, int processes,
                        const char *dir)
{
    char size[PARIO_UNITS_LEN];
    int64_t most = 0;

    for (size_t i = 0; i < cases->count; i++) {
        const struct pattern_options *options = &cases->list[i];
        struct pattern_plan plan;
        int64_t memory;

        print_case(options, stdout);
        pattern_plan_layout(options, processes, 0, &plan);
        memory =
            (plan.period + 2 * (int64_t)plan.longest) * options->queue_depth;
        printf("  %s%s%s%s, %lld time%s\n", options->write ? "write" : "",
               options->write && options->read ? ", " : "",
               options->read ? "read" : "",
               options->read_share >= 0 ? "reads and writes mixed" : "",
               (long long)options->repetitions,
               options->repetitions == 1 ? "" : "s");
        printf("  %lld call%s per process and phase\n", (long long)plan.count,
               plan.count == 1 ? "" : "s");
        printf("  memory: %s per process for buffers\n",
               pario_size_print_short(memory, size));
        memory = plan.region_bytes * processes;
        most = memory > most ? memory : most;
    }
    printf("\n  %d process%s in %s\n", processes, plural(processes), dir);
    printf("  disk space: at most %s\n", pario_size_print_short(most, size));
}

static double rate_of(const json_t *measure)
{
    double seconds = pario_number_of(measure, "seconds");

    return seconds > 0 ? pario_number_of(measure, "operations") / seconds : 0;
}

static double mbps_of(const json_t *measure)
{
    return pario_number_of(measure, "bandwidth_mbps");
}

/* The figures of one access of one case, in the order of its line. */
static const struct {
    const char *name, *ending;
    double (*of)(const json_t *measure);
} quantities[PARIO_VIEW_CELLS] = {
    {"", "mbps", mbps_of},
    {"calls", "per_s", rate_of},
    {"p99", "p99_ns", pario_measure_p99_ns},
};

/* What the repetitions of one access of one case came to. */
struct outcome {
    struct pario_result *result;
    struct pario_repetitions same;
    char prefix[128]; /* of its figures: "CASE_write" */
};

static const json_t *largest_of(const struct pario_repetitions *same)
{
    const json_t *largest = same->measures[0];

    for (size_t i = 1; i < same->count; i++)
        if (mbps_of(same->measures[i]) > mbps_of(largest))
            largest = same->measures[i];
    return largest;
}

/* The median over the repetitions becomes the figure; 0: there is none. */
static int add_figure(const struct outcome *outcome, size_t q, char *name,
                      size_t len)
{
    struct pario_interval interval;
    char low[PARIO_UNITS_LEN], high[PARIO_UNITS_LEN], most[160];
    size_t count = outcome->same.count;
    const json_t *largest;

    if (!pario_repetitions_median(&outcome->same, quantities[q].of, &interval))
        return 0;
    snprintf(name, len, "%s_%s", outcome->prefix, quantities[q].ending);
    pario_result_summary(outcome->result, name, json_real(interval.median),
                         outcome->same.flags);
    if (q > 0 || count == 1)
        return 1;
    snprintf(most, sizeof(most), "%s_max_mbps", outcome->prefix);
    largest = largest_of(&outcome->same);
    pario_result_summary(outcome->result, most, json_real(mbps_of(largest)),
                         pario_flags_of_measure(largest));
    pario_view_say(outcome->result,
                   "%s: the median of %zu repetitions, 95 %% interval %s to "
                   "%s.",
                   outcome->prefix, count, pario_rate_print(interval.low, low),
                   pario_rate_print(interval.high, high));
    return 1;
}

static void add_outcome(struct outcome *outcome, int shown)
{
    const json_t *first = outcome->same.measures[0];
    const char *label =
        pario_text_of(json_object_get(first, "parameters"), "case", "");
    const char *access = pario_text_of(first, "access", "");
    char text[128], names[PARIO_VIEW_CELLS][160];
    struct pario_view_line line = {.label = text};
    int n = 0;

    snprintf(text, sizeof(text), "%s%s%s", label, label[0] != '\0' ? " " : "",
             access);
    snprintf(outcome->prefix, sizeof(outcome->prefix), "%s%s%s", label,
             label[0] != '\0' ? "_" : "", access);
    for (size_t q = 0; q < PARIO_VIEW_CELLS; q++)
        if (add_figure(outcome, q, names[n], sizeof(names[n]))) {
            line.cells[n] = (struct pario_view_cell){.name = quantities[q].name,
                                                     .figure = names[n]};
            n++;
        }
    if (shown && n > 0)
        pario_view_add(outcome->result, &line);
}

int pattern_answer(struct pario_result *result)
{
    struct outcome outcome = {.result = result};
    int code = pario_repetitions_init(pario_result_document(result), NULL,
                                      &outcome.same);
    size_t count = 0;

    while (code == 0 && pario_repetitions_take(&outcome.same, count))
        add_outcome(&outcome, count++ < MAX_ANSWERED);
    if (count > MAX_ANSWERED)
        pario_view_say(result, "%zu more are in the report.",
                       count - MAX_ANSWERED);
    pario_repetitions_fini(&outcome.same);
    return code;
}
