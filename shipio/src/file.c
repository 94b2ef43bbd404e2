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
#include "lustre.h"
#include "map.h"
#include "pointer.h"
#include "prefetch.h"
#include "preopen.h"
#include "ship_net.h"
#include "ship_node.h"

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

    if (file->have_shm)
        return shipio_shm_agree(&file->shm, error);
    if (file->size == 1)
        return error;
    if (PMPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN, file->comm) !=
        MPI_SUCCESS)
        return -EIO;
    return lowest;
}

void shipio_file_barrier(struct shipio_file *file)
{
    if (file->have_shm)
        shipio_shm_barrier(&file->shm);
    else if (file->size > 1)
        PMPI_Barrier(file->comm);
}

/* A call and its error in one word, so that the latest call wins. */
#define TROUBLE_BITS 20

static uint64_t trouble_word(uint64_t call, int error)
{
    return call << TROUBLE_BITS | (uint64_t)-error;
}

static uint64_t trouble_call(uint64_t word)
{
    return word >> TROUBLE_BITS;
}

static int trouble_error(uint64_t word)
{
    return -(int)(word & ((1 << TROUBLE_BITS) - 1));
}

void shipio_file_post_trouble(struct shipio_file *file, int error)
{
    struct shipio_shm_head *head = file->shm.head;
    uint64_t word = trouble_word(file->calls, error);
    uint64_t present;

    if (!file->have_shm) {
        if (error > SHIPIO_ECLASS(0) && file->trouble == 0)
            file->trouble = error;
        return;
    }
    present = atomic_load(&head->trouble);
    atomic_store(&head->ranks[file->rank].trouble[file->calls & 3], word);
    file->troubles_seen = file->calls;
    /* Wrong use of a call is its caller's own business. */
    if (error <= SHIPIO_ECLASS(0))
        return;
    while (word > present &&
           !atomic_compare_exchange_weak(&head->trouble, &present, word))
        continue;
}

int shipio_file_take_trouble(struct shipio_file *file)
{
    uint64_t word;
    int error = file->trouble;

    if (!file->have_shm) {
        file->trouble = 0;
        return error;
    }
    word = atomic_load(&file->shm.head->trouble);
    /* Others may be in later calls already; theirs is for then. */
    if (trouble_call(word) <= file->troubles_seen ||
        trouble_call(word) > file->calls)
        return 0;
    file->troubles_seen = trouble_call(word);
    return trouble_error(word);
}

