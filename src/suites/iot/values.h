/* suites/iot/values.h - the doubles of the test files: uniform in [0, 1)
 * (5.1.3), each telling its place (core/data.h). Local. */
#ifndef PARIO_IOT_VALUES_H
#define PARIO_IOT_VALUES_H

#include "suites/iot/iot.h"

/* count values from element `first` of the file on. */
void iot_values_fill(const struct pario_data *data, int64_t first,
                     double *values, int64_t count);

/* The same one by one. */
double iot_value(const struct pario_data *data, int64_t element);

/* Equal to the last bit, NaN or not. */
int iot_same_bits(double a, double b);

/* Adds to checked_bytes, wrong_bytes and, the first time, wrong. */
void iot_values_check(const struct pario_data *data, int64_t first,
                      const double *values, int64_t count,
                      struct iot_figures *figures);

/* As --verify says: all of it, nothing, or a piece at a random place
 * (5.1.3: checking statistically). rng decides where. */
struct pario_rng;
void iot_values_sample(const struct iot_context *context, int64_t first,
                       const double *values, int64_t count,
                       struct pario_rng *rng, struct iot_figures *figures);

#endif
