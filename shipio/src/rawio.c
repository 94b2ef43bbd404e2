/* rawio.c - pread, pwrite and their vector forms. */
#include "rawio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Linux moves at most this much in one call. */
#define CALL_MAX ((int64_t)0x7ffff000)

static ssize_t call_once(struct shipio_file *file, bool write, void *buf,
                         int64_t len, int64_t offset)
{
    size_t n = (size_t)(len < CALL_MAX ? len : CALL_MAX);
    double start = file->storage.remote ? shipio_clock() : 0;
    ssize_t done;

    shipio_count(&file->stats, SHIPIO_N_FILE_REQUESTS, 1);
    done = write ? pwrite(file->fd, buf, n, offset)
                 : pread(file->fd, buf, n, offset);
    if (file->storage.remote && done > 0)
        shipio_storage_note(&file->storage, write, done,
                            shipio_clock() - start);
    return done;
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

/* Writers of a file that is sieved lock, so that no window is written back
 * over what they wrote meanwhile. */
static bool is_sieved(const struct shipio_file *file)
{
    return file->storage.remote && file->hints.sieve == SHIPIO_YES &&
           (file->shm == NULL || !atomic_load(&file->shm->head->no_update));
}

/*
 * Locks belong to the descriptor: bytes that one thread has locked are not
 * locked against the others, and whoever unlocks them does so for all. So
 * threads keep out of each other's bytes first.
 */
static int find_place(const struct shipio_file *file, int64_t low, int64_t high)
{
    int place = -1;

    for (int i = 0; i < SHIPIO_HELD_MAX; i++) {
        const struct shipio_extent *held = &file->ranges.held[i];

        if (held->low == held->high)
            place = i;
        else if (held->low < high && held->high > low)
            return -1;
    }
    return place;
}

static void hold(struct shipio_file *file, int64_t offset, int64_t len)
{
    int64_t high = offset + (len > 0 ? len : 1);
    int place;

    pthread_mutex_lock(&file->ranges.lock);
    while ((place = find_place(file, offset, high)) < 0)
        pthread_cond_wait(&file->ranges.freed, &file->ranges.lock);
    file->ranges.held[place] =
        (struct shipio_extent){.low = offset, .high = high};
    pthread_mutex_unlock(&file->ranges.lock);
}

static void let_go(struct shipio_file *file, int64_t offset)
{
    pthread_mutex_lock(&file->ranges.lock);
    for (int i = 0; i < SHIPIO_HELD_MAX; i++)
        if (file->ranges.held[i].low == offset &&
            file->ranges.held[i].high > file->ranges.held[i].low)
            file->ranges.held[i] = (struct shipio_extent){.low = 0, .high = 0};
    pthread_cond_broadcast(&file->ranges.freed);
    pthread_mutex_unlock(&file->ranges.lock);
}

/* In atomic mode the whole access is locked already. */
static bool locks(const struct shipio_file *file, bool write)
{
    return !file->atomic_mode &&
           (file->hints.lock == SHIPIO_YES || (write && is_sieved(file)));
}

/* A write without a lock, to a file that was sieved: those windows that are
 * still under way would be written back over it. */
static void await_updates(const struct shipio_file *file)
{
    const struct timespec nap = {.tv_nsec = 100000};

    if (!file->storage.remote || file->shm == NULL)
        return;
    while (atomic_load(&file->shm->head->no_update) &&
           atomic_load(&file->shm->head->updates) > 0)
        nanosleep(&nap, NULL);
}

int shipio_raw_stop_updates(struct shipio_file *file)
{
    if (is_sieved(file)) {
        if (file->shm == NULL)
            return -ENOLCK;
        atomic_store(&file->shm->head->no_update, 1);
    }
    await_updates(file);
    return 0;
}

static int try_lock(struct shipio_file *file, bool write, int64_t offset,
                    int64_t len, bool *locked_p)
{
    int rc;

    *locked_p = locks(file, write);
    if (!*locked_p)
        return 0;
    hold(file, offset, len);
    rc = shipio_raw_lock(file, write ? F_WRLCK : F_RDLCK, offset, len);
    if (rc == 0)
        return 0;
    let_go(file, offset);
    *locked_p = false;
    if (file->hints.lock == SHIPIO_YES || file->shm == NULL)
        return rc;
    /* The file system had locks at open. Then nobody sieves any more. */
    atomic_store(&file->shm->head->no_update, 1);
    return 0;
}

static int lock_range(struct shipio_file *file, bool write, int64_t offset,
                      int64_t len, bool *locked_p)
{
    int rc = try_lock(file, write, offset, len, locked_p);

    if (rc == 0 && write && !*locked_p)
        await_updates(file);
    return rc;
}

/* Local. Data that cannot be written before the lock is given up is an error
 * of the access. */
static int unlock_range(struct shipio_file *file, bool locked, int64_t offset,
                        int64_t len)
{
    int rc;

    if (!locked)
        return 0;
    rc = shipio_raw_lock(file, F_UNLCK, offset, len);
    let_go(file, offset);
    return rc;
}

/* Without a lock. */
static int64_t move(struct shipio_file *file, bool write, char *buf,
                    int64_t len, int64_t offset)
{
    int64_t done = 0;
    int error = 0;

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
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, done);
    return error != 0 ? error : done;
}

