/* type.c - decodes MPI datatypes, constructor by constructor. */
#include "type.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"

/* The arguments a datatype was made from, all counts as 64-bit integers. */
struct contents {
    int combiner;
    int64_t nints;
    int64_t naddrs;
    int64_t nlarge;
    int64_t ntypes;
    int *ints;
    MPI_Aint *addrs;
    MPI_Count *large;
    MPI_Datatype *types;
    int64_t next_int; /* readers' positions */
    int64_t next_addr;
    int64_t next_large;
};

static struct shipio_node *decode(MPI_Datatype datatype);

static int64_t extent_of(MPI_Datatype datatype)
{
    MPI_Count lb = 0;
    MPI_Count extent = 0;

    PMPI_Type_get_extent_x(datatype, &lb, &extent);
    return extent;
}

static int64_t size_of(MPI_Datatype datatype)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(datatype, &size);
    return size;
}

static int combiner_of(MPI_Datatype datatype)
{
#if MPI_VERSION >= 4
    MPI_Count n[4];
#else
    int n[3];
#endif
    int combiner = MPI_COMBINER_NAMED;

#if MPI_VERSION >= 4
    PMPI_Type_get_envelope_c(datatype, &n[0], &n[1], &n[2], &n[3], &combiner);
#else
    PMPI_Type_get_envelope(datatype, &n[0], &n[1], &n[2], &combiner);
#endif
    return combiner;
}

/* Types without contents to look into. */
static bool is_leaf(int combiner)
{
    return combiner == MPI_COMBINER_NAMED ||
           combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
}

static void contents_free(struct contents *c)
{
    for (int64_t i = 0; c->types != NULL && i < c->ntypes; i++)
        if (c->types[i] != MPI_DATATYPE_NULL &&
            !is_leaf(combiner_of(c->types[i])))
            PMPI_Type_free(&c->types[i]);
    free(c->ints);
    free(c->addrs);
    free(c->large);
    free(c->types);
}

static void contents_sizes(struct contents *c, MPI_Datatype datatype)
{
#if MPI_VERSION >= 4
    MPI_Count n[4] = {0, 0, 0, 0};

    PMPI_Type_get_envelope_c(datatype, &n[0], &n[1], &n[2], &n[3],
                             &c->combiner);
    c->nlarge = n[2];
    c->ntypes = n[3];
#else
    int n[3] = {0, 0, 0};

    PMPI_Type_get_envelope(datatype, &n[0], &n[1], &n[2], &c->combiner);
    c->ntypes = n[2];
#endif
    c->nints = n[0];
    c->naddrs = n[1];
}

static int contents_get(struct contents *c, MPI_Datatype datatype)
{
    int rc;

    memset(c, 0, sizeof(*c));
    contents_sizes(c, datatype);
    c->ints = calloc((size_t)c->nints + 1, sizeof(*c->ints));
    c->addrs = calloc((size_t)c->naddrs + 1, sizeof(*c->addrs));
    c->large = calloc((size_t)c->nlarge + 1, sizeof(*c->large));
    c->types = calloc((size_t)c->ntypes + 1, sizeof(MPI_Datatype));
    if (!c->ints || !c->addrs || !c->large || !c->types) {
        free(c->types);
        c->types = NULL;
        contents_free(c);
        return -ENOMEM;
    }
#if MPI_VERSION >= 4
    rc = PMPI_Type_get_contents_c(datatype, c->nints, c->naddrs, c->nlarge,
                                  c->ntypes, c->ints, c->addrs, c->large,
                                  c->types);
#else
    rc = PMPI_Type_get_contents(datatype, (int)c->nints, (int)c->naddrs,
                                (int)c->ntypes, c->ints, c->addrs, c->types);
#endif
    if (rc != MPI_SUCCESS) {
        free(c->types);
        c->types = NULL;
        contents_free(c);
        return -EINVAL;
    }
    return 0;
}

/* A count: from the large counts when the type was made by a _c call. */
static int64_t next_count(struct contents *c)
{
    return c->nlarge > 0 ? (int64_t)c->large[c->next_large++]
                         : c->ints[c->next_int++];
}

/* A displacement in bytes. */
static int64_t next_disp(struct contents *c)
{
    return c->nlarge > 0 ? (int64_t)c->large[c->next_large++]
                         : (int64_t)c->addrs[c->next_addr++];
}

static struct shipio_node *decode_vector(struct contents *c, bool in_bytes)
{
    int64_t ext = extent_of(c->types[0]);
    int64_t count = next_count(c);
    int64_t blocklen = next_count(c);
    int64_t stride = in_bytes ? next_disp(c) : next_count(c) * ext;

