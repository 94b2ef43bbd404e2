/* sys/device.c - which devices lie below a file.
 *
 * Most file systems say it with st_dev. Those of several devices, of layers
 * and of servers have a number of their own (major 0): mountinfo knows. */
#include "sys/device.h"
#include "sys/device_parts.h"
#include "sys/fstype.h"
#include "sys/mounts.h"
#include "sys/proctext.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A loop device on a file on a loop device ...: somewhere it ends. */
#define MAX_DEPTH 8

struct search {
    const char *root;
    const char *mountinfo;
    int depth;
};

static int search_path(const struct search *search, const char *path, dev_t dev,
                       struct pario_device_set **set_p);

static struct pario_device_set *set_create(enum pario_device_kind kind)
{
    struct pario_device_set *set = calloc(1, sizeof *set);

    if (set != NULL)
        set->kind = kind;
    return set;
}

void pario_device_free(struct pario_device_set *set)
{
    if (set == NULL)
        return;
    pario_device_free(set->lower);
    free(set->devices);
    free(set);
}

/* Not a failure: path lies on something that keeps no count we can read. */
static int found_nothing(enum pario_device_kind kind, const char *type,
                         struct pario_device_set **set_p)
{
    struct pario_device_set *set = set_create(kind);

    if (set == NULL)
        return -ENOMEM;
    snprintf(set->names, sizeof set->names, "%s (%s)",
             kind == PARIO_DEVICE_NONE ? "memory" : "not visible", type);
    *set_p = set;
    return 0;
}

/* Adds the device with this folder in /sys, once. */
static int add_device(struct pario_device_set *set, const char *folder)
{
    char *real = realpath(folder, NULL);
    struct pario_device *devices;

    if (real == NULL)
        return -errno;
    for (int i = 0; i < set->count; i++) {
        if (strcmp(set->devices[i].folder, real) == 0) {
            free(real);
            return 0;
        }
    }
    devices = realloc(set->devices, (size_t)(set->count + 1) * sizeof *devices);
    if (devices != NULL) {
        set->devices = devices;
        snprintf(devices[set->count].folder, sizeof devices->folder, "%s",
                 real);
        set->count++;
    }
    free(real);
    return devices != NULL ? 0 : -ENOMEM;
}

static int add_by_name(const struct search *search, const char *name,
                       struct pario_device_set *set)
{
    char folder[PATH_MAX];
    int n = snprintf(folder, sizeof folder, "%s/sys/class/block/%s",
                     search->root, name);

    return n > 0 && (size_t)n < sizeof folder ? add_device(set, folder)
                                              : -ENAMETOOLONG;
}

/* Adds every device that a folder of links to devices names. */
static int add_links(const struct search *search, const char *folder,
                     struct pario_device_set *set)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int code = 0;

    if (dir == NULL)
        return -errno;
    while (code == 0 && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            code = add_by_name(search, entry->d_name, set);
    closedir(dir);
    return code;
}

/* A partition has counters of its own, the rest belongs to its disk. */
static void disk_folder(const struct pario_device *device, char *buf,
                        size_t len)
{
    char partition[PATH_MAX + 16];

    snprintf(buf, len, "%s", device->folder);
    snprintf(partition, sizeof partition, "%s/partition", buf);
    if (access(partition, F_OK) == 0)
        *strrchr(buf, '/') = '\0';
}

static int64_t disk_number(const struct pario_device *device, const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];

    disk_folder(device, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return pario_proctext_number("", path);
}

/* Statistics can be switched off, and some drivers keep none: counters that
 * stand still would prove a cache that is not there. */
static int keeps_count(const struct pario_device_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (disk_number(&set->devices[i], "queue/iostats") == 0)
            return 0;
    return set->count > 0;
}

/* The mount that holds a path the kernel speaks of, which a container may not
 * see: what it sees by that name instead is another file system. */
static int search_mounted(const struct search *search, const char *path,
                          struct pario_device_set **set_p)
{
    struct search below = *search;
    struct pario_mount mount;
    char full[PATH_MAX];
    int n = snprintf(full, sizeof full, "%s%s", search->root, path);

    if (n < 0 || (size_t)n >= sizeof full || access(full, F_OK) != 0 ||
        search->depth >= MAX_DEPTH ||
        pario_mount_find(search->mountinfo, path, &mount) != 0)
        return -ENOENT;
    below.depth++;
    return search_path(&below, path, makedev(mount.major, mount.minor), set_p);
}

