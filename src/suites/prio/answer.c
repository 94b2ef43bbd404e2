/* suites/prio/answer.c - the answer of a workload whose sections have names for
 * it: how many requests per second, and how long they take. Rank 0. */
#include "core/stats.h"
#include "result/flags.h"
#include "result/measure.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/prio/prio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWERED 8 /* lines */

/* The repetitions of one case of a section. */
struct answered {
    struct pario_result *result;
    const struct prio_section *section;
    const json_t **measures;
    double *values; /* room for as many */
    size_t count;
};

static double requests_of(const json_t *measure)
{
    return pario_number_of(measure, "operations_per_s");
}

static double p99_of(const json_t *measure)
{
    return pario_number_of(json_object_get(measure, "latency_ns"), "p99");
}

static int is_of(const struct prio_section *section, const json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");

    return strcmp(pario_text_of(parameters, "section", ""), section->label) ==
           0;
}

/* All repetitions; none: the measure is not the first of them. */
static void gather(struct answered *answered, const json_t *measures,
                   const json_t *first)
{
    const json_t *measure;
    size_t i;

    answered->count = 0;
    json_array_foreach(measures, i, measure)
    {
        if (!pario_measures_repeat(measure, first))
            continue;
        if (answered->count == 0 && measure != first)
            return;
        answered->measures[answered->count++] = measure;
    }
}

/* The median over the repetitions; 0: there is none. */
static int add_figure(const struct answered *answered,
                      double (*of)(const json_t *measure), const char *name)
{
    struct pario_flag_sum flags = {0};
    struct pario_interval interval;

    for (size_t i = 0; i < answered->count; i++) {
        answered->values[i] = of(answered->measures[i]);
        pario_flag_sum_add(&flags,
                           pario_flags_of_measure(answered->measures[i]));
    }
    if (pario_median_interval(answered->values, answered->count, &interval) !=
            0 ||
        interval.median <= 0)
        return 0;
    pario_result_summary(answered->result, name, json_real(interval.median),
                         pario_flag_sum_get(&flags));
    return 1;
}

/* number: of the section's cases, from 1 on. */
static void add_case(const struct answered *answered, int number)
{
    const json_t *first = answered->measures[0];
    const json_t *parameters = json_object_get(first, "parameters");
    char names[2][PRIO_LABEL_LEN + 32], note[160] = "", end[16] = "";
    struct pario_view_line line = {.label = answered->section->answer,
                                   .note = note};
    int n = 0;

    if (number > 1) {
        snprintf(end, sizeof(end), "_%d", number);
        snprintf(note, sizeof(note), "%s: %s, %s, %lld processes",
                 pario_text_of(parameters, "directory", ""),
                 pario_text_of(first, "access", ""),
                 pario_text_of(parameters, "method", ""),
                 (long long)pario_integer_of(first, "partition"));
    } else {
        line.note = NULL;
    }
    snprintf(names[0], sizeof(names[0]), "%s%s_iops", answered->section->label,
             end);
    snprintf(names[1], sizeof(names[1]), "%s%s_p99_ns",
             answered->section->label, end);
    if (add_figure(answered, requests_of, names[0]))
        line.cells[n++] = (struct pario_view_cell){"", names[0]};
    if (add_figure(answered, p99_of, names[1]))
        line.cells[n++] = (struct pario_view_cell){"p99", names[1]};
    if (n > 0)
        pario_view_add(answered->result, &line);
}

/* The cases of one section, each in a line. */
static void add_section(struct answered *answered, int *left)
{
    const json_t *measures =
        json_object_get(pario_result_document(answered->result), "measures");
    const json_t *measure;
    int number = 0;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        if (*left == 0 || !is_of(answered->section, measure))
            continue;
        gather(answered, measures, measure);
        if (answered->count == 0)
            continue;
        add_case(answered, ++number);
        (*left)--;
    }
}

int prio_answer(struct pario_result *result,
                const struct prio_workload *workload)
{
    const json_t *document = pario_result_document(result);
    size_t room = json_array_size(json_object_get(document, "measures")) + 1;
    struct answered answered = {.result = result};
    int named = 0, left = MAX_ANSWERED;

    for (int i = 0; i < workload->nsections; i++)
        named += workload->section[i].answer != NULL;
    if (named == 0)
        return 0;
    answered.measures = calloc(room, sizeof(json_t *));
    answered.values = calloc(room, sizeof(double));
    if (answered.measures == NULL || answered.values == NULL) {
        free(answered.measures);
        free(answered.values);
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    }
    pario_view_clear(result); /* of the sub-benchmarks' bandwidths */
    for (int i = 0; i < workload->nsections; i++) {
        answered.section = &workload->section[i];
        if (answered.section->answer != NULL)
            add_section(&answered, &left);
    }
    free(answered.measures);
    free(answered.values);
    return 0;
}
