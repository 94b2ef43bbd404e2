/* lustre.c - stripes and group locks by liblustreapi. */
#include "lustre.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define LOV_MAGIC_V1 0x0bd10bd0u
#define LOV_MAGIC_V3 0x0bd30bd0u
#define MODE 0666
#define ANY_SERVER (-1)

void shipio_lustre_find(const char *name, void *function_p)
{
    void *library = dlopen("liblustreapi.so", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;

    memcpy(function_p, &symbol, sizeof(symbol));
}

struct shipio_lustre_layout shipio_lustre_layout_of(int fd)
{
    struct shipio_lustre_layout found = {.stripe = 0};
    struct {
        uint32_t magic;
        uint32_t pattern;
        uint64_t object[2];
        uint32_t stripe_size;
        uint16_t stripe_count;
        char rest[4096];
    } layout;
    ssize_t n = fgetxattr(fd, "lustre.lov", &layout, sizeof(layout));

    if (n < (ssize_t)offsetof(__typeof__(layout), rest) ||
        (layout.magic != LOV_MAGIC_V1 && layout.magic != LOV_MAGIC_V3))
        return found;
    found.stripe = layout.stripe_size;
    /* All there are, how many these are. */
    if (layout.stripe_count != UINT16_MAX)
        found.targets = layout.stripe_count;
    return found;
}

/* rc is of the call that gave fs. */
static bool is_lustre(int rc, const struct statfs *fs)
{
    const char *driver = getenv("SHIPIO_DRIVER");

    if (driver != NULL)
        return strcmp(driver, "lustre") == 0;
    return rc == 0 && fs->f_type == SHIPIO_LUSTRE_MAGIC;
}

static bool on_lustre(const char *path)
{
    char folder[PATH_MAX];
    struct statfs fs;

    if (strlen(path) >= sizeof(folder))
        return false;
    memcpy(folder, path, strlen(path) + 1);
    return is_lustre(statfs(dirname(folder), &fs), &fs);
}

/* True when info has the key with a number. */
static bool number_of(MPI_Info info, const char *key, long long *value_p)
{
    char text[MPI_MAX_INFO_VAL + 1];
    char *end;
    int found = 0;

    if (PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &found) !=
            MPI_SUCCESS ||
        !found)
        return false;
    errno = 0;
    *value_p = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

int shipio_lustre_create(const char *path, int flags, MPI_Info info)
{
    int (*open_striped)(const char *name, int flags, int mode,
                        unsigned long long size, int start, int count,
                        int pattern) = NULL;
    long long factor = 0;
    long long unit = 0;
    long long start = ANY_SERVER;
    bool named;

    if (info == MPI_INFO_NULL)
        return -ENOSYS;
    named = number_of(info, "striping_factor", &factor);
    named = number_of(info, "striping_unit", &unit) || named;
    named = number_of(info, "start_iodevice", &start) || named;
    if (!named || factor < -1 || factor > INT_MAX || unit < 0 ||
        start < ANY_SERVER || start > INT_MAX || !on_lustre(path))
        return -ENOSYS;
    shipio_lustre_find("llapi_file_open", &open_striped);
    if (open_striped == NULL)
        return -ENOSYS;
    return open_striped(path, flags, MODE, (unsigned long long)unit, (int)start,
                        (int)factor, 0);
}

int shipio_lustre_lock(int fd, int group)
{
    int (*lock)(int fd, int group) = NULL;
    struct statfs fs;

    if (is_lustre(fstatfs(fd, &fs), &fs))
        shipio_lustre_find("llapi_group_lock", &lock);
    return lock != NULL ? lock(fd, group) : -ENOSYS;
}

void shipio_lustre_unlock(int fd, int group)
{
    int (*unlock)(int fd, int group) = NULL;

    shipio_lustre_find("llapi_group_unlock", &unlock);
    if (unlock != NULL)
        (void)unlock(fd, group);
}
