/* access.h - how each data access is done: shipped or direct.
 *
 * The choice must be the same on all ranks without asking each time. So
 * MPI_File_set_view agrees once whether some rank's view has pieces short
 * enough to be shipped. If not, collective calls are direct at once. If so, a
 * collective write first exchanges the extents of all requests; then all know
 * the mean piece, the density and what a request costs (storage.h), and decide
 * alike. Collective reads on local file systems are never exchanged: a copy out
 * of the page cache through a mapping is one copy, shipping would be two.
 */
#ifndef SHIPIO_ACCESS_H
#define SHIPIO_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

enum shipio_together {
    SHIPIO_ALONE,   /* local */
    SHIPIO_TOGETHER /* collective */
};

/*
 * Moves the bytes of req. When collective, error is what this rank has to
 * report already (0 if nothing), every rank must call, and the result is
 * agreed as far as hints->agreement says.
 * Returns 0 or an error, the data bytes done in *done_p.
 */
int shipio_access(struct shipio_file *file, const struct shipio_request *req,
                  enum shipio_together together, int error, int64_t *done_p)
    __attribute__((warn_unused_result));

/* Local. The number of one more collective call for which no rank may wait:
 * accesses for it are those of one rank alone, but the others learn of its
 * errors (late.h). */
uint64_t shipio_access_unwaited(struct shipio_file *file);
/* Local. Counts a call whose data moves otherwise; req may be NULL. */
void shipio_access_count(struct shipio_file *file,
                         const struct shipio_request *req, bool collective);

#endif
