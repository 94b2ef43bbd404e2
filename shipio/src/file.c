/* file.c - opening, views, agreement, closing. */
#include "file.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents.h"
#include "behind.h"
#include "errors.h"
#include "hub.h"
#include "job.h"
#include "lustre.h"
#include "map.h"
#include "means.h"
#include "native.h"
#include "pointer.h"
#include "prefetch.h"

#define TABLE_LEN 256

static struct shipio_file *table[TABLE_LEN];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
/* Changes when a file leaves the table: what threads remember is void then. */
static _Atomic uint64_t table_age = 1;

struct memory {
    MPI_File fh;
    struct shipio_file *file;
    uint64_t age;
};

static _Thread_local struct memory last_found;

static struct shipio_file **bucket_of(MPI_File fh)
{
    uintptr_t key = (uintptr_t)fh;

    return &table[((key >> 4) ^ (key >> 12)) % TABLE_LEN];
}

struct shipio_file *shipio_file_find_any(MPI_File fh)
{
    struct memory *memory = &last_found;
    uint64_t age = atomic_load_explicit(&table_age, memory_order_acquire);
    struct shipio_file *file;

    if (memory->fh == fh && memory->age == age)
        return memory->file;
    pthread_mutex_lock(&table_lock);
    file = *bucket_of(fh);
    while (file != NULL && file->handle.fh != fh)
        file = file->handle.next;
    pthread_mutex_unlock(&table_lock);
    if (file != NULL)
        *memory = (struct memory){.fh = fh, .file = file, .age = age};
    return file;
}

struct shipio_file *shipio_file_find(MPI_File fh)
{
    struct shipio_file *file = shipio_file_find_any(fh);

    return file != NULL && !file->handle.foreign ? file : NULL;
}

struct shipio_file *shipio_file_find_pointer(MPI_File fh)
{
    struct shipio_file *file = shipio_file_find(fh);

    return file != NULL && !file->pointer.foreign ? file : NULL;
}

static void table_add(struct shipio_file *file)
{
    struct shipio_file **bucket = bucket_of(file->handle.fh);

    pthread_mutex_lock(&table_lock);
    file->handle.next = *bucket;
    *bucket = file;
    pthread_mutex_unlock(&table_lock);
}

static void table_remove(struct shipio_file *file)
{
    struct shipio_file **link = bucket_of(file->handle.fh);

    pthread_mutex_lock(&table_lock);
    while (*link != NULL && *link != file)
        link = &(*link)->handle.next;
    if (*link != NULL)
        *link = file->handle.next;
    atomic_fetch_add(&table_age, 1);
    pthread_mutex_unlock(&table_lock);
}

int shipio_file_agree(struct shipio_file *file, int error)
{
    return file->means->agree(file, error);
}

void shipio_file_barrier(struct shipio_file *file)
{
    file->means->barrier(file);
}

_Static_assert(sizeof(struct shipio_hints) <= SHIPIO_BOARD_LEN,
               "hints fit the board");

static void view_free(struct shipio_view *view)
{
    shipio_type_fini(&view->type);
    if (view->owns_etype)
        PMPI_Type_free(&view->etype);
    if (view->owns_filetype)
        PMPI_Type_free(&view->filetype);
}

static int keep_type(MPI_Datatype datatype, MPI_Datatype *kept_p, bool *owns_p)
{
    *owns_p = !shipio_type_is_named(datatype);
    if (!*owns_p) {
        *kept_p = datatype;
        return 0;
    }
    return PMPI_Type_dup(datatype, kept_p) == MPI_SUCCESS ? 0 : -ENOMEM;
}

/* What MPI forbids: data before the beginning, displacements that decrease,
 * and bytes that are there twice when the file can be written. */
static bool is_forbidden(const struct shipio_node *node, bool writable)
{
    struct shipio_tiling once;
    struct shipio_cursor cursor;
    int64_t left = node->size;
    int64_t before = 0;

    if (node->size == 0)
        return false;
    if (node->first < 0)
        return true;
    if (node->monotone)
        return false;
    if (writable)
        return true;
    shipio_tiling_init(&once, node, 0, node->last);
    shipio_cursor_init(&cursor, &once, 0);
    while (left > 0) {
        int64_t n = shipio_cursor_peek(&cursor);

        if (cursor.off < before)
            return true;
        before = cursor.off;
        left -= n;
        shipio_cursor_take(&cursor, n);
    }
    return false;
}

static int check_types(const struct shipio_view *view, MPI_Datatype etype,
                       bool writable, MPI_Comm comm)
{
    MPI_Count size = 0;

    if (!shipio_type_is_named(etype) && !shipio_type_is_committed(etype, comm))
        return SHIPIO_ECLASS(MPI_ERR_TYPE);
    PMPI_Type_size_x(etype, &size);
    if (size > 0 && view->type.size % size != 0)
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    return is_forbidden(view->type.node, writable) ? SHIPIO_ECLASS(MPI_ERR_TYPE)
                                                   : 0;
}

