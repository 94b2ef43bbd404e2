/* team.c - processes, their nodes and the memory they share, kept with the
 * program's communicator. */
#include "team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "hub.h"

/* Stripe buffers that are kept for the next file, so that opening one after the
 * other does not pay for new memory each time. A node's shared memory may be
 * small, and the program's. */
#define KEPT_MAX ((size_t)16 * 1024 * 1024)

/* Guards the keys and the list of all teams. */
static pthread_mutex_t teams_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shipio_team *teams;
static int team_key = MPI_KEYVAL_INVALID;
static bool ended; /* MPI is about to: attributes mean nothing any more */

static bool messages_wanted(void)
{
    const char *text = getenv("SHIPIO_MESSAGES");

    return text != NULL && strcmp(text, "1") == 0;
}

/* As if the ranks were on so many nodes, one after the other; 0: as it is. */
static int nodes_wanted(int size)
{
    const char *text = getenv("SHIPIO_NODES");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;

    return n > 1 && n <= size ? (int)n : 0;
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

static void list_add(struct shipio_team *team)
{
    pthread_mutex_lock(&teams_lock);
    team->next = teams;
    teams = team;
    pthread_mutex_unlock(&teams_lock);
}

static void list_remove(const struct shipio_team *team)
{
    struct shipio_team **link = &teams;

    pthread_mutex_lock(&teams_lock);
    while (*link != NULL && *link != team)
        link = &(*link)->next;
    if (*link != NULL)
        *link = team->next;
    pthread_mutex_unlock(&teams_lock);
}

static void shm_free(struct shipio_shm *shm)
{
    if (shm != NULL)
        shipio_shm_close(shm);
    free(shm);
}

static void team_free(struct shipio_team *team)
{
    for (int i = 0; i < team->nleases; i++)
        shm_free(team->leases[i]);
    shm_free(team->gate);
    shipio_hub_free(team->hub, false);
    free(team->leases);
    free(team->turns);
    free(team);
}

void shipio_team_leave(struct shipio_team *team)
{
    if (team == NULL || atomic_fetch_sub(&team->owners, 1) != 1)
        return;
    list_remove(team);
    shipio_hub_free(team->hub, true);
    team->hub = NULL;
    if (team->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&team->comm);
    team_free(team);
}

static int on_comm_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    if (!ended)
        shipio_team_leave(value);
    return MPI_SUCCESS;
}

/* MPI_Finalize begins. Threads that call MPI must not do so after it; memory
 * is freed unless a file was left open. Communicators go with MPI. */
static int on_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    shipio_file_end_all();
    ended = true;
    while (teams != NULL) {
        struct shipio_team *team = teams;

        teams = team->next;
        if (atomic_load(&team->owners) == 1)
            team_free(team);
    }
    return MPI_SUCCESS;
}

/* The key of teams, and what happens at the end, when first needed. */
static int key_of_teams(void)
{
    int end_key = MPI_KEYVAL_INVALID;

    pthread_mutex_lock(&teams_lock);
    if (team_key == MPI_KEYVAL_INVALID) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_free, &team_key,
                                NULL);
        if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &end_key,
                                    NULL) == MPI_SUCCESS)
            PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
    }
    pthread_mutex_unlock(&teams_lock);
    return team_key;
}

/* A communicator of the same processes. Not a duplicate: that would call the
 * program's functions for its attributes. */
