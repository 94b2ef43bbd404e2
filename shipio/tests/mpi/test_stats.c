/* test_stats.c - statistics against accesses whose figures are known: text
 * and JSON, for files that shipio treats in each of its ways. Two ranks or
 * more.
 */
#include "check.h"

#include <stdlib.h>

#define PIECES 64
#define PIECE 100
#define STRIPE 4096
#define CALLS 10
#define LEN 1000

static char json_path[600];
static char text_path[600];

/* The last record of the file whose name ends so; NULL when there is none.
 * *records_p is how many there are. */
static const char *find_record(const char *whole, const char *mark, int *n_p)
{
    const char *found = NULL;
    const char *at = whole;

    *n_p = 0;
    while ((at = strstr(at, mark)) != NULL) {
        found = at;
        at++;
        (*n_p)++;
    }
    return found;
}

static char *slurp(const char *path)
{
    static char text[65536];
    FILE *stream = fopen(path, "r");
    size_t len = 0;

    if (stream != NULL) {
        len = fread(text, 1, sizeof(text) - 1, stream);
        fclose(stream);
    }
    text[len] = '\0';
    return text;
}

/* What rank 0 wrote about one file. */
struct record {
    char json[4096];
    char text[4096];
};

static void read_record(const char *path, struct record *record)
{
    char mark[700];
    const char *at;
    int n = 0;

    memset(record, 0, sizeof(*record));
    snprintf(mark, sizeof(mark), "\"file\":\"%s\"", path);
    at = find_record(slurp(json_path), mark, &n);
    CHECK_EQ(n, 1);
    if (at != NULL)
        snprintf(record->json, sizeof(record->json), "%.*s",
                 (int)strcspn(at, "\n"), at);
    snprintf(mark, sizeof(mark), "shipio: %s\n", path);
    at = find_record(slurp(text_path), mark, &n);
    CHECK_EQ(n, 1);
    if (at != NULL) {
        const char *end = strstr(at + 1, "shipio: /");

        snprintf(record->text, sizeof(record->text), "%.*s",
                 (int)(end != NULL ? end - at : (long)strlen(at)), at);
    }
}

/* Every figure, as JSON and as text have it. */
static const struct {
    const char *key, *words;
} figures[] = {
    {"calls", "data access calls"},
    {"collective_calls", "of these collective"},
    {"bytes_written", "bytes written"},
    {"bytes_read", "bytes read"},
    {"requests", "requests before combining"},
    {"file_requests", "requests after combining"},
    {"file_bytes", "bytes moved to or from the file"},
    {"messages", "messages"},
    {"bytes_shipped", "bytes shipped"},
    {"accesses_shipped", "accesses shipped"},
    {"accesses_direct", "accesses direct"},
    {"accesses_mapped", "accesses mapped"},
    {"accesses_by_agent", "noncollective accesses shipped"},
    {"ranges_prefetched", "ranges prefetched"},
    {"ranges_released", "ranges released"},
    {"rounds", "rounds between nodes"},
    {"lists", "lists of pieces sent"},
    {"bytes_sent", "bytes sent to other nodes"},
    {"bytes_copied", "bytes copied between nodes"},
    {"exchange_seconds", "seconds in exchange"},
    {"file_seconds", "seconds in file access"},
    {"wait_seconds", "seconds waiting"},
};

static double json_figure(const struct record *record, const char *key)
{
    char mark[64];
    const char *at;

    snprintf(mark, sizeof(mark), "\"%s\":", key);
    at = strstr(record->json, mark);
    return at != NULL ? strtod(at + strlen(mark), NULL) : -1;
}

/* Text leaves out what did not happen. */
static double text_figure(const struct record *record, const char *words)
{
    char mark[64];
    const char *at;

    snprintf(mark, sizeof(mark), "shipio:   %s  ", words);
    at = strstr(record->text, mark);
    return at != NULL ? strtod(at + strlen(mark), NULL) : 0;
}

