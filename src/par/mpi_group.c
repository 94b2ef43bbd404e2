/* par/mpi_group.c - the process group over MPI. */
#include "core/clock.h"
#include "par/internal.h"
#include "par/mpi.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pario_group {
    MPI_Comm comm; /* MPI_COMM_NULL: alone, and MPI was never started */
    int rank, size;
    int node, nodes, node_rank, node_size;
};

static const struct {
    int class, code;
} error_classes[] = {
    {MPI_ERR_NO_SPACE, -ENOSPC},    {MPI_ERR_QUOTA, -EDQUOT},
    {MPI_ERR_ACCESS, -EACCES},      {MPI_ERR_NO_SUCH_FILE, -ENOENT},
    {MPI_ERR_FILE_EXISTS, -EEXIST}, {MPI_ERR_READ_ONLY, -EROFS},
    {MPI_ERR_NO_MEM, -ENOMEM},
};

int pario_mpi_check(int mpi_code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int class = MPI_ERR_UNKNOWN, len = 0, code = PARIO_EMPI;

    if (mpi_code == MPI_SUCCESS)
        return 0;
    text[0] = '\0';
    MPI_Error_string(mpi_code, text, &len);
    MPI_Error_class(mpi_code, &class);
    for (size_t i = 0; i < sizeof(error_classes) / sizeof(error_classes[0]);
         i++)
        if (error_classes[i].class == class)
            code = error_classes[i].code;
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return pario_fail(code, "%s: %s", what, text);
}

/* Sets node, nodes, node_rank and node_size of group from its comm. */
static int find_nodes(struct pario_group *group)
{
    MPI_Comm node_comm = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
    int place[2] = {0, 0}; /* node, nodes: known to the leaders */
    int err;

    err = MPI_Comm_split_type(group->comm, MPI_COMM_TYPE_SHARED, group->rank,
                              MPI_INFO_NULL, &node_comm);
    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "MPI_Comm_split_type");
    MPI_Comm_rank(node_comm, &group->node_rank);
    MPI_Comm_size(node_comm, &group->node_size);
    err = MPI_Comm_split(group->comm, group->node_rank == 0 ? 0 : MPI_UNDEFINED,
                         group->rank, &leaders);
    if (err == MPI_SUCCESS && leaders != MPI_COMM_NULL) {
        MPI_Comm_rank(leaders, &place[0]);
        MPI_Comm_size(leaders, &place[1]);
        MPI_Comm_free(&leaders);
    }
    if (err == MPI_SUCCESS)
        err = MPI_Bcast(place, 2, MPI_INT, 0, node_comm);
    MPI_Comm_free(&node_comm);
    group->node = place[0];
    group->nodes = place[1];
    return pario_mpi_check(err, "MPI_Comm_split");
}

/* Takes over comm. */
static int wrap_comm(MPI_Comm comm, struct pario_group **group_p)
{
    struct pario_group *group = calloc(1, sizeof(*group));
    int code;

    if (group == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a process group");
    group->comm = comm;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &group->rank);
    MPI_Comm_size(comm, &group->size);
    code = find_nodes(group);
    if (code != 0) {
        free(group);
        return code;
    }
    *group_p = group;
    return 0;
}

static int wanted_level = MPI_THREAD_FUNNELED;

void pario_par_want_threads(void)
{
    wanted_level = MPI_THREAD_MULTIPLE;
}

int pario_par_start(int *argc, char ***argv, struct pario_group **world_p)
{
    int provided = 0;
    int code = pario_par_launched() ? pario_par_check_limits() : 0;
    int err, size = 0;
    MPI_Comm comm;

    if (code != 0)
        return code;
    err = MPI_Init_thread(argc, argv, wanted_level, &provided);
    if (err != MPI_SUCCESS)
        return pario_fail(PARIO_EMPI, "MPI_Init_thread failed");
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    code = size == 1 ? pario_par_check_alone() : 0;
    if (code != 0) {
        MPI_Finalize();
        return code;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    err = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "MPI_Comm_dup");
    return wrap_comm(comm, world_p);
}

