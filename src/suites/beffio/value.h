/* suites/beffio/value.h - from bandwidths to the b_eff_io value. */
#ifndef PARIO_BEFFIO_VALUE_H
#define PARIO_BEFFIO_VALUE_H

#include "suites/beffio/patterns.h"

/* Bandwidths in MB/s of one partition by access and type; <= 0: not measured.
 */
struct beffio_bandwidths {
    double mbps[BEFFIO_ACCESSES][BEFFIO_TYPES];
};

/* Average over the types with type 0 double (Sect. 3); 0 if one is missing. */
double beffio_access_average(const struct beffio_bandwidths *b,
                             enum beffio_access access);

/* Release 1.x: 25 % write, 25 % rewrite, 50 % read (Sect. 3). */
double beffio_value_1(const struct beffio_bandwidths *b);

/* Release 2.0 (Sect. 6 and 7.3): writing average of the five write types and
 * rewrite scatter; value: geometric mean with the reading average. */
double beffio_writing_average(const struct beffio_bandwidths *b);
double beffio_value_2(const struct beffio_bandwidths *b);

/* Is it part of the release's value? Of rewriting 2.0 takes scatter alone. */
int beffio_counts(enum beffio_access access, enum beffio_type type,
                  int release);

/* The value of a release, 1 or 2. */
double beffio_value(const struct beffio_bandwidths *b, int release);

/* The bottom row of Table 2: ((write + rewrite) / 2 + read) / 2 of a type. */
double beffio_type_average(const struct beffio_bandwidths *b,
                           enum beffio_type type);

#endif
