/* files.c - which files are recorded, and what is open. */
#include "recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_SLOTS 65536

static struct rec_file *fds[REC_MAX_FDS];
static struct rec_file *files;            /* by slot */
static struct rec_file *slots[MAX_SLOTS]; /* those that are open */
static int32_t first_free;                /* no slot below it is free */
static uint32_t openings[MAX_SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *below; /* folders with colons between; NULL: all but ... */
static bool anonymous;
static uint64_t salt;

static const char *const system_folders[] = {
    "/proc", "/sys",     "/dev",       "/etc", "/usr",
    "/lib",  "/lib32",   "/lib64",     "/bin", "/sbin",
    "/run",  "/var/lib", "/var/cache", "/opt", NULL};

void rec_filter_init(void)
{
    const char *text = getenv("PARIO_RECORD_ANONYMOUS");

    below = getenv("PARIO_RECORD_BELOW");
    if (below != NULL && below[0] == '\0')
        below = NULL;
    anonymous = text != NULL && text[0] != '\0';
    salt = anonymous ? strtoull(text, NULL, 16) : 0;
}

static bool is_below(const char *path, const char *folder, size_t len)
{
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(path, folder, len) == 0 &&
           (path[len] == '/' || path[len] == '\0');
}

static bool is_wanted(const char *path)
{
    if (below == NULL) {
        for (int i = 0; system_folders[i] != NULL; i++)
            if (is_below(path, system_folders[i], strlen(system_folders[i])))
                return false;
        return true;
    }
    for (const char *at = below; *at != '\0';) {
        size_t len = strcspn(at, ":");

        if (len > 0 && is_below(path, at, len))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

/* The same, without "//", "/./" and "/../"; links stay. */
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

static bool absolute(int at, const char *path, char *whole, size_t len)
{
    char link[40];
    ssize_t n;

    if (path[0] == '/') {
        n = snprintf(whole, len, "%s", path);
    } else if (at == AT_FDCWD) {
        n = syscall(SYS_getcwd, whole, len);
        if (n <= 0)
            return false;
        n = (ssize_t)strlen(whole);
        n += snprintf(whole + n, len - (size_t)n, "/%s", path);
    } else {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
        n = readlink(link, whole, len - 1);
        if (n <= 0 || whole[0] != '/')
            return false;
        n += snprintf(whole + n, len - (size_t)n, "/%s", path);
    }
    if ((size_t)n >= len)
        return false;
    clean(whole);
    return true;
}

/* Each name in the path becomes a number: who shares a folder is still seen. */
static void hide(const char *path, char *hidden, size_t len)
{
    size_t used = 0;

    while (*path != '\0' && used + 20 < len) {
        size_t n = strcspn(path + 1, "/");
        uint64_t hash = salt;

        for (size_t i = 1; i <= n; i++)
            hash = (hash ^ (unsigned char)path[i]) * 0x100000001b3u;
        used += (size_t)snprintf(hidden + used, len - used, "/%012llx",
                                 (unsigned long long)(hash >> 16));
        path += n + 1;
    }
}

static int64_t find_path(int at, const char *path, bool any)
{
    char whole[PATH_MAX + NAME_MAX], hidden[PATH_MAX + NAME_MAX];
    int saved = errno;
    int64_t number = -1;

    rec_enter();
    if (path != NULL && absolute(at, path, whole, sizeof(whole)) &&
        ((any && below == NULL) || is_wanted(whole))) {
        if (anonymous)
            hide(whole, hidden, sizeof(hidden));
        number = rec_string(anonymous ? hidden : whole);
    }
    rec_leave();
    errno = saved;
    return number;
}

int64_t rec_path(int at, const char *path)
{
    return find_path(at, path, false);
}

int64_t rec_mpi_path(const char *path)
{
    return find_path(AT_FDCWD, path, true);
}

struct rec_file *rec_file_new(int64_t path, int64_t flags)
{
    struct rec_file *file = NULL;
    int32_t slot;

    rec_enter();
    pthread_mutex_lock(&lock);
    slot = first_free;
    if (files == NULL)
        files = rec_map(MAX_SLOTS * sizeof(*files));
    while (slot < MAX_SLOTS && slots[slot] != NULL)
        slot++;
    if (files != NULL && slot < MAX_SLOTS) {
        file = &files[slot];
        *file = (struct rec_file){.slot = slot,
                                  .opening = ++openings[slot],
                                  .thread = rec_thread(),
                                  .path = path,
                                  .flags = flags};
        slots[slot] = file;
        first_free = slot + 1;
    }
    pthread_mutex_unlock(&lock);
    rec_leave();
    return file;
}

void rec_file_free(struct rec_file *file, bool may_wait)
{
    rec_enter();
    if (may_wait) {
        pthread_mutex_lock(&lock);
    } else if (pthread_mutex_trylock(&lock) != 0) {
        rec_leave();
        return; /* the slot is not used again */
    }
    slots[file->slot] = NULL;
    if (file->slot < first_free)
        first_free = file->slot;
    pthread_mutex_unlock(&lock);
    rec_leave();
}

struct rec_file *rec_fd(int fd)
{
    return fd >= 0 && fd < REC_MAX_FDS
               ? __atomic_load_n(&fds[fd], __ATOMIC_ACQUIRE)
               : NULL;
}

void rec_fd_set(int fd, struct rec_file *file)
{
    if (fd < 0 || fd >= REC_MAX_FDS)
        return;
    __atomic_add_fetch(&file->fds, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&fds[fd], file, __ATOMIC_RELEASE);
}

struct rec_file *rec_fd_clear(int fd)
{
    struct rec_file *file = NULL;

    if (fd >= 0 && fd < REC_MAX_FDS)
        file = __atomic_exchange_n(&fds[fd], NULL, __ATOMIC_ACQ_REL);
    if (file == NULL || __atomic_sub_fetch(&file->fds, 1, __ATOMIC_ACQ_REL) > 0)
        return NULL;
    return file;
}

int64_t rec_open_flags(int flags)
{
    static const struct {
        int bit;
        int64_t flag;
    } bits[] = {
        {O_CREAT, PARIO_TRACE_CREATE},  {O_EXCL, PARIO_TRACE_EXCL},
        {O_TRUNC, PARIO_TRACE_TRUNC},   {O_APPEND, PARIO_TRACE_APPEND},
        {O_DIRECT, PARIO_TRACE_DIRECT}, {O_DIRECTORY, PARIO_TRACE_DIRECTORY}};
    int way = flags & O_ACCMODE;
    int64_t all = 0;

    if (way == O_RDONLY || way == O_RDWR)
        all |= PARIO_TRACE_READ;
    if (way == O_WRONLY || way == O_RDWR)
        all |= PARIO_TRACE_WRITE;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if ((flags & bits[i].bit) == bits[i].bit)
            all |= bits[i].flag;
    if ((flags & O_SYNC) == O_SYNC)
        all |= PARIO_TRACE_SYNC;
    else if ((flags & O_DSYNC) != 0)
        all |= PARIO_TRACE_DSYNC;
    return all;
}

/* Each descriptor's file is noted when the child first does anything. */
void rec_files_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    for (int slot = 0; slot < MAX_SLOTS; slot++)
        if (slots[slot] != NULL)
            slots[slot]->flags |= (int64_t)1 << 62; /* not noted yet */
}
