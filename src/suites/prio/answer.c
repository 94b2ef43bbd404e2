/* suites/prio/answer.c - the answer of a workload whose sections have names for
 * it: how many requests per second, and how long they take; of one without, how
 * much of the time its programs computed. Rank 0. */
#include "report/measures.h"
#include "result/identity.h"
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/prio/prio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANSWERED 8 /* lines */

/* The cases of one section, each with its repetitions. */
struct answered {
    struct pario_result *result;
    const json_t *view;
    const struct prio_section *section;
    struct pario_repetitions same;
    json_t *shared; /* what all its cases have alike */
    int left;       /* lines that there is room for */
};

static double requests_of(const json_t *measure)
{
    return pario_number_of(measure, "operations_per_s");
}

/* MLPerf Storage's accelerator utilisation, where think is its time. */
static double computing_of(const json_t *measure)
{
    return 100 * pario_number_of(measure, "utilisation");
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

/* "small writes", and what tells the case from the section's others. The caller
 * frees it; NULL: no memory. */
static char *label_of(const struct answered *answered, const char *text)
{
    json_t *identity =
        pario_measure_identity(answered->same.measures[0], answered->view);
    char *plain =
        pario_members_plain(answered->view, identity, answered->shared);
    char *label = NULL;

    if (plain != NULL && asprintf(&label, "%s%s%s", text,
                                  plain[0] != '\0' ? ": " : "", plain) < 0)
        label = NULL;
    free(plain);
    json_decref(identity);
    return label;
}

/* number: of the section's cases, from 1 on. */
static int add_case(const struct answered *answered, int number)
{
    char names[2][PRIO_LABEL_LEN + 32], end[16] = "";
    char *label = label_of(answered, answered->section->answer);
    struct pario_view_line line = {.label = label};
    int n = 0;

    if (label == NULL)
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    if (number > 1)
        snprintf(end, sizeof(end), "_%d", number);
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
    free(label);
    return 0;
}

/* The same for a section whose programs think: how much of the time they did,
 * and did not wait. */
static int add_computing(const struct answered *answered, int number)
{
    char name[PRIO_LABEL_LEN + 48], text[PRIO_LABEL_LEN + 48], end[16] = "";
    struct pario_view_line line = {.cells = {{"", name}}};
    char *label;

    if (number > 1)
        snprintf(end, sizeof(end), "_%d", number);
    snprintf(name, sizeof(name), "%s%s_computing_percent",
             answered->section->label, end);
    snprintf(text, sizeof(text), "%s computing", answered->section->label);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '_')
            *c = ' ';
    label = label_of(answered, text);
    if (label == NULL)
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    line.label = label;
    if (add_figure(answered, computing_of, name))
        pario_view_add(answered->result, &line);
    free(label);
    return 0;
}

/* What the cases of the section have alike. */
static void find_shared(struct answered *answered)
{
    json_t *shared = NULL;

    for (size_t i = 0; pario_repetitions_take(&answered->same, i); i++) {
        const json_t *first = answered->same.measures[0];
        json_t *identity;

        if (!is_of(answered->section, first))
            continue;
        identity = pario_measure_identity(first, answered->view);
        if (shared == NULL)
            shared = json_copy(identity);
        pario_identity_share(shared, identity);
        json_decref(identity);
    }
    answered->shared = shared;
}

static int has_line(const struct answered *answered)
{
    const json_t *first = answered->same.measures[0];

    return is_of(answered->section, first) &&
           (answered->section->answer != NULL ||
            json_object_get(first, "utilisation") != NULL);
}

/* The cases of one section, each in a line. */
static int add_section(struct answered *answered)
{
    int number = 0, code = 0;

    find_shared(answered);
    for (size_t i = 0; code == 0 && answered->left > 0 &&
                       pario_repetitions_take(&answered->same, i);
         i++) {
        if (!has_line(answered))
            continue;
        number++;
        code = answered->section->answer != NULL
                   ? add_case(answered, number)
                   : add_computing(answered, number);
        answered->left--;
    }
    json_decref(answered->shared);
    return code;
}

int prio_answer(struct pario_result *result,
                const struct prio_workload *workload)
{
    const json_t *document = pario_result_document(result);
    struct answered answered = {.result = result,
                                .view = json_object_get(document, "view"),
                                .left = MAX_ANSWERED};
    int code, named = 0;

    for (int i = 0; i < workload->nsections; i++)
        named += workload->section[i].answer != NULL;
    code = pario_repetitions_init(document, NULL, &answered.same);
    if (code == 0 && named > 0)
        pario_view_clear(result); /* of the sub-benchmarks' bandwidths */
    for (int i = 0; code == 0 && i < workload->nsections; i++) {
        answered.section = &workload->section[i];
        if (named == 0 || answered.section->answer != NULL)
            code = add_section(&answered);
    }
    pario_repetitions_fini(&answered.same);
    return code;
}
