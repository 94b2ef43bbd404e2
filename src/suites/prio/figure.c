/* suites/prio/figure.c - the tables at the end. Rank 0; reads the document. */
#include "report/grid.h"
#include "report/table.h"
#include "result/value.h"
#include "suites/prio/prio.h"

#include <stdio.h>

/* The totals of a directory, a row for each number of processes. */
static void put_totals(const json_t *directory, struct pario_grid *grid)
{
    const char *name = pario_text_of(directory, "directory", "");
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(directory, "totals"), i, row)
    {
        const json_t *total = json_object_get(row, "total_mbps");
        unsigned flags =
            pario_flags_from_json(json_object_get(row, "total_flags"));
        char processes[32], marks[PARIO_FLAGS_LEN];

        snprintf(processes, sizeof(processes), "%lld",
                 (long long)pario_integer_of(row, "processes"));
        if (json_is_number(total))
            pario_grid_put(grid, processes, name, "%.1f%s",
                           json_number_value(total),
                           pario_flags_beside(flags, marks));
        else
            pario_grid_put(grid, processes, name, "-");
    }
}

/* PRIOmark, figure 3: bandwidth by processes, a column a file system. */
static int print_figure(FILE *out, const json_t *directories)
{
    struct pario_grid grid;
    const json_t *directory;
    size_t d;
    int code = 0;

    pario_grid_init(&grid);
    json_array_foreach(directories, d, directory)
    {
        put_totals(directory, &grid);
    }
    if (!pario_grid_is_empty(&grid)) {
        fprintf(out, "\npriomark total v1 (MB/s, accumulated over the "
                     "processes):\n");
        code = pario_grid_print(&grid, "processes", out);
    }
    json_array_foreach(directories, d, directory)
    {
        const char *note = pario_text_of(directory, "total_note", NULL);

        if (note != NULL && !pario_grid_is_empty(&grid))
            fprintf(out, "%s: %s\n", pario_text_of(directory, "directory", ""),
                    note);
    }
    pario_grid_fini(&grid);
    return code;
}

static void add_async(struct pario_table *table, const json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");

    pario_table_cell(table, "%s", pario_text_of(parameters, "method", ""));
    pario_table_cell(table, "%s", pario_text_of(measure, "access", ""));
    pario_table_cell(table, "%lld",
                     (long long)pario_integer_of(measure, "partition"));
    pario_table_cell(table, "%.1f", 100 * pario_number_of(measure, "acl"));
    pario_table_cell(table, "%.1f", 100 * pario_number_of(measure, "abl"));
    pario_table_cell(table, "%.2f", pario_number_of(measure, "overlap"));
    pario_table_cell(
        table, "%s%s", pario_text_of(measure, "overlap_verdict", ""),
        json_is_true(json_object_get(measure, "short")) ? " (short)" : "");
}

static int print_async(FILE *out, const json_t *measures)
{
    static const char *const headers[] = {"method",      "access", "processes",
                                          "ACL %",       "ABL %",  "overlap",
                                          "the work was"};
    struct pario_table *table = NULL;
    int rows = 0, code = pario_table_create(7, headers, &table);

    for (size_t i = 0; code == 0 && i < json_array_size(measures); i++) {
        const json_t *measure = json_array_get(measures, i);

        if (json_object_get(measure, "overlap_verdict") == NULL)
            continue;
        add_async(table, measure);
        rows++;
    }
    if (code == 0 && rows > 0) {
        fprintf(out, "\nasync: losses of calculation (ACL) and bandwidth "
                     "(ABL) against both serialised:\n");
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    }
    pario_table_destroy(table);
    return code;
}

/* What the programs that think were kept waiting. */
static void print_utilisation(FILE *out, const json_t *measures)
{
    const json_t *measure;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        const json_t *share = json_object_get(measure, "utilisation");
        const json_t *parameters = json_object_get(measure, "parameters");

        if (share != NULL)
            fprintf(out,
                    "%s, repetition %lld: computing %.0f %% of the time, "
                    "waiting for I/O %.0f %%\n",
                    pario_text_of(parameters, "section", NULL),
                    (long long)pario_integer_of(parameters, "repetition"),
                    100 * json_number_value(share),
                    100 - 100 * json_number_value(share));
    }
}

int prio_print(const struct pario_run *run, FILE *out)
{
    json_t *document = pario_result_document(run->result);
    const json_t *directories = json_object_get(document, "prio_directories");
    int code = pario_table_print(out, document, PARIO_FORMAT_TEXT);

    if (code == 0)
        code = print_async(out, json_object_get(document, "measures"));
    if (code == 0)
        code = print_figure(out, directories);
    if (code == 0)
        print_utilisation(out, json_object_get(document, "measures"));
    return code;
}
