/* opening.c - rank 0 creates when all are there, then all open, then all
 * agree. */
#include "opening.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lustre.h"
#include "means.h"
#include "pointer.h"
#include "rawio.h"

/* Stripes without a hint: on a node and between nodes. */
#define NODE_STRIPE ((int64_t)256 * 1024)
#define REMOTE_STRIPE ((int64_t)4 * 1024 * 1024)
#define NET_STRIPE ((int64_t)1024 * 1024)

enum { FOREIGN = 1 };

/*
 * ROMIO takes what stands before a colon for the name of a file system, and
 * refuses those that it was not built with; OMPIO has no such names, but
 * ROMIO may be in its place. What the MPI library would open by another name,
 * or not at all, must not be created here first.
 */
#if defined(OPEN_MPI)
static const char *path_of(const char *filename)
{
    return filename;
}

/* "a:b" in a folder is a name like others. */
static bool is_for_library(const char *filename)
{
    size_t n = 0;

    while (isalnum((unsigned char)filename[n]) || filename[n] == '_')
        n++;
    return n > 1 && filename[n] == ':';
}
#else
static const char *path_of(const char *filename)
{
    bool known =
        strncmp(filename, "ufs:", 4) == 0 || strncmp(filename, "nfs:", 4) == 0;

    return known ? filename + 4 : filename;
}

static bool is_for_library(const char *filename)
{
    return path_of(filename) == filename && strchr(filename, ':') != NULL;
}
#endif

