/*
 * referee.c - libreferee.so: notes what a program really does with its files.
 *
 * It stands before the C library's file calls, has a clock of its own and
 * appends to $REFEREE_LOG one line of JSON per stretch of I/O on a descriptor:
 * from the first read or write after open, or after a sync, to the next sync
 * and close. README.md describes the line. Only files below $REFEREE_DIR are
 * noted, and none of the small ones that MPI libraries make beside them.
 *
 * Calls go on to the next library, so that a library of faults can lie behind
 * this one. io_uring, mapped files and the C library's own asynchronous I/O
 * pass by unseen.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES 4096
#define BLOCK 512                   /* distinct bytes are counted in these */
#define MAP_BYTES ((size_t)1 << 24) /* a bit each: files up to 64 GiB */

/* The next library's functions. POSIX gives the address of a function as that
 * of an object. */
#define NEXT(name)                                                             \
    static __typeof__(&name) next;                                             \
    if (next == NULL) {                                                        \
        void *found = dlsym(RTLD_NEXT, #name);                                 \
        memcpy(&next, &found, sizeof next);                                    \
    }

enum direction { READING, WRITING, DIRECTIONS };

#define MAX_MARKS 256

/* What was done in one direction. marks[k] is the beginning of the call that
 * reached k * unit bytes: so the begin of the last n bytes is known, too. */
struct traffic {
    int64_t begin_ns, end_ns;
    int64_t bytes, distinct_bytes, calls;
    int64_t unit, marks[MAX_MARKS];
    int mark_count;
};

struct stretch {
    struct traffic traffic[DIRECTIONS];
    int64_t sync_end_ns, calls, syncs;
    int64_t device_read, device_written; /* at the beginning */
    int64_t synced_read, synced_written; /* after the last sync */
};

static struct file {
    pthread_mutex_t mutex;
    bool watched;
    char name[PATH_MAX];
    char stat_file[64]; /* of the device below */
    int64_t free_ns;    /* nothing was done from here to the next call */
    int64_t free_waited_ns;
    unsigned char *seen[DIRECTIONS]; /* a bit per block */
    struct stretch now;
} files[MAX_FILES];

static const char *dir, *log_name;

__attribute__((constructor)) static void start(void)
{
    dir = getenv("REFEREE_DIR");
    log_name = getenv("REFEREE_LOG");
    for (int i = 0; i < MAX_FILES; i++)
        pthread_mutex_init(&files[i].mutex, NULL);
}

/* Not the C library's: another preloaded library may bend that one. */
static int64_t clock_ns(void)
{
    struct timespec ts = {0};

    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The numbers at the beginning of a file of the kernel's; false: it is not
 * there. */
static bool read_numbers(const char *name, int64_t *number, int count)
{
    char text[512];
    char *pos = text;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);

    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    for (int i = 0; i < count; i++)
        number[i] = strtoll(pos, &pos, 10);
    return true;
}

/* Sectors read and written of the device so far, in bytes. */
static void device_bytes(const struct file *file, int64_t *read_p,
                         int64_t *written_p)
{
    int64_t field[7];
    bool is_there = read_numbers(file->stat_file, field, 7);

    *read_p = is_there ? field[2] * 512 : -1;
    *written_p = is_there ? field[6] * 512 : -1;
}

/* So long the process has waited for a core so far, by the kernel's account: on
 * a busy machine a library's own work around the calls takes that much longer.
 */
static int64_t waited_ns(void)
{
    int64_t field[2];

    return read_numbers("/proc/self/schedstat", field, 2) ? field[1] : 0;
}

static int my_rank(void)
{
    static const char *const names[] = {"PARIO_RANK", "PMI_RANK",
                                        "OMPI_COMM_WORLD_RANK"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

static int print_traffic(char *buf, size_t len, const char *name,
                         const struct traffic *t)
{
    int n = snprintf(buf, len,
                     "\"%s\": {\"begin_ns\": %lld, \"end_ns\": %lld, "
                     "\"bytes\": %lld, \"distinct_bytes\": %lld, "
                     "\"calls\": %lld, \"unit\": %lld, \"marks\": [",
                     name, (long long)t->begin_ns, (long long)t->end_ns,
                     (long long)t->bytes, (long long)t->distinct_bytes,
                     (long long)t->calls, (long long)t->unit);

    for (int i = 0; i < t->mark_count && (size_t)n < len; i++)
        n += snprintf(buf + n, len - (size_t)n, "%s%lld", i > 0 ? ", " : "",
                      (long long)t->marks[i]);
    if ((size_t)n < len)
        n += snprintf(buf + n, len - (size_t)n, "]}, ");
    return n;
}

static void append_line(const char *line, size_t len)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, log_name,
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

    if (fd < 0 || syscall(SYS_write, fd, line, len) != (long)len)
        fprintf(stderr, "referee: cannot append to %s\n", log_name);
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
}

/* One line, written at once: many processes append. next_ns: when the
 * descriptor was used again or was closed. */
static void log_stretch(struct file *file, int64_t next_ns, bool closed)
{
    static char line[PATH_MAX + DIRECTIONS * MAX_MARKS * 24 + 1024];
    static pthread_mutex_t line_mutex = PTHREAD_MUTEX_INITIALIZER;
    const struct stretch *s = &file->now;
    int64_t read_now, written_now;
    size_t n;

    if (s->calls == 0)
        return;
    /* The descriptor may rest long after a sync: what others do then is no part
     * of the stretch. */
    read_now = s->synced_read;
    written_now = s->synced_written;
    if (s->syncs == 0)
        device_bytes(file, &read_now, &written_now);
    pthread_mutex_lock(&line_mutex);
    n = (size_t)snprintf(line, sizeof line,
                         "{\"rank\": %d, \"pid\": %d, \"file\": \"%s\", "
                         "\"free_ns\": %lld, \"sync_end_ns\": %lld, "
                         "\"next_ns\": %lld, \"closed\": %s, "
                         "\"syncs\": %lld, ",
                         my_rank(), (int)getpid(), file->name,
                         (long long)file->free_ns, (long long)s->sync_end_ns,
                         (long long)next_ns, closed ? "true" : "false",
                         (long long)s->syncs);
    n += (size_t)print_traffic(line + n, sizeof line - n, "read",
                               &s->traffic[READING]);
    n += (size_t)print_traffic(line + n, sizeof line - n, "write",
                               &s->traffic[WRITING]);
    n += (size_t)snprintf(line + n, sizeof line - n,
                          "\"waited_ns\": [%lld, %lld], "
                          "\"device_read\": [%lld, %lld], "
                          "\"device_written\": [%lld, %lld]}\n",
                          (long long)file->free_waited_ns,
                          (long long)waited_ns(), (long long)s->device_read,
                          (long long)read_now, (long long)s->device_written,
                          (long long)written_now);
    append_line(line, n);
    pthread_mutex_unlock(&line_mutex);
}

static void begin_stretch(struct file *file)
{
    file->now = (struct stretch){.sync_end_ns = -1};
    for (int i = 0; i < DIRECTIONS; i++)
        if (file->seen[i] != NULL)
            madvise(file->seen[i], MAP_BYTES, MADV_DONTNEED);
    device_bytes(file, &file->now.device_read, &file->now.device_written);
}

/* A stretch that only read so far writes from here on, or the other way round:
 * what others did before is no part of it. */
static void note_device(struct file *file, enum direction direction)
{
    int64_t read_now, written_now;

    device_bytes(file, &read_now, &written_now);
    if (direction == WRITING)
        file->now.device_written = written_now;
    else
        file->now.device_read = read_now;
}

static bool is_interesting(const char *name)
{
    static const char *const others[] = {".shfp", ".lock", "sharedfp", ".sm",
                                         ".json"};

    if (dir == NULL || log_name == NULL || strncmp(name, dir, strlen(dir)) != 0)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i]) != NULL)
            return false;
    return strchr(name, '"') == NULL && strchr(name, '\\') == NULL;
}

