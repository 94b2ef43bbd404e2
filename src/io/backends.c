/* io/backends.c - the table of I/O interfaces, and checks before a run. */
#include "core/nearest.h"
#include "io/backend.h"
#include "pario_config.h"
#include "sys/fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_ALIGNMENT 4096

const struct pario_backend *const pario_backends[] = {
    &pario_backend_posix,
#if PARIO_HAVE_URING
    &pario_backend_uring,
#endif
#if PARIO_HAVE_MPIIO
    &pario_backend_mpiio,
#endif
    NULL,
};

const char *const pario_interface_names[] = {"posix", "uring", "mpiio", NULL};

int pario_backend_find(const char *name, const struct pario_backend **backend_p)
{
    const char *const *known = pario_interface_names;
    struct pario_nearest nearest = pario_nearest_of(name, known);

    for (int i = 0; pario_backends[i] != NULL; i++) {
        if (strcmp(pario_backends[i]->name, name) == 0) {
            *backend_p = pario_backends[i];
            return 0;
        }
    }
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], name) == 0)
            return pario_fail(PARIO_EUNAVAIL,
                              "the I/O interface %s is not compiled in (see "
                              "`pario list`)",
                              name);
    return pario_fail(PARIO_EUSAGE,
                      "unknown I/O interface '%s'%s (one of posix, uring, "
                      "mpiio)",
                      name, pario_nearest_say(&nearest, ""));
}

int pario_backend_allowed(const struct pario_backend *backend,
                          const struct pario_group *group, int *allowed_p)
{
    int code = backend->probe != NULL ? backend->probe() : 0;
    int64_t worst = code;

    *allowed_p = 1;
    code = pario_reduce_i64(group, PARIO_MIN, &worst, 1);
    if (code == 0 && worst != 0) {
        *allowed_p = 0;
        (void)pario_fail_errno((int)worst,
                               "the I/O interface %s is not "
                               "allowed on this system",
                               backend->name);
    }
    return code;
}

int pario_backend_check(const struct pario_backend *backend, const char *dir,
                        int flags, int64_t request_bytes)
{
    struct pario_fs_facts facts;
    int code;

    if (flags & ~backend->open_flags)
        return pario_fail(
            PARIO_EUSAGE, "the I/O interface %s has no %s; use posix or uring",
            backend->name,
            flags & ~backend->open_flags & PARIO_OPEN_DIRECT ? "O_DIRECT"
                                                             : "O_DSYNC");
    if (!(flags & PARIO_OPEN_DIRECT))
        return 0;
    code = pario_fs_facts_get(dir, &facts);
    if (code == 0)
        code = pario_fs_probe(dir, &facts);
    if (code != 0)
        return code;
    if (facts.direct_alignment == 0)
        return pario_fail(PARIO_EUSAGE, "%s (%s) does not support O_DIRECT",
                          dir, facts.type);
    if (facts.direct_alignment > 0 &&
        request_bytes % facts.direct_alignment != 0)
        return pario_fail(PARIO_EUSAGE,
                          "O_DIRECT in %s needs requests that are a multiple "
                          "of %d bytes; %lld is not",
                          dir, facts.direct_alignment,
                          (long long)request_bytes);
    return 0;
}

int pario_io_fail(int code, enum pario_direction direction, const char *path,
                  int64_t offset, const char *how)
{
    const char *verb = direction == PARIO_WRITE ? "write" : "read";

    if (code == PARIO_EMPI) /* which has explained itself */
        return pario_fail(code, "cannot %s %s at offset %lld (%s): %s", verb,
                          path, (long long)offset, how, pario_error_message());
    if (code == PARIO_ESHORT && direction == PARIO_READ)
        return pario_fail(code,
                          "cannot read %s at offset %lld (%s): the file ends "
                          "before",
                          path, (long long)offset, how);
    return pario_fail_errno(code, "cannot %s %s at offset %lld (%s)", verb,
                            path, (long long)offset, how);
}

int pario_io_check_size(int fd, const char *path, int64_t end, const char *how)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return pario_fail_errno(-errno, "cannot ask for the size of %s", path);
    if (st.st_size >= end)
        return 0;
    return pario_fail(PARIO_EVERIFY,
                      "%s has %lld bytes after writing %lld: %s reported "
                      "success for data that was not written (is the file "
                      "system full?)",
                      path, (long long)st.st_size, (long long)end, how);
}

int pario_buffer_alloc(size_t len, void **buf_p)
{
    void *buf = NULL;
    int err = posix_memalign(&buf, BUFFER_ALIGNMENT, len > 0 ? len : 1);

    if (err != 0)
        return pario_fail_errno(-err, "cannot allocate a buffer of %zu bytes",
                                len);
    memset(buf, 0, len);
    *buf_p = buf;
    return 0;
}
