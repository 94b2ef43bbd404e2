/* route.h - a collective call between nodes: which bytes each node has, which
 * node's agent looks after them, and in which round. Kept from call to call.
 *
 * Ranks note their pieces as runs (pieces.h; a strided view is one run), the
 * leader merges those of its node, bytes that several ranks have but once, and
 * sends each agent the runs that concern it. The same view and count again,
 * also further on in the file by a whole number of tiles and pages (remote
 * storage: stripes), or another view with the same pieces (HDF5 sets one for
 * each access; ranks compare up to 4,096 runs), sends no lists.
 */
#ifndef SHIPIO_ROUTE_H
#define SHIPIO_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "exchange.h"
#include "hub.h"
#include "pieces.h"

/* What a rank's part of a call depends on. */
struct shipio_route_key {
    uint64_t view;
    int64_t pos;
    int64_t nbytes;
    int64_t stripe; /* as the hints have it */
    int64_t shift;  /* of these bytes from those of the route */
};

struct shipio_route {
    bool good; /* it describes a call */
    struct shipio_route_key key;
    struct shipio_piece_list mine; /* this rank's; none where it is long */
    struct shipio_binding bound;
    struct shipio_pieces own;   /* of this node */
    struct shipio_pieces *from; /* where an agent is: of each node */
    struct shipio_shm_area memory;
    int64_t client_len; /* the most that this node has in a round */
    int64_t agent_len;  /* the most that its agent has */
};

/* A message begins with this. */
struct shipio_box_head {
    int64_t end; /* reading: the file has no bytes from here on */
    int64_t reserved;
};

/* Local. What this rank's part of a call depends on; whether a later one is the
 * same, be it elsewhere in the file. */
struct shipio_route_key shipio_route_key_of(const struct shipio_file *file,
                                            const struct shipio_request *req);
bool shipio_route_key_fits(const struct shipio_route_key *key,
                           const struct shipio_file *file,
                           const struct shipio_request *req);

/* Local. True when the route describes this rank's part of a call, all bytes
 * moved by *shift_p, be the view another one with the same pieces. */
bool shipio_route_fits(struct shipio_route *route,
                       const struct shipio_file *file,
                       const struct shipio_request *req, int64_t *shift_p);
/* Collective. Makes the route of a call; 0 or -errno, the same on all. */
int shipio_route_make(struct shipio_route *route, struct shipio_file *file,
                      const struct shipio_request *req,
                      const struct shipio_span *span,
                      const struct shipio_agent_nodes *agents)
    __attribute__((warn_unused_result));
/* Local. */
void shipio_route_free(struct shipio_route *route,
                       const struct shipio_hub *hub);

#endif