int pario_par_start_alone(struct pario_group **world_p)
{
    struct pario_group *group = calloc(1, sizeof(*group));

    if (group == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a process group");
    *group = (struct pario_group){
        .comm = MPI_COMM_NULL, .size = 1, .nodes = 1, .node_size = 1};
    *world_p = group;
    return 0;
}

static int is_alone(const struct pario_group *group)
{
    return group->comm == MPI_COMM_NULL;
}

void pario_par_finish(struct pario_group *world)
{
    int alone = is_alone(world);

    pario_group_destroy(world);
    if (!alone)
        MPI_Finalize();
}

const char *pario_par_library(void)
{
    static char name[128];
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int len = 0;

    MPI_Get_library_version(text, &len);
#if defined(MPICH_VERSION)
    snprintf(name, sizeof(name), "MPICH %s", MPICH_VERSION);
#elif defined(OMPI_MAJOR_VERSION)
    snprintf(name, sizeof(name), "Open MPI %d.%d.%d", OMPI_MAJOR_VERSION,
             OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#else
    text[strcspn(text, "\n,")] = '\0';
    snprintf(name, sizeof(name), "%s", text);
#endif
    return name;
}

const char *pario_par_thread_level(void)
{
    int level = -1;

    MPI_Query_thread(&level);
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "single";
    case MPI_THREAD_FUNNELED:
        return "funneled";
    case MPI_THREAD_SERIALIZED:
        return "serialized";
    case MPI_THREAD_MULTIPLE:
        return "multiple";
    default:
        return "unknown";
    }
}

/* MPICH ends a program that asks for the time before MPI_Init. */
static int is_started(void)
{
    int started = 0;

    MPI_Initialized(&started);
    return started;
}

double pario_par_tick_s(void)
{
    return is_started() ? MPI_Wtick()
                        : (double)pario_clock_resolution_ns() * 1e-9;
}

double pario_par_time_s(void)
{
    return is_started() ? MPI_Wtime() : -1;
}

MPI_Comm pario_group_comm(const struct pario_group *group)
{
    return group->comm;
}

int pario_group_rank(const struct pario_group *group)
{
    return group->rank;
}

int pario_group_size(const struct pario_group *group)
{
    return group->size;
}

int pario_group_node(const struct pario_group *group)
{
    return group->node;
}

int pario_group_nodes(const struct pario_group *group)
{
    return group->nodes;
}

int pario_group_node_rank(const struct pario_group *group)
{
    return group->node_rank;
}

int pario_group_node_size(const struct pario_group *group)
{
    return group->node_size;
}

static int split(const struct pario_group *parent, int colour,
                 struct pario_group **group_p)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int err = MPI_Comm_split(parent->comm, colour, parent->rank, &comm);

    *group_p = NULL;
    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "MPI_Comm_split");
    return comm == MPI_COMM_NULL ? 0 : wrap_comm(comm, group_p);
}

int pario_group_first(const struct pario_group *parent, int members,
                      struct pario_group **group_p)
{
    if (members < 1 || members > parent->size)
        return pario_fail(PARIO_EUSAGE,
                          "a partition of %d processes does not fit in a run "
                          "of %d",
                          members, parent->size);
    return split(parent, parent->rank < members ? 0 : MPI_UNDEFINED, group_p);
}

int pario_group_split(const struct pario_group *parent, int colour,
                      struct pario_group **group_p)
{
    return split(parent, colour, group_p);
}

int pario_group_self(struct pario_group **group_p)
{
    MPI_Comm comm;
    int err = MPI_Comm_dup(MPI_COMM_SELF, &comm);

    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "MPI_Comm_dup");
    return wrap_comm(comm, group_p);
}

void pario_group_destroy(struct pario_group *group)
{
    if (group == NULL)
        return;
    if (!is_alone(group))
        MPI_Comm_free(&group->comm);
    free(group);
}

int pario_barrier(const struct pario_group *group)
{
    return is_alone(group)
               ? 0
               : pario_mpi_check(MPI_Barrier(group->comm), "MPI_Barrier");
}

int pario_barrier_idle(const struct pario_group *group)
{
    struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request = MPI_REQUEST_NULL;
    int done = is_alone(group);
    int err = done ? MPI_SUCCESS : MPI_Ibarrier(group->comm, &request);

    while (err == MPI_SUCCESS && !done) {
        err = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
    return pario_mpi_check(err, "MPI_Ibarrier");
}

int pario_bcast(const struct pario_group *group, void *buf, size_t len)
{
    if (is_alone(group))
        return 0;
    if (len > INT_MAX)
        return pario_fail(-EINVAL, "broadcast of %zu bytes", len);
    return pario_mpi_check(MPI_Bcast(buf, (int)len, MPI_BYTE, 0, group->comm),
                           "MPI_Bcast");
}

static int reduce(const struct pario_group *group, enum pario_op op,
                  void *values, size_t count, MPI_Datatype type)
{
    static const MPI_Op ops[] = {
        [PARIO_SUM] = MPI_SUM, [PARIO_MIN] = MPI_MIN, [PARIO_MAX] = MPI_MAX};

    if (is_alone(group))
        return 0;
    if (count > INT_MAX)
        return pario_fail(-EINVAL, "reduction of %zu values", count);
    return pario_mpi_check(MPI_Allreduce(MPI_IN_PLACE, values, (int)count, type,
                                         ops[op], group->comm),
                           "MPI_Allreduce");
}

int pario_reduce_i64(const struct pario_group *group, enum pario_op op,
                     int64_t *values, size_t count)
{
    return reduce(group, op, values, count, MPI_INT64_T);
}

int pario_reduce_f64(const struct pario_group *group, enum pario_op op,
                     double *values, size_t count)
{
    return reduce(group, op, values, count, MPI_DOUBLE);
}

int pario_merge_hist(const struct pario_group *group, struct pario_hist *hist)
{
    int64_t sums[2] = {hist->count, hist->sum};
    int code =
        pario_reduce_i64(group, PARIO_SUM, hist->bucket, PARIO_HIST_BUCKETS);

    if (code == 0)
        code = pario_reduce_i64(group, PARIO_SUM, sums, 2);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_MIN, &hist->min, 1);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_MAX, &hist->max, 1);
    hist->count = sums[0];
    hist->sum = sums[1];
    return code;
}

int pario_gather(const struct pario_group *group, const void *mine, size_t len,
                 void *all)
{
    if (is_alone(group)) {
        memcpy(all, mine, len);
        return 0;
    }
    if (len > INT_MAX)
        return pario_fail(-EINVAL, "gather of %zu bytes", len);
    return pario_mpi_check(MPI_Gather(mine, (int)len, MPI_BYTE, all, (int)len,
                                      MPI_BYTE, 0, group->comm),
                           "MPI_Gather");
}