static void same_in_both(const struct record *record)
{
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        double json = json_figure(record, figures[i].key);
        double text = text_figure(record, figures[i].words);

        if (json < 0 || json - text > 1e-6 || text - json > 1e-6) {
            fprintf(stderr, "%s is %g in JSON, %g in text\n%s\n%s\n",
                    figures[i].key, json, text, record->json, record->text);
            CHECK_EQ(0, 1);
        }
    }
}

#define FIGURE(record, key) ((long long)json_figure(record, key))

static MPI_File open_with(const char *path, const char *const *hints, int amode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    for (; hints != NULL && hints[0] != NULL; hints += 2)
        MPI_Info_set(info, hints[0], hints[1]);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           amode | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Collective. Nodes of the job. */
static int count_nodes(void)
{
    MPI_Comm node;
    int first = 0;
    int nodes = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_rank(node, &first);
    first = first == 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    return nodes;
}

/* Ranks take turns, piece by piece: the file is dense. */
static void set_interleaved(MPI_File fh)
{
    MPI_Datatype piece;
    MPI_Datatype tile;

    MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, check_times(PIECE, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(PIECE, check_rank), MPI_BYTE,
                               tile, "native", MPI_INFO_NULL));
    MPI_Type_free(&piece);
    MPI_Type_free(&tile);
}

