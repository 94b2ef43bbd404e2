/* suites/replay/play.h - the recorded calls of one process, made again. */
#ifndef PARIO_SUITES_REPLAY_PLAY_H
#define PARIO_SUITES_REPLAY_PLAY_H

#include "core/data.h"
#include "core/stats.h"
#include "io/backend.h"
#include "par/group.h"
#include "pario_config.h"
#include "trace/profile.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdio.h>

#if PARIO_HAVE_MPIIO
#include "par/mpi.h"
#endif

/* One opening of a file. */
struct replay_file {
    int64_t slot, opening;
    int fd;
    FILE *stream;
#if PARIO_HAVE_MPIIO
    MPI_File fh;
    void *split; /* address of the split access under way; NULL: none */
#endif
    struct pario_file *through; /* replay->through's; NULL: none */
    int64_t group;              /* that opened it, where through is not MPI */
    struct pario_data data;     /* its bytes */
    int checked;                /* they can be told from others */
    int is_open;
    int64_t next_read;  /* where the last read of any stream ended */
    int64_t uses, done; /* calls of all streams; those made so far */
};

/* What a replay does with time. */
enum replay_timing { REPLAY_ASAP, REPLAY_ORIGINAL };

struct replay_plan;    /* prepare.h */
struct replay_type;    /* mpi.h: a datatype */
struct replay_comm;    /* mpi.h: a communicator */
struct replay_request; /* mpi.c: a nonblocking access */

/* The memory of a call's data: so many bytes in all, and so many of them below
 * the address that the call is given. */
struct replay_memory {
    int64_t before, len;
};

/* A process of the trace, played by this one. */
struct replay {
    const struct pario_trace *trace;
    const struct replay_plan *plan; /* what is known of the files */
    size_t process, nstrings;       /* of the trace; its strings */
    int copy;                       /* of the workload */
    const char *folder;    /* of the trace, cut off from its paths ... */
    const char *directory; /* ... and put before them */
    const char *below;     /* the same, seen from the run's directory */
    uint64_t key;          /* of the data */
    double scale;          /* of the time between calls; 0: none */
    int check;             /* the first word of each read */
    struct pario_hist *latency;
    const char *hints; /* key=value lines that go before the recorded ones */
    const struct pario_backend *through; /* of all data; NULL: as recorded */
    int through_is_mpi;
    struct pario_hints through_hints;

    size_t nstreams;
    struct replay_file **files; /* all openings of the process */
    size_t nfiles;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stop;             /* a stream failed: the others must not wait for it */
    int64_t first_end_ns; /* recorded: of the streams still under way */

#if PARIO_HAVE_MPIIO
    struct replay_type **types; /* by the number of their string */
    struct replay_comm **comms; /* by the number of their string */
    struct replay_request *requests;
    int forgotten; /* a request was not waited for */
    MPI_Comm comm; /* the processes that play this copy */
    int has_comm;
    int64_t tag_ub; /* the largest tag of a message */
#endif
};

/* What one stream did. */
struct replay_sums {
    int64_t calls, bytes[3], operations[3];
    int64_t otherwise;         /* calls that ended not as recorded */
    char first_otherwise[200]; /* the first of them, in words */
    int64_t checked, wrong;    /* bytes */
    int64_t jumps;             /* reads that did not go on where one ended */
    int64_t unstamped;         /* writes of bytes that others wrote, too */
    int64_t unread;            /* writes that cannot be looked for afterwards */
    char wrong_place[256];
    struct pario_hist latency;
};

/* One stream while it is played. */
struct replay_stream {
    int waits_for_parents; /* so far, for files that were missing */
    struct replay *replay;
    size_t number;
    struct pario_cursor *cursor;
    struct pario_places *places;
    struct pario_places_budget budget;
    struct replay_file **own; /* by slot: what this stream opened last */
    size_t nown;
    int64_t *opened; /* openings of this stream in order */
    size_t nopened, next_opened;
    /* One for calls that write, one for those that read: what was read is not
     * written somewhere else. */
    char *buffers[2];
    char *buffer; /* of the call under way */
    size_t room;
    struct replay_memory memory; /* of the call under way */
    int mpi;                     /* it makes calls of MPI */
    int64_t first_ns, last_ns;   /* recorded: its first call, end of its last */
    int finished;
    int64_t debt_ns;  /* time still to be slept */
    int64_t done_ns;  /* when its last call was over */
    int64_t nstamped; /* writes so far */
    size_t stamped;   /* bytes of the buffer in which stamps may be */
    struct replay_sums sums;
    int code;
    char message[400];
};

