/* suites/beffio/loop.h - the timed loop of one pattern. */
#ifndef PARIO_BEFFIO_LOOP_H
#define PARIO_BEFFIO_LOOP_H

#include "core/stats.h"
#include "io/mpiio_calls.h"
#include "measure/phase.h"
#include "par/series.h"
#include "result/samples.h"
#include "suites/beffio/beffio.h"

/* One call of a pattern: blocking, as the type wants it. */
typedef int beffio_call(const struct pario_mpiio_calls *mpi, MPI_File file,
                        int64_t offset, void *buf,
                        const struct pario_mpi_bytes *bytes,
                        MPI_Status *status);

/* All that the timed loop of one pattern needs; the same for every type. */
struct beffio_loop {
    const struct pario_mpiio_calls *mpi;
    MPI_File file;
    beffio_call *call;
    struct pario_phase *phase; /* its clock stands still while data is checked
                                  or much of it stamped */
    int collective; /* goes on calling after an error: the others do */
    int reading;
    int64_t l, L;      /* chunk on disk, region in memory */
    int64_t first;     /* file offset of chunk 0 of call 0 */
    int64_t stride;    /* from chunk to chunk of this rank */
    int64_t view;      /* file offset that the view's offset 0 stands for */
    int64_t view_step; /* from call to call of this rank, in the view */
    const struct pario_perm *order; /* calls in this order; NULL: ascending */
    struct pario_data data, base;
    /* Reading: the first `rewritten` calls hold the data of the rewrite. */
    struct pario_data rewrite;
    int64_t rewritten;
    struct pario_samples *samples; /* NULL: not asked for */
    char *buffer;
    int64_t slots;  /* regions of base data in the buffer */
    int64_t shares; /* so many successive calls have one slot; usually 1 */
    struct pario_mpi_bytes bytes;
    int64_t limit; /* most calls of this rank; 0: no limit */
    int check_all; /* every read is checked at once, the clock stands still;
                      every write is read back */
    /* Results. */
    int64_t calls; /* that succeeded, in order */
    int64_t checked_bytes, wrong_bytes;
    struct pario_data_error wrong; /* the first */
    int mpi_error; /* of the first call that failed; MPI_SUCCESS: none */
    int short_call;
    struct pario_hist latency;
};

/* Collective over series->group, if any. */
void beffio_loop_run(struct beffio_loop *loop, struct pario_series *series);

/* Local, after the loop of a write: reads calls back by their offsets and
 * checks them, all of them with check_all, else the last and a few before it.
 * A library that reported success for lost data is caught before a rewrite
 * hides it. Not timed. */
void beffio_loop_read_back(struct beffio_loop *loop);

/* Local, after the loop of a read: checks what still lies in the buffer, which
 * is the last few MiB, or the last call. */
void beffio_loop_check(struct beffio_loop *loop);

/* Local. Fills the buffer with base data, as the loop expects it; for a read
 * with zeros, that nothing stale passes. */
void beffio_loop_fill(struct beffio_loop *loop);

#endif
