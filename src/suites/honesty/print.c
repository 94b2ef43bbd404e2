/* suites/honesty/print.c - the table of verdicts, and the same as JSON. */
#include "suites/honesty/honesty.h"

#include "report/table.h"
#include "result/value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_sum(FILE *out, const char *library,
                      const struct honesty_sum *sum)
{
    if (sum->cases == 0)
        return;
    fprintf(out, "%s: ", library);
    if (sum->faults > 0)
        fprintf(out, "%zu of %zu faults happened, ", sum->faults - sum->unmet,
                sum->faults);
    if (sum->bad > 0)
        fprintf(out, "%zu of %zu cases cannot be believed\n", sum->bad,
                sum->cases);
    else if (sum->unmet > 0)
        fprintf(out, "the other %zu cases reported as they should be\n",
                sum->cases - sum->unmet);
    else
        fprintf(out, "every one of %zu cases reported as it should be\n",
                sum->cases);
}

int honesty_print(FILE *out, const struct honesty_results *results)
{
    static const char *const headers[] = {"fault", "library", "verdict",
                                          "detail"};
    struct pario_table *table = NULL;
    int code = pario_table_create(4, headers, &table);

    fprintf(out, "%s on %s: what is reported when storage fails\n\n",
            results->library, results->filesystem);
    for (size_t i = 0; code == 0 && i < results->count; i++) {
        const struct honesty_result *result = &results->one[i];

        pario_table_cell(table, "%s", result->kase->test.summary);
        pario_table_cell(table, "%s", result->library);
        pario_table_cell(table, "%s", honesty_verdict_names[result->verdict]);
        pario_table_cell(table, "%s",
                         result->detail[0] != '\0' ? result->detail : "-");
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    if (code != 0)
        return code;
    fputs("\n", out);
    for (int l = 0; honesty_libraries[l] != NULL; l++) {
        struct honesty_sum sum = honesty_sum_of(results, honesty_libraries[l]);

        print_sum(out, honesty_libraries[l], &sum);
    }
    return 0;
}

static json_t *ranks_json(const struct honesty_result *result)
{
    static const char *const steps[] = {"open", "call", "sync", "close"};
    json_t *ranks = json_array();

    for (int r = 0; r < result->size; r++) {
        const struct honesty_rank *rank = &result->rank[r];
        json_t *reported = json_object();
        char gap[80];

        for (int s = 0; s < rank->ended && s < HONESTY_STEPS; s++)
            json_object_set_new(reported, steps[s],
                                rank->error[s][0] != '\0'
                                    ? json_string(rank->error[s])
                                    : json_string("success"));
        honesty_gap_text(rank->gap, gap);
        json_array_append_new(
            ranks,
            json_pack("{s:o, s:I, s:b, s:b, s:s*}", "reported", reported,
                      "count", (json_int_t)rank->count, "data_intact",
                      rank->intact, "finished", rank->ended == HONESTY_STEPS,
                      "gap", gap[0] != '\0' ? gap : NULL));
    }
    return ranks;
}

static json_t *sums_json(const struct honesty_results *results)
{
    json_t *sums = json_object();

    for (int l = 0; honesty_libraries[l] != NULL; l++) {
        struct honesty_sum sum = honesty_sum_of(results, honesty_libraries[l]);

        if (sum.cases > 0)
            json_object_set_new(
                sums, honesty_libraries[l],
                json_pack("{s:I, s:I, s:I, s:I}", "cases",
                          (json_int_t)sum.cases, "not_believable",
                          (json_int_t)sum.bad, "faults", (json_int_t)sum.faults,
                          "faults_met", (json_int_t)(sum.faults - sum.unmet)));
    }
    return sums;
}

json_t *honesty_finding(const struct honesty_result *result)
{
    const struct pario_test *test = &result->kase->test;

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:f, s:o}",
                     "name", test->name, "case", test->name, "title",
                     test->summary, "library", result->library, "verdict",
                     honesty_verdict_names[result->verdict], "clean",
                     honesty_is_clean(result->verdict), "met", result->met,
                     "detail", result->detail, "seconds", result->seconds,
                     "ranks", ranks_json(result));
}

int honesty_from_finding(const json_t *finding, struct honesty_result *result)
{
    const struct honesty_case *kase =
        honesty_case_find(pario_text_of(finding, "name", ""));

    *result = (struct honesty_result){.library = ""};
    for (int l = 0; honesty_libraries[l] != NULL; l++)
        if (strcmp(honesty_libraries[l],
                   pario_text_of(finding, "library", "")) == 0)
            result->library = honesty_libraries[l];
    for (int v = 0; v <= HONESTY_UNMET; v++) {
        if (strcmp(honesty_verdict_names[v],
                   pario_text_of(finding, "verdict", "")) != 0)
            continue;
        if (kase == NULL || result->library[0] == '\0')
            break;
        result->verdict = (enum honesty_verdict)v;
        result->kase = kase;
        snprintf(result->detail, sizeof(result->detail), "%s",
                 pario_text_of(finding, "detail", ""));
        snprintf(result->met, sizeof(result->met), "%s",
                 pario_text_of(finding, "met", ""));
        result->seconds = pario_number_of(finding, "seconds");
        return 0;
    }
    return pario_fail(-EINVAL, "a finding of no case that is known: '%s'",
                      pario_text_of(finding, "name", ""));
}

json_t *honesty_json(const struct honesty_results *results)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(rows, honesty_finding(&results->one[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "pario-honesty/1",
                     "mpi", results->library, "filesystem", results->filesystem,
                     "libraries", sums_json(results), "cases", rows);
}
