/* suites/meta/print.h - the answer of `pario meta`. Local, rank 0. */
#ifndef PARIO_META_PRINT_H
#define PARIO_META_PRINT_H

#include "measure/run.h"
#include <stdio.h>

/* The rates of the first case of each layout. */
void meta_summarise(struct pario_result *result);
int meta_print(const struct pario_run *run, FILE *out);

#endif
