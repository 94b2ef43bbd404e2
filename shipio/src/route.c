/* route.c - lists of pieces: made by ranks, merged on a node, sent to agents.
 */
#include "route.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The longest list of a rank; longer ones are better not shipped. */
#define SERIES_MAX ((int64_t)1 << 20)
/* The longest list that a rank keeps, to know its pieces again. */
#define KEPT_MAX ((int64_t)1 << 12)
/* The most that a node sends, or an agent gets, in a round. */
#define BOX_MAX ((int64_t)64 * 1024 * 1024)

enum { TAG_LIST = 1 };

/* A leader's lists on their way; arrays have an entry for each node. */
struct lists {
    const struct shipio_hub *hub;
    const struct shipio_agent_nodes *agents;
    const struct shipio_span *span;
    struct shipio_stats *stats;
    bool fixed;   /* the length of a stripe was asked for */
    bool striped; /* as in struct shipio_node_bytes */
    struct shipio_binding *bound;
    struct shipio_region *regions; /* of each agent */
    struct shipio_place *places;
    struct shipio_piece_list own;
    struct shipio_piece_list *from; /* where an agent is */
    struct shipio_node_bytes *bytes;
    int64_t *lens; /* to each node, then from each */
    unsigned char **data;
    MPI_Request *requests;
};

/* This rank's pieces. */
static void note_pieces(const struct shipio_file *file,
                        const struct shipio_request *req,
                        struct shipio_piece_list *list)
{
    struct shipio_cursor where;
    int64_t left = req->nbytes;

    if (left > 0)
        shipio_cursor_init(&where, &file->view->tiling, req->pos);
    while (left > 0 && list->error == 0) {
        int64_t n = shipio_cursor_peek(&where);

        n = n < left ? n : left;
        shipio_pieces_add(list, where.off, n);
        shipio_cursor_take(&where, n);
        left -= n;
    }
    shipio_pieces_end(list);
}

/* The same pieces, all moved by *shift_p. */
static bool are_alike(const struct shipio_piece_list *a,
                      const struct shipio_piece_list *b, int64_t *shift_p)
{
    if (a->error != 0 || a->n != b->n || a->n == 0)
        return false;
    *shift_p = a->items[0].start - b->items[0].start;
    for (int64_t i = 0; i < a->n; i++) {
        const struct shipio_series *x = &a->items[i];
        const struct shipio_series *y = &b->items[i];

        if (x->start - y->start != *shift_p || x->len != y->len ||
            x->count != y->count || (x->count > 1 && x->stride != y->stride))
            return false;
    }
    return true;
}

/* Programs, and HDF5 for each access, set the view they had once more: what
 * counts is where its pieces are. The key is of the new view then. */
static bool knows_pieces(struct shipio_route *route,
                         const struct shipio_file *file,
                         const struct shipio_request *req)
{
    struct shipio_piece_list list = {.most = KEPT_MAX};
    int64_t shift = 0;
    bool alike;

    if (route->mine.n == 0)
        return false;
    note_pieces(file, req, &list);
    alike = are_alike(&list, &route->mine, &shift);
    shipio_pieces_free(&list);
    if (!alike)
        return false;
    route->key.view = file->view->serial;
    route->key.pos = req->pos;
    route->key.shift = shift;
    return true;
}

struct shipio_route_key shipio_route_key_of(const struct shipio_file *file,
                                            const struct shipio_request *req)
{
    return (struct shipio_route_key){.view = file->view->serial,
                                     .pos = req->pos,
                                     .nbytes = req->nbytes,
                                     .stripe =
                                         shipio_hints_stripe(&file->hints)};
}

/* But for the view. */
static bool is_as_long(const struct shipio_route_key *key,
                       const struct shipio_file *file,
                       const struct shipio_request *req)
{
    return req->nbytes == key->nbytes &&
           key->stripe == shipio_hints_stripe(&file->hints);
}

/* In the same place of a tile. */
static bool is_in_step(const struct shipio_route_key *key,
                       const struct shipio_file *file,
                       const struct shipio_request *req)
{
    return (req->pos - key->pos) % file->view->tiling.node->size == 0;
}

bool shipio_route_key_fits(const struct shipio_route_key *key,
                           const struct shipio_file *file,
                           const struct shipio_request *req)
{
    return is_as_long(key, file, req) &&
           (req->nbytes == 0 ||
            (key->view == file->view->serial && is_in_step(key, file, req)));
}

