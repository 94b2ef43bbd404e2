/* core/beneath.c - openat2 where there is one, else step by step. */
#include "core/beneath.h"

#include "core/clock.h"
#include "core/rng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DEPTH 64 /* of directories in a run's directory */

int pario_identity_get(int dir, const char *name,
                       struct pario_identity *identity_p)
{
    struct statx st;
    int flags = AT_SYMLINK_NOFOLLOW | (name[0] == '\0' ? AT_EMPTY_PATH : 0);

    if (statx(dir, name, flags, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
        return -errno;
    *identity_p = (struct pario_identity){
        .device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
        .inode = st.stx_ino,
        .mode = st.stx_mode,
        .uid = st.stx_uid,
        .mounted = (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
    };
    if (st.stx_mask & STATX_BTIME) {
        identity_p->born_s = st.stx_btime.tv_sec;
        identity_p->born_ns = st.stx_btime.tv_nsec;
    }
    return 0;
}

int pario_identity_same(const struct pario_identity *a,
                        const struct pario_identity *b)
{
    return a->device == b->device && a->inode == b->inode &&
           (a->mode & S_IFMT) == (b->mode & S_IFMT) && a->born_s == b->born_s &&
           a->born_ns == b->born_ns;
}

/* Without openat2: every part of the path by itself, none of them a link. */
static int enter_stepwise(int dir, const char *path)
{
    char parts[PATH_MAX], *rest = NULL;
    int at = dir;

    snprintf(parts, sizeof(parts), "%s", path);
    for (char *part = strtok_r(parts, "/", &rest); part != NULL;
         part = strtok_r(NULL, "/", &rest)) {
        int next = -1, error = EXDEV;

        if (strcmp(part, "..") != 0) {
            next =
                openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            error = errno;
        }
        if (at != dir)
            close(at);
        errno = error;
        if (next < 0)
            return -1;
        at = next;
    }
    return at;
}

/* The directory of that path below dir. */
static int enter(int dir, const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

    /* An old kernel, or a container that does not know the call. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return enter_stepwise(dir, path);
    return (int)fd;
}

/* The directory that the last part of the path, *name_p, is in: dir itself, or
 * one that leave() closes; -1 and errno. */
static int enter_folder(int dir, const char *path, const char **name_p)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char folder[PATH_MAX];

    if (strcmp(name, "..") == 0 || strlen(path) >= sizeof(folder)) {
        errno = strcmp(name, "..") == 0 ? EXDEV : ENAMETOOLONG;
        return -1;
    }
    *name_p = name;
    if (slash == NULL)
        return dir;
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    return enter(dir, folder);
}

static void leave(int dir, int at)
{
    int error = errno;

    if (at != dir)
        close(at);
    errno = error;
}

int pario_beneath_open(int dir, const char *path, int flags, mode_t mode)
{
    const char *name = NULL;
    int fd, at = enter_folder(dir, path, &name);

    if (at < 0)
        return -1;
    /* The last part by the call that everybody knows, fault libraries too. */
    fd = openat(at, name, flags | O_NOFOLLOW, mode);
    /* Another node made it at this moment: the clients of some file systems
     * (MooseFS) then refuse, as if O_EXCL had been asked for. */
    if (fd < 0 && errno == EEXIST && (flags & (O_CREAT | O_EXCL)) == O_CREAT)
        fd = openat(at, name, (flags & ~O_CREAT) | O_NOFOLLOW, mode);
    leave(dir, at);
    return fd;
}

int pario_beneath_unlink(int dir, const char *path)
{
    const char *name = NULL;
    int rc, at = enter_folder(dir, path, &name);

    if (at < 0)
        return -1;
    rc = unlinkat(at, name, 0);
    leave(dir, at);
    return rc;
}

int pario_beneath_mkdir(int dir, const char *path, mode_t mode)
{
    const char *name = NULL;
    int rc, at = enter_folder(dir, path, &name);

    if (at < 0)
        return -1;
    rc = mkdirat(at, name, mode);
    leave(dir, at);
    return rc;
}

int pario_beneath_rename(int dir, const char *path, const char *to,
                         unsigned flags)
{
    const char *name = NULL;
    int rc, at = enter_folder(dir, path, &name);

    if (at < 0)
        return -1;
    rc = renameat2(at, name, AT_FDCWD, to, flags);
    leave(dir, at);
    return rc;
}

static int empty(int dir, int depth);

/* A directory that nothing is mounted on is emptied, then goes. */
static int remove_directory(int dir, const char *name, int depth)
{
    struct pario_identity outer = {0}, inner = {0};
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        code;

    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    code = pario_identity_get(dir, "", &outer);
    if (code == 0)
        code = pario_identity_get(fd, "", &inner);
    if (code == 0 && (inner.device != outer.device || inner.mounted))
        code = -EXDEV;
    if (code == 0)
        code = empty(fd, depth + 1);
    close(fd);
    if (code == 0 && unlinkat(dir, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        code = -errno;
    return code;
}

/* The entries of a directory, from the first; NULL and errno. */
static DIR *entries(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    int error = errno;

    if (stream == NULL && fd >= 0)
        close(fd);
    errno = error;
    return stream;
}

/* The next one besides "." and ".."; NULL: the end, or an error in errno. */
static const struct dirent *next_entry(DIR *stream)
{
    const struct dirent *entry;

    do {
        errno = 0;
        entry = readdir(stream);
    } while (entry != NULL && (strcmp(entry->d_name, ".") == 0 ||
                               strcmp(entry->d_name, "..") == 0));
    return entry;
}

/* Goes on after an error: what can go goes. The first error is returned. */
static int empty(int dir, int depth)
{
    DIR *stream = depth > MAX_DEPTH ? NULL : entries(dir);
    const struct dirent *entry;
    int fd, code = 0, one;

    if (stream == NULL)
        return depth > MAX_DEPTH ? -ELOOP : -errno;
    fd = dirfd(stream);
    while ((entry = next_entry(stream)) != NULL) {
        one = unlinkat(fd, entry->d_name, 0) == 0 ? 0 : -errno;
        if (one == -EISDIR || one == -EPERM)
            one = remove_directory(fd, entry->d_name, depth);
        if (one != 0 && one != -ENOENT && code == 0)
            code = one;
    }
    if (code == 0)
        code = -errno;
    closedir(stream);
    return code;
}

int pario_beneath_empty(int dir)
{
    return empty(dir, 0);
}

int pario_beneath_is_empty(int dir)
{
    DIR *stream = entries(dir);
    int found, error;

    if (stream == NULL)
        return -errno;
    found = next_entry(stream) != NULL;
    error = errno;
    closedir(stream);
    return !found && error != 0 ? -error : !found;
}

void pario_random_letters(char letters[7])
{
    static const char set[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    struct pario_rng rng;
    uint64_t seed = 0;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        seed = (uint64_t)pario_clock_ns() ^ (uint64_t)getpid() << 40;
    pario_rng_init(&rng, seed);
    for (int i = 0; i < 6; i++)
        letters[i] = set[pario_rng_below(&rng, sizeof(set) - 1)];
    letters[6] = '\0';
}
