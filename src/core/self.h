/* core/self.h - this program's own file. Local. */
#ifndef PARIO_CORE_SELF_H
#define PARIO_CORE_SELF_H

#include <stddef.h>

/* Its absolute path, or "" where that cannot be found out. */
void pario_self_path(char *path, size_t len);

#endif
