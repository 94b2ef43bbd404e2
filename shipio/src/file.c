/* file.c - opening, views, agreement, closing. */
#include "file.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agents.h"
#include "errors.h"
#include "exchange.h"
#include "lustre.h"
#include "map.h"
#include "pointer.h"
#include "prefetch.h"
#include "preopen.h"

#define XFS_MAGIC 0x58465342
#define OVERLAY_MAGIC 0x794c7630
/* Stripes without a hint: on a node and between nodes. */
#define NODE_STRIPE ((int64_t)256 * 1024)
#define NET_STRIPE ((int64_t)1024 * 1024)
/* Views whose pieces are shorter than this may be shipped. */
#define SCATTERED_MAX ((int64_t)16 * 1024)

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
    while (file != NULL && file->fh != fh)
        file = file->next;
    pthread_mutex_unlock(&table_lock);
    if (file != NULL)
        *memory = (struct memory){.fh = fh, .file = file, .age = age};
    return file;
}

struct shipio_file *shipio_file_find(MPI_File fh)
{
    struct shipio_file *file = shipio_file_find_any(fh);

    return file != NULL && !file->foreign ? file : NULL;
}

struct shipio_file *shipio_file_find_pointer(MPI_File fh)
{
    struct shipio_file *file = shipio_file_find(fh);

    return file != NULL && !file->pointer_foreign ? file : NULL;
}

static void table_add(struct shipio_file *file)
{
    struct shipio_file **bucket = bucket_of(file->fh);

    pthread_mutex_lock(&table_lock);
    file->next = *bucket;
    *bucket = file;
    pthread_mutex_unlock(&table_lock);
}

static void table_remove(struct shipio_file *file)
{
    struct shipio_file **link = bucket_of(file->fh);

    pthread_mutex_lock(&table_lock);
    while (*link != NULL && *link != file)
        link = &(*link)->next;
    if (*link != NULL)
        *link = file->next;
    atomic_fetch_add(&table_age, 1);
    pthread_mutex_unlock(&table_lock);
}

int shipio_file_agree(struct shipio_file *file, int error)
{
    int lowest = error;

    if (file->shm != NULL)
        return shipio_shm_agree(file->shm, error);
    if (file->team->size == 1)
        return error;
    if (PMPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN,
                       file->team->comm) != MPI_SUCCESS)
        return -EIO;
    return lowest;
}

void shipio_file_barrier(struct shipio_file *file)
{
    if (file->shm != NULL)
        shipio_shm_barrier(file->shm);
    else if (file->team->size > 1)
        PMPI_Barrier(file->team->comm);
}