/* The view is built in place: its type must not move. */
static int view_init(struct shipio_view *view, MPI_Offset disp,
                     MPI_Datatype etype, MPI_Datatype filetype,
                     const struct shipio_file *file)
{
    static _Atomic uint64_t views;
    MPI_Count etype_size = 0;
    int rc;

    memset(view, 0, sizeof(*view));
    view->serial = ++views;
    view->disp = disp;
    if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL)
        return SHIPIO_ECLASS(MPI_ERR_TYPE);
    if (disp < 0)
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    rc = shipio_type_init(&view->type, filetype, file->comm);
    if (rc == 0)
        rc = check_types(view, etype, (file->amode & MPI_MODE_RDONLY) == 0,
                         file->comm);
    if (rc != 0)
        return rc;
    PMPI_Type_size_x(etype, &etype_size);
    view->etype_size = etype_size > 0 ? etype_size : 1;
    rc = keep_type(etype, &view->etype, &view->owns_etype);
    if (rc == 0)
        rc = keep_type(filetype, &view->filetype, &view->owns_filetype);
    shipio_tiling_init(&view->tiling, view->type.node, disp, view->type.extent);
    return rc;
}

/* Views whose pieces may be short enough to be shipped. */
static bool is_scattered(const struct shipio_file *file,
                         const struct shipio_tiling *tiling)
{
    int64_t most =
        shipio_storage_piece_max(file->storage.remote ? INT32_MAX : 0);

    return !tiling->contig && tiling->node->nseg > 0 &&
           tiling->node->size / tiling->node->nseg < most;
}

int shipio_file_set_view(struct shipio_file *file, MPI_Offset disp,
                         MPI_Datatype etype, MPI_Datatype filetype,
                         MPI_Info info)
{
    struct shipio_view *view = calloc(1, sizeof(*view));
    int state[3];
    int agreed[3];

    state[0] =
        view != NULL ? view_init(view, disp, etype, filetype, file) : -ENOMEM;
    state[1] = state[0] == 0 && is_scattered(file, &view->tiling) ? -1 : 0;
    state[2] = state[0] == -ENOSYS ? -ENOSYS : 0;
    memcpy(agreed, state, sizeof(agreed));
    file->means->vote(file, agreed, 3);
    if (agreed[2] != 0)
        state[0] = -ENOSYS;
    if (agreed[0] != 0 || view == NULL) {
        if (view != NULL)
            view_free(view);
        free(view);
        return state[0] != 0 ? state[0] : agreed[0];
    }
    view->scattered = agreed[1] != 0;
    view_free(file->view);
    free(file->view);
    file->view = view;
    atomic_store(&file->pos, 0);
    shipio_file_switch(file, info);
    shipio_pointer_reset(file);
    /* A pointer that the MPI library keeps moves in its own view. */
    if (file->pointer.foreign &&
        PMPI_File_set_view(file->handle.native, disp, etype, filetype, "native",
                           MPI_INFO_NULL) != MPI_SUCCESS)
        return -EIO;
    return 0;
}

void shipio_file_switch(struct shipio_file *file, MPI_Info info)
{
    int64_t stripe = file->hints.stripe;

    if (!file->hints.switchable)
        return;
    shipio_hints_update(&file->hints, info, file->storage.block, false);
    file->means->share(file, &file->hints, sizeof(file->hints));
    /* Smaller buffers may fit where larger ones did not. */
    if (file->hints.stripe != stripe)
        file->ship.window_failed = false;
    shipio_agents_open(file);
}

int shipio_file_target(struct shipio_file *file, int64_t from,
                       MPI_Offset offset, int whence, int64_t *pos_p)
{
    int64_t unit = file->view->etype_size;
    int64_t pos;
    struct stat st;

    if (whence == MPI_SEEK_SET) {
        from = 0;
    } else if (whence == MPI_SEEK_END) {
        shipio_behind_flush(file);
        if (fstat(file->fd, &st) != 0)
            return -errno;
        from = shipio_tiling_below(&file->view->tiling, st.st_size);
        from = (from + unit - 1) / unit * unit;
    } else if (whence != MPI_SEEK_CUR) {
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    }
    if (__builtin_mul_overflow((int64_t)offset, unit, &pos) ||
        __builtin_add_overflow(pos, from, &pos) || pos < 0)
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    *pos_p = pos;
    return 0;
}

void shipio_file_free(struct shipio_file *file)
{
    if (file == NULL)
        return;
    shipio_jobs_close(file);
    shipio_exchange_node.close(file);
    shipio_exchange_net.close(file);
    shipio_prefetch_close(file);
    shipio_map_close(&file->alone.map);
    if (file->view != NULL)
        view_free(file->view);
    free(file->view);
    shipio_hub_free(file->ship.hub, true);
    if (shipio_file_owns_comm(file))
        PMPI_Comm_free(&file->comm);
    shipio_team_give_back(file->team, file->shm);
    shipio_team_leave(file->team);
    pthread_mutex_destroy(&file->alone.lock);
    pthread_mutex_destroy(&file->ranges.lock);
    pthread_cond_destroy(&file->ranges.freed);
    free(file->ship.agent_ranks);
    free(file->alone.bounce);
    free(file->alone.window);
    if (file->handle.info != MPI_INFO_NULL)
        PMPI_Info_free(&file->handle.info);
    free(file->handle.path);
    free(file->path);
    free(file);
}

