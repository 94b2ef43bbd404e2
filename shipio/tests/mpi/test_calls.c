/* test_calls.c - the rest of the interface: nonblocking and split calls,
 * sizes, ends of files, hints, pass-through, errors.
 */
#include "check.h"

#define LEN 1000

static void check_data(const unsigned char *buf, int len, int value)
{
    int wrong = 0;

    for (int i = 0; i < len; i++)
        wrong += buf[i] != value;
    CHECK_EQ(wrong, 0);
}

/* The checker does not know that file calls start requests, too. */
static int wait_for(MPI_Request *request, MPI_Status *status)
{
    /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    return MPI_Wait(request, status);
}

static void test_nonblocking(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset base = (MPI_Offset)LEN * check_rank;
    unsigned char out[LEN];
    unsigned char in[LEN];
    MPI_Request requests[2];
    MPI_Status status[2];

    memset(out, 5 + check_rank, sizeof(out));
    CHECK_OK(
        MPI_File_iwrite_at(fh, base, out, LEN / 2, MPI_BYTE, &requests[0]));
    CHECK_OK(MPI_File_iwrite_at_all(fh, base + LEN / 2, out, LEN / 2, MPI_BYTE,
                                    &requests[1]));
    CHECK_OK(wait_for(&requests[0], &status[0]));
    CHECK_OK(wait_for(&requests[1], &status[1]));
    CHECK_EQ(check_count(&status[0]), LEN / 2);
    CHECK_EQ(check_count(&status[1]), LEN / 2);
    CHECK_OK(MPI_File_seek(fh, base, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iread(fh, in, LEN, MPI_BYTE, &requests[0]));
    CHECK_OK(wait_for(&requests[0], &status[0]));
    CHECK_EQ(check_count(&status[0]), LEN);
    check_data(in, LEN, 5 + check_rank);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_iwrite_shared(fh, out, 1, MPI_BYTE, &requests[0]));
    CHECK_OK(wait_for(&requests[0], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
}

static void test_split(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset base = (MPI_Offset)LEN * check_rank;
    unsigned char out[LEN];
    unsigned char in[LEN];
    MPI_Status status;

    memset(out, 9 + check_rank, sizeof(out));
    CHECK_OK(MPI_File_write_at_all_begin(fh, base, out, LEN, MPI_BYTE));
    CHECK_EQ(check_class(MPI_File_write_all_begin(fh, out, LEN, MPI_BYTE)),
             MPI_ERR_OTHER);
    CHECK_OK(MPI_File_write_at_all_end(fh, out, &status));
    CHECK_EQ(check_count(&status), LEN);
    CHECK_EQ(check_class(MPI_File_write_at_all_end(fh, out, &status)),
             MPI_ERR_OTHER);
    CHECK_OK(MPI_File_seek(fh, base, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_all_begin(fh, in, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_read_all_end(fh, in, &status));
    CHECK_EQ(check_count(&status), LEN);
    check_data(in, LEN, 9 + check_rank);
    CHECK_OK(MPI_File_write_ordered_begin(fh, out, 2, MPI_BYTE));
    CHECK_OK(MPI_File_write_ordered_end(fh, out, &status));
    CHECK_EQ(check_count(&status), 2);
    CHECK_OK(MPI_File_close(&fh));
}

/* A second one, or a blocking call, while the first is under way is an error on
 * every rank, and the first one's data is there. */
static void test_split_twice(const char *path)
{
    MPI_File fh = check_open_new(path);
    int len = 1 << 20;
    MPI_Offset base = (MPI_Offset)len * check_rank;
    unsigned char *out = malloc((size_t)len);
    MPI_Status status;

    memset(out, 3 + check_rank, (size_t)len);
    for (int round = 0; round < 5; round++) {
        CHECK_OK(MPI_File_write_at_all_begin(fh, base, out, len, MPI_BYTE));
        CHECK_EQ(check_class(MPI_File_write_all_begin(fh, out, len, MPI_BYTE)),
                 MPI_ERR_OTHER);
        CHECK_OK(MPI_File_write_at_all_end(fh, out, &status));
        CHECK_EQ(check_count(&status), len);
        CHECK_OK(MPI_File_write_at_all_begin(fh, base, out, len, MPI_BYTE));
        CHECK_EQ(check_class(MPI_File_write_at_all(fh, base, out, len, MPI_BYTE,
                                                   &status)),
                 MPI_ERR_OTHER);
        CHECK_OK(MPI_File_write_at_all_end(fh, out, &status));
        CHECK_EQ(check_count(&status), len);
    }
    memset(out, 0, (size_t)len);
    CHECK_OK(MPI_File_read_at_all(fh, base, out, len, MPI_BYTE, &status));
    check_data(out, len, 3 + check_rank);
    CHECK_OK(MPI_File_close(&fh));
    free(out);
}

/* The count is what there was, by every way of reading. */
static void test_end_of_file(const char *path, const char *mode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype vector;
    MPI_Datatype tile;
    MPI_Status status;
    unsigned char buf[LEN];
    /* 100 bytes for each rank in pieces of 10, and 5 of the last piece. */
    int len = 100 * check_size - 5;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", mode);
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    CHECK_OK(MPI_File_set_size(fh, len));
    MPI_Type_vector(1, 10, 10, MPI_BYTE, &vector);
    MPI_Type_create_resized(vector, 0, check_times(10, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(10, check_rank), MPI_BYTE, tile,
                               "native", MPI_INFO_NULL));
    memset(buf, 0xaa, sizeof(buf));
    CHECK_OK(MPI_File_read_all(fh, buf, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), check_rank == check_size - 1 ? 95 : 100);
    check_data(buf, 95, 0);
    check_data(buf + 100, LEN - 100, 0xaa);
    CHECK_OK(MPI_File_read_all(fh, buf, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), 0);
    CHECK_OK(MPI_File_read_at(fh, 90, buf, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), check_rank == check_size - 1 ? 5 : 10);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&vector);
    MPI_Type_free(&tile);
}

static void test_sizes(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset size = -1;
    MPI_Offset far = (MPI_Offset)5 << 30;
    unsigned char byte = 3;

    CHECK_OK(MPI_File_preallocate(fh, 10000));
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, 10000);
    CHECK_OK(MPI_File_preallocate(fh, 100));
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, 10000);
    CHECK_OK(MPI_File_set_size(fh, 77));
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, 77);
    CHECK_EQ(check_class(MPI_File_set_size(fh, -1)), MPI_ERR_ARG);
    CHECK_OK(MPI_File_write_at_all(fh, far + check_rank, &byte, 1, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, far + check_size);
    CHECK_OK(MPI_File_close(&fh));
}

static void expect_hint(MPI_Info info, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;

    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    if (!found || strcmp(value, want) != 0) {
        fprintf(stderr, "hint %s is \"%s\", not \"%s\"\n", key, value, want);
        CHECK_EQ(0, 1);
    }
}

static void test_hints(const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Info used;

    MPI_Info_create(&info);
    MPI_Info_set(info, "IBM_largeblock_io", "switchable");
    MPI_Info_set(info, "IBM_io_buffer_size", "64k");
    MPI_Info_set(info, "IBM_sparse_access", "true");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    CHECK_OK(MPI_File_get_info(fh, &used));
    expect_hint(used, "IBM_largeblock_io", "switchable");
    expect_hint(used, "IBM_io_buffer_size", "65536");
    expect_hint(used, "IBM_sparse_access", "true");
    expect_hint(used, "shipio_mode", "auto");
    MPI_Info_free(&used);
    MPI_Info_set(info, "IBM_largeblock_io", "true");
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    CHECK_OK(MPI_File_get_info(fh, &used));
    expect_hint(used, "shipio_mode", "direct");
    MPI_Info_free(&used);
    MPI_Info_set(info, "IBM_largeblock_io", "false");
    CHECK_OK(MPI_File_set_info(fh, info));
    CHECK_OK(MPI_File_get_info(fh, &used));
    expect_hint(used, "shipio_mode", "ship");
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    CHECK_OK(MPI_File_close(&fh));
}

/* Noncollective shipping is in force where threads can serve it, and only
 * there; atomic accesses are not shipped. */
static void test_noncollective_in_force(const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Info used;
    int level = MPI_THREAD_SINGLE;

    MPI_Query_thread(&level);
    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_noncollective", "true");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    CHECK_OK(MPI_File_get_info(fh, &used));
    expect_hint(used, "shipio_noncollective",
                level == MPI_THREAD_MULTIPLE && check_size > 1 ? "true"
                                                               : "false");
    MPI_Info_free(&used);
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    CHECK_OK(MPI_File_get_info(fh, &used));
    expect_hint(used, "shipio_noncollective", "false");
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    CHECK_OK(MPI_File_close(&fh));
}

enum { NAME = MPI_MAX_PROCESSOR_NAME + 1, MAX_RANKS = 16 };

/* The first rank's host, how many hosts there are, and its processes. */
static void find_hosts(char first[NAME], int *hosts, int *on_first)
{
    char mine[NAME] = "", all[MAX_RANKS][NAME] = {{0}};
    int len = 0;

    CHECK_EQ(check_size <= MAX_RANKS, 1);
    MPI_Get_processor_name(mine, &len);
    MPI_Allgather(mine, NAME, MPI_CHAR, all, NAME, MPI_CHAR, MPI_COMM_WORLD);
    memcpy(first, all[0], NAME);
    *hosts = *on_first = 0;
    for (int i = 0; i < check_size; i++) {
        int j = 0;

        while (strcmp(all[j], all[i]) != 0)
            j++;
        *hosts += j == i;
        *on_first += j == 0;
    }
}

/* Agents by the names of hosts. */
static void test_config_list(const char *path)
{
    char host[NAME];
    int hosts, on_first;

    find_hosts(host, &hosts, &on_first);
    const struct {
        const char *list; /* "+": behind the name of the first host */
        int agents;
    } cases[] = {{"+:1", 1}, {"nosuchhost:1,*:1", hosts}, {"+:*", on_first}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *rest = cases[i].list;
        char list[MPI_MAX_PROCESSOR_NAME + 32];
        char want[16];
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info used = MPI_INFO_NULL;
        MPI_File fh = MPI_FILE_NULL;

        snprintf(list, sizeof(list), "%s%s", rest[0] == '+' ? host : "",
                 rest[0] == '+' ? rest + 1 : rest);
        snprintf(want, sizeof(want), "%d", cases[i].agents);
        MPI_Info_create(&info);
        MPI_Info_set(info, "cb_config_list", list);
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                               MPI_MODE_CREATE | MPI_MODE_RDWR |
                                   MPI_MODE_DELETE_ON_CLOSE,
                               info, &fh));
        CHECK_OK(MPI_File_get_info(fh, &used));
        expect_hint(used, "cb_nodes", want);
        MPI_Info_free(&used);
        MPI_Info_free(&info);
        CHECK_OK(MPI_File_close(&fh));
    }
}

