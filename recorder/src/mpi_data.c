/* mpi_data.c - the data accesses of MPI-IO. */
#include "mpi_recorder.h"

/* The datatype in memory. From MPI_BOTTOM on it has addresses of this process,
 * which mean nothing elsewhere: then it is the same number of bytes. */
static int64_t memory(const void *buf, int64_t *count_p, MPI_Datatype datatype)
{
    if (buf != MPI_BOTTOM || datatype == MPI_DATATYPE_NULL)
        return rec_type(datatype);
    *count_p = rec_bytes(*count_p, datatype);
    return rec_type(MPI_BYTE);
}

/* NOLINTBEGIN(bugprone-macro-parentheses) */
/* Names and qualifiers cannot be put in parentheses. C is the suffix of the
 * calls with large counts, which are recorded as the same. */
#define NEXT_CALL(name, C) NEXT_MPI(MPI_File_##name##C)

#define BLOCKING(name, C, type, QUAL, at_params, at_args, ...)                 \
    REC_PUBLIC int MPI_File_##name##C(MPI_File fh at_params, QUAL void *buf,   \
                                      type count, MPI_Datatype datatype,       \
                                      MPI_Status *status)                      \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        MPI_Status own;                                                        \
        struct rec_span span;                                                  \
        int64_t kind, n = (int64_t)count;                                      \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_is_on())                                      \
            return NEXT_CALL(name, C)(fh at_args, buf, count, datatype,        \
                                      status);                                 \
        kind = memory(buf, &n, datatype);                                      \
        if (!rec_begin(&span))                                                 \
            return NEXT_CALL(name, C)(fh at_args, buf, count, datatype,        \
                                      status);                                 \
        if (status == MPI_STATUS_IGNORE)                                       \
            status = &own;                                                     \
        rc = NEXT_CALL(name, C)(fh at_args, buf, count, datatype, status);     \
        REC_END(&span, PARIO_OP_File_##name,                                   \
                rec_mpi_moved(rc, status, (int64_t)count, datatype),           \
                rec_file_arg(file), __VA_ARGS__ n, kind);                      \
        return rc;                                                             \
    }

#define NONBLOCKING(name, C, type, QUAL, at_params, at_args, ...)              \
    REC_PUBLIC int MPI_File_##name##C(MPI_File fh at_params, QUAL void *buf,   \
                                      type count, MPI_Datatype datatype,       \
                                      MPI_Request *request)                    \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        struct rec_span span;                                                  \
        int64_t kind, number, n = (int64_t)count;                              \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_is_on())                                      \
            return NEXT_CALL(name, C)(fh at_args, buf, count, datatype,        \
                                      request);                                \
        kind = memory(buf, &n, datatype);                                      \
        number = rec_request_new();                                            \
        if (!rec_begin(&span))                                                 \
            return NEXT_CALL(name, C)(fh at_args, buf, count, datatype,        \
                                      request);                                \
        rc = NEXT_CALL(name, C)(fh at_args, buf, count, datatype, request);    \
        REC_END(&span, PARIO_OP_File_##name, rec_mpi_result(rc),               \
                rec_file_arg(file), __VA_ARGS__ n, kind, number);              \
        rec_request_set(number,                                                \
                        rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL,       \
                        rec_bytes((int64_t)count, datatype));                  \
        return rc;                                                             \
    }

#define BEGINNING(name, C, type, QUAL, at_params, at_args, ...)                \
    REC_PUBLIC int MPI_File_##name##_begin##C(MPI_File fh at_params,           \
                                              QUAL void *buf, type count,      \
                                              MPI_Datatype datatype)           \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        struct rec_span span;                                                  \
        int64_t kind, n = (int64_t)count;                                      \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_is_on())                                      \
            return NEXT_CALL(name##_begin, C)(fh at_args, buf, count,          \
                                              datatype);                       \
        kind = memory(buf, &n, datatype);                                      \
        if (!rec_begin(&span))                                                 \
            return NEXT_CALL(name##_begin, C)(fh at_args, buf, count,          \
                                              datatype);                       \
        rc = NEXT_CALL(name##_begin, C)(fh at_args, buf, count, datatype);     \
        REC_END(&span, PARIO_OP_File_##name##_begin, rec_mpi_result(rc),       \
                rec_file_arg(file), __VA_ARGS__ n, kind);                      \
        return rc;                                                             \
    }

