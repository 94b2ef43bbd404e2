/* core/path.h - names of files. Local. */
#ifndef PARIO_CORE_PATH_H
#define PARIO_CORE_PATH_H

#include <string.h>

/* Without its folders: a part of path. One that ends in a slash is returned
 * whole. */
static inline const char *pario_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

#endif