int shipio_file_common_trouble(struct shipio_file *file)
{
    for (int r = 0; r < file->size; r++) {
        uint64_t word =
            atomic_load(&file->shm.head->ranks[r].trouble[file->calls & 3]);

        if (trouble_call(word) != file->calls)
            continue;
        file->troubles_seen = file->calls;
        return trouble_error(word);
    }
    return 0;
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

/*
 * Leaders of nodes: for each rank, the rank of the first process of its node.
 * A node that holds everybody needs no further talk.
 */
static int find_nodes(struct shipio_file *file, MPI_Comm *node_p, int *leaders)
{
    int leader = file->rank;
    int node_size = 0;

    if (PMPI_Comm_split_type(file->comm, MPI_COMM_TYPE_SHARED, file->rank,
                             MPI_INFO_NULL, node_p) != MPI_SUCCESS)
        return -EIO;
    PMPI_Comm_set_errhandler(*node_p, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(*node_p, &file->node_rank);
    PMPI_Comm_size(*node_p, &node_size);
    file->nodes = 1;
    if (node_size == file->size)
        return 0;
    PMPI_Bcast(&leader, 1, MPI_INT, 0, *node_p);
    PMPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, file->comm);
    file->nodes = 0;
    for (int r = 0; r < file->size; r++)
        file->nodes += leaders[r] == r;
    return 0;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* How many ranks of its node are before each rank; counts is zeroed scratch.
 * leaders and turns may be the same. */
static void number_in_nodes(const int *leaders, int *turns, int *counts,
                            int size)
{
    for (int r = 0; r < size; r++)
        turns[r] = counts[leaders[r]]++;
}

/* Spreads the agents over the nodes: one on each node, then the second on
 * each, and so on, at most limits[r] on the node of rank r (-1: any number). */
static void spread_agents(struct shipio_file *file, const int *turns,
                          const int *limits)
{
    int want = file->hints.agents;
    int n = 0;

    if (want <= 0 || want > file->size)
        want = file->size;
    for (int turn = 0; n < want && turn < file->size; turn++)
        for (int r = 0; r < file->size && n < want; r++)
            if (turns[r] == turn && (limits[r] < 0 || turn < limits[r]))
                file->agent_ranks[n++] = r;
    file->nagents = n;
}

/* Collective when there is a list: each rank knows its own host. */
static int place_agents(struct shipio_file *file, const int *turns, int *limits)
{
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int len = 0;
    int limit;

    for (int r = 0; r < file->size; r++)
        limits[r] = -1;
    if (file->hints.config[0] != '\0') {
        PMPI_Get_processor_name(host, &len);
        limit = shipio_config_limit(file->hints.config, host);
        PMPI_Allgather(&limit, 1, MPI_INT, limits, 1, MPI_INT, file->comm);
    }
    file->agent_ranks = calloc((size_t)file->size, sizeof(int));
    if (file->agent_ranks == NULL)
        return -ENOMEM;
    spread_agents(file, turns, limits);
    /* A list that names no host of the job. */
    for (int r = 0; file->nagents == 0 && r < file->size; r++)
        limits[r] = -1;
    if (file->nagents == 0)
        spread_agents(file, turns, limits);
    file->hints.agents = file->nagents;
    qsort(file->agent_ranks, (size_t)file->nagents, sizeof(int), compare_ints);
    return 0;
}

_Static_assert(sizeof(struct shipio_hints) <= SHIPIO_BOARD_LEN,
               "hints fit the board");

/* What rank 0 has, for all; data is at most SHIPIO_BOARD_LEN long. */
static void share(struct shipio_file *file, void *data, size_t len)
{
    if (!file->have_shm) {
        PMPI_Bcast(data, (int)len, MPI_BYTE, 0, file->comm);
        return;
    }
    if (file->rank == 0)
        memcpy(file->shm.head->board, data, len);
    shipio_shm_barrier(&file->shm);
    memcpy(data, file->shm.head->board, len);
    shipio_shm_barrier(&file->shm);
}

static int messages_wanted(void)
{
    const char *text = getenv("SHIPIO_MESSAGES");

    return text != NULL && strcmp(text, "1") == 0;
}

/* Collective: finds the nodes and the memory of this one. */
static int find_neighbours(struct shipio_file *file, int *leaders)
{
    MPI_Comm node = MPI_COMM_NULL;
    int messages = messages_wanted();
    int rc = shipio_file_agree(file, leaders == NULL ? -ENOMEM : 0);

    if (rc != 0 || leaders == NULL)
        return rc;
    rc = shipio_file_agree(file, find_nodes(file, &node, leaders));
    /* Without shared memory the ranks of a node use messages, too. Variables
     * may differ between ranks: rank 0's count. */
    PMPI_Bcast(&messages, 1, MPI_INT, 0, file->comm);
    if (rc == 0 && file->nodes == 1 && !messages)
        file->have_shm = shipio_shm_open(&file->shm, node) == 0;
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    return rc;
}

/* Collective: finds the processes and memory that will work together. */
static int join_others(struct shipio_file *file, MPI_Info info)
{
    int *leaders = calloc((size_t)file->size, 2 * sizeof(int));
    int rc = find_neighbours(file, leaders);
    int placed;

    if (rc != 0 || leaders == NULL) {
        free(leaders);
        return rc;
    }
    rc = look_at_file(file);
    file->network_fs = shipio_file_agree(file, -!file->local_fs) != 0;
    shipio_hints_init(&file->hints, file->block);
    shipio_hints_update(&file->hints, info, file->block, true);
    file->hints.default_stripe = shipio_stripe_for(
        file->fs_stripe, file->have_shm ? NODE_STRIPE : NET_STRIPE);
    /* A node's cache of an NFS file is in step with the others' only while
     * it holds a lock. */
    if (file->hints.lock == SHIPIO_UNSET)
        file->hints.lock =
            file->nfs && file->nodes > 1 ? SHIPIO_YES : SHIPIO_NO;
    if (file->hints.lock == SHIPIO_YES)
        file->hints.map = false;
    share(file, &file->hints, sizeof(file->hints));
    file->stats.timed = file->hints.stats;
    number_in_nodes(leaders, leaders, leaders + file->size, file->size);
    placed = place_agents(file, leaders, leaders + file->size);
    free(leaders);
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
        file->window_failed = false;
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
    shipio_node_close(file);
    shipio_net_close(file);
    shipio_prefetch_close(file);
    shipio_map_close(file);
    if (file->have_shm)
        shipio_shm_close(&file->shm);
    if (file->view != NULL)
        view_free(file->view);
    free(file->view);
    if (file->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&file->comm);
    pthread_mutex_destroy(&file->lock);
    pthread_mutex_destroy(&file->range_lock);
    free(file->agent_ranks);
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
    file->comm = MPI_COMM_NULL;
    file->sequence = (uint64_t)1 << 32;
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

static int adopt_all(struct shipio_file *file, MPI_Info info)
{
    int level = MPI_THREAD_SINGLE;
    int rc;

    PMPI_Comm_set_errhandler(file->comm, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(file->comm, &file->rank);
    PMPI_Comm_size(file->comm, &file->size);
    PMPI_Query_thread(&level);
    file->stats.threads = level == MPI_THREAD_MULTIPLE;
    rc = join_others(file, info);
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

/* Collective. True when ready is true on all ranks. */
static bool all_ready(MPI_Comm comm, bool ready)
{
    int mine = ready;
    int least = 0;

    return PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm) ==
               MPI_SUCCESS &&
           least != 0;
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
    MPI_Comm copy = MPI_COMM_NULL;
    bool ready = PMPI_Comm_dup(comm, &copy) == MPI_SUCCESS && file != NULL;

    /* A rank without memory takes the others with it. */
    ready = all_ready(comm, ready);
    if (file == NULL) {
        if (copy != MPI_COMM_NULL)
            PMPI_Comm_free(&copy);
        close(opened->fd);
        return;
    }
    file->comm = copy;
    if (!ready || adopt_all(file, info) != 0) {
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
    rc = shipio_file_take_trouble(file);
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
