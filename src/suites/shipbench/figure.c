/* suites/shipbench/figure.c - the paper's Figures 2 to 11 for this system:
 * MB/s over the number of tasks, one line a series; below it what each
 * optimisation is worth. */
#include "report/grid.h"
#include "result/value.h"
#include "suites/shipbench/gains.h"
#include "suites/shipbench/shipbench.h"
#include "suites/suite.h"

#include <stdio.h>
#include <string.h>

/* Measures or gains as rows over the number of tasks. */
struct kind {
    const char *list;  /* of the document */
    const char *group; /* that has the row's name; NULL: the item itself */
    const char *name;  /* of a row: that member */
    const char *range; /* what the interval is: that member */
    void (*print)(const json_t *item, char *text, size_t len);
};

/* What speaks against a figure stands beside it. */
static void print_measure(const json_t *measure, char *text, size_t len)
{
    const json_t *interval = json_object_get(measure, "interval_mbps");
    const json_t *verify = json_object_get(measure, "verify");
    char range[64] = "", flags[PARIO_FLAGS_LEN];

    if (!json_is_null(json_object_get(measure, "error"))) {
        snprintf(text, len, "%s",
                 pario_integer_of(verify, "errors") > 0 ? "WRONG" : "FAILED");
        return;
    }
    if (json_is_array(interval))
        snprintf(range, sizeof(range), " (%.0f..%.0f)",
                 json_number_value(json_array_get(interval, 0)),
                 json_number_value(json_array_get(interval, 1)));
    snprintf(text, len, "%.0f%s%s%s",
             pario_number_of(measure, "bandwidth_mbps"), range,
             pario_flags_beside(pario_flags_of_measure(measure), flags),
             json_object_size(json_object_get(measure, "not_in_force")) > 0
                 ? " NOT IN FORCE"
                 : "");
}

static void print_gain(const json_t *gain, char *text, size_t len)
{
    const json_t *interval = json_object_get(gain, "interval");
    double ratio = pario_number_of(gain, "ratio");
    char flags[PARIO_FLAGS_LEN];

    (void)pario_flags_beside(
        pario_flags_from_json(json_object_get(gain, "flags")), flags);
    if (!json_is_array(interval))
        snprintf(text, len, "%.3g%s", ratio, flags);
    else
        snprintf(text, len, "%.3g (%.3g..%.3g)%s", ratio,
                 json_number_value(json_array_get(interval, 0)),
                 json_number_value(json_array_get(interval, 1)), flags);
}

static const struct kind kinds[] = {
    {"measures", "parameters", "series", "interval", print_measure},
    {"gains", NULL, "optimisation", "interval_kind", print_gain},
};

/* Those of a test and access; *range_p: what their intervals are. */
static void gather(const struct kind *kind, const json_t *document,
                   const struct pario_measure *like, struct pario_grid *grid,
                   const char **range_p)
{
    const json_t *item;
    size_t i;

    *range_p = "";
    json_array_foreach(json_object_get(document, kind->list), i, item)
    {
        const json_t *group =
            kind->group != NULL ? json_object_get(item, kind->group) : item;
        char tasks[32], text[256];

        if (strcmp(ship_text_of(item, "test"), like->test) != 0 ||
            strcmp(ship_text_of(item, "access"), like->access) != 0)
            continue;
        if ((*range_p)[0] == '\0')
            *range_p = ship_text_of(item, kind->range);
        snprintf(tasks, sizeof(tasks), "%lld tasks",
                 (long long)pario_integer_of(item, "partition"));
        kind->print(item, text, sizeof(text));
        pario_grid_put(grid, ship_text_of(group, kind->name), tasks, "%s",
                       text);
    }
    if ((*range_p)[0] == '\0')
        *range_p = "one pass";
}

static void print_title(const struct kind *kind, enum ship_test test,
                        const char *access, const char *range, FILE *out)
{
    const char *name = ship_test_names[test].name;
    int number = ship_paper_figure(test, access);

    fputc('\n', out);
    if (kind == &kinds[0] && number > 0)
        fprintf(out, "Figure %d: ", number);
    if (kind == &kinds[0])
        fprintf(out,
                "%s, %s: MB/s of all tasks, median of the passes (%s); then "
                "what speaks against it\n",
                name, access, range);
    else
        fprintf(out,
                "%s, %s: with / without, median of the ratios of neighbouring "
                "passes (%s); an interval with 1 in it: no difference seen\n",
                name, access, range);
}

static int print_figure(const json_t *document, enum ship_test test,
                        const char *access, FILE *out)
{
    const struct pario_measure like = {.test = ship_test_names[test].name,
                                       .access = access};
    int code = 0;

    for (size_t k = 0; code == 0 && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        struct pario_grid grid;
        const char *range;

        pario_grid_init(&grid);
        gather(&kinds[k], document, &like, &grid, &range);
        if (!pario_grid_is_empty(&grid)) {
            print_title(&kinds[k], test, access, range, out);
            code = pario_grid_print(&grid, k == 0 ? "contender" : kinds[k].name,
                                    out);
        }
        pario_grid_fini(&grid);
    }
    return code;
}

int ship_figures_print(const struct pario_run *run, FILE *out)
{
    static const char *const accesses[] = {"write", "rewrite", "read"};
    const json_t *document = pario_result_document(run->result);
    int code = 0;

    for (int t = 0; t < SHIP_TESTS; t++)
        for (size_t a = 0; code == 0 && a < 3; a++)
            code = print_figure(document, (enum ship_test)t, accesses[a], out);
    return code;
}
