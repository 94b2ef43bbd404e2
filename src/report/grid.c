/* report/grid.c - figures side by side. */
#include "report/grid.h"

#include "report/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

void pario_grid_init(struct pario_grid *grid)
{
    *grid =
        (struct pario_grid){.rows = json_object(), .columns = json_object()};
}

void pario_grid_fini(struct pario_grid *grid)
{
    json_decref(grid->rows);
    json_decref(grid->columns);
}

void pario_grid_put(struct pario_grid *grid, const char *row,
                    const char *column, const char *fmt, ...)
{
    va_list args;
    json_t *text;

    va_start(args, fmt);
    text = json_vsprintf(fmt, args);
    va_end(args);
    if (json_object_get(grid->rows, row) == NULL)
        (void)json_object_set_new(grid->rows, row, json_object());
    grid->failed |=
        json_object_set_new(grid->columns, column, json_true()) != 0 ||
        json_object_set_new(json_object_get(grid->rows, row), column, text) !=
            0;
}

int pario_grid_is_empty(const struct pario_grid *grid)
{
    return json_object_size(grid->rows) == 0;
}

static void put_rows(const struct pario_grid *grid, struct pario_table *table)
{
    const char *row, *column;
    json_t *cells, *unused;

    json_object_foreach(grid->rows, row, cells)
    {
        (void)pario_table_cell(table, "%s", row);
        json_object_foreach(grid->columns, column, unused)
        {
            const char *text =
                json_string_value(json_object_get(cells, column));

            (void)pario_table_cell(table, "%s", text != NULL ? text : "-");
        }
    }
}

int pario_grid_print(const struct pario_grid *grid, const char *corner,
                     FILE *out)
{
    size_t n = 1;
    const char **headers =
        calloc(json_object_size(grid->columns) + 1, sizeof(*headers));
    struct pario_table *table = NULL;
    const char *column;
    json_t *unused;
    int code;

    if (grid->failed || headers == NULL) {
        free((void *)headers);
        return pario_fail_errno(-ENOMEM, "cannot print a table");
    }
    headers[0] = corner;
    json_object_foreach(grid->columns, column, unused)
    {
        headers[n++] = column;
    }
    code = pario_table_create(n, headers, &table);
    if (code == 0) {
        put_rows(grid, table);
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    }
    pario_table_destroy(table);
    free((void *)headers);
    return code;
}
