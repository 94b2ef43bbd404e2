/* result/parameters.h - a test's table of fields (core/fields.h) as the
 * `parameters` of its measures. Local. */
#ifndef PARIO_RESULT_PARAMETERS_H
#define PARIO_RESULT_PARAMETERS_H

#include "core/fields.h"
#include <jansson.h>

/* Sets the members of the object that the fields say; numbers are exact. -1
 * when memory is short. */
int pario_parameters_set(json_t *object, const struct pario_field *fields,
                         unsigned abilities, const void *values);

#endif
