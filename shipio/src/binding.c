/* binding.c - regions of agents, rounds. */
#include "binding.h"

#include <stdlib.h>

/* A round should be worth its messages: so much for each pair of nodes, and for
 * each agent; but there should be some, to overlap. */
#define PAIR_LEN ((int64_t)256 * 1024)
#define ROUNDS_WANTED 4

struct shipio_range shipio_bound_range(const struct shipio_binding *bound,
                                       int agent, int64_t round, int j)
{
    int64_t turn = round / bound->slices * bound->batch + j;
    int64_t len = shipio_bound_len(bound);
    int64_t stripe;

    if (bound->regions == NULL) {
        stripe = bound->first + turn * bound->nagents + agent;
    } else {
        stripe = bound->regions[agent].first + turn;
        if (stripe >= bound->regions[agent].end)
            len = 0;
    }
    return (struct shipio_range){.start = stripe * bound->stripe +
                                          round % bound->slices *
                                              shipio_bound_len(bound),
                                 .len = len};
}

int64_t shipio_bound_count(const struct shipio_binding *bound,
                           const struct shipio_pieces *pieces, int agent,
                           int64_t round)
{
    int64_t sum = 0;

    for (int j = 0; j < bound->batch; j++) {
        struct shipio_range range = shipio_bound_range(bound, agent, round, j);

        sum +=
            shipio_pieces_count(pieces, range.start, range.start + range.len);
    }
    return sum;
}

bool shipio_bound_has(const struct shipio_binding *bound, int agent,
                      int64_t first, int64_t last)
{
    int64_t own;

    if (bound->regions != NULL)
        return first < bound->regions[agent].end &&
               last >= bound->regions[agent].first;
    own = first +
          (agent - first % bound->nagents + bound->nagents) % bound->nagents;
    return own <= last;
}

/* On the average. */
static int64_t middle_of(const struct shipio_pieces *pieces, int64_t nbytes)
{
    double sum = 0;

    for (int64_t i = 0; i < pieces->n; i++) {
        const struct shipio_series *item = &pieces->items[i];
        double middle =
            (double)item->start +
            (double)((item->count - 1) * item->stride + item->len) / 2;

        sum += middle * (double)(item->count * item->len);
    }
    return (int64_t)(sum / (double)nbytes);
}

void shipio_node_bytes_of(struct shipio_node_bytes *bytes,
                          const struct shipio_pieces *pieces)
{
    const struct shipio_series *items = pieces->items;

    bytes->low = bytes->high = bytes->middle = bytes->nbytes = 0;
    if (pieces->n == 0)
        return;
    bytes->low = items[0].start;
    for (int64_t i = 0; i < pieces->n; i++) {
        int64_t end = items[i].start + (items[i].count - 1) * items[i].stride +
                      items[i].len;

        bytes->high = end > bytes->high ? end : bytes->high;
    }
    bytes->nbytes = shipio_pieces_count(pieces, bytes->low, bytes->high);
    bytes->middle = middle_of(pieces, bytes->nbytes);
}

static int compare_places(const void *a, const void *b)
{
    const struct shipio_place *x = a;
    const struct shipio_place *y = b;

    if (x->middle != y->middle)
        return x->middle < y->middle ? -1 : 1;
    return x->agent < y->agent ? -1 : x->agent > y->agent;
}

/* Nodes may have their bytes in any order: the launcher numbers ranks as it
 * likes. Agents whose node has none come last. */
static void order_agents(const struct shipio_binding_case *call,
                         struct shipio_place *places)
{
    for (int a = 0; a < call->agents->n; a++) {
        const struct shipio_node_bytes *bytes =
            &call->bytes[call->agents->nodes[a]];

        places[a] = (struct shipio_place){
            .agent = a,
            .middle = bytes->nbytes > 0 ? bytes->middle : INT64_MAX};
    }
    qsort(places, (size_t)call->agents->n, sizeof(*places), compare_places);
}

/* Nodes with regions of their own, of about one length, are their own agents.
 * Who says how long a stripe is wants them bound one by one. */
