/* result/workload.h - what a run was asked to do, so that only like is put
 * beside like. Local. */
#ifndef PARIO_RESULT_WORKLOAD_H
#define PARIO_RESULT_WORKLOAD_H

#include "result/result.h"

/* Options that say where a run writes and how it talks, not what it measures:
 * a resumed run may have others. */
int pario_option_is_free(const char *name);

/* A text that says what is measured (a workload or parameter file) becomes an
 * option in force: a resumed run with another one is refused, compare says
 * so. */
int pario_result_workload_text(struct pario_result *result, const char *name,
                               const char *text) PARIO_MUST_USE;

/* The same of a file, which may hold any bytes. */
int pario_result_workload_file(struct pario_result *result, const char *name,
                               const char *path) PARIO_MUST_USE;

/* The workload of a document in 16 hexadecimal digits: a hash of its suite and
 * of all options that are not free. new */
json_t *pario_workload_value(const json_t *document);

#endif
