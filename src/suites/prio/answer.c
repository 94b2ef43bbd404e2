/* suites/prio/answer.c - the answer of a workload whose sections have names for
 * it: how many requests per second, and how long they take. Rank 0. */
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/prio/prio.h"

#include <stdio.h>
#include <string.h>

#define MAX_ANSWERED 8 /* lines */

/* The repetitions of one case of a section. */
struct answered {
    struct pario_result *result;
    const struct prio_section *section;
    struct pario_repetitions same;
};

static double requests_of(const json_t *measure)
{
    return pario_number_of(measure, "operations_per_s");
}

static int is_of(const struct prio_section *section, const json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");

    return strcmp(pario_text_of(parameters, "section", ""), section->label) ==
           0;
}

/* The median over the repetitions; 0: there is none. */
static int add_figure(const struct answered *answered,
                      double (*of)(const json_t *measure), const char *name)
{
    struct pario_interval interval;

    if (!pario_repetitions_median(&answered->same, of, &interval))
        return 0;
    pario_result_summary(answered->result, name, json_real(interval.median),
                         answered->same.flags);
    return 1;
}

/* number: of the section's cases, from 1 on. */
static void add_case(const struct answered *answered, int number)
{
    const json_t *first = answered->same.measures[0];
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
    if (add_figure(answered, pario_measure_p99_ns, names[1]))
        line.cells[n++] = (struct pario_view_cell){"p99", names[1]};
    if (n > 0)
        pario_view_add(answered->result, &line);
}

/* The cases of one section, each in a line. */
static void add_section(struct answered *answered, int *left)
{
    const json_t *measure;
    int number = 0;
    size_t i;

    json_array_foreach(answered->same.all, i, measure)
    {
        if (*left == 0 || !is_of(answered->section, measure))
            continue;
        pario_repetitions_gather(&answered->same, measure);
        if (answered->same.count == 0)
            continue;
        add_case(answered, ++number);
        (*left)--;
    }
}

int prio_answer(struct pario_result *result,
                const struct prio_workload *workload)
{
    struct answered answered = {.result = result};
    int code, named = 0, left = MAX_ANSWERED;

    for (int i = 0; i < workload->nsections; i++)
        named += workload->section[i].answer != NULL;
    if (named == 0)
        return 0;
    code = pario_repetitions_init(result, &answered.same);
    if (code == 0)
        pario_view_clear(result); /* of the sub-benchmarks' bandwidths */
    for (int i = 0; code == 0 && i < workload->nsections; i++) {
        answered.section = &workload->section[i];
        if (answered.section->answer != NULL)
            add_section(&answered, &left);
    }
    pario_repetitions_fini(&answered.same);
    return code;
}
