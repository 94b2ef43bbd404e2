/* result/repetitions.c - repetitions of the same work. */
#include "result/repetitions.h"

#include "result/flags.h"
#include "result/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pario_repetitions_init(struct pario_result *result,
                           struct pario_repetitions *same)
{
    size_t room;

    *same = (struct pario_repetitions){
        .all = json_object_get(pario_result_document(result), "measures")};
    room = json_array_size(same->all) + 1;
    same->measures = calloc(room, sizeof(json_t *));
    same->values = calloc(room, sizeof(double));
    if (same->measures == NULL || same->values == NULL)
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    return 0;
}

void pario_repetitions_fini(struct pario_repetitions *same)
{
    free(same->measures);
    free(same->values);
}

/* The same test, access, partition and parameters, but for the number of the
 * repetition. */
static int repeats(const json_t *a, const json_t *b)
{
    json_t *x = json_copy(json_object_get(a, "parameters"));
    json_t *y = json_copy(json_object_get(b, "parameters"));
    int same =
        strcmp(pario_text_of(a, "test", ""), pario_text_of(b, "test", "")) ==
            0 &&
        strcmp(pario_text_of(a, "access", ""),
               pario_text_of(b, "access", "")) == 0 &&
        pario_integer_of(a, "partition") == pario_integer_of(b, "partition");

    (void)json_object_del(x, "repetition");
    (void)json_object_del(y, "repetition");
    same = same && json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return same;
}

void pario_repetitions_gather(struct pario_repetitions *same,
                              const json_t *first)
{
    struct pario_flag_sum flags = {.count = 0};
    const json_t *measure;
    size_t i;

    same->count = 0;
    json_array_foreach(same->all, i, measure)
    {
        if (!repeats(measure, first))
            continue;
        if (same->count == 0 && measure != first)
            return;
        same->measures[same->count++] = measure;
        pario_flag_sum_add(&flags, pario_flags_of_measure(measure));
    }
    same->flags = pario_flag_sum_get(&flags);
}

int pario_repetitions_median(const struct pario_repetitions *same,
                             double (*of)(const json_t *measure),
                             struct pario_interval *interval_p)
{
    for (size_t i = 0; i < same->count; i++)
        same->values[i] = of(same->measures[i]);
    return pario_median_interval(same->values, same->count, interval_p) == 0 &&
           interval_p->median > 0;
}

double pario_measure_p99_ns(const json_t *measure)
{
    return pario_number_of(json_object_get(measure, "latency_ns"), "p99");
}
