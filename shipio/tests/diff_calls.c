/* diff_calls.c - the data access routines of MPI-IO. */
#include "diff_calls.h"

#define ARGS call->buf, call->count, call->type

/* Where the library has calls with large counts, op says which to use. */
#if MPI_VERSION >= 4
#define CALL(name, ...)                                                        \
    (op->large ? MPI_File_##name##_c(__VA_ARGS__)                              \
               : MPI_File_##name(__VA_ARGS__))
#else
#define CALL(name, ...) MPI_File_##name(__VA_ARGS__)
#endif

static int explicit_call(const struct diff_op *op, const struct diff_call *call)
{
    MPI_File fh = call->fh;
    MPI_Offset off = call->offset;

    if (op->mode == DIFF_BLOCKING && !op->collective)
        return op->write ? CALL(write_at, fh, off, ARGS, call->status)
                         : CALL(read_at, fh, off, ARGS, call->status);
    if (op->mode == DIFF_BLOCKING)
        return op->write ? CALL(write_at_all, fh, off, ARGS, call->status)
                         : CALL(read_at_all, fh, off, ARGS, call->status);
    if (op->mode == DIFF_SPLIT)
        return op->write ? CALL(write_at_all_begin, fh, off, ARGS)
                         : CALL(read_at_all_begin, fh, off, ARGS);
    if (op->collective)
        return op->write ? CALL(iwrite_at_all, fh, off, ARGS, call->request)
                         : CALL(iread_at_all, fh, off, ARGS, call->request);
    return op->write ? CALL(iwrite_at, fh, off, ARGS, call->request)
                     : CALL(iread_at, fh, off, ARGS, call->request);
}

static int individual_call(const struct diff_op *op,
                           const struct diff_call *call)
{
    MPI_File fh = call->fh;

    if (op->mode == DIFF_BLOCKING && !op->collective)
        return op->write ? CALL(write, fh, ARGS, call->status)
                         : CALL(read, fh, ARGS, call->status);
    if (op->mode == DIFF_BLOCKING)
        return op->write ? CALL(write_all, fh, ARGS, call->status)
                         : CALL(read_all, fh, ARGS, call->status);
    if (op->mode == DIFF_SPLIT)
        return op->write ? CALL(write_all_begin, fh, ARGS)
                         : CALL(read_all_begin, fh, ARGS);
    if (op->collective)
        return op->write ? CALL(iwrite_all, fh, ARGS, call->request)
                         : CALL(iread_all, fh, ARGS, call->request);
    return op->write ? CALL(iwrite, fh, ARGS, call->request)
                     : CALL(iread, fh, ARGS, call->request);
}

static int shared_call(const struct diff_op *op, const struct diff_call *call)
{
    MPI_File fh = call->fh;

    if (op->mode == DIFF_SPLIT)
        return op->write ? CALL(write_ordered_begin, fh, ARGS)
                         : CALL(read_ordered_begin, fh, ARGS);
    if (op->collective)
        return op->write ? CALL(write_ordered, fh, ARGS, call->status)
                         : CALL(read_ordered, fh, ARGS, call->status);
    if (op->mode == DIFF_BLOCKING)
        return op->write ? CALL(write_shared, fh, ARGS, call->status)
                         : CALL(read_shared, fh, ARGS, call->status);
    return op->write ? CALL(iwrite_shared, fh, ARGS, call->request)
                     : CALL(iread_shared, fh, ARGS, call->request);
}

int diff_call_begin(const struct diff_op *op, const struct diff_call *call)
{
    switch (op->pointer) {
    case DIFF_EXPLICIT:
        return explicit_call(op, call);
    case DIFF_INDIVIDUAL:
        return individual_call(op, call);
    case DIFF_SHARED:
        return shared_call(op, call);
    }
    return MPI_ERR_ARG;
}

int diff_call_end(const struct diff_op *op, const struct diff_call *call)
{
    MPI_File fh = call->fh;

    switch (op->pointer) {
    case DIFF_EXPLICIT:
        return op->write
                   ? MPI_File_write_at_all_end(fh, call->buf, call->status)
                   : MPI_File_read_at_all_end(fh, call->buf, call->status);
    case DIFF_INDIVIDUAL:
        return op->write ? MPI_File_write_all_end(fh, call->buf, call->status)
                         : MPI_File_read_all_end(fh, call->buf, call->status);
    case DIFF_SHARED:
        return op->write
                   ? MPI_File_write_ordered_end(fh, call->buf, call->status)
                   : MPI_File_read_ordered_end(fh, call->buf, call->status);
    }
    return MPI_ERR_ARG;
}