/* A disk in memory: what it counts has reached no device. */
static int is_memory(const struct pario_device *device)
{
    static const char *const names[] = {"ram", "zram"};
    char folder[PATH_MAX];
    const char *name;

    disk_folder(device, folder, sizeof folder);
    name = strrchr(folder, '/') + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);

        if (strncmp(name, names[i], len) == 0 && name[len] >= '0' &&
            name[len] <= '9')
            return 1;
    }
    return 0;
}

static const char *device_name(const struct pario_device *device)
{
    return strrchr(device->folder, '/') + 1;
}

/* What is left are devices; where nothing is, all of it was memory. */
static void drop_memory(struct pario_device_set *set)
{
    int kept = 0;

    snprintf(set->names, sizeof set->names, "memory (%s)",
             set->count > 0 ? device_name(&set->devices[0]) : "tmpfs");
    for (int i = 0; i < set->count; i++)
        if (!is_memory(&set->devices[i]))
            set->devices[kept++] = set->devices[i];
    set->count = kept;
    if (kept == 0)
        set->kind = PARIO_DEVICE_NONE;
}

static int is_loop(const struct pario_device *device)
{
    return disk_number(device, "loop/offset") >= 0;
}

/* The device that holds a loop device's file. -ENOENT: it is not a loop device,
 * or its file is not seen. */
static int lower_of_loop(const struct search *search, const char *folder,
                         struct pario_device_set **set_p)
{
    char path[PATH_MAX + 32], file[PATH_MAX];

    snprintf(path, sizeof path, "%s/loop/backing_file", folder);
    pario_proctext_line("", path, "", file, sizeof file);
    return file[0] == '/' ? search_mounted(search, file, set_p) : -ENOENT;
}

static int block_set(const struct search *search, struct pario_device_set *set,
                     struct pario_device_set **set_p);

/* Adds what lies below one device: members of dm and md, what holds a loop
 * device's file. 1: something does, 0: nothing. What is in memory is left out:
 * nothing of it reaches a device. A loop device whose file is not found (it may
 * be in memory) makes the whole not visible. */
static int add_below(const struct search *search,
                     const struct pario_device *device,
                     struct pario_device_set *lower)
{
    struct pario_device_set *holds = NULL;
    char folder[PATH_MAX], slaves[PATH_MAX + 16];
    int before = lower->count, code;

    disk_folder(device, folder, sizeof folder);
    snprintf(slaves, sizeof slaves, "%s/slaves", folder);
    code = access(slaves, F_OK) == 0 ? add_links(search, slaves, lower) : 0;
    if (code != 0 || lower->count > before)
        return code != 0 ? code : 1;
    if (!is_loop(device))
        return 0;
    code = lower_of_loop(search, folder, &holds);
    if (code == -ENOMEM)
        return code;
    if (code != 0 ||
        (holds->kind != PARIO_DEVICE_BLOCK && holds->kind != PARIO_DEVICE_NONE))
        lower->kind = PARIO_DEVICE_UNKNOWN;
    code = 0;
    for (int i = 0; code == 0 && holds != NULL && i < holds->count; i++)
        code = add_device(lower, holds->devices[i].folder);
    pario_device_free(holds);
    return code != 0 ? code : 1;
}

/* What lies below these devices; one with nothing below it stands for itself
 * beside the others. -ENOENT: nothing does. */
static int search_lower(const struct search *search,
                        const struct pario_device_set *set,
                        struct pario_device_set **set_p)
{
    struct pario_device_set *lower;
    struct search below = *search;
    char folder[PATH_MAX];
    int code = 0, found = 0;

    if (set->count == 1) {
        disk_folder(&set->devices[0], folder, sizeof folder);
        code = lower_of_loop(search, folder, set_p);
        if (code != -ENOENT)
            return code;
        code = 0;
    }
    lower = set_create(PARIO_DEVICE_BLOCK);
    if (lower == NULL)
        return -ENOMEM;
    below.depth++;
    for (int i = 0; code >= 0 && i < set->count; i++) {
        code = add_below(search, &set->devices[i], lower);
        found += code > 0;
        if (code == 0)
            code = add_device(lower, set->devices[i].folder);
    }
    if (code >= 0 && found > 0 && lower->kind == PARIO_DEVICE_UNKNOWN) {
        *set_p = lower;
        return 0;
    }
    if (code >= 0 && found > 0 && below.depth < MAX_DEPTH)
        return block_set(&below, lower, set_p);
    pario_device_free(lower);
    return code < 0 ? code : -ENOENT;
}

