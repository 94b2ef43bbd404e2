/* trace/ops.h - the calls that a trace knows, as one table.
 *
 * What a call is named, which arguments it has and how each of them is coded
 * and printed follows from this table, in the recorder, the reader, the text
 * and the documentation. New calls are added at the end: their number is what
 * the file holds.
 */
#ifndef PARIO_TRACE_OPS_H
#define PARIO_TRACE_OPS_H

#include <stdint.h>

#define PARIO_TRACE_ARGS 6

enum pario_trace_arg {
    PARIO_ARG_NONE,
    PARIO_ARG_FILE,     /* an open file: slot, and opener (see below) */
    PARIO_ARG_OFFSET,   /* coded as the distance from the last one there */
    PARIO_ARG_LENGTH,   /* bytes */
    PARIO_ARG_PIECES,   /* of a vector in memory */
    PARIO_ARG_COUNT,    /* of datatypes in memory */
    PARIO_ARG_TYPE,     /* datatype in memory: string */
    PARIO_ARG_ETYPE,    /* string */
    PARIO_ARG_FILETYPE, /* string */
    PARIO_ARG_DATAREP,  /* string */
    PARIO_ARG_INFO,     /* string: key=value lines */
    PARIO_ARG_PATH,     /* string */
    PARIO_ARG_TO,       /* string: the second path */
    PARIO_ARG_GROUP,    /* string: ranks in MPI_COMM_WORLD */
    PARIO_ARG_NAME,     /* string: which collective call */
    PARIO_ARG_FLAGS,    /* enum pario_trace_flags */
    PARIO_ARG_MODE,     /* permissions */
    PARIO_ARG_DISTANCE, /* of a seek that is not from the beginning */
    PARIO_ARG_DISP,     /* displacement of a view */
    PARIO_ARG_SIZE,     /* of a file */
    PARIO_ARG_REQUEST,  /* a nonblocking access: slot */
    PARIO_ARG_ON,       /* 0 or 1 */
    PARIO_ARG_ENTRIES,  /* of a directory */
    PARIO_ARG_PEER,     /* of a message: rank in MPI_COMM_WORLD */
    PARIO_ARG_TAG,      /* of a message */
    PARIO_ARG_KINDS
};

/* Opening, of any interface and on any system. */
enum pario_trace_flags {
    PARIO_TRACE_READ = 1,
    PARIO_TRACE_WRITE = 2,
    PARIO_TRACE_CREATE = 4,
    PARIO_TRACE_EXCL = 8,
    PARIO_TRACE_TRUNC = 16,
    PARIO_TRACE_APPEND = 32,
    PARIO_TRACE_DIRECT = 64,
    PARIO_TRACE_SYNC = 128,
    PARIO_TRACE_DSYNC = 256,
    PARIO_TRACE_DIRECTORY = 512,
    PARIO_TRACE_DELETE = 1024,     /* on close */
    PARIO_TRACE_UNIQUE = 2048,     /* MPI_MODE_UNIQUE_OPEN */
    PARIO_TRACE_SEQUENTIAL = 4096, /* MPI_MODE_SEQUENTIAL */
};

/* Whether a call moves data, and which way. */
enum pario_trace_data { PARIO_DATA_NONE, PARIO_DATA_READ, PARIO_DATA_WRITE };

/* clang-format off */
/* OP(name, data, arguments): ops.c says what the letters stand for; the result
 * of each call is kept beside its arguments. */
