/* suites/honesty/print.c - the verdicts in words, and as JSON. */
#include "suites/honesty/honesty.h"

#include "result/value.h"
#include "result/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void say_sum(struct pario_result *result, const char *library,
                    const struct honesty_sum *sum)
{
    char faults[80] = "";

    if (sum->cases == 0)
        return;
    if (sum->faults > 0)
        snprintf(faults, sizeof(faults), "%zu of %zu faults happened, ",
                 sum->faults - sum->unmet, sum->faults);
    if (sum->bad > 0)
        pario_view_say(result, "%s: %s%zu of %zu cases cannot be believed",
                       library, faults, sum->bad, sum->cases);
    else if (sum->unmet > 0)
        pario_view_say(result,
                       "%s: %sthe other %zu cases reported as they should be",
                       library, faults, sum->cases - sum->unmet);
    else
        pario_view_say(result,
                       "%s: %severy one of %zu cases reported as it should be",
                       library, faults, sum->cases);
}

/* "SUCCESS FOR LOST DATA: enospc-write_all, eio-sync". */
static void say_verdict(struct pario_result *result,
                        const struct honesty_results *results,
                        const char *library, enum honesty_verdict verdict)
{
    char text[800] = "";
    size_t used = 0;

    for (size_t i = 0; i < results->count && used < sizeof(text); i++) {
        const struct honesty_result *one = &results->one[i];

        if (one->verdict == verdict && strcmp(one->library, library) == 0)
            used +=
                (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                 used > 0 ? ", " : "", one->kase->test.name);
    }
    if (used > 0)
        pario_view_say(result, "%s: %s: %s", library,
                       honesty_verdict_names[verdict], text);
}

void honesty_answer(struct pario_result *result,
                    const struct honesty_results *results)
{
    for (int l = 0; honesty_libraries[l] != NULL; l++) {
        struct honesty_sum sum = honesty_sum_of(results, honesty_libraries[l]);

        say_sum(result, honesty_libraries[l], &sum);
        for (int v = 0; v <= HONESTY_UNMET; v++)
            if (!honesty_is_clean((enum honesty_verdict)v))
                say_verdict(result, results, honesty_libraries[l],
                            (enum honesty_verdict)v);
    }
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
