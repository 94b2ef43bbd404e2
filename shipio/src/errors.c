/* errors.c - the table of error classes, and calling error handlers. */
#include "errors.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

int shipio_error_of_class(int class)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].class == class)
            return -classes[i].number;
    return class == MPI_SUCCESS ? 0 : -EIO;
}

static bool is_fatal(MPI_Errhandler handler)
{
#if MPI_VERSION >= 4
    if (handler == MPI_ERRORS_ABORT)
        return true;
#endif
    return handler == MPI_ERRORS_ARE_FATAL;
}

/* Handlers that leave it to their caller to look at the code. The C++ of MPICH
 * throws its exceptions that way. */
static bool returns_code(MPI_Errhandler handler)
{
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS
    if (handler == MPIR_ERRORS_THROW_EXCEPTIONS)
        return true;
#endif
    return handler == MPI_ERRORS_RETURN;
}

static void say(const char *filename, int error, int class)
{
    char text[MPI_MAX_ERROR_STRING] = "", shown[PATH_MAX];
    int len = 0;

    if (error > SHIPIO_ECLASS(0))
        snprintf(text, sizeof(text), "%s", strerror(-error));
    else
        PMPI_Error_string(class, text, &len);
    fprintf(stderr, "shipio: cannot open %s: %s\n",
            shipio_text_tame(shown, sizeof(shown), filename), text);
}

/* The functions that the program has made handlers of, the latest first: MPI
 * calls a handler with a copy of the code, but its function may change it. NULL
 * for those of MPICH's C++, which calls them itself. */
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

static bool find_function(MPI_Errhandler handler,
                          MPI_File_errhandler_function **function_p)
{
    struct made *made;

    pthread_mutex_lock(&made_lock);
    for (made = all_made; made != NULL; made = made->next)
        if (made->handler == handler)
            break;
    if (made != NULL)
        *function_p = made->function;
    pthread_mutex_unlock(&made_lock);
    return made != NULL;
}

#ifdef OPEN_MPI
/* What Open MPI's own calls use. Its MPI_File_call_errhandler refuses
 * MPI_FILE_NULL, and only it knows the handlers of C++ and Fortran. */
extern int ompi_errhandler_invoke(MPI_Errhandler handler, void *object,
                                  int object_type, int code,
                                  const char *message) __attribute__((weak));
#define OBJECT_IS_FILE 3

static void call_by_library(MPI_File fh, MPI_Errhandler handler, int code)
{
    if (fh != MPI_FILE_NULL)
        PMPI_File_call_errhandler(fh, code);
    else if (is_fatal(handler))
        PMPI_Abort(MPI_COMM_WORLD, code);
    else if (ompi_errhandler_invoke != NULL)
        ompi_errhandler_invoke(handler, fh, OBJECT_IS_FILE, code,
                               "MPI_File_open");
}
#else
static void call_by_library(MPI_File fh, MPI_Errhandler handler, int code)
{
    (void)handler;
    PMPI_File_call_errhandler(fh, code);
}
#endif

/* Calls the handler of fh; returns the code, which it may have changed. */
static int call_handler(MPI_File fh, MPI_Errhandler handler, int code)
{
    MPI_File_errhandler_function *function = NULL;

    if (returns_code(handler))
        return code;
    if (is_fatal(handler) || !find_function(handler, &function))
        call_by_library(fh, handler, code);
    else if (function != NULL)
        function(&fh, &code);
    return code;
}

static bool is_predefined(MPI_Errhandler handler)
{
    return returns_code(handler) || is_fatal(handler);
}

MPI_Errhandler shipio_errors_hush(MPI_File fh)
{
    MPI_Errhandler handler = MPI_ERRORS_RETURN;

    if (PMPI_File_get_errhandler(fh, &handler) == MPI_SUCCESS)
        PMPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
    return handler;
}

void shipio_errors_restore(MPI_File fh, MPI_Errhandler handler)
{
    PMPI_File_set_errhandler(fh, handler);
    if (!is_predefined(handler))
        PMPI_Errhandler_free(&handler);
}

void shipio_errors_copy(MPI_File from, MPI_File to)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (PMPI_File_get_errhandler(from, &handler) == MPI_SUCCESS)
        shipio_errors_restore(to, handler);
}

int shipio_raise(MPI_File fh, int error)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int class = shipio_error_class(error);

    if (class == MPI_SUCCESS ||
        PMPI_File_get_errhandler(fh, &handler) != MPI_SUCCESS)
        return class;
    class = call_handler(fh, handler, class);
    if (!is_predefined(handler))
        PMPI_Errhandler_free(&handler);
    return class;
}

int shipio_raise_open(const char *filename, int error)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int class = shipio_error_class(error);

    if (PMPI_File_get_errhandler(MPI_FILE_NULL, &handler) != MPI_SUCCESS)
        return class;
    if (is_fatal(handler))
        say(filename, error, class);
    class = call_handler(MPI_FILE_NULL, handler, class);
    if (!is_predefined(handler))
        PMPI_Errhandler_free(&handler);
    return class;
}
