/* native.c - tokens, and opening by the MPI library later. */
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "errors.h"
#include "means.h"
#include "opening.h"

/* Each takes a descriptor and a communicator; few programs close more files at
 * once, and open as many again. */
#define TOKENS_MAX 8

static MPI_File tokens[TOKENS_MAX]; /* not in use */
static int ntokens;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the above */
/* Of this process alone; without the attributes that a program may have given
 * MPI_COMM_SELF, which a library copies with each file. */
static MPI_Comm self = MPI_COMM_NULL;
/* One thread at a time opens on that, and looks at the handles of a file. */
static pthread_mutex_t self_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_token(const struct shipio_file *file)
{
    return file->handle.native != file->handle.fh;
}

static bool is_unused(MPI_File fh)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < ntokens && !found; i++)
        found = tokens[i] == fh;
    pthread_mutex_unlock(&lock);
    return found;
}

MPI_File shipio_native_valid(MPI_File fh)
{
    return shipio_file_find_any(fh) == NULL && is_unused(fh) ? MPI_FILE_NULL
                                                             : fh;
}

MPI_File shipio_native_of(MPI_File fh)
{
    const struct shipio_file *file = shipio_file_find_any(fh);

    if (file != NULL && file->handle.foreign)
        return file->handle.native;
    return file == NULL && is_unused(fh) ? MPI_FILE_NULL : fh;
}

/* The file is there, and goes when shipio says so. */
static struct shipio_opening opening_of(const struct shipio_file *file)
{
    return (struct shipio_opening){
        .filename = file->handle.path,
        .amode = file->amode &
                 ~(MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE),
        .info = file->handle.info};
}

/* What the library needs besides: OMPIO the memory and the semaphore of the
 * shared pointer. */
#define SPARE_FDS 2

/* Libraries wait for ever for a rank that cannot open. */
static int try_open(const struct shipio_opening *opening)
{
    int fds[1 + SPARE_FDS];
    int n = 0;
    int rc = shipio_open_retry(opening->filename,
                               shipio_open_flags(opening->amode), &fds[0]);

    while (rc == 0 && ++n <= SPARE_FDS) {
        fds[n] = dup(fds[0]);
        if (fds[n] < 0)
            rc = -errno;
    }
    while (n > 0)
        close(fds[--n]);
    return rc;
}

static int open_by_library(MPI_Comm comm, const struct shipio_opening *opening,
                           MPI_File *fh)
{
    int rc = PMPI_File_open(comm, opening->filename, opening->amode,
                            opening->info, fh);

    if (rc != MPI_SUCCESS)
        *fh = MPI_FILE_NULL;
    return rc;
}

/* Open MPI's MPI_Comm_create_group would copy the attributes. */
static bool make_self(void)
{
    MPI_Group group = MPI_GROUP_NULL;
    int rc;

    if (self != MPI_COMM_NULL)
        return true;
    rc = PMPI_Comm_group(MPI_COMM_SELF, &group);
    if (rc == MPI_SUCCESS) {
        rc = PMPI_Comm_create(MPI_COMM_SELF, group, &self);
        PMPI_Group_free(&group);
    }
    if (rc != MPI_SUCCESS)
        self = MPI_COMM_NULL;
    return rc == MPI_SUCCESS;
}

static void open_by_self(const struct shipio_opening *opening, MPI_File *fh)
{
    pthread_mutex_lock(&self_lock);
    if (*fh == MPI_FILE_NULL && try_open(opening) == 0 && make_self() &&
        open_by_library(self, opening, fh) == MPI_SUCCESS)
        PMPI_File_set_errhandler(*fh, MPI_ERRORS_RETURN);
    pthread_mutex_unlock(&self_lock);
}

/* Does the file's name still lead to it? */
static bool is_in_place(const struct shipio_file *file)
{
    struct stat named;
    struct stat open;

    return stat(file->handle.path, &named) == 0 &&
           fstat(file->fd, &open) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
}

/* A name by a descriptor, as the file has none of its own any more. */
#define FD_NAME_LEN 64
/* No process has others near there, so that it is the same for all. */
#define FD_DISTANCE 100