#define PARIO_TRACE_OPS(OP) \
    OP(open,        NONE,  P, F, FLAGS, MODE) \
    OP(close,       NONE,  F) \
    OP(read,        READ,  F, L) \
    OP(write,       WRITE, F, L) \
    OP(pread,       READ,  F, O, L) \
    OP(pwrite,      WRITE, F, O, L) \
    OP(readv,       READ,  F, L, V) \
    OP(writev,      WRITE, F, L, V) \
    OP(preadv,      READ,  F, O, L, V) \
    OP(pwritev,     WRITE, F, O, L, V) \
    OP(lseek_set,   NONE,  F, O) \
    OP(lseek_cur,   NONE,  F, D) \
    OP(lseek_end,   NONE,  F, D) \
    OP(fsync,       NONE,  F) \
    OP(fdatasync,   NONE,  F) \
    OP(ftruncate,   NONE,  F, SIZE) \
    OP(fallocate,   NONE,  F, MODE, O, L) \
    OP(mmap,        NONE,  F, O, L, FLAGS) \
    OP(fstat,       NONE,  F) \
    OP(inherit,     NONE,  P, F, FLAGS) \
    OP(fopen,       NONE,  P, F, FLAGS) \
    OP(fclose,      NONE,  F) \
    OP(fread,       READ,  F, L) \
    OP(fwrite,      WRITE, F, L) \
    OP(fseek_set,   NONE,  F, O) \
    OP(fseek_cur,   NONE,  F, D) \
    OP(fseek_end,   NONE,  F, D) \
    OP(fflush,      NONE,  F) \
    OP(stat,        NONE,  P) \
    OP(mkdir,       NONE,  P, MODE) \
    OP(rmdir,       NONE,  P) \
    OP(unlink,      NONE,  P) \
    OP(rename,      NONE,  P, PARIO_ARG_TO) \
    OP(truncate,    NONE,  P, SIZE) \
    OP(readdir,     NONE,  P, PARIO_ARG_ENTRIES) \
    OP(File_open,   NONE,  P, F, G, FLAGS, INFO) \
    OP(File_close,  NONE,  F) \
    OP(File_delete, NONE,  P, INFO) \
    OP(File_set_view,    NONE, F, PARIO_ARG_DISP, PARIO_ARG_ETYPE, \
       PARIO_ARG_FILETYPE, PARIO_ARG_DATAREP, INFO) \
    OP(File_set_size,    NONE, F, SIZE) \
    OP(File_preallocate, NONE, F, SIZE) \
    OP(File_set_atomicity, NONE, F, PARIO_ARG_ON) \
    OP(File_set_info,    NONE, F, INFO) \
    OP(File_get_size,    NONE, F) \
    OP(File_sync,        NONE, F) \
    OP(File_seek_set,    NONE, F, O) \
    OP(File_seek_cur,    NONE, F, D) \
    OP(File_seek_end,    NONE, F, D) \
    OP(File_seek_shared_set, NONE, F, O) \
    OP(File_seek_shared_cur, NONE, F, D) \
    OP(File_seek_shared_end, NONE, F, D) \
    OP(File_read_at,       READ,  F, O, C, T) \
    OP(File_write_at,      WRITE, F, O, C, T) \
    OP(File_read,          READ,  F, C, T) \
    OP(File_write,         WRITE, F, C, T) \
    OP(File_read_shared,   READ,  F, C, T) \
    OP(File_write_shared,  WRITE, F, C, T) \
    OP(File_read_at_all,   READ,  F, O, C, T) \
    OP(File_write_at_all,  WRITE, F, O, C, T) \
    OP(File_read_all,      READ,  F, C, T) \
    OP(File_write_all,     WRITE, F, C, T) \
    OP(File_read_ordered,  READ,  F, C, T) \
    OP(File_write_ordered, WRITE, F, C, T) \
    OP(File_iread_at,      READ,  F, O, C, T, R) \
    OP(File_iwrite_at,     WRITE, F, O, C, T, R) \
    OP(File_iread,         READ,  F, C, T, R) \
    OP(File_iwrite,        WRITE, F, C, T, R) \
    OP(File_iread_shared,  READ,  F, C, T, R) \
    OP(File_iwrite_shared, WRITE, F, C, T, R) \
    OP(File_iread_at_all,  READ,  F, O, C, T, R) \
    OP(File_iwrite_at_all, WRITE, F, O, C, T, R) \
    OP(File_iread_all,     READ,  F, C, T, R) \
    OP(File_iwrite_all,    WRITE, F, C, T, R) \
    OP(File_read_at_all_begin,   READ,  F, O, C, T) \
    OP(File_write_at_all_begin,  WRITE, F, O, C, T) \
    OP(File_read_all_begin,      READ,  F, C, T) \
    OP(File_write_all_begin,     WRITE, F, C, T) \
    OP(File_read_ordered_begin,  READ,  F, C, T) \
    OP(File_write_ordered_begin, WRITE, F, C, T) \
    OP(File_read_at_all_end,     NONE,  F) \
    OP(File_write_at_all_end,    NONE,  F) \
    OP(File_read_all_end,        NONE,  F) \
    OP(File_write_all_end,       NONE,  F) \
    OP(File_read_ordered_end,    NONE,  F) \
    OP(File_write_ordered_end,   NONE,  F) \
    OP(Wait,        NONE,  R) \
    OP(collective,  NONE,  G, PARIO_ARG_NAME) \
    OP(Send,        NONE,  PARIO_ARG_PEER, PARIO_ARG_TAG) \
    OP(Recv,        NONE,  PARIO_ARG_PEER, PARIO_ARG_TAG)
