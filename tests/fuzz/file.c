/* A file in memory for the readers, which take names. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *pario_fuzz_file(const uint8_t *data, size_t len)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 ||
        pwrite(fd, data, len, 0) != (ssize_t)len)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return path;
}
