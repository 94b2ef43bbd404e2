/* suites/replay/order.h - processes that came one after the other, as a script
 * starts them, do so again; the ranks of one MPI job have their messages and
 * collective calls for that.
 *
 * - What began after the end of another process begins after it again.
 * - A child's first call comes after what its parent had done by then. A call
 *   of MPI that was under way then may have waited for this child by way of
 *   another rank: the child does not wait for it.
 * - What a process did after the end of its child comes after that again.
 *
 * So each waits only for what was over before, and no two for each other, as
 * far as the recorded times are exact. Where calls shared their time and two
 * wait for each other all the same, the deadline of the phase ends the run.
 */
#ifndef PARIO_SUITES_REPLAY_ORDER_H
#define PARIO_SUITES_REPLAY_ORDER_H

#include "trace/trace.h"

#include <stdint.h>

struct replay;

/* From the first to the last call, in UTC; begin > end: it made none. */
struct replay_life {
    int64_t begin_ns, end_ns;
    int64_t job_begin_ns, job_end_ns; /* of all ranks of its job, or the same */
    size_t parent;                    /* SIZE_MAX: none that made calls */
    const char *host;
    int job;
};

struct replay_lives {
    struct replay_life *items; /* by process */
    size_t count;
    int ordered; /* anybody waits for anybody */
    int64_t begin_ns, end_ns;
};

/* Local. Zeroed before; freed by the other. When all lives have been seen,
 * replay_lives_join finds jobs and parents. */
int replay_lives_init(struct replay_lives *lives,
                      const struct pario_trace *trace) PARIO_MUST_USE;
void replay_lives_see(struct replay_lives *lives, size_t process,
                      int64_t begin_ns, int64_t end_ns);
int replay_lives_join(struct replay_lives *lives,
                      const struct pario_trace *trace) PARIO_MUST_USE;
void replay_lives_fini(struct replay_lives *lives);

/* What was reached, by unit: known to all units of this rank, and to others by
 * files in the run's directory that are there until then: a full disk can
 * refuse them only while they are made, before anybody waits. */
enum replay_mark { REPLAY_MAY_BEGIN = 1, REPLAY_ENDED = 2 };
struct replay_marks {
    unsigned char *marks; /* one for each unit of the job */
    size_t count;
    int shared; /* there are other ranks */
    const char *directory;
    int code; /* the first error with one of the files */
};

int replay_marks_init(struct replay_marks *marks, size_t count, int shared,
                      const char *directory) PARIO_MUST_USE;
/* Rank 0, before any of them is waited for. */
int replay_marks_make(const struct replay_marks *marks,
                      const struct replay_lives *lives) PARIO_MUST_USE;
/* Local, after all units of the rank: could it say and see all of them? */
int replay_marks_check(const struct replay_marks *marks) PARIO_MUST_USE;
void replay_marks_fini(struct replay_marks *marks);

/* A child of a process, while it is played. */
struct replay_child {
    size_t process;
    size_t passed; /* streams that are past its beginning */
};

/* The place of a process among the others. */
struct replay_order {
    struct replay_marks *marks; /* NULL: nobody waits for anybody */
    const struct replay_lives *lives;
    size_t process, first_unit; /* of the copy's processes */
    size_t nstreams;
    struct replay_child *children; /* by their beginnings */
    size_t nchildren;
    size_t *ended;    /* the same, by their ends */
    int64_t pause_ns; /* from then until it began, when it was recorded */
};

int replay_order_init(struct replay_order *order, struct replay_marks *marks,
                      const struct replay_lives *lives,
                      const struct replay *replay) PARIO_MUST_USE;
void replay_order_fini(struct replay_order *order);

/* Local. Waits until the process may begin; *stop_p: it never may. No wait goes
 * on after an error with the marks, which replay_marks_check tells. */
void replay_order_begin(const struct replay_order *order, const int *stop_p);
/* Local. A stream comes to a call that began at utc_ns, INT64_MAX: has ended;
 * children that began until until_ns do not wait for it. next: how many
 * children it has let begin and seen end, 0 at first. Returns 1 when it had to
 * wait. */
int replay_order_step(const struct replay_order *order, size_t next[2],
                      int64_t utc_ns, int64_t until_ns, const int *stop_p);
/* Local. The process has ended, however it did. */
void replay_order_end(const struct replay_order *order);

#endif
