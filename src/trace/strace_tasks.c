/* trace/strace_tasks.c - processes, threads and descriptors of a text of
 * strace. */
#include "trace/strace_tasks.h"
#include "trace/system_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FD (1 << 20)
#define MAX_DESCRIPTORS ((size_t)40000000) /* of all processes, ever ... */
#define DESCRIPTORS_OF_PROCESS 520 /* ... each takes the memory of so many */

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot read the text");
}

static struct pario_strace_task *
place_of(const struct pario_strace_tasks *tasks, long pid)
{
    uint64_t hash = (uint64_t)pid * 0x9e3779b97f4a7c15u >> 32;
    size_t at = (size_t)hash & (tasks->room - 1);

    while (tasks->tasks[at].process != NULL && tasks->tasks[at].pid != pid)
        at = (at + 1) & (tasks->room - 1);
    return &tasks->tasks[at];
}

static int grow_tasks(struct pario_strace_tasks *tasks)
{
    struct pario_strace_task *old = tasks->tasks;
    size_t room = tasks->room;

    if (2 * (tasks->ntasks + 1) <= room)
        return 0;
    tasks->room = room > 0 ? 2 * room : 64;
    tasks->tasks = calloc(tasks->room, sizeof(*old));
    if (tasks->tasks == NULL) {
        tasks->tasks = old;
        tasks->room = room;
        return no_memory();
    }
    for (size_t i = 0; i < room; i++)
        if (old[i].process != NULL)
            *place_of(tasks, old[i].pid) = old[i];
    free(old);
    return 0;
}

static int add_task(struct pario_strace_tasks *tasks, long pid,
                    struct pario_strace_process *process)
{
    struct pario_strace_task *task;
    int code = grow_tasks(tasks);

    if (code != 0)
        return code;
    task = place_of(tasks, pid);
    tasks->ntasks += task->process == NULL;
    free(task->unfinished);
    *task = (struct pario_strace_task){
        .pid = pid, .process = process, .member = SIZE_MAX};
    return 0;
}

/* Text of a few bytes may stand for much memory. */
static int spend(const struct pario_strace_process *process, size_t descriptors)
{
    *process->budget += descriptors;
    return *process->budget <= MAX_DESCRIPTORS
               ? 0
               : pario_fail(PARIO_EFORMAT,
                            "too many processes, or open files of these, for "
                            "the memory that a text may take");
}

static int add_process(struct pario_strace_tasks *tasks, long pid,
                       struct pario_strace_process **process_p)
{
    size_t n = tasks->nprocesses;
    struct pario_strace_process *process = calloc(1, sizeof(*process));

    if (process != NULL && (n & (n - 1)) == 0) {
        struct pario_strace_process **processes = realloc(
            tasks->processes,
            (n > 0 ? 2 * n : 1) * sizeof(struct pario_strace_process *));

        if (processes != NULL)
            tasks->processes = processes;
        else
            process = (free(process), NULL);
    }
    if (process == NULL)
        return no_memory();
    process->pid = pid;
    process->owner = SIZE_MAX;
    process->budget = &tasks->budget;
    tasks->processes[tasks->nprocesses++] = process;
    *process_p = process;
    return spend(process, DESCRIPTORS_OF_PROCESS);
}

static void process_fini(struct pario_strace_process *process)
{
    for (size_t i = 0; i < process->nslots; i++)
        if (process->slots[i] != NULL) {
            free(process->slots[i]->path);
            free(process->slots[i]);
        }
    free(process->slots);
    free(process->openings);
    free(process->fds);
    free(process);
}

void pario_strace_tasks_fini(struct pario_strace_tasks *tasks)
{
    for (size_t i = 0; i < tasks->room; i++)
        free(tasks->tasks[i].unfinished);
    for (size_t i = 0; i < tasks->nprocesses; i++)
        process_fini(tasks->processes[i]);
    free(tasks->tasks);
    free(tasks->processes);
}

