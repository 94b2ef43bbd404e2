/* suites/prio/plan.c - the requests of one process in one pass. */
#include "suites/prio/plan.h"

#include "core/rng.h"
#include "suites/prio/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Walks over the blocks of the data in file order. */
struct tiling {
    struct pario_rng rng;
    struct prio_size size;
    int64_t step, at, end;
};

static void tiling_start(struct tiling *tiling, const struct prio_case *what)
{
    *tiling = (struct tiling){
        .size = {what->request_low, what->request_high},
        .end = what->data_bytes,
    };
    tiling->step = prio_size_step(&tiling->size);
    pario_rng_init(&tiling->rng, what->seed);
}

/* The length of the next block, the rest at the end; 0: no more. */
static int64_t tiling_next(struct tiling *tiling)
{
    int64_t len = tiling->size.low, choices;

    if (tiling->size.high > tiling->size.low) {
        choices = (tiling->size.high - tiling->size.low) / tiling->step + 1;
        len += tiling->step *
               (int64_t)pario_rng_below(&tiling->rng, (uint64_t)choices);
    }
    if (len > tiling->end - tiling->at)
        len = tiling->end - tiling->at;
    tiling->at += len;
    return len;
}

int64_t prio_plan_count(const struct prio_case *what)
{
    struct tiling tiling;
    int64_t count = 0;

    if (what->request_low == what->request_high)
        return (what->data_bytes + what->request_low - 1) / what->request_low;
    tiling_start(&tiling, what);
    while (tiling_next(&tiling) > 0)
        count++;
    return count;
}

int64_t prio_draw_size(int64_t low, int64_t high, int64_t step, uint64_t seed)
{
    struct pario_rng rng;

    if (high <= low)
        return low;
    pario_rng_init(&rng, pario_mix64(seed));
    return low + step * (int64_t)pario_rng_below(
                            &rng, (uint64_t)((high - low) / step + 1));
}

/* Exactly reads : writes over the pass, evenly spread. */
static uint32_t is_write(const struct prio_case *what, int64_t i)
{
    int64_t both = what->reads + what->writes;
    /* Only the place within one period matters: no overflow. */
    int64_t k = i % both;

    return (k + 1) * what->writes / both != k * what->writes / both;
}

static int64_t place_of(const struct prio_case *what,
                        const struct pario_perm *perm, int64_t count, int64_t i)
{
    switch (what->pattern) {
    case PRIO_RANDOM:
        return (int64_t)pario_perm_at(perm, (uint64_t)i);
    case PRIO_BACKWARD:
        return count - 1 - i;
    default:
        return i;
    }
}

int prio_plan_init(struct prio_plan *plan, const struct prio_case *what,
                   int rank)
{
    int64_t count = prio_plan_count(what), at = 0;
    struct prio_request *tile, *request;
    struct pario_perm perm;
    struct tiling tiling;

    if (count <= 0)
        return pario_fail(PARIO_EUSAGE, "no data to move");
    tile = malloc((size_t)count * sizeof(*tile));
    request = malloc((size_t)count * sizeof(*request));
    if (tile == NULL || request == NULL) {
        free(tile);
        free(request);
        return pario_fail_errno(-ENOMEM, "cannot plan %lld requests",
                                (long long)count);
    }
    *plan = (struct prio_plan){.request = request, .count = count};
    tiling_start(&tiling, what);
    for (int64_t i = 0; i < count; i++) {
        int64_t len = tiling_next(&tiling);

        tile[i] = (struct prio_request){.at = at, .len = (uint32_t)len};
        at += len;
        plan->longest =
            tile[i].len > plan->longest ? tile[i].len : plan->longest;
    }
    pario_perm_init(&perm, (uint64_t)count,
                    pario_mix64(what->seed + (uint64_t)rank));
    for (int64_t i = 0; i < count; i++) {
        request[i] = tile[place_of(what, &perm, count, i)];
        request[i].write = is_write(what, i);
        if (request[i].write)
            plan->written_bytes += request[i].len;
    }
    free(tile);
    return 0;
}

void prio_plan_fini(struct prio_plan *plan)
{
    free(plan->request);
    *plan = (struct prio_plan){0};
}