static int look_at_file(struct shipio_file *file)
{
    int64_t stripe = 0;
    struct statfs fs;
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EOPNOTSUPP;
    file->block = st.st_blksize > 0 ? st.st_blksize : 4096;
    file->fs_stripe = file->block;
    file->size_at_open = st.st_size;
    if (fstatfs(file->fd, &fs) == 0) {
        file->tmpfs = fs.f_type == TMPFS_MAGIC;
        file->nfs = fs.f_type == NFS_SUPER_MAGIC;
        /* The blocks of an xfs file may be shared with a copy of it. */
        file->in_place = file->tmpfs || fs.f_type == EXT4_SUPER_MAGIC;
        file->local_fs = file->tmpfs || fs.f_type == EXT4_SUPER_MAGIC ||
                         fs.f_type == XFS_MAGIC ||
                         fs.f_type == BTRFS_SUPER_MAGIC ||
                         fs.f_type == OVERLAY_MAGIC;
        if (fs.f_type == SHIPIO_LUSTRE_MAGIC)
            stripe = shipio_lustre_stripe(file->fd);
        if (stripe > 0)
            file->fs_stripe = stripe;
    }
    return 0;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Spreads the agents over the nodes: one on each node, then the second on
 * each, and so on, at most limits[r] on the node of rank r (-1: any number). */
static void spread_agents(struct shipio_file *file, const int *limits)
{
    const int *turns = file->team->turns;
    int want = file->hints.agents;
    int n = 0;

    if (want <= 0 || want > file->team->size)
        want = file->team->size;
    for (int turn = 0; n < want && turn < file->team->size; turn++)
        for (int r = 0; r < file->team->size && n < want; r++)
            if (turns[r] == turn && (limits[r] < 0 || turn < limits[r]))
                file->ship.agent_ranks[n++] = r;
    file->ship.nagents = n;
}

/* Collective when there is a list: each rank knows its own host. */
static int place_agents(struct shipio_file *file)
{
    struct shipio_team *team = file->team;
    int *limits = calloc((size_t)team->size, sizeof(*limits));
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int len = 0;
    int limit;
    int rc;

    file->ship.agent_ranks = calloc((size_t)team->size, sizeof(int));
    rc = limits == NULL || file->ship.agent_ranks == NULL ? -ENOMEM : 0;
    rc = shipio_file_agree(file, rc);
    if (rc != 0 || limits == NULL) {
        free(limits);
        return rc;
    }
    for (int r = 0; r < team->size; r++)
        limits[r] = -1;
    if (file->hints.config[0] != '\0') {
        PMPI_Get_processor_name(host, &len);
        limit = shipio_config_limit(file->hints.config, host);
        PMPI_Allgather(&limit, 1, MPI_INT, limits, 1, MPI_INT, team->comm);
    }
    spread_agents(file, limits);
    /* A list that names no host of the job. */
    for (int r = 0; file->ship.nagents == 0 && r < team->size; r++)
        limits[r] = -1;
    if (file->ship.nagents == 0)
        spread_agents(file, limits);
    free(limits);
    file->hints.agents = file->ship.nagents;
    qsort(file->ship.agent_ranks, (size_t)file->ship.nagents, sizeof(int),
          compare_ints);
    return 0;
}

_Static_assert(sizeof(struct shipio_hints) <= SHIPIO_BOARD_LEN,
               "hints fit the board");

/* What rank 0 has, for all; data is at most SHIPIO_BOARD_LEN long. */
static void share(struct shipio_file *file, void *data, size_t len)
{
    if (file->shm == NULL) {
        PMPI_Bcast(data, (int)len, MPI_BYTE, 0, file->team->comm);
        return;
    }
    if (file->team->rank == 0)
        memcpy(file->shm->head->board, data, len);
    shipio_shm_barrier(file->shm);
    memcpy(data, file->shm->head->board, len);
    shipio_shm_barrier(file->shm);
}

/* Collective. What all ranks must know of the file and how to use it. */
static int learn(struct shipio_file *file, MPI_Info info)
{
    int rc = look_at_file(file);
    int placed;

    file->network_fs = shipio_file_agree(file, -!file->local_fs) != 0;
    shipio_hints_init(&file->hints, file->block);
    shipio_hints_update(&file->hints, info, file->block, true);
    file->hints.default_stripe = shipio_stripe_for(
        file->fs_stripe, file->shm != NULL ? NODE_STRIPE : NET_STRIPE);
    /* A node's cache of an NFS file is in step with the others' only while
     * it holds a lock. */
    if (file->hints.lock == SHIPIO_UNSET)
        file->hints.lock =
            file->nfs && file->team->nodes > 1 ? SHIPIO_YES : SHIPIO_NO;
    if (file->hints.lock == SHIPIO_YES)
        file->hints.map = false;
    share(file, &file->hints, sizeof(file->hints));
    file->stats.timed = file->hints.stats;
    placed = place_agents(file);
    return shipio_file_agree(file, rc != 0 ? rc : placed);
}

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

/* The view is built in place: its type must not move. */
static int view_init(struct shipio_view *view, MPI_Offset disp,
                     MPI_Datatype etype, MPI_Datatype filetype)
{
    MPI_Count etype_size = 0;
    int rc;

    memset(view, 0, sizeof(*view));
    view->disp = disp;
    if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL)
        return SHIPIO_ECLASS(MPI_ERR_TYPE);
    if (disp < 0)
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    rc = shipio_type_init(&view->type, filetype);
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

static bool is_scattered(const struct shipio_tiling *tiling)
{
    return !tiling->contig && tiling->node->nseg > 0 &&
           tiling->node->size / tiling->node->nseg < SCATTERED_MAX;
}

int shipio_file_set_view(struct shipio_file *file, MPI_Offset disp,
                         MPI_Datatype etype, MPI_Datatype filetype,
                         MPI_Info info)
{
    struct shipio_view *view = calloc(1, sizeof(*view));
    int state[3];
    int agreed[3];

    state[0] = view != NULL ? view_init(view, disp, etype, filetype) : -ENOMEM;
    state[1] = state[0] == 0 && is_scattered(&view->tiling) ? -1 : 0;
    state[2] = state[0] == -ENOSYS ? -ENOSYS : 0;
    for (int i = 0; i < 3; i++)
        agreed[i] = shipio_file_agree(file, state[i]);
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
    if (file->pointer_foreign &&
        PMPI_File_set_view(file->fh, disp, etype, filetype, "native",
                           MPI_INFO_NULL) != MPI_SUCCESS)
        return -EIO;
    return 0;
}

void shipio_file_switch(struct shipio_file *file, MPI_Info info)
{
    int64_t stripe = file->hints.stripe;

    if (!file->hints.switchable)
        return;
    shipio_hints_update(&file->hints, info, file->block, false);
    share(file, &file->hints, sizeof(file->hints));
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

/* Frees everything that adopting made; local except for freeing comm. */
static void file_free(struct shipio_file *file)
{
    shipio_exchange_node.close(file);
    shipio_exchange_net.close(file);
    shipio_prefetch_close(file);
    shipio_map_close(file);
    if (file->view != NULL)
        view_free(file->view);
    free(file->view);
    shipio_team_leave(file->team);
    pthread_mutex_destroy(&file->lock);
    pthread_mutex_destroy(&file->range_lock);
    free(file->ship.agent_ranks);
    free(file->bounce);
    free(file->path);
    free(file);
}

static struct shipio_file *file_new(MPI_File fh, const char *path, int fd,
                                    int amode)
{
    struct shipio_file *file = calloc(1, sizeof(*file));

    if (file == NULL)
        return NULL;
    file->fh = fh;
    file->fd = fd;
    file->amode = amode;
    file->ship.sequence = (uint64_t)1 << 32;
    file->path = strdup(shipio_preopen_path(path));
    file->view = calloc(1, sizeof(*file->view));
    pthread_mutex_init(&file->lock, NULL);
    pthread_mutex_init(&file->range_lock, NULL);
    if (file->path == NULL || file->view == NULL ||
        view_init(file->view, 0, MPI_BYTE, MPI_BYTE) != 0) {
        file_free(file);
        return NULL;
    }
    return file;
}

/* Collective. */
static int adopt_all(struct shipio_file *file, MPI_Info info)
{
    int level = MPI_THREAD_SINGLE;
    int rc;

    file->shm = file->team->messages ? NULL : &file->team->shm;
    file->ship.exchange =
        file->shm != NULL ? &shipio_exchange_node : &shipio_exchange_net;
    PMPI_Query_thread(&level);
    file->stats.threads = level == MPI_THREAD_MULTIPLE;
    rc = learn(file, info);
    if (rc == 0)
        shipio_pointer_open(file);
    return rc;
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
    int group = file->pointer_foreign ? 0 : file->hints.group_lock;
    int rc = 0;

    if (group > 0)
        rc = shipio_lustre_lock(file->fd, group);
    file->hints.group_lock = rc == 0 ? group : 0;
    if (group > 0 && shipio_file_agree(file, rc) != 0)
        unlock_group(file);
}

void shipio_file_adopt(const struct shipio_opened *opened, MPI_Comm comm,
                       MPI_Info info)
{
    const char *path = opened->path;
    int amode = opened->amode;
    struct shipio_file *file = file_new(opened->fh, path, opened->fd, amode);
    struct shipio_team *team = shipio_team_join(comm, file != NULL);

    if (file == NULL || team == NULL) {
        close(opened->fd);
        if (file != NULL)
            file_free(file);
        shipio_stats_print_foreign(comm, path, "ranks cannot be connected");
        return;
    }
    file->team = team;
    if (adopt_all(file, info) != 0) {
        close(file->fd);
        file_free(file);
        shipio_stats_print_foreign(comm, path, "ranks cannot be connected");
        return;
    }
    if ((amode & MPI_MODE_APPEND) != 0)
        atomic_store(&file->pos, file->size_at_open);
    lock_group(file);
    shipio_prefetch_open(file);
    shipio_agents_open(file);
    table_add(file);
    shipio_file_barrier(file);
}

void shipio_file_disown(struct shipio_file *file)
{
    unlock_group(file);
    file->foreign = true;
}

int shipio_file_release(struct shipio_file *file)
{
    int rc = 0;

    shipio_agents_close(file);
    shipio_file_barrier(file);
    rc = shipio_late_take(file);
    shipio_stats_print(file);
    shipio_prefetch_close(file);
    unlock_group(file);
    if (close(file->fd) != 0 && rc == 0 && errno != EINTR)
        rc = -errno;
    rc = shipio_file_agree(file, rc);
    shipio_pointer_close(file);
    table_remove(file);
    return rc;
}

void shipio_file_forget(struct shipio_file *file)
{
    /* A rank that is late must not delete what others create anew. */
    if ((file->amode & MPI_MODE_DELETE_ON_CLOSE) != 0)
        shipio_file_barrier(file);
    file_free(file);
}