    return shipio_node_repeat(
        shipio_node_repeat(decode(c->types[0]), blocklen, ext), count, stride);
}

/* Lists of blocks of one old type; unit scales the displacements. */
static struct shipio_node *list_of(MPI_Datatype old, int64_t n,
                                   const int64_t *disp, int64_t *lens)
{
    struct shipio_node *base = decode(old);
    int64_t ext = extent_of(old);
    struct shipio_node **items;
    struct shipio_node *node = NULL;

    if (base == NULL)
        return NULL;
    if (base->kind == SHIPIO_BLOCK && base->size == ext) {
        for (int64_t i = 0; i < n; i++)
            lens[i] *= ext;
        node = shipio_node_blocks(n, disp, lens);
        shipio_node_put(base);
        return node;
    }
    items = calloc((size_t)n + 1, sizeof(struct shipio_node *));
    if (items != NULL) {
        for (int64_t i = 0; i < n; i++)
            items[i] = shipio_node_repeat(shipio_node_get(base), lens[i], ext);
        node = shipio_node_join(n, disp, items);
    }
    free(items);
    shipio_node_put(base);
    return node;
}

static struct shipio_node *decode_indexed(struct contents *c)
{
    bool one_len = c->combiner == MPI_COMBINER_INDEXED_BLOCK ||
                   c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    bool in_bytes = c->combiner == MPI_COMBINER_HINDEXED ||
                    c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    int64_t n = next_count(c);
    int64_t len = one_len ? next_count(c) : 0;
    int64_t ext = extent_of(c->types[0]);
    int64_t *disp = calloc((size_t)n + 1, sizeof(*disp));
    int64_t *lens = calloc((size_t)n + 1, sizeof(*lens));
    struct shipio_node *node = NULL;

    if (disp != NULL && lens != NULL) {
        for (int64_t i = 0; i < n; i++)
            lens[i] = one_len ? len : next_count(c);
        for (int64_t i = 0; i < n; i++)
            disp[i] = in_bytes ? next_disp(c) : next_count(c) * ext;
        node = list_of(c->types[0], n, disp, lens);
    }
    free(disp);
    free(lens);
    return node;
}

static struct shipio_node *decode_struct(struct contents *c)
{
    int64_t n = next_count(c);
    struct shipio_node **items =
        calloc((size_t)n + 1, sizeof(struct shipio_node *));
    int64_t *disp = calloc((size_t)n + 1, sizeof(*disp));
    int64_t *lens = calloc((size_t)n + 1, sizeof(*lens));
    struct shipio_node *node = NULL;

    if (items != NULL && disp != NULL && lens != NULL) {
        for (int64_t i = 0; i < n; i++)
            lens[i] = next_count(c);
        for (int64_t i = 0; i < n; i++)
            disp[i] = next_disp(c);
        for (int64_t i = 0; i < n; i++)
            items[i] = shipio_node_repeat(decode(c->types[i]), lens[i],
                                          extent_of(c->types[i]));
        node = shipio_node_join(n, disp, items);
    }
    free(items);
    free(disp);
    free(lens);
    return node;
}

/* Arrays of up to this many dimensions are decoded. */
#define NDIMS_MAX 64

static struct shipio_node *decode_subarray(struct contents *c)
{
    int64_t sizes[NDIMS_MAX];
    int64_t subsizes[NDIMS_MAX];
    int64_t starts[NDIMS_MAX];
    int ndims = c->ints[c->next_int++];
    struct shipio_node *node = decode(c->types[0]);
    int64_t stride = extent_of(c->types[0]);
    int64_t shift = 0;
    bool c_order;

    if (ndims > NDIMS_MAX) {
        shipio_node_put(node);
        return NULL;
    }
    for (int i = 0; i < ndims; i++)
        sizes[i] = next_count(c);
    for (int i = 0; i < ndims; i++)
        subsizes[i] = next_count(c);
    for (int i = 0; i < ndims; i++)
        starts[i] = next_count(c);
    c_order = c->ints[c->next_int] == MPI_ORDER_C;
    for (int i = 0; i < ndims; i++) {
        int d = c_order ? ndims - 1 - i : i;

        node = shipio_node_repeat(node, subsizes[d], stride);
        shift += starts[d] * stride;
        stride *= sizes[d];
    }
    return shipio_node_shift(node, shift);
}

struct distribution {
    int64_t gsize;
    int distrib;
    int darg;
    int psize;
    int coord;
};