/* clang-format on */

enum pario_trace_op {
#define PARIO_TRACE_OP(name, data, ...) PARIO_OP_##name,
    PARIO_TRACE_OPS(PARIO_TRACE_OP)
#undef PARIO_TRACE_OP
        PARIO_OPS
};

/* The file argument: a slot, free again after the close; when another stream
 * of the process opened it, also the how manieth opening of that slot. */
#define PARIO_FILE_SLOT_BITS 20
#define PARIO_FILE_SLOT(file)                                                  \
    ((int32_t)((file) & (((int64_t)1 << PARIO_FILE_SLOT_BITS) - 1)))
#define PARIO_FILE_OPENING(file) ((int64_t)(file) >> PARIO_FILE_SLOT_BITS)

/* clang-format off */
/* ERROR(name, class): classes of MPI's errors, MPI_ERR_class; new ones are
 * added at the end: the file holds their place. */
#define PARIO_TRACE_MPI_ERRORS(ERROR) \
    ERROR(other, OTHER) \
    ERROR(access, ACCESS) \
    ERROR(amode, AMODE) \
    ERROR(bad_file, BAD_FILE) \
    ERROR(conversion, CONVERSION) \
    ERROR(dup_datarep, DUP_DATAREP) \
    ERROR(file_exists, FILE_EXISTS) \
    ERROR(file_in_use, FILE_IN_USE) \
    ERROR(file, FILE) \
    ERROR(io, IO) \
    ERROR(no_space, NO_SPACE) \
    ERROR(no_such_file, NO_SUCH_FILE) \
    ERROR(not_same, NOT_SAME) \
    ERROR(quota, QUOTA) \
    ERROR(read_only, READ_ONLY) \
    ERROR(unsupported_datarep, UNSUPPORTED_DATAREP) \
    ERROR(unsupported_operation, UNSUPPORTED_OPERATION) \
    ERROR(arg, ARG) \
    ERROR(count, COUNT) \
    ERROR(type, TYPE) \
    ERROR(comm, COMM) \
    ERROR(info, INFO)
/* clang-format on */

/* Results: 0 all of it; above 0 one more than the bytes moved, when these are
 * fewer; below 0 -errno or, for MPI, PARIO_RESULT_MPI - index in
 * pario_trace_mpi_errors. */
#define PARIO_RESULT_MPI (-1000)

struct pario_trace_op_facts {
    const char *name;
    enum pario_trace_data data;
    enum pario_trace_arg args[PARIO_TRACE_ARGS]; /* PARIO_ARG_NONE: no more */
};

extern const struct pario_trace_op_facts pario_trace_op_table[PARIO_OPS];
extern const char *const pario_trace_arg_names[PARIO_ARG_KINDS];
extern const char *const pario_trace_flag_names[]; /* by bit; NULL at the end */
extern const char *const pario_trace_mpi_errors[]; /* NULL at the end */

/* 1 for arguments that are numbers of strings. */
int pario_trace_arg_is_string(enum pario_trace_arg arg);

/* 1 for the sending and receiving of messages. */
int pario_trace_is_message(enum pario_trace_op op);

/* Which of the call's arguments is of this kind; -1: none. */
int pario_trace_arg_find(enum pario_trace_op op, enum pario_trace_arg arg);

#endif
