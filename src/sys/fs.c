/* sys/fs.c - facts about the file system that holds a path. */
#include "sys/fs.h"
#include "core/cleanup.h"
#include "core/output.h"
#include "core/units.h"
#include "sys/fstype.h"
#include "sys/mounts.h"
#include "sys/proctext.h"
#include "sys/stripe.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PROBE_BYTES 65536

static int64_t times(uint64_t count, uint64_t unit)
{
    if (unit > 0 && count > (uint64_t)INT64_MAX / unit)
        return INT64_MAX;
    return (int64_t)(count * unit);
}

static void copy_text(char *to, size_t len, const char *from)
{
    size_t n = strnlen(from, len - 1);

    memcpy(to, from, n);
    to[n] = '\0';
}

/* Type, mount point, source and options. */
static void mount_facts(const char *path, unsigned long magic,
                        struct pario_fs_facts *facts)
{
    char *mountinfo = pario_proctext_read("", "/proc/self/mountinfo");
    const struct pario_fstype *type;
    struct pario_mount mount = {.type = ""};

    if (mountinfo == NULL || pario_mount_find(mountinfo, path, &mount) != 0)
        mount = (struct pario_mount){.type = ""};
    free(mountinfo);
    type = pario_fstype_find(mount.type, magic);
    copy_text(facts->mount, sizeof facts->mount,
              mount.point[0] != '\0' ? mount.point : "unknown");
    copy_text(facts->source, sizeof facts->source,
              mount.source[0] != '\0' ? mount.source : "unknown");
    copy_text(facts->options, sizeof facts->options,
              mount.options[0] != '\0' ? mount.options : "unknown");
    if (type != NULL)
        copy_text(facts->type, sizeof facts->type, type->name);
    else if (mount.type[0] != '\0')
        copy_text(facts->type, sizeof facts->type, mount.type);
    else
        snprintf(facts->type, sizeof facts->type, "magic 0x%lx", magic);
    facts->parallel = type != NULL && type->parallel;
    facts->memory_backed = type != NULL && type->memory_backed;
}

static void stripe_facts(const char *path, struct pario_fs_facts *facts)
{
    struct pario_stripe stripe;

    pario_stripe_get(facts->type, path, &stripe);
    if (stripe.bytes > 0)
        facts->stripe_bytes = stripe.bytes;
    if (stripe.count > 0)
        facts->stripe_count = stripe.count;
}

/* What statx says about O_DIRECT on this file; -1: nothing. */
static int reported_alignment(const char *path)
{
#ifdef STATX_DIOALIGN
    struct statx stx;

    if (statx(AT_FDCWD, path, 0, STATX_DIOALIGN, &stx) == 0 &&
        (stx.stx_mask & STATX_DIOALIGN) != 0) {
        unsigned align = stx.stx_dio_offset_align;

        if (align > 0 && stx.stx_dio_mem_align > align)
            align = stx.stx_dio_mem_align;
        return align <= INT_MAX ? (int)align : -1;
    }
#else
    (void)path;
#endif
    return -1;
}

int pario_fs_facts_get(const char *path, struct pario_fs_facts *facts_p)
{
    struct pario_fs_facts facts = {.stripe_bytes = -1,
                                   .stripe_count = -1,
                                   .can_fallocate = -1,
                                   .can_lock = -1};
    char real[PATH_MAX];
    struct statvfs vfs;
    struct statfs fs;

    if (realpath(path, real) == NULL)
        return pario_fail_errno(-errno, "cannot look at %s", path);
    if (statvfs(real, &vfs) != 0 || statfs(real, &fs) != 0)
        return pario_fail_errno(-errno, "cannot ask for the file system of %s",
                                path);
    mount_facts(real, (unsigned long)fs.f_type & 0xffffffffUL, &facts);
    facts.block_bytes = (int64_t)vfs.f_bsize;
    facts.total_bytes = times(vfs.f_blocks, vfs.f_frsize);
    facts.free_bytes = times(vfs.f_bavail, vfs.f_frsize);
    /* Without a table of inodes (btrfs, many network ones) both are 0. */
    facts.total_inodes = vfs.f_files > 0 ? times(vfs.f_files, 1) : -1;
    facts.free_inodes = vfs.f_files > 0 ? times(vfs.f_favail, 1) : -1;
    facts.direct_alignment = reported_alignment(real);
    stripe_facts(real, &facts);
    *facts_p = facts;
    return 0;
}

/* The smallest power of two that O_DIRECT writes are accepted with. Less than
 * a sector is not asked for: some take it and go through the page cache. */
static int tried_alignment(int direct_fd)
{
    void *buf = NULL;
    int found = -1;

    if (posix_memalign(&buf, PROBE_BYTES, (size_t)PROBE_BYTES * 2) != 0)
        return -1;
    memset(buf, 0, (size_t)PROBE_BYTES * 2);
    for (int align = 512; align <= PROBE_BYTES && found < 0; align *= 2) {
        /* Memory, offset and length all at this alignment and no more. */
        if (pwrite(direct_fd, (char *)buf + align, (size_t)align, align) ==
            align)
            found = align;
        else if (errno != EINVAL)
            break; /* full, or failing: not a matter of alignment */
    }
    free(buf);
    return found;
}

static int probe_direct(const char *path)
{
    int align = reported_alignment(path);
    int fd;

    if (align >= 0)
        return align;
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    if (fd < 0)
        return errno == EINVAL || errno == EOPNOTSUPP ? 0 : -1;
    align = tried_alignment(fd);
    close(fd);
    return align;
}

