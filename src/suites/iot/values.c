/* suites/iot/values.c - doubles that tell their place. */
#include "suites/iot/values.h"

#include "core/rng.h"

#include <stdio.h>
#include <string.h>

#define PIECE 64 /* doubles of each block that a statistical check reads */
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

double iot_value(const struct pario_data *data, int64_t element)
{
    double value;

    iot_values_fill(data, element, &value, 1);
    return value;
}

static void describe(const struct pario_data *data, int64_t element,
                     double expected, double found, struct iot_figures *figures)
{
    (void)data;
    snprintf(figures->wrong, sizeof(figures->wrong),
             "element %lld (byte %lld of the file) is %.17g, not %.17g%s",
             (long long)element, (long long)element * 8, found, expected,
             found == 0       ? ": perhaps never written"
             : found != found ? ": it was not read"
                              : "");
}

void iot_values_check(const struct pario_data *data, int64_t first,
                      const double *values, int64_t count,
                      struct iot_figures *figures)
{
    double expected[BATCH];

    for (int64_t done = 0; done < count; done += BATCH) {
        int64_t n = count - done < BATCH ? count - done : BATCH;

        iot_values_fill(data, first + done, expected, n);
        for (int64_t i = 0; i < n; i++) {
            if (iot_same_bits(expected[i], values[done + i]))
                continue;
            if (figures->wrong_bytes == 0)
                describe(data, first + done + i, expected[i], values[done + i],
                         figures);
            figures->wrong_bytes += 8;
        }
    }
    figures->checked_bytes += count * 8;
}

void iot_values_sample(const struct iot_context *context, int64_t first,
                       const double *values, int64_t count,
                       struct pario_rng *rng, struct iot_figures *figures)
{
    int64_t at;

    if (context->run->common.verify == PARIO_VERIFY_OFF || count == 0)
        return;
    if (context->run->common.verify == PARIO_VERIFY_FULL || count <= PIECE) {
        iot_values_check(&context->data, first, values, count, figures);
        return;
    }
    at = (int64_t)pario_rng_below(rng, (uint64_t)(count - PIECE + 1));
    iot_values_check(&context->data, first + at, values + at, PIECE, figures);
}
