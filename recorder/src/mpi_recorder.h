/* mpi_recorder.h - what the parts of the recorder that know MPI share. */
#ifndef MPI_RECORDER_H
#define MPI_RECORDER_H

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include "recorder.h"

/* The next one of a name that mpi_profiled.c may have changed. */
#define NEXT_MPI(name) NEXT(name)

/* Local. Numbers of strings: a datatype as text (trace/type.h), the ranks of a
 * communicator in MPI_COMM_WORLD, hints as lines. */
int64_t rec_type(MPI_Datatype datatype);
int64_t rec_group(MPI_Comm comm);
int64_t rec_info(MPI_Info info);

/* Local. The file of a handle; NULL: not recorded. */
struct rec_file *rec_mpi_file(MPI_File fh);
void rec_mpi_file_set(MPI_File fh, struct rec_file *file);
void rec_mpi_file_clear(MPI_File fh);

/* Local. Result of a call that returned code. */
int64_t rec_mpi_result(int code);
/* Local. The same of a data access: status, which may be IGNORE, says what was
 * moved of count datatypes. */
int64_t rec_mpi_moved(int code, const MPI_Status *status, int64_t count,
                      MPI_Datatype datatype);

/* Local. A nonblocking access has begun: its number; -1: no room. */
int64_t rec_request_new(void);
void rec_request_set(int64_t number, MPI_Request request, int64_t bytes);
int64_t rec_bytes(int64_t count, MPI_Datatype datatype);

/* Local. Nonblocking receives: is any under way; which one it is, -1: none;
 * one is over, and with it the span; one will never be. */
bool rec_receives_under_way(void);
int64_t rec_receive_find(MPI_Request request);
void rec_receive_over(const struct rec_span *span, int64_t number, int code,
                      const MPI_Status *status);
void rec_receive_forget(int64_t number);

/* Collective over MPI_COMM_WORLD, before MPI_Finalize: one file. */
void rec_merge(void);
/* Local. After MPI_Init. */
void rec_mpi_started(void);

#endif
