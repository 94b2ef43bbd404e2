/* mpi_calls.c - MPI-IO but its data accesses. */
#include "mpi_recorder.h"

#include <string.h>

static int64_t amode_flags(int amode)
{
    static const struct {
        int bit;
        int64_t flag;
    } bits[] = {{MPI_MODE_RDONLY, PARIO_TRACE_READ},
                {MPI_MODE_WRONLY, PARIO_TRACE_WRITE},
                {MPI_MODE_RDWR, PARIO_TRACE_READ | PARIO_TRACE_WRITE},
                {MPI_MODE_CREATE, PARIO_TRACE_CREATE},
                {MPI_MODE_EXCL, PARIO_TRACE_EXCL},
                {MPI_MODE_APPEND, PARIO_TRACE_APPEND},
                {MPI_MODE_DELETE_ON_CLOSE, PARIO_TRACE_DELETE},
                {MPI_MODE_UNIQUE_OPEN, PARIO_TRACE_UNIQUE},
                {MPI_MODE_SEQUENTIAL, PARIO_TRACE_SEQUENTIAL}};
    int64_t flags = 0;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if ((amode & bits[i].bit) != 0)
            flags |= bits[i].flag;
    return flags;
}

/* "ufs:/scratch/x" is /scratch/x. */
static const char *without_prefix(const char *path)
{
    const char *colon = strchr(path, ':');
    const char *slash = strchr(path, '/');

    return colon != NULL && colon - path > 1 && (slash == NULL || colon < slash)
               ? colon + 1
               : path;
}

static int64_t path_number(const char *path)
{
    return rec_is_on() ? rec_mpi_path(without_prefix(path)) : -1;
}

REC_PUBLIC int MPI_File_open(MPI_Comm comm, const char *path, int amode,
                             MPI_Info info, MPI_File *fh)
{
    int64_t number = path_number(path);
    struct rec_file *file = NULL;
    struct rec_span span;
    int64_t group, hints;
    int rc;

    if (number < 0)
        return NEXT_MPI(MPI_File_open)(comm, path, amode, info, fh);
    group = rec_group(comm);
    hints = rec_info(info);
    if (!rec_begin(&span))
        return NEXT_MPI(MPI_File_open)(comm, path, amode, info, fh);
    rc = NEXT_MPI(MPI_File_open)(comm, path, amode, info, fh);
    if (rc == MPI_SUCCESS &&
        (file = rec_file_new(number, amode_flags(amode))) != NULL)
        rec_mpi_file_set(*fh, file);
    REC_END(&span, PARIO_OP_File_open, rec_mpi_result(rc), number,
            file != NULL ? rec_file_arg(file) : -1, group, amode_flags(amode),
            hints);
    return rc;
}

REC_PUBLIC int MPI_File_close(MPI_File *fh)
{
    struct rec_file *file = rec_mpi_file(*fh);
    MPI_File closed = *fh;
    struct rec_span span;
    int rc;

    if (file == NULL || !rec_begin(&span))
        return NEXT_MPI(MPI_File_close)(fh);
    rec_mpi_file_clear(closed); /* before the handle is used again */
    rc = NEXT_MPI(MPI_File_close)(fh);
    REC_END(&span, PARIO_OP_File_close, rec_mpi_result(rc), rec_file_arg(file));
    rec_file_free(file, true);
    return rc;
}

REC_PUBLIC int MPI_File_delete(const char *path, MPI_Info info)
{
    int64_t number = path_number(path);
    struct rec_span span;
    int64_t hints;
    int rc;

    if (number < 0)
        return NEXT_MPI(MPI_File_delete)(path, info);
    hints = rec_info(info);
    if (!rec_begin(&span))
        return NEXT_MPI(MPI_File_delete)(path, info);
    rc = NEXT_MPI(MPI_File_delete)(path, info);
    REC_END(&span, PARIO_OP_File_delete, rec_mpi_result(rc), number, hints);
    return rc;
}

