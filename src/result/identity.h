/* result/identity.h - what a measure is, whatever was measured: which measures
 * are repetitions of one another, and which of two documents belong together.
 * The suite's fields say it (core/fields.h): all of them but the free ones,
 * which only number repetitions. Local. */
#ifndef PARIO_RESULT_IDENTITY_H
#define PARIO_RESULT_IDENTITY_H

#include <jansson.h>

/* Test, access, partition, pattern and parameters without those that only
 * number it, by its document's view. A new reference, NULL: no memory. */
json_t *pario_measure_identity(const json_t *measure, const json_t *view);

/* Leaves in shared what other has, too: by and by, what is alike in all. */
void pario_identity_share(json_t *shared, const json_t *other);

#endif
