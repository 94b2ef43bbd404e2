/* test_views.c - every datatype constructor as a file view: what is written
 * is where MPI says, nothing else is touched, and it can be read back.
 *
 * Where MPI says: found by MPI_Pack of a buffer of position numbers with the
 * same datatype, so the MPI library itself is the model.
 */
#include <stdbool.h>
#include <stddef.h>

#include "check.h"

#define TILES 3

static MPI_Datatype make_vector(void)
{
    MPI_Datatype type;
    MPI_Datatype tile;

    MPI_Type_vector(7, 5, 5 * check_size, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, check_times(35, check_size), &tile);
    MPI_Type_free(&type);
    return tile;
}

static MPI_Datatype make_hvector_of_int(void)
{
    MPI_Datatype type;
    MPI_Datatype tile;

    MPI_Type_create_hvector(100, 2, check_times(8, check_size), MPI_INT, &type);
    MPI_Type_create_resized(type, 0, check_times(800, check_size), &tile);
    MPI_Type_free(&type);
    return tile;
}

/* Pieces of 1 to 4 bytes, dealt out to the ranks in turn. */
static MPI_Datatype make_indexed(void)
{
    int lens[40];
    int disps[40];
    int at = 0;
    int n = 0;
    MPI_Datatype type;
    MPI_Datatype tile;

    for (int i = 0; i < 40 * check_size; i++) {
        int len = 1 + i % 4;

        if (i % check_size == check_rank) {
            lens[n] = len;
            disps[n++] = at;
        }
        at += len;
    }
    MPI_Type_indexed(n, lens, disps, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, at, &tile);
    MPI_Type_free(&type);
    return tile;
}

static MPI_Datatype make_indexed_block(void)
{
    int disps[30];
    MPI_Datatype type;
    MPI_Datatype tile;

    for (int i = 0; i < 30; i++)
        disps[i] = 3 * (i * check_size + (check_rank + i) % check_size);
    MPI_Type_create_indexed_block(30, 3, disps, MPI_SHORT, &type);
    MPI_Type_create_resized(type, 0, check_times(180, check_size), &tile);
    MPI_Type_free(&type);
    return tile;
}

static MPI_Datatype make_struct(void)
{
    int lens[3] = {1, 2, 1};
    MPI_Aint disps[3];
    MPI_Datatype types[3] = {MPI_INT, MPI_SHORT, MPI_SHORT_INT};
    MPI_Datatype type;
    MPI_Datatype tile;

    disps[0] = check_times(64, check_rank);
    disps[1] = disps[0] + 12;
    disps[2] = disps[0] + 40;
    MPI_Type_create_struct(3, lens, disps, types, &type);
    MPI_Type_create_resized(type, 0, check_times(64, check_size), &tile);
    MPI_Type_free(&type);
    return tile;
}

static MPI_Datatype make_subarray(void)
{
    int sizes[3] = {4, 6, 5 * check_size};
    int subsizes[3] = {2, 3, 5};
    int starts[3] = {1, 2, 5 * check_rank};
    MPI_Datatype type;

    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT,
                             &type);
    return type;
}

static MPI_Datatype make_subarray_fortran(void)
{
    int sizes[2] = {5 * check_size, 7};
    int subsizes[2] = {5, 6};
    int starts[2] = {5 * check_rank, 1};
    MPI_Datatype type;

    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN,
                             MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype make_darray(int distrib, int darg)
{
    int gsizes[2] = {11, 4 * check_size + 3};
    int distribs[2] = {MPI_DISTRIBUTE_NONE, 0};
    int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 0};
    int psizes[2] = {1, check_size};
    MPI_Datatype type;

    distribs[1] = distrib;
    dargs[1] = darg;
    MPI_Type_create_darray(check_size, check_rank, 2, gsizes, distribs, dargs,
                           psizes, MPI_ORDER_C, MPI_INT, &type);
    return type;
}