bool shipio_route_fits(struct shipio_route *route,
                       const struct shipio_file *file,
                       const struct shipio_request *req, int64_t *shift_p)
{
    const struct shipio_tiling *view = &file->view->tiling;
    const struct shipio_route_key *key = &route->key;
    int64_t align =
        file->storage.remote ? route->bound.stripe : SHIPIO_SLICE_MIN;

    *shift_p = 0;
    if (!route->good || !is_as_long(key, file, req))
        return false;
    if (req->nbytes == 0)
        return true;
    if (key->view != file->view->serial && !knows_pieces(route, file, req))
        return false;
    if (!is_in_step(key, file, req))
        return false;
    *shift_p =
        key->shift + (req->pos - key->pos) / view->node->size * view->extent;
    return *shift_p % align == 0;
}

void shipio_route_free(struct shipio_route *route, const struct shipio_hub *hub)
{
    shipio_shm_area_free(hub->shm, &route->memory);
    shipio_pieces_free(&route->mine);
    free(route->from);
    memset(route, 0, sizeof(*route));
}

/* Collective in the node. The leader gets the pieces of all its ranks. */
static int gather(struct shipio_hub *hub, struct shipio_piece_list *mine,
                  struct shipio_piece_list *all)
{
    struct shipio_hub_rank *ranks = hub->gates->ranks;
    int size = hub->shm->size;
    struct shipio_series *items;
    struct shipio_pieces *lists = NULL;
    int64_t total = 0;
    int64_t before = 0;
    int n = 0;
    int rc;

    ranks[hub->shm->rank].nseries = mine->n;
    rc = shipio_shm_agree(hub->shm, mine->error);
    if (rc != 0)
        return rc;
    for (int r = 0; r < size; r++) {
        before += r < hub->shm->rank ? ranks[r].nseries : 0;
        total += ranks[r].nseries;
    }
    rc = shipio_shm_area(hub->shm, &hub->lists,
                         ((size_t)total + 1) * sizeof(*items));
    if (rc != 0)
        return rc;
    items = hub->lists.memory;
    if (mine->n > 0)
        memcpy(items + before, mine->items, (size_t)mine->n * sizeof(*items));
    shipio_shm_barrier(hub->shm);
    if (!hub->leader)
        return 0;
    lists = calloc((size_t)size, sizeof(*lists));
    if (lists == NULL)
        return -ENOMEM;
    for (int r = 0; r < size; r++) {
        if (ranks[r].nseries > 0)
            lists[n++] =
                (struct shipio_pieces){.items = items, .n = ranks[r].nseries};
        items += ranks[r].nseries;
    }
    shipio_pieces_merge(all, lists, n);
    free(lists);
    return all->error;
}

/* Is an agent to know of this run? */
struct wish {
    const struct shipio_binding *bound;
    int agent;
};

static bool concerns(const void *argument, const struct shipio_series *item)
{
    const struct wish *wish = argument;
    int64_t stripe = wish->bound->stripe;
    int64_t last = item->start + (item->count - 1) * item->stride + item->len;

    return shipio_bound_has(wish->bound, wish->agent, item->start / stripe,
                            (last - 1) / stripe);
}

static struct shipio_binding_case case_of(const struct lists *l)
{
    return (struct shipio_binding_case){.agents = l->agents,
                                        .bytes = l->bytes,
                                        .nodes = l->hub->nodes,
                                        .low = l->span->low,
                                        .high = l->span->high,
                                        .nbytes = l->span->nbytes,
                                        .fixed = l->fixed};
}

/* The leaders: who serves what. */
static int bind_stripes(struct lists *l)
{
    struct shipio_pieces own = {.items = l->own.items, .n = l->own.n};
    struct shipio_node_bytes mine = {.striped = l->striped};
    struct shipio_binding_case call = case_of(l);

    shipio_node_bytes_of(&mine, &own);
    if (PMPI_Allgather(&mine, SHIPIO_NODE_WORDS, MPI_INT64_T, l->bytes,
                       SHIPIO_NODE_WORDS, MPI_INT64_T,
                       l->hub->lead) != MPI_SUCCESS)
        return -EIO;
    shipio_bind_agents(l->bound, &call, l->regions, l->places);
    return 0;
}