/* Modes that MPI forbids get their error from the MPI library. */
static bool mode_is_strange(int amode)
{
    int ways = ((amode & MPI_MODE_RDONLY) != 0) +
               ((amode & MPI_MODE_WRONLY) != 0) +
               ((amode & MPI_MODE_RDWR) != 0);

    return ways != 1 || (amode & MPI_MODE_SEQUENTIAL) != 0 ||
           ((amode & MPI_MODE_RDONLY) != 0 &&
            (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0);
}

int shipio_open_flags(int amode)
{
    if ((amode & MPI_MODE_RDWR) != 0)
        return O_RDWR | O_CLOEXEC;
    return O_CLOEXEC | ((amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDONLY);
}

int shipio_open_retry(const char *path, int flags, int *fd_p)
{
    do
        *fd_p = open(path, flags, 0666);
    while (*fd_p < 0 && errno == EINTR);
    return *fd_p >= 0 ? 0 : -errno;
}

static bool disabled(void)
{
    const char *text = getenv("SHIPIO_DISABLE");

    return text != NULL && strcmp(text, "0") != 0 && text[0] != '\0';
}

/* Rank 0; its environment counts for all. */
static int open_first(const char *path, const struct shipio_opening *opening,
                      int *fd_p)
{
    int flags = shipio_open_flags(opening->amode);
    struct stat st;
    bool there = stat(path, &st) == 0;

    if (disabled() || (there && !S_ISREG(st.st_mode)))
        return FOREIGN;
    if ((opening->amode & MPI_MODE_CREATE) != 0)
        flags |= O_CREAT;
    if ((opening->amode & MPI_MODE_EXCL) != 0)
        flags |= O_EXCL;
    /* The MPI library, which knows such hints, would find the file there. */
    if (!there && (flags & O_CREAT) != 0) {
        *fd_p = shipio_lustre_create(path, flags, opening->info);
        if (*fd_p >= 0)
            return 0;
    }
    return shipio_open_retry(path, flags, fd_p);
}

static int look_at_file(struct shipio_file *file)
{
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EOPNOTSUPP;
    shipio_storage_look(&file->storage, file->fd, &st);
    return 0;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Between nodes one on each fills the wire, and the file system has one client
 * to a node; more than the file has targets would only meet there. Rank 0, so
 * that it is the same everywhere. */
static void choose_agents(struct shipio_file *file)
{
    struct shipio_hints *hints = &file->hints;
    int targets = file->storage.targets;

    if (hints->agents > 0 || file->team->nodes == 1 || hints->config[0] != '\0')
        return;
    hints->agents = file->team->nodes;
    if (targets > 0 && targets < hints->agents)
        hints->agents = targets;
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
static void place_agents(struct shipio_file *file)
{
    struct shipio_team *team = file->team;
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int len = 0;
    int limit;

    for (int r = 0; r < team->size; r++)
        team->limits[r] = -1;
    if (file->hints.config[0] != '\0') {
        PMPI_Get_processor_name(host, &len);
        limit = shipio_config_limit(file->hints.config, host);
        PMPI_Allgather(&limit, 1, MPI_INT, team->limits, 1, MPI_INT,
                       file->comm);
    }
    spread_agents(file, team->limits);
    /* A list that names no host of the job. */
    for (int r = 0; file->ship.nagents == 0 && r < team->size; r++)
        team->limits[r] = -1;
    if (file->ship.nagents == 0)
        spread_agents(file, team->limits);
    file->hints.agents = file->ship.nagents;
    qsort(file->ship.agent_ranks, (size_t)file->ship.nagents, sizeof(int),
          compare_ints);
}

/* What rank 0 tells the others when it has opened the file, or has not. What a
 * collective call decides by must be the same everywhere, the block size too,
 * which is as each rank's mount says. */
struct plan {
    int rc; /* 0, FOREIGN or -errno */
    int64_t block;
    bool tmpfs;
    int64_t probe; /* the byte that rank 0 has locked; 0: none */
    struct shipio_lease lease;
    struct shipio_hints hints;
};

_Static_assert(sizeof(struct plan) <= SHIPIO_BOARD_LEN, "plan fits the board");

/*
 * What launchers tell each process: how many of the job's are on its node. The
 * nodes of one file's processes are not enough: others of the job may have the
 * same file open by a handle of their own, and all of them must lock, or none.
 */
static bool job_is_on_one_node(void)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"};
    const char *nodes = getenv("SLURM_STEP_NUM_NODES");
    int size = 0;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        return true;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const char *text = getenv(counts[i]);

        if (text != NULL)
            return strtol(text, NULL, 10) == size;
    }
    return nodes != NULL && strtol(nodes, NULL, 10) == 1;
}

static void choose_hints(struct shipio_file *file, MPI_Info info, bool node)
{
    struct shipio_hints *hints = &file->hints;
    int64_t stripe;

    shipio_hints_init(hints, file->storage.block);
    shipio_hints_update(hints, info, file->storage.block, true);
    if (hints->remote == SHIPIO_UNSET)
        hints->remote = file->storage.local ? SHIPIO_NO : SHIPIO_YES;
    stripe = node ? NODE_STRIPE : NET_STRIPE;
    if (hints->remote == SHIPIO_YES)
        stripe = REMOTE_STRIPE;
    hints->default_stripe = shipio_stripe_for(file->storage.stripe, stripe);
    choose_agents(file);
    /* Locks that lead from node to node are too dear to be taken for that. */
    if (hints->sieve == SHIPIO_UNSET)
        hints->sieve = hints->remote == SHIPIO_YES && file->team->nodes == 1 &&
                               job_is_on_one_node()
                           ? SHIPIO_YES
                           : SHIPIO_NO;
    /* A node's cache of an NFS file is in step with the others' only while
     * it holds a lock. */
    if (hints->lock == SHIPIO_UNSET)
        hints->lock =
            file->storage.nfs && file->team->nodes > 1 ? SHIPIO_YES : SHIPIO_NO;
    if (hints->lock == SHIPIO_YES)
        hints->map = false;
}

/*
 * Gaps are read and written back under locks, and only where these keep ranks
 * apart: some file systems have none, some have them for each node alone. Rank
 * 0 locks a byte that no file has; the others look whether they see it. Each
 * handle has a byte of its own there: one that had to wait for another's would
 * wait for ranks that may be waiting for this one. Handles that cannot read
 * lock as well, for their writes must not fall into another's window.
 */
#define PROBE_AT (INT64_MAX / 2)
#define PROBE_TRIES 64

static bool wants_locks(const struct shipio_file *file)
{
    return file->hints.sieve == SHIPIO_YES &&
           (file->amode & MPI_MODE_RDONLY) == 0;
}

static struct flock probe_lock(int64_t at)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

/* Rank 0. Where it has locked a byte; 0: nowhere. */
static int64_t hold_probe(struct shipio_file *file)
{
    int64_t at = PROBE_AT + (int64_t)getpid() * PROBE_TRIES;

    for (int i = 0; i < PROBE_TRIES && wants_locks(file); i++, at++) {
        struct flock lock = probe_lock(at);

        if (fcntl(file->fd, F_OFD_SETLK, &lock) == 0)
            return at;
        if (errno != EAGAIN && errno != EACCES)
            return 0;
    }
    return 0;
}

static void release_probe(struct shipio_file *file, int64_t at)
{
    if (at != 0)
        (void)shipio_raw_lock(file, F_UNLCK, at, 1);
}

static bool sees_probe(const struct shipio_file *file, int64_t at)
{
    struct flock lock = probe_lock(at);

    if (at == 0 || file->team->rank == 0)
        return true;
    return fcntl(file->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Rank 0. */
static void make_plan(struct shipio_team *team, struct shipio_file *file,
                      const struct shipio_opening *opening, struct plan *plan)
{
    plan->rc = file == NULL ? -ENOMEM : 0;
    if (file == NULL)
        return;
    plan->rc = open_first(file->path, opening, &file->fd);
    if (plan->rc == 0)
        plan->rc = look_at_file(file);
    if (plan->rc != 0)
        return;
    shipio_team_offer(team, &plan->lease);
    choose_hints(file, opening->info, plan->lease.index >= 0);
    plan->probe = hold_probe(file);
    if (plan->probe == 0)
        file->hints.sieve = SHIPIO_NO;
    plan->block = file->storage.block;
    plan->tmpfs = file->storage.tmpfs;
    plan->hints = file->hints;
}

/* Each rank; its own failure, or 0. The lease comes first: who has it gives it
 * back, whatever else fails. Who cannot have it is no failure. */
static int carry_out(struct shipio_team *team, struct shipio_file *file,
                     const struct plan *plan)
{
    int rc = 0;

    if (shipio_team_accept(team, &plan->lease, &file->shm) != 0)
        file->shm = NULL;
    if (team->rank != 0) {
        rc = shipio_open_retry(file->path, shipio_open_flags(file->amode),
                               &file->fd);
        if (rc == 0)
            rc = look_at_file(file);
    }
    file->storage.block = plan->block;
    file->ship.remap = plan->tmpfs;
    file->hints = plan->hints;
    file->stats.timed = file->hints.stats;
    file->stats.threads = team->multiple;
    return rc;
}

/* Collective. Threads that use two files at a time must not mix their
 * messages. */
static int own_comm(struct shipio_file *file)
{
    int rc = 0;

    if (file->shm != NULL || !file->team->multiple || file->team->size == 1)
        return 0;
    if (PMPI_Comm_dup(file->team->comm, &file->comm) != MPI_SUCCESS) {
        file->comm = file->team->comm;
        rc = -EIO;
    }
    return shipio_team_vote(file->team, &rc, 1) ? rc : -EIO;
}

static void give_up(struct shipio_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        close(file->fd);
    shipio_pointer_close(file);
    shipio_file_free(file);
}

/* Where its own view of the file system differs, rank 0's settings count. */
static bool is_local(const struct shipio_file *file)
{
    return file->storage.local && file->hints.remote != SHIPIO_YES;
}

/* Each rank carries the plan out; what all have found, or a failure of one. */
static int carry_out_all(struct shipio_team *team, struct shipio_file *file,
                         const struct plan *plan)
{
    int votes[SHIPIO_VOTES] = {-ENOMEM, 0, 0, 0};

    if (file != NULL) {
        votes[0] = carry_out(team, file, plan);
        votes[1] = is_local(file);
        votes[2] = votes[0] == 0 && sees_probe(file, plan->probe);
        votes[3] = plan->lease.index < 0 || file->shm != NULL;
    }
    if (!shipio_team_vote(team, votes, SHIPIO_VOTES))
        votes[0] = -EIO;
    if (team->rank == 0)
        shipio_team_accepted(&plan->lease);
    /* A rank that has not got it cannot give it back: all use messages. */
    if (votes[3] == 0) {
        if (file != NULL)
            file->shm = NULL;
        shipio_team_discard(team, &plan->lease);
    }
    if (votes[0] != 0 || file == NULL)
        return votes[0];
    if (team->rank == 0)
        release_probe(file, plan->probe);
    if (votes[2] == 0)
        file->hints.sieve = SHIPIO_NO;
    file->storage.remote = votes[1] == 0;
    file->means = file->shm != NULL ? &shipio_means_node : &shipio_means_net;
    return 0;
}

/* Collective. All or none have the file open in the end. */
static int open_all(struct shipio_team *team, struct shipio_file *file,
                    const struct shipio_opening *opening)
{
    struct plan plan = {.rc = 0};
    int leaders;
    int rc;

    /* Ranks that are still to come may delete a file of that name first. */
    if ((opening->amode & MPI_MODE_CREATE) != 0)
        shipio_team_barrier(team);
    if (team->rank == 0)
        make_plan(team, file, opening, &plan);
    shipio_team_share(team, &plan, sizeof(plan));
    if (plan.rc != 0) {
        shipio_team_barrier(team);
        return plan.rc;
    }
    rc = carry_out_all(team, file, &plan);
    if (rc == 0)
        rc = own_comm(file);
    if (rc != 0)
        return rc;
    place_agents(file);
    leaders = shipio_team_leaders(team);
    if (file->hints.leaders > leaders)
        file->hints.leaders = leaders;
    shipio_pointer_open(file);
    /* Its writes by that pointer take no locks. */
    if (file->pointer.foreign)
        file->hints.sieve = SHIPIO_NO;
    return 0;
}

int shipio_open(MPI_Comm comm, const struct shipio_opening *opening,
                struct shipio_file **file_p)
{
    const char *path = path_of(opening->filename);
    struct shipio_team *team;
    struct shipio_file *file;
    int rc;

    *file_p = NULL;
    if (is_for_library(opening->filename) || mode_is_strange(opening->amode))
        return FOREIGN;
    team = shipio_team_join(comm);
    if (team == NULL)
        return FOREIGN;
    file = shipio_file_new(team, path, opening->amode);
    rc = open_all(team, file, opening);
    if (rc == 0) {
        *file_p = file;
        return 0;
    }
    /* Without memory for a file the team is still joined. */
    if (file == NULL)
        shipio_team_leave(team);
    give_up(file);
    return rc;
}

void shipio_open_undo(struct shipio_file *file)
{
    give_up(file);
}