static void write_and_read_all(MPI_File fh)
{
    unsigned char buf[PIECES * PIECE];

    memset(buf, 1 + check_rank, sizeof(buf));
    CHECK_OK(MPI_File_write_all(fh, buf, PIECES * PIECE, MPI_BYTE,
                                MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_all(fh, buf, PIECES * PIECE, MPI_BYTE,
                               MPI_STATUS_IGNORE));
}

/* Collective, shipped: many pieces become few requests, and all is seen. */
static void test_shipped(const char *path)
{
    static const char *const hints[] = {
        "shipio_mode", "ship", "IBM_io_buffer_size", "4096", "shipio_map",
        "false",       NULL};
    long long bytes = (long long)PIECES * PIECE * check_size;
    long long stripes = (bytes + STRIPE - 1) / STRIPE;
    int nodes = count_nodes();
    int messages = nodes > 1 || getenv("SHIPIO_MESSAGES") != NULL;
    struct record record;
    double start = MPI_Wtime();
    double most;
    MPI_File fh = open_with(path, hints, MPI_MODE_RDWR);

    set_interleaved(fh);
    write_and_read_all(fh);
    CHECK_OK(MPI_File_close(&fh));
    most = (MPI_Wtime() - start) * 2 * check_size;
    if (check_rank != 0)
        return;
    read_record(path, &record);
    same_in_both(&record);
    CHECK_EQ(FIGURE(&record, "processes"), check_size);
    CHECK_EQ(FIGURE(&record, "agents"), nodes > 1 ? nodes : check_size);
    CHECK_EQ(FIGURE(&record, "nodes"), nodes);
    CHECK_EQ(FIGURE(&record, "calls"), 2 * check_size);
    CHECK_EQ(FIGURE(&record, "collective_calls"), 2 * check_size);
    CHECK_EQ(FIGURE(&record, "accesses_shipped"), 2 * check_size);
    CHECK_EQ(FIGURE(&record, "bytes_written"), bytes);
    CHECK_EQ(FIGURE(&record, "bytes_read"), bytes);
    CHECK_EQ(FIGURE(&record, "requests"), 2LL * PIECES * check_size);
    CHECK_EQ(FIGURE(&record, "file_requests"), 2 * stripes);
    CHECK_EQ(FIGURE(&record, "file_bytes"), 2 * bytes);
    CHECK_EQ(FIGURE(&record, "bytes_shipped") > 0, 1);
    CHECK_EQ(FIGURE(&record, "bytes_shipped") <= 2 * bytes + 100000, 1);
    CHECK_EQ(FIGURE(&record, "messages") > 0, messages);
    CHECK_EQ(json_figure(&record, "file_seconds") > 0, 1);
    CHECK_EQ(json_figure(&record, "exchange_seconds") > 0, 1);
    CHECK_EQ(json_figure(&record, "file_seconds") < most, 1);
    CHECK_EQ(json_figure(&record, "exchange_seconds") < most, 1);
    CHECK_EQ(json_figure(&record, "wait_seconds") < most, 1);
    CHECK_EQ(strstr(record.json, "\"mode\":\"ship\"") != NULL, 1);
    CHECK_EQ(strstr(record.text, "mode ship") != NULL, 1);
}

/* Independent, direct: one request for each call. */
static void test_direct(const char *path)
{
    static const char *const hints[] = {"shipio_mode", "direct", "shipio_map",
                                        "false", NULL};
    long long calls = (long long)CALLS * check_size;
    unsigned char buf[LEN] = {1};
    struct record record;
    MPI_File fh = open_with(path, hints, MPI_MODE_RDWR);

    for (int i = 0; i < CALLS; i++)
        CHECK_OK(MPI_File_write_at(fh, check_times(LEN, CALLS * check_rank + i),
                                   buf, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank != 0)
        return;
    read_record(path, &record);
    same_in_both(&record);
    CHECK_EQ(FIGURE(&record, "calls"), calls);
    CHECK_EQ(FIGURE(&record, "collective_calls"), 0);
    CHECK_EQ(FIGURE(&record, "accesses_direct"), calls);
    CHECK_EQ(FIGURE(&record, "bytes_written"), calls * LEN);
    CHECK_EQ(FIGURE(&record, "bytes_read"), 0);
    CHECK_EQ(FIGURE(&record, "requests"), calls);
    CHECK_EQ(FIGURE(&record, "file_requests"), calls);
    CHECK_EQ(FIGURE(&record, "file_bytes"), calls * LEN);
    CHECK_EQ(FIGURE(&record, "bytes_shipped"), 0);
    CHECK_EQ(strstr(record.json, "\"mode\":\"direct\"") != NULL, 1);
}

/* As it comes: each call is decided once, in some way. */
static void test_auto(const char *path)
{
    struct record record;
    MPI_File fh = open_with(path, NULL, MPI_MODE_RDWR);

    set_interleaved(fh);
    write_and_read_all(fh);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank != 0)
        return;
    read_record(path, &record);
    same_in_both(&record);
    CHECK_EQ(FIGURE(&record, "calls"), 2 * check_size);
    CHECK_EQ(FIGURE(&record, "accesses_shipped") +
                 FIGURE(&record, "accesses_direct") +
                 FIGURE(&record, "accesses_mapped"),
             2 * check_size);
    CHECK_EQ(strstr(record.json, "\"mode\":\"auto\"") != NULL, 1);
}

static void test_prefetch(const char *path)
{
    static const char *const hints[] = {
        "shipio_mode",    "direct", "shipio_map", "false",
        "shipio_max_acc", "2",      NULL};
    struct record record;
    MPI_File fh = open_with(path, hints, MPI_MODE_RDWR);

    set_interleaved(fh);
    write_and_read_all(fh);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank != 0)
        return;
    read_record(path, &record);
    same_in_both(&record);
    CHECK_EQ(FIGURE(&record, "ranges_prefetched") > 0, 1);
    CHECK_EQ(
        FIGURE(&record, "ranges_prefetched") <= FIGURE(&record, "requests"), 1);
    CHECK_EQ(strstr(record.json, "\"prefetch_driver\":\"generic\"") != NULL, 1);
}

