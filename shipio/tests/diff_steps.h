/* diff_steps.h - the state of a running case and one function per operation. */
#ifndef SHIPIO_DIFF_STEPS_H
#define SHIPIO_DIFF_STEPS_H

#include "diff_buffer.h"
#include "diff_calls.h"
#include "diff_model.h"
#include "diff_run.h"

/* An access of this rank that has begun. */
struct diff_pending {
    struct diff_op op;
    int op_index;
    MPI_Request request;
    struct diff_buffer buffer;
    unsigned char *expected; /* of a read; NULL for a write */
    uint8_t *known;          /* which of them are not in holes */
    int64_t got;             /* bytes that are there */
};

struct diff_run {
    const struct diff_case *c;
    const struct diff_dropped *dropped;
    const struct diff_options *options;
    struct diff_model model;
    MPI_Comm comm;
    int me;
    MPI_File fh;
    char path[512];
    int op_index;
    bool failed;
    char message[512];
    struct diff_pending pending[DIFF_MAX_OPS];
    int npending;
    struct diff_pending split;
    bool split_active;
};

__attribute__((format(printf, 2, 3))) void diff_fail(struct diff_run *run,
                                                     const char *format, ...);
void diff_check_code(struct diff_run *run, int code, const char *what);
/* The bytes that `rank` writes in the current operation. */
void diff_make_data(const struct diff_run *run, int rank, unsigned char *data,
                    int64_t len);
MPI_Info diff_make_info(const struct diff_hint *hints, int count,
                        const bool *dropped);

/* Collective: completes all begun operations. */
void diff_flush(struct diff_run *run);
/* Collective: flush, then make all writes visible to all. */
void diff_make_visible(struct diff_run *run);
/* The same, and the model starts a new epoch. */
void diff_end_epoch(struct diff_run *run);
/* Checks and frees what an access has left. */
void diff_finish_access(struct diff_run *run, struct diff_pending *p,
                        MPI_Status *status);

void diff_step_access(struct diff_run *run, const struct diff_op *op);
void diff_step_view(struct diff_run *run, const struct diff_op *op);
void diff_step_seek(struct diff_run *run, const struct diff_op *op);
void diff_step_seek_shared(struct diff_run *run, const struct diff_op *op);
void diff_step_position(struct diff_run *run);
void diff_step_size(struct diff_run *run);
void diff_step_resize(struct diff_run *run, const struct diff_op *op);
void diff_step_atomicity(struct diff_run *run, const struct diff_op *op);
void diff_step_info(struct diff_run *run, const struct diff_op *op);
void diff_step_race(struct diff_run *run, const struct diff_op *op);

#endif
