/* core/self.c - as the kernel knows it; without /proc as it was started. */
#include "core/self.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

void pario_self_path(char *path, size_t len)
{
    unsigned long started = getauxval(AT_EXECFN);
    char self[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n > 0)
        self[n] = '\0';
    else if (started == 0 || realpath((const char *)started, self) == NULL)
        self[0] = '\0';
    snprintf(path, len, "%s", self);
}
