/* sys/fs.h - facts about the file system that holds a path. Local. */
#ifndef PARIO_SYS_FS_H
#define PARIO_SYS_FS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

struct pario_fs_facts {
    char type[32];     /* "ext4", "lustre", "tmpfs" ... */
    char mount[256];   /* mount point */
    char source[256];  /* device or server */
    char options[512]; /* mount options */
    int64_t block_bytes;
    int64_t total_bytes, free_bytes; /* free for this user */
    int64_t total_inodes, free_inodes;
    int64_t stripe_bytes; /* -1: the file system does not tell */
    int stripe_count;     /* -1: likewise */
    int parallel;         /* a parallel or network file system by type */
    int memory_backed;    /* tmpfs, ramfs: no disk behind it */
    int direct_alignment; /* bytes O_DIRECT asks for; 0: no O_DIRECT; -1: ? */
    int can_fallocate, can_lock; /* 1, 0, -1 unknown; set by probe only */
};

/* -ENOENT etc. with a message that names the path. */
int pario_fs_facts_get(const char *path,
                       struct pario_fs_facts *facts_p) PARIO_MUST_USE;

/* Makes, uses and removes a small file in dir to find out the rest. */
int pario_fs_probe(const char *dir,
                   struct pario_fs_facts *facts) PARIO_MUST_USE;

/* Is dir a directory we can write to, with need_bytes free? The message names
 * cause and remedy. need_bytes 0: not asked. */
int pario_fs_check_writable(const char *dir, int64_t need_bytes) PARIO_MUST_USE;

/* For root: can somebody else exchange files in dir, or a directory above it,
 * while a run writes there? Then 1, and a sentence about it. */
int pario_fs_is_dangerous(const char *dir, char *text, size_t len);

#endif