/* The part of one dimension that process coord holds, elements stride apart. */
static struct shipio_node *distribute(struct shipio_node *elem,
                                      const struct distribution *dist,
                                      int64_t stride)
{
    int64_t block = dist->darg;
    int64_t first;
    int64_t cycle;
    int64_t whole;
    int64_t rest;
    int64_t disp[2];
    struct shipio_node *parts[2];

    if (dist->distrib == MPI_DISTRIBUTE_NONE)
        return shipio_node_repeat(elem, dist->gsize, stride);
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = dist->distrib == MPI_DISTRIBUTE_BLOCK
                    ? (dist->gsize + dist->psize - 1) / dist->psize
                    : 1;
    first = block * dist->coord;
    cycle = block * dist->psize;
    if (first >= dist->gsize || elem == NULL)
        return shipio_node_repeat(elem, 0, stride);
    if (dist->distrib == MPI_DISTRIBUTE_BLOCK) {
        cycle = dist->gsize;
        block = block < cycle - first ? block : cycle - first;
    }
    whole = (dist->gsize - first) / cycle;
    rest = dist->gsize - first - whole * cycle;
    if (rest >= block) {
        whole++;
        rest = 0;
    }
    disp[0] = first * stride;
    disp[1] = (first + whole * cycle) * stride;
    parts[0] = shipio_node_repeat(
        shipio_node_repeat(shipio_node_get(elem), block, stride), whole,
        cycle * stride);
    parts[1] = shipio_node_repeat(elem, rest, stride);
    return shipio_node_join(2, disp, parts);
}

static struct shipio_node *decode_darray(struct contents *c)
{
    int64_t gsizes[NDIMS_MAX];
    const int *ints = c->ints;
    int rank = ints[1];
    int ndims = ints[2];
    const int *rest = ints + 3;
    struct shipio_node *node = decode(c->types[0]);
    int64_t stride = extent_of(c->types[0]);
    int coords[NDIMS_MAX];
    bool c_order;

    if (ndims > NDIMS_MAX) {
        shipio_node_put(node);
        return NULL;
    }
    for (int i = 0; i < ndims; i++)
        gsizes[i] = c->nlarge > 0 ? (int64_t)c->large[i] : rest[i];
    if (c->nlarge == 0)
        rest += ndims;
    c_order = rest[(ptrdiff_t)3 * ndims] == MPI_ORDER_C;
    /* Process grids are always in C order. */
    for (int d = ndims - 1; d >= 0; d--) {
        coords[d] = rank % rest[2 * ndims + d];
        rank /= rest[2 * ndims + d];
    }
    for (int i = 0; i < ndims; i++) {
        int d = c_order ? ndims - 1 - i : i;
        struct distribution dist = {.gsize = gsizes[d],
                                    .distrib = rest[d],
                                    .darg = rest[ndims + d],
                                    .psize = rest[2 * ndims + d],
                                    .coord = coords[d]};

        node = distribute(node, &dist, stride);
        stride *= gsizes[d];
    }
    return node;
}

static struct shipio_node *decode_derived(struct contents *c)
{
    int64_t count;

    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return decode(c->types[0]);
    case MPI_COMBINER_CONTIGUOUS:
        count = next_count(c);
        return shipio_node_repeat(decode(c->types[0]), count,
                                  extent_of(c->types[0]));
    case MPI_COMBINER_VECTOR:
        return decode_vector(c, false);
    case MPI_COMBINER_HVECTOR:
        return decode_vector(c, true);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return decode_indexed(c);
    case MPI_COMBINER_STRUCT:
        return decode_struct(c);
    case MPI_COMBINER_SUBARRAY:
        return decode_subarray(c);
    case MPI_COMBINER_DARRAY:
        return decode_darray(c);
    default:
        return NULL;
    }
}

static struct shipio_node *decode_named(MPI_Datatype datatype)
{
    /* The only predefined pair with a gap between its parts. */
    if (datatype == MPI_SHORT_INT) {
        int64_t disp[2] = {0, 4};
        int64_t lens[2] = {2, 4};

        return shipio_node_blocks(2, disp, lens);
    }
    return shipio_node_block(size_of(datatype));
}

static struct shipio_node *decode(MPI_Datatype datatype)
{
    struct contents c;
    struct shipio_node *node;

    if (is_leaf(combiner_of(datatype)))
        return decode_named(datatype);
    if (contents_get(&c, datatype) != 0)
        return NULL;
    node = decode_derived(&c);
    contents_free(&c);
    return node;
}