struct shipio_file *shipio_file_new(struct shipio_team *team, const char *path,
                                    int amode)
{
    struct shipio_file *file = calloc(1, sizeof(*file));

    if (file == NULL)
        return NULL;
    file->fd = -1;
    file->amode = amode;
    file->handle.fh = MPI_FILE_NULL;
    file->handle.native = MPI_FILE_NULL;
    file->handle.alone = MPI_FILE_NULL;
    file->handle.info = MPI_INFO_NULL;
    file->comm = team->comm;
    file->ship.sequence = (uint64_t)1 << 32;
    file->ship.agent_ranks = calloc((size_t)team->size, sizeof(int));
    file->path = strdup(path);
    file->view = calloc(1, sizeof(*file->view));
    pthread_mutex_init(&file->alone.lock, NULL);
    pthread_mutex_init(&file->ranges.lock, NULL);
    pthread_cond_init(&file->ranges.freed, NULL);
    if (file->ship.agent_ranks == NULL || file->path == NULL ||
        file->view == NULL ||
        view_init(file->view, 0, MPI_BYTE, MPI_BYTE, file) != 0) {
        shipio_file_free(file);
        return NULL;
    }
    file->team = team;
    return file;
}

static void unlock_group(struct shipio_file *file)
{
    if (file->hints.group_lock > 0)
        shipio_lustre_unlock(file->fd, file->hints.group_lock);
    file->hints.group_lock = 0;
}

/* Collective. Accesses of a rank without the lock would wait for those with
 * it: all ranks have it, or none; so would those of the MPI library. */
static void lock_group(struct shipio_file *file)
{
    int group = file->pointer.foreign ? 0 : file->hints.group_lock;
    int rc = 0;

    if (group > 0)
        rc = shipio_lustre_lock(file->fd, group);
    file->hints.group_lock = rc == 0 ? group : 0;
    if (group > 0 && shipio_file_agree(file, rc) != 0)
        unlock_group(file);
}

void shipio_file_adopt(struct shipio_file *file, MPI_File fh, MPI_File native)
{
    file->handle.fh = fh;
    file->handle.native = native;
    if ((file->amode & MPI_MODE_APPEND) != 0)
        atomic_store(&file->pos, file->storage.size_at_open);
    lock_group(file);
    shipio_prefetch_open(file);
    shipio_agents_open(file);
    shipio_behind_open(file);
    table_add(file);
}

static void end(struct shipio_file *file)
{
    shipio_agents_end(file);
    shipio_behind_close(file);
}

/* Files are found in another order on each rank, so no rank waits for one of
 * them before it has begun to wait for all. */
static void await_agents(void)
{
    for (size_t i = 0; i < TABLE_LEN; i++)
        for (struct shipio_file *file = table[i]; file;
             file = file->handle.next)
            shipio_agents_await(file, &file->ship.last);
    for (size_t i = 0; i < TABLE_LEN; i++)
        for (struct shipio_file *file = table[i]; file;
             file = file->handle.next)
            (void)PMPI_Wait(&file->ship.last, MPI_STATUS_IGNORE);
}

void shipio_file_end_all(void)
{
    await_agents();
    for (size_t i = 0; i < TABLE_LEN; i++)
        for (struct shipio_file *file = table[i]; file;
             file = file->handle.next)
            end(file);
    shipio_native_end();
}

void shipio_file_disown(struct shipio_file *file)
{
    shipio_behind_close(file);
    unlock_group(file);
    file->handle.foreign = true;
}

int shipio_file_release(struct shipio_file *file)
{
    int rc;

    shipio_jobs_drain(file);
    shipio_agents_close(file);
    shipio_behind_flush_all(file);
    shipio_behind_close(file);
    shipio_stats_print(file);
    shipio_prefetch_close(file);
    unlock_group(file);
    shipio_map_stamp(file);
    rc = shipio_late_take(file);
    if (close(file->fd) != 0 && rc == 0 && errno != EINTR)
        rc = -errno;
    rc = shipio_file_agree(file, rc);
    /* Now all errors are posted; mostly there are none. */
    if (shipio_late_posted(file))
        rc = shipio_file_agree(file, rc != 0 ? rc : shipio_late_take(file));
    shipio_pointer_close(file);
    table_remove(file);
    return rc;
}

void shipio_file_forget(struct shipio_file *file)
{
    /* A rank that is late must not delete what others create anew. */
    if ((file->amode & MPI_MODE_DELETE_ON_CLOSE) != 0)
        shipio_file_barrier(file);
    shipio_file_free(file);
}
