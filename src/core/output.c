/* core/output.c - exclusive, through no strange link, all or nothing. */
#include "core/output.h"

#include "core/beneath.h"
#include "core/cleanup.h"
#include "core/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEW_FILE (O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define NAME_TRIES 100
#define LOCK_TRIES 600  /* x 100 ms: another run writes its block */
#define READER_TRIES 50 /* x 100 ms: somebody comes to read the pipe */

/* Names that were taken for later, each with a descriptor that keeps the file
 * apart from every other; until the process ends. */
#define MAX_CLAIMS 16
static struct claim {
    char *path;
    int held;
} claims[MAX_CLAIMS];
static size_t nclaims;

int pario_output_hold(const char *path, int *held_p)
{
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (*held_p >= 0)
        close(*held_p);
    *held_p = fd;
    return 0;
}

int pario_output_is_taken(const char *path, int held)
{
    struct pario_identity mine, now;
    int code = pario_identity_get(AT_FDCWD, path, &now);

    if (held < 0 || code == -ENOENT)
        return 0;
    return code != 0 || pario_identity_get(held, "", &mine) != 0 ||
           !pario_identity_same(&mine, &now);
}

/* Without room for it the name is not watched; it was free. */
static void remember_claim(const char *path)
{
    char *copy = strdup(path);
    int held = -1;

    if (copy == NULL || nclaims == MAX_CLAIMS ||
        pario_output_hold(path, &held) != 0) {
        free(copy);
        return;
    }
    claims[nclaims].path = copy;
    claims[nclaims++].held = held;
}

static struct claim *find_claim(const char *path)
{
    for (size_t i = 0; i < nclaims; i++)
        if (strcmp(claims[i].path, path) == 0)
            return &claims[i];
    return NULL;
}

/* What has been written there is ours now. */
static void renew_claim(const char *path)
{
    struct claim *claim = find_claim(path);

    if (claim != NULL)
        (void)!pario_output_hold(path, &claim->held);
}

int pario_output_stream(FILE *out, const char *name, const char *text,
                        size_t len)
{
    errno = 0;
    if (fwrite(text, 1, len, out) != len || fflush(out) != 0)
        return pario_fail_errno(errno != 0 ? -errno : -EIO, "cannot write %s",
                                name);
    return 0;
}

int pario_output_create(const char *path)
{
    int fd = open(path, O_WRONLY | NEW_FILE, 0666);

    return fd >= 0 ? fd : -errno;
}

int pario_output_temporary(const char *prefix, char *name, size_t len)
{
    char letters[7];
    int fd = -EEXIST;

    for (int i = 0; i < NAME_TRIES && fd == -EEXIST; i++) {
        pario_random_letters(letters);
        if ((size_t)snprintf(name, len, "%s-%s", prefix, letters) >= len)
            return -ENAMETOOLONG;
        fd = open(name, O_RDWR | NEW_FILE, 0666);
        if (fd < 0)
            fd = -errno;
    }
    return fd;
}

int pario_output_resolve(const char *path, char **real_p)
{
    struct stat link, st;
    char *real;

    if (lstat(path, &link) != 0 || stat(path, &st) != 0)
        return pario_fail_errno(-errno, "cannot write %s", path);
    if (S_ISLNK(link.st_mode) && link.st_uid != geteuid())
        return pario_fail(-ELOOP,
                          "cannot write %s: it is a symbolic link of somebody "
                          "else's, name the file itself",
                          path);
    if (!S_ISREG(st.st_mode))
        return pario_fail(S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
                          "cannot write %s: it is %s, name a file", path,
                          S_ISDIR(st.st_mode) ? "a directory"
                                              : "not a regular file");
    real = realpath(path, NULL);
    if (real == NULL)
        return pario_fail_errno(-errno, "cannot write %s", path);
    *real_p = real;
    return 0;
}

static int is_kept(const char *path)
{
    return pario_fail(-EEXIST,
                      "%s exists and is kept: give another name, or replace "
                      "it with --force",
                      path);
}

/* A device or a pipe, such as /dev/null: it is written to, not replaced. Not
 * through a link of somebody else's; /dev/stdout is one of root's. */
static int is_sink(const char *path)
{
    struct stat link, st;

    if (lstat(path, &link) != 0 || stat(path, &st) != 0 ||
        (S_ISLNK(link.st_mode) && link.st_uid != geteuid() && link.st_uid != 0))
        return 0;
    return S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode);
}

/* What is opened must still be one; a pipe that nobody reads is given a while.
 * A descriptor, or a negative error with a message. */
static int open_sink(const char *path)
{
    struct timespec pause = {.tv_nsec = 100000000};
    struct stat st;
    int fd = -1, flags;

    for (int i = 0; i < READER_TRIES; i++) {
        fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 || errno != ENXIO)
            break;
        nanosleep(&pause, NULL);
    }
    if (fd < 0)
        return pario_fail_errno(-errno, "cannot write %s%s", path,
                                errno == ENXIO ? " (does nobody read it?)"
                                               : "");
    flags = fcntl(fd, F_GETFL);
    if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode) || flags < 0 ||
        fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) {
        close(fd);
        return pario_fail(
            -EINVAL, "cannot write %s: it has become something else", path);
    }
    return fd;
}

/* Writes, flushes and closes. */
static int fill(int fd, const char *path, pario_output_writer *write,
                void *context)
{
    FILE *out = fdopen(fd, "w");
    int code;

    if (out == NULL) {
        code = pario_fail_errno(-errno, "cannot write %s", path);
        close(fd);
        return code;
    }
    code = write(context, out, path);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot write %s", path);
    return code;
}