/* Room for a descriptor. */
static int reach_fd(struct pario_strace_process *process, long fd)
{
    size_t n = process->nfds > 0 ? process->nfds : 16;
    struct pario_strace_fd *fds;
    int code;

    if ((size_t)fd < process->nfds)
        return 0;
    while (n <= (size_t)fd)
        n *= 2;
    code = spend(process, n - process->nfds);
    if (code != 0)
        return code;
    fds = realloc(process->fds, n * sizeof(*fds));
    if (fds == NULL)
        return no_memory();
    memset(fds + process->nfds, 0, (n - process->nfds) * sizeof(*fds));
    process->fds = fds;
    process->nfds = n;
    return 0;
}

/* The lowest slot that is free. */
static int reach_slot(struct pario_strace_process *process, size_t *slot_p)
{
    size_t slot = 0, n;
    struct pario_strace_file **slots;
    int64_t *openings;

    while (slot < process->nslots && process->slots[slot] != NULL)
        slot++;
    *slot_p = slot;
    if (slot < process->nslots)
        return 0;
    n = slot > 0 ? 2 * slot : 16;
    slots = realloc(process->slots, n * sizeof(struct pario_strace_file *));
    if (slots == NULL)
        return no_memory();
    process->slots = slots;
    openings = realloc(process->openings, n * sizeof(*openings));
    if (openings == NULL)
        return no_memory();
    process->openings = openings;
    for (size_t i = slot; i < n; i++) {
        slots[i] = NULL;
        openings[i] = 0;
    }
    process->nslots = n;
    return 0;
}

static int add_file(struct pario_strace_process *process, const char *path,
                    struct pario_strace_file **file_p)
{
    struct pario_strace_file *file = calloc(1, sizeof(*file));
    size_t slot = 0;
    int code = file != NULL ? reach_slot(process, &slot) : no_memory();

    if (code == 0 && (file->path = strdup(path)) == NULL)
        code = no_memory();
    if (code != 0) {
        free(file);
        return code;
    }
    file->slot = (int64_t)slot;
    process->slots[slot] = file;
    *file_p = file;
    return 0;
}

/* The child's descriptors mean the same files, each of them its own. */
static int copy_files(const struct pario_strace_process *from,
                      struct pario_strace_process *to)
{
    int code = spend(to, from->nslots);

    for (size_t i = 0; i < from->nslots && code == 0; i++) {
        const struct pario_strace_file *file = from->slots[i];
        struct pario_strace_file *copy = NULL;

        if (file == NULL)
            continue;
        code = add_file(to, file->path, &copy);
        if (code != 0)
            break;
        copy->flags = file->flags;
        for (size_t fd = 0; fd < from->nfds && code == 0; fd++)
            if (from->fds[fd].file == file) {
                code = reach_fd(to, (long)fd);
                if (code == 0)
                    to->fds[fd] =
                        (struct pario_strace_fd){copy, from->fds[fd].closes};
                copy->fds += code == 0;
            }
    }
    return code;
}

static int make_child(struct pario_strace_tasks *tasks, long pid,
                      struct pario_strace_process *parent, const char *text)
{
    struct pario_strace_process *process = parent;
    int code = 0;

    if (strstr(text, "CLONE_THREAD") == NULL) {
        code = add_process(tasks, pid, &process);
        if (code == 0)
            code = copy_files(parent, process);
        if (code != 0)
            return code;
        memcpy(process->cwd, parent->cwd, sizeof(process->cwd));
        process->lost = parent->lost;
        memcpy(process->program, parent->program, sizeof(process->program));
        process->parents[0] = parent->pid;
        memcpy(process->parents + 1, parent->parents,
               sizeof(parent->parents) - sizeof(parent->parents[0]));
    }
    return add_task(tasks, pid, process);
}

bool pario_strace_is_fork(const char *text)
{
    return strncmp(text, "clone(", 6) == 0 ||
           strncmp(text, "clone3(", 7) == 0 || strncmp(text, "fork(", 5) == 0 ||
           strncmp(text, "vfork(", 6) == 0;
}

/* Who has been making a child for longest, and is not known to have it yet. */
static struct pario_strace_task *
find_maker(const struct pario_strace_tasks *tasks)
{
    struct pario_strace_task *maker = NULL;

    for (size_t i = 0; i < tasks->room; i++) {
        struct pario_strace_task *task = &tasks->tasks[i];

        if (task->process != NULL && task->unfinished != NULL &&
            !task->has_child && pario_strace_is_fork(task->unfinished) &&
            (maker == NULL || task->begun < maker->begun))
            maker = task;
    }
    return maker;
}

