/* result/parameters.h - a test's table of fields (core/fields.h) as the
 * `parameters` of its measures, and hints beside them. Local. New references;
 * NULL when memory is short. */
#ifndef PARIO_RESULT_PARAMETERS_H
#define PARIO_RESULT_PARAMETERS_H

#include "core/fields.h"
#include "io/hints.h"
#include <jansson.h>

/* An object with the members that the fields say; numbers are exact. */
json_t *pario_parameters(const struct pario_field *fields, unsigned abilities,
                         const void *values);
/* The same members in an object that is there. -1 when memory is short. */
int pario_parameters_set(json_t *object, const struct pario_field *fields,
                         unsigned abilities, const void *values);

/* Hints as an object of texts. */
json_t *pario_parameters_hints(const struct pario_hints *hints);

#endif
