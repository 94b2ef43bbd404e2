/* hub.c - a node's memory and its leaders. */
#include "hub.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

#define FIGURES ((int)(sizeof(struct shipio_hub_sum) / sizeof(int64_t)))

/* MPI's kind of function. */
static void sum_up(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct shipio_hub_sum *from = in;
    struct shipio_hub_sum *to = inout;

    (void)type;
    for (int k = 0; k < *len; k++) {
        for (int i = 0; i < SHIPIO_HUB_LEAST; i++)
            if (from[k].least[i] < to[k].least[i])
                to[k].least[i] = from[k].least[i];
        for (int i = 0; i < SHIPIO_HUB_SUMS; i++)
            to[k].sum[i] += from[k].sum[i];
    }
}

bool shipio_hub_reduce(struct shipio_hub *hub, struct shipio_hub_sum *sum)
{
    return hub->nodes == 1 ||
           PMPI_Allreduce(MPI_IN_PLACE, sum, 1, hub->figures, hub->sum,
                          hub->lead) == MPI_SUCCESS;
}

int shipio_hub_agree(struct shipio_hub *hub, int error)
{
    int lowest = shipio_shm_agree(hub->shm, error);

    if (hub->leader && hub->nodes > 1) {
        error = lowest;
        if (PMPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN, hub->lead) !=
            MPI_SUCCESS)
            lowest = -EIO;
    }
    shipio_shm_share(hub->shm, &lowest, sizeof(lowest));
    return lowest;
}

void shipio_hub_await_sent(struct shipio_hub *hub, int leaders,
                           uint64_t progress)
{
    for (int k = 0; k < leaders; k++)
        shipio_gauge_await(hub->shm, &hub->gates->leaders[k].sent, progress);
}

void shipio_hub_await_arrived(struct shipio_hub *hub, int leaders,
                              uint64_t progress)
{
    for (int k = 0; k < leaders; k++)
        shipio_gauge_await(hub->shm, &hub->gates->leaders[k].arrived, progress);
}

void shipio_hub_await_filled(struct shipio_hub *hub, uint64_t progress)
{
    for (int r = 0; r < hub->shm->size; r++)
        shipio_gauge_await(hub->shm, &hub->gates->ranks[r].filled, progress);
}

void shipio_hub_await_taken(struct shipio_hub *hub, uint64_t progress)
{
    for (int r = 0; r < hub->shm->size; r++)
        shipio_gauge_await(hub->shm, &hub->gates->ranks[r].taken, progress);
}

static void free_comms(struct shipio_hub *hub)
{
    if (hub->lead != MPI_COMM_NULL)
        PMPI_Comm_free(&hub->lead);
    if (hub->node != MPI_COMM_NULL)
        PMPI_Comm_free(&hub->node);
}

static void free_figures(struct shipio_hub *hub)
{
    if (hub->sum != MPI_OP_NULL)
        PMPI_Op_free(&hub->sum);
    if (hub->figures != MPI_DATATYPE_NULL)
        PMPI_Type_free(&hub->figures);
}

void shipio_hub_free(struct shipio_hub *hub, bool comms)
{
    if (hub == NULL)
        return;
    if (hub->shm != NULL) {
        shipio_shm_area_free(hub->shm, &hub->gates_area);
        shipio_shm_area_free(hub->shm, &hub->lists);
        shipio_shm_area_free(hub->shm, &hub->area);
        if (hub->shm->head != NULL)
            shipio_shm_close(hub->shm);
    }
    free(hub->shm);
    if (comms)
        free_comms(hub);
    free_figures(hub);
    free(hub);
}

/* Collective over hub->node. */
static int open_memory(struct shipio_hub *hub, bool room)
{
    char name[SHIPIO_SHM_NAME] = "";
    size_t len;
    int rc = -ENOMEM;

    hub->shm = calloc(1, sizeof(*hub->shm));
    if (hub->shm != NULL) {
        shipio_shm_init(hub->shm, hub->node, room);
        rc = 0;
        if (hub->leader)
            rc = shipio_shm_create(hub->shm, name);
    }
    PMPI_Bcast(name, sizeof(name), MPI_CHAR, 0, hub->node);
    if (!hub->leader && hub->shm != NULL)
        rc = name[0] != '\0' ? shipio_shm_attach(hub->shm, name) : -ENOSPC;
    PMPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_MIN, hub->node);
    if (hub->leader)
        shipio_shm_unname(name);
    if (rc != 0 || hub->shm == NULL)
        return rc;
    len = sizeof(*hub->gates) +
          (size_t)hub->shm->size * sizeof(hub->gates->ranks[0]);
    rc = shipio_shm_area(hub->shm, &hub->gates_area,
                         len + (size_t)(hub->nodes * hub->leaders) *
                                   sizeof(*hub->ranks));
    if (rc != 0)
        return rc;
    hub->gates = hub->gates_area.memory;
    hub->ranks = (int *)(void *)&hub->gates->ranks[hub->shm->size];
    return 0;
}

