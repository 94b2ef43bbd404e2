/* report/compare_gate.c - what is not good enough. */
#include "report/compare.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "compare");
}

static int is_time(const json_t *row)
{
    const char *figure = json_string_value(json_object_get(row, "figure"));
    size_t len = strlen(figure);

    return len > 3 && strcmp(figure + len - 3, "_ns") == 0;
}

/* A ratio below the least that is good enough counts where it is known well
 * enough: its interval excludes no change, or, for a gate above 1, the gate.
 * A single value of a headline rate counts as it is; single times, which are
 * percentiles, and single measures do not. */
static int is_failed(const json_t *row, double least, int headline)
{
    double ratio = json_number_value(json_object_get(row, "ratio"));
    const json_t *high = json_object_get(row, "high");

    if (ratio >= least)
        return 0;
    if (json_is_number(high))
        return json_number_value(high) < fmax(least, 1);
    return headline && !is_time(row);
}

static int add_failure(json_t *failed, const char *name, json_t *reason)
{
    if (reason == NULL ||
        json_array_append_new(failed, json_pack("{s:s, s:o}", "name", name,
                                                "reason", reason)) != 0)
        return no_memory();
    return 0;
}

static int hold_rows(const json_t *rows, double least, int headline,
                     json_t *failed)
{
    json_t *row, *reason;
    size_t i;
    int code = 0;

    json_array_foreach(rows, i, row)
    {
        if (code != 0 || !is_failed(row, least, headline))
            continue;
        reason = json_sprintf("ratio %.3f is below %g",
                              json_number_value(json_object_get(row, "ratio")),
                              least);
        if (json_object_set(row, "failed", reason) != 0)
            code = no_memory();
        if (code == 0)
            code = add_failure(failed,
                               json_string_value(json_object_get(row, "name")),
                               json_incref(reason));
        json_decref(reason);
    }
    return code;
}

static int hold_missing(const json_t *names, json_t *failed)
{
    const json_t *name;
    size_t i;
    int code = 0;

    json_array_foreach(names, i, name)
    {
        if (code == 0)
            code = add_failure(failed, json_string_value(name),
                               json_string("missing in the new"));
    }
    return code;
}

int pario_comparison_gate(json_t *comparison, double least)
{
    const json_t *overall = json_object_get(comparison, "overall");
    json_t *failed = json_array();
    int code = failed != NULL ? 0 : no_memory();

    if (code == 0 && json_is_object(overall)) {
        double ratio = json_number_value(json_object_get(overall, "ratio"));

        if (ratio < least)
            code = add_failure(
                failed, "overall",
                json_sprintf("ratio %.3f is below %g", ratio, least));
    }
    if (code == 0)
        code = hold_rows(json_object_get(comparison, "headlines"), least, 1,
                         failed);
    if (code == 0)
        code = hold_rows(json_object_get(comparison, "measures"), least, 0,
                         failed);
    if (code == 0)
        code = hold_missing(json_object_get(comparison, "only_base"), failed);
    if (code == 0 &&
        (json_object_set_new(comparison, "fail_below", json_real(least)) ||
         json_object_set(comparison, "failed", failed) != 0))
        code = no_memory();
    if (code == 0)
        code = (int)json_array_size(failed);
    json_decref(failed);
    return code;
}
