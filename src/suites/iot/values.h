/* suites/iot/values.h - the doubles of the test files: uniform in [0, 1)
 * (5.1.3), each telling its place (core/data.h). Local.
 *
 * Loops that may not spend time on filling write a buffer that was filled once
 * and stamp the place into it: one value at the beginning of each block and one
 * every IOT_STAMP values from there on, so that no two blocks are alike.
 */
#ifndef PARIO_IOT_VALUES_H
#define PARIO_IOT_VALUES_H

#include "suites/iot/iot.h"

#define IOT_STAMP 512 /* values: 4 KiB */

/* count values from element `first` of the file on. */
void iot_values_fill(const struct pario_data *data, int64_t first,
                     double *values, int64_t count);
void iot_values_stamp(const struct pario_data *data, int64_t first,
                      double *values, int64_t count);

/* The same one by one. */
double iot_element(const struct pario_data *data, int64_t element);

/* Equal to the last bit, NaN or not. */
int iot_same_bits(double a, double b);

/* What a block must hold: at its values 0, IOT_STAMP, ... the stamps, whose
 * first is element `first`, elsewhere the base. */
struct iot_expected {
    struct pario_data stamps, base;
    int64_t first, base_first;
};
/* A block without stamps. */
struct iot_expected iot_expect(const struct pario_data *data, int64_t first);

/* values[0] is value `at` of the block. Adds to checked_bytes, wrong_bytes and,
 * the first time, wrong. */
void iot_values_check(const struct iot_expected *expected, int64_t at,
                      const double *values, int64_t count,
                      struct pario_figures *figures);

/* A whole block, as --verify says: all of it, nothing, or one stamp and a piece
 * at a random place (5.1.3: checking statistically). rng decides where. */
struct pario_rng;
void iot_values_sample(enum pario_verify verify,
                       const struct iot_expected *expected,
                       const double *values, int64_t count,
                       struct pario_rng *rng, struct pario_figures *figures);

#endif
