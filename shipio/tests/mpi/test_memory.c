/* test_memory.c - what a rank allocates when a communicator's first file is
 * opened, when the next one is, and in collective calls: of 8, 16, ... ranks of
 * this job, which are on more nodes, or more of them on each of two nodes
 * (SHIPIO_NODES is set here); and what a node reserves in shared memory. Linked
 * with --wrap=malloc,calloc,realloc,aligned_alloc,posix_fallocate.
 *
 * Nothing in a call may grow with the ranks, but for what a leader knows of the
 * ranks and of the nodes. SHIPIO_MEMORY_SHOW=1 prints what was found.
 */
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>

#define PIECE 64
#define PIECES 512
#define LEN (PIECE * PIECES)
#define LEAST 8 /* ranks, on two nodes: two leaders and two others on each */
#define LEADERS 2
/* Bytes of a rank that grow: docs/scaling.md has them. */
#define PER_RANK_OF_FILE 4
#define PER_RANK_OF_COMMUNICATOR 8
/* Of rank 0, who keeps the shared pointer: for a file, and once more for the
 * communicator, to see whether others reach it. */
#define PER_RANK_OF_FIRST 16
/* Of a call with new lists: where each node's are. */
#define PER_NODE 20
/* Requests of a second leader: two directions, two rounds of each. */
#define PER_NODE_OF_SECOND (4 * (int)sizeof(MPI_Request))
/* Requests of a first leader, and bits of the bytes that come in a round. */
#define PER_NODE_OF_LEADER 640
#define PER_RANK_OF_LEADER (LEN / 8)
/* Shared memory of a node: two of each of its boxes, of those of its agent and
 * of the stripes, a quarter of the call in each; and lists, gates, rounding. */
#define STRIPE 4096
#define STRIPE_TEXT "4096"
#define BOXES 6
#define ROUNDS 4
#define SHARED_BESIDE 32768LL
#define SHARED_PER_RANK 1024

static _Atomic long long counted;
static _Atomic long long reserved; /* in shared memory */

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__real_realloc(void *old, size_t len);
void *__wrap_realloc(void *old, size_t len);
void *__real_aligned_alloc(size_t alignment, size_t len);
void *__wrap_aligned_alloc(size_t alignment, size_t len);
int __real_posix_fallocate(int fd, off_t offset, off_t len);
int __wrap_posix_fallocate(int fd, off_t offset, off_t len);

void *__wrap_malloc(size_t len)
{
    counted += (long long)len;
    return __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
    counted += (long long)(n * len);
    return __real_calloc(n, len);
}

void *__wrap_realloc(void *old, size_t len)
{
    counted += (long long)len;
    return __real_realloc(old, len);
}

void *__wrap_aligned_alloc(size_t alignment, size_t len)
{
    counted += (long long)len;
    return __real_aligned_alloc(alignment, len);
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t len)
{
    reserved += len;
    return __real_posix_fallocate(fd, offset, len);
}
/* NOLINTEND(bugprone-reserved-identifier) */

enum step {
    OPEN_FIRST, /* of the communicator */
    OPEN_NEXT,
    WRITE_FIRST, /* with this view */
    WRITE_AGAIN,
    WRITE_LESS, /* another count: new lists of pieces */
    READ_FIRST,
    READ_AGAIN,
    IREAD,
    ORDERED,
    NSTEPS
};

static const char *const names[NSTEPS] = {
    [OPEN_FIRST] = "open, first", [OPEN_NEXT] = "open, next",
    [WRITE_FIRST] = "write",      [WRITE_AGAIN] = "write again",
    [WRITE_LESS] = "write less",  [READ_FIRST] = "read",
    [READ_AGAIN] = "read again",  [IREAD] = "iread_at_all",
    [ORDERED] = "write_ordered",
};

/* Bytes: the most of rank 0, of the first leaders of other nodes, of the second
 * leaders, of other ranks. */
