/* suites/iot/file.h - the test file: created, preallocated, synchronised,
 * closed and removed, with the times of each (B.4: pre_time, palloc_time,
 * post_time). */
#ifndef PARIO_IOT_FILE_H
#define PARIO_IOT_FILE_H

#include "suites/iot/iot.h"

enum iot_interface { IOT_MPI, IOT_UNIX };

struct iot_file {
    MPI_File handle; /* IOT_MPI */
    int fd;          /* IOT_UNIX */
    const char *path;
    MPI_Comm comm; /* of those that opened it */
    enum iot_interface interface;
    double pre_s, palloc_s, post_s, sync_s; /* of this rank */
    /* What preallocating did to the file: "written" or "reserved"; NULL where
     * it was not done or cannot be seen. */
    const char *preallocated;
};

/*
 * Collective over comm (MPI_COMM_SELF: local). Creates the file, which must
 * not exist unless --force. The view is contiguous MPI_DOUBLE (5.1.3), so
 * offsets of MPI calls count doubles. Not agreed on: each rank has its code.
 */
int iot_file_create(struct iot_context *context, MPI_Comm comm,
                    enum iot_interface interface,
                    struct iot_file *file) PARIO_MUST_USE;
/* Collective over comm. Opens again what this set created, for reading. */
int iot_file_reopen(struct iot_context *context, MPI_Comm comm,
                    struct iot_file *file) PARIO_MUST_USE;
/* Collective over the file's comm. The same after a close, its times are kept;
 * an open file stays as it is. */
int iot_file_open_again(struct iot_context *context,
                        struct iot_file *file) PARIO_MUST_USE;
/* Collective over the file's comm: as the set says. */
int iot_file_preallocate(struct iot_context *context,
                         struct iot_file *file) PARIO_MUST_USE;
int iot_file_sync(struct iot_file *file) PARIO_MUST_USE;
/* Local, after a sync. ROMIO's MPI_File_sync leaves out what nonblocking calls
 * wrote: it is made durable by the file's name, and counts as sync. */
int iot_file_sync_rest(struct iot_file *file) PARIO_MUST_USE;
/* Collective over the file's comm. A file that is closed stays so. */
int iot_file_close(struct iot_file *file) PARIO_MUST_USE;

/*
 * Collective over all ranks, of which the active ones are comm: creates and
 * preallocates, agreed on by all. end closes, whatever code was before, and
 * appends the times around the I/O; code or a new one comes back.
 */
int iot_file_begin(struct iot_context *context, MPI_Comm comm, int active,
                   enum iot_interface interface,
                   struct iot_file *file) PARIO_MUST_USE;
int iot_file_end(struct iot_context *context, struct iot_file *file, int active,
                 int code) PARIO_MUST_USE;

/* Local. What preallocating did, as a member of extra; returns extra. */
json_t *iot_extra_preallocated(const struct iot_file *file, json_t *extra);

/* Collective over all ranks: is the file as long as it must be? */
int iot_file_check_size(struct iot_context *context,
                        int64_t bytes) PARIO_MUST_USE;

/* Collective. A contiguous view of doubles from byte `displacement` on, or
 * one of the given file type. */
int iot_file_view(struct iot_file *file, int64_t displacement,
                  MPI_Datatype filetype) PARIO_MUST_USE;

/* Local. An MPI code and the count moved -> ours, with a message that names
 * the file; count < 0: not known. */
int iot_io_check(const struct iot_file *file, int mpi_code,
                 const MPI_Status *status, MPI_Datatype type, int count,
                 const char *verb) PARIO_MUST_USE;

#endif
