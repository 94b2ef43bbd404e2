/* report/grid.h - figures side by side: a row and a column for each name that
 * was put, in the order in which they came. Local. */
#ifndef PARIO_REPORT_GRID_H
#define PARIO_REPORT_GRID_H

#include "core/error.h"
#include <jansson.h>
#include <stdio.h>

struct pario_grid {
    json_t *rows;    /* {row: {column: text}} */
    json_t *columns; /* {column: true} */
    int failed;      /* there was no memory: printing says so */
};

void pario_grid_init(struct pario_grid *grid);
void pario_grid_fini(struct pario_grid *grid);

/* The text of a cell; a later one replaces it. */
void pario_grid_put(struct pario_grid *grid, const char *row,
                    const char *column, const char *fmt, ...)
    PARIO_PRINTF(4, 5);

int pario_grid_is_empty(const struct pario_grid *grid);

/* As a table of text; a cell that was never put is "-". */
int pario_grid_print(const struct pario_grid *grid, const char *corner,
                     FILE *out) PARIO_MUST_USE;

#endif