/* The file holds this rank's 0x01020304 with the high byte first: the MPI
 * library, and not shipio, wrote it. */
static void check_big_endian(const char *path)
{
    unsigned char bytes[4] = {0};
    FILE *stream = fopen(path, "rb");

    CHECK_EQ(stream != NULL, 1);
    if (stream == NULL)
        return;
    CHECK_EQ(fseek(stream, 4L * check_rank, SEEK_SET), 0);
    CHECK_EQ(fread(bytes, 1, 4, stream), 4);
    fclose(stream);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(bytes[i], i + 1);
}

/* Another representation passes to the MPI library; get_view tells. */
static void test_views(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset disp = -1;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    int value = 0x01020304;
    int got = 0;

    CHECK_OK(
        MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    CHECK_EQ(disp, 8);
    CHECK_EQ(etype == MPI_INT && filetype == MPI_INT, 1);
    CHECK_EQ(strcmp(datarep, "native"), 0);
    CHECK_OK(
        MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    CHECK_EQ(disp, 4);
    CHECK_EQ(strcmp(datarep, "internal"), 0);
    CHECK_OK(MPI_File_set_view(fh, check_times(4, check_rank), MPI_INT, MPI_INT,
                               "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(fh, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(got, value);
    MPI_Barrier(MPI_COMM_WORLD);
    check_big_endian(path);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
}

/* A representation that nobody knows leaves the view as it was. */
static void test_unknown_representation(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset base = 8 + check_times(4, check_rank);
    MPI_Offset disp = -1;
    MPI_Offset at = -1;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    int value = 0x01020304 + check_rank;
    int got = 0;

    CHECK_OK(
        MPI_File_set_view(fh, base, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_seek(fh, 1 + check_size, MPI_SEEK_SET));
    CHECK_EQ(check_class(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE,
                                           "nobody's", MPI_INFO_NULL)) !=
                 MPI_SUCCESS,
             1);
    CHECK_OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    CHECK_EQ(disp, base);
    CHECK_EQ(etype == MPI_INT && filetype == MPI_INT, 1);
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, 1 + check_size);
    CHECK_OK(MPI_File_write_all(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at_all(fh, base + check_times(4, 1 + check_size),
                                  &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(got, value);
    CHECK_OK(MPI_File_close(&fh));
}

/* Files for reading may have views whose pieces overlap. */
static void test_end_of_overlapping_view(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_File reader = MPI_FILE_NULL;
    MPI_Datatype twice;
    MPI_Offset at = -1;
    int got[3] = {0};
    MPI_Status status;

    CHECK_OK(
        MPI_File_write_at_all(fh, 0, "abcdef", 6, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_create_hvector(2, 1, 0, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL,
                           &reader));
    CHECK_OK(
        MPI_File_set_view(reader, 0, MPI_INT, twice, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_seek(reader, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(reader, &at));
    /* Bytes 0 to 3 twice, then 4 and 5, in whole integers. */
    CHECK_EQ(at, 3);
    CHECK_OK(MPI_File_read_at_all(reader, 0, got, 3, MPI_INT, &status));
    CHECK_EQ(check_count(&status), 10);
    CHECK_EQ(memcmp(got, "abcdabcdef", 10), 0);
    CHECK_OK(MPI_File_close(&reader));
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&twice);
}

/* Memory by its address alone. */
static void test_bottom(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset base = (MPI_Offset)LEN * check_rank;
    unsigned char *parts[3] = {malloc(LEN), malloc(LEN), malloc(LEN)};
    int lens[3] = {10, 20, 30};
    unsigned char in[60] = {0};
    MPI_Aint at[3] = {0};
    MPI_Datatype type;
    MPI_Status status;

    for (int i = 0; i < 3; i++) {
        if (parts[i] == NULL)
            MPI_Abort(MPI_COMM_WORLD, 2);
        memset(parts[i], 1 + i, LEN);
        MPI_Get_address(parts[i], &at[i]);
    }
    MPI_Type_create_hindexed(3, lens, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_write_at_all(fh, base, MPI_BOTTOM, 1, type, &status));
    CHECK_EQ(check_count(&status), 60);
    CHECK_OK(MPI_File_read_at(fh, base, in, 60, MPI_BYTE, MPI_STATUS_IGNORE));
    check_data(in, 10, 1);
    check_data(in + 10, 20, 2);
    check_data(in + 30, 30, 3);
    for (int i = 0; i < 3; i++)
        memset(parts[i], 0, LEN);
    CHECK_OK(MPI_File_read_at_all(fh, base, MPI_BOTTOM, 1, type, &status));
    for (int i = 0; i < 3; i++) {
        check_data(parts[i], lens[i], 1 + i);
        check_data(parts[i] + lens[i], LEN - lens[i], 0);
        free(parts[i]);
    }
    MPI_Type_free(&type);
    CHECK_OK(MPI_File_close(&fh));
}

/* A view without a byte, on one rank only. */
static void test_empty_view(const char *path)
{
    MPI_File fh = check_open_new(path);
    unsigned char buf[LEN];
    unsigned char in[LEN] = {0};
    MPI_Offset base = (MPI_Offset)LEN * check_rank;
    MPI_Datatype nothing;
    MPI_Status status;
    MPI_Offset at = -1;
    int empty = check_rank == check_size - 1;
    int len = empty ? 0 : LEN;

    MPI_Type_contiguous(0, MPI_BYTE, &nothing);
    MPI_Type_commit(&nothing);
    memset(buf, 1 + check_rank, LEN);
    CHECK_OK(MPI_File_set_view(fh, base, MPI_BYTE, empty ? nothing : MPI_BYTE,
                               "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_all(fh, buf, len, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), len);
    CHECK_OK(MPI_File_read_at_all(fh, 0, in, len, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), len);
    check_data(in, len, 1 + check_rank);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(fh, &at));
    if (empty) {
        CHECK_EQ(at, 0);
        CHECK_EQ(check_class(
                     MPI_File_write(fh, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
                 MPI_ERR_TYPE);
        CHECK_EQ(
            check_class(MPI_File_read(fh, in, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_TYPE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&nothing);
    CHECK_OK(MPI_File_close(&fh));
}

static void test_wrong_use(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_File reader = MPI_FILE_NULL;
    unsigned char byte = 1;

    CHECK_EQ(check_class(MPI_File_write_at(fh, -1, &byte, 1, MPI_BYTE,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_ARG);
    CHECK_EQ(check_class(MPI_File_write_at(fh, 0, &byte, -1, MPI_BYTE,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_COUNT);
    CHECK_EQ(check_class(MPI_File_write_at(fh, 0, &byte, 1, MPI_DATATYPE_NULL,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_TYPE);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL,
                           &reader));
    CHECK_EQ(check_class(MPI_File_write_at_all(reader, 0, &byte, 1, MPI_BYTE,
                                               MPI_STATUS_IGNORE)),
             MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_close(&reader));
    CHECK_OK(MPI_File_close(&fh));
}

static int handler_calls;

static void on_error(MPI_File *fh, int *code, ...)
{
    (void)fh;
    (void)code;
    handler_calls++;
}

static void test_error_handler(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Errhandler handler;
    unsigned char byte = 1;

    MPI_File_create_errhandler(on_error, &handler);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    (void)MPI_File_write_at(fh, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK_EQ(handler_calls, 1);
    MPI_Errhandler_free(&handler);
    CHECK_OK(MPI_File_close(&fh));
}

/* More dimensions than shipio looks into: the MPI library does. */
static void test_unknown_type(const char *path)
{
    enum { DIMS = 70 };
    MPI_File fh = check_open_new(path);
    int sizes[DIMS];
    int parts[DIMS];
    int starts[DIMS];
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    unsigned char buf[LEN];
    unsigned char got[LEN] = {0};
    MPI_Offset size = -1;

    for (int d = 0; d < DIMS; d++) {
        sizes[d] = parts[d] = 1;
        starts[d] = 0;
    }
    sizes[DIMS - 1] = LEN * check_size;
    parts[DIMS - 1] = LEN;
    starts[DIMS - 1] = LEN * check_rank;
    MPI_Type_create_subarray(DIMS, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE,
                             &tile);
    MPI_Type_commit(&tile);
    for (int i = 0; i < LEN; i++)
        buf[i] = check_byte(i, check_rank);
    /* In memory it is refused, on all ranks alike. */
    CHECK_EQ(
        check_class(MPI_File_write_at(fh, 0, buf, 1, tile, MPI_STATUS_IGNORE)),
        MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    CHECK_OK(
        MPI_File_write_at_all(fh, 0, buf, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(
        MPI_File_read_at_all(fh, 0, got, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(memcmp(buf, got, LEN), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, LEN * check_size);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&tile);
}

/* Positions that no 64 bits can hold in bytes. */
static void test_overflow(const char *path)
{
    MPI_File fh = check_open_new(path);
    const MPI_Offset far = (MPI_Offset)1 << 62;
    MPI_Offset at = 0;
    int value = 1;

    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_EQ(check_class(MPI_File_write_at(fh, far, &value, 1, MPI_INT,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_ARG);
    CHECK_EQ(check_class(MPI_File_seek(fh, far, MPI_SEEK_SET)), MPI_ERR_ARG);
    CHECK_EQ(check_class(MPI_File_get_byte_offset(fh, far, &at)), MPI_ERR_ARG);
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, 0);
    CHECK_OK(MPI_File_close(&fh));
}

/* A file that goes over to the MPI library stays in atomic mode, or does not
 * go. */
static void test_atomic_passes_on(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Offset disp = -1;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    int flag = 0;
    int code;

    CHECK_OK(
        MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    code =
        MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 1);
    CHECK_OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    /* Open MPI has atomic mode in some file systems only. */
#ifdef MPICH_VERSION
    CHECK_OK(code);
#endif
    CHECK_EQ(disp, code == MPI_SUCCESS ? 4 : 8);
    CHECK_EQ(strcmp(datarep, code == MPI_SUCCESS ? "external32" : "native"), 0);
    CHECK_OK(MPI_File_close(&fh));
}

/* What was tried in vain for one view does not come back with the next. */
static void test_atomic_mode_is_left(const char *path)
{
    MPI_File fh = check_open_new(path);
    int flag = -1;

    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    CHECK_EQ(check_class(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE,
                                           "nobody's", MPI_INFO_NULL)) !=
                 MPI_SUCCESS,
             1);
    CHECK_OK(MPI_File_set_atomicity(fh, 0));
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "external32",
                               MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 0);
    CHECK_OK(MPI_File_close(&fh));
}

/* Overlapping writes leave the bytes of one rank only. */
static void test_atomic(const char *path)
{
    MPI_File fh = check_open_new(path);
    unsigned char buf[LEN];
    MPI_Datatype vector;
    int flag = 0;
    int mixed = 0;

    MPI_Type_vector(LEN / 10, 1, 3, MPI_BYTE, &vector);
    MPI_Type_commit(&vector);
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 1);
    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_BYTE, vector, "native", MPI_INFO_NULL));
    memset(buf, 1 + check_rank, sizeof(buf));
    for (int i = 0; i < 20; i++) {
        CHECK_OK(MPI_File_write_at(fh, 0, buf, LEN / 10, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at(fh, 0, buf + LEN / 2, LEN / 10, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        for (int k = 1; k < LEN / 10; k++)
            mixed += buf[LEN / 2 + k] != buf[LEN / 2];
    }
    CHECK_EQ(mixed, 0);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&vector);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "calls");
    test_nonblocking(path);
    test_split(path);
    test_split_twice(path);
    test_end_of_file(path, "auto");
    test_end_of_file(path, "ship");
    test_end_of_file(path, "direct");
    test_sizes(path);
    test_hints(path);
    test_noncollective_in_force(path);
    test_config_list(path);
    test_views(path);
    test_unknown_representation(path);
    test_end_of_overlapping_view(path);
    test_bottom(path);
    test_empty_view(path);
    test_wrong_use(path);
    test_error_handler(path);
    test_atomic(path);
    test_atomic_passes_on(path);
    test_atomic_mode_is_left(path);
    test_unknown_type(path);
    test_overflow(path);
    return check_end();
}
