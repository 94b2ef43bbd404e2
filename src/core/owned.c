/* core/owned.c - holds by descriptor, removes by descriptor. */
#include "core/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TREE_LETTERS 6
#define TREE_RETRIES 30 /* x 100 ms: other ranks may still be writing there */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* An open descriptor of the directory in which path lies, or -errno. */
static int open_parent(const char *path)
{
    char folder[PATH_MAX];
    const char *name = name_of(path);
    int fd;

    if (name == path)
        snprintf(folder, sizeof(folder), ".");
    else
        snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
    fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

static int hold_tree(struct pario_owned *owned)
{
    owned->fd = openat(owned->parent, name_of(owned->path),
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (owned->fd < 0)
        return -errno;
    owned->known = 1;
    return pario_identity_get(owned->fd, "", &owned->identity);
}

static int hold_file(struct pario_owned *owned)
{
    int code = pario_identity_get(owned->parent, name_of(owned->path),
                                  &owned->identity);

    owned->known = code == 0;
    if (code == 0 && S_ISLNK(owned->identity.mode))
        return -ELOOP;
    return code == -ENOENT ? 0 : code;
}

/* Whom new files belong to there: servers and mounts may give them to another
 * user than the one who makes them. */
static int find_owner(int parent, uint32_t *uid_p)
{
    struct stat st;
    char letters[7], name[32];
    int fd, code = 0;

    pario_random_letters(letters);
    snprintf(name, sizeof(name), ".pario-owner-%s", letters);
    fd = openat(parent, name,
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0)
        code = -errno;
    else
        *uid_p = st.st_uid;
    close(fd);
    if (unlinkat(parent, name, 0) != 0 && code == 0)
        code = -errno;
    return code;
}

/* What was just made is empty and belongs to whom new files belong. */
static int check_made(const struct pario_owned *owned)
{
    uint32_t uid = geteuid();
    int empty = pario_beneath_is_empty(owned->fd), code = 0;

    if (empty < 0)
        return empty;
    if (empty && owned->identity.uid != uid)
        code = find_owner(owned->parent, &uid);
    if (code == 0 && (!empty || owned->identity.uid != uid))
        code = -ESTALE;
    return code;
}

static int make_tree(struct pario_owned *owned)
{
    int code;

    if (mkdirat(owned->parent, name_of(owned->path), 0777) != 0)
        return -errno;
    code = hold_tree(owned);
    if (code == -ENOENT || code == -ENOTDIR || code == -ELOOP)
        return -ESTALE;
    if (code == 0)
        code = check_made(owned);
    if (code != 0 && code != -ESTALE) /* no descriptors left, or the like */
        (void)unlinkat(owned->parent, name_of(owned->path), AT_REMOVEDIR);
    return code;
}

static int hold(enum pario_owned_kind kind, const char *path,
                int (*how)(struct pario_owned *owned),
                struct pario_owned **owned_p)
{
    struct pario_owned *owned = calloc(1, sizeof(*owned));
    int code = -ENOMEM;

    if (owned == NULL)
        return code;
    owned->kind = (char)kind;
    owned->parent = owned->fd = -1;
    owned->path = strdup(path);
    if (owned->path != NULL) {
        owned->parent = open_parent(path);
        code = owned->parent < 0 ? owned->parent : how(owned);
    }
    if (code != 0) {
        pario_owned_drop(owned);
        return code;
    }
    *owned_p = owned;
    return 0;
}

int pario_owned_note(enum pario_owned_kind kind, const char *path,
                     struct pario_owned **owned_p)
{
    return hold(kind, path, kind == PARIO_OWNED_FILE ? hold_file : hold_tree,
                owned_p);
}

int pario_owned_make(enum pario_owned_kind kind, const char *path,
                     struct pario_owned **owned_p)
{
    return hold(kind, path, make_tree, owned_p);
}

void pario_owned_drop(struct pario_owned *owned)
{
    if (owned->fd >= 0)
        close(owned->fd);
    if (owned->parent >= 0)
        close(owned->parent);
    free(owned->path);
    free(owned);
}

/* OMPIO leaves the semaphores of a killed run behind; their names begin with
 * those of the run's files, which begin with the letters of the run's tree.
 * Any other tree has no such letters: a shorter text might begin a stranger's
 * names. */
static void remove_semaphores(const char *tree)
{
    const char *dash = strrchr(tree, '-');
    int ours = dash != NULL && strlen(dash + 1) == TREE_LETTERS &&
               strchr(dash, '/') == NULL;
    DIR *dir = ours ? opendir("/dev/shm") : NULL;
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "sem.OMPIO_", 10) == 0 &&
            strstr(entry->d_name, dash + 1) == entry->d_name + 10)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
}

