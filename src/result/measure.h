/* result/measure.h - one measure as JSON. Private to src/result. Local. */
#ifndef PARIO_RESULT_MEASURE_H
#define PARIO_RESULT_MEASURE_H

#include "result/result.h"

/* Makes the measure's object; the caller owns *value_p, and still the json of
 * measure. Figures that are not finite become null with a warning. */
int pario_measure_build(struct pario_result *result,
                        const struct pario_measure *measure,
                        json_t **value_p) PARIO_MUST_USE;

/* Same test, access, partition, pattern and parameters? */
int pario_measure_matches(const json_t *value,
                          const struct pario_measure *like);

#endif