static void name_set(struct pario_device_set *set)
{
    size_t len = 0;

    for (int i = 0; i < set->count && len < sizeof set->names; i++)
        len +=
            (size_t)snprintf(set->names + len, sizeof set->names - len, "%s%s",
                             i > 0 ? " + " : "", device_name(&set->devices[i]));
    if (set->lower != NULL && len < sizeof set->names)
        snprintf(set->names + len, sizeof set->names - len, " (below: %.*s)",
                 (int)(sizeof set->names - len), set->lower->names);
}

static void hide_set(struct pario_device_set *set, const char *why)
{
    set->kind = PARIO_DEVICE_UNKNOWN;
    snprintf(set->names, sizeof set->names, "not visible (%s %s)",
             device_name(&set->devices[0]), why);
}

/* Completes a set of block devices, which it takes over, by what is below.
 * Where the devices keep no count, their members may do. */
static int block_set(const struct search *search, struct pario_device_set *set,
                     struct pario_device_set **set_p)
{
    struct pario_device_set *lower = NULL;
    int code, members;

    drop_memory(set);
    if (set->kind == PARIO_DEVICE_NONE) {
        *set_p = set;
        return 0;
    }
    code = search_lower(search, set, &lower);
    if (code == -ENOMEM) {
        pario_device_free(set);
        return code;
    }
    members = lower != NULL && lower->kind == PARIO_DEVICE_BLOCK &&
              !is_loop(&set->devices[0]);
    set->lower = lower;
    name_set(set);
    if (lower != NULL && lower->kind == PARIO_DEVICE_UNKNOWN) {
        hide_set(set, "lies on what is not visible");
    } else if (!keeps_count(set) && members) {
        set->lower = NULL;
        pario_device_free(set);
        set = lower;
    } else if (!keeps_count(set)) {
        hide_set(set, "keeps no statistics");
    }
    *set_p = set;
    return 0;
}

/* "/dev/mapper/vg-home" is a link to "../dm-3", "/dev/sda1" is its name. */
static int add_source(const struct search *search, const char *source,
                      struct pario_device_set *set)
{
    char path[PATH_MAX], target[PATH_MAX];
    const char *name = strrchr(source, '/');
    ssize_t n;

    snprintf(path, sizeof path, "%s%s", search->root, source);
    n = readlink(path, target, sizeof target - 1);
    if (n > 0) {
        target[n] = '\0';
        name = strrchr(target, '/') != NULL ? strrchr(target, '/') : target;
    }
    if (name == NULL)
        return -ENOENT;
    return add_by_name(search, name + (*name == '/'), set);
}

/* All devices of the btrfs that the source is one of. */
static int search_btrfs(const struct search *search, const char *source,
                        struct pario_device_set *set)
{
    char path[PATH_MAX], name[64];
    struct dirent *entry;
    int code = add_source(search, source, set);
    DIR *dir;

    if (code != 0)
        return code;
    snprintf(name, sizeof name, "%.63s", device_name(&set->devices[0]));
    snprintf(path, sizeof path, "%s/sys/fs/btrfs", search->root);
    dir = opendir(path);
    code = -ENOENT;
    while (dir != NULL && code == -ENOENT && (entry = readdir(dir)) != NULL) {
        snprintf(path, sizeof path, "%s/sys/fs/btrfs/%s/devices/%s",
                 search->root, entry->d_name, name);
        if (entry->d_name[0] == '.' || access(path, F_OK) != 0)
            continue;
        *strrchr(path, '/') = '\0';
        code = add_links(search, path, set);
    }
    if (dir != NULL)
        closedir(dir);
    return code;
}

/* bcachefs names all its devices: "/dev/sda:/dev/sdb". */
static int search_sources(const struct search *search, char *sources,
                          struct pario_device_set *set)
{
    char *save = NULL;
    int code = -ENOENT;

    for (char *source = strtok_r(sources, ":", &save); source != NULL;
         source = strtok_r(NULL, ":", &save)) {
        code = add_source(search, source, set);
        if (code != 0)
            break;
    }
    return code;
}