/* Only where the test asks for threads. */
static void test_agents(const char *path)
{
    static const char *const hints[] = {"IBM_io_buffer_size", "4096",
                                        "shipio_noncollective", "true", NULL};
    unsigned char buf[LEN] = {1};
    struct record record;
    MPI_File fh = open_with(path, hints, MPI_MODE_RDWR);

    /* A stripe of each agent. */
    for (int i = 0; i < check_size; i++)
        CHECK_OK(MPI_File_write_at(fh, (MPI_Offset)STRIPE * i, buf, LEN,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank != 0)
        return;
    read_record(path, &record);
    same_in_both(&record);
    CHECK_EQ(FIGURE(&record, "accesses_by_agent"),
             (long long)check_size * check_size);
    CHECK_EQ(FIGURE(&record, "file_requests"),
             (long long)check_size * check_size);
    /* Request and reply, except to oneself. */
    CHECK_EQ(FIGURE(&record, "messages"), 2LL * check_size * (check_size - 1));
    CHECK_EQ(FIGURE(&record, "bytes_shipped"),
             (long long)LEN * check_size * (check_size - 1));
    CHECK_EQ(strstr(record.json, "\"agents_for\":\"threads\"") != NULL, 1);
}

/* Pieces with gaps are stored together, not one by one, but for a last stripe
 * with few of them. */
static void test_agents_gaps(const char *path)
{
    static const char *const hints[] = {"IBM_io_buffer_size", "4096",
                                        "shipio_noncollective", "true", NULL};
    static unsigned char buf[PIECES * PIECE];
    struct record record;
    MPI_File fh = open_with(path, hints, MPI_MODE_RDWR);

    memset(buf, 3 + check_rank, sizeof(buf));
    set_interleaved(fh);
    CHECK_OK(MPI_File_write_at(fh, 0, buf, sizeof(buf), MPI_BYTE,
                               MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank != 0)
        return;
    read_record(path, &record);
    CHECK_EQ(FIGURE(&record, "file_requests") < PIECES * check_size / 4, 1);
    CHECK_EQ(FIGURE(&record, "file_bytes"), PIECES * PIECE * check_size);
}

/* Another representation, and a file that was never ours. */
static void test_passed_through(const char *path)
{
    int value = 5;
    struct record record;
    MPI_File fh = open_with(path, NULL, MPI_MODE_RDWR);
    char other[700];

    CHECK_OK(MPI_File_set_view(fh, check_times(4, check_rank), MPI_INT, MPI_INT,
                               "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    snprintf(other, sizeof(other), "%s-sequential", path);
    fh = open_with(other, NULL, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank != 0)
        return;
    read_record(path, &record);
    CHECK_EQ(strstr(record.json, "\"mode\":\"passed through\"") != NULL, 1);
    CHECK_EQ(strstr(record.text, "mode passed through") != NULL, 1);
    CHECK_EQ(strstr(record.json, "\"reason\":\"data representation") != NULL,
             1);
    CHECK_EQ(strstr(record.text, "passed through: data repres") != NULL, 1);
    read_record(other, &record);
    CHECK_EQ(strstr(record.json, "\"mode\":\"passed through\"") != NULL, 1);
    CHECK_EQ(FIGURE(&record, "processes"), check_size);
    CHECK_EQ(strstr(record.json, "\"reason\":\"") != NULL, 1);
    CHECK_EQ(strstr(record.text, "passed through: ") != NULL, 1);
}

/* One JSON object a line, and nothing else. */
static void test_lines(void)
{
    char *line = slurp(json_path);

    while (*line != '\0') {
        size_t len = strcspn(line, "\n");

        CHECK_EQ(strncmp(line, "{\"schema\":\"shipio-stats/1\",", 26), 0);
        CHECK_EQ(len > 0 && line[len - 1] == '}' && line[len] == '\n', 1);
        line += len + (line[len] != '\0');
    }
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "stats");
    snprintf(json_path, sizeof(json_path), "%s.json", path);
    snprintf(text_path, sizeof(text_path), "%s.text", path);
    setenv("SHIPIO_STATS", text_path, 1);
    setenv("SHIPIO_STATS_JSON", json_path, 1);
    strcat(path, "-a");
    test_shipped(path);
    path[strlen(path) - 1]++;
    test_direct(path);
    path[strlen(path) - 1]++;
    test_auto(path);
    path[strlen(path) - 1]++;
    test_prefetch(path);
    path[strlen(path) - 1]++;
    if (getenv("SHIPIO_NONCOLLECTIVE") != NULL)
        test_agents(path);
    path[strlen(path) - 1]++;
    if (getenv("SHIPIO_NONCOLLECTIVE") != NULL)
        test_agents_gaps(path);
    path[strlen(path) - 1]++;
    test_passed_through(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        test_lines();
        if (check_failures == 0) {
            unlink(json_path);
            unlink(text_path);
        }
    }
    return check_end();
}