static bool bind_regions(int64_t stripe, const struct shipio_binding_case *call,
                         struct shipio_region *regions,
                         const struct shipio_place *places)
{
    const struct shipio_node_bytes *bytes = call->bytes;
    int64_t most = 0;
    int last = -1;

    if (call->fixed || call->agents->n != call->nodes)
        return false;
    for (int k = 0; k < call->nodes; k++) {
        int i = places[k].agent;

        regions[i] = (struct shipio_region){.first = 0, .end = 0};
        if (bytes[i].nbytes == 0)
            continue;
        if ((last >= 0 && bytes[i].low < bytes[last].high) ||
            bytes[i].high - bytes[i].low < 2 * stripe)
            return false;
        regions[i].first = bytes[i].low / stripe;
        if (last >= 0)
            regions[last].end = regions[i].first;
        most = bytes[i].nbytes > most ? bytes[i].nbytes : most;
        last = i;
    }
    if (last < 0 || most > 2 * (call->nbytes / call->nodes))
        return false;
    regions[last].end = (call->high - 1) / stripe + 1;
    return true;
}

/* Shares of n stripes from first on, in the order of the file; one that comes
 * before the next node's bytes goes to an agent whose node has none. */
static void give_shares(int64_t stripe, struct shipio_region all, int agents,
                        struct shipio_region *regions,
                        const struct shipio_place *places)
{
    int64_t n = all.end - all.first;
    int holders = 0;
    int next = 0;
    int rest;

    while (holders < agents && places[holders].middle < INT64_MAX)
        holders++;
    rest = holders;
    for (int k = 0; k < agents; k++) {
        bool here =
            next < holders &&
            (rest == agents ||
             (places[next].middle / stripe - all.first) * agents / n <= k);

        regions[places[here ? next++ : rest++].agent] =
            (struct shipio_region){.first = all.first + n * k / agents,
                                   .end = all.first + n * (k + 1) / agents};
    }
}

/*
 * Else each agent has an equal share of the file, that where its node's bytes
 * are. Round robin all agents would go through the file side by side from front
 * to back, and where one node after the other has pieces (subarrays: by the
 * slowest dimension) its link alone would be busy. Not where there are gaps,
 * for shares might be empty then, nor where stripes are the file system's.
 */
static bool bind_shares(int64_t stripe, const struct shipio_binding_case *call,
                        struct shipio_region *regions,
                        const struct shipio_place *places)
{
    struct shipio_region all = {.first = call->low / stripe,
                                .end = (call->high - 1) / stripe + 1};
    int agents = call->agents->n;

    if (call->fixed || all.end - all.first < (int64_t)ROUNDS_WANTED * agents ||
        call->nbytes < (call->high - call->low) / 4 * 3)
        return false;
    for (int i = 0; i < call->nodes; i++)
        if (call->bytes[i].striped != 0)
            return false;
    give_shares(stripe, all, agents, regions, places);
    return true;
}

void shipio_bind_agents(struct shipio_binding *bound,
                        const struct shipio_binding_case *call,
                        struct shipio_region *regions,
                        struct shipio_place *places)
{
    order_agents(call, places);
    if (bind_regions(bound->stripe, call, regions, places) ||
        bind_shares(bound->stripe, call, regions, places))
        bound->regions = regions;
}

void shipio_bind_rounds(struct shipio_binding *bound,
                        const struct shipio_binding_case *call)
{
    int64_t most =
        bound->stripe > SHIPIO_ROUND_LEN ? bound->stripe : SHIPIO_ROUND_LEN;
    int64_t stripes = 0;
    int64_t batch;

    bound->slices = 1;
    bound->first = call->low / bound->stripe / bound->nagents * bound->nagents;
    if (bound->regions == NULL)
        stripes =
            ((call->high - 1) / bound->stripe - bound->first) / bound->nagents +
            1;
    for (int a = 0; bound->regions != NULL && a < bound->nagents; a++) {
        int64_t n = bound->regions[a].end - bound->regions[a].first;

        stripes = n > stripes ? n : stripes;
    }
    most = call->nodes * PAIR_LEN > most ? call->nodes * PAIR_LEN : most;
    batch = (stripes + ROUNDS_WANTED - 1) / ROUNDS_WANTED;
    if (batch > most / bound->stripe)
        batch = most / bound->stripe;
    batch = batch > 0 ? batch : 1;
    bound->batch = (int)batch;
    bound->nrounds = (stripes + batch - 1) / batch;
}

bool shipio_bind_shorter(struct shipio_binding *bound)
{
    int64_t len = shipio_bound_len(bound);

    if (bound->batch > 1) {
        int64_t stripes = bound->nrounds * (int64_t)bound->batch;

        bound->batch /= 2;
        bound->nrounds = (stripes + bound->batch - 1) / bound->batch;
        return true;
    }
    if (len % (2 * SHIPIO_SLICE_MIN) != 0)
        return false;
    bound->slices *= 2;
    bound->nrounds *= 2;
    return true;
}