int pario_strace_task_find(struct pario_strace_tasks *tasks, long pid,
                           struct pario_strace_task **task_p)
{
    struct pario_strace_task *maker;
    struct pario_strace_process *process = NULL;
    int code = grow_tasks(tasks);

    if (code != 0)
        return code;
    if (place_of(tasks, pid)->process == NULL) {
        maker = find_maker(tasks);
        if (maker != NULL) {
            maker->has_child = true;
            code = make_child(tasks, pid, maker->process, maker->unfinished);
        } else {
            code = add_process(tasks, pid, &process);
            if (code == 0)
                code = add_task(tasks, pid, process);
        }
    }
    *task_p = place_of(tasks, pid);
    return code;
}

int pario_strace_task_fork(struct pario_strace_tasks *tasks, long pid,
                           long child, const char *text)
{
    struct pario_strace_task *task = place_of(tasks, pid);

    if (task->has_child || child <= 0 || child == pid) {
        task->has_child = false;
        return 0;
    }
    return make_child(tasks, child, task->process, text);
}

struct pario_strace_file *
pario_strace_file_of(const struct pario_strace_task *task, long fd)
{
    const struct pario_strace_process *process = task->process;

    return fd >= 0 && (size_t)fd < process->nfds ? process->fds[fd].file : NULL;
}

void pario_strace_file_drop(struct pario_strace_task *task,
                            struct pario_strace_file *file)
{
    task->process->slots[file->slot] = NULL;
    free(file->path);
    free(file);
}

struct pario_strace_file *
pario_strace_file_close(struct pario_strace_task *task, long fd)
{
    struct pario_strace_file *file = pario_strace_file_of(task, fd);

    if (file == NULL)
        return NULL;
    task->process->fds[fd].file = NULL;
    return --file->fds == 0 ? file : NULL;
}

int pario_strace_file_copy(struct pario_strace_task *task,
                           struct pario_strace_file *file, long fd, bool closes)
{
    int code = fd >= 0 && fd < MAX_FD ? reach_fd(task->process, fd) : 1;

    if (code != 0)
        return code < 0 ? code : 0;
    task->process->fds[fd] = (struct pario_strace_fd){file, closes};
    if (file != NULL)
        file->fds++;
    return 0;
}

void pario_strace_file_keep(struct pario_strace_task *task, long fd,
                            bool closes)
{
    if (pario_strace_file_of(task, fd) != NULL)
        task->process->fds[fd].closes = closes;
}

int pario_strace_file_open(struct pario_strace_task *task, long fd,
                           const char *path, int64_t flags, bool closes,
                           struct pario_strace_file **file_p)
{
    struct pario_strace_process *process = task->process;
    struct pario_strace_file *file = NULL;
    int code;

    *file_p = NULL;
    if (fd < 0 || fd >= MAX_FD)
        return 0;
    code = add_file(process, path, &file);
    if (code != 0)
        return code;
    file->flags = flags;
    file->noted = true;
    file->opening = ++process->openings[file->slot];
    file->thread = task->thread;
    *file_p = file;
    return pario_strace_file_copy(task, file, fd, closes);
}

int64_t pario_strace_file_arg(const struct pario_strace_task *task,
                              const struct pario_strace_file *file)
{
    return file->thread == task->thread
               ? file->slot
               : file->slot | file->opening << PARIO_FILE_SLOT_BITS;
}

#define LIMITS                                                                 \
    "limits from strace: no MPI calls, no streams, times include strace's "    \
    "own; no files of the system, nor descriptors from before its first line"

static int make_owner(struct pario_strace_tasks *tasks,
                      struct pario_strace_process *process)
{
    char lines[PATH_MAX + 400], parents[100] = "";
    size_t n = 0;

    for (size_t i = 1;
         i < sizeof(process->parents) / sizeof(long) && process->parents[i] > 0;
         i++)
        n += (size_t)snprintf(parents + n, sizeof(parents) - n, " %ld",
                              process->parents[i]);
    n = 0;
    if (process->program[0] != '\0')
        n = (size_t)snprintf(lines, sizeof(lines), "program %s\n",
                             process->program);
    snprintf(lines + n, sizeof(lines) - n, "pid %ld\nparent %ld\n%s%s%s%s\n",
             process->pid, process->parents[0],
             parents[0] != '\0' ? "ancestors" : "", parents,
             parents[0] != '\0' ? "\n" : "", LIMITS);
    return pario_trace_writer_process(tasks->writer, lines, &process->owner);
}

