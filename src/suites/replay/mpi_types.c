/* suites/replay/mpi_types.c - datatypes of a trace, made again: this suite is
 * defined in MPI calls. */
#include "suites/replay/mpi.h"
#include "trace/type.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if PARIO_HAVE_MPIIO

static int build(const struct pario_type *from, MPI_Datatype *type_p);

static int check(int rc, const char *call)
{
    return pario_mpi_check(rc, call);
}

static int build_bytes(int64_t bytes, MPI_Datatype *type_p)
{
    MPI_Datatype part = MPI_BYTE;
    int64_t unit = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;

    if (unit == 8)
        part = MPI_DOUBLE;
    else if (unit == 4)
        part = MPI_INT;
    if (bytes / unit > INT_MAX)
        return pario_fail(PARIO_EUNAVAIL,
                          "a datatype of %lld bytes is too "
                          "large for this replay",
                          (long long)bytes);
    return check(MPI_Type_contiguous((int)(bytes / unit), part, type_p),
                 "MPI_Type_contiguous");
}

/* The numbers of a list as int or MPI_Aint; the caller frees them. */
static int to_ints(const struct pario_type_list *list, int **ints_p)
{
    int *ints = calloc(list->count + 1, sizeof(*ints));

    if (ints == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a datatype");
    for (size_t i = 0; i < list->count; i++) {
        if (list->values[i] > INT_MAX || list->values[i] < INT_MIN) {
            free(ints);
            return pario_fail(PARIO_EFORMAT, "a datatype is too large");
        }
        ints[i] = (int)list->values[i];
    }
    *ints_p = ints;
    return 0;
}

static int to_addresses(const struct pario_type_list *list,
                        MPI_Aint **addresses_p)
{
    MPI_Aint *addresses = calloc(list->count + 1, sizeof(*addresses));

    if (addresses == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a datatype");
    for (size_t i = 0; i < list->count; i++)
        addresses[i] = (MPI_Aint)list->values[i];
    *addresses_p = addresses;
    return 0;
}

static int build_indexed(const struct pario_type *from, MPI_Datatype part,
                         MPI_Datatype *type_p)
{
    int *lens = NULL;
    MPI_Aint *disps = NULL;
    int code = to_ints(&from->lists[0], &lens);

    if (code == 0)
        code = to_addresses(&from->lists[1], &disps);
    if (code == 0)
        code = check(MPI_Type_create_hindexed((int)from->lists[0].count, lens,
                                              disps, part, type_p),
                     "MPI_Type_create_hindexed");
    free(lens);
    free(disps);
    return code;
}

static int build_struct(const struct pario_type *from, MPI_Datatype *type_p)
{
    MPI_Datatype *parts = calloc(from->nparts + 1, sizeof(MPI_Datatype));
    size_t made = 0;
    int *lens = NULL;
    MPI_Aint *disps = NULL;
    int code = parts != NULL
                   ? to_ints(&from->lists[0], &lens)
                   : pario_fail_errno(-ENOMEM, "cannot make a datatype");

    if (code == 0)
        code = to_addresses(&from->lists[1], &disps);
    for (; made < from->nparts && code == 0; made += code == 0)
        code = build(from->parts[made], &parts[made]);
    if (code == 0)
        code = check(MPI_Type_create_struct((int)from->nparts, lens, disps,
                                            parts, type_p),
                     "MPI_Type_create_struct");
    for (size_t i = 0; i < made; i++)
        MPI_Type_free(&parts[i]);
    free(parts);
    free(lens);
    free(disps);
    return code;
}

static int build_array(const struct pario_type *from, MPI_Datatype part,
                       MPI_Datatype *type_p)
{
    int *lists[4] = {NULL, NULL, NULL, NULL};
    int n = from->kind == 'd' ? 4 : 3, code = 0;
    int order = from->fortran_order ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    int ndims = (int)from->lists[0].count;

    for (int i = 0; i < n && code == 0; i++)
        code = to_ints(&from->lists[i], &lists[i]);
    if (code == 0 && from->kind == 'a')
        code = check(MPI_Type_create_subarray(ndims, lists[0], lists[1],
                                              lists[2], order, part, type_p),
                     "MPI_Type_create_subarray");
    for (int i = 0; i < ndims && code == 0 && from->kind == 'd'; i++) {
        lists[1][i] = lists[1][i] == 0   ? MPI_DISTRIBUTE_BLOCK
                      : lists[1][i] == 1 ? MPI_DISTRIBUTE_CYCLIC
                                         : MPI_DISTRIBUTE_NONE;
        if (lists[2][i] < 0)
            lists[2][i] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    if (code == 0 && from->kind == 'd')
        code = check(MPI_Type_create_darray((int)from->blocklength,
                                            (int)from->count, ndims, lists[0],
                                            lists[1], lists[2], lists[3], order,
                                            part, type_p),
                     "MPI_Type_create_darray");
    for (int i = 0; i < n; i++)
        free(lists[i]);
    return code;
}

static int build_from(const struct pario_type *from, MPI_Datatype part,
                      MPI_Datatype *type_p)
{
    if (from->count > INT_MAX || from->blocklength > INT_MAX)
        return pario_fail(PARIO_EFORMAT, "a datatype is too large");
    switch (from->kind) {
    case 'c':
        return check(MPI_Type_contiguous((int)from->count, part, type_p),
                     "MPI_Type_contiguous");
    case 'v':
        return check(
            MPI_Type_create_hvector((int)from->count, (int)from->blocklength,
                                    (MPI_Aint)from->stride, part, type_p),
            "MPI_Type_create_hvector");
    case 'r':
        return check(MPI_Type_create_resized(part, (MPI_Aint)from->lb,
                                             (MPI_Aint)from->extent, type_p),
                     "MPI_Type_create_resized");
    case 'i':
        return build_indexed(from, part, type_p);
    default:
        return build_array(from, part, type_p);
    }
}

static int build(const struct pario_type *from, MPI_Datatype *type_p)
{
    MPI_Datatype part = MPI_DATATYPE_NULL;
    int code;

    if (from->kind == 'b')
        return build_bytes(from->count, type_p);
    if (from->kind == 's')
        return build_struct(from, type_p);
    if (from->kind == 'x') {
        code = build_bytes(from->count, &part);
        if (code == 0)
            code = check(MPI_Type_create_resized(
                             part, 0, (MPI_Aint)from->extent, type_p),
                         "MPI_Type_create_resized");
        if (part != MPI_DATATYPE_NULL)
            MPI_Type_free(&part);
        return code;
    }
    code = build(from->parts[0], &part);
    if (code != 0)
        return code;
    code = build_from(from, part, type_p);
    MPI_Type_free(&part);
    return code;
}

/* What the MPI library makes of it counts, alignment included. */
static int measure_type(struct replay_type *entry)
{
    MPI_Count lb = 0, extent = 0, low = 0, span = 0, size = 0;
    int code = check(MPI_Type_get_extent_x(entry->type, &lb, &extent),
                     "MPI_Type_get_extent_x");

    if (code == 0)
        code = check(MPI_Type_get_true_extent_x(entry->type, &low, &span),
                     "MPI_Type_get_true_extent_x");
    if (code == 0)
        code = check(MPI_Type_size_x(entry->type, &size), "MPI_Type_size_x");
    if (code == 0 && (size < 0 || span < 0 || low > INT64_MAX / 4 ||
                      low < -INT64_MAX / 4 || span > INT64_MAX / 4))
        code = pario_fail(PARIO_EFORMAT, "a datatype is too large");
    if (code != 0)
        return code;
    entry->size = size;
    entry->extent = extent;
    entry->low = size > 0 ? low : 0;
    entry->high = size > 0 ? low + span : 0;
    return 0;
}

static int make_type(const char *text, struct replay_type *entry)
{
    struct pario_type *parsed = NULL;
    struct pario_layout layout;
    int64_t work = PARIO_LAYOUT_WORK;
    int code = pario_type_parse(text, NULL, &parsed);

    if (code != 0)
        return code;
    /* Numbers that overflow are refused here, before the library has them. */
    code = pario_type_layout(parsed, &work, &layout);
    if (code == 0)
        pario_layout_fini(&layout);
    entry->type = MPI_BYTE;
    if (code == 0 && strcmp(text, "1") != 0) {
        code = build(parsed, &entry->type);
        entry->made = code == 0;
        if (code == 0)
            code = check(MPI_Type_commit(&entry->type), "MPI_Type_commit");
    }
    pario_type_destroy(parsed);
    return code == 0 ? measure_type(entry) : code;
}

static void free_type(struct replay_type *entry)
{
    if (entry != NULL && entry->made)
        MPI_Type_free(&entry->type);
    free(entry);
}

static int new_type(const struct replay *replay, int64_t number,
                    struct replay_type **entry_p)
{
    struct replay_type *entry = calloc(1, sizeof(*entry));
    int code = entry != NULL
                   ? make_type(pario_trace_string(replay->trace,
                                                  replay->process, number),
                               entry)
                   : pario_fail_errno(-ENOMEM, "cannot make a datatype");

    if (code == 0)
        *entry_p = entry;
    else
        free_type(entry);
    return code;
}

int replay_type_find(struct replay *replay, int64_t number,
                     const struct replay_type **type_p)
{
    int code = 0;

    if (number < 0 || (size_t)number >= replay->nstrings)
        return pario_fail(PARIO_EFORMAT, "a datatype is missing in the trace");
    pthread_mutex_lock(&replay->lock);
    if (replay->types[number] == NULL)
        code = new_type(replay, number, &replay->types[number]);
    *type_p = replay->types[number];
    pthread_mutex_unlock(&replay->lock);
    return code;
}

void replay_types_fini(struct replay *replay)
{
    for (size_t i = 0; replay->types != NULL && i < replay->nstrings; i++)
        free_type(replay->types[i]);
    free(replay->types);
    replay->types = NULL;
}
#endif