/* What each agent is to know of this node's pieces. */
static int encode(struct lists *l)
{
    struct shipio_pieces own = {.items = l->own.items, .n = l->own.n};
    int rc = 0;

    for (int a = 0; a < l->agents->n; a++) {
        struct wish wish = {.bound = l->bound, .agent = a};
        int node = l->agents->nodes[a];
        int64_t len;

        if (node == l->hub->index)
            continue;
        len = shipio_pieces_encode(&own, concerns, &wish, NULL);
        if (len == 0)
            continue;
        l->data[node] = malloc((size_t)len);
        if (l->data[node] == NULL || len > INT_MAX)
            rc = -ENOMEM;
        else
            l->lens[node] =
                shipio_pieces_encode(&own, concerns, &wish, l->data[node]);
    }
    return rc;
}

/* Room for what comes, before anybody sends. */
static int make_room(struct lists *l)
{
    int nodes = l->hub->nodes;

    for (int i = 0; i < nodes; i++) {
        int64_t len = l->lens[nodes + i];

        if (len == 0)
            continue;
        l->data[nodes + i] = malloc((size_t)len);
        if (l->data[nodes + i] == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* The lowest error of the leaders. */
static int lead_agree(const struct shipio_hub *hub, int error)
{
    return PMPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MIN,
                          hub->lead) == MPI_SUCCESS
               ? error
               : -EIO;
}

static int post_lists(struct lists *l)
{
    int nodes = l->hub->nodes;
    int rc = 0;

    for (int i = 0; i < 2 * nodes; i++)
        l->requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < nodes; i++)
        if (l->lens[nodes + i] > 0 &&
            PMPI_Irecv(l->data[nodes + i], (int)l->lens[nodes + i], MPI_BYTE, i,
                       TAG_LIST, l->hub->lead,
                       &l->requests[nodes + i]) != MPI_SUCCESS)
            rc = -EIO;
    for (int i = 0; i < nodes; i++) {
        if (l->lens[i] == 0)
            continue;
        if (PMPI_Isend(l->data[i], (int)l->lens[i], MPI_BYTE, i, TAG_LIST,
                       l->hub->lead, &l->requests[i]) != MPI_SUCCESS)
            rc = -EIO;
        shipio_count(l->stats, SHIPIO_N_MESSAGES, 1);
        shipio_count(l->stats, SHIPIO_N_LISTS, 1);
        shipio_count(l->stats, SHIPIO_N_BYTES_SENT, l->lens[i]);
    }
    for (int i = 0; i < 2 * nodes; i++)
        if (PMPI_Wait(&l->requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            rc = -EIO;
    return rc;
}

static bool has_room(const struct lists *l)
{
    return l->regions != NULL && l->places != NULL && l->from != NULL &&
           l->bytes != NULL && l->lens != NULL && l->data != NULL &&
           l->requests != NULL;
}

/* The leaders: the lists of all nodes come to the agents. */
static int exchange_lists(struct lists *l)
{
    int nodes = l->hub->nodes;
    int rc;

    /* All leaders have agreed that they have. */
    if (!has_room(l))
        return -ENOMEM;
    rc = bind_stripes(l);
    if (rc == 0)
        rc = encode(l);
    if (PMPI_Alltoall(l->lens, 1, MPI_INT64_T, l->lens + nodes, 1, MPI_INT64_T,
                      l->hub->lead) != MPI_SUCCESS)
        rc = -EIO;
    if (rc == 0)
        rc = make_room(l);
    rc = lead_agree(l->hub, rc);
    if (rc != 0)
        return rc;
    if (l->hub->index == 0)
        shipio_count(l->stats, SHIPIO_N_ROUNDS, 1);
    rc = post_lists(l);
    for (int i = 0; rc == 0 && i < nodes; i++) {
        if (!shipio_pieces_decode(&l->from[i], l->data[nodes + i],
                                  l->lens[nodes + i]))
            rc = -EIO;
        else
            rc = l->from[i].error;
    }
    return rc;
}

static int lists_init(struct lists *l)
{
    size_t nodes = (size_t)l->hub->nodes;

    l->regions = calloc(nodes, sizeof(*l->regions));
    l->places = calloc(nodes, sizeof(*l->places));
    l->from = calloc(nodes, sizeof(*l->from));
    l->bytes = calloc(nodes, sizeof(*l->bytes));
    l->lens = calloc(2 * nodes, sizeof(*l->lens));
    l->data = calloc(2 * nodes, sizeof(*l->data));
    l->requests = calloc(2 * nodes, sizeof(MPI_Request));
    return has_room(l) ? 0 : -ENOMEM;
}

static void lists_fini(struct lists *l)
{
    for (int i = 0; l->data != NULL && i < 2 * l->hub->nodes; i++)
        free(l->data[i]);
    for (int i = 0; l->from != NULL && i < l->hub->nodes; i++)
        shipio_pieces_free(&l->from[i]);
    shipio_pieces_free(&l->own);
    free(l->regions);
    free(l->places);
    free(l->from);
    free(l->bytes);
    free(l->lens);
    free(l->data);
    free(l->requests);
}

/* The most that this node, and its agent, have in a round. */
static void measure(struct shipio_route *route, const struct lists *l)
{
    const struct shipio_binding *bound = l->bound;
    int64_t head = (int64_t)sizeof(struct shipio_box_head);

    route->client_len = 0;
    route->agent_len = 0;
    for (int64_t r = 0; r < bound->nrounds; r++) {
        int64_t client = bound->nagents * head;
        int64_t agent = l->hub->nodes * head;

        for (int a = 0; a < bound->nagents; a++)
            client += shipio_bound_count(bound, &route->own, a, r);
        for (int i = 0; l->agents->mine >= 0 && i < l->hub->nodes; i++)
            agent +=
                shipio_bound_count(bound, &route->from[i], l->agents->mine, r);
        if (client > route->client_len)
            route->client_len = client;
        if (agent > route->agent_len)
            route->agent_len = agent;
    }
}

/* The leaders: rounds that fit the boxes of all. */
static int fit_rounds(struct shipio_route *route, struct lists *l)
{
    struct shipio_binding_case call = case_of(l);
    int64_t most;

    shipio_bind_rounds(l->bound, &call);
    do {
        measure(route, l);
        most = route->client_len > route->agent_len ? route->client_len
                                                    : route->agent_len;
        if (l->bound->batch * shipio_bound_len(l->bound) > most)
            most = l->bound->batch * shipio_bound_len(l->bound);
        if (PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX,
                           l->hub->lead) != MPI_SUCCESS)
            return -EIO;
    } while (most > BOX_MAX && shipio_bind_shorter(l->bound));
    return most > INT_MAX ? -ENOMEM : 0;
}

/* What a leader has found, for the ranks of its node. */
struct news {
    int rc;
    struct shipio_binding bound;
    int64_t client_len;
    int64_t agent_len;
    int64_t nseries; /* of all lists in memory */
};

/* Memory of a route: regions, lengths of lists, lists. */
struct layout {
    struct shipio_region *regions;
    int64_t *lens; /* of the own list, and of each node's */
    struct shipio_series *items;
};

static size_t layout_len(int nodes, int64_t nseries)
{
    return (size_t)nodes * sizeof(struct shipio_region) +
           ((size_t)nodes + 1) * sizeof(int64_t) +
           (size_t)nseries * sizeof(struct shipio_series);
}

static struct layout lay_out(char *memory, int nodes)
{
    char *lens = memory + (size_t)nodes * sizeof(struct shipio_region);
    char *items = lens + ((size_t)nodes + 1) * sizeof(int64_t);

    return (struct layout){.regions = (struct shipio_region *)(void *)memory,
                           .lens = (int64_t *)(void *)lens,
                           .items = (struct shipio_series *)(void *)items};
}

static void store(const struct layout *to, const struct lists *l)
{
    struct shipio_series *items = to->items;
    int nodes = l->hub->nodes;

    memcpy(to->regions, l->regions, (size_t)nodes * sizeof(*l->regions));
    for (int i = 0; i <= nodes; i++) {
        /* An agent has its own node's pieces from the first list. */
        const struct shipio_piece_list *list =
            i == 0 ? &l->own : &l->from[i - 1];

        to->lens[i] = list->n;
        if (list->n > 0)
            memcpy(items, list->items, (size_t)list->n * sizeof(*items));
        items += list->n;
    }
}

/* Each rank's view of the memory. */
static void point(struct shipio_route *route, const struct layout *at,
                  const struct shipio_hub *hub)
{
    const struct shipio_series *items = at->items;

    route->own = (struct shipio_pieces){.items = items, .n = at->lens[0]};
    items += at->lens[0];
    for (int i = 0; i < hub->nodes; i++) {
        route->from[i] =
            (struct shipio_pieces){.items = items, .n = at->lens[i + 1]};
        items += at->lens[i + 1];
    }
    route->from[hub->index] = route->own;
    if (route->bound.regions != NULL)
        route->bound.regions = at->regions;
}

/* Collective in the node. The leader's lists become everybody's. */
static int spread(struct shipio_route *route, struct shipio_hub *hub,
                  const struct lists *l, int error)
{
    struct news news = {.rc = error, .bound = route->bound};
    struct layout layout;
    int rc = 0;

    for (int i = 0; hub->leader && error == 0 && i < hub->nodes; i++)
        news.nseries += l->from[i].n;
    news.nseries += hub->leader ? l->own.n : 0;
    shipio_shm_barrier(hub->shm);
    shipio_shm_share(hub->shm, &news, sizeof(news));
    route->from = calloc((size_t)hub->nodes, sizeof(*route->from));
    rc = news.rc;
    if (route->from == NULL)
        rc = -ENOMEM;
    rc = shipio_shm_agree(hub->shm, rc);
    if (rc != 0)
        return rc;
    rc = shipio_shm_area(hub->shm, &route->memory,
                         layout_len(hub->nodes, news.nseries));
    if (rc != 0 || route->memory.memory == NULL)
        return rc;
    layout = lay_out(route->memory.memory, hub->nodes);
    if (hub->leader && has_room(l))
        store(&layout, l);
    shipio_shm_barrier(hub->shm);
    route->bound = news.bound;
    point(route, &layout, hub);
    return 0;
}

/* Collective. Rounds, and boxes for them. */
static int settle(struct shipio_route *route, struct shipio_hub *hub,
                  struct lists *l, int error)
{
    struct news news = {.rc = error};
    int64_t image;
    int rc;

    if (hub->leader && error == 0)
        news.rc = fit_rounds(route, l);
    news.bound = route->bound;
    news.client_len = (route->client_len + 63) / 64 * 64;
    news.agent_len = (route->agent_len + 63) / 64 * 64;
    shipio_shm_barrier(hub->shm);
    shipio_shm_share(hub->shm, &news, sizeof(news));
    if (news.rc == 0) {
        const struct shipio_region *regions = route->bound.regions;

        route->bound = news.bound;
        route->bound.regions = regions;
        route->client_len = news.client_len;
        route->agent_len = news.agent_len;
    }
    rc = shipio_shm_agree(hub->shm, news.rc);
    image = route->bound.batch * shipio_bound_len(&route->bound);
    if (rc == 0)
        rc = shipio_shm_area(
            hub->shm, &hub->area,
            2 * (size_t)(route->client_len + route->agent_len + image));
    return rc;
}

static int make(struct shipio_route *route, struct shipio_file *file,
                struct shipio_hub *hub, struct lists *l,
                struct shipio_piece_list *mine)
{
    int rc = gather(hub, mine, &l->own);

    if (hub->leader) {
        int allocated = lists_init(l);

        rc = rc != 0 ? rc : allocated;
    }
    rc = shipio_hub_agree(hub, rc);
    if (rc != 0)
        return rc;
    route->bound =
        (struct shipio_binding){.nagents = l->agents->n,
                                .stripe = shipio_hints_stripe(&file->hints),
                                .slices = 1};
    l->bound = &route->bound;
    if (hub->leader)
        rc = exchange_lists(l);
    rc = spread(route, hub, l, rc);
    /* All leaders must come to the rounds, or none. */
    rc = shipio_hub_agree(hub, rc);
    if (rc == 0)
        rc = settle(route, hub, l, rc);
    return shipio_hub_agree(hub, rc);
}

int shipio_route_make(struct shipio_route *route, struct shipio_file *file,
                      const struct shipio_request *req,
                      const struct shipio_span *span,
                      const struct shipio_agent_nodes *agents)
{
    struct shipio_hub *hub = shipio_hub_of(file);
    struct shipio_piece_list mine = {.most = SERIES_MAX};
    struct lists l = {.hub = hub,
                      .agents = agents,
                      .span = span,
                      .stats = &file->stats,
                      .fixed = file->hints.stripe > 0,
                      .striped = file->storage.striped};
    int rc;

    /* Its memory may serve again. */
    route->good = false;
    free(route->from);
    route->from = NULL;
    shipio_pieces_free(&route->mine);
    note_pieces(file, req, &mine);
    rc = make(route, file, hub, &l, &mine);
    lists_fini(&l);
    if (rc != 0) {
        shipio_pieces_free(&mine);
        shipio_route_free(route, hub);
        return rc;
    }
    if (mine.n > KEPT_MAX)
        shipio_pieces_free(&mine);
    route->mine = mine;
    route->key = shipio_route_key_of(file, req);
    route->good = true;
    return 0;
}