int pario_strace_task_begin(struct pario_strace_tasks *tasks,
                            struct pario_strace_task *task)
{
    struct pario_strace_process *process = task->process;
    int code = 0;

    if (task->member != SIZE_MAX)
        return 0;
    task->thread = process->nthreads++;
    if (process->owner == SIZE_MAX) {
        code = make_owner(tasks, process);
        task->member = process->owner;
    } else {
        code = pario_trace_writer_thread(tasks->writer, process->owner,
                                         task->thread, &task->member);
    }
    return code;
}

/* Without "//", "/./" and "/../"; links stay. */
static void clean(char *path)
{
    char *out = path;

    for (const char *at = path; *at != '\0';) {
        size_t len = strcspn(at + 1, "/");

        if (len == 2 && at[1] == '.' && at[2] == '.') {
            while (out > path && *--out != '/')
                ;
        } else if (len > 0 && !(len == 1 && at[1] == '.')) {
            memmove(out, at, len + 1);
            out += len + 1;
        }
        at += len + 1;
    }
    if (out == path)
        *out++ = '/';
    *out = '\0';
}

/* What is in shared memory may be data. */
static bool is_system(const char *path)
{
    if (strncmp(path, "/dev/shm/", 9) == 0)
        return false;
    for (int i = 0; pario_system_folders[i] != NULL; i++) {
        size_t len = strlen(pario_system_folders[i]);

        if (strncmp(path, pario_system_folders[i], len) == 0 &&
            (path[len] == '/' || path[len] == '\0'))
            return true;
    }
    return false;
}

void pario_strace_learn_folder(struct pario_strace_tasks *tasks,
                               struct pario_strace_task *task,
                               const char *folder)
{
    struct pario_strace_process *process = task->process;
    size_t len = strlen(folder), tail = strlen(process->cwd);
    bool fits = tail == 0 || (process->cwd[0] != '/' && tail < len &&
                              strcmp(folder + len - tail, process->cwd) == 0 &&
                              folder[len - tail - 1] == '/');

    if (folder[0] != '/' || len >= sizeof(process->cwd))
        return;
    if (!process->lost && fits && tasks->base[0] == '\0')
        snprintf(tasks->base, sizeof(tasks->base), "%.*s",
                 (int)(tail > 0 ? len - tail - 1 : len), folder);
    memcpy(process->cwd, folder, len + 1);
    process->lost = false;
}

static bool find_path(const struct pario_strace_task *task, long dir,
                      const char *path, char whole[PATH_MAX])
{
    const struct pario_strace_file *folder =
        dir == AT_FDCWD ? NULL : pario_strace_file_of(task, dir);
    const char *from = dir == AT_FDCWD  ? task->process->cwd
                       : folder != NULL ? folder->path
                                        : NULL;
    int n;

    if (path[0] == '\0' || (path[0] != '/' && from == NULL) ||
        (path[0] != '/' && dir == AT_FDCWD && task->process->lost))
        return false;
    if (path[0] == '/')
        n = snprintf(whole, PATH_MAX, "%s", path);
    else /* where nobody knows the folder, "/" is taken away again */
        n = snprintf(whole, PATH_MAX, "%s%s/%s", from[0] == '/' ? "" : "/",
                     from, path);
    if (n >= PATH_MAX)
        return false;
    clean(whole);
    if (path[0] != '/' && from[0] != '/')
        memmove(whole, whole + 1, strlen(whole));
    return whole[0] != '\0';
}

bool pario_strace_path(const struct pario_strace_task *task, long dir,
                       const char *path, char whole[PATH_MAX])
{
    return find_path(task, dir, path, whole) && !is_system(whole);
}

bool pario_strace_folder(const struct pario_strace_task *task, const char *path,
                         char whole[PATH_MAX])
{
    return find_path(task, AT_FDCWD, path, whole);
}
