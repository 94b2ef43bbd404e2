/* suites/replay/posix.c - the C library's calls, made again. Names are seen
 * from the run's directory, in which the process is (workload.c). */
#include "suites/replay/prepare.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_WAITS_FOR_PARENTS 3000 /* of a millisecond */

static int64_t moved(int64_t n, int64_t wanted)
{
    if (n < 0)
        return -errno;
    return n == wanted ? 0 : n + 1;
}

static int64_t status(int64_t rc)
{
    return rc < 0 ? -errno : 0;
}

static int open_flags(int64_t flags)
{
    static const struct {
        int64_t flag;
        int bit;
    } bits[] = {
        {PARIO_TRACE_CREATE, O_CREAT},  {PARIO_TRACE_EXCL, O_EXCL},
        {PARIO_TRACE_TRUNC, O_TRUNC},   {PARIO_TRACE_APPEND, O_APPEND},
        {PARIO_TRACE_DIRECT, O_DIRECT}, {PARIO_TRACE_SYNC, O_SYNC},
        {PARIO_TRACE_DSYNC, O_DSYNC},   {PARIO_TRACE_DIRECTORY, O_DIRECTORY}};
    int all = O_CLOEXEC;

    if ((flags & PARIO_TRACE_WRITE) != 0)
        all |= (flags & PARIO_TRACE_READ) != 0 ? O_RDWR : O_WRONLY;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if ((flags & bits[i].flag) != 0)
            all |= bits[i].bit;
    return all;
}

/* "r", "w+" and so on. */
static void stream_mode(int64_t flags, char mode[4])
{
    int both =
        (flags & PARIO_TRACE_READ) != 0 && (flags & PARIO_TRACE_WRITE) != 0;

    snprintf(mode, 4, "%c%s%s",
             (flags & PARIO_TRACE_APPEND) != 0  ? 'a'
             : (flags & PARIO_TRACE_TRUNC) != 0 ? 'w'
                                                : 'r',
             both ? "+" : "", (flags & PARIO_TRACE_EXCL) != 0 ? "x" : "");
}

/* Of a file that is not there: may the parent of the process be about to make
 * it? What is waited for in vain, such as a file that the parent has deleted
 * already, takes each stream MAX_WAITS_FOR_PARENTS at most in all. */
static int wait_for_parent(struct replay_stream *stream)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    if (stream->waits_for_parents >= MAX_WAITS_FOR_PARENTS ||
        __atomic_load_n(&stream->replay->stop, __ATOMIC_RELAXED))
        return 0;
    stream->waits_for_parents++;
    nanosleep(&pause, NULL);
    return 1;
}

static int64_t inherit(struct replay_stream *stream,
                       const struct pario_event *event, const char *recorded,
                       const char *path, struct replay_file *file)
{
    const struct replay *replay = stream->replay;
    int flags = open_flags(
        pario_trace_value(event, PARIO_ARG_FLAGS, 0) &
        ~(PARIO_TRACE_CREATE | PARIO_TRACE_EXCL | PARIO_TRACE_TRUNC));
    int fd = open(path, flags);

    if (fd < 0 && errno == ENOENT &&
        replay_plan_is_gone(
            replay->plan, recorded,
            replay_utc_ns(replay->trace, replay->process, event)))
        return -ENOENT;
    while (fd < 0 && errno == ENOENT) {
        if (!wait_for_parent(stream))
            return -ENOENT;
        fd = open(path, flags);
    }
    if (fd >= 0 && file != NULL)
        file->fd = fd;
    return fd < 0 ? -errno : 0;
}

static int64_t open_file(const struct pario_event *event, const char *path,
                         struct replay_file *file)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    mode_t mode = (mode_t)pario_trace_value(event, PARIO_ARG_MODE, 0644);
    FILE *stream = NULL;
    char letters[4];
    int fd = -1;

    if (event->op == PARIO_OP_fopen) {
        stream_mode(flags, letters);
        stream = fopen(path, letters);
        if (stream == NULL)
            return -errno;
    } else {
        fd = open(path, open_flags(flags), mode & 07777);
        if (fd < 0)
            return -errno;
    }
    if (file != NULL) {
        file->fd = fd;
        file->stream = stream;
    } else if (stream != NULL) { /* it failed when it was recorded */
        fclose(stream);
    } else {
        close(fd);
    }
    return 0;
}

static int64_t read_folder(const char *path, int64_t entries)
{
    DIR *folder = opendir(path);

    if (folder == NULL)
        return -errno;
    while (entries-- > 0 && readdir(folder) != NULL)
        ;
    return status(closedir(folder));
}

