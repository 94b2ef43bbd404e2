/* trace/strace_tasks.h - the processes and threads of a text of strace, and
 * which file each of their descriptors means. */
#ifndef PARIO_TRACE_STRACE_TASKS_H
#define PARIO_TRACE_STRACE_TASKS_H

#include "trace/writer.h"

#include <limits.h>
#include <stdbool.h>

/* An open file of a process. */
struct pario_strace_file {
    int64_t slot, opening, flags;
    size_t thread; /* that opened it */
    size_t fds;    /* descriptors that mean it */
    bool noted;    /* the trace knows that this process has it */
    char *path;
};

struct pario_strace_fd {
    struct pario_strace_file *file; /* NULL: none that is recorded */
    bool closes; /* when the process becomes another program */
};

/* A process: threads share it. */
struct pario_strace_process {
    size_t *budget; /* of all */
    struct pario_strace_fd *fds;
    size_t nfds;
    struct pario_strace_file **slots; /* NULL: free */
    int64_t *openings;                /* of each slot, so far */
    size_t nslots;
    char cwd[PATH_MAX];     /* from where the first one began */
    bool lost;              /* nobody knows where it is */
    char program[PATH_MAX]; /* "": not known */
    long pid, parents[4];   /* the nearest first */
    size_t nthreads;        /* so far, with calls */
    size_t owner; /* the writer's first member; SIZE_MAX: no call yet */
};

struct pario_strace_task {
    long pid;                             /* of the thread */
    struct pario_strace_process *process; /* NULL: a free place */
    size_t member, thread; /* of the writer; SIZE_MAX: no call yet */
    char *unfinished;  /* a call that another task's line interrupted, and */
    uint64_t start_ns; /* when it began */
    bool has_child;    /* the child of the call under way has been seen */
    uint64_t begun; /* which call of a child it is, in the order of the text */
};

struct pario_strace_tasks {
    struct pario_trace_writer *writer;
    struct pario_strace_task *tasks; /* by pid: hashed */
    size_t ntasks, room;
    struct pario_strace_process **processes;
    size_t nprocesses;
    size_t budget;       /* descriptors so far, and processes as such */
    uint64_t begun;      /* calls that make a child */
    char base[PATH_MAX]; /* where the first one began; "": not known */
};

/* Local. The task of a number; a new one is the child of who is just making
 * one, or nobody's. */
int pario_strace_task_find(struct pario_strace_tasks *tasks, long pid,
                           struct pario_strace_task **task_p) PARIO_MUST_USE;
/* Local. A call of the task, by its number, made the child. text: of the call,
 * with its flags. */
int pario_strace_task_fork(struct pario_strace_tasks *tasks, long pid,
                           long child, const char *text) PARIO_MUST_USE;
bool pario_strace_is_fork(const char *text);
void pario_strace_tasks_fini(struct pario_strace_tasks *tasks);

/* Local. The file of a descriptor; NULL: none that is recorded. */
struct pario_strace_file *
pario_strace_file_of(const struct pario_strace_task *task, long fd);
/* Local. A file that was opened. *file_p: NULL if the number cannot be one. */
int pario_strace_file_open(struct pario_strace_task *task, long fd,
                           const char *path, int64_t flags, bool closes,
                           struct pario_strace_file **file_p) PARIO_MUST_USE;
/* Local. Another number for the same, or for none. */
int pario_strace_file_copy(struct pario_strace_task *task,
                           struct pario_strace_file *file, long fd,
                           bool closes) PARIO_MUST_USE;
void pario_strace_file_keep(struct pario_strace_task *task, long fd,
                            bool closes);
/* Local. The number is free again. The file when it was its last one: the
 * caller says so in the trace, and lets pario_strace_file_drop free it. */
struct pario_strace_file *
pario_strace_file_close(struct pario_strace_task *task, long fd);
void pario_strace_file_drop(struct pario_strace_task *task,
                            struct pario_strace_file *file);
/* Local. How the task's calls name it. */
int64_t pario_strace_file_arg(const struct pario_strace_task *task,
                              const struct pario_strace_file *file);

/* Local. Adds a call of the task; a member of the writer is made for its first
 * one. */
int pario_strace_task_begin(struct pario_strace_tasks *tasks,
                            struct pario_strace_task *task) PARIO_MUST_USE;

/* Local. The system tells a task where it is. */
void pario_strace_learn_folder(struct pario_strace_tasks *tasks,
                               struct pario_strace_task *task,
                               const char *folder);

/* Local. A path from the folder of descriptor dir (AT_FDCWD) as text: without
 * "//", "/./" and "/../". False: it cannot be known, or is the system's. */
bool pario_strace_path(const struct pario_strace_task *task, long dir,
                       const char *path, char whole[PATH_MAX]);
/* Local. The same for a folder that the task goes to, also the system's. */
bool pario_strace_folder(const struct pario_strace_task *task, const char *path,
                         char whole[PATH_MAX]);

#endif
