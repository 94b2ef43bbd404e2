/* trace/profile.h - what a program does: sums over the calls of a trace. */
#ifndef PARIO_TRACE_PROFILE_H
#define PARIO_TRACE_PROFILE_H

#include "trace/trace.h"

#define PARIO_PROFILE_SIZES 41    /* requests below 2^0, 2^1 ... bytes */
#define PARIO_PROFILE_COLUMNS 100 /* of the time line */

/* Where a request begins, compared with the one before of the same process. */
enum pario_follow {
    PARIO_FOLLOW_FIRST,
    PARIO_FOLLOW_END,    /* at its end */
    PARIO_FOLLOW_STRIDE, /* as far from its beginning as that from the one
                            before */
    PARIO_FOLLOW_ELSEWHERE,
    PARIO_FOLLOW_UNKNOWN, /* shared pointers */
    PARIO_FOLLOWS
};

/* Calls of one kind on one file. */
struct pario_profile_line {
    const char *path; /* "" for collective calls of MPI; borrowed */
    enum pario_trace_op op;
    int64_t calls, bytes, errors, short_ones;
    int64_t busy_ns, longest_ns;
    int64_t smallest, largest; /* bytes of a call */
    int64_t pieces;            /* contiguous in the file, of all calls */
    int64_t follows[PARIO_FOLLOWS];
    int64_t begin, end; /* of the bytes in the file, as far as known */
    int processes;      /* that made such calls */
    size_t last_process;
};

/* All calls on one file. */
struct pario_profile_file {
    const char *path; /* borrowed */
    int64_t busy_ns, calls;
    int64_t bytes[3];   /* by enum pario_trace_data */
    int64_t begin, end; /* as of a line */
    int processes;      /* most that made one kind of call there */
};

/* How many calls of I/O were under way at the same time, asked at so many
 * moments of the trace's time. */
#define PARIO_PROFILE_MOMENTS 65536
struct pario_concurrency {
    double any;  /* share of the moments with at least one */
    double mean; /* of those moments */
    int most;
};

struct pario_profile_process {
    int64_t begin_ns, end_ns;          /* UTC: first and last call */
    int64_t data_ns[3];                /* by enum pario_trace_data: 0: calls
                                          that move none */
    int64_t collective_ns, waiting_ns; /* in MPI, without I/O */
    int64_t bytes[3], calls[3];
    float column[PARIO_PROFILE_COLUMNS]; /* share of time in I/O */
};

struct pario_profile {
    struct pario_profile_line *lines; /* the one that took longest first */
    size_t nlines;
    struct pario_profile_process *processes;
    size_t nprocesses;
    int64_t begin_ns, end_ns; /* UTC */
    int64_t sizes[3][PARIO_PROFILE_SIZES];
    int64_t bytes[3], calls[3], busy_ns[3];
    int64_t collective_calls; /* of MPI-IO */
    int64_t inexact;          /* calls whose times are those of a slice */
    struct pario_profile_file *files; /* the one that took longest first */
    size_t nfiles;
    struct pario_concurrency concurrency;
};

/* Local. The caller frees it with pario_profile_fini before the trace is
 * closed. */
int pario_profile_init(struct pario_profile *profile,
                       const struct pario_trace *trace) PARIO_MUST_USE;
void pario_profile_fini(struct pario_profile *profile);

/* Local. Is this a call of MPI-IO that all processes of the file make? */
int pario_trace_is_collective(enum pario_trace_op op);

/* What a call touches in its file; one for each stream that is read. */
struct pario_places;
struct pario_layout; /* type.h */
struct pario_place {
    const char *path;      /* of the file, "": not known; borrowed */
    int64_t bytes;         /* asked for */
    int64_t offset;        /* of the first; -1: not known */
    int64_t pieces, piece; /* how many, and the length of the first */
    /* For pario_place_piece: the first byte in the data that the view shows,
     * and the view; NULL: plain bytes. Borrowed from the places. */
    int64_t position;
    const struct pario_layout *view;
    int64_t disp;
};

/* Local. Where byte number `done` of the call's data stands in the file, and
 * how many bytes follow it there in one piece (never more than the call has).
 * PARIO_EFORMAT: not known. */
int pario_place_piece(const struct pario_place *place, int64_t done,
                      int64_t *offset_p, int64_t *len_p) PARIO_MUST_USE;

/* What the datatypes of a trace may cost, those of all its processes together:
 * beyond it the places of later calls are not known. */
struct pario_places_budget {
    int64_t work;    /* steps: some, and more for each byte of the trace */
    size_t segments; /* that are kept at a time */
};
struct pario_places_budget
pario_places_budget_of(const struct pario_trace *trace);

/* Local. Follows the files, views and pointers of a process: give it every
 * call in order. The budget is that of one thread and lives longer. The caller
 * owns *places_p. */
int pario_places_create(const struct pario_trace *trace, size_t process,
                        struct pario_places_budget *budget,
                        struct pario_places **places_p) PARIO_MUST_USE;
int pario_places_next(struct pario_places *places,
                      const struct pario_event *event,
                      struct pario_place *place_p) PARIO_MUST_USE;
void pario_places_destroy(struct pario_places *places);

#endif
