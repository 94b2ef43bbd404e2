/* suites/replay/mpi_groups.c - communicators of a trace, made again: this
 * suite is defined in MPI calls. */
#include "suites/replay/mpi.h"

#include <errno.h>
#include <stdlib.h>

#if PARIO_HAVE_MPIIO

static int check(int rc, const char *call)
{
    return pario_mpi_check(rc, call);
}

/* "0-3,8,10-14:2" as ranks. */
static int parse_ranks(const char *text, int size, int *ranks, int *count_p)
{
    int count = 0;

    while (*text != '\0') {
        char *end;
        long first = strtol(text, &end, 10), last = first, step = 1;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (*end == ':')
            step = strtol(end + 1, &end, 10);
        if (first < 0 || last >= size || last < first || step < 1 ||
            (*end != '\0' && *end != ','))
            return pario_fail(PARIO_EFORMAT, "no group of processes: %s", text);
        for (long rank = first; rank <= last; rank += step) {
            if (count == size)
                return pario_fail(PARIO_EFORMAT, "no group of processes");
            ranks[count++] = (int)rank;
        }
        text = *end == ',' ? end + 1 : end;
    }
    *count_p = count;
    return 0;
}

/* Only members come here, each rank once. */
static int check_ranks(const int *ranks, int count, int size, int rank)
{
    char *seen = calloc((size_t)size + 1, 1);
    int code = 0;

    if (seen == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a group");
    for (int i = 0; i < count; i++) {
        if (seen[ranks[i]]++ != 0)
            code = pario_fail(PARIO_EFORMAT, "rank %d is twice in a group",
                              ranks[i]);
    }
    if (code == 0 && !seen[rank])
        code = pario_fail(PARIO_EFORMAT,
                          "rank %d makes a call of a group that it is not in",
                          rank);
    free(seen);
    return code;
}

static int is_world(const int *ranks, int count, int size)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] != i)
            return 0;
    return count == size;
}

static int create_group(MPI_Comm world, const int *ranks, int count, int tag,
                        MPI_Comm *comm_p)
{
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int code = check(MPI_Comm_group(world, &all), "MPI_Comm_group");

    if (code != 0)
        return code;
    code = check(MPI_Group_incl(all, count, ranks, &group), "MPI_Group_incl");
    if (code == 0)
        code = check(MPI_Comm_create_group(world, group, tag, comm_p),
                     "MPI_Comm_create_group");
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    MPI_Group_free(&all);
    return code;
}

static int make_comm(const struct replay *replay, const char *text,
                     struct replay_comm *entry)
{
    int size = 0, rank = 0, count = 0, code;
    unsigned tag = 0;
    int *ranks;

    MPI_Comm_size(replay->comm, &size);
    MPI_Comm_rank(replay->comm, &rank);
    ranks = calloc((size_t)size + 1, sizeof(*ranks));
    code = ranks != NULL ? parse_ranks(text, size, ranks, &count)
                         : pario_fail_errno(-ENOMEM, "cannot make a group");
    if (code == 0)
        code = check_ranks(ranks, count, size, rank);
    for (const char *c = text; *c != '\0'; c++)
        tag = tag * 31 + (unsigned char)*c;
    if (code == 0 && is_world(ranks, count, size)) {
        entry->comm = replay->comm;
    } else if (code == 0 && count == 1) {
        entry->comm = MPI_COMM_SELF;
    } else if (code == 0) {
        code = create_group(replay->comm, ranks, count, (int)(tag % 16384),
                            &entry->comm);
        entry->made = code == 0;
    }
    free(ranks);
    return code;
}

/* The lock is not held while a communicator is made: that is collective, and
 * another thread may be needed for it to go on. */
int replay_comm_find(struct replay *replay, int64_t number, MPI_Comm *comm_p)
{
    struct replay_comm *entry;
    int code;

    if (number < 0 || (size_t)number >= replay->nstrings)
        return pario_fail(PARIO_EFORMAT, "a group is missing in the trace");
    pthread_mutex_lock(&replay->lock);
    entry = replay->comms[number];
    pthread_mutex_unlock(&replay->lock);
    if (entry != NULL) {
        *comm_p = entry->comm;
        return 0;
    }
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a group");
    code = make_comm(replay,
                     pario_trace_string(replay->trace, replay->process, number),
                     entry);
    if (code != 0) {
        free(entry);
        return code;
    }
    *comm_p = entry->comm;
    pthread_mutex_lock(&replay->lock);
    entry->next = replay->comms[number]; /* another thread was faster */
    replay->comms[number] = entry;
    pthread_mutex_unlock(&replay->lock);
    return 0;
}

int replay_group_rank(struct replay *replay, int64_t group, int *rank_p)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = replay_comm_find(replay, group, &comm);

    return code != 0 ? code
                     : check(MPI_Comm_rank(comm, rank_p), "MPI_Comm_rank");
}

int replay_group_meet(struct replay *replay, int64_t group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = replay_comm_find(replay, group, &comm);

    return code != 0 ? code : check(MPI_Barrier(comm), "MPI_Barrier");
}

/* pario's own calls must not meet those of the trace, nor those of two copies
 * each other. */
int replay_mpi_start(struct replay *replay, const struct replay_stream *streams,
                     const struct pario_group *world)
{
    int code, level = MPI_THREAD_SINGLE, callers = 0, found = 0;
    int *tag_ub = NULL;

    code = check(MPI_Comm_split(pario_group_comm(world), replay->copy,
                                (int)replay->process, &replay->comm),
                 "MPI_Comm_split");
    replay->has_comm = code == 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&tag_ub, &found);
    replay->tag_ub = found ? *tag_ub : 0;
    for (size_t s = 0; s < replay->nstreams; s++)
        callers += streams[s].mpi != 0;
    MPI_Query_thread(&level);
    if (code == 0 && callers > 1 && level < MPI_THREAD_MULTIPLE)
        code = pario_fail(PARIO_EUNAVAIL,
                          "%d threads of a process of the trace call MPI, and "
                          "this MPI library has no MPI_THREAD_MULTIPLE",
                          callers);
    return code;
}

void replay_comms_fini(struct replay *replay)
{
    for (size_t i = 0; replay->comms != NULL && i < replay->nstrings; i++)
        for (struct replay_comm *entry = replay->comms[i]; entry != NULL;) {
            struct replay_comm *next = entry->next;

            if (entry->made)
                MPI_Comm_free(&entry->comm);
            free(entry);
            entry = next;
        }
    free(replay->comms);
    replay->comms = NULL;
    if (replay->has_comm)
        MPI_Comm_free(&replay->comm);
    replay->has_comm = 0;
}
#endif
