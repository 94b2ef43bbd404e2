/* par/mpi_agree.c - the agreement point, and memory the node shares. */
#include "par/internal.h"
#include "par/mpi.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_LEN 1024

/* What the failing rank tells the others. */
struct verdict {
    int code;
    char message[MESSAGE_LEN];
};

int pario_agree(const struct pario_group *group, int code)
{
    MPI_Comm comm = pario_group_comm(group);
    int rank = pario_group_rank(group);
    int failed = code != 0 ? rank : INT_MAX, first = INT_MAX;
    struct verdict verdict = {.code = code};
    int err;

    if (comm == MPI_COMM_NULL) /* alone */
        return code;
    if (code != 0)
        pario_watchdog_waiting(1);
    err = MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (err == MPI_SUCCESS && first != INT_MAX) {
        /* A message that was agreed on before names its rank already. */
        if (pario_group_size(group) > 1 &&
            strncmp(pario_error_message(), "rank ", 5) != 0)
            snprintf(verdict.message, sizeof(verdict.message), "rank %d: %.*s",
                     rank, MESSAGE_LEN - 32, pario_error_message());
        else
            snprintf(verdict.message, sizeof(verdict.message), "%s",
                     pario_error_message());
        err = MPI_Bcast(&verdict, (int)sizeof(verdict), MPI_BYTE, first, comm);
    }
    pario_watchdog_waiting(0);
    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "agreement between the processes");
    if (first == INT_MAX)
        return 0;
    pario_error_replace(verdict.message);
    return verdict.code;
}

/* The window stays open until MPI_Finalize: it must outlive every watchdog. */
static MPI_Win slots_window = MPI_WIN_NULL;
static MPI_Comm slots_comm = MPI_COMM_NULL;

static int allocate_shared(const struct pario_group *world, size_t len,
                           char **base_p)
{
    void *mine = NULL, *first = NULL;
    MPI_Aint size = 0;
    int unit = 0;
    int err = MPI_Comm_split_type(pario_group_comm(world), MPI_COMM_TYPE_SHARED,
                                  pario_group_rank(world), MPI_INFO_NULL,
                                  &slots_comm);

    if (err == MPI_SUCCESS)
        err = MPI_Win_allocate_shared((MPI_Aint)len, 1, MPI_INFO_NULL,
                                      slots_comm, &mine, &slots_window);
    if (err == MPI_SUCCESS)
        err = MPI_Win_shared_query(slots_window, 0, &size, &unit, &first);
    if (err != MPI_SUCCESS)
        return err;
    memset(mine, 0, len);
    *base_p = first;
    return MPI_Barrier(slots_comm);
}

int pario_node_slots_create(const struct pario_group *world, size_t len,
                            struct pario_node_slots *slots_p)
{
    struct pario_node_slots slots = {.len = len};

    if (pario_group_comm(world) != MPI_COMM_NULL &&
        allocate_shared(world, len, &slots.base) == MPI_SUCCESS) {
        slots.visible = pario_group_node_size(world);
        slots.mine = pario_group_node_rank(world);
    } else {
        slots.base = calloc(1, len);
        slots.visible = 1;
    }
    if (slots.base == NULL)
        return pario_fail_errno(-ENOMEM, "cannot allocate %zu bytes", len);
    *slots_p = slots;
    return 0;
}

void pario_node_slots_destroy(struct pario_node_slots *slots)
{
    if (slots_window == MPI_WIN_NULL)
        free(slots->base);
    else
        MPI_Win_free(&slots_window);
    if (slots_comm != MPI_COMM_NULL)
        MPI_Comm_free(&slots_comm);
    slots->base = NULL;
}
