/* io/posix_file.h - what the back-ends over file descriptors share. */
#ifndef PARIO_IO_POSIX_FILE_H
#define PARIO_IO_POSIX_FILE_H

#include "io/backend.h"

/* Embedded first in their struct pario_file. */
struct pario_posix_file {
    int fd;
    int64_t position; /* the individual pointer */
    const struct pario_group *group;
    char *path;
};

/* Collective over target->group: with CREATE rank 0 makes the file (it must
 * not exist), the others open it when it is there. */
int pario_posix_open(const struct pario_target *target,
                     struct pario_posix_file *file) PARIO_MUST_USE;
int pario_posix_close(struct pario_posix_file *file) PARIO_MUST_USE;
int pario_posix_sync(struct pario_posix_file *file) PARIO_MUST_USE;
/* Local. */
int pario_posix_sync_mine(struct pario_posix_file *file) PARIO_MUST_USE;
int pario_posix_size(struct pario_posix_file *file,
                     int64_t *bytes_p) PARIO_MUST_USE;
int pario_posix_set_size(struct pario_posix_file *file,
                         int64_t bytes) PARIO_MUST_USE;
int pario_posix_preallocate(struct pario_posix_file *file,
                            int64_t bytes) PARIO_MUST_USE;

#endif
