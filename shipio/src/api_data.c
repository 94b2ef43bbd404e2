/* api_data.c - the data access calls of MPI.
 *
 * Each entry point exists for int and, where the MPI library has them, for
 * MPI_Count counts. Files that shipio does not look after pass through.
 */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include "calls.h"
#include "native.h"

/* Writing does not change the buffer, which MPI declares const. */
static void *unconst(const void *buf)
{
    union {
        const void *in;
        void *out;
    } memory = {.in = buf};

    return memory.out;
}

/* Qualifiers and names cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define CALL(is_write, is_collective, kind, off)                               \
    struct shipio_call call = {.write = (is_write),                            \
                               .collective = (is_collective),                  \
                               .where = (kind),                                \
                               .offset = (off),                                \
                               .buf = unconst(buf),                            \
                               .count = count,                                 \
                               .datatype = datatype};                          \
    struct shipio_file *file = (kind) < SHIPIO_SHARED                          \
                                   ? shipio_file_find(fh)                      \
                                   : shipio_file_find_pointer(fh)

#define ENTRY(name, QUAL, type, is_write, is_collective, kind)                 \
    int MPI_File_##name(MPI_File fh, QUAL void *buf, type count,               \
                        MPI_Datatype datatype, MPI_Status *status)             \
    {                                                                          \
        CALL(is_write, is_collective, kind, 0);                                \
        return file ? shipio_call_blocking(file, &call, status)                \
                    : PMPI_File_##name(shipio_native_of(fh), buf, count,       \
                                       datatype, status);                      \
    }

#define ENTRY_AT(name, QUAL, type, is_write, is_collective)                    \
    int MPI_File_##name(MPI_File fh, MPI_Offset offset, QUAL void *buf,        \
                        type count, MPI_Datatype datatype, MPI_Status *status) \
    {                                                                          \
        CALL(is_write, is_collective, SHIPIO_AT, offset);                      \
        return file ? shipio_call_blocking(file, &call, status)                \
                    : PMPI_File_##name(shipio_native_of(fh), offset, buf,      \
                                       count, datatype, status);               \
    }

#define ENTRY_I(name, QUAL, type, is_write, is_collective, kind)               \
    int MPI_File_##name(MPI_File fh, QUAL void *buf, type count,               \
                        MPI_Datatype datatype, MPI_Request *request)           \
    {                                                                          \
        CALL(is_write, is_collective, kind, 0);                                \
        return file ? shipio_call_nonblocking(file, &call, request)            \
                    : PMPI_File_##name(shipio_native_of(fh), buf, count,       \
                                       datatype, request);                     \
    }

#define ENTRY_I_AT(name, QUAL, type, is_write, is_collective)                  \
    int MPI_File_##name(MPI_File fh, MPI_Offset offset, QUAL void *buf,        \
                        type count, MPI_Datatype datatype,                     \
                        MPI_Request *request)                                  \
    {                                                                          \
        CALL(is_write, is_collective, SHIPIO_AT, offset);                      \
        return file ? shipio_call_nonblocking(file, &call, request)            \
                    : PMPI_File_##name(shipio_native_of(fh), offset, buf,      \
                                       count, datatype, request);              \
    }

#define ENTRY_BEGIN(name, QUAL, type, is_write, kind)                          \
    int MPI_File_##name(MPI_File fh, QUAL void *buf, type count,               \
                        MPI_Datatype datatype)                                 \
    {                                                                          \
        CALL(is_write, true, kind, 0);                                         \
        return file ? shipio_call_begin(file, &call)                           \
                    : PMPI_File_##name(shipio_native_of(fh), buf, count,       \
                                       datatype);                              \
    }

#define ENTRY_BEGIN_AT(name, QUAL, type, is_write)                             \
    int MPI_File_##name(MPI_File fh, MPI_Offset offset, QUAL void *buf,        \
                        type count, MPI_Datatype datatype)                     \
    {                                                                          \
        CALL(is_write, true, SHIPIO_AT, offset);                               \
        return file ? shipio_call_begin(file, &call)                           \
                    : PMPI_File_##name(shipio_native_of(fh), offset, buf,      \
                                       count, datatype);                       \
    }

#define ENTRY_END(name, QUAL, is_write, find)                                  \
    int MPI_File_##name(MPI_File fh, QUAL void *buf, MPI_Status *status)       \
    {                                                                          \
        struct shipio_file *file = find(fh);                                   \
                                                                               \
        return file ? shipio_call_end(file, is_write, status)                  \
                    : PMPI_File_##name(shipio_native_of(fh), buf, status);     \
    }

#define NONCONST

/* All calls with a count; C is the suffix of the names. */
#define ENTRIES(type, C)                                                       \
    ENTRY_AT(read_at##C, NONCONST, type, false, false)                         \
    ENTRY_AT(read_at_all##C, NONCONST, type, false, true)                      \
    ENTRY_AT(write_at##C, const, type, true, false)                            \
    ENTRY_AT(write_at_all##C, const, type, true, true)                         \
    ENTRY(read##C, NONCONST, type, false, false, SHIPIO_INDIVIDUAL)            \
    ENTRY(read_all##C, NONCONST, type, false, true, SHIPIO_INDIVIDUAL)         \
    ENTRY(write##C, const, type, true, false, SHIPIO_INDIVIDUAL)               \
    ENTRY(write_all##C, const, type, true, true, SHIPIO_INDIVIDUAL)            \
    ENTRY(read_shared##C, NONCONST, type, false, false, SHIPIO_SHARED)         \
    ENTRY(read_ordered##C, NONCONST, type, false, true, SHIPIO_ORDERED)        \
    ENTRY(write_shared##C, const, type, true, false, SHIPIO_SHARED)            \
    ENTRY(write_ordered##C, const, type, true, true, SHIPIO_ORDERED)           \
    ENTRY_I_AT(iread_at##C, NONCONST, type, false, false)                      \
    ENTRY_I_AT(iread_at_all##C, NONCONST, type, false, true)                   \
    ENTRY_I_AT(iwrite_at##C, const, type, true, false)                         \
    ENTRY_I_AT(iwrite_at_all##C, const, type, true, true)                      \
    ENTRY_I(iread##C, NONCONST, type, false, false, SHIPIO_INDIVIDUAL)         \
    ENTRY_I(iread_all##C, NONCONST, type, false, true, SHIPIO_INDIVIDUAL)      \
    ENTRY_I(iwrite##C, const, type, true, false, SHIPIO_INDIVIDUAL)            \
    ENTRY_I(iwrite_all##C, const, type, true, true, SHIPIO_INDIVIDUAL)         \
    ENTRY_I(iread_shared##C, NONCONST, type, false, false, SHIPIO_SHARED)      \
    ENTRY_I(iwrite_shared##C, const, type, true, false, SHIPIO_SHARED)         \
    ENTRY_BEGIN_AT(read_at_all_begin##C, NONCONST, type, false)                \
    ENTRY_BEGIN_AT(write_at_all_begin##C, const, type, true)                   \
    ENTRY_BEGIN(read_all_begin##C, NONCONST, type, false, SHIPIO_INDIVIDUAL)   \
    ENTRY_BEGIN(write_all_begin##C, const, type, true, SHIPIO_INDIVIDUAL)      \
    ENTRY_BEGIN(read_ordered_begin##C, NONCONST, type, false, SHIPIO_ORDERED)  \
    ENTRY_BEGIN(write_ordered_begin##C, const, type, true, SHIPIO_ORDERED)

/* NOLINTEND(bugprone-macro-parentheses) */

ENTRIES(int, )
#if MPI_VERSION >= 4
ENTRIES(MPI_Count, _c)
#endif

ENTRY_END(read_at_all_end, NONCONST, false, shipio_file_find)
ENTRY_END(write_at_all_end, const, true, shipio_file_find)
ENTRY_END(read_all_end, NONCONST, false, shipio_file_find)
ENTRY_END(write_all_end, const, true, shipio_file_find)
ENTRY_END(read_ordered_end, NONCONST, false, shipio_file_find_pointer)
ENTRY_END(write_ordered_end, const, true, shipio_file_find_pointer)
