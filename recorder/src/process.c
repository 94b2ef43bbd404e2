/* process.c - what a process records: its file, its threads, its strings.
 *
 * Each thread has its own block of calls, in a file that is mapped, so that
 * what a killed process did is there; full blocks go to the process's file. */
#include "recorder.h"
#include "trace/bytes.h"
#include "trace/chunk.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define RESOLUTION_NS 10000000u
#define CALIBRATE_NS 300000
#define NAME_MAX_LEN (PATH_MAX + 64)

/* A thread's block; kept for another thread when it ends. */
struct stream {
    struct pario_live *live;
    struct stream *next; /* of all */
    bool used;
    char path[NAME_MAX_LEN];
};

static struct {
    bool on;
    uint64_t id;
    int rank, size;
    uint64_t resolution_ns;
    double ticks_per_ns;
    uint64_t ticks0, ns0, utc0;
    char trace[PATH_MAX], folder[PATH_MAX + 16], part[NAME_MAX_LEN];
    char mark[NAME_MAX]; /* in the folder that `pario record` made; "": ours */
    bool made;           /* part is there: own.c has it */
    bool broken;         /* part could not be written */
    uint64_t lost, written;
    struct stream *streams;
    uint32_t nthreads;
    uint8_t *block; /* room for one */
} process = {.rank = -1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_key;

/* depth: calls of the program under way in this thread. */
static __thread struct {
    struct stream *stream;
    int depth;
    bool given_up;
} thread __attribute__((tls_model("initial-exec")));

void *rec_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static uint64_t clock_of(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The kernel trusts the counter as its own clock, or we do not. */
static bool use_counter;

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    if (use_counter)
        return __rdtsc();
#endif
    return clock_of(CLOCK_MONOTONIC);
}

/* Our own files: by system calls, for the names are the program's. */
static int open_file(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
}

int rec_open_in(const char *folder, const char *path, int flags)
{
    const char *name = path + strlen(folder) + 1;
    int dir, fd = -1;

    if (process.mark[0] == '\0')
        (void)syscall(SYS_mkdirat, AT_FDCWD, folder, 0755);
    dir = open_file(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (dir < 0)
        return -1;
    /* Another folder may have taken the name: it has no such mark. */
    if (process.mark[0] == '\0' ||
        syscall(SYS_faccessat, dir, process.mark, F_OK) == 0)
        fd = (int)syscall(SYS_openat, dir, name, flags | O_NOFOLLOW | O_CLOEXEC,
                          0644);
    syscall(SYS_close, dir);
    return fd < 0 ? -1 : rec_own_move(fd);
}

static bool write_bytes(int fd, const void *bytes, size_t len)
{
    for (const char *at = bytes; len > 0;) {
        long n = syscall(SYS_write, fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static bool read_clocksource(void)
{
    char text[8] = "";
    int fd = open_file("/sys/devices/system/clocksource/clocksource0/"
                       "current_clocksource",
                       O_RDONLY);

    if (fd < 0)
        return false;
    (void)!syscall(SYS_read, fd, text, sizeof(text) - 1);
    syscall(SYS_close, fd);
    return strncmp(text, "tsc", 3) == 0;
}

/* Both clocks at one moment: the best of some tries, for a process may lose
 * the processor in between. */
static void read_both(uint64_t *ticks_p, uint64_t *ns_p)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = ticks();
        uint64_t ns = clock_of(CLOCK_MONOTONIC);
        uint64_t after = ticks();

        if (after - before < best) {
            best = after - before;
            *ticks_p = before + best / 2;
            *ns_p = ns;
        }
    }
}

static void calibrate(void)
{
    uint64_t end, now, then;

    use_counter = read_clocksource();
    read_both(&process.ticks0, &process.ns0);
    process.utc0 = clock_of(CLOCK_REALTIME);
    process.ticks_per_ns = 1;
    if (!use_counter)
        return;
    end = process.ns0 + CALIBRATE_NS;
    while (clock_of(CLOCK_MONOTONIC) < end)
        ;
    read_both(&then, &now);
    process.ticks_per_ns =
        (double)(then - process.ticks0) / (double)(now - process.ns0);
}

/* The caller holds the lock. The part, also when the program closed it; -1:
 * it cannot be had now. */
static int find_part(void)
{
    int fd = rec_own();

    if (fd >= 0 || !process.made)
        return fd;
    fd = rec_open_in(process.folder, process.part, O_RDWR);
    if (fd < 0 || !rec_own_keep(fd, true))
        return -1;
    syscall(SYS_lseek, fd, 0L, SEEK_END);
    return fd;
}

/* The caller holds the lock. Nothing is lost of a chunk but the whole. */
static bool put_chunk(uint32_t type, const void *contents, size_t len)
{
    uint8_t head[PARIO_CHUNK_HEAD];
    int fd = find_part();
    off_t before;

    if (fd < 0)
        return false;
    before = (off_t)syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    pario_chunk_put(head, type, process.id, contents, len);
    if (write_bytes(fd, head, sizeof(head)) && write_bytes(fd, contents, len))
        return true;
    if (rec_own() == fd) {
        syscall(SYS_ftruncate, fd, (long)before);
        syscall(SYS_lseek, fd, (long)before, SEEK_SET);
    }
    return false;
}

static size_t put_text(char *text, size_t len, const char *key,
                       const char *value)
{
    return (size_t)snprintf(text, len, "%s %s\n", key, value);
}

static void put_process(void)
{
    char text[PATH_MAX + 600], program[PATH_MAX] = "";
    struct utsname names;
    size_t n;

    if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
        program[0] = '\0';
    uname(&names);
    n = put_text(text, sizeof(text), "host", names.nodename);
    n += put_text(text + n, sizeof(text) - n, "program", program);
    n += (size_t)snprintf(text + n, sizeof(text) - n,
                          "pid %ld\nparent %ld\nclock_ns %llu\nutc_ns %llu\n",
                          (long)getpid(), (long)getppid(),
                          (unsigned long long)process.ns0,
                          (unsigned long long)process.utc0);
    if (process.rank >= 0)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "rank %d\nsize %d\n",
                              process.rank, process.size);
    (void)put_chunk(PARIO_CHUNK_PROCESS, text, n);
}

/* The caller holds the lock. Processes that record nothing leave no file. */
static bool open_part(void)
{
    uint8_t head[PARIO_TRACE_HEAD];
    int fd;

    if (process.made)
        return true;
    if (process.broken)
        return false;
    snprintf(process.part, sizeof(process.part), "%s/%016llx-%llu.part",
             process.folder, (unsigned long long)process.id,
             (unsigned long long)process.written);
    fd = rec_open_in(process.folder, process.part, O_RDWR | O_CREAT | O_EXCL);
    pario_trace_put_head(head);
    process.made = fd >= 0 && rec_own_keep(fd, false);
    if (!process.made || !write_bytes(fd, head, sizeof(head))) {
        process.broken = true;
        return false;
    }
    put_process();
    return true;
}

bool rec_put_strings(const void *contents, size_t len)
{
    bool done;

    pthread_mutex_lock(&lock);
    done = open_part() && put_chunk(PARIO_CHUNK_STRINGS, contents, len);
    pthread_mutex_unlock(&lock);
    return done;
}

static void read_clocks(struct pario_live *live)
{
    live->ticks[0] = process.ticks0;
    live->ns[0] = process.ns0;
    read_both(&live->ticks[1], &live->ns[1]);
}

/* The caller holds the lock. */
static void write_block(struct pario_live *live)
{
    read_clocks(live);
    if (live->ncalls > 0 && process.block != NULL) {
        size_t len = pario_live_encode(live, process.block);

        if (open_part() && put_chunk(PARIO_CHUNK_BLOCK, process.block, len)) {
            process.written += live->calls_added;
        } else {
            live->lost_calls += live->calls_added;
            process.lost += live->calls_added;
        }
    }
    pario_live_clear(live);
}

/* Room that is there when it is used: a mapped file that finds the disk full
 * would end the program. */
static bool reserve(int fd, size_t len)
{
    static const char zeros[4096];

    if (syscall(SYS_fallocate, fd, 0L, 0L, (long)len) == 0)
        return true;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return false;
    for (size_t n = 0; n < len; n += sizeof(zeros))
        if (!write_bytes(fd, zeros, sizeof(zeros)))
            return false;
    return true;
}

void *rec_map(size_t len)
{
    long at = syscall(SYS_mmap, NULL, len, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);

    return at == -1 ? NULL : (void *)at;
}

void rec_unmap(void *memory, size_t len)
{
    if (memory != NULL)
        syscall(SYS_munmap, memory, len);
}

static struct stream *new_stream(void)
{
    struct stream *stream = rec_map(sizeof(*stream));
    int fd;

    if (stream == NULL)
        return NULL;
    snprintf(stream->path, sizeof(stream->path), "%s/%016llx-%u.live",
             process.folder, (unsigned long long)process.id, process.nthreads);
    fd = rec_open_in(process.folder, stream->path, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 && reserve(fd, sizeof(*stream->live)))
        stream->live = mmap(NULL, sizeof(*stream->live), PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, 0);
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (stream->live == NULL || stream->live == MAP_FAILED) {
        if (fd >= 0)
            syscall(SYS_unlinkat, AT_FDCWD, stream->path, 0);
        rec_unmap(stream, sizeof(*stream));
        return NULL;
    }
    stream->next = process.streams;
    process.streams = stream;
    return stream;
}

/* This thread's block; NULL: it cannot have one, and its calls are lost. */
static struct stream *take_stream(void)
{
    struct stream *stream;

    pthread_mutex_lock(&lock);
    for (stream = process.streams; stream != NULL && stream->used;
         stream = stream->next)
        ;
    if (stream == NULL)
        stream = new_stream();
    if (stream != NULL) {
        stream->used = true;
        stream->live->magic = 0;
        pario_live_init(stream->live, process.id, process.nthreads++,
                        process.resolution_ns, process.ticks_per_ns);
        stream->live->start = stream->live->last = ticks();
        read_clocks(stream->live);
        (void)open_part(); /* a block must know its process */
    }
    pthread_mutex_unlock(&lock);
    return stream;
}

static void end_thread(void *value)
{
    struct stream *stream = value;

    pthread_mutex_lock(&lock);
    write_block(stream->live);
    stream->used = false;
    pthread_mutex_unlock(&lock);
    thread.stream = NULL;
    thread.given_up = true; /* what comes after is not worth a stream */
}

void rec_enter(void)
{
    thread.depth++;
}

void rec_leave(void)
{
    if (thread.depth > 0) /* none in a child that a handler forked in between */
        thread.depth--;
}

bool rec_is_on(void)
{
    return process.on && thread.depth == 0;
}

bool rec_begin(struct rec_span *span)
{
    if (!process.on || thread.depth > 0 || thread.given_up)
        return false;
    if (thread.stream == NULL) {
        int saved = errno;

        thread.depth = 1;
        thread.stream = take_stream();
        thread.depth = 0;
        errno = saved;
        if (thread.stream == NULL) {
            thread.given_up = true;
            __atomic_add_fetch(&process.lost, 1, __ATOMIC_RELAXED);
            return false;
        }
        pthread_setspecific(thread_key, thread.stream);
    }
    thread.depth = 1;
    span->begin = ticks();
    return true;
}

void rec_cancel(void)
{
    thread.depth = 0;
}

void rec_end(const struct rec_span *span, enum pario_trace_op op,
             const int64_t args[PARIO_TRACE_ARGS], int64_t result)
{
    uint64_t end = ticks();
    struct stream *stream = thread.stream;
    struct pario_call call = {.op = (int32_t)op, .result = result};
    int saved = errno;

    if (stream == NULL) { /* a handler forked: the call is the parent's */
        thread.depth = 0;
        return;
    }
    memcpy(call.args, args, sizeof(call.args));
    /* A handler of a signal that came in here finds the block busy; its child
     * that comes back here is left alone with a copy of the parent's. */
    if (!stream->live->busy &&
        pario_live_add(stream->live, &call, span->begin, end) &&
        stream == thread.stream) {
        pthread_mutex_lock(&lock);
        write_block(stream->live);
        pthread_mutex_unlock(&lock);
    }
    thread.depth = 0;
    errno = saved;
}

void rec_end_waiting(const struct rec_span *span)
{
    struct stream *stream = thread.stream;

    if (stream != NULL)
        stream->live->waiting += ticks() - span->begin;
    thread.depth = 0;
}

int64_t rec_file_arg(const struct rec_file *file)
{
    if (thread.stream != NULL && file->thread == thread.stream->live->thread)
        return file->slot;
    return file->slot | (int64_t)file->opening << PARIO_FILE_SLOT_BITS;
}

uint32_t rec_thread(void)
{
    return thread.stream != NULL ? thread.stream->live->thread : 0;
}

/* The program's other threads may be adding calls just now: what they did is
 * in the files of their blocks, which the reader takes as they are. */
void rec_flush(bool ended)
{
    char text[64];

    rec_enter();
    pthread_mutex_lock(&lock);
    if (thread.stream != NULL)
        write_block(thread.stream->live);
    if (ended && (process.made || process.lost > 0) && open_part()) {
        int n = snprintf(text, sizeof(text), "calls %llu\nlost_calls %llu\n",
                         (unsigned long long)process.written,
                         (unsigned long long)process.lost);

        (void)put_chunk(PARIO_CHUNK_END, text, (size_t)n);
    }
    pthread_mutex_unlock(&lock);
    rec_leave();
}

const char *rec_part_path(void)
{
    return process.made ? process.part : NULL;
}

uint64_t rec_id(void)
{
    return process.id;
}

void rec_joined_path(uint64_t id, char *path, size_t len)
{
    if (process.mark[0] == '\0')
        snprintf(path, len, "%s", process.trace);
    else
        snprintf(path, len, "%s/%016llx-joined.part", process.folder,
                 (unsigned long long)id);
}

void rec_forget_part(void)
{
    pthread_mutex_lock(&lock);
    if (process.made)
        syscall(SYS_unlinkat, AT_FDCWD, process.part, 0);
    rec_own_close();
    process.made = false;
    pthread_mutex_unlock(&lock);
}

/* A handler of a signal may have interrupted one who has the lock. */
void rec_make_way(int fd)
{
    if (!rec_own_is(fd))
        return;
    if (thread.depth == 0)
        pthread_mutex_lock(&lock);
    else if (pthread_mutex_trylock(&lock) != 0)
        return;
    rec_enter();
    if (rec_own_is(fd))
        rec_own_yield();
    rec_leave();
    pthread_mutex_unlock(&lock);
}

void rec_set_rank(int rank, int size)
{
    if (!process.on || (process.rank == rank && process.size == size))
        return;
    pthread_mutex_lock(&lock);
    process.rank = rank;
    process.size = size;
    if (process.made)
        put_process();
    pthread_mutex_unlock(&lock);
}

/* For pario itself: what it does for its own sake is no part of a workload. */
REC_PUBLIC void pariorecord_pause(int pause);
void pariorecord_pause(int pause)
{
    thread.depth = pause ? 1000 : 0;
}

/* For pario itself: which library is behind the recorder? */
REC_PUBLIC void *pariorecord_next(const char *name);
void *pariorecord_next(const char *name)
{
    return rec_next(name);
}

const char *rec_folder(int *rank_p, int *size_p)
{
    *rank_p = process.rank;
    *size_p = process.size;
    return process.on ? process.folder : NULL;
}

static int number_from(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);

        if (text != NULL && *text != '\0')
            return (int)strtol(text, NULL, 10);
    }
    return -1;
}

