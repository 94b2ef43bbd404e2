/* suites/pattern/print.c - the plan before, and the answer after. */
#include "core/units.h"
#include "result/value.h"
#include "suites/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

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
        printf("  %lld calls per process and phase\n", (long long)plan.count);
        printf("  memory: %s per process for buffers\n",
               pario_size_print_short(memory, size));
        memory = plan.region_bytes * processes;
        most = memory > most ? memory : most;
    }
    printf("\n  %d process%s in %s\n", processes, plural(processes), dir);
    printf("  disk space: at most %s\n", pario_size_print_short(most, size));
}

static void print_place(const json_t *document, FILE *out)
{
    const json_t *system = json_object_get(document, "system");
    const json_t *details = json_object_get(system, "filesystem_details");
    long long processes = pario_integer_of(system, "processes");
    long long nodes = pario_integer_of(system, "nodes");

    fprintf(out, "%s%s%s, %lld process%s on %lld node%s, MPI: %s\n",
            pario_text_of(system, "filesystem", ""),
            pario_text_of(details, "source", "")[0] != '\0' ? " on " : "",
            pario_text_of(details, "source", ""), processes, plural(processes),
            nodes, nodes == 1 ? "" : "s", pario_text_of(system, "mpi", ""));
}

static void print_rate(double mbps, FILE *out)
{
    if (mbps >= 1000)
        fprintf(out, "%6.3g GB/s", mbps / 1000);
    else
        fprintf(out, "%6.3g MB/s", mbps);
}

static void print_calls(double per_s, FILE *out)
{
    if (per_s >= 1e6)
        fprintf(out, "  %5.3g M calls/s", per_s / 1e6);
    else if (per_s >= 1e3)
        fprintf(out, "  %5.3g k calls/s", per_s / 1e3);
    else
        fprintf(out, "  %5.3g calls/s  ", per_s);
}

static void print_latency(const json_t *measure, FILE *out)
{
    static const char *const names[] = {"p50", "p99"};
    const json_t *latency = json_object_get(measure, "latency_ns");
    char time[PARIO_UNITS_LEN];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (json_object_get(latency, names[i]) != NULL)
            fprintf(out, "  %s %-8s", names[i],
                    pario_time_print(pario_number_of(latency, names[i]) * 1e-9,
                                     time));
}

/* Same access of the same case? */
static int belongs(const json_t *measure, const json_t *to)
{
    const json_t *a = json_object_get(measure, "parameters");
    const json_t *b = json_object_get(to, "parameters");

    return strcmp(pario_text_of(measure, "access", ""),
                  pario_text_of(to, "access", "")) == 0 &&
           strcmp(pario_text_of(a, "case", ""), pario_text_of(b, "case", "")) ==
               0;
}

/* The rates of all repetitions; -1: this measure is not the first of them. */
static int gather(const json_t *measures, const json_t *first, double *mbps,
                  struct pario_flag_sum *flags)
{
    const json_t *measure;
    int count = 0;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        if (!belongs(measure, first))
            continue;
        if (count == 0 && measure != first)
            return -1;
        mbps[count++] = pario_number_of(measure, "bandwidth_mbps");
        pario_flag_sum_add(flags, pario_flags_of_measure(measure));
    }
    return count;
}

static unsigned print_measure(const json_t *measures, const json_t *measure,
                              FILE *out)
{
    double *mbps = calloc(json_array_size(measures), sizeof(*mbps));
    double seconds = pario_number_of(measure, "seconds");
    struct pario_flag_sum sum = {.count = 0};
    struct pario_interval interval;
    char text[PARIO_FLAGS_LEN];
    unsigned flags = 0;
    int count = mbps != NULL ? gather(measures, measure, mbps, &sum) : -1;

    if (count > 0 &&
        pario_median_interval(mbps, (size_t)count, &interval) == 0) {
        flags = pario_flag_sum_get(&sum);
        fprintf(out, "  %-6s", pario_text_of(measure, "access", ""));
        print_rate(interval.median, out);
        print_calls(
            seconds > 0 ? pario_number_of(measure, "operations") / seconds : 0,
            out);
        print_latency(measure, out);
        fprintf(out, "  %s\n", pario_flags_print(flags, text));
        if (count > 1)
            fprintf(out, "         median of %d, %.3g .. %.3g MB/s\n", count,
                    interval.low, interval.high);
    }
    free(mbps);
    return flags;
}

/* What the flags beside the figures mean, once. */
static void explain(unsigned flags, const json_t *document, FILE *out)
{
    static const struct {
        unsigned flag;
        const char *words;
    } meanings[] = {
        {PARIO_FLAG_CACHE,
         "cache: the device saw next to nothing of it (writes: -e waits for "
         "it; reads: --cold)"},
        {PARIO_FLAG_MIXED, "mixed: a part of it came from or went to a cache"},
        {PARIO_FLAG_UNKNOWN, "unknown: whether a cache took part is not "
                             "visible here"},
        {PARIO_FLAG_SHORT, "short: less than 0.1 s; choose more segments (-s)"},
        {PARIO_FLAG_UNVERIFIED, "unverified: the data was not checked"},
        {PARIO_FLAG_FAILED, "failed: see the warnings"},
    };

    fputc('\n', out);
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (flags & meanings[i].flag)
            fprintf(out, "  ! %s\n", meanings[i].words);
    if (!json_is_true(json_object_get(document, "valid")))
        fprintf(out, "  ! INVALID: see the warnings\n");
}

int pattern_print(const struct pario_run *run, FILE *out)
{
    const json_t *document = pario_result_document(run->result);
    const json_t *measures = json_object_get(document, "measures"), *measure;
    const char *before = "";
    unsigned flags = 0;
    size_t i;

    print_place(document, out);
    fputc('\n', out);
    json_array_foreach(measures, i, measure)
    {
        const char *label =
            pario_text_of(json_object_get(measure, "parameters"), "case", "");

        if (strcmp(label, before) != 0)
            fprintf(out, "%s\n", label);
        before = label;
        flags |= print_measure(measures, measure, out);
    }
    explain(flags, document, out);
    return 0;
}
