/* suites/prio/figure.c - the tables at the end. Rank 0; reads the document. */
#include "report/table.h"
#include "result/value.h"
#include "suites/prio/prio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_number_of(const json_t *row, json_int_t processes)
{
    return pario_integer_of(row, "processes") == processes;
}

static const json_t *row_of(const json_t *directory, json_int_t processes)
{
    const json_t *rows = json_object_get(directory, "totals");

    for (size_t i = 0; i < json_array_size(rows); i++)
        if (is_number_of(json_array_get(rows, i), processes))
            return json_array_get(rows, i);
    return NULL;
}

/* All numbers of processes of all directories, ascending. */
static json_int_t next_processes(const json_t *directories, json_int_t after)
{
    json_int_t next = 0;

    for (size_t d = 0; d < json_array_size(directories); d++) {
        const json_t *rows =
            json_object_get(json_array_get(directories, d), "totals");

        for (size_t i = 0; i < json_array_size(rows); i++) {
            json_int_t p =
                pario_integer_of(json_array_get(rows, i), "processes");

            if (p > after && (next == 0 || p < next))
                next = p;
        }
    }
    return next;
}

static int add_row(struct pario_table *table, const json_t *directories,
                   json_int_t processes)
{
    int code = pario_table_cell(table, "%lld", (long long)processes);

    for (size_t d = 0; code == 0 && d < json_array_size(directories); d++) {
        const json_t *row = row_of(json_array_get(directories, d), processes);
        const json_t *total = json_object_get(row, "total_mbps");
        char flags[PARIO_FLAGS_LEN];

        code = json_is_number(total)
                   ? pario_table_cell(table, "%.1f%s", json_number_value(total),
                                      pario_flags_beside(
                                          pario_flags_from_json(json_object_get(
                                              row, "total_flags")),
                                          flags))
                   : pario_table_cell(table, "-");
    }
    return code;
}

/* PRIOmark, figure 3: bandwidth by processes, a column a file system. */
static int print_figure(FILE *out, const json_t *directories)
{
    const char *headers[PRIO_MAX_DIRECTORIES + 1] = {"processes"};
    size_t count = json_array_size(directories);
    struct pario_table *table = NULL;
    int code;

    for (size_t d = 0; d < count && d < PRIO_MAX_DIRECTORIES; d++)
        headers[d + 1] =
            pario_text_of(json_array_get(directories, d), "directory", NULL);
    code = pario_table_create(count + 1, headers, &table);
    for (json_int_t p = next_processes(directories, 0); code == 0 && p > 0;
         p = next_processes(directories, p))
        code = add_row(table, directories, p);
    if (code == 0)
        fprintf(out, "\npriomark total v1 (MB/s, accumulated over the "
                     "processes):\n");
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    for (size_t d = 0; code == 0 && d < count; d++) {
        const json_t *directory = json_array_get(directories, d);
        const char *note = pario_text_of(directory, "total_note", NULL);

        if (note != NULL)
            fprintf(out, "%s: %s\n", headers[d + 1], note);
    }
    pario_table_destroy(table);
    return code;
}

static int add_async(struct pario_table *table, const json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    int code = pario_table_cell(table, "%s",
                                pario_text_of(parameters, "method", NULL));

    if (code == 0)
        code = pario_table_cell(table, "%s",
                                pario_text_of(measure, "access", NULL));
    if (code == 0)
        code = pario_table_cell(
            table, "%lld", (long long)pario_integer_of(measure, "partition"));
    if (code == 0)
        code = pario_table_cell(table, "%.1f",
                                100 * pario_number_of(measure, "acl"));
    if (code == 0)
        code = pario_table_cell(table, "%.1f",
                                100 * pario_number_of(measure, "abl"));
    if (code == 0)
        code = pario_table_cell(table, "%.2f",
                                pario_number_of(measure, "overlap"));
    if (code == 0)
        code = pario_table_cell(
            table, "%s%s", pario_text_of(measure, "overlap_verdict", NULL),
            json_is_true(json_object_get(measure, "short")) ? " (short)" : "");
    return code;
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
        code = add_async(table, measure);
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
    if (code == 0 && directories != NULL && next_processes(directories, 0) > 0)
        code = print_figure(out, directories);
    if (code == 0)
        print_utilisation(out, json_object_get(document, "measures"));
    return code;
}
