/* suites/replay/prepare.h - the files that a trace needs before it begins. */
#ifndef PARIO_SUITES_REPLAY_PREPARE_H
#define PARIO_SUITES_REPLAY_PREPARE_H

#include "suites/replay/messages.h"
#include "suites/replay/play.h"

/* A path of the trace, and what the calls say about it. */
struct replay_target {
    const char *path; /* borrowed from the trace */
    int64_t first_ns; /* UTC: of the first call on it */
    int folder;       /* it is one */
    int made;         /* by the trace itself: created, or renamed to */
    int needed;       /* it was there before */
    int absent;       /* it was not: a call that found it would have failed */
    size_t met_by;    /* the last process that called, and one more */
    int64_t read_end, write_end;
    int64_t bytes; /* moved */
    /* Of these in pieces, or who knows where: they reach beyond the ends. */
    int64_t loose_bytes, loose_written_bytes;
    int irregular; /* writes of parts of words, or who knows where */
    /* What becomes of what is written; times are UTC, 0: never. */
    int64_t written_bytes, last_write_ns, last_sync_ns;
    int64_t syncs;
    int cached;       /* opened without O_SYNC, O_DSYNC or O_DIRECT */
    int gone;         /* deleted, or renamed */
    int64_t cut_size; /* the smallest size that it was cut to */
    int64_t cut_ns;   /* when it last was cut ... */
    size_t cut_by;    /* ... the process, and one more; SIZE_MAX: several */
    int64_t named_ns; /* UTC: when it last was made, deleted or renamed ... */
    int unnamed;      /* ... and that it is there no more since then */
};

struct replay_plan {
    struct replay_target *targets; /* by path */
    size_t count;
    int64_t seconds_ns; /* that the program took */
    int64_t need_bytes; /* on the disk */
    int64_t data_bytes; /* different bytes that calls touch */
    int64_t once_bytes; /* written, each place once between two syncs */
    int64_t reads, writes;
    size_t nwritten;     /* files */
    int unsynced;        /* nothing makes one of them durable */
    int mpi;             /* there are calls of MPI */
    int64_t nowhere;     /* accesses whose places nobody knows */
    const char *largest; /* path of the file with most data; "": none */
    struct replay_messages messages;
};

/* Local. Looks through all calls of all processes; messages are counted, and
 * not checked yet. The trace must outlive the plan. */
int replay_plan_init(struct replay_plan *plan,
                     const struct pario_trace *trace) PARIO_MUST_USE;
void replay_plan_fini(struct replay_plan *plan);

/* Local. Are all writes of the file known, whole words of memory in one piece?
 * Then every word of it tells whether it is in its place. */
int replay_plan_is_regular(const struct replay_plan *plan, const char *path);

/* Local. Is it a folder, as far as the calls say? */
int replay_plan_is_folder(const struct replay_plan *plan, const char *path);

/* Local. Its number among all of the plan; plan->count: it is none of them. */
size_t replay_plan_number(const struct replay_plan *plan, const char *path);

/* Local. Was it deleted or renamed for good before utc_ns? */
int replay_plan_is_gone(const struct replay_plan *plan, const char *path,
                        int64_t utc_ns);

/* Local. Does what process p wrote at utc_ns, up to `end`, stay in the file? */
int replay_plan_stays(const struct replay_target *target, size_t process,
                      int64_t utc_ns, int64_t end);

/* Local. When a call of the process began, in UTC. */
int64_t replay_utc_ns(const struct pario_trace *trace, size_t process,
                      const struct pario_event *event);

/* Local. Folders, and files with their data, below replay->directory. */
int replay_prepare(const struct replay_plan *plan,
                   const struct replay *replay) PARIO_MUST_USE;

#endif