static void make_id(void)
{
    uint64_t id = clock_of(CLOCK_REALTIME) ^ (uint64_t)getpid() << 40;
    struct utsname names;

    uname(&names);
    for (const char *c = names.nodename; *c != '\0'; c++)
        id = (id ^ (unsigned char)*c) * 0x100000001b3u;
    process.id = id;
}

/* The handler of a signal forked: the child may come back into a call that
 * still adds to this block. It adds to a copy, for itself. */
static bool keep_copy(struct stream *stream)
{
    size_t len = sizeof(*stream->live);
    void *copy = rec_map(len);

    if (copy == NULL)
        return false;
    memcpy(copy, stream->live, len);
    /* UCX has an mremap of its own, which forgets where to. */
    if (syscall(SYS_mremap, copy, len, len,
                (long)(MREMAP_MAYMOVE | MREMAP_FIXED), stream->live) != -1)
        return true;
    rec_unmap(copy, len);
    return false;
}

/* A child has its own files; the parent's blocks are still mapped here, and
 * are the parent's. */
static void after_fork(void)
{
    if (!process.on)
        return;
    pthread_mutex_init(&lock, NULL);
    for (struct stream *stream = process.streams; stream != NULL;) {
        struct stream *next = stream->next;

        if (stream != thread.stream || thread.depth == 0 ||
            !keep_copy(stream)) {
            munmap(stream->live, sizeof(*stream->live));
            rec_unmap(stream, sizeof(*stream));
        }
        stream = next;
    }
    process.streams = NULL;
    rec_own_close();
    process.made = false;
    process.nthreads = 0;
    process.lost = process.written = 0;
    process.broken = false;
    process.rank = -1;
    process.size = 0;
    pthread_setspecific(thread_key, NULL);
    thread.stream = NULL;
    thread.given_up = false;
    thread.depth = 0;
    make_id();
    rec_strings_after_fork();
    rec_files_after_fork();
    rec_ranks_after_fork();
}

