/* suites/meta/print.h - the figures of `pario meta`. Local, rank 0. */
#ifndef PARIO_META_PRINT_H
#define PARIO_META_PRINT_H

#include "measure/run.h"
#include <stdio.h>

/* The rates of the cases: figures and lines of the answer. */
int meta_summarise(struct pario_result *result) PARIO_MUST_USE;
int meta_print(const struct pario_run *run, FILE *out);

#endif