static MPI_Datatype make_darray_block(void)
{
    return make_darray(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
}

static MPI_Datatype make_darray_cyclic(void)
{
    return make_darray(MPI_DISTRIBUTE_CYCLIC, 2);
}

static MPI_Datatype make_nested(void)
{
    MPI_Datatype inner;
    MPI_Datatype dup;
    MPI_Datatype outer;
    MPI_Datatype tile;

    MPI_Type_vector(3, 2, 4, MPI_BYTE, &inner);
    MPI_Type_dup(inner, &dup);
    MPI_Type_create_hvector(4, 1, check_times(16, check_size), dup, &outer);
    MPI_Type_create_resized(outer, 0, check_times(64, check_size), &tile);
    MPI_Type_free(&inner);
    MPI_Type_free(&dup);
    MPI_Type_free(&outer);
    return tile;
}

static MPI_Datatype make_contiguous(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(1000, MPI_DOUBLE, &type);
    return type;
}

static const struct {
    const char *name;
    MPI_Datatype (*make)(void);
    int shift; /* of the view of each rank: bytes times rank */
} kinds[] = {
    {"vector", make_vector, 5},
    {"hvector", make_hvector_of_int, 8},
    {"indexed", make_indexed, 0},
    {"indexed_block", make_indexed_block, 0},
    {"struct", make_struct, 0},
    {"subarray", make_subarray, 0},
    {"subarray_fortran", make_subarray_fortran, 0},
    {"darray_block", make_darray_block, 0},
    {"darray_cyclic", make_darray_cyclic, 0},
    {"nested", make_nested, 16},
    {"contiguous", make_contiguous, 3 * 8000},
};

#define NKINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

/* Ways of doing it; each must give the same file. */
static const struct {
    const char *mode;
    const char *stripe;
    const char *agents;
    const char *buffers;
    const char *sparse;
} ways[] = {
    {"auto", "0", "0", "true", "false"},
    {"direct", "0", "0", "true", "false"},
    {"ship", "0", "0", "true", "false"},
    {"ship", "4096", "0", "true", "true"},
    {"ship", "4096", "1", "false", "true"},
    {"ship", "8k", "2", "false", "false"},
};

#define NWAYS ((int)(sizeof(ways) / sizeof(ways[0])))

static MPI_File open_way(const char *path, int way)
{
    MPI_Info info;
    MPI_File fh = MPI_FILE_NULL;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", ways[way].mode);
    MPI_Info_set(info, "IBM_io_buffer_size", ways[way].stripe);
    if (ways[way].agents[0] != '0')
        MPI_Info_set(info, "cb_nodes", ways[way].agents);
    MPI_Info_set(info, "shipio_double_buffer", ways[way].buffers);
    MPI_Info_set(info, "IBM_sparse_access", ways[way].sparse);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* File offset of each data byte of TILES tiles of type, relative to the view:
 * packs an array in which every byte tells its own offset. */
static int *offsets_of(MPI_Datatype type, int *count_p)
{
    MPI_Aint lb;
    MPI_Aint extent;
    int size = 0;
    int total = 0;
    unsigned char *bytes;
    unsigned char *packed;
    int *offsets;

    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_size(type, &size);
    total = TILES * (int)extent + 4096;
    *count_p = TILES * size;
    bytes = calloc((size_t)total, 1);
    packed = malloc((size_t)*count_p + 4096);
    offsets = calloc((size_t)*count_p, sizeof(int));
    for (int digit = 0; digit < 3; digit++) {
        int at = 0;

        for (int i = 0; i < total; i++)
            bytes[i] = (unsigned char)(i >> (8 * digit));
        MPI_Pack(bytes, TILES, type, packed, *count_p + 4096, &at,
                 MPI_COMM_SELF);
        for (int i = 0; i < *count_p; i++)
            offsets[i] |= packed[i] << (8 * digit);
    }
    free(bytes);
    free(packed);
    return offsets;
}

/* The whole file against what all ranks together should have written. */
static void check_file(const char *path, const int *offsets, int count,
                       int base, int salt)
{
    int mine = count > 0 ? offsets[count - 1] + base + 1 : 0;
    int len = 0;
    unsigned char *want;
    unsigned char *got;
    FILE *stream;
    size_t n = 0;

    MPI_Allreduce(&mine, &len, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    want = calloc((size_t)len + 1, 1);
    got = calloc((size_t)len + 1, 1);
    for (int i = 0; i < count; i++)
        want[offsets[i] + base] = check_byte(offsets[i] + base, salt);
    MPI_Allreduce(MPI_IN_PLACE, want, len, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    stream = fopen(path, "rb");
    if (stream != NULL) {
        n = fread(got, 1, (size_t)len + 1, stream);
        fclose(stream);
    }
    CHECK_EQ(n, len);
    CHECK_EQ(memcmp(want, got, (size_t)len), 0);
    free(want);
    free(got);
}

/* Memory with gaps: each byte of data is followed by one that must stay. */
static void move_all(MPI_File fh, unsigned char *data, int count, bool gaps,
                     bool write)
{
    MPI_Datatype spread;
    MPI_Status status;
    unsigned char *wide = NULL;

    MPI_Type_create_resized(MPI_BYTE, 0, 2, &spread);
    MPI_Type_commit(&spread);
    if (gaps) {
        wide = malloc((size_t)count * 2 + 1);
        memset(wide, 0xee, (size_t)count * 2 + 1);
        for (ptrdiff_t i = 0; write && i < count; i++)
            wide[2 * i] = data[i];
    }
    if (write)
        CHECK_OK(MPI_File_write_all(fh, gaps ? wide : data, count,
                                    gaps ? spread : MPI_BYTE, &status));
    else
        CHECK_OK(MPI_File_read_all(fh, gaps ? wide : data, count,
                                   gaps ? spread : MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), count);
    for (ptrdiff_t i = 0; gaps && i < count; i++) {
        CHECK_EQ(wide[2 * i + 1], 0xee);
        if (!write)
            data[i] = wide[2 * i];
    }
    free(wide);
    MPI_Type_free(&spread);
}

static void run_kind(MPI_File fh, const char *path, int kind, int way)
{
    MPI_Datatype type = kinds[kind].make();
    int base = 11 + kinds[kind].shift * check_rank;
    int count = 0;
    int salt = kind * 100 + way;
    int *offsets;
    unsigned char *data;
    int errors = 0;
    bool gaps = (kind + way) % 2 == 1;

    MPI_Type_commit(&type);
    offsets = offsets_of(type, &count);
    data = calloc((size_t)count + 1, 1);
    for (int i = 0; i < count; i++)
        data[i] = check_byte(offsets[i] + base, salt);
    CHECK_OK(MPI_File_set_size(fh, 0));
    CHECK_OK(
        MPI_File_set_view(fh, base, MPI_BYTE, type, "native", MPI_INFO_NULL));
    move_all(fh, data, count / 2, gaps, true);
    move_all(fh, data + count / 2, count - count / 2, !gaps, true);
    CHECK_OK(MPI_File_sync(fh));
    check_file(path, offsets, count, base, salt);
    memset(data, 0, (size_t)count);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    move_all(fh, data, count / 3, !gaps, false);
    move_all(fh, data + count / 3, count - count / 3, gaps, false);
    for (int i = 0; i < count; i++)
        errors += data[i] != check_byte(offsets[i] + base, salt);
    CHECK_EQ(errors, 0);
    if (errors > 0)
        fprintf(stderr, "in %s, way %d\n", kinds[kind].name, way);
    MPI_Type_free(&type);
    free(offsets);
    free(data);
}

/*
 * Two ranks overlap, and there are as many bytes as the span is long: the gaps
 * must still be seen and left alone.
 */
static void test_overlap(MPI_File fh)
{
    int len = check_rank == 0 ? 10 : 9;
    int count = check_rank < 2 ? 6 * len : 0;
    unsigned char data[60];
    unsigned char all[120];
    MPI_Datatype vector;
    MPI_Datatype tile;

    memset(all, 0xcc, sizeof(all));
    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_size(fh, 0));
    if (check_rank == 0)
        CHECK_OK(
            MPI_File_write_at(fh, 0, all, 120, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_vector(1, len, len, MPI_BYTE, &vector);
    MPI_Type_create_resized(vector, 0, 20, &tile);
    MPI_Type_commit(&tile);
    memset(data, 1, sizeof(data));
    CHECK_OK(MPI_File_set_view(fh, check_rank == 0 ? 0 : 5, MPI_BYTE, tile,
                               "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_all(fh, data, count, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(
        MPI_File_read_at_all(fh, 0, all, 120, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < 120; i++)
        CHECK_EQ(all[i], i % 20 < (check_size > 1 ? 14 : 10) ? 1 : 0xcc);
    MPI_Type_free(&vector);
    MPI_Type_free(&tile);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "views");
    for (int way = 0; way < NWAYS; way++) {
        MPI_File fh = open_way(path, way);

        for (int kind = 0; kind < NKINDS; kind++)
            run_kind(fh, path, kind, way);
        test_overlap(fh);
        CHECK_OK(MPI_File_close(&fh));
    }
    if (check_rank == 0)
        remove(path);
    return check_end();
}