/* The mark in the folder of this recording; that of another one is none. */
static void find_mark(void)
{
    const char *path = getenv("PARIO_RECORD_SPOOL");
    size_t len = strlen(process.folder);

    if (path != NULL && strncmp(path, process.folder, len) == 0 &&
        path[len] == '/' && strlen(path + len + 1) < sizeof(process.mark))
        snprintf(process.mark, sizeof(process.mark), "%s", path + len + 1);
}

__attribute__((constructor)) static void start(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "PMIX_RANK", NULL};
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        NULL};
    const char *trace = getenv("PARIO_RECORD");
    const char *resolution = getenv("PARIO_RECORD_RESOLUTION_NS");

    if (trace == NULL || trace[0] != '/' || strlen(trace) >= PATH_MAX - 16)
        return;
    snprintf(process.trace, sizeof(process.trace), "%s", trace);
    snprintf(process.folder, sizeof(process.folder), "%s.spool", trace);
    find_mark();
    process.resolution_ns =
        resolution != NULL ? strtoull(resolution, NULL, 10) : RESOLUTION_NS;
    process.rank = number_from(ranks);
    process.size = number_from(sizes);
    process.size = process.rank >= 0 && process.size > 0 ? process.size : 0;
    process.block = rec_map(PARIO_BLOCK_MAX);
    calibrate();
    make_id();
    rec_filter_init();
    pthread_key_create(&thread_key, end_thread);
    pthread_atfork(NULL, NULL, after_fork);
    process.on = process.block != NULL;
}

__attribute__((destructor)) static void stop(void)
{
    bool empty = true;

    if (!process.on)
        return;
    thread.depth = 1000;
    rec_flush(true);
    rec_unmark_rank();
    pthread_mutex_lock(&lock);
    for (struct stream *stream = process.streams; stream != NULL;
         stream = stream->next) {
        if (stream->used && stream != thread.stream)
            empty = false; /* a thread that still runs */
        else
            syscall(SYS_unlinkat, AT_FDCWD, stream->path, 0);
    }
    /* The last one takes the folder away. */
    if (empty && !process.made && process.mark[0] == '\0')
        syscall(SYS_unlinkat, AT_FDCWD, process.folder, AT_REMOVEDIR);
    pthread_mutex_unlock(&lock);
}
