/* device.c - asking CUDA about an address, and passing accesses on. */
#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "errors.h"
#include "native.h"
#include "rawio.h"
#include "walk.h"

/* As cuda.h has it; 0 is success. */
typedef int get_attribute(void *value, int attribute, unsigned long long where);
enum { MEMORY_TYPE = 2, IS_MANAGED = 8 }; /* attributes */
enum { DEVICE = 2 };                      /* a memory type */

static _Atomic(get_attribute *) ask; /* NULL: no CUDA here */
static _Atomic unsigned long long libraries_seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int count_libraries(struct dl_phdr_info *info, size_t len, void *count)
{
    (void)len;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

/* The path by which CUDA's library was loaded. */
static int find_cuda(struct dl_phdr_info *info, size_t len, void *path)
{
    const char *name = strrchr(info->dlpi_name, '/');

    (void)len;
    name = name != NULL ? name + 1 : info->dlpi_name;
    if (strncmp(name, "libcuda.so", strlen("libcuda.so")) != 0 ||
        strlen(info->dlpi_name) >= PATH_MAX)
        return 0;
    memcpy(path, info->dlpi_name, strlen(info->dlpi_name) + 1);
    return 1;
}

/* Takes hold of it; to load it is the program's business. */
static get_attribute *find_function(void)
{
    union {
        void *object;
        get_attribute *function;
    } symbol = {.object = NULL};
    char path[PATH_MAX];
    void *handle;

    if (dl_iterate_phdr(find_cuda, path) == 0)
        return NULL;
    handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL)
        symbol.object = dlsym(handle, "cuPointerGetAttribute");
    return symbol.function;
}

/* Looks again only when a library was loaded since. */
static get_attribute *cuda(void)
{
    unsigned long long count = 0;

    dl_iterate_phdr(count_libraries, &count);
    if (count == atomic_load(&libraries_seen))
        return atomic_load(&ask);
    pthread_mutex_lock(&lock);
    if (atomic_load(&ask) == NULL)
        atomic_store(&ask, find_function());
    atomic_store(&libraries_seen, count);
    pthread_mutex_unlock(&lock);
    return atomic_load(&ask);
}

/* Managed memory moves to whoever touches it: it is the processor's, too. */
static bool is_device(get_attribute *get, const char *address)
{
    unsigned long long where = (unsigned long long)(uintptr_t)address;
    unsigned type = 0;
    unsigned managed = 0;

    if (get(&type, MEMORY_TYPE, where) != 0 || type != DEVICE)
        return false;
    return get(&managed, IS_MANAGED, where) != 0 || managed == 0;
}

bool shipio_device_holds(const struct shipio_request *req)
{
    get_attribute *get = req->nbytes > 0 ? cuda() : NULL;

    return get != NULL &&
           (is_device(get, req->buf + shipio_tiling_offset(&req->memory, 0)) ||
            is_device(get, req->buf + shipio_tiling_offset(&req->memory,
                                                           req->nbytes - 1)));
}

/* Elements of a datatype in memory, for an offset of the MPI library's view. */
struct piece {
    MPI_Offset offset;
    char *buf;
    MPI_Count count;
    MPI_Datatype datatype;
};

/* One call of the MPI library; the bytes moved or a negative error. */
static int64_t call_library(struct shipio_file *file, bool write,
                            const struct piece *piece)
{
    MPI_File fh = shipio_native_alone(file);
    int count = (int)piece->count;
    MPI_Count done = 0;
    MPI_Status status;
    int class = MPI_SUCCESS;
    int rc;

    if (piece->count > INT_MAX)
        return SHIPIO_ECLASS(MPI_ERR_COUNT);
    rc = write ? PMPI_File_write_at(fh, piece->offset, piece->buf, count,
                                    piece->datatype, &status)
               : PMPI_File_read_at(fh, piece->offset, piece->buf, count,
                                   piece->datatype, &status);
    if (rc != MPI_SUCCESS) {
        PMPI_Error_class(rc, &class);
        return shipio_error_of_class(class);
    }
    PMPI_Get_elements_x(&status, MPI_BYTE, &done);
    return done;
}

/* The MPI library has the view, or it is contiguous: one call. */
static int64_t move_whole(struct shipio_file *file,
                          const struct shipio_request *req)
{
    const struct shipio_view *view = file->view;
    struct piece piece = {.offset = file->pointer.foreign
                                        ? req->pos / view->etype_size
                                        : view->tiling.base + req->pos,
                          .buf = req->buf,
                          .count = req->count,
                          .datatype = req->datatype};

    return call_library(file, req->write, &piece);
}

static int64_t move_pieces(struct shipio_file *file,
                           const struct shipio_request *req)
{
    struct shipio_walk walk;
    int64_t len;

    shipio_walk_init(&walk, file, req);
    while ((len = shipio_walk_piece(&walk, INT64_MAX)) > 0) {
        int64_t room = shipio_cursor_peek(&walk.memory);
        struct piece piece = {.offset = walk.where.off,
                              .buf = req->buf + walk.memory.off,
                              .datatype = MPI_BYTE};
        int64_t n;

        len = len < room ? len : room;
        len = len < INT_MAX ? len : INT_MAX;
        piece.count = len;
        n = call_library(file, req->write, &piece);
        if (n < 0)
            return n;
        shipio_cursor_take(&walk.memory, n);
        shipio_walk_pass(&walk, n);
        if (n < len)
            break;
    }
    return req->nbytes - walk.left;
}

int shipio_device_access(struct shipio_file *file,
                         const struct shipio_request *req, int64_t *done_p)
{
    MPI_File fh = shipio_native_alone(file);
    MPI_Errhandler handler;
    int64_t n;
    int rc = req->write ? shipio_raw_stop_updates(file) : 0;

    *done_p = 0;
    if (rc != 0)
        return rc;
    if (fh == MPI_FILE_NULL)
        return -EIO;
    handler = shipio_errors_hush(fh);
    n = file->pointer.foreign || file->view->tiling.contig
            ? move_whole(file, req)
            : move_pieces(file, req);
    shipio_errors_restore(fh, handler);
    *done_p = n > 0 ? n : 0;
    if (n >= 0 && n < req->nbytes && req->write)
        return -EIO;
    return n < 0 ? (int)n : 0;
}
