/* trace/trace.h - reading recorded I/O (libpariotrace).
 *
 * A trace has processes, a process has streams (its threads), a stream has
 * calls in the order of the program. Anything may be read: what is damaged is
 * left out and said in `notes`. docs/trace-format.md describes the file.
 */
#ifndef PARIO_TRACE_TRACE_H
#define PARIO_TRACE_TRACE_H

#include "core/error.h"
#include "trace/live.h"
#include "trace/ops.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pario_trace; /* opaque */

struct pario_trace_process {
    uint64_t id;
    int rank; /* in MPI_COMM_WORLD; -1: no MPI */
    int size; /* of MPI_COMM_WORLD; 0: no MPI */
    int64_t pid;
    const char *host, *program; /* "" where not known */
    const char *limits;         /* what this trace cannot know, "" if nothing */
    int64_t clock_ns;           /* its monotonic clock ... */
    int64_t utc_ns;             /* ... and the time of day, at its beginning */
    int ended;                  /* in order: nothing is missing at the end */
    int64_t lost_calls;         /* for want of room on the disk */
    size_t nstreams;            /* threads */
};

/* A call, as the program made it. */
struct pario_event {
    enum pario_trace_op op;
    int64_t args[PARIO_TRACE_ARGS];
    int64_t result;
    int64_t begin_ns, end_ns; /* of its process's clock */
    int64_t waiting_ns;       /* in MPI, between the call before and this */
    int exact;                /* times are those of this call alone */
};

/* Local. path is a trace, with what is in path.spool of a recording that was
 * not ended; or such a folder.
 * The caller owns *trace_p. */
int pario_trace_open(const char *path,
                     struct pario_trace **trace_p) PARIO_MUST_USE;
/* Local. The folder of a recording that is held by the descriptor, whatever
 * its name stands for now; path is for messages. */
int pario_trace_open_folder(int dir, const char *path,
                            struct pario_trace **trace_p) PARIO_MUST_USE;
void pario_trace_close(struct pario_trace *trace);

/* Local. Ordered by rank, then by time; those without rank come last. */
size_t pario_trace_processes(const struct pario_trace *trace);
const struct pario_trace_process *
pario_trace_process_of(const struct pario_trace *trace, size_t process);

/* Local. A line for each thing that is missing or damaged; "" if none. */
const char *pario_trace_notes(const struct pario_trace *trace);
/* Local. A value of the job ("command", "started_utc"); NULL: not known. */
const char *pario_trace_job(const struct pario_trace *trace, const char *key);

/* Local. All numbers of strings of a process are below this. */
size_t pario_trace_strings(const struct pario_trace *trace, size_t process);
/* Local. The string of a process by number; "" for 0 and unknown ones. */
const char *pario_trace_string(const struct pario_trace *trace, size_t process,
                               int64_t number);
/* Local. The string of an argument of this kind; "" if the call has none. */
const char *pario_trace_text(const struct pario_trace *trace, size_t process,
                             const struct pario_event *event,
                             enum pario_trace_arg arg);
/* Local. The value of an argument of this kind; absent: fallback. */
int64_t pario_trace_value(const struct pario_event *event,
                          enum pario_trace_arg arg, int64_t fallback);

/* Reads the calls of one stream; several may be open. The caller owns
 * *cursor_p. Local. */
struct pario_cursor;
int pario_cursor_open(const struct pario_trace *trace, size_t process,
                      size_t stream,
                      struct pario_cursor **cursor_p) PARIO_MUST_USE;
/* Local. 1 and *event_p; 0 at the end; a negative error. */
int pario_cursor_next(struct pario_cursor *cursor,
                      struct pario_event *event_p) PARIO_MUST_USE;
void pario_cursor_close(struct pario_cursor *cursor);

/* Local. How many calls a stream has, without walking its loops. */
int pario_trace_count(const struct pario_trace *trace, size_t process,
                      size_t stream, uint64_t *calls_p) PARIO_MUST_USE;

/* Local. A few bytes can stand for years of calls: refuses a trace of more than
 * max (0: of more than is usual, and than its size makes likely) before anybody
 * reads them. */
#define PARIO_CALLS_SUMMED ((int64_t)100000000) /* where they are added up */
#define PARIO_CALLS_LISTED ((int64_t)10000000)  /* where each is a line */
int pario_trace_check_calls(const struct pario_trace *trace, int64_t max,
                            int64_t usual) PARIO_MUST_USE;

/* Local. All chunks of a trace (or folder) as one file at path; one that is
 * there is replaced with force, else kept (-EEXIST). job is more lines of "key
 * value", NULL: none. */
int pario_trace_write(const struct pario_trace *trace, const char *path,
                      int force, const char *job) PARIO_MUST_USE;

/* Local. Removes TRACE.spool: only files that are a recorder's, and the folder
 * when it is empty then. No link is followed; what is another user's stays. */
int pario_trace_remove_spool(const char *path) PARIO_MUST_USE;

/* Local. The folder that all files of the trace are in, with a slash at its
 * end; "": there is none. The caller frees it. */
int pario_trace_folder(const struct pario_trace *trace,
                       char **folder_p) PARIO_MUST_USE;

/* Local. Argument i of a call, and a result that is not 0, as text; paths
 * without the folder that they begin with. */
void pario_event_print_arg(const struct pario_trace *trace, size_t process,
                           const struct pario_event *event, int i,
                           const char *folder, FILE *out);
void pario_event_print_result(int64_t result, FILE *out);

/* Local. The requests as text, one line per call, by rank and thread, without
 * times and with paths from the folder that all files are in: two runs with
 * the same requests give the same bytes. */
int pario_trace_print(const struct pario_trace *trace,
                      FILE *out) PARIO_MUST_USE;

/* A trace may be anybody's: its numbers are added and taken from each other
 * up to the greatest and down to the least that there are. */
static inline int64_t pario_trace_sum(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t pario_trace_times(int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

static inline int64_t pario_trace_less(int64_t a, int64_t b)
{
    int64_t difference;

    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return a > b ? INT64_MAX : INT64_MIN;
}

#endif
