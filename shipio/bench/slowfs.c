/*
 * slowfs.c - a file system of which every read and write takes its time.
 *
 *   slowfs FOLDER MILLISECONDS MOUNTPOINT [WRITE_RATE READ_RATE]
 *
 * shows FOLDER at MOUNTPOINT (FUSE) until it is unmounted. Requests wait side
 * by side, as on a device far away: what asks early, or for much at once, is
 * faster. With rates (bytes per second) they also wait one after the other, as
 * on a device of that speed. The kernel caches and reads ahead as for any file
 * system.
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static struct timespec delay;

/* One direction of a device: it is busy until free_ns. */
struct lane {
    double rate; /* bytes per second; 0: any */
    int64_t free_ns;
    pthread_mutex_t mutex;
};

static struct lane writing = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static struct lane reading = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The time that a request for so many bytes takes. */
static void wait_for(struct lane *lane, size_t len)
{
    struct timespec until;
    int64_t end_ns = clock_ns();

    nanosleep(&delay, NULL);
    if (lane->rate <= 0)
        return;
    pthread_mutex_lock(&lane->mutex);
    if (lane->free_ns > end_ns)
        end_ns = lane->free_ns;
    end_ns += (int64_t)((double)len / lane->rate * 1e9);
    lane->free_ns = end_ns;
    pthread_mutex_unlock(&lane->mutex);
    until.tv_sec = end_ns / 1000000000;
    until.tv_nsec = end_ns % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) ==
           EINTR)
        continue;
}

static const char *real_path(const char *path, char *out)
{
    int n = snprintf(out, PATH_MAX, "%s%s", folder, path);

    return n < PATH_MAX ? out : "";
}

static int result(int rc)
{
    return rc == -1 ? -errno : 0;
}

static int slow_getattr(const char *path, struct stat *st,
                        struct fuse_file_info *info)
{
    char real[PATH_MAX];

    if (info != NULL)
        return result(fstat((int)info->fh, st));
    return result(lstat(real_path(path, real), st));
}

static int slow_readdir(const char *path, void *list, fuse_fill_dir_t fill,
                        off_t offset, struct fuse_file_info *info,
                        enum fuse_readdir_flags flags)
{
    char real[PATH_MAX];
    DIR *dir = opendir(real_path(path, real));
    const struct dirent *entry;

    (void)offset;
    (void)info;
    (void)flags;
    if (dir == NULL)
        return -errno;
    while ((entry = readdir(dir)) != NULL)
        fill(list, entry->d_name, NULL, 0, 0);
    closedir(dir);
    return 0;
}

static int slow_mkdir(const char *path, mode_t mode)
{
    char real[PATH_MAX];

    return result(mkdir(real_path(path, real), mode));
}

static int slow_chmod(const char *path, mode_t mode,
                      struct fuse_file_info *info)
{
    char real[PATH_MAX];

    (void)info;
    return result(chmod(real_path(path, real), mode));
}

static int slow_unlink(const char *path)
{
    char real[PATH_MAX];

    return result(unlink(real_path(path, real)));
}

static int slow_rmdir(const char *path)
{
    char real[PATH_MAX];

    return result(rmdir(real_path(path, real)));
}

static int slow_rename(const char *from, const char *to, unsigned flags)
{
    char real_from[PATH_MAX];
    char real_to[PATH_MAX];

    return result(renameat2(AT_FDCWD, real_path(from, real_from), AT_FDCWD,
                            real_path(to, real_to), flags));
}

static int slow_truncate(const char *path, off_t len,
                         struct fuse_file_info *info)
{
    char real[PATH_MAX];

    if (info != NULL)
        return result(ftruncate((int)info->fh, len));
    return result(truncate(real_path(path, real), len));
}

static int slow_create(const char *path, mode_t mode,
                       struct fuse_file_info *info)
{
    char real[PATH_MAX];
    int fd = open(real_path(path, real), info->flags | O_CLOEXEC, mode);

    if (fd < 0)
        return -errno;
    info->fh = (uint64_t)fd;
    return 0;
}

static int slow_open(const char *path, struct fuse_file_info *info)
{
    return slow_create(path, 0, info);
}

static int slow_read(const char *path, char *buf, size_t len, off_t offset,
                     struct fuse_file_info *info)
{
    ssize_t n;

    (void)path;
    wait_for(&reading, len);
    n = pread((int)info->fh, buf, len, offset);
    return n < 0 ? -errno : (int)n;
}

static int slow_write(const char *path, const char *buf, size_t len,
                      off_t offset, struct fuse_file_info *info)
{
    ssize_t n;

    (void)path;
    wait_for(&writing, len);
    n = pwrite((int)info->fh, buf, len, offset);
    return n < 0 ? -errno : (int)n;
}

static int slow_fsync(const char *path, int data_only,
                      struct fuse_file_info *info)
{
    (void)path;
    (void)data_only;
    return result(fsync((int)info->fh));
}

static int slow_fallocate(const char *path, int mode, off_t offset, off_t len,
                          struct fuse_file_info *info)
{
    (void)path;
    return result(fallocate((int)info->fh, mode, offset, len));
}

static int slow_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    return result(close((int)info->fh));
}

static int slow_statfs(const char *path, struct statvfs *fs)
{
    char real[PATH_MAX];

    return result(statvfs(real_path(path, real), fs));
}

static const struct fuse_operations operations = {
    .getattr = slow_getattr,
    .readdir = slow_readdir,
    .mkdir = slow_mkdir,
    .chmod = slow_chmod,
    .unlink = slow_unlink,
    .rmdir = slow_rmdir,
    .rename = slow_rename,
    .truncate = slow_truncate,
    .create = slow_create,
    .open = slow_open,
    .read = slow_read,
    .write = slow_write,
    .fsync = slow_fsync,
    .fallocate = slow_fallocate,
    .release = slow_release,
    .statfs = slow_statfs,
};

int main(int argc, char **argv)
{
    char foreground[] = "-f";
    char *words[] = {argv[0], foreground, argc > 3 ? argv[3] : NULL, NULL};
    double ms = argc == 4 || argc == 6 ? strtod(argv[2], NULL) : -1;

    if (ms < 0) {
        fputs("usage: slowfs FOLDER MILLISECONDS MOUNTPOINT "
              "[WRITE_RATE READ_RATE]\n",
              stderr);
        return 2;
    }
    if (argc == 6) {
        writing.rate = strtod(argv[4], NULL);
        reading.rate = strtod(argv[5], NULL);
    }
    folder = argv[1];
    delay.tv_sec = (time_t)(ms / 1e3);
    delay.tv_nsec = (long)((ms - (double)delay.tv_sec * 1e3) * 1e6);
    return fuse_main(3, words, &operations, NULL);
}
