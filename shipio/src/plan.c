/* plan.c - stripes of a call, their agents, and who wants them. */
#include "plan.h"

void shipio_plan_part(struct shipio_file *file,
                      const struct shipio_request *req, int error,
                      struct shipio_desc *part)
{
    const struct shipio_tiling *view = &file->view->tiling;

    *part =
        (struct shipio_desc){.nbytes = req->nbytes,
                             .error = error,
                             .cost_ns = shipio_storage_cost(file, req->write)};
    if (req->nbytes == 0)
        return;
    part->low = shipio_tiling_offset(view, req->pos);
    part->high = shipio_tiling_end(view, req->pos + req->nbytes);
    part->pieces = shipio_tiling_pieces(view, req->pos, req->nbytes);
}

void shipio_plan_init(struct shipio_plan *plan, struct shipio_file *file,
                      int64_t stripe, const struct shipio_span *span,
                      int64_t round)
{
    int64_t first = span->low / stripe / round;
    int64_t last = (span->high - 1) / stripe / round;

    *plan = (struct shipio_plan){.file = file,
                                 .stripe = stripe,
                                 .low = span->low,
                                 .high = span->high,
                                 .first = first * round,
                                 .nstripes = (last - first + 1) * round};
}

int64_t shipio_plan_own(const struct shipio_plan *plan, int64_t stripe)
{
    while (stripe < plan->nstripes &&
           shipio_plan_agent(plan, stripe) != plan->file->team->rank)
        stripe++;
    return stripe;
}

struct shipio_range shipio_plan_range(const struct shipio_plan *plan,
                                      int64_t stripe)
{
    int64_t begin = shipio_plan_begin(plan, stripe);
    int64_t from = begin > plan->low ? begin : plan->low;
    int64_t to = begin + plan->stripe;

    to = to < plan->high ? to : plan->high;
    return (struct shipio_range){.start = from,
                                 .len = to > from ? to - from : 0};
}

int64_t shipio_plan_visit(const struct shipio_plan *plan,
                          struct shipio_walk *ahead, int64_t end)
{
    int64_t stripe;

    if (shipio_walk_piece(ahead, end) == 0)
        return -1;
    stripe = shipio_plan_stripe(plan, ahead->where.off);
    shipio_walk_pass(
        ahead, shipio_walk_piece(ahead, shipio_plan_begin(plan, stripe + 1)));
    return stripe;
}

bool shipio_plan_prefetch(const struct shipio_plan *plan,
                          const uint64_t *wanted)
{
    struct shipio_file *file = plan->file;
    bool good = true;

    if (!shipio_prefetch_claim(file, false))
        return false;
    for (int64_t s = shipio_plan_own(plan, 0); good && s < plan->nstripes;
         s = shipio_plan_own(plan, s + 1)) {
        struct shipio_range range = shipio_plan_range(plan, s);

        if (range.len > 0 && shipio_plan_is_wanted(wanted, s))
            good = shipio_prefetch_add(file, range.start, range.len);
    }
    if (good)
        shipio_prefetch_begin(file, false);
    else
        shipio_prefetch_unclaim(file);
    return good;
}
