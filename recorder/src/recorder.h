/* recorder.h - what the parts of the recorder share.
 *
 * A wrapper asks rec_begin, makes the program's call, and gives it to rec_end.
 * Calls that the recorded ones make themselves are not recorded. Nothing here
 * changes errno, and nothing that fails here is the program's concern: calls
 * that cannot be recorded are counted.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "trace/live.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REC_PUBLIC __attribute__((visibility("default")))

#define REC_MAX_FDS 65536 /* descriptors from this on are not recorded */

/* An open file of the process, by whatever interface. */
struct rec_file {
    int32_t slot;
    uint32_t opening;    /* how often the slot was opened, this time included */
    uint32_t thread;     /* that opened it */
    uint32_t fds;        /* descriptors that mean it */
    int64_t path, flags; /* for processes that inherit it */
};

struct rec_span {
    uint64_t begin;
};

/* The function behind ours, by its name. */
void *rec_next(const char *name);
/* NOLINTBEGIN(bugprone-macro-parentheses): a name */
#define NEXT(name)                                                             \
    ({                                                                         \
        static __typeof__(&name) next_##name;                                  \
        if (next_##name == NULL)                                               \
            next_##name = (__typeof__(&name))rec_next(#name);                  \
        next_##name;                                                           \
    })
/* NOLINTEND(bugprone-macro-parentheses) */

/* Local. False: this call is not recorded, and rec_end must not be called. */
bool rec_begin(struct rec_span *span);
/* Local. Ends a call; the arguments in the order of the table of calls. */
void rec_end(const struct rec_span *span, enum pario_trace_op op,
             const int64_t args[PARIO_TRACE_ARGS], int64_t result);
/* Local. Ends a call that is not to be noted after all. */
void rec_cancel(void);
/* Local. Is anything recorded in this thread just now? */
bool rec_is_on(void);
/* Local. What a signal's handler does in between is not recorded: it would
 * find the recorder's locks taken. */
void rec_enter(void);
void rec_leave(void);
/* Local. Memory from the system: a handler may have interrupted malloc. NULL:
 * none. Zeroed. */
void *rec_map(size_t len);
void rec_unmap(void *memory, size_t len);
/* Local. Ends a call of MPI that is no I/O: waiting. */
void rec_end_waiting(const struct rec_span *span);
/* Local. Ends a call, and further ones at the same time that took none. */
#define REC_END(span, op, result, ...)                                         \
    rec_end(span, op, (const int64_t[PARIO_TRACE_ARGS]){__VA_ARGS__}, result)

/* Local. The number of a string; 0 for "" and when there is no room. */
int64_t rec_string(const char *text);
/* Local. The same number as before, in a child's file too. */
int64_t rec_string_again(int64_t number);
/* Local. The number of a path if calls on it are recorded, else -1; relative
 * to the folder of descriptor at (AT_FDCWD). */
int64_t rec_path(int at, const char *path);
/* Local. The same for MPI-IO, which nobody but the program calls: also in the
 * system's folders. */
int64_t rec_mpi_path(const char *path);

/* Local. A file that was opened: NULL when there is no memory. */
struct rec_file *rec_file_new(int64_t path, int64_t flags);
/* Local. Not to wait: in a handler, which may have interrupted one who has the
 * lock. */
void rec_file_free(struct rec_file *file, bool may_wait);
/* Local. How a call names it. */
int64_t rec_file_arg(const struct rec_file *file);

/* Local. The file of a descriptor; NULL: not recorded. */
struct rec_file *rec_fd(int fd);
void rec_fd_set(int fd, struct rec_file *file);
/* Local. Forgets the descriptor; the file when it was its last one, the caller
 * frees it. */
struct rec_file *rec_fd_clear(int fd);
/* Local. Ends a call that closed, with rc, what rec_fd_clear gave. NULL: it has
 * another descriptor, or a thread was first: the call is not recorded. */
void rec_end_close(const struct rec_span *span, enum pario_trace_op op, int rc,
                   struct rec_file *last);

/* Local. The file of a descriptor in a call that is recorded, which has begun;
 * NULL: leave the call alone. */
struct rec_file *rec_begin_file(int fd, struct rec_span *span);
/* Local, in a call: a file that the parent opened is noted first. */
void rec_note_inherited(struct rec_file *file, const struct rec_span *span);

/* Local. Ends a call that opened fd, or -1, by the number of its path or, for
 * O_TMPFILE, below the folder: made, and without its name at once. */
int rec_opened(const struct rec_span *span, int fd, int64_t path, int flags,
               mode_t mode);
int rec_nameless(const struct rec_span *span, int fd, int at,
                 const char *folder, int flags, mode_t mode);

/* Local. What a call that moves bytes returned. */
static inline int64_t rec_moved(int64_t moved, int64_t wanted)
{
    if (moved < 0)
        return -errno;
    return moved == wanted ? 0 : moved + 1;
}

/* Local. What another call returned: -1 is an error. */
static inline int64_t rec_status(int64_t status)
{
    return status == -1 ? -errno : 0;
}

/* Local. Portable flags of open(2). */
int64_t rec_open_flags(int flags);

/* Local. All that this thread and those that ended recorded is in the file of
 * this process; what others did is in their own files. */
void rec_flush(bool ended);
/* Local. Before MPI is started: this rank has a recorder. After it was: rank 0
 * writes down whether all have one. Later, on all: have all one? */
void rec_mark_rank(void);
void rec_judge_ranks(void);
bool rec_all_ranks(void);
void rec_unmark_rank(void);
/* Local. Where the parts of a recording are; NULL: nothing is recorded. The
 * rank as far as it is known, -1; size 0. */
const char *rec_folder(int *rank_p, int *size_p);
/* Opens a file in that folder; -1: cannot. It is no link; with `pario record`
 * it is the one that has its mark, else it is made where it is missing. */
int rec_open_in(const char *folder, const char *path, int flags);
/* Local. The place of the file of this process; NULL where nothing is
 * recorded. */
const char *rec_part_path(void);
/* Local. What tells this process from all others; and where a job joins its
 * parts, by that of its rank 0: with `pario record` in its folder, else the
 * trace itself. */
uint64_t rec_id(void);
void rec_joined_path(uint64_t id, char *path, size_t len);
/* Local. The file of this process is in the trace now. */
void rec_forget_part(void);
/* Local. Known after MPI_Init. */
void rec_set_rank(int rank, int size);

/* Local. Is it the recorder's own descriptor, that the program does not know
 * of? Before the program puts another file there: it gets another number. */
bool rec_own_is(int fd);
void rec_make_way(int fd);
/* Local. The recorder's own descriptor, as far as it still is; -1: none. */
int rec_own(void);
/* Local. Keeps it from now on; again: if it is what the last one was, else it
 * is closed. */
bool rec_own_keep(int fd, bool again);
void rec_own_close(void);
/* Local. A descriptor gets a number that programs hardly use; the own one gets
 * another without the old one's being closed. */
int rec_own_move(int fd);
void rec_own_yield(void);

/* Between the parts of the recorder. */
void rec_filter_init(void);
uint32_t rec_thread(void);
bool rec_put_strings(const void *contents, size_t len);
/* In the child: strings are written anew, open files were inherited. */
void rec_strings_after_fork(void);
void rec_files_after_fork(void);
void rec_ranks_after_fork(void);

#endif