int pario_output_keep_mode(int fd, const char *path)
{
    struct stat old, new;

    if (lstat(path, &old) != 0 || !S_ISREG(old.st_mode))
        return 0;
    if (fstat(fd, &new) != 0)
        return -errno;
    if (old.st_uid != new.st_uid)
        return 0;
    /* Some network file systems have no modes: the data matters. */
    if (fchmod(fd, old.st_mode & 0777) != 0 && errno != EPERM &&
        errno != ENOTSUP)
        return -errno;
    return 0;
}

/* What was made by this name is not complete. What has taken the name while it
 * was written stays. */
static void unmake(const char *path, const struct pario_identity *made)
{
    struct pario_identity now;

    if (pario_identity_get(AT_FDCWD, path, &now) == 0 &&
        pario_identity_same(made, &now))
        unlink(path);
}

static int replace(const char *path, pario_output_writer *write, void *context)
{
    struct pario_identity made = {.device = 0};
    char name[PATH_MAX], *real = NULL;
    int fd, code = pario_output_resolve(path, &real);

    if (code != 0 || real == NULL)
        return code;
    fd = pario_output_temporary(real, name, sizeof(name));
    if (fd < 0) {
        code = pario_fail_errno(fd, "cannot write beside %s", path);
    } else {
        /* Best effort: a kill right now would leave it. */
        (void)!pario_cleanup_add_file(name);
        (void)!pario_output_keep_mode(fd, real);
        (void)!pario_identity_get(fd, "", &made);
        code = fill(fd, path, write, context);
        if (code == 0 && rename(name, real) != 0)
            code = pario_fail_errno(-errno, "cannot write %s", path);
        if (code == 0)
            renew_claim(path);
        if (code != 0)
            unmake(name, &made);
        pario_cleanup_forget(name);
    }
    free(real);
    return code;
}

int pario_output_write(const char *path, int force, pario_output_writer *write,
                       void *context)
{
    const struct claim *claim = find_claim(path);
    struct pario_identity made = {.device = 0};
    int fd = pario_output_create(path), code;

    if (fd == -EEXIST && !force)
        return is_kept(path);
    if (fd == -EEXIST && claim != NULL &&
        pario_output_is_taken(path, claim->held))
        return pario_fail(-ESTALE,
                          "another file has taken the name %s during the run; "
                          "it is kept",
                          path);
    if (fd == -EEXIST && !is_sink(path))
        return replace(path, write, context);
    if (fd == -EEXIST) {
        fd = open_sink(path);
        return fd >= 0 ? fill(fd, path, write, context) : fd;
    }
    if (fd < 0)
        return pario_fail_errno(fd, "cannot write %s", path);
    (void)!pario_cleanup_add_file(path);
    (void)!pario_identity_get(fd, "", &made);
    code = fill(fd, path, write, context);
    if (code != 0)
        unmake(path, &made);
    else
        renew_claim(path);
    pario_cleanup_forget(path);
    return code;
}

struct text {
    const char *text;
    size_t len;
};

static int write_text(void *context, FILE *out, const char *path)
{
    const struct text *text = context;
    /* Straight to the file: there is nothing to collect first. */
    int code = pario_write_all(fileno(out), text->text, text->len);

    return code != 0 ? pario_fail_errno(code, "cannot write %s", path) : 0;
}

int pario_output_file(const char *path, int force, const char *text, size_t len)
{
    struct text all = {text, len};

    return pario_output_write(path, force, write_text, &all);
}

int pario_output_made(const char *path, int force, const char *text, size_t len)
{
    return path != NULL
               ? pario_output_file(path, force, text, len)
               : pario_output_stream(stdout, "the standard output", text, len);
}

int pario_output_claim(const char *path, int force)
{
    int fd = pario_output_create(path), code;
    char *real = NULL;

    if (fd >= 0) {
        close(fd);
        if (!force)
            remember_claim(path);
        return 0;
    }
    if (fd != -EEXIST)
        return pario_fail_errno(fd, "cannot write %s", path);
    if (!force)
        return is_kept(path);
    if (is_sink(path))
        return 0;
    code = pario_output_resolve(path, &real);
    free(real);
    return code;
}

static int lock(int fd, const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct timespec pause = {.tv_nsec = 100000000};

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return 0; /* a file system without locks */
        nanosleep(&pause, NULL);
    }
    return pario_fail(-EBUSY,
                      "cannot write %s: another run has held it locked for "
                      "%d s, name another file",
                      path, LOCK_TRIES / 10);
}

int pario_output_shared(const char *path, int *fd_p)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                  0666);
    struct stat st;
    int code = 0;

    if (fd < 0 && errno == ELOOP)
        return pario_fail(-ELOOP,
                          "cannot write %s: it is a symbolic link, name the "
                          "file itself",
                          path);
    if (fd < 0 || fstat(fd, &st) != 0)
        code = pario_fail_errno(-errno, "cannot write %s", path);
    else if (!S_ISREG(st.st_mode))
        code = pario_fail(-EINVAL, "cannot write %s: it is not a regular file",
                          path);
    if (code != 0 && fd >= 0)
        close(fd);
    if (code == 0)
        *fd_p = fd;
    return code;
}

int pario_output_append(const char *path, int *fd_p)
{
    int fd = -1, code = pario_output_shared(path, &fd);

    if (code != 0)
        return code;
    code = lock(fd, path);
    if (code != 0)
        close(fd);
    else
        *fd_p = fd;
    return code;
}

int pario_output_join(const char *path, int *fd_p)
{
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return -ESTALE;
    }
    *fd_p = fd;
    return 0;
}

FILE *pario_own_stream(const char *path)
{
    int fd =
        pario_own_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (out == NULL && fd >= 0)
        close(fd);
    return out;
}