static int64_t name_call(struct replay_stream *stream,
                         const struct pario_event *event, const char *path)
{
    char to[2 * PATH_MAX];
    struct stat st;

    switch (event->op) {
    case PARIO_OP_stat:
        return status(stat(path, &st));
    case PARIO_OP_mkdir:
        return status(mkdir(
            path, (mode_t)pario_trace_value(event, PARIO_ARG_MODE, 0755)));
    case PARIO_OP_rmdir:
        return status(rmdir(path));
    case PARIO_OP_unlink:
        return status(unlink(path));
    case PARIO_OP_truncate:
        return status(
            truncate(path, pario_trace_value(event, PARIO_ARG_SIZE, 0)));
    case PARIO_OP_rename:
        return status(
            rename(path, replay_name(stream->replay,
                                     pario_trace_text(stream->replay->trace,
                                                      stream->replay->process,
                                                      event, PARIO_ARG_TO),
                                     to, sizeof(to))));
    case PARIO_OP_readdir:
        return read_folder(path,
                           pario_trace_value(event, PARIO_ARG_ENTRIES, 0));
    default:
        return -ENOSYS;
    }
}

/* As many pieces of memory as there were, of about equal length. */
static int64_t vector_call(struct replay_stream *stream,
                           const struct pario_event *event, int fd)
{
    int64_t len = pario_trace_value(event, PARIO_ARG_LENGTH, 0);
    int64_t pieces = pario_trace_value(event, PARIO_ARG_PIECES, 1);
    int64_t offset = pario_trace_value(event, PARIO_ARG_OFFSET, 0);
    struct iovec iov[IOV_MAX];
    int n = pieces < 1 ? 1 : pieces > IOV_MAX ? IOV_MAX : (int)pieces;

    for (int i = 0; i < n; i++) {
        int64_t begin = len / n * i;
        int64_t end = i == n - 1 ? len : begin + len / n;

        iov[i].iov_base = stream->buffer + begin;
        iov[i].iov_len = (size_t)(end - begin);
    }
    if (event->op == PARIO_OP_readv)
        return moved(readv(fd, iov, n), len);
    if (event->op == PARIO_OP_writev)
        return moved(writev(fd, iov, n), len);
    if (event->op == PARIO_OP_preadv)
        return moved(preadv(fd, iov, n, offset), len);
    return moved(pwritev(fd, iov, n, offset), len);
}

static int64_t map_call(const struct pario_event *event, int fd)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    size_t len = (size_t)pario_trace_value(event, PARIO_ARG_LENGTH, 1);
    void *place =
        mmap(NULL, len,
             ((flags & PARIO_TRACE_READ) != 0 ? PROT_READ : 0) |
                 ((flags & PARIO_TRACE_WRITE) != 0 ? PROT_WRITE : 0),
             (flags & PARIO_TRACE_WRITE) != 0 ? MAP_SHARED : MAP_PRIVATE, fd,
             pario_trace_value(event, PARIO_ARG_OFFSET, 0));

    if (place == MAP_FAILED)
        return -errno;
    munmap(place, len);
    return 0;
}

/* A stream whose descriptor was closed would write into another file: it is
 * closed as a whole. */
int64_t replay_posix_close(struct replay_file *file)
{
    FILE *stream = file->stream;
    int fd = file->fd;

    file->stream = NULL;
    file->fd = -1;
    if (stream != NULL)
        return status(fclose(stream));
    return fd >= 0 ? status(close(fd)) : -EBADF;
}

static int64_t descriptor_call(struct replay_stream *stream,
                               const struct pario_event *event,
                               struct replay_file *file, int fd)
{
    size_t len = (size_t)pario_trace_value(event, PARIO_ARG_LENGTH, 0);
    int64_t offset = pario_trace_value(event, PARIO_ARG_OFFSET, 0);
    int64_t distance = pario_trace_value(event, PARIO_ARG_DISTANCE, 0);
    struct stat st;

    switch (event->op) {
    case PARIO_OP_close:
        return replay_posix_close(file);
    case PARIO_OP_read:
        return moved(read(fd, stream->buffer, len), (int64_t)len);
    case PARIO_OP_write:
        return moved(write(fd, stream->buffer, len), (int64_t)len);
    case PARIO_OP_pread:
        return moved(pread(fd, stream->buffer, len, offset), (int64_t)len);
    case PARIO_OP_pwrite:
        return moved(pwrite(fd, stream->buffer, len, offset), (int64_t)len);
    case PARIO_OP_readv:
    case PARIO_OP_writev:
    case PARIO_OP_preadv:
    case PARIO_OP_pwritev:
        return vector_call(stream, event, fd);
    case PARIO_OP_lseek_set:
        return status(lseek(fd, offset, SEEK_SET));
    case PARIO_OP_lseek_cur:
        return status(lseek(fd, distance, SEEK_CUR));
    case PARIO_OP_lseek_end:
        return status(lseek(fd, distance, SEEK_END));
    case PARIO_OP_fsync:
        return status(fsync(fd));
    case PARIO_OP_fdatasync:
        return status(fdatasync(fd));
    case PARIO_OP_ftruncate:
        return status(
            ftruncate(fd, pario_trace_value(event, PARIO_ARG_SIZE, 0)));
    case PARIO_OP_fallocate:
        return status(
            fallocate(fd, (int)pario_trace_value(event, PARIO_ARG_MODE, 0),
                      offset, (off_t)len));
    case PARIO_OP_fstat:
        return status(fstat(fd, &st));
    case PARIO_OP_mmap:
        return map_call(event, fd);
    default:
        return -ENOSYS;
    }
}

