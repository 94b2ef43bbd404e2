/* rawio.c - pread, pwrite and their vector forms. */
#include "rawio.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

/* Linux moves at most this much in one call. */
#define CALL_MAX ((int64_t)0x7ffff000)

static ssize_t call_once(struct shipio_file *file, bool write, void *buf,
                         int64_t len, int64_t offset)
{
    size_t n = (size_t)(len < CALL_MAX ? len : CALL_MAX);

    shipio_count(&file->stats, SHIPIO_N_FILE_REQUESTS, 1);
    return write ? pwrite(file->fd, buf, n, offset)
                 : pread(file->fd, buf, n, offset);
}

int shipio_raw_lock(struct shipio_file *file, short kind, int64_t offset,
                    int64_t len)
{
    struct flock lock = {
        .l_type = kind, .l_whence = SEEK_SET, .l_start = offset, .l_len = len};
    int rc;

    do
        rc = fcntl(file->fd, F_OFD_SETLKW, &lock);
    while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : -errno;
}

/* Locks belong to the descriptor: one thread at a time. In atomic mode the
 * whole access is locked already. */
static bool locks(const struct shipio_file *file)
{
    return file->hints.lock == SHIPIO_YES && !file->atomic_mode;
}

static int lock_range(struct shipio_file *file, bool write, int64_t offset,
                      int64_t len)
{
    int rc;

    if (!locks(file))
        return 0;
    pthread_mutex_lock(&file->range_lock);
    rc = shipio_raw_lock(file, write ? F_WRLCK : F_RDLCK, offset, len);
    if (rc != 0)
        pthread_mutex_unlock(&file->range_lock);
    return rc;
}

/* Local. Data that cannot be written before the lock is given up is an error
 * of the access. */
static int unlock_range(struct shipio_file *file, int64_t offset, int64_t len)
{
    int rc;

    if (!locks(file))
        return 0;
    rc = shipio_raw_lock(file, F_UNLCK, offset, len);
    pthread_mutex_unlock(&file->range_lock);
    return rc;
}

static int64_t transfer(struct shipio_file *file, bool write, char *buf,
                        int64_t len, int64_t offset)
{
    double start = shipio_stats_now(&file->stats);
    int64_t done = 0;
    int error = lock_range(file, write, offset, len);
    int unlocked;

    if (error != 0)
        return error;
    while (done < len && error == 0) {
        ssize_t n =
            call_once(file, write, buf + done, len - done, offset + done);

        if (n > 0)
            done += n;
        else if (n == 0 && !write)
            break;
        else if (n == 0)
            error = -EIO;
        else if (errno != EINTR)
            error = -errno;
    }
    unlocked = unlock_range(file, offset, len);
    error = error != 0 ? error : unlocked;
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, done);
    shipio_stats_since(&file->stats, SHIPIO_T_FILE, start);
    return error != 0 ? error : done;
}

int64_t shipio_raw_write(struct shipio_file *file, const void *buf, int64_t len,
                         int64_t offset)
{
    /* The buffer is only read. */
    union {
        const void *in;
        char *out;
    } memory = {.in = buf};

    return transfer(file, true, memory.out, len, offset);
}

int64_t shipio_raw_read(struct shipio_file *file, void *buf, int64_t len,
                        int64_t offset)
{
    return transfer(file, false, buf, len, offset);
}

/* Drops n bytes from the front of a vector; returns how many elements went. */
static int iov_drop(struct iovec *iov, int count, size_t n)
{
    int i = 0;

    while (i < count && n >= iov[i].iov_len)
        n -= iov[i++].iov_len;
    if (i < count) {
        iov[i].iov_base = (char *)iov[i].iov_base + n;
        iov[i].iov_len -= n;
    }
    return i;
}

static int64_t iov_total(const struct iovec *iov, int count)
{
    size_t total = 0;

    for (int i = 0; i < count; i++)
        total += iov[i].iov_len;
    return (int64_t)total;
}

static int64_t transfer_vector(struct shipio_file *file, bool write,
                               struct iovec *iov, int count, int64_t offset)
{
    double start = shipio_stats_now(&file->stats);
    int64_t len = locks(file) ? iov_total(iov, count) : 0;
    int64_t done = 0;
    int error = lock_range(file, write, offset, len);
    int unlocked;

    if (error != 0)
        return error;
    while (count > 0 && error == 0) {
        ssize_t n = write ? pwritev(file->fd, iov, count, offset + done)
                          : preadv(file->fd, iov, count, offset + done);
        int gone;

        shipio_count(&file->stats, SHIPIO_N_FILE_REQUESTS, 1);
        if (n < 0) {
            error = errno == EINTR ? 0 : -errno;
            continue;
        }
        if (n == 0 && !write)
            break;
        if (n == 0)
            error = -EIO;
        done += n;
        gone = iov_drop(iov, count, (size_t)n);
        iov += gone;
        count -= gone;
    }
    unlocked = unlock_range(file, offset, len);
    error = error != 0 ? error : unlocked;
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, done);
    shipio_stats_since(&file->stats, SHIPIO_T_FILE, start);
    return error != 0 ? error : done;
}

int64_t shipio_raw_writev(struct shipio_file *file, struct iovec *iov, int n,
                          int64_t offset)
{
    return transfer_vector(file, true, iov, n, offset);
}

int64_t shipio_raw_readv(struct shipio_file *file, struct iovec *iov, int n,
                         int64_t offset)
{
    return transfer_vector(file, false, iov, n, offset);
}
