/* suites/iot/values.c - doubles that tell their place. */
#include "suites/iot/values.h"

#include "core/rng.h"

#include <stdio.h>
#include <string.h>

#define PIECE 64 /* doubles of each block that a statistical check reads */
#define STAMPS 2 /* and stamps, which show data of another place */
#define BATCH 1024

/* 53 bits of the word: uniform in [0, 1), and practically unique. */
static double unit_of(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

void iot_values_fill(const struct pario_data *data, int64_t first,
                     double *values, int64_t count)
{
    pario_data_fill(data, first * 8, values, (size_t)count * 8);
    for (int64_t i = 0; i < count; i++) {
        uint64_t word;

        memcpy(&word, &values[i], sizeof(word));
        values[i] = unit_of(word);
    }
}

int iot_same_bits(double a, double b)
{
    uint64_t x, y;

    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    return x == y;
}

double iot_element(const struct pario_data *data, int64_t element)
{
    double value;

    iot_values_fill(data, element, &value, 1);
    return value;
}

void iot_values_stamp(const struct pario_data *data, int64_t first,
                      double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i += IOT_STAMP)
        values[i] = iot_element(data, first + i);
}

struct iot_expected iot_expect(const struct pario_data *data, int64_t first)
{
    return (struct iot_expected){
        .stamps = *data, .base = *data, .first = first, .base_first = first};
}

static void describe(int64_t element, double expected, double found,
                     struct pario_figures *figures)
{
    snprintf(figures->wrong, sizeof(figures->wrong),
             "element %lld (byte %lld of the file) is %.17g, not %.17g%s",
             (long long)element, (long long)element * 8, found, expected,
             found == 0       ? ": perhaps never written"
             : found != found ? ": it was not read"
                              : "");
}

/* Values at .. at+n-1 of the block. */
static void make_expected(const struct iot_expected *expected, int64_t at,
                          double *values, int64_t n)
{
    int64_t stamp = (at + IOT_STAMP - 1) / IOT_STAMP * IOT_STAMP;

    iot_values_fill(&expected->base, expected->base_first + at, values, n);
    if (stamp < at + n)
        iot_values_stamp(&expected->stamps, expected->first + stamp,
                         values + (stamp - at), at + n - stamp);
}

void iot_values_check(const struct iot_expected *expected, int64_t at,
                      const double *values, int64_t count,
                      struct pario_figures *figures)
{
    double right[BATCH];

    for (int64_t done = 0; done < count; done += BATCH) {
        int64_t n = count - done < BATCH ? count - done : BATCH;

        make_expected(expected, at + done, right, n);
        for (int64_t i = 0; i < n; i++) {
            if (iot_same_bits(right[i], values[done + i]))
                continue;
            if (figures->wrong_bytes == 0)
                describe(expected->first + at + done + i, right[i],
                         values[done + i], figures);
            figures->wrong_bytes += 8;
        }
    }
    figures->checked_bytes += count * 8;
}

void iot_values_sample(enum pario_verify verify,
                       const struct iot_expected *expected,
                       const double *values, int64_t count,
                       struct pario_rng *rng, struct pario_figures *figures)
{
    int64_t at, stamps = (count + IOT_STAMP - 1) / IOT_STAMP;

    if (verify == PARIO_VERIFY_OFF || count == 0)
        return;
    if (verify == PARIO_VERIFY_FULL || count <= PIECE) {
        iot_values_check(expected, 0, values, count, figures);
        return;
    }
    for (int i = 0; i < STAMPS; i++) {
        at = IOT_STAMP * (int64_t)pario_rng_below(rng, (uint64_t)stamps);
        iot_values_check(expected, at, values + at, 1, figures);
    }
    at = (int64_t)pario_rng_below(rng, (uint64_t)(count - PIECE + 1));
    iot_values_check(expected, at, values + at, PIECE, figures);
}