/* Local. Looks through the calls: openings, memory. Streams are the caller's
 * array of nstreams, zeroed; freed by replay_fini. */
int replay_init(struct replay *replay,
                struct replay_stream *streams) PARIO_MUST_USE;
void replay_fini(struct replay *replay, struct replay_stream *streams);

/* Local, collective as the recorded calls are. All streams, the first that
 * calls MPI in this thread. The code of the first stream that failed. */
int replay_run(struct replay *replay,
               struct replay_stream *streams) PARIO_MUST_USE;

/* Local. Where a recorded path is now: by its whole name, and as seen from the
 * run's directory. Both return text. */
char *replay_path(const struct replay *replay, const char *path, char *text,
                  size_t len);
char *replay_name(const struct replay *replay, const char *path, char *text,
                  size_t len);
/* Local. What the datatypes of a stream may cost: each has its own, for it is a
 * thread of some process. */
struct pario_places_budget replay_budget_of(const struct pario_trace *trace);
/* Local. The number of a file's data, of its own where there are not too many;
 * and for a file that is opened. */
uint64_t replay_file_number(const struct replay *replay, const char *path);
void replay_file_describe(const struct replay *replay, const char *path,
                          struct replay_file *file);

/* Local. Makes one call; result_p as recorded ones are. An error only where the
 * replay cannot go on. */
int replay_posix(struct replay_stream *stream, const struct pario_event *event,
                 const struct pario_place *place, struct replay_file *file,
                 int64_t *result_p) PARIO_MUST_USE;
int replay_mpi(struct replay_stream *stream, const struct pario_event *event,
               const struct pario_place *place, struct replay_file *file,
               int64_t *result_p) PARIO_MUST_USE;
/* Local. Closes what is open of it, which calls then find closed. */
int64_t replay_posix_close(struct replay_file *file);
/* Local, collective as the recorded call is. The same by replay->through; has:
 * is this a call that it makes? */
int replay_through_has(const struct replay *replay,
                       const struct pario_event *event,
                       const struct replay_file *file);
int replay_through(struct replay_stream *stream,
                   const struct pario_event *event,
                   const struct pario_place *place, struct replay_file *file,
                   int64_t *result_p) PARIO_MUST_USE;
/* Local: this process's rank in a group of the trace, by its number. The other
 * is collective over the group: all of it have come. */
int replay_group_rank(struct replay *replay, int64_t group,
                      int *rank_p) PARIO_MUST_USE;
int replay_group_meet(struct replay *replay, int64_t group) PARIO_MUST_USE;
/* Local. The memory that an access of MPI needs. */
int replay_mpi_memory(struct replay *replay, const struct pario_event *event,
                      struct replay_memory *memory_p) PARIO_MUST_USE;
int replay_mpi_init(struct replay *replay) PARIO_MUST_USE;
/* Collective over world: the processes of each copy find each other. Refused
 * where the MPI library does not let several threads call it. */
int replay_mpi_start(struct replay *replay, const struct replay_stream *streams,
                     const struct pario_group *world) PARIO_MUST_USE;
/* Local. Is there a request that nobody waited for? Its memory is the MPI
 * library's for ever. */
int replay_mpi_is_busy(const struct replay *replay);
void replay_mpi_fini(struct replay *replay);

/* The data of a file at the place where the base of all buffers is not; and how
 * many files have numbers of their own. Files that were there before hold the
 * data of that number, each write of a stream stamps those of another pass. */
#define REPLAY_BASE ((uint64_t)1 << 19)
#define REPLAY_FILES ((uint64_t)1 << 13)
#define REPLAY_PASSES ((int64_t)(REPLAY_BASE / REPLAY_FILES))

/* Local. May this word stand at the offset of a file of that number? least: the
 * first pass that may have written it, 0 for what was there before. */
int replay_word_fits(uint64_t key, uint64_t file, int64_t offset, uint64_t word,
                     int64_t least);

#endif
