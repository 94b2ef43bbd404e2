/* team.c - finds the nodes of the processes and the memory of this one. */
#include "team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool messages_wanted(void)
{
    const char *text = getenv("SHIPIO_MESSAGES");

    return text != NULL && strcmp(text, "1") == 0;
}

/* Turns the first rank of each rank's node, in turns, into the number of ranks
 * of the node that are before it; counts is zeroed scratch. */
static void number_in_nodes(int *turns, int *counts, int size)
{
    for (int r = 0; r < size; r++)
        turns[r] = counts[turns[r]]++;
}

/* Collective. The node of this rank, and for each rank its place in its own.
 * A node that holds everybody needs no further talk. */
static int find_nodes(struct shipio_team *team, MPI_Comm *node_p)
{
    int *leaders = team->turns;
    int leader = team->rank;
    int node_size = 0;

    if (PMPI_Comm_split_type(team->comm, MPI_COMM_TYPE_SHARED, team->rank,
                             MPI_INFO_NULL, node_p) != MPI_SUCCESS)
        return -EIO;
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
    number_in_nodes(leaders, leaders + team->size, team->size);
    return 0;
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

static void team_free(struct shipio_team *team)
{
    if (team == NULL)
        return;
    if (!team->messages)
        shipio_shm_close(&team->shm);
    if (team->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&team->comm);
    free(team->turns);
    free(team);
}

static struct shipio_team *team_new(MPI_Comm comm)
{
    struct shipio_team *team = calloc(1, sizeof(*team));

    if (team == NULL)
        return NULL;
    team->comm = MPI_COMM_NULL;
    team->messages = true;
    PMPI_Comm_rank(comm, &team->rank);
    PMPI_Comm_size(comm, &team->size);
    team->turns = calloc((size_t)team->size, 2 * sizeof(*team->turns));
    if (team->turns == NULL) {
        team_free(team);
        return NULL;
    }
    return team;
}

/* Collective over team->comm. */
static bool connect(struct shipio_team *team)
{
    MPI_Comm node = MPI_COMM_NULL;
    int messages = messages_wanted();
    bool good = all_ready(team->comm, find_nodes(team, &node) == 0);

    /* Without shared memory the ranks of a node use messages, too. Variables
     * may differ between ranks: rank 0's count. */
    PMPI_Bcast(&messages, 1, MPI_INT, 0, team->comm);
    if (good && team->nodes == 1 && !messages)
        team->messages = shipio_shm_open(&team->shm, node) != 0;
    team->shm.comm = team->comm;
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    return good;
}

struct shipio_team *shipio_team_join(MPI_Comm comm, bool ready)
{
    struct shipio_team *team = team_new(comm);
    MPI_Comm copy = MPI_COMM_NULL;
    bool good =
        PMPI_Comm_dup(comm, &copy) == MPI_SUCCESS && ready && team != NULL;

    if (copy != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    /* A rank without memory takes the others with it. */
    good = all_ready(comm, good);
    if (team == NULL) {
        if (copy != MPI_COMM_NULL)
            PMPI_Comm_free(&copy);
        return NULL;
    }
    team->comm = copy;
    if (good && connect(team))
        return team;
    team_free(team);
    return NULL;
}

void shipio_team_leave(struct shipio_team *team)
{
    team_free(team);
}
