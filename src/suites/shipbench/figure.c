/* suites/shipbench/figure.c - the paper's Figures 2 to 11 for this system:
 * MB/s over the number of tasks, one line a series; below it what each
 * optimisation is worth. */
#include "report/table.h"
#include "result/value.h"
#include "suites/shipbench/gains.h"
#include "suites/shipbench/shipbench.h"
#include "suites/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measures or gains of one test and access, as rows and columns: each is the
 * member of a list that stands first with its name, or its number of tasks. */
struct grid {
    const json_t **item, **row, **column;
    size_t nitems, nrows, ncolumns;
    const char *(*name)(const json_t *item);
};

typedef void print_cell(struct pario_table *table, const json_t *item);

static const char *series_of(const json_t *measure)
{
    return ship_text_of(json_object_get(measure, "parameters"), "series");
}

static const char *optimisation_of(const json_t *gain)
{
    return ship_text_of(gain, "optimisation");
}

static json_int_t tasks_of(const json_t *item)
{
    return pario_integer_of(item, "partition");
}

static int grid_init(struct grid *grid, const json_t *list,
                     const char *(*name)(const json_t *item))
{
    size_t room = json_array_size(list) + 1;

    *grid = (struct grid){.name = name};
    grid->item = calloc(3 * room, sizeof(json_t *));
    if (grid->item == NULL)
        return pario_fail_errno(-ENOMEM, "a table");
    grid->row = grid->item + room;
    grid->column = grid->row + room;
    return 0;
}

static void grid_fini(struct grid *grid)
{
    free((void *)grid->item);
}

static void place(struct grid *grid, const json_t *item)
{
    size_t row = 0, column = 0;

    while (row < grid->nrows &&
           strcmp(grid->name(grid->row[row]), grid->name(item)) != 0)
        row++;
    while (column < grid->ncolumns &&
           tasks_of(grid->column[column]) != tasks_of(item))
        column++;
    if (row == grid->nrows)
        grid->row[grid->nrows++] = item;
    if (column == grid->ncolumns)
        grid->column[grid->ncolumns++] = item;
    grid->item[grid->nitems++] = item;
}

/* The last of its kind, or NULL. */
static const json_t *cell(const struct grid *grid, size_t row, size_t column)
{
    const json_t *found = NULL;

    for (size_t i = 0; i < grid->nitems; i++)
        if (tasks_of(grid->item[i]) == tasks_of(grid->column[column]) &&
            strcmp(grid->name(grid->item[i]), grid->name(grid->row[row])) == 0)
            found = grid->item[i];
    return found;
}

/* What speaks against a figure stands beside it. */
static void print_measure(struct pario_table *table, const json_t *measure)
{
    const json_t *interval = json_object_get(measure, "interval_mbps");
    const json_t *verify = json_object_get(measure, "verify");
    char range[64] = "", flags[PARIO_FLAGS_LEN];

    if (!json_is_null(json_object_get(measure, "error"))) {
        pario_table_cell(table, "%s",
                         pario_integer_of(verify, "errors") > 0 ? "WRONG"
                                                                : "FAILED");
        return;
    }
    if (json_is_array(interval))
        snprintf(range, sizeof(range), " (%.0f..%.0f)",
                 json_number_value(json_array_get(interval, 0)),
                 json_number_value(json_array_get(interval, 1)));
    pario_table_cell(
        table, "%.0f%s%s%s", pario_number_of(measure, "bandwidth_mbps"), range,
        pario_flags_beside(pario_flags_of_measure(measure), flags),
        json_object_size(json_object_get(measure, "not_in_force")) > 0
            ? " NOT IN FORCE"
            : "");
}

static void print_gain(struct pario_table *table, const json_t *gain)
{
    const json_t *interval = json_object_get(gain, "interval");
    double ratio = pario_number_of(gain, "ratio");
    char flags[PARIO_FLAGS_LEN];

    (void)pario_flags_beside(
        pario_flags_from_json(json_object_get(gain, "flags")), flags);
    if (!json_is_array(interval))
        pario_table_cell(table, "%.3g%s", ratio, flags);
    else
        pario_table_cell(table, "%.3g (%.3g..%.3g)%s", ratio,
                         json_number_value(json_array_get(interval, 0)),
                         json_number_value(json_array_get(interval, 1)), flags);
}

/* What the range of a cell is. */
static const char *range_of(const struct grid *grid, const char *member)
{
    for (size_t i = 0; i < grid->nitems; i++) {
        const char *kind = ship_text_of(grid->item[i], member);

        if (kind[0] != '\0')
            return kind;
    }
    return "one pass";
}

static int fill_table(const struct grid *grid, const char *corner,
                      print_cell *print, FILE *out)
{
    size_t n = grid->ncolumns + 1;
    char(*header)[32] = calloc(n, sizeof(*header));
    const char **headers = calloc(n, sizeof(*headers));
    struct pario_table *table = NULL;
    int code = header == NULL || headers == NULL
                   ? pario_fail_errno(-ENOMEM, "a table")
                   : 0;

    for (size_t c = 0; code == 0 && header != NULL && headers != NULL && c < n;
         c++) {
        if (c > 0)
            snprintf(header[c], sizeof(header[c]), "%lld tasks",
                     (long long)tasks_of(grid->column[c - 1]));
        headers[c] = c == 0 ? corner : header[c];
    }
    if (code == 0)
        code = pario_table_create(n, headers, &table);
    for (size_t r = 0; code == 0 && r < grid->nrows; r++) {
        pario_table_cell(table, "%s", grid->name(grid->row[r]));
        for (size_t c = 0; c < grid->ncolumns; c++) {
            const json_t *item = cell(grid, r, c);

            if (item == NULL)
                pario_table_cell(table, "-");
            else
                print(table, item);
        }
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    free(header);
    free((void *)headers);
    return code;
}

/* Those of the list that belong to the figure. */
static void choose(struct grid *grid, const json_t *list, enum ship_test test,
                   const char *access)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (strcmp(ship_text_of(item, "test"), ship_test_names[test].name) ==
                0 &&
            strcmp(ship_text_of(item, "access"), access) == 0)
            place(grid, item);
    }
}

static int print_figure(const json_t *document, enum ship_test test,
                        const char *access, FILE *out)
{
    const json_t *measures = json_object_get(document, "measures");
    const json_t *gains = json_object_get(document, "gains");
    struct grid grid = {.nrows = 0};
    int code = grid_init(&grid, measures, series_of);

    if (grid.item != NULL)
        choose(&grid, measures, test, access);
    if (code == 0 && grid.nrows > 0) {
        char number[32] = "";

        if (ship_paper_figure(test, access) > 0)
            snprintf(number, sizeof(number),
                     "Figure %d: ", ship_paper_figure(test, access));
        fprintf(out,
                "\n%s%s, %s: MB/s of all tasks, median of the passes (%s); "
                "then what speaks against it\n",
                number, ship_test_names[test].name, access,
                range_of(&grid, "interval"));
        code = fill_table(&grid, "contender", print_measure, out);
    }
    grid_fini(&grid);
    if (code == 0)
        code = grid_init(&grid, gains, optimisation_of);
    else
        return code;
    if (grid.item != NULL)
        choose(&grid, gains, test, access);
    if (code == 0 && grid.nrows > 0) {
        fprintf(out,
                "\n%s, %s: with / without, median of the ratios of "
                "neighbouring passes (%s); an interval with 1 in it: no "
                "difference seen\n",
                ship_test_names[test].name, access,
                range_of(&grid, "interval_kind"));
        code = fill_table(&grid, "optimisation", print_gain, out);
    }
    grid_fini(&grid);
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
