/* result/repetitions.c - repetitions of the same work. */
#include "result/repetitions.h"

#include "result/flags.h"
#include "result/identity.h"
#include "result/value.h"

#include <errno.h>
#include <stdlib.h>

/* What it is, as a text; the caller frees it. NULL: no memory. */
static char *work_of(const json_t *measure, const json_t *view,
                     const char *const *but_for)
{
    json_t *identity = pario_measure_identity(measure, view);
    char *text;

    for (; but_for != NULL && *but_for != NULL; but_for++)
        (void)json_object_del(identity, *but_for);
    text = json_dumps(identity, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(identity);
    return text;
}

/* index: the lists of works, by what they are. -1: no memory. */
static int add_measure(json_t *works, json_t *index, json_t *measure,
                       const char *work)
{
    json_t *list = json_object_get(index, work);

    if (list == NULL) {
        list = json_array();
        if (json_array_append_new(works, list) != 0 ||
            json_object_set(index, work, list) != 0)
            return -1;
    }
    return json_array_append(list, measure);
}

static int find_works(const json_t *document, const char *const *but_for,
                      json_t *works)
{
    const json_t *view = json_object_get(document, "view");
    json_t *measure, *index = json_object();
    int bad = works == NULL || index == NULL;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        char *work = work_of(measure, view, but_for);

        bad = bad || work == NULL ||
              add_measure(works, index, measure, work) != 0;
        free(work);
    }
    json_decref(index);
    return bad;
}

int pario_repetitions_init(const json_t *document, const char *const *but_for,
                           struct pario_repetitions *same)
{
    size_t room = json_array_size(json_object_get(document, "measures")) + 1;

    *same = (struct pario_repetitions){
        .works = json_array(),
        .measures = calloc(room, sizeof(json_t *)),
        .values = calloc(room, sizeof(double)),
    };
    if (same->measures == NULL || same->values == NULL ||
        find_works(document, but_for, same->works) != 0)
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    return 0;
}

void pario_repetitions_fini(struct pario_repetitions *same)
{
    json_decref(same->works);
    free(same->measures);
    free(same->values);
}

int pario_repetitions_take(struct pario_repetitions *same, size_t i)
{
    const json_t *list = json_array_get(same->works, i), *measure;
    struct pario_flag_sum flags = {.count = 0};
    size_t m;

    json_array_foreach(list, m, measure)
    {
        same->measures[m] = measure;
        pario_flag_sum_add(&flags, pario_flags_of_measure(measure));
    }
    same->count = json_array_size(list);
    same->flags = pario_flag_sum_get(&flags);
    return list != NULL;
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