static MPI_Comm comm_like(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;

    /* Failure is no reason to end the program. */
    PMPI_Comm_get_errhandler(comm, &handler);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PMPI_Comm_group(comm, &group);
    if (PMPI_Comm_create(comm, group, &made) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    PMPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN)
        PMPI_Errhandler_free(&handler);
    if (made != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static struct shipio_team *team_new(MPI_Comm comm)
{
    struct shipio_team *team = calloc(1, sizeof(*team));

    if (team == NULL)
        return NULL;
    team->comm = MPI_COMM_NULL;
    atomic_store(&team->owners, 1);
    PMPI_Comm_rank(comm, &team->rank);
    PMPI_Comm_size(comm, &team->size);
    team->turns = calloc((size_t)team->size, 2 * sizeof(*team->turns));
    if (team->turns == NULL) {
        free(team);
        return NULL;
    }
    team->limits = team->turns + team->size;
    return team;
}

/* Turns the first rank of each rank's node, in turns, into the number of ranks
 * of the node that are before it; counts is zeroed scratch. */
static void number_in_nodes(int *turns, int *counts, int size)
{
    for (int r = 0; r < size; r++)
        turns[r] = counts[turns[r]]++;
}

int shipio_team_leaders(const struct shipio_team *team)
{
    int count[SHIPIO_LEADERS_MAX] = {0};
    int leaders = 1;

    if (team->apart)
        return 1;
    for (int r = 0; r < team->size; r++)
        if (team->turns[r] < SHIPIO_LEADERS_MAX)
            count[team->turns[r]]++;
    while (leaders < SHIPIO_LEADERS_MAX && count[leaders] == team->nodes)
        leaders++;
    return leaders;
}

int shipio_team_split(const struct shipio_team *team, MPI_Comm comm,
                      MPI_Comm *node_p)
{
    if (team->pretended > 0)
        return PMPI_Comm_split(
            comm, (int)((int64_t)team->rank * team->pretended / team->size),
            team->rank, node_p);
    return PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, team->rank,
                                MPI_INFO_NULL, node_p);
}

/* Collective. The node of this rank, and for each rank its place in its own.
 * A node that holds everybody needs no further talk. */
static bool find_nodes(struct shipio_team *team, MPI_Comm *node_p)
{
    int *leaders = team->turns;
    int leader = team->rank;
    int node_size = 0;

    if (shipio_team_split(team, team->comm, node_p) != MPI_SUCCESS)
        return false;
    PMPI_Comm_set_errhandler(*node_p, MPI_ERRORS_RETURN);
    PMPI_Comm_size(*node_p, &node_size);
    team->nodes = 1;
    if (node_size < team->size) {
        PMPI_Bcast(&leader, 1, MPI_INT, 0, *node_p);
        PMPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, team->comm);
        team->nodes = 0;
        for (int r = 0; r < team->size; r++)
            team->nodes += leaders[r] == r;
    }
    number_in_nodes(leaders, team->limits, team->size);
    return true;
}

/* Collective over node. Ranks that are bound to a processor each have room,
 * ranks that are all bound to the same one have not. */
static bool has_room(MPI_Comm node)
{
    cpu_set_t mine;
    cpu_set_t all;
    int size = 0;

    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
        CPU_ZERO(&mine);
    PMPI_Comm_size(node, &size);
    return PMPI_Allreduce(&mine, &all, (int)sizeof(mine), MPI_BYTE, MPI_BOR,
                          node) == MPI_SUCCESS &&
           size <= CPU_COUNT(&all);
}

static struct shipio_shm *shm_new(const struct shipio_team *team)
{
    struct shipio_shm *shm = calloc(1, sizeof(*shm));

    if (shm != NULL)
        shipio_shm_init(shm, team->comm, team->room);
    return shm;
}

/* Collective. Without shared memory the ranks of a node use messages, too. */
static void open_gate(struct shipio_team *team)
{
    char name[SHIPIO_SHM_NAME] = "";
    struct shipio_shm *gate = shm_new(team);
    int rc = gate == NULL ? -ENOMEM : 0;

    if (team->rank == 0 && gate != NULL)
        rc = shipio_shm_create(gate, name);
    if (team->size > 1) {
        PMPI_Bcast(name, sizeof(name), MPI_CHAR, 0, team->comm);
        if (team->rank != 0 && gate != NULL)
            rc = name[0] != '\0' ? shipio_shm_attach(gate, name) : -ENOSPC;
    }
    if (all_ready(team->comm, rc == 0))
        team->gate = gate;
    else
        shm_free(gate);
    if (team->rank == 0)
        shipio_shm_unname(name);
}

/* Collective over team->comm. */
static bool connect_all(struct shipio_team *team)
{
    MPI_Comm node = MPI_COMM_NULL;
    int facts[3] = {0, MPI_THREAD_SINGLE, 0};
    bool good;

    /* Variables may differ between ranks: rank 0's count. */
    if (team->rank == 0) {
        facts[0] = messages_wanted();
        facts[2] = nodes_wanted(team->size);
    }
    PMPI_Query_thread(&facts[1]);
    PMPI_Allreduce(MPI_IN_PLACE, facts, 3, MPI_INT, MPI_MAX, team->comm);
    team->apart = facts[0] != 0;
    team->multiple = facts[1] == MPI_THREAD_MULTIPLE;
    team->pretended = facts[2];
    good = all_ready(team->comm, find_nodes(team, &node));
    if (good) {
        team->room = has_room(node);
        if (team->nodes == 1 && !team->apart)
            open_gate(team);
    }
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    return good;
}

static struct shipio_team *team_make(MPI_Comm comm)
{
    struct shipio_team *team = team_new(comm);
    MPI_Comm made = comm_like(comm);
    /* A rank without memory takes the others with it. */
    bool good = all_ready(comm, team != NULL && made != MPI_COMM_NULL);