#define ENDING(name, QUAL)                                                     \
    REC_PUBLIC int MPI_File_##name##_end(MPI_File fh, QUAL void *buf,          \
                                         MPI_Status *status)                   \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        struct rec_span span;                                                  \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_begin(&span))                                 \
            return NEXT_MPI(MPI_File_##name##_end)(fh, buf, status);           \
        rc = NEXT_MPI(MPI_File_##name##_end)(fh, buf, status);                 \
        REC_END(&span, PARIO_OP_File_##name##_end, rec_mpi_result(rc),         \
                rec_file_arg(file));                                           \
        return rc;                                                             \
    }

#define NONE
#define COMMA ,
#define AT_PARAMS COMMA MPI_Offset offset
#define AT_ARGS COMMA offset

#define FORMS(type, C)                                                         \
    BLOCKING(read, C, type, NONE, NONE, NONE, NONE)                            \
    BLOCKING(write, C, type, const, NONE, NONE, NONE)                          \
    BLOCKING(read_all, C, type, NONE, NONE, NONE, NONE)                        \
    BLOCKING(write_all, C, type, const, NONE, NONE, NONE)                      \
    BLOCKING(read_shared, C, type, NONE, NONE, NONE, NONE)                     \
    BLOCKING(write_shared, C, type, const, NONE, NONE, NONE)                   \
    BLOCKING(read_ordered, C, type, NONE, NONE, NONE, NONE)                    \
    BLOCKING(write_ordered, C, type, const, NONE, NONE, NONE)                  \
    BLOCKING(read_at, C, type, NONE, AT_PARAMS, AT_ARGS, offset COMMA)         \
    BLOCKING(write_at, C, type, const, AT_PARAMS, AT_ARGS, offset COMMA)       \
    BLOCKING(read_at_all, C, type, NONE, AT_PARAMS, AT_ARGS, offset COMMA)     \
    BLOCKING(write_at_all, C, type, const, AT_PARAMS, AT_ARGS, offset COMMA)   \
    NONBLOCKING(iread, C, type, NONE, NONE, NONE, NONE)                        \
    NONBLOCKING(iwrite, C, type, const, NONE, NONE, NONE)                      \
    NONBLOCKING(iread_all, C, type, NONE, NONE, NONE, NONE)                    \
    NONBLOCKING(iwrite_all, C, type, const, NONE, NONE, NONE)                  \
    NONBLOCKING(iread_shared, C, type, NONE, NONE, NONE, NONE)                 \
    NONBLOCKING(iwrite_shared, C, type, const, NONE, NONE, NONE)               \
    NONBLOCKING(iread_at, C, type, NONE, AT_PARAMS, AT_ARGS, offset COMMA)     \
    NONBLOCKING(iwrite_at, C, type, const, AT_PARAMS, AT_ARGS, offset COMMA)   \
    NONBLOCKING(iread_at_all, C, type, NONE, AT_PARAMS, AT_ARGS, offset COMMA) \
    NONBLOCKING(iwrite_at_all, C, type, const, AT_PARAMS, AT_ARGS,             \
                offset COMMA)                                                  \
    BEGINNING(read_all, C, type, NONE, NONE, NONE, NONE)                       \
    BEGINNING(write_all, C, type, const, NONE, NONE, NONE)                     \
    BEGINNING(read_ordered, C, type, NONE, NONE, NONE, NONE)                   \
    BEGINNING(write_ordered, C, type, const, NONE, NONE, NONE)                 \
    BEGINNING(read_at_all, C, type, NONE, AT_PARAMS, AT_ARGS, offset COMMA)    \
    BEGINNING(write_at_all, C, type, const, AT_PARAMS, AT_ARGS, offset COMMA)

FORMS(int, )
#if MPI_VERSION >= 4
FORMS(MPI_Count, _c)
#endif

ENDING(read_all, NONE)
ENDING(write_all, const)
ENDING(read_ordered, NONE)
ENDING(write_ordered, const)
ENDING(read_at_all, NONE)
ENDING(write_at_all, const)
/* NOLINTEND(bugprone-macro-parentheses) */
