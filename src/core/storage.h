/* What the tests ask of the storage beside reading and writing. */
#ifndef PARIO_CORE_STORAGE_H
#define PARIO_CORE_STORAGE_H

#include "core/error.h"

#include <stdint.h>

/* Local. fsync of a file or directory by name. */
int pario_sync_path(const char *path) PARIO_MUST_USE;

/* Local, after a failure with this code. If the disk of dir has less than
 * need_bytes left, that is said in the message and -ENOSPC returned: libraries
 * and servers often keep it to themselves. Else the code. */
int pario_blame_space(const char *dir, int64_t need_bytes, int code);

#endif
