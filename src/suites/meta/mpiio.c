/* suites/meta/mpiio.c - the operations that MPI-IO has: its calls make and open
 * files by their whole path and close them again. */
#include "pario_config.h"
#include "suites/meta/ops.h"

#include <errno.h>
#include <stdio.h>

#if PARIO_HAVE_MPIIO
#include "io/mpiio_names.h"

int meta_mpiio(struct meta_worker *worker, struct meta_item *item)
{
    char path[sizeof(worker->run->directory) + META_NAME_LEN];

    snprintf(path, sizeof(path), "%s/%s", worker->run->directory, item->name);
    switch (*item->step) {
    case META_MAKE:
        return pario_mpiio_name_make(path, meta_slot(worker, item->i),
                                     (size_t)worker->what->size_bytes);
    case META_OPEN_READ:
        return pario_mpiio_name_open(path);
    case META_UNLINK:
        return pario_mpiio_name_delete(path);
    default:
        return -EINVAL;
    }
}
#else
int meta_mpiio(struct meta_worker *worker, struct meta_item *item)
{
    (void)worker, (void)item;
    return -ENOSYS;
}
#endif