static void name_fd(char *name, int fd)
{
    snprintf(name, FD_NAME_LEN, "/proc/self/fd/%d", fd);
}

/* Collective. The same name on all ranks, from which the library makes others;
 * returns the descriptor, or -1 on all of them. */
static int find_common_name(struct shipio_file *file, char *name)
{
    int votes[2] = {-file->fd, 0};
    int fd;

    file->means->vote(file, votes, 1);
    fd = fcntl(file->fd, F_DUPFD_CLOEXEC, FD_DISTANCE - votes[0]);
    votes[0] = fd;
    votes[1] = -fd;
    file->means->vote(file, votes, 2);
    if (fd >= 0 && votes[0] == -votes[1]) {
        name_fd(name, fd);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Collective; an error, or 0. */
static int open_for_all(struct shipio_file *file, MPI_File *fh)
{
    struct shipio_opening opening = opening_of(file);
    char name[FD_NAME_LEN];
    int class = MPI_SUCCESS;
    int fd = -1;
    int agreed;
    int rc;

    *fh = MPI_FILE_NULL;
    if (shipio_file_agree(file, is_in_place(file) ? 0 : -ENOENT) != 0) {
        fd = find_common_name(file, name);
        opening.filename = name;
        if (fd < 0)
            return SHIPIO_ECLASS(MPI_ERR_NO_SUCH_FILE);
    }
    agreed = shipio_file_agree(file, try_open(&opening));
    if (agreed == 0) {
        rc = open_by_library(file->comm, &opening, fh);
        if (rc != MPI_SUCCESS)
            PMPI_Error_class(rc, &class);
        agreed = shipio_file_agree(
            file, class != MPI_SUCCESS ? SHIPIO_ECLASS(class) : 0);
    }
    if (fd >= 0)
        close(fd);
    return agreed;
}

int shipio_native_demand(struct shipio_file *file)
{
    struct shipio_handle *handle = &file->handle;
    MPI_File fh;
    int rc;

    if (handle->native != MPI_FILE_NULL)
        return MPI_SUCCESS;
    rc = open_for_all(file, &fh);
    if (rc != 0) /* closing it where it is open would be collective */
        return shipio_raise(handle->fh, rc);
    PMPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
    pthread_mutex_lock(&self_lock);
    handle->native = fh;
    pthread_mutex_unlock(&self_lock);
    return MPI_SUCCESS;
}

void shipio_native_pass(struct shipio_file *file)
{
    if (is_token(file))
        shipio_errors_copy(file->handle.fh, file->handle.native);
}

static MPI_File open_handle(const struct shipio_handle *handle)
{
    MPI_File fh;

    pthread_mutex_lock(&self_lock);
    fh = handle->native != MPI_FILE_NULL ? handle->native : handle->alone;
    pthread_mutex_unlock(&self_lock);
    return fh;
}

MPI_File shipio_native_alone(struct shipio_file *file)
{
    struct shipio_handle *handle = &file->handle;
    struct shipio_opening opening = opening_of(file);
    char name[FD_NAME_LEN];
    MPI_File fh = open_handle(handle);

    if (fh != MPI_FILE_NULL)
        return fh;
    if (!is_in_place(file)) {
        name_fd(name, file->fd);
        opening.filename = name;
    }
    open_by_self(&opening, &handle->alone);
    return open_handle(handle);
}

#ifdef OPEN_MPI
/* A file of its own: OMPIO names a semaphore after it. */
static MPI_File token_make(void)
{
    char path[] = "/dev/shm/shipio-XXXXXX";
    struct shipio_opening opening = {
        .filename = path, .amode = MPI_MODE_RDWR, .info = MPI_INFO_NULL};
    MPI_File fh = MPI_FILE_NULL;
    int fd = mkstemp(path);

    if (fd < 0)
        return MPI_FILE_NULL;
    close(fd);
    open_by_self(&opening, &fh);
    unlink(path);
    return fh;
}

/* A library that has something to say of an open file says it of this one. */
static bool is_silent(MPI_File fh)
{
    MPI_Info info = MPI_INFO_NULL;
    int nkeys = -1;

    if (PMPI_File_get_info(fh, &info) == MPI_SUCCESS && info != MPI_INFO_NULL) {
        PMPI_Info_get_nkeys(info, &nkeys);
        PMPI_Info_free(&info);
    }
    return nkeys == 0;
}

static MPI_File token_take(void)
{
    static atomic_bool useless;
    MPI_File fh = MPI_FILE_NULL;

    if (atomic_load(&useless))
        return MPI_FILE_NULL;
    pthread_mutex_lock(&lock);
    if (ntokens > 0)
        fh = tokens[--ntokens];
    pthread_mutex_unlock(&lock);
    if (fh == MPI_FILE_NULL)
        fh = token_make();
    if (fh != MPI_FILE_NULL && !is_silent(fh)) {
        atomic_store(&useless, true);
        PMPI_File_close(&fh);
    }
    if (fh != MPI_FILE_NULL)
        shipio_errors_copy(MPI_FILE_NULL, fh);
    return fh;
}

static void token_give_back(MPI_File fh)
{
    pthread_mutex_lock(&lock);
    if (ntokens < TOKENS_MAX) {
        tokens[ntokens++] = fh;
        fh = MPI_FILE_NULL;
    }
    pthread_mutex_unlock(&lock);
    if (fh != MPI_FILE_NULL)
        PMPI_File_close(&fh);
}

/* The program may go elsewhere before the name is needed. */
static char *whole_path(const char *path)
{
    char here[PATH_MAX];
    char *whole = NULL;

    if (path[0] == '/')
        return strdup(path);
    if (getcwd(here, sizeof(here)) == NULL ||
        asprintf(&whole, "%s/%s", here, path) < 0)
        return NULL;
    return whole;
}

bool shipio_native_put_off(struct shipio_file *file, MPI_Info info,
                           MPI_File *fh)
{
    struct shipio_handle *handle = &file->handle;
    bool good;

    /* Opening is collective over a communicator that files share: threads that
     * have two of them pass over at a time would mix what they send. */
    if (file->pointer.foreign || file->team->multiple)
        return false;
    handle->path = whole_path(file->path);
    *fh = token_take();
    good = handle->path != NULL && *fh != MPI_FILE_NULL &&
           (info == MPI_INFO_NULL ||
            PMPI_Info_dup(info, &handle->info) == MPI_SUCCESS);
    if (shipio_file_agree(file, good ? 0 : -ENOMEM) == 0)
        return true;
    if (*fh != MPI_FILE_NULL)
        token_give_back(*fh);
    *fh = MPI_FILE_NULL;
    if (handle->info != MPI_INFO_NULL)
        PMPI_Info_free(&handle->info);
    return false;
}

#else
static void token_give_back(MPI_File fh)
{
    (void)fh;
}

bool shipio_native_put_off(struct shipio_file *file, MPI_Info info,
                           MPI_File *fh)
{
    (void)file;
    (void)info;
    (void)fh;
    return false;
}
#endif

/* Collective. All ranks have closed it. */
static int delete_file(struct shipio_file *file)
{
    int rc = 0;

    if ((file->amode & MPI_MODE_DELETE_ON_CLOSE) == 0)
        return 0;
    if (file->team->rank == 0 && unlink(file->handle.path) != 0 &&
        errno != ENOENT)
        rc = -errno;
    return shipio_file_agree(file, rc);
}

int shipio_native_close(struct shipio_file *file, MPI_File *fh)
{
    struct shipio_handle *handle = &file->handle;
    int closed = MPI_SUCCESS;
    int rc;

    if (!is_token(file))
        return PMPI_File_close(fh);
    if (handle->native != MPI_FILE_NULL)
        closed = PMPI_File_close(&handle->native);
    if (handle->alone != MPI_FILE_NULL)
        (void)PMPI_File_close(&handle->alone);
    rc = shipio_raise(*fh, delete_file(file));
    token_give_back(*fh);
    *fh = MPI_FILE_NULL;
    return closed != MPI_SUCCESS ? closed : rc;
}

void shipio_native_end(void)
{
    pthread_mutex_lock(&lock);
    while (ntokens > 0)
        PMPI_File_close(&tokens[--ntokens]);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&self_lock);
    if (self != MPI_COMM_NULL)
        PMPI_Comm_free(&self);
    pthread_mutex_unlock(&self_lock);
}