    if (team == NULL) {
        if (made != MPI_COMM_NULL)
            PMPI_Comm_free(&made);
        return NULL;
    }
    team->comm = made;
    list_add(team);
    if (good && connect_all(team))
        return team;
    shipio_team_leave(team);
    return NULL;
}

struct shipio_team *shipio_team_join(MPI_Comm comm)
{
    struct shipio_team *team = NULL;
    int found = 0;
    int key = key_of_teams();

    if (key != MPI_KEYVAL_INVALID)
        PMPI_Comm_get_attr(comm, key, (void *)&team, &found);
    if (!found) {
        team = team_make(comm);
        /* Without the attribute it is this file's alone. */
        if (team == NULL || key == MPI_KEYVAL_INVALID ||
            PMPI_Comm_set_attr(comm, key, team) != MPI_SUCCESS)
            return team;
    }
    atomic_fetch_add(&team->owners, 1);
    return team;
}

void shipio_team_barrier(struct shipio_team *team)
{
    if (team->gate != NULL)
        shipio_shm_barrier(team->gate);
    else
        PMPI_Barrier(team->comm);
}

void shipio_team_share(struct shipio_team *team, void *data, size_t len)
{
    if (team->gate != NULL)
        shipio_shm_share(team->gate, data, len);
    else
        PMPI_Bcast(data, (int)len, MPI_BYTE, 0, team->comm);
}

bool shipio_team_vote(struct shipio_team *team, int *values, int n)
{
    if (team->gate != NULL) {
        shipio_shm_vote(team->gate, values, n);
        return true;
    }
    return PMPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT, MPI_MIN,
                          team->comm) == MPI_SUCCESS;
}

void shipio_team_offer(struct shipio_team *team, struct shipio_lease *lease)
{
    struct shipio_shm *shm;

    memset(lease, 0, sizeof(*lease));
    lease->index = -1;
    if (team->gate == NULL)
        return;
    for (int i = 0; i < team->nleases && lease->index < 0; i++)
        if (team->leases[i] != NULL &&
            atomic_load(&team->leases[i]->head->users) == 0)
            lease->index = i;
    if (lease->index >= 0) {
        shipio_shm_reset_common(team->leases[lease->index]);
        return;
    }
    shm = shm_new(team);
    if (shm == NULL || shipio_shm_create(shm, lease->name) != 0) {
        shm_free(shm);
        return;
    }
    shipio_shm_reset_common(shm);
    lease->index = team->nleases;
    /* Until it is accepted. */
    team->offered = shm;
}

/* A rank that had no memory for an earlier one has a gap in its list. */
static int keep(struct shipio_team *team, int index, struct shipio_shm *shm)
{
    struct shipio_shm **more = realloc(
        team->leases, ((size_t)index + 1) * sizeof(struct shipio_shm *));

    if (more == NULL)
        return -ENOMEM;
    team->leases = more;
    while (team->nleases <= index)
        more[team->nleases++] = NULL;
    more[index] = shm;
    return 0;
}

/* The memory of a lease that is new: this rank's view of it. */
static int find_new(struct shipio_team *team, const struct shipio_lease *lease)
{
    struct shipio_shm *shm = team->offered;
    int rc = 0;

    team->offered = NULL;
    if (shm == NULL) {
        shm = shm_new(team);
        rc = shm != NULL ? shipio_shm_attach(shm, lease->name) : -ENOMEM;
    }
    if (rc == 0)
        rc = keep(team, lease->index, shm);
    if (rc != 0)
        shm_free(shm);
    return rc;
}

int shipio_team_accept(struct shipio_team *team,
                       const struct shipio_lease *lease,
                       struct shipio_shm **shm_p)
{
    int rc = 0;

    *shm_p = NULL;
    if (lease->index < 0)
        return 0;
    if (lease->name[0] != '\0' || team->offered != NULL)
        rc = find_new(team, lease);
    if (rc != 0)
        return rc;
    *shm_p = team->leases[lease->index];
    shipio_shm_reset(*shm_p);
    return 0;
}

void shipio_team_accepted(const struct shipio_lease *lease)
{
    shipio_shm_unname(lease->name);
}

void shipio_team_discard(struct shipio_team *team,
                         const struct shipio_lease *lease)
{
    if (lease->index < 0 || lease->index >= team->nleases)
        return;
    shm_free(team->leases[lease->index]);
    team->leases[lease->index] = NULL;
}

void shipio_team_give_back(const struct shipio_team *team,
                           struct shipio_shm *shm)
{
    if (shm == NULL)
        return;
    shipio_shm_trim(shm, shm == team->leases[0] ? KEPT_MAX : 0);
    atomic_fetch_sub(&shm->head->users, 1);
}