/* False when datatype, or a type that it is made of, has a constructor that
 * decode does not know. */
static bool is_known(MPI_Datatype datatype)
{
    struct contents c;
    int combiner = combiner_of(datatype);
    bool known;

    if (is_leaf(combiner) || contents_get(&c, datatype) != 0)
        return true;
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        known = true;
        break;
    case MPI_COMBINER_SUBARRAY:
        known = c.ints[0] <= NDIMS_MAX;
        break;
    case MPI_COMBINER_DARRAY:
        known = c.ints[2] <= NDIMS_MAX;
        break;
    default:
        known = false;
    }
    for (int64_t i = 0; known && i < c.ntypes; i++)
        known = is_known(c.types[i]);
    contents_free(&c);
    return known;
}

/* Guards keyval, and the tree of a type from the moment it is found until it
 * has one more owner: another thread that sets the attribute drops the tree
 * that was there. */
static pthread_mutex_t trees_lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

static int forget_tree(MPI_Datatype datatype, int key, void *tree, void *extra)
{
    (void)datatype;
    (void)key;
    (void)extra;
    shipio_node_put(tree);
    return MPI_SUCCESS;
}

static int tree_key(void)
{
    if (keyval == MPI_KEYVAL_INVALID)
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_tree, &keyval,
                                NULL);
    return keyval;
}

bool shipio_type_is_committed(MPI_Datatype datatype, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    char nothing = 0;

    /* No call tells; but none that could send takes one that is not. Nothing
     * is sent. */
    if (PMPI_Send_init(&nothing, 1, datatype, MPI_PROC_NULL, 0, comm,
                       &request) != MPI_SUCCESS)
        return false;
    PMPI_Request_free(&request);
    return true;
}

/* The tree that is kept with a type, made when it is used first; the caller
 * holds trees_lock. Sets an owned reference. */
static int tree_of(MPI_Datatype datatype, MPI_Comm comm,
                   struct shipio_node **tree_p)
{
    struct shipio_node *tree = NULL;
    int found = 0;
    int key = tree_key();

    if (key != MPI_KEYVAL_INVALID)
        PMPI_Type_get_attr(datatype, key, (void *)&tree, &found);
    if (!found) {
        if (!shipio_type_is_committed(datatype, comm))
            return SHIPIO_ECLASS(MPI_ERR_TYPE);
        tree = decode(datatype);
        if (tree == NULL)
            return is_known(datatype) ? -ENOMEM : -ENOSYS;
        if (key == MPI_KEYVAL_INVALID ||
            PMPI_Type_set_attr(datatype, key, tree) != MPI_SUCCESS) {
            *tree_p = tree;
            return 0;
        }
    }
    *tree_p = shipio_node_get(tree);
    return 0;
}

static int type_init_derived(struct shipio_type *type, MPI_Datatype datatype,
                             MPI_Comm comm)
{
    int rc;

    pthread_mutex_lock(&trees_lock);
    rc = tree_of(datatype, comm, &type->node);
    pthread_mutex_unlock(&trees_lock);
    return rc;
}

static int type_init_leaf(struct shipio_type *type)
{
    memset(&type->leaf, 0, sizeof(type->leaf));
    type->leaf.depth = 1;
    type->leaf.refs = 1;
    type->leaf.monotone = true;
    type->leaf.size = type->size;
    type->leaf.nseg = type->size > 0;
    type->leaf.last = type->size;
    type->node = &type->leaf;
    return 0;
}

int shipio_type_init(struct shipio_type *type, MPI_Datatype datatype,
                     MPI_Comm comm)
{
    type->node = NULL;
    /* By far the most usual ones, without asking MPI. */
    if (datatype == MPI_BYTE || datatype == MPI_CHAR) {
        type->size = type->extent = 1;
        return type_init_leaf(type);
    }
    if (datatype == MPI_DATATYPE_NULL)
        return -EINVAL;
    type->size = size_of(datatype);
    type->extent = extent_of(datatype);
    if (is_leaf(combiner_of(datatype))) {
        if (datatype != MPI_SHORT_INT)
            return type_init_leaf(type);
        type->node = decode_named(datatype);
        return type->node != NULL ? 0 : -ENOMEM;
    }
    return type_init_derived(type, datatype, comm);
}

bool shipio_type_is_named(MPI_Datatype datatype)
{
    return combiner_of(datatype) == MPI_COMBINER_NAMED;
}

void shipio_type_fini(struct shipio_type *type)
{
    if (type->node != &type->leaf)
        shipio_node_put(type->node);
    type->node = NULL;
}
