/* core/units.h - sizes, times and rates as people write them. */
#ifndef PARIO_CORE_UNITS_H
#define PARIO_CORE_UNITS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_UNITS_LEN 32

/* Local. k M G T and Ki Mi Gi Ti (also KiB ...) are powers of 1024; kB MB GB
 * TB powers of 1000; no unit is bytes. Fractions are allowed where the result
 * is a whole number of bytes. Trailing garbage is an error with message. */
int pario_size_parse(const char *text, int64_t *bytes_p) PARIO_MUST_USE;

/* Local. "60", "60s", "1.5min", "2h", "500ms" -> seconds. */
int pario_time_parse(const char *text, double *seconds_p) PARIO_MUST_USE;

/* Exact where possible: 1048576 -> "1 MiB", 1032 -> "1032 B", 33554440 ->
 * "33554440 B"; otherwise three figures: "1.23 GiB". Return buf. */
char *pario_size_print(int64_t bytes, char buf[PARIO_UNITS_LEN]);
char *pario_size_print_short(int64_t bytes, char buf[PARIO_UNITS_LEN]);
char *pario_time_print(double seconds, char buf[PARIO_UNITS_LEN]);

/* As a person would write it, in three figures: "812 MB/s", "1.94 GB/s" (powers
 * of 1000); a count: "950", "18.2 k", "3.10 M". Return buf. */
char *pario_rate_print(double mbps, char buf[PARIO_UNITS_LEN]);
char *pario_count_print(double count, char buf[PARIO_UNITS_LEN]);

/* MB/s, 10^6 bytes per second; 0 where no time passed. */
double pario_mbps(int64_t bytes, double seconds);

#endif
