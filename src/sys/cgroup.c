/* sys/cgroup.c - limits of control groups, from this process's group up to
 * the root: any of them may be the one that binds. */
#include "sys/cgroup.h"
#include "sys/mounts.h"
#include "sys/proctext.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 writes "no limit" as the largest multiple of a page. */
#define NO_LIMIT (INT64_MAX / 2)

static const struct {
    const char *limit, *usage, *active, *inactive;
} memory_files[] = {
    [PARIO_CGROUP_V1] = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                         "total_active_file ", "total_inactive_file "},
    [PARIO_CGROUP_V2] = {"memory.max", "memory.current", "active_file ",
                         "inactive_file "},
};

/* The group's path from a line "4:cpu,memory:/path", or "0::/path" for the
 * unified hierarchy (controller ""). */
static int group_path(const char *text, const char *controller, char *buf,
                      size_t len)
{
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *next = strchr(line, '\n');
        const char *list = strchr(line, ':');
        const char *path = list != NULL ? strchr(list + 1, ':') : NULL;
        char controllers[256];

        if (path != NULL && (next == NULL || path < next)) {
            snprintf(controllers, sizeof controllers, "%.*s",
                     (int)(path - list - 1), list + 1);
            if (controller[0] == '\0'
                    ? controllers[0] == '\0'
                    : pario_mount_has_option(controllers, controller)) {
                snprintf(buf, len, "%.*s", (int)strcspn(path + 1, "\n"),
                         path + 1);
                return 0;
            }
        }
        line = next != NULL ? next + 1 : NULL;
    }
    return -ENOENT;
}

/* The group's folder: in a container the mount may begin below the root of
 * the hierarchy, and the path may lie outside of what is mounted. */
static int group_folder(const struct pario_mount *mount, const char *path,
                        char *buf, size_t len)
{
    size_t skip = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    const char *rest = "";
    int n;

    if (strncmp(path, mount->root, skip) == 0 &&
        (path[skip] == '/' || path[skip] == '\0') &&
        strncmp(path, "/..", 3) != 0)
        rest = path + skip;
    if (strcmp(rest, "/") == 0)
        rest = "";
    n = snprintf(buf, len, "%s%s", mount->point, rest);
    return n < 0 || (size_t)n >= len ? -ENAMETOOLONG : 0;
}

static int64_t group_number(const char *root, const char *folder,
                            const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return pario_proctext_number(root, path);
}

static void take_memory(const char *root, const char *folder,
                        enum pario_cgroup_version version, void *arg)
{
    struct pario_cgroup_limits *limits = arg;
    char path[PATH_MAX];
    int64_t limit = group_number(root, folder, memory_files[version].limit);
    int64_t usage = group_number(root, folder, memory_files[version].usage);
    int64_t left;
    char *stat;

    if (limit < 0 || limit >= NO_LIMIT)
        return;
    if (limits->memory_bytes < 0 || limit < limits->memory_bytes)
        limits->memory_bytes = limit;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    stat = pario_proctext_read(root, path);
    if (stat != NULL) {
        int64_t active =
            pario_proctext_value(stat, memory_files[version].active);
        int64_t inactive =
            pario_proctext_value(stat, memory_files[version].inactive);

        usage -= (active > 0 ? active : 0) + (inactive > 0 ? inactive : 0);
    }
    free(stat);
    left = limit - (usage > 0 ? usage : 0);
    if (left < 0)
        left = 0;
    if (limits->available_bytes < 0 || left < limits->available_bytes)
        limits->available_bytes = left;
}

static void take_cpu(const char *root, const char *folder,
                     enum pario_cgroup_version version, void *arg)
{
    struct pario_cgroup_limits *limits = arg;
    int64_t quota = -1, period = -1;

    if (version == PARIO_CGROUP_V1) {
        quota = group_number(root, folder, "cpu.cfs_quota_us");
        period = group_number(root, folder, "cpu.cfs_period_us");
    } else {
        char path[PATH_MAX], line[64], *end;

        snprintf(path, sizeof path, "%s/cpu.max", folder);
        pario_proctext_line(root, path, "max", line, sizeof line);
        quota = strtoll(line, &end, 10);
        period = end != line ? strtoll(end, NULL, 10) : -1;
    }
    if (quota > 0 && period > 0) {
        double cpus = (double)quota / (double)period;

        if (limits->cpus < 0 || cpus < limits->cpus)
            limits->cpus = cpus;
    }
}

/* From the group up to the mount point. */
static void walk_up(const char *root, const struct pario_mount *mount,
                    const char *path, enum pario_cgroup_version version,
                    pario_cgroup_visit *visit, void *arg)
{
    char folder[PATH_MAX];
    size_t stop = strlen(mount->point);

    if (group_folder(mount, path, folder, sizeof folder - 64) != 0)
        return;
    for (;;) {
        char *slash;

        visit(root, folder, version, arg);
        slash = strrchr(folder, '/');
        if (strlen(folder) <= stop || slash == NULL)
            return;
        *slash = '\0';
    }
}

void pario_cgroup_walk(const char *root, const char *controller,
                       pario_cgroup_visit *visit, void *arg)
{
    char *groups = pario_proctext_read(root, "/proc/self/cgroup");
    char *mounts = pario_proctext_read(root, "/proc/self/mountinfo");
    struct pario_mount mount;
    char path[PATH_MAX];

    if (groups != NULL && mounts != NULL) {
        if (group_path(groups, controller, path, sizeof path) == 0 &&
            pario_mount_find_type(mounts, "cgroup", controller, &mount) == 0)
            walk_up(root, &mount, path, PARIO_CGROUP_V1, visit, arg);
        if (group_path(groups, "", path, sizeof path) == 0 &&
            pario_mount_find_type(mounts, "cgroup2", NULL, &mount) == 0)
            walk_up(root, &mount, path, PARIO_CGROUP_V2, visit, arg);
    }
    free(groups);
    free(mounts);
}

void pario_cgroup_limits_get(const char *root,
                             struct pario_cgroup_limits *limits_p)
{
    struct pario_cgroup_limits limits = {-1, -1, -1};

    pario_cgroup_walk(root, "memory", take_memory, &limits);
    pario_cgroup_walk(root, "cpu", take_cpu, &limits);
    *limits_p = limits;
}

/* The first group that counts is the nearest one. */
static void take_oom(const char *root, const char *folder,
                     enum pario_cgroup_version version, void *arg)
{
    int64_t *kills = arg;
    char path[PATH_MAX];
    char *text;

    if (*kills >= 0)
        return;
    snprintf(path, sizeof path, "%s/%s", folder,
             version == PARIO_CGROUP_V2 ? "memory.events"
                                        : "memory.oom_control");
    text = pario_proctext_read(root, path);
    if (text != NULL)
        *kills = pario_proctext_value(text, "oom_kill ");
    free(text);
}

int64_t pario_cgroup_oom_kills(const char *root)
{
    int64_t kills = -1;

    pario_cgroup_walk(root, "memory", take_oom, &kills);
    return kills;
}
