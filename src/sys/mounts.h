/* sys/mounts.h - /proc/self/mountinfo. Local. */
#ifndef PARIO_SYS_MOUNTS_H
#define PARIO_SYS_MOUNTS_H

#include "core/error.h"
#include <stddef.h>

struct pario_mount {
    unsigned major, minor; /* st_dev of its files; major 0: no device's */
    char root[256];        /* of the mount within its file system */
    char point[256];       /* mount point */
    char type[64];         /* as the kernel says: "fuse.glusterfs" */
    char source[256];      /* device or server */
    char options[512];     /* of the mount, then those of the file system */
};

/* One line of mountinfo; 0 or PARIO_EFORMAT (without a message). */
int pario_mount_parse(const char *line,
                      struct pario_mount *mount_p) PARIO_MUST_USE;

/* The mount that holds the absolute path: longest mount point that is a
 * prefix, the last of equal ones (it covers the others). 0 or -ENOENT. */
int pario_mount_find(const char *mountinfo, const char *path,
                     struct pario_mount *mount_p) PARIO_MUST_USE;

/* The first mount of this type that has the option (NULL: any). */
int pario_mount_find_type(const char *mountinfo, const char *type,
                          const char *option,
                          struct pario_mount *mount_p) PARIO_MUST_USE;

/* Is option one of the comma-separated options? */
int pario_mount_has_option(const char *options, const char *option);

/* The value of "key=value" among the options; 0 or -ENOENT. */
int pario_mount_option(const char *options, const char *key, char *buf,
                       size_t len) PARIO_MUST_USE;

/* A blank-separated field with its octal escapes (\040) resolved: *pos_p
 * moves behind it. 0 at the end of the line, else 1. */
int pario_mount_field(const char **pos_p, char *buf, size_t len);

#endif
