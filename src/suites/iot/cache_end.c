/* suites/iot/cache_end.c - at which file size does the cache end? (4.2.2: the
 * rate over the size of the file has a plateau for each level of storage) */
#include "core/units.h"
#include "result/flags.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/iot/iot.h"

#include <stdlib.h>
#include <string.h>

#define KNEE 0.6     /* of the best: below it the cache has ended */
#define FEWEST 3     /* file sizes that make a curve */
#define MAX_SIZES 64 /* of one curve */

struct place {
    int64_t file_bytes;
    double mbps;
};

static int64_t parameter(const json_t *measure, const char *name)
{
    return pario_integer_of(json_object_get(measure, "parameters"), name);
}

/* The same but for the file size? */
static int same_curve(const json_t *a, const json_t *b)
{
    return strcmp(pario_text_of(a, "test", ""), pario_text_of(b, "test", "")) ==
               0 &&
           strcmp(pario_text_of(a, "access", ""),
                  pario_text_of(b, "access", "")) == 0 &&
           parameter(a, "block_bytes") == parameter(b, "block_bytes");
}

static int by_size(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->file_bytes < y->file_bytes ? -1 : x->file_bytes > y->file_bytes;
}

/* The curve that begins with this measure; 0: it is part of an earlier one. */
static size_t gather(const json_t *measures, const json_t *first,
                     struct place places[MAX_SIZES])
{
    const json_t *measure;
    size_t i, n = 0;

    json_array_foreach(measures, i, measure)
    {
        struct place place = {.file_bytes = parameter(measure, "file_bytes"),
                              .mbps =
                                  pario_number_of(measure, "bandwidth_mbps")};

        if (!same_curve(measure, first) || place.file_bytes <= 0 ||
            place.mbps <= 0)
            continue;
        if (n == 0 && measure != first)
            return 0;
        if (n < MAX_SIZES)
            places[n++] = place;
    }
    qsort(places, n, sizeof(places[0]), by_size);
    return n;
}

/* The first size from which on all are far below the best; n: there is none. */
static size_t knee_of(const struct place *places, size_t n)
{
    double best = 0;
    size_t knee = n;

    for (size_t i = 0; i < n; i++)
        best = places[i].mbps > best ? places[i].mbps : best;
    while (knee > 1 && places[knee - 1].mbps < KNEE * best)
        knee--;
    return knee;
}

static void say(struct pario_result *result, const json_t *measure,
                const struct place *places, size_t n)
{
    size_t knee = knee_of(places, n);
    const char *test = pario_text_of(measure, "test", "");
    char size[3][PARIO_UNITS_LEN], rate[2][PARIO_UNITS_LEN];

    if (knee == n)
        pario_view_say(
            result,
            "%s read: no end of the cache is seen up to files of "
            "%s; larger ones would show the device.",
            test, pario_size_print_short(places[n - 1].file_bytes, size[0]));
    else
        pario_view_say(
            result,
            "%s read: the cache ends between files of %s (%s) and %s (%s).",
            test, pario_size_print_short(places[knee - 1].file_bytes, size[0]),
            pario_rate_print(places[knee - 1].mbps, rate[0]),
            pario_size_print_short(places[knee].file_bytes, size[1]),
            pario_rate_print(places[knee].mbps, rate[1]));
}

void iot_say_cache_end(struct pario_result *result)
{
    const json_t *measures =
        json_object_get(pario_result_document(result), "measures");
    struct place places[MAX_SIZES];
    const json_t *measure;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        size_t n;

        /* The time of a write has its sync in it. */
        if (strcmp(pario_text_of(measure, "access", ""), "read") != 0)
            continue;
        n = gather(measures, measure, places);
        if (n >= FEWEST)
            say(result, measure, places, n);
    }
}