enum { FIRST, LEADER, SECOND, OTHER, NKINDS };
struct found {
    int ranks;
    int nodes;
    long long bytes[NKINDS][NSTEPS];
    long long shared; /* the most that one node reserved in a first call */
};

static MPI_File open_shipped(MPI_Comm comm, const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    MPI_Info_set(info, "IBM_io_buffer_size", STRIPE_TEXT);
    MPI_Info_set(info, "shipio_leaders", "2");
    CHECK_OK(MPI_File_open(
        comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
        info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Ranks take turns, piece by piece. */
static void set_turns(MPI_File fh, int rank, int size)
{
    MPI_Datatype one;
    MPI_Datatype tile;

    MPI_Type_contiguous(PIECE, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, check_times(PIECE, size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(PIECE, rank), MPI_BYTE, tile,
                               "native", MPI_INFO_NULL));
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
}

/* A call, and what it allocates. */
static long long one_call(MPI_File fh, enum step step, unsigned char *data)
{
    int len = step == WRITE_LESS ? LEN / 2 : LEN;
    long long before = counted;
    MPI_Request request;

    switch (step) {
    case WRITE_FIRST:
    case WRITE_AGAIN:
    case WRITE_LESS:
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, len, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
        break;
    case ORDERED:
        CHECK_OK(
            MPI_File_write_ordered(fh, data, len, MPI_BYTE, MPI_STATUS_IGNORE));
        break;
    case IREAD:
        CHECK_OK(MPI_File_iread_at_all(fh, 0, data, len, MPI_BYTE, &request));
        /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): in CHECK_OK */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    default:
        CHECK_OK(MPI_File_read_at_all(fh, 0, data, len, MPI_BYTE,
                                      MPI_STATUS_IGNORE));
        break;
    }
    return counted - before;
}

/* Returns what the first one has reserved in shared memory. */
static long long calls(MPI_File fh, int rank, long long *bytes)
{
    static unsigned char data[LEN];
    long long before = reserved;
    long long shared = 0;
    long long wrong = 0;

    for (int step = WRITE_FIRST; step < NSTEPS; step++) {
        bool reads = step == READ_FIRST || step == READ_AGAIN || step == IREAD;

        if (step == ORDERED) /* with one view, as MPI wants it */
            CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native",
                                       MPI_INFO_NULL));
        for (int i = 0; i < LEN; i++)
            data[i] = reads ? 0 : check_byte(i, rank);
        bytes[step] = one_call(fh, step, data);
        if (step == WRITE_FIRST)
            shared = reserved - before;
        for (int i = 0; i < LEN; i++)
            wrong += data[i] != check_byte(i, rank);
    }
    CHECK_EQ(wrong, 0);
    return shared;
}

/* Returns what the first call has reserved in shared memory. */
static long long measure(MPI_Comm comm, const char *path, long long *bytes)
{
    long long shared;
    char second[600];
    MPI_File fh;
    MPI_File next;
    int rank;
    int size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    snprintf(second, sizeof(second), "%s.2", path);
    bytes[OPEN_FIRST] = -counted;
    fh = open_shipped(comm, path);
    bytes[OPEN_FIRST] += counted;
    bytes[OPEN_NEXT] = -counted;
    next = open_shipped(comm, second);
    bytes[OPEN_NEXT] += counted;
    set_turns(fh, rank, size);
    shared = calls(fh, rank, bytes);
    CHECK_OK(MPI_File_close(&next));
    CHECK_OK(MPI_File_close(&fh));
    return shared;
}

static int kind_of(int rank_on_node)
{
    if (check_rank == 0)
        return FIRST;
    if (rank_on_node == 0)
        return LEADER;
    return rank_on_node < LEADERS ? SECOND : OTHER;
}

/* Collective over all: what the first ranks of the job, on nodes, allocate. */
static struct found found_of(const char *path, int ranks, int nodes)
{
    long long mine[NKINDS][NSTEPS] = {{0}};
    struct found found = {.ranks = ranks, .nodes = nodes};
    int kind = kind_of(check_rank % (ranks / nodes));
    long long shared = 0;
    char text[16];
    MPI_Comm comm;

