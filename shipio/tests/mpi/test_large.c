/* test_large.c - the calls and constructors with large counts of MPI 4. */
#include "check.h"

#define LEN 1000

static void test_counts(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_Datatype big;
    MPI_Status status;
    unsigned char buf[LEN];
    unsigned char in[LEN] = {0};

    memset(buf, 77, sizeof(buf));
    MPI_Type_contiguous_c(LEN, MPI_BYTE, &big);
    MPI_Type_commit(&big);
    CHECK_OK(MPI_File_write_at_all_c(fh, (MPI_Offset)LEN * check_rank, buf, 1,
                                     big, &status));
    CHECK_EQ(check_count(&status), LEN);
    CHECK_OK(MPI_File_read_at_c(fh, (MPI_Offset)LEN * check_rank, in, LEN,
                                MPI_BYTE, &status));
    CHECK_EQ(memcmp(in, buf, LEN), 0);
    MPI_Type_free(&big);
    CHECK_OK(MPI_File_close(&fh));
}

enum { KINDS = 10 };

/* The same layout by a constructor with large counts and by the plain one. */
static void make_pair(int kind, MPI_Datatype *large, MPI_Datatype *plain)
{
    MPI_Count lens_c[3] = {1, 3, 2};
    MPI_Count disps_c[3] = {0, 4, 9};
    MPI_Count bytes_c[3] = {0, 20, 40};
    int lens[3] = {1, 3, 2};
    int disps[3] = {0, 4, 9};
    MPI_Aint bytes[3] = {0, 20, 40};
    MPI_Datatype types[3] = {MPI_SHORT, MPI_INT, MPI_SHORT};
    MPI_Count sizes_c[2] = {6, 7}, parts_c[2] = {3, 4}, starts_c[2] = {2, 1};
    int sizes[2] = {6, 7}, parts[2] = {3, 4}, starts[2] = {2, 1};
    int ways[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int args[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 1};

    switch (kind) {
    case 0:
        MPI_Type_vector_c(4, 2, 5, MPI_SHORT, large);
        MPI_Type_vector(4, 2, 5, MPI_SHORT, plain);
        break;
    case 1:
        MPI_Type_create_hvector_c(4, 2, 11, MPI_SHORT, large);
        MPI_Type_create_hvector(4, 2, 11, MPI_SHORT, plain);
        break;
    case 2:
        MPI_Type_indexed_c(3, lens_c, disps_c, MPI_SHORT, large);
        MPI_Type_indexed(3, lens, disps, MPI_SHORT, plain);
        break;
    case 3:
        MPI_Type_create_hindexed_c(3, lens_c, bytes_c, MPI_INT, large);
        MPI_Type_create_hindexed(3, lens, bytes, MPI_INT, plain);
        break;
    case 4:
        MPI_Type_create_indexed_block_c(3, 2, disps_c, MPI_SHORT, large);
        MPI_Type_create_indexed_block(3, 2, disps, MPI_SHORT, plain);
        break;
    case 5:
        MPI_Type_create_hindexed_block_c(3, 2, bytes_c, MPI_INT, large);
        MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, plain);
        break;
    case 6:
        MPI_Type_create_struct_c(3, lens_c, bytes_c, types, large);
        MPI_Type_create_struct(3, lens, bytes, types, plain);
        break;
    case 7:
        MPI_Type_create_subarray_c(2, sizes_c, parts_c, starts_c, MPI_ORDER_C,
                                   MPI_SHORT, large);
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C,
                                 MPI_SHORT, plain);
        break;
    case 8:
        MPI_Type_create_darray_c(2, 1, 2, sizes_c, ways, args, grid,
                                 MPI_ORDER_FORTRAN, MPI_SHORT, large);
        MPI_Type_create_darray(2, 1, 2, sizes, ways, args, grid,
                               MPI_ORDER_FORTRAN, MPI_SHORT, plain);
        break;
    default:
        MPI_Type_create_resized_c(MPI_SHORT, 0, 5, large);
        MPI_Type_create_resized(MPI_SHORT, 0, 5, plain);
    }
    MPI_Type_commit(large);
    MPI_Type_commit(plain);
}

static void test_constructors(const char *path)
{
    MPI_File fh = check_open_new(path);
    unsigned char memory[LEN];

    for (int i = 0; i < LEN; i++)
        memory[i] = check_byte(i, check_rank);
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Offset base = (MPI_Offset)LEN * (2 * check_rank);
        unsigned char bytes[2][LEN] = {{0}};
        MPI_Datatype type[2];
        MPI_Status status;
        long long n[2];

        make_pair(kind, &type[0], &type[1]);
        for (int i = 0; i < 2; i++) {
            MPI_Offset at = 0;

            CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native",
                                       MPI_INFO_NULL));
            /* From memory of this type, and back. */
            CHECK_OK(MPI_File_write_at(fh, base + i * LEN, memory, 2, type[i],
                                       &status));
            n[i] = check_count(&status);
            CHECK_OK(MPI_File_read_at(fh, base + i * LEN, bytes[i], (int)n[i],
                                      MPI_BYTE, MPI_STATUS_IGNORE));
            /* As a view. */
            CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, type[i], "native",
                                       MPI_INFO_NULL));
            for (int k = 0; k < n[i]; k++) {
                CHECK_OK(MPI_File_get_byte_offset(fh, k, &at));
                bytes[i][n[i] + k] = (unsigned char)at;
            }
        }
        CHECK_EQ(n[0], n[1]);
        CHECK_EQ(n[0] > 0, 1);
        CHECK_EQ(memcmp(bytes[0], bytes[1], LEN), 0);
        MPI_Type_free(&type[0]);
        MPI_Type_free(&type[1]);
    }
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "large");
    test_counts(path);
    test_constructors(path);
    return check_end();
}