static int probe_fallocate(int fd)
{
    if (fallocate(fd, 0, 0, PROBE_BYTES) == 0)
        return 1;
    return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -1;
}

/* Locks of open file descriptions: one holder must keep another out. */
static int probe_lock(int fd, const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 16};
    int other, result = -1;

    if (fcntl(fd, F_OFD_SETLK, &lock) != 0)
        return errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP ? 0
                                                                         : -1;
    other = open(path, O_RDWR | O_CLOEXEC);
    if (other >= 0) {
        if (fcntl(other, F_OFD_SETLK, &lock) == 0)
            result = 0; /* granted twice: it does not lock */
        else if (errno == EAGAIN || errno == EACCES)
            result = 1;
        close(other);
    }
    lock.l_type = F_UNLCK;
    if (fcntl(fd, F_OFD_SETLK, &lock) != 0)
        result = -1;
    return result;
}

int pario_fs_probe(const char *dir, struct pario_fs_facts *facts)
{
    char path[PATH_MAX], prefix[PATH_MAX];
    int n = snprintf(prefix, sizeof prefix, "%s/.pario-probe", dir);
    int fd, code;

    if (n < 0 || (size_t)n >= sizeof prefix)
        return pario_fail_errno(-ENAMETOOLONG, "cannot probe %s", dir);
    fd = pario_output_temporary(prefix, path, sizeof path);
    if (fd < 0)
        return pario_fail_errno(fd, "cannot make a file in %s", dir);
    code = pario_cleanup_add_file(path);
    facts->direct_alignment = probe_direct(path);
    facts->can_fallocate = probe_fallocate(fd);
    facts->can_lock = probe_lock(fd, path);
    stripe_facts(path, facts); /* a directory may only tell what it overrides */
    close(fd);
    if (code != 0) {
        (void)unlink(path); /* the janitor does not know of it */
        return code;
    }
    return pario_cleanup_remove(path);
}

static int check_space(const char *dir, int64_t need_bytes)
{
    char need[PARIO_UNITS_LEN], have[PARIO_UNITS_LEN];
    struct statvfs vfs;
    int64_t free_bytes;

    if (statvfs(dir, &vfs) != 0)
        return pario_fail_errno(-errno, "cannot ask for the file system of %s",
                                dir);
    if ((vfs.f_flag & ST_RDONLY) != 0)
        return pario_fail(-EROFS,
                          "cannot write to %s: its file system is mounted "
                          "read-only (give another directory or remount it)",
                          dir);
    free_bytes = times(vfs.f_bavail, vfs.f_frsize);
    if (need_bytes > 0 && free_bytes < need_bytes)
        return pario_fail(-ENOSPC,
                          "not enough space in %s: needs %s, %s free (free "
                          "some, ask for less or give another directory)",
                          dir, pario_size_print_short(need_bytes, need),
                          pario_size_print_short(free_bytes, have));
    if (need_bytes > 0 && vfs.f_files > 0 && vfs.f_favail == 0)
        return pario_fail(-ENOSPC, "no inodes left in %s (remove files)", dir);
    return 0;
}

int pario_fs_check_writable(const char *dir, int64_t need_bytes)
{
    struct stat st;
    int code;

    if (stat(dir, &st) != 0) {
        code = -errno;
        if (code == -ENOENT)
            return pario_fail(code,
                              "directory %s does not exist (make it, or give "
                              "another)",
                              dir);
        return pario_fail_errno(code, "cannot look at %s", dir);
    }
    if (!S_ISDIR(st.st_mode))
        return pario_fail(-ENOTDIR, "%s is not a directory (give one)", dir);
    code = check_space(dir, need_bytes);
    if (code != 0)
        return code;
    if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) != 0)
        return pario_fail(-errno,
                          "cannot write to %s: %s (change its permissions or "
                          "give another directory)",
                          dir, strerror(errno));
    return 0;
}

/* May somebody else exchange what is in this directory? */
static int is_open_to_others(const char *dir, const struct stat *st, char *text,
                             size_t len)
{
    if (st->st_uid != 0)
        snprintf(text, len,
                 "%s, which belongs to user %lu, who may exchange files there "
                 "during the run: better run as that user or in a directory "
                 "of root's",
                 dir, (unsigned long)st->st_uid);
    else if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
             (st->st_mode & S_ISVTX) == 0)
        snprintf(text, len,
                 "%s, where others may exchange files during the run (it is "
                 "writable for them, without sticky bit): better use a "
                 "directory of root's own",
                 dir);
    else
        return 0;
    return 1;
}

int pario_fs_is_dangerous(const char *dir, char *text, size_t len)
{
    char path[PATH_MAX], why[PATH_MAX + 256];
    struct stat st;
    int above = 0;

    if (geteuid() != 0 || realpath(dir, path) == NULL)
        return 0;
    /* Whoever may exchange a directory above has all that is in it. */
    for (char *slash; path[0] != '\0'; *slash = '\0', above = 1) {
        if (stat(path, &st) == 0 &&
            is_open_to_others(path, &st, why, sizeof(why))) {
            snprintf(text, len, "root writes into %s%s%s", above ? dir : "",
                     above ? ", below " : "", why);
            return 1;
        }
        slash = strrchr(path, '/');
    }
    return 0;
}