/* Collective over comm. The leaders of all nodes, as ranks of the file's. */
static int find_leaders(struct shipio_hub *hub, int rank)
{
    int *own = NULL;
    int rc = 0;

    if (hub->leader) {
        own = calloc((size_t)hub->shm->size, sizeof(*own));
        rc = own == NULL ? -ENOMEM : 0;
    }
    /* All nodes must come to the exchange, or none. */
    rc = shipio_hub_agree(hub, rc);
    if (rc == 0) {
        if (PMPI_Gather(&rank, 1, MPI_INT, own, 1, MPI_INT, 0, hub->node) !=
            MPI_SUCCESS)
            rc = -EIO;
        if (hub->leader &&
            PMPI_Allgather(own, hub->leaders, MPI_INT, hub->ranks, hub->leaders,
                           MPI_INT, hub->lead) != MPI_SUCCESS)
            rc = -EIO;
        /* The others of the node may look from here on. */
        rc = shipio_hub_agree(hub, rc);
    }
    free(own);
    return rc;
}

/* Collective over comm. Each rank is a node of its own when apart. */
static int connect_node(struct shipio_hub *hub, const struct shipio_file *file,
                        bool apart)
{
    const struct shipio_team *team = file->team;
    int facts[2] = {0, 0};
    int rank = 0;
    int rc = apart ? PMPI_Comm_split(file->comm, team->rank, 0, &hub->node)
                   : shipio_team_split(team, file->comm, &hub->node);

    if (rc != MPI_SUCCESS)
        return -EIO;
    PMPI_Comm_set_errhandler(hub->node, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(hub->node, &rank);
    hub->leader = rank == 0;
    if (PMPI_Comm_split(file->comm, hub->leader ? 0 : MPI_UNDEFINED, team->rank,
                        &hub->lead) != MPI_SUCCESS)
        return -EIO;
    if (hub->leader) {
        PMPI_Comm_set_errhandler(hub->lead, MPI_ERRORS_RETURN);
        PMPI_Comm_rank(hub->lead, &facts[0]);
        PMPI_Comm_size(hub->lead, &facts[1]);
    }
    PMPI_Bcast(facts, 2, MPI_INT, 0, hub->node);
    hub->index = facts[0];
    hub->nodes = facts[1];
    hub->leaders = apart ? 1 : shipio_team_leaders(team);
    return open_memory(hub, team->room);
}

static struct shipio_hub *hub_new(const struct shipio_file *file, bool apart)
{
    struct shipio_hub *hub = calloc(1, sizeof(*hub));
    int rc = -ENOMEM;

    if (hub != NULL) {
        hub->node = MPI_COMM_NULL;
        hub->lead = MPI_COMM_NULL;
        hub->sum = MPI_OP_NULL;
        hub->figures = MPI_DATATYPE_NULL;
        rc = 0;
        if (PMPI_Op_create(sum_up, 1, &hub->sum) != MPI_SUCCESS ||
            PMPI_Type_contiguous(FIGURES, MPI_INT64_T, &hub->figures) !=
                MPI_SUCCESS ||
            PMPI_Type_commit(&hub->figures) != MPI_SUCCESS)
            rc = -EIO;
    }
    /* A rank without memory takes the others with it. */
    if (PMPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_MIN, file->comm) ==
            MPI_SUCCESS &&
        rc == 0 && hub != NULL) {
        rc = connect_node(hub, file, apart);
        PMPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_MIN, file->comm);
        if (rc == 0)
            rc = find_leaders(hub, file->team->rank);
        if (rc == 0)
            return hub;
    }
    shipio_hub_free(hub, true);
    return NULL;
}

struct shipio_hub *shipio_hub_of(struct shipio_file *file)
{
    struct shipio_team *team = file->team;
    struct shipio_hub *hub =
        shipio_file_owns_comm(file) ? file->ship.hub : team->hub;

    if (hub != NULL)
        return hub;
    hub = hub_new(file, team->apart);
    /* A node without shared memory: every rank for itself. */
    if (hub == NULL && !team->apart)
        hub = hub_new(file, true);
    if (shipio_file_owns_comm(file))
        file->ship.hub = hub;
    else
        team->hub = hub;
    return hub;
}