void pario_leftovers_remove(void)
{
    const char *job = getenv("OMPI_MCA_ess_base_jobid");
    DIR *dir = job != NULL ? opendir("/dev/shm") : NULL;
    struct dirent *entry;
    char middle[80];

    /* vader_segment.HOST.UID.JOB.RANK, the job in hexadecimal. */
    snprintf(middle, sizeof(middle), ".%lu.%lx.", (unsigned long)geteuid(),
             job != NULL ? strtoul(job, NULL, 10) : 0);
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "vader_segment.", 14) == 0 &&
            strstr(entry->d_name, middle) != NULL)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
}

/* The empty directory, if it still has this name there. */
static int remove_name(const struct pario_owned *owned, int parent,
                       const char *name)
{
    struct pario_identity now;
    int code = pario_identity_get(parent, name, &now);

    if (code != 0)
        return code;
    if (!pario_identity_same(&now, &owned->identity))
        return -ESTALE;
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

/* It has been renamed: the kernel knows where it is now. */
static int remove_elsewhere(const struct pario_owned *owned)
{
    char link[64], path[PATH_MAX];
    struct stat st;
    ssize_t len;
    int parent, code;

    if (fstat(owned->fd, &st) == 0 && st.st_nlink == 0)
        return 0; /* somebody has removed it */
    snprintf(link, sizeof(link), "/proc/self/fd/%d", owned->fd);
    len = readlink(link, path, sizeof(path) - 1);
    if (len <= 0)
        return -ESTALE;
    path[len] = '\0';
    parent = openat(owned->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return -errno;
    code = remove_name(owned, parent, name_of(path));
    close(parent);
    return code == -ENOENT ? -ESTALE : code;
}

static int remove_tree(const struct pario_owned *owned)
{
    int code = -ENOTEMPTY;

    remove_semaphores(owned->path);
    for (int i = 0; i < TREE_RETRIES; i++) {
        struct timespec pause = {.tv_nsec = 100000000};

        code = pario_beneath_empty(owned->fd);
        if (code == 0)
            code = remove_name(owned, owned->parent, name_of(owned->path));
        if (code == -ENOENT || code == -ESTALE)
            code = remove_elsewhere(owned);
        if (code != -ENOTEMPTY && code != -EEXIST && code != -EBUSY)
            return code;
        nanosleep(&pause, NULL);
    }
    return code;
}

/* One that was not there yet when it was registered: nobody has come to write
 * into it, or it would be known. With data in it, it is somebody else's. */
static int may_be_ours(const struct pario_owned *owned, const char *name)
{
    struct stat st;

    return fstatat(owned->parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size == 0;
}

static int remove_file(const struct pario_owned *owned)
{
    const char *name = name_of(owned->path);
    struct pario_identity now;
    int code = pario_identity_get(owned->parent, name, &now);

    if (code != 0)
        return code == -ENOENT ? 0 : code;
    if (owned->known ? !pario_identity_same(&now, &owned->identity)
                     : !may_be_ours(owned, name))
        return -ESTALE;
    return unlinkat(owned->parent, name, 0) == 0 || errno == ENOENT ? 0
                                                                    : -errno;
}

int pario_owned_remove(const struct pario_owned *owned)
{
    return owned->kind == PARIO_OWNED_FILE ? remove_file(owned)
                                           : remove_tree(owned);
}
