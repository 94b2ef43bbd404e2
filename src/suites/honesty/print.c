/* suites/honesty/print.c - the table of verdicts, and the same as JSON. */
#include "suites/honesty/honesty.h"

#include "report/table.h"

#include <stdio.h>

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

        pario_table_cell(table, "%s", result->kase->title);
        pario_table_cell(table, "%s", result->library);
        pario_table_cell(table, "%s", honesty_verdict_names[result->verdict]);
        pario_table_cell(table, "%s",
                         result->detail[0] != '\0' ? result->detail : "-");
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    return code;
}

static json_t *ranks_json(const struct honesty_result *result)
{
    static const char *const steps[] = {"open", "call", "sync", "close"};
    json_t *ranks = json_array();

    for (int r = 0; r < result->size; r++) {
        const struct honesty_rank *rank = &result->rank[r];
        json_t *told = json_object();

        for (int s = 0; s < rank->ended && s < HONESTY_STEPS; s++)
            json_object_set_new(told, steps[s],
                                rank->error[s][0] != '\0'
                                    ? json_string(rank->error[s])
                                    : json_string("success"));
        json_array_append_new(ranks,
                              json_pack("{s:o, s:I, s:b, s:b}", "told", told,
                                        "count", (json_int_t)rank->count,
                                        "data_intact", rank->intact, "finished",
                                        rank->ended == HONESTY_STEPS));
    }
    return ranks;
}

json_t *honesty_json(const struct honesty_results *results)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < results->count; i++) {
        const struct honesty_result *result = &results->one[i];

        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:f, s:o}", "case",
                            result->kase->name, "title", result->kase->title,
                            "library", result->library, "verdict",
                            honesty_verdict_names[result->verdict], "clean",
                            honesty_is_clean(result->verdict), "detail",
                            result->detail, "seconds", result->seconds, "ranks",
                            ranks_json(result)));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", "pario-honesty/1", "mpi",
                     results->library, "filesystem", results->filesystem,
                     "cases", rows);
}