/* A file system of several devices; -ENOENT: not all of them are known. */
static int search_members(const struct search *search,
                          struct pario_mount *mount,
                          struct pario_device_set **set_p)
{
    struct pario_device_set *set = set_create(PARIO_DEVICE_BLOCK);
    int code = -ENOENT;

    if (set == NULL)
        return -ENOMEM;
    if (strcmp(mount->type, "btrfs") == 0)
        code = search_btrfs(search, mount->source, set);
    else if (strcmp(mount->type, "bcachefs") == 0)
        code = search_sources(search, mount->source, set);
    if (code == 0)
        return block_set(search, set, set_p);
    pario_device_free(set);
    return code;
}

static int nfs_set(const struct search *search, const struct pario_mount *mount,
                   struct pario_device_set **set_p)
{
    struct pario_device_set *set = set_create(PARIO_DEVICE_NFS);
    struct pario_device_traffic now;

    if (set == NULL)
        return -ENOMEM;
    snprintf(set->root, sizeof set->root, "%s", search->root);
    snprintf(set->mount, sizeof set->mount, "%s", mount->point);
    snprintf(set->names, sizeof set->names, "%s", mount->source);
    if (pario_device_read(set, &now) != 0) {
        pario_device_free(set);
        return -ENOENT;
    }
    *set_p = set;
    return 0;
}

/* What a mount of a number of its own stands on. */
static int search_mount(const struct search *search, struct pario_mount *mount,
                        struct pario_device_set **set_p)
{
    const struct pario_fstype *type = pario_fstype_find(mount->type, 0);
    char upper[sizeof mount->options];
    int code = -ENOENT;

    if (type != NULL && type->memory_backed)
        return found_nothing(PARIO_DEVICE_NONE, mount->type, set_p);
    if (type != NULL && strcmp(type->name, "nfs") == 0)
        code = nfs_set(search, mount, set_p);
    else if (strcmp(mount->type, "overlay") != 0)
        code = search_members(search, mount, set_p);
    else if (pario_mount_option(mount->options, "upperdir", upper,
                                sizeof upper) == 0)
        code = search_mounted(search, upper, set_p);
    if (code == 0 || code == -ENOMEM)
        return code;
    return found_nothing(PARIO_DEVICE_UNKNOWN, mount->type, set_p);
}

/* The device of this number in a set of its own; -ENOENT: there is none. */
static int search_number(const struct search *search, dev_t dev,
                         struct pario_device_set **set_p)
{
    struct pario_device_set *set = set_create(PARIO_DEVICE_BLOCK);
    char folder[PATH_MAX];
    int code;

    if (set == NULL)
        return -ENOMEM;
    snprintf(folder, sizeof folder, "%s/sys/dev/block/%u:%u", search->root,
             major(dev), minor(dev));
    code = add_device(set, folder);
    if (code == 0)
        return block_set(search, set, set_p);
    pario_device_free(set);
    return code;
}

static int search_path(const struct search *search, const char *path, dev_t dev,
                       struct pario_device_set **set_p)
{
    struct pario_mount mount;
    int code = search_number(search, dev, set_p);

    if (code == 0 || code == -ENOMEM)
        return code;
    if (pario_mount_find(search->mountinfo, path, &mount) != 0)
        return found_nothing(PARIO_DEVICE_UNKNOWN, "no mount", set_p);
    return search_mount(search, &mount, set_p);
}

int pario_device_find_from(const char *root, const char *path, dev_t dev,
                           struct pario_device_set **set_p)
{
    char *mountinfo = pario_proctext_read(root, "/proc/self/mountinfo");
    struct search search = {.root = root,
                            .mountinfo = mountinfo != NULL ? mountinfo : ""};
    int code = search_path(&search, path, dev, set_p);

    free(mountinfo);
    if (code != 0)
        return pario_fail_errno(code, "cannot find the devices below %s", path);
    return 0;
}

int pario_device_find(const char *path, struct pario_device_set **set_p)
{
    char real[PATH_MAX];
    struct stat st;

    if (realpath(path, real) == NULL || stat(real, &st) != 0)
        return pario_fail_errno(-errno, "cannot look at %s", path);
    return pario_device_find_from(
        "", real, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, set_p);
}

enum pario_device_kind pario_device_kind_of(const struct pario_device_set *set)
{
    return set->kind;
}

const char *pario_device_names(const struct pario_device_set *set)
{
    return set->names;
}

const struct pario_device_set *
pario_device_lower(const struct pario_device_set *set)
{
    return set->lower;
}
