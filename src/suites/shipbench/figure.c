/* suites/shipbench/figure.c - the paper's Figures 2 to 11 for this system:
 * MB/s over the number of tasks, one line a series. */
#include "report/table.h"
#include "suites/shipbench/shipbench.h"
#include "suites/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 32
#define MOST_ROWS 128

/* The measures of one test and access, as rows and columns. */
struct grid {
    const char *series[MOST_ROWS];
    const json_t *cell[MOST_ROWS][MOST_COLUMNS];
    json_int_t tasks[MOST_COLUMNS];
    size_t nrows, ncolumns;
};

static const char *text_of(const json_t *measure, const char *name)
{
    const char *text = json_string_value(json_object_get(measure, name));

    return text != NULL ? text : "";
}

static void place(struct grid *grid, const json_t *measure)
{
    const char *series =
        text_of(json_object_get(measure, "parameters"), "series");
    json_int_t tasks =
        json_integer_value(json_object_get(measure, "partition"));
    size_t row = 0, column = 0;

    while (row < grid->nrows && strcmp(grid->series[row], series) != 0)
        row++;
    while (column < grid->ncolumns && grid->tasks[column] != tasks)
        column++;
    if (row == MOST_ROWS || column == MOST_COLUMNS)
        return;
    if (row == grid->nrows)
        grid->series[grid->nrows++] = series;
    if (column == grid->ncolumns)
        grid->tasks[grid->ncolumns++] = tasks;
    grid->cell[row][column] = measure;
}

/* The cache verdict stands beside every figure. */
static void print_cell(struct pario_table *table, const json_t *measure)
{
    const json_t *interval = json_object_get(measure, "interval_mbps");
    char range[64] = "";

    if (measure == NULL) {
        pario_table_cell(table, "-");
        return;
    }
    if (!json_is_null(json_object_get(measure, "error"))) {
        pario_table_cell(table, "%s",
                         json_integer_value(json_object_get(
                             json_object_get(measure, "verify"), "errors")) > 0
                             ? "WRONG"
                             : "FAILED");
        return;
    }
    if (json_is_array(interval))
        snprintf(range, sizeof(range), " (%.0f..%.0f)",
                 json_number_value(json_array_get(interval, 0)),
                 json_number_value(json_array_get(interval, 1)));
    pario_table_cell(
        table, "%.0f%s %s",
        json_number_value(json_object_get(measure, "bandwidth_mbps")), range,
        text_of(measure, "cache"));
}

/* What the range of a cell is. */
static const char *range_of(const struct grid *grid)
{
    for (size_t r = 0; r < grid->nrows; r++)
        for (size_t c = 0; c < grid->ncolumns; c++) {
            const char *kind = text_of(grid->cell[r][c], "interval");

            if (kind[0] != '\0')
                return kind;
        }
    return "one pass";
}

static int print_grid(const struct grid *grid, FILE *out)
{
    char header[MOST_COLUMNS + 1][32];
    const char *headers[MOST_COLUMNS + 1];
    struct pario_table *table = NULL;
    int code;

    headers[0] = "contender";
    for (size_t c = 0; c < grid->ncolumns; c++) {
        snprintf(header[c], sizeof(header[c]), "%lld tasks",
                 (long long)grid->tasks[c]);
        headers[c + 1] = header[c];
    }
    code = pario_table_create(grid->ncolumns + 1, headers, &table);
    for (size_t r = 0; code == 0 && r < grid->nrows; r++) {
        pario_table_cell(table, "%s", grid->series[r]);
        for (size_t c = 0; c < grid->ncolumns; c++)
            print_cell(table, grid->cell[r][c]);
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    return code;
}

int ship_figures_print(const struct pario_run *run, FILE *out)
{
    static const char *const accesses[] = {"write", "rewrite", "read"};
    const json_t *measures =
        json_object_get(pario_result_document(run->result), "measures");
    struct grid *grid = malloc(sizeof(*grid));
    int code = grid == NULL ? pario_fail_errno(-ENOMEM, "a table") : 0;

    for (int t = 0; grid != NULL && t < SHIP_TESTS; t++)
        for (size_t a = 0; code == 0 && a < 3; a++) {
            const json_t *measure;
            size_t i;

            memset(grid, 0, sizeof(*grid));
            json_array_foreach(measures, i, measure)
            {
                if (strcmp(text_of(measure, "test"), ship_test_names[t].name) ==
                        0 &&
                    strcmp(text_of(measure, "access"), accesses[a]) == 0)
                    place(grid, measure);
            }
            if (grid->nrows == 0)
                continue;
            fprintf(out,
                    "\n%s, %s: MB/s of all tasks, median of the passes (%s); "
                    "then where the data was\n",
                    ship_test_names[t].name, accesses[a], range_of(grid));
            code = print_grid(grid, out);
        }
    free(grid);
    return code;
}