static int64_t transfer(struct shipio_file *file, bool write, char *buf,
                        int64_t len, int64_t offset)
{
    double start = shipio_stats_now(&file->stats);
    bool locked;
    int64_t done;
    int rc = lock_range(file, write, offset, len, &locked);

    if (rc != 0)
        return rc;
    done = move(file, write, buf, len, offset);
    rc = unlock_range(file, locked, offset, len);
    shipio_stats_since(&file->stats, SHIPIO_T_FILE, start);
    return done >= 0 && rc != 0 ? rc : done;
}

bool shipio_raw_may_update(const struct shipio_file *file)
{
    return is_sieved(file) && (file->amode & MPI_MODE_RDWR) != 0;
}

static int update_locked(struct shipio_file *file,
                         const struct shipio_update *update)
{
    int64_t n = move(file, false, update->image, update->len, update->offset);

    if (n < 0)
        return (int)n;
    memset(update->image + n, 0, (size_t)(update->len - n));
    n = update->change(update->argument, update->image);
    n = move(file, true, update->image, n, update->offset);
    return n < 0 ? (int)n : 0;
}

/* From here to end_update no rank writes without a lock; false: one would. */
static bool begin_update(struct shipio_file *file)
{
    if (file->shm != NULL)
        atomic_fetch_add(&file->shm->head->updates, 1);
    return is_sieved(file);
}

static void end_update(struct shipio_file *file)
{
    if (file->shm != NULL)
        atomic_fetch_sub(&file->shm->head->updates, 1);
}

static int try_update(struct shipio_file *file,
                      const struct shipio_update *update)
{
    bool locked;
    int unlocked;
    int rc = try_lock(file, true, update->offset, update->len, &locked);

    if (rc == 0 && !locked && !file->atomic_mode)
        rc = -ENOLCK;
    if (rc != 0)
        return rc;
    rc = update_locked(file, update);
    unlocked = unlock_range(file, locked, update->offset, update->len);
    return rc != 0 ? rc : unlocked;
}

int shipio_raw_update(struct shipio_file *file,
                      const struct shipio_update *update)
{
    double start = shipio_stats_now(&file->stats);
    int rc = begin_update(file) ? try_update(file, update) : -ENOLCK;

    end_update(file);
    shipio_stats_since(&file->stats, SHIPIO_T_FILE, start);
    return rc;
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
    int64_t len = iov_total(iov, count);
    int64_t done = 0;
    bool locked;
    int error = lock_range(file, write, offset, len, &locked);
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
    unlocked = unlock_range(file, locked, offset, len);
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
