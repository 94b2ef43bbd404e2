/* test_nodes.c - what collective calls send between nodes, counted: messages,
 * bytes, rounds, lists. On nodes as they are or as SHIPIO_NODES has them; the
 * statistics go to SHIPIO_STATS_JSON.
 */
#include "check.h"

#include <fcntl.h>
#include <stdbool.h>

#define PIECE 1000
#define PIECES 512
#define LEN ((long long)PIECE * PIECES)

static int nodes;
static char path[600];

static int count_nodes(void)
{
    const char *wanted = getenv("SHIPIO_NODES");
    MPI_Comm node;
    int first = 0;
    int n = 0;

    if (getenv("SHIPIO_MESSAGES") != NULL)
        return check_size;
    if (wanted != NULL)
        return (int)strtol(wanted, NULL, 10);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_rank(node, &first);
    first = first == 0;
    MPI_Allreduce(&first, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    return n;
}

static MPI_File open_with(const char *stripe, const char *leaders)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    if (stripe != NULL)
        MPI_Info_set(info, "IBM_io_buffer_size", stripe);
    if (leaders != NULL)
        MPI_Info_set(info, "shipio_leaders", leaders);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

static MPI_File open_shipped(const char *stripe)
{
    return open_with(stripe, NULL);
}

/* Ranks take turns, piece by piece, from disp on. */
static void set_turns(MPI_File fh, MPI_Offset disp, int rank, int size,
                      int piece)
{
    MPI_Datatype one;
    MPI_Datatype tile;

    MPI_Type_contiguous(piece, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, check_times(piece, size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, disp + check_times(piece, rank), MPI_BYTE,
                               tile, "native", MPI_INFO_NULL));
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
}

/* Byte i of this rank's data is byte at(i) of the file. */
struct turns {
    long long disp;
    int rank;
    int size;
    int piece;
};

static long long offset_of(const struct turns *turns, long long i)
{
    return turns->disp + i / turns->piece * turns->piece * turns->size +
           (long long)turns->rank * turns->piece + i % turns->piece;
}

static void write_all(MPI_File fh, const struct turns *turns, long long from,
                      int salt)
{
    unsigned char *buf = malloc((size_t)LEN);

    for (long long i = 0; i < LEN; i++)
        buf[i] = check_byte(offset_of(turns, from + i), salt);
    CHECK_OK(MPI_File_write_at_all(fh, from, buf, (int)LEN, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    free(buf);
}

static void read_all(MPI_File fh, const struct turns *turns, long long from,
                     int salt)
{
    unsigned char *buf = calloc(1, (size_t)LEN);
    MPI_Status status;
    long long wrong = 0;

    CHECK_OK(MPI_File_read_at_all(fh, from, buf, (int)LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
    for (long long i = 0; i < LEN; i++)
        wrong += buf[i] != check_byte(offset_of(turns, from + i), salt);
    CHECK_EQ(wrong, 0);
    free(buf);
}

/* Without MPI: the file has these bytes, and no others. */
static void check_file(long long len, int salt)
{
    unsigned char *buf = malloc((size_t)len + 1);
    int fd = open(path, O_RDONLY);
    long long wrong = 0;

    CHECK_EQ(pread(fd, buf, (size_t)len + 1, 0), len);
    for (long long i = 0; i < len; i++)
        wrong += buf[i] != check_byte(i, salt);
    CHECK_EQ(wrong, 0);
    close(fd);
    free(buf);
}

/* Between each two nodes at most two messages a round, one each way; on the
 * wire hardly more than what belongs on another node. */
static void check_traffic(long long data)
{
    long long pairs = (long long)nodes * (nodes - 1) / 2;
    long long most = data / nodes * (nodes - 1);

    CHECK_EQ(check_stat("rounds") > 0, 1);
    CHECK_EQ(check_stat("messages") > 0, nodes > 1);
    CHECK_EQ(check_stat("messages") <= 2 * pairs * check_stat("rounds"), 1);
    CHECK_EQ(check_stat("bytes_sent") <= most + most / 20, 1);
    CHECK_EQ(check_stat("bytes_copied") <= 2 * data, 1);
}

/* Ranks of the smallest node. */
static int least_ranks(void)
{
    int least = check_size / nodes;
    MPI_Comm node;

    if (getenv("SHIPIO_NODES") != NULL || nodes == check_size)
        return least;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_size(node, &least);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

/* As many leaders as are asked for and as every node can have; the hint in
 * force says how many. They send no message more than one would. */
static void test_leaders_share_the_streams(void)
{
    struct turns turns = {
        .rank = check_rank, .size = check_size, .piece = PIECE};
    int least = least_ranks();

    for (int asked = 1; asked <= 8; asked++) {
        int want = asked < least ? asked : least;
        char text[16];
        MPI_File fh;
        MPI_Info info;
        int found = 0;

        snprintf(text, sizeof(text), "%d", asked);
        fh = open_with("65536", text);
        CHECK_OK(MPI_File_get_info(fh, &info));
        MPI_Info_get(info, "shipio_leaders", sizeof(text) - 1, text, &found);
        CHECK_EQ(found, 1);
        CHECK_EQ(strtol(text, NULL, 10), want);
        MPI_Info_free(&info);
        set_turns(fh, 0, check_rank, check_size, PIECE);
        write_all(fh, &turns, 0, asked);
        read_all(fh, &turns, 0, asked);
        CHECK_OK(MPI_File_close(&fh));
        if (check_rank == 0) {
            CHECK_EQ(check_stat("leaders"), (long long)nodes * want);
            check_traffic(2 * LEN * check_size);
            check_file(LEN * check_size, asked);
            CHECK_EQ(unlink(path), 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The same view and count again sends no lists, be it further on. */
static void test_lists_are_sent_once(void)
{
    struct turns turns = {
        .rank = check_rank, .size = check_size, .piece = PIECE};
    MPI_File fh = open_shipped("65536");

    set_turns(fh, 0, check_rank, check_size, PIECE);
    write_all(fh, &turns, 0, 1);
    write_all(fh, &turns, 0, 2);
    read_all(fh, &turns, 0, 2);
    write_all(fh, &turns, LEN, 2);
    read_all(fh, &turns, LEN, 2);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        CHECK_EQ(check_stat("lists"), (long long)nodes * (nodes - 1));
        check_traffic(5 * LEN * check_size);
        check_file(2 * LEN * check_size, 2);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A program may set the same view before each call, and move it on. */
static void test_the_view_set_again_sends_no_lists(void)
{
    struct turns turns = {
        .rank = check_rank, .size = check_size, .piece = PIECE};
    MPI_File fh = open_shipped("65536");
    /* A whole number of pages, with a hole before it. */
    MPI_Offset far = (LEN * check_size / 4096 + 2) * 4096;

    for (int i = 0; i < 3; i++) {
        turns.disp = i < 2 ? 0 : far;
        set_turns(fh, turns.disp, check_rank, check_size, PIECE);
        write_all(fh, &turns, 0, 9 + i);
        read_all(fh, &turns, 0, 9 + i);
    }
    /* And back. */
    set_turns(fh, 0, check_rank, check_size, PIECE);
    turns.disp = 0;
    read_all(fh, &turns, 0, 10);
    write_all(fh, &turns, 0, 12);
    CHECK_OK(MPI_File_set_size(fh, LEN * check_size));
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        CHECK_EQ(check_stat("lists"), (long long)nodes * (nodes - 1));
        check_file(LEN * check_size, 12);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Another count, another view: other lists. */
static void test_another_view_sends_lists_again(void)
{
    struct turns turns = {
        .rank = check_rank, .size = check_size, .piece = PIECE};
    MPI_File fh = open_shipped("65536");

    set_turns(fh, 0, check_rank, check_size, PIECE);
    write_all(fh, &turns, 0, 3);
    turns.piece = PIECE / 2;
    set_turns(fh, 0, check_rank, check_size, PIECE / 2);
    write_all(fh, &turns, 0, 4);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        CHECK_EQ(check_stat("lists"), 2LL * nodes * (nodes - 1));
        check_traffic(2 * LEN * check_size);
        check_file(LEN * check_size, 4);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The place in the file of a node: as they are numbered, or the other way
 * round. */
static int place_of(int node, bool reversed)
{
    return reversed ? nodes - 1 - node : node;
}

/* Ranks of a node take turns in a region of the node's own: the agent is there,
 * and hardly anything goes over the wire. Only for nodes of consecutive and
 * equally many ranks. */
static void test_agents_are_where_the_bytes_are(bool reversed)
{
    int each = check_size / nodes;
    int piece = 4096;
    long long region = 4LL * 1024 * 1024;
    struct turns turns = {.disp =
                              place_of(check_rank / each, reversed) * region,
                          .rank = check_rank % each,
                          .size = each,
                          .piece = piece};
    long long mine = region / each;
    unsigned char *buf = malloc((size_t)mine);
    MPI_File fh = open_shipped(NULL);

    set_turns(fh, turns.disp, turns.rank, each, piece);
    for (long long i = 0; i < mine; i++)
        buf[i] = check_byte(offset_of(&turns, i), 5);
    CHECK_OK(MPI_File_write_at_all(fh, 0, buf, (int)mine, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    free(buf);
    if (check_rank == 0) {
        CHECK_EQ(check_stat("accesses_shipped"), check_size);
        CHECK_EQ(check_stat("bytes_sent") < region * nodes / 20, 1);
        check_file(region * nodes, 5);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank has a part of the file but for its first page, which another node
 * has: no node has a region of its own, and yet each agent has the share of
 * which its node has the most. */
static void test_shares_are_where_most_bytes_are(bool reversed)
{
    MPI_Aint part = 4LL * 1024 * 1024 * nodes / check_size;
    MPI_Aint page = 4096;
    int mine = reversed ? check_size - 1 - check_rank : check_rank;
    int other = (mine + check_size / 2) % check_size;
    MPI_Aint places[2] = {mine * part + page, other * part};
    int lens[2] = {(int)(part - page), (int)page};
    unsigned char *buf = malloc((size_t)part);
    MPI_File fh = open_shipped(NULL);
    MPI_Datatype type;
    long long at = 0;

    if (places[1] < places[0]) {
        MPI_Aint place = places[0];
        int len = lens[0];

        places[0] = places[1];
        places[1] = place;
        lens[0] = lens[1];
        lens[1] = len;
    }
    MPI_Type_create_hindexed(2, lens, places, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < lens[b]; i++)
            buf[at++] = check_byte(places[b] + i, 13);
    CHECK_OK(MPI_File_write_at_all(fh, 0, buf, (int)part, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    free(buf);
    if (check_rank == 0) {
        CHECK_EQ(check_stat("accesses_shipped"), check_size);
        CHECK_EQ(check_stat("bytes_sent") < part * check_size / 20, 1);
        check_file((long long)part * check_size, 13);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The later half of the nodes has all bytes, but for a page of the first node:
 * each keeps about half of its own, where its agent's share is. */
static void test_half_of_the_nodes_have_the_bytes(void)
{
    int each = check_size / nodes;
    int holders = nodes - nodes / 2;
    int place = check_rank / each - nodes / 2;
    MPI_Aint page = 4096;
    MPI_Aint mine = (8LL * 1024 * 1024 / each + page - 1) / page * page;
    MPI_Aint part = mine * each;
    bool first = check_rank == 0;
    MPI_Offset at = place < 0 ? 0 : place * part + check_rank % each * mine;
    MPI_Aint from = place == 0 && check_rank % each == 0 ? page : 0;
    long long n = place < 0 ? (first ? page : 0) : mine - from;
    unsigned char *buf = malloc((size_t)mine);
    MPI_File fh = open_shipped(NULL);

    for (long long i = 0; i < n; i++)
        buf[i] = check_byte(at + from + i, 14);
    CHECK_OK(MPI_File_write_at_all(fh, at + from, buf, (int)n, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    free(buf);
    if (check_rank == 0) {
        CHECK_EQ(check_stat("accesses_shipped"), check_size);
        CHECK_EQ(check_stat("bytes_sent") <
                     part * holders / 2 + part * holders / 20,
                 1);
        check_file((long long)part * holders, 14);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks read the same: each byte goes to each node once. */
static void test_what_all_read_comes_once_to_a_node(void)
{
    struct turns turns = {.rank = 0, .size = 2, .piece = PIECE};
    long long bytes = 2 * LEN;
    MPI_File fh = open_shipped("65536");

    if (check_rank == 0) {
        unsigned char *buf = malloc((size_t)bytes);

        for (long long i = 0; i < bytes; i++)
            buf[i] = check_byte(i, 6);
        CHECK_OK(MPI_File_write_at(fh, 0, buf, (int)bytes, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        free(buf);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    set_turns(fh, 0, 0, 2, PIECE);
    read_all(fh, &turns, 0, 6);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        CHECK_EQ(check_stat("bytes_sent") <= (nodes - 1) * (LEN + LEN / 20), 1);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What lies on the way of one node alone concerns no other. */
static void test_sparse_access_sends_no_empty_messages(void)
{
    unsigned char buf[100];
    MPI_File fh = open_shipped("65536");
    MPI_Status status;

    memset(buf, 7, sizeof(buf));
    /* One stripe, of one agent, from one rank. */
    CHECK_OK(MPI_File_write_at_all(fh, 0, buf,
                                   check_rank == check_size - 1 ? 100 : 0,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    memset(buf, 0, sizeof(buf));
    CHECK_OK(MPI_File_read_at_all(fh, 50, buf, 100, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), 50);
    CHECK_EQ(buf[49], 7);
    CHECK_EQ(buf[50], 0);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        /* A list and a box; then each other node asks, and gets a box. */
        CHECK_EQ(check_stat("messages") <= 2 + 2 * (nodes - 1), 1);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Columns of a matrix: one view for all, in which each rank has a tile that
 * reaches into those of the others. In the end the file is cut in half. */
static void test_tiles_reach_into_each_other(void)
{
    struct turns turns = {
        .rank = check_rank, .size = check_size, .piece = PIECE};
    unsigned char *buf = malloc((size_t)LEN);
    MPI_File fh = open_shipped("65536");
    MPI_Offset mine = check_rank * LEN;
    MPI_Datatype column;
    MPI_Datatype tile;
    MPI_Status status;
    long long wrong = 0;

    MPI_Type_vector(PIECES, PIECE, PIECE * check_size, MPI_BYTE, &column);
    MPI_Type_create_resized(column, 0, PIECE, &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    for (long long i = 0; i < LEN; i++)
        buf[i] = check_byte(offset_of(&turns, i), 8);
    CHECK_OK(MPI_File_write_at_all(fh, mine, buf, (int)LEN, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    if (check_rank == 0)
        check_file(LEN * check_size, 8);
    memset(buf, 0, (size_t)LEN);
    CHECK_OK(MPI_File_set_size(fh, LEN * check_size / 2));
    CHECK_OK(MPI_File_read_at_all(fh, mine, buf, (int)LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN / 2);
    for (long long i = 0; i < LEN / 2; i++)
        wrong += buf[i] != check_byte(offset_of(&turns, i), 8);
    CHECK_EQ(wrong, 0);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&column);
    MPI_Type_free(&tile);
    free(buf);
    if (check_rank == 0) {
        CHECK_EQ(check_stat("accesses_shipped"), 2LL * check_size);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two pieces of each rank, far from each other: nobody goes through all that
 * lies between them. */
static void test_far_apart_takes_few_rounds(void)
{
    long long far = 16LL * 1024 * 1024 * 1024;
    unsigned char buf[2 * PIECE];
    MPI_File fh = open_shipped(NULL);
    MPI_Datatype pair;

    MPI_Type_create_hvector(2, PIECE, far, MPI_BYTE, &pair);
    MPI_Type_commit(&pair);
    CHECK_OK(MPI_File_set_view(fh, check_times(PIECE, check_rank), MPI_BYTE,
                               pair, "native", MPI_INFO_NULL));
    memset(buf, check_rank + 1, sizeof(buf));
    CHECK_OK(MPI_File_write_at_all(fh, 0, buf, 2 * PIECE, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    memset(buf, 0, sizeof(buf));
    CHECK_OK(MPI_File_read_at_all(fh, 0, buf, 2 * PIECE, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
    CHECK_EQ(buf[0], check_rank + 1);
    CHECK_EQ(buf[2 * PIECE - 1], check_rank + 1);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&pair);
    if (check_rank == 0) {
        CHECK_EQ(check_stat("rounds") < 200, 1);
        CHECK_EQ(unlink(path), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "nodes");
    nodes = count_nodes();
    if (getenv("SHIPIO_STATS_JSON") == NULL) {
        static char stats[700];

        snprintf(stats, sizeof(stats), "%s.json", path);
        setenv("SHIPIO_STATS_JSON", stats, 1);
    }
    test_leaders_share_the_streams();
    test_lists_are_sent_once();
    test_the_view_set_again_sends_no_lists();
    test_another_view_sends_lists_again();
    if (check_size % nodes == 0) {
        for (int reversed = 0; reversed < 2; reversed++) {
            test_agents_are_where_the_bytes_are(reversed);
            test_shares_are_where_most_bytes_are(reversed);
        }
        if (nodes > 2)
            test_half_of_the_nodes_have_the_bytes();
    }
    test_what_all_read_comes_once_to_a_node();
    test_sparse_access_sends_no_empty_messages();
    test_tiles_reach_into_each_other();
    test_far_apart_takes_few_rounds();
    if (check_rank == 0)
        unlink(getenv("SHIPIO_STATS_JSON"));
    return check_end();
}