REC_PUBLIC int MPI_File_set_view(MPI_File fh, MPI_Offset disp,
                                 MPI_Datatype etype, MPI_Datatype filetype,
                                 const char *datarep, MPI_Info info)
{
    struct rec_file *file = rec_mpi_file(fh);
    int64_t types[2], hints, name;
    struct rec_span span;
    int rc;

    if (file == NULL || !rec_is_on())
        return NEXT_MPI(MPI_File_set_view)(fh, disp, etype, filetype, datarep,
                                           info);
    types[0] = rec_type(etype);
    types[1] = rec_type(filetype);
    hints = rec_info(info);
    name = rec_string(datarep);
    if (!rec_begin(&span))
        return NEXT_MPI(MPI_File_set_view)(fh, disp, etype, filetype, datarep,
                                           info);
    rc = NEXT_MPI(MPI_File_set_view)(fh, disp, etype, filetype, datarep, info);
    REC_END(&span, PARIO_OP_File_set_view, rec_mpi_result(rc),
            rec_file_arg(file), (int64_t)disp, types[0], types[1], name, hints);
    return rc;
}

#define CALL(name, params, args, ...)                                          \
    REC_PUBLIC int MPI_File_##name params                                      \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        struct rec_span span;                                                  \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_begin(&span))                                 \
            return NEXT_MPI(MPI_File_##name) args;                             \
        rc = NEXT_MPI(MPI_File_##name) args;                                   \
        REC_END(&span, PARIO_OP_File_##name, rec_mpi_result(rc), __VA_ARGS__); \
        return rc;                                                             \
    }
#define FILE_ARG rec_file_arg(file)

CALL(set_size, (MPI_File fh, MPI_Offset size), (fh, size), FILE_ARG,
     (int64_t)size)
CALL(preallocate, (MPI_File fh, MPI_Offset size), (fh, size), FILE_ARG,
     (int64_t)size)
CALL(set_atomicity, (MPI_File fh, int flag), (fh, flag), FILE_ARG, flag != 0)
CALL(get_size, (MPI_File fh, MPI_Offset *size), (fh, size), FILE_ARG)
CALL(sync, (MPI_File fh), (fh), FILE_ARG)

REC_PUBLIC int MPI_File_set_info(MPI_File fh, MPI_Info info)
{
    struct rec_file *file = rec_mpi_file(fh);
    int64_t hints = file != NULL && rec_is_on() ? rec_info(info) : 0;
    struct rec_span span;
    int rc;

    if (file == NULL || !rec_begin(&span))
        return NEXT_MPI(MPI_File_set_info)(fh, info);
    rc = NEXT_MPI(MPI_File_set_info)(fh, info);
    REC_END(&span, PARIO_OP_File_set_info, rec_mpi_result(rc), FILE_ARG, hints);
    return rc;
}

/* It does nothing to the file; what the library reads for it, ROMIO a file of
 * its own, is the library's affair. */
REC_PUBLIC int MPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
    int rc;

    rec_enter();
    rc = NEXT_MPI(MPI_File_get_position_shared)(fh, offset);
    rec_leave();
    return rc;
}

#define SEEK(name)                                                             \
    REC_PUBLIC int MPI_File_##name(MPI_File fh, MPI_Offset offset, int whence) \
    {                                                                          \
        struct rec_file *file = rec_mpi_file(fh);                              \
        struct rec_span span;                                                  \
        int rc;                                                                \
                                                                               \
        if (file == NULL || !rec_begin(&span))                                 \
            return NEXT_MPI(MPI_File_##name)(fh, offset, whence);              \
        rc = NEXT_MPI(MPI_File_##name)(fh, offset, whence);                    \
        REC_END(&span,                                                         \
                whence == MPI_SEEK_SET   ? PARIO_OP_File_##name##_set          \
                : whence == MPI_SEEK_CUR ? PARIO_OP_File_##name##_cur          \
                                         : PARIO_OP_File_##name##_end,         \
                rec_mpi_result(rc), FILE_ARG, (int64_t)offset);                \
        return rc;                                                             \
    }

SEEK(seek)
SEEK(seek_shared)
