/* errors.c - the table of error classes. */
#include "errors.h"

#include <errno.h>
#include <stddef.h>

static const struct {
    int number;
    int class;
} classes[] = {
    {ENOSPC, MPI_ERR_NO_SPACE},
    {EDQUOT, MPI_ERR_QUOTA},
    {EACCES, MPI_ERR_ACCESS},
    {EPERM, MPI_ERR_ACCESS},
    {EROFS, MPI_ERR_READ_ONLY},
    {ENOENT, MPI_ERR_NO_SUCH_FILE},
    {ENOTDIR, MPI_ERR_BAD_FILE},
    {EISDIR, MPI_ERR_BAD_FILE},
    {ENAMETOOLONG, MPI_ERR_BAD_FILE},
    {EEXIST, MPI_ERR_FILE_EXISTS},
    {EBUSY, MPI_ERR_FILE_IN_USE},
    {ETXTBSY, MPI_ERR_FILE_IN_USE},
    {ENOMEM, MPI_ERR_NO_MEM},
    {EINVAL, MPI_ERR_ARG},
    {ENOSYS, MPI_ERR_UNSUPPORTED_OPERATION},
    {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION},
    {ENOLCK, MPI_ERR_UNSUPPORTED_OPERATION},
};

int shipio_error_class(int error)
{
    if (error == 0)
        return MPI_SUCCESS;
    if (error <= SHIPIO_ECLASS(0))
        return -error + SHIPIO_ECLASS(0);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].number == -error)
            return classes[i].class;
    return MPI_ERR_IO;
}

/* Open MPI calls no handler for MPI_FILE_NULL; that of the program can only
 * be honoured when it is one of the predefined ones. */
static void raise_without_file(int class)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (PMPI_File_get_errhandler(MPI_FILE_NULL, &handler) != MPI_SUCCESS)
        return;
    if (handler == MPI_ERRORS_ARE_FATAL)
        PMPI_Abort(MPI_COMM_WORLD, class);
    if (handler != MPI_ERRORS_RETURN)
        PMPI_Errhandler_free(&handler);
}

int shipio_raise(MPI_File fh, int error)
{
    int class = shipio_error_class(error);

    if (class == MPI_SUCCESS)
        return class;
    if (fh != MPI_FILE_NULL) {
        PMPI_File_call_errhandler(fh, class);
        return class;
    }
    raise_without_file(class);
    return class;
}
