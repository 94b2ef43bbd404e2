/* plan.h - a collective call cut into stripes, each bound to one agent: the
 * same whether they pass through shared memory or by messages. All local.
 */
#ifndef SHIPIO_PLAN_H
#define SHIPIO_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "exchange.h"
#include "prefetch.h"
#include "walk.h"

struct shipio_plan {
    struct shipio_file *file;
    int64_t stripe; /* its length */
    int64_t low;    /* file bytes [low, high) are the call's */
    int64_t high;
    int64_t first;    /* number in the file of the call's stripe 0 */
    int64_t nstripes; /* of the call, which are counted from 0 on */
};

/* What one rank has to say of its request before the data moves. */
void shipio_plan_part(struct shipio_file *file,
                      const struct shipio_request *req, int error,
                      struct shipio_desc *part);

/* Stripes come in rounds of so many (1: there are none), which begin at a
 * multiple of that in the file. */
void shipio_plan_init(struct shipio_plan *plan, struct shipio_file *file,
                      int64_t stripe, const struct shipio_span *span,
                      int64_t round);

static inline int64_t shipio_plan_begin(const struct shipio_plan *plan,
                                        int64_t stripe)
{
    return (plan->first + stripe) * plan->stripe;
}

/* The stripe that holds offset. */
static inline int64_t shipio_plan_stripe(const struct shipio_plan *plan,
                                         int64_t offset)
{
    return offset / plan->stripe - plan->first;
}

/* The rank that serves a stripe. */
static inline int shipio_plan_agent(const struct shipio_plan *plan,
                                    int64_t stripe)
{
    const struct shipio_shipping *ship = &plan->file->ship;

    return ship->agent_ranks[(plan->first + stripe) % ship->nagents];
}

/* The first stripe of this rank's at or after stripe. */
int64_t shipio_plan_own(const struct shipio_plan *plan, int64_t stripe);
/* The part of a stripe that lies within the call; its length may be 0. */
struct shipio_range shipio_plan_range(const struct shipio_plan *plan,
                                      int64_t stripe);
/* Moves ahead, a copy of the call's walk, over its pieces of one stripe below
 * offset end: the stripe, or -1 when there is none. It may come again. */
int64_t shipio_plan_visit(const struct shipio_plan *plan,
                          struct shipio_walk *ahead, int64_t end);
/* Announces the own stripes, of those wanted (a bit for each; NULL: all), to
 * the file system; false where there is no prefetching. */
bool shipio_plan_prefetch(const struct shipio_plan *plan,
                          const uint64_t *wanted);

static inline bool shipio_plan_is_wanted(const uint64_t *wanted, int64_t stripe)
{
    return wanted == NULL || (wanted[stripe / 64] >> (stripe % 64) & 1) != 0;
}

#endif