static unsigned char *make_bits(void)
{
    void *map = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

static void opened(int fd)
{
    int saved = errno;
    char link[64], name[PATH_MAX];
    struct stat st;
    ssize_t n;

    if (fd < 0 || fd >= MAX_FILES || dir == NULL)
        return;
    files[fd].watched = false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    if (is_interesting(name) && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        struct file *file = &files[fd];

        for (int i = 0; i < DIRECTIONS; i++)
            if (file->seen[i] == NULL)
                file->seen[i] = make_bits();
        memcpy(file->name, name, strlen(name) + 1);
        snprintf(file->stat_file, sizeof file->stat_file,
                 "/sys/dev/block/%u:%u/stat", major(st.st_dev),
                 minor(st.st_dev));
        file->free_ns = clock_ns();
        file->free_waited_ns = waited_ns();
        file->now = (struct stretch){0};
        file->watched = true;
    }
    errno = saved;
}

/* Bytes of [offset, offset + len) that were not met before. Parts of a block
 * count each: their neighbours may be another call's. */
static int64_t new_bytes(unsigned char *seen, int64_t offset, int64_t len)
{
    int64_t fresh = 0;

    if (seen == NULL || offset < 0)
        return 0;
    for (int64_t block = offset / BLOCK; block * BLOCK < offset + len;
         block++) {
        int64_t begin = block * BLOCK > offset ? block * BLOCK : offset;
        int64_t end = (block + 1) * BLOCK;
        unsigned char bit = (unsigned char)(1u << (block % 8));

        if (end > offset + len)
            end = offset + len;
        if ((size_t)(block / 8) >= MAP_BYTES)
            break;
        if (!(seen[block / 8] & bit) || end - begin < BLOCK)
            fresh += end - begin;
        seen[block / 8] |= bit;
    }
    return fresh;
}

/* Halves the marks when they are full. */
static void add_marks(struct traffic *t, int64_t begin_ns)
{
    if (t->unit == 0)
        t->unit = 1 << 16;
    while (t->mark_count * t->unit < t->bytes) {
        if (t->mark_count == MAX_MARKS) {
            for (int i = 0; i < MAX_MARKS / 2; i++)
                t->marks[i] = t->marks[2 * i];
            t->mark_count = MAX_MARKS / 2;
            t->unit *= 2;
            continue;
        }
        t->marks[t->mark_count++] = begin_ns;
    }
}

static struct file *watched(int fd)
{
    return fd >= 0 && fd < MAX_FILES && files[fd].watched ? &files[fd] : NULL;
}

/* Before a transfer. A stretch ends where the next one begins: with the first
 * call after a sync. Returns the time. */
static int64_t before_io(struct file *file, enum direction direction)
{
    int saved = errno;
    int64_t now = clock_ns();

    pthread_mutex_lock(&file->mutex);
    if (file->now.syncs > 0 && file->now.calls > 0) {
        log_stretch(file, now, false);
        file->free_ns = file->now.sync_end_ns;
        file->free_waited_ns = waited_ns();
        file->now.calls = 0;
    }
    if (file->now.calls == 0)
        begin_stretch(file);
    else if (file->now.traffic[direction].calls == 0)
        note_device(file, direction);
    file->now.calls++;
    now = clock_ns();
    pthread_mutex_unlock(&file->mutex);
    errno = saved;
    return now;
}

static void after_io(struct file *file, enum direction direction,
                     int64_t begin_ns, int64_t offset, ssize_t moved)
{
    struct traffic *t = &file->now.traffic[direction];
    int64_t now = clock_ns();

    pthread_mutex_lock(&file->mutex);
    if (t->calls++ == 0 || begin_ns < t->begin_ns)
        t->begin_ns = begin_ns;
    if (now > t->end_ns)
        t->end_ns = now;
    if (moved > 0) {
        t->bytes += moved;
        t->distinct_bytes += new_bytes(file->seen[direction], offset, moved);
        add_marks(t, begin_ns);
    }
    pthread_mutex_unlock(&file->mutex);
}

/* offset -1: at the descriptor's pointer. */
static int64_t place(int fd, int64_t offset)
{
    return offset >= 0 ? offset : syscall(SYS_lseek, fd, 0L, SEEK_CUR);
}

#define MOVE(direction, fd, offset, name, ...)                                 \
    do {                                                                       \
        struct file *file = watched(fd);                                       \
        int64_t at = 0, begin_ns;                                              \
        ssize_t moved;                                                         \
        NEXT(name)                                                             \
        if (file == NULL)                                                      \
            return next(__VA_ARGS__);                                          \
        at = place(fd, offset);                                                \
        begin_ns = before_io(file, direction);                                 \
        moved = next(__VA_ARGS__);                                             \
        after_io(file, direction, begin_ns, at, moved);                        \
        return moved;                                                          \
    } while (0)

ssize_t read(int fd, void *buf, size_t len)
{
    MOVE(READING, fd, -1, read, fd, buf, len);
}

ssize_t write(int fd, const void *buf, size_t len)
{
    MOVE(WRITING, fd, -1, write, fd, buf, len);
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset)
{
    MOVE(READING, fd, offset, pread, fd, buf, len, offset);
}

ssize_t pread64(int fd, void *buf, size_t len, off64_t offset)
{
    MOVE(READING, fd, offset, pread64, fd, buf, len, offset);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset)
{
    MOVE(WRITING, fd, offset, pwrite, fd, buf, len, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t offset)
{
    MOVE(WRITING, fd, offset, pwrite64, fd, buf, len, offset);
}

ssize_t readv(int fd, const struct iovec *iov, int count)
{
    MOVE(READING, fd, -1, readv, fd, iov, count);
}

ssize_t writev(int fd, const struct iovec *iov, int count)
{
    MOVE(WRITING, fd, -1, writev, fd, iov, count);
}

ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
    MOVE(READING, fd, offset, preadv, fd, iov, count, offset);
}

ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
    MOVE(READING, fd, offset, preadv64, fd, iov, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
    MOVE(WRITING, fd, offset, pwritev, fd, iov, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *iov, int count, off64_t offset)
{
    MOVE(WRITING, fd, offset, pwritev64, fd, iov, count, offset);
}

static void after_sync(int fd)
{
    struct file *file = watched(fd);

    if (file == NULL)
        return;
    pthread_mutex_lock(&file->mutex);
    /* The first one after a transfer: then there is nothing left to be written,
     * and those that follow are for the work of others. */
    if (file->now.syncs++ == 0) {
        file->now.sync_end_ns = clock_ns();
        device_bytes(file, &file->now.synced_read, &file->now.synced_written);
    }
    pthread_mutex_unlock(&file->mutex);
}

int fsync(int fd)
{
    int code;
    NEXT(fsync)

    code = next(fd);
    after_sync(fd);
    return code;
}

int fdatasync(int fd)
{
    int code;
    NEXT(fdatasync)

    code = next(fd);
    after_sync(fd);
    return code;
}

/* Of all files of the file system. */
int syncfs(int fd)
{
    struct stat st;
    char stat_file[64] = "";
    int code;
    NEXT(syncfs)

    code = next(fd);
    if (dir != NULL && fstat(fd, &st) == 0)
        snprintf(stat_file, sizeof stat_file, "/sys/dev/block/%u:%u/stat",
                 major(st.st_dev), minor(st.st_dev));
    for (int i = 0; stat_file[0] != '\0' && i < MAX_FILES; i++)
        if (files[i].watched && strcmp(files[i].stat_file, stat_file) == 0)
            after_sync(i);
    return code;
}

int close(int fd)
{
    struct file *file = watched(fd);
    int code, saved;
    NEXT(close)

    if (file != NULL)
        file->watched = false; /* its number may be given again at once */
    code = next(fd);
    saved = errno;
    if (file != NULL)
        log_stretch(file, clock_ns(), true);
    errno = saved;
    return code;
}

/* What is still open when the program ends. */
__attribute__((destructor)) static void stop(void)
{
    for (int fd = 0; fd < MAX_FILES; fd++)
        if (files[fd].watched)
            log_stretch(&files[fd], clock_ns(), false);
}

#define OPEN(name, ...)                                                        \
    do {                                                                       \
        int fd;                                                                \
        NEXT(name)                                                             \
        fd = next(__VA_ARGS__);                                                \
        opened(fd);                                                            \
        return fd;                                                             \
    } while (0)

#define MODE_OF(flags, mode)                                                   \
    do {                                                                       \
        if ((flags) & (O_CREAT | __O_TMPFILE)) {                               \
            va_list args;                                                      \
            va_start(args, flags);                                             \
            (mode) = va_arg(args, mode_t);                                     \
            va_end(args);                                                      \
        }                                                                      \
    } while (0)

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    MODE_OF(flags, mode);
    OPEN(open, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;

    MODE_OF(flags, mode);
    OPEN(open64, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;

    MODE_OF(flags, mode);
    OPEN(openat, folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;

    MODE_OF(flags, mode);
    OPEN(openat64, folder, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
    OPEN(creat, path, mode);
}

int creat64(const char *path, mode_t mode)
{
    OPEN(creat64, path, mode);
}

/* Names of the same calls in fortified programs. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t len, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t offset,
                      size_t room);

int __open_2(const char *path, int flags)
{
    OPEN(__open_2, path, flags);
}

int __open64_2(const char *path, int flags)
{
    OPEN(__open64_2, path, flags);
}

ssize_t __read_chk(int fd, void *buf, size_t len, size_t room)
{
    MOVE(READING, fd, -1, __read_chk, fd, buf, len, room);
}

ssize_t __pread_chk(int fd, void *buf, size_t len, off_t offset, size_t room)
{
    MOVE(READING, fd, offset, __pread_chk, fd, buf, len, offset, room);
}

ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t offset,
                      size_t room)
{
    MOVE(READING, fd, offset, __pread64_chk, fd, buf, len, offset, room);
}
