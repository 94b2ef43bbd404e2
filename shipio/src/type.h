/* type.h - MPI datatypes as trees of segments (seg.h).
 *
 * Trees are kept with the datatype as an MPI attribute, so MPI itself drops
 * them when the type is freed; they are found and made under one lock.
 */
#ifndef SHIPIO_TYPE_H
#define SHIPIO_TYPE_H

#include <mpi.h>
#include <stdint.h>

#include "seg.h"

struct shipio_type {
    struct shipio_node *node;
    int64_t size;
    int64_t extent;
    struct shipio_node leaf; /* node itself for predefined types: no copying */
};

/*
 * Local. Describes datatype; the caller releases it with shipio_type_fini.
 * Trees of derived types are kept with the datatype, so that asking again is
 * cheap. Returns 0, -ENOMEM, -EINVAL (no datatype), -ENOSYS (a constructor
 * that is not known) or the class of MPI_ERR_TYPE (not committed). comm, whose
 * errors are returned, serves to ask MPI for that.
 */
int shipio_type_init(struct shipio_type *type, MPI_Datatype datatype,
                     MPI_Comm comm) __attribute__((warn_unused_result));
/* Local. comm as above. */
bool shipio_type_is_committed(MPI_Datatype datatype, MPI_Comm comm);
/* Local. True for the types that MPI itself has, which are never freed. */
bool shipio_type_is_named(MPI_Datatype datatype);
void shipio_type_fini(struct shipio_type *type);

#endif