static int is_stream_call(enum pario_trace_op op)
{
    return op == PARIO_OP_fclose || op == PARIO_OP_fread ||
           op == PARIO_OP_fwrite || op == PARIO_OP_fseek_set ||
           op == PARIO_OP_fseek_cur || op == PARIO_OP_fseek_end ||
           op == PARIO_OP_fflush;
}

/* As the program did by fdopen, which is no call on the file. */
static int64_t make_stream(struct replay_file *file)
{
    int flags = fcntl(file->fd, F_GETFL);
    int way = flags & O_ACCMODE;

    if (flags < 0)
        return -errno;
    file->stream =
        fdopen(file->fd, way == O_RDONLY                              ? "r"
                         : (flags & O_APPEND) != 0 && way == O_WRONLY ? "a"
                         : (flags & O_APPEND) != 0                    ? "a+"
                         : way == O_WRONLY                            ? "w"
                                                                      : "r+");
    if (file->stream == NULL)
        return -errno;
    return 0; /* the descriptor, now the stream's, may be in use meanwhile */
}

/* What another thread may do at the same time, too. *made_p: 0, or why there is
 * no stream. */
static FILE *stream_of(struct replay *replay, struct replay_file *file,
                       int wanted, int64_t *made_p)
{
    FILE *stream;

    pthread_mutex_lock(&replay->lock);
    *made_p = file->stream == NULL && wanted ? make_stream(file) : 0;
    stream = file->stream;
    pthread_mutex_unlock(&replay->lock);
    return stream;
}

static int64_t stream_call(struct replay_stream *stream,
                           const struct pario_event *event,
                           struct replay_file *file)
{
    size_t len = (size_t)pario_trace_value(event, PARIO_ARG_LENGTH, 0);
    int64_t offset = pario_trace_value(event, PARIO_ARG_OFFSET, 0);
    int64_t distance = pario_trace_value(event, PARIO_ARG_DISTANCE, 0);

    switch (event->op) {
    case PARIO_OP_fclose:
        return replay_posix_close(file);
    case PARIO_OP_fread:
        return moved((int64_t)fread(stream->buffer, 1, len, file->stream),
                     (int64_t)len);
    case PARIO_OP_fwrite:
        return moved((int64_t)fwrite(stream->buffer, 1, len, file->stream),
                     (int64_t)len);
    case PARIO_OP_fseek_set:
        return status(fseeko(file->stream, offset, SEEK_SET));
    case PARIO_OP_fseek_cur:
        return status(fseeko(file->stream, distance, SEEK_CUR));
    case PARIO_OP_fseek_end:
        return status(fseeko(file->stream, distance, SEEK_END));
    case PARIO_OP_fflush:
        return status(fflush(file->stream));
    default:
        return descriptor_call(stream, event, file, fileno(file->stream));
    }
}

int replay_posix(struct replay_stream *stream, const struct pario_event *event,
                 const struct pario_place *place, struct replay_file *file,
                 int64_t *result_p)
{
    char path[2 * PATH_MAX];
    int inherits = event->op == PARIO_OP_inherit;
    int opens =
        inherits || event->op == PARIO_OP_open || event->op == PARIO_OP_fopen;
    FILE *opened;

    if (pario_trace_arg_find(event->op, PARIO_ARG_PATH) >= 0) {
        replay_name(stream->replay, place->path, path, sizeof(path));
        *result_p = inherits ? inherit(stream, event, place->path, path, file)
                    : opens  ? open_file(event, path, file)
                             : name_call(stream, event, path);
        if (opens && file != NULL)
            replay_file_describe(stream->replay, place->path, file);
        return 0;
    }
    if (file == NULL || (file->fd < 0 && file->stream == NULL)) {
        *result_p = -EBADF;
        return 0;
    }
    opened =
        stream_of(stream->replay, file, is_stream_call(event->op), result_p);
    if (*result_p == 0)
        *result_p = opened != NULL
                        ? stream_call(stream, event, file)
                        : descriptor_call(stream, event, file, file->fd);
    return 0;
}
