/* errors.c - the table of error classes. */
#include "errors.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int shipio_raise(MPI_File fh, int error)
{
    int class = shipio_error_class(error);

    if (class != MPI_SUCCESS)
        PMPI_File_call_errhandler(fh, class);
    return class;
}

static bool is_fatal(MPI_Errhandler handler)
{
#if MPI_VERSION >= 4
    if (handler == MPI_ERRORS_ABORT)
        return true;
#endif
    return handler == MPI_ERRORS_ARE_FATAL;
}

static void say(const char *filename, int error, int class)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;

    if (error > SHIPIO_ECLASS(0))
        snprintf(text, sizeof(text), "%s", strerror(-error));
    else
        PMPI_Error_string(class, text, &len);
    fprintf(stderr, "shipio: cannot open %s: %s\n", filename, text);
}

#ifdef OPEN_MPI
/* What the program has made, the latest first. Open MPI calls no handler for
 * MPI_FILE_NULL on behalf of others, so its function must be known here. */
struct made {
    MPI_Errhandler handler;
    MPI_File_errhandler_function *function;
    struct made *next;
};

static struct made *all_made;
static pthread_mutex_t made_lock = PTHREAD_MUTEX_INITIALIZER;

void shipio_errors_remember(MPI_Errhandler handler,
                            MPI_File_errhandler_function *function)
{
    struct made *made;

    pthread_mutex_lock(&made_lock);
    /* A handle may come again when it was freed. */
    for (made = all_made; made != NULL; made = made->next)
        if (made->handler == handler)
            break;
    if (made == NULL) {
        made = calloc(1, sizeof(*made));
        if (made != NULL) {
            made->handler = handler;
            made->next = all_made;
            all_made = made;
        }
    }
    if (made != NULL)
        made->function = function;
    pthread_mutex_unlock(&made_lock);
}

static void call_without_file(MPI_Errhandler handler, int class)
{
    MPI_File_errhandler_function *function = NULL;
    MPI_File none = MPI_FILE_NULL;

    if (is_fatal(handler))
        PMPI_Abort(MPI_COMM_WORLD, class);
    pthread_mutex_lock(&made_lock);
    for (struct made *made = all_made; made != NULL; made = made->next)
        if (made->handler == handler)
            function = made->function;
    pthread_mutex_unlock(&made_lock);
    if (function != NULL)
        function(&none, &class);
}
#else
static void call_without_file(MPI_Errhandler handler, int class)
{
    (void)handler;
    PMPI_File_call_errhandler(MPI_FILE_NULL, class);
}
#endif

int shipio_raise_open(const char *filename, int error)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int class = shipio_error_class(error);

    if (PMPI_File_get_errhandler(MPI_FILE_NULL, &handler) != MPI_SUCCESS)
        return class;
    if (is_fatal(handler))
        say(filename, error, class);
    call_without_file(handler, class);
    if (handler != MPI_ERRORS_RETURN)
        PMPI_Errhandler_free(&handler);
    return class;
}