    snprintf(text, sizeof(text), "%d", nodes);
    setenv("SHIPIO_NODES", text, 1);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank < ranks ? 0 : MPI_UNDEFINED,
                   check_rank, &comm);
    if (comm != MPI_COMM_NULL) {
        shared = measure(comm, path, mine[kind]);
        MPI_Comm_free(&comm);
    }
    MPI_Allreduce(&mine[0][0], &found.bytes[0][0], NKINDS * NSTEPS,
                  MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&shared, &found.shared, 1, MPI_LONG_LONG, MPI_MAX,
                  MPI_COMM_WORLD);
    if (check_rank == 0 && getenv("SHIPIO_MEMORY_SHOW") != NULL)
        printf("%d ranks on %d nodes: %lld bytes shared\n", ranks, nodes,
               found.shared);
    for (int i = 0;
         i < NSTEPS && check_rank == 0 && getenv("SHIPIO_MEMORY_SHOW") != NULL;
         i++)
        printf("%d ranks on %d nodes: %-13s rank 0 %lld, leaders %lld, second "
               "leaders %lld, others %lld\n",
               ranks, nodes, names[i], found.bytes[FIRST][i],
               found.bytes[LEADER][i], found.bytes[SECOND][i],
               found.bytes[OTHER][i]);
    return found;
}

/* No more than what LEAST ranks took and so much of each rank and node more. */
static void grows_by(const struct found *least, const struct found *found,
                     int kind, enum step step, long long per_rank,
                     long long per_node)
{
    long long most = least->bytes[kind][step] +
                     per_rank * (found->ranks - least->ranks) +
                     per_node * (found->nodes - least->nodes);

    if (found->bytes[kind][step] > most && check_failures++ < 20 &&
        check_rank == 0)
        fprintf(stderr,
                "%s, %d ranks on %d nodes, kind %d: %lld bytes, not %lld\n",
                names[step], found->ranks, found->nodes, kind,
                found->bytes[kind][step], most);
}

/* What a node's ranks have in a round is in its boxes, and nothing else. */
static void check_shared(const struct found *found)
{
    long long each = found->ranks / found->nodes;

    CHECK_EQ(found->shared > 0, 1);
    CHECK_EQ(found->shared <= each * (BOXES * LEN / ROUNDS) + SHARED_BESIDE +
                                  each * SHARED_PER_RANK,
             1);
}

static void compare(const struct found *least, const struct found *found)
{
    const long long file = PER_RANK_OF_FILE;
    const long long communicator = PER_RANK_OF_COMMUNICATOR;
    const long long first = PER_RANK_OF_FIRST;

    for (int kind = FIRST; kind < NKINDS; kind++) {
        long long more = kind == FIRST ? first : 0;

        grows_by(least, found, kind, OPEN_NEXT, file + more, 0);
        grows_by(least, found, kind, OPEN_FIRST, file + communicator + 2 * more,
                 0);
        for (int step = WRITE_FIRST; step < NSTEPS; step++)
            if (kind == OTHER)
                grows_by(least, found, kind, step, 0, PER_NODE);
            else if (kind == SECOND)
                grows_by(least, found, kind, step, 0,
                         PER_NODE + PER_NODE_OF_SECOND);
            else
                grows_by(least, found, kind, step, PER_RANK_OF_LEADER,
                         PER_NODE_OF_LEADER);
        /* What is known already is made no more. */
        grows_by(least, found, kind, WRITE_AGAIN, 0, 0);
        grows_by(least, found, kind, READ_AGAIN, 0, 0);
    }
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "memory");
    for (int more_nodes = 0; more_nodes < 2; more_nodes++) {
        struct found least = found_of(path, LEAST, 2);

        for (int ranks = 2 * LEAST; ranks <= check_size; ranks *= 2) {
            struct found found =
                found_of(path, ranks, more_nodes ? ranks / 4 : 2);

            compare(&least, &found);
            check_shared(&found);
        }
    }
    return check_end();
}
