/* suites/prio/device.c - block devices, and whether one may be written. */
#include "suites/prio/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int prio_device_get(const char *path, struct prio_device *device_p)
{
    uint64_t bytes = 0;
    int sector = 0, fd, code = 0;
    struct stat st;

    if (stat(path, &st) != 0)
        return pario_fail_errno(-errno, "cannot use the device %s", path);
    if (!S_ISBLK(st.st_mode))
        return pario_fail(PARIO_EUSAGE,
                          "%s is no block device (losetup makes one of a "
                          "file)",
                          path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open the device %s", path);
    if (ioctl(fd, BLKGETSIZE64, &bytes) != 0 ||
        ioctl(fd, BLKSSZGET, &sector) != 0)
        code = pario_fail_errno(-errno, "cannot ask the device %s", path);
    close(fd);
    if (code == 0)
        *device_p = (struct prio_device){
            .number = st.st_rdev, .bytes = (int64_t)bytes, .sector = sector};
    return code;
}

/* "8:1", and what follows it; 1 on success. */
static int parse_number(const char *text, dev_t *number_p)
{
    char *colon = NULL, *end = NULL;
    unsigned long major_number = strtoul(text, &colon, 10), minor_number;

    if (colon == text || *colon != ':')
        return 0;
    minor_number = strtoul(colon + 1, &end, 10);
    if (end == colon + 1)
        return 0;
    *number_p = makedev((unsigned)major_number, (unsigned)minor_number);
    return 1;
}

/* A line of mountinfo: id parent major:minor root mount ... - type source. */
static int line_names(const char *line, dev_t number, char *where, size_t len)
{
    const char *dash = strstr(line, " - ");
    char text[64] = "", mount[1024] = "", source[1024] = "";
    dev_t found = 0;
    struct stat st;

    if (sscanf(line, "%*s %*s %63s %*s %1023s", text, mount) != 2 ||
        !parse_number(text, &found))
        return 0;
    snprintf(where, len, "%s", mount);
    if (found == number)
        return 1;
    /* btrfs and others show a number of their own: look at the source. */
    return dash != NULL && sscanf(dash + 3, "%*s %1023s", source) == 1 &&
           source[0] == '/' && stat(source, &st) == 0 && S_ISBLK(st.st_mode) &&
           st.st_rdev == number;
}

int prio_mounts_name(const char *mountinfo, dev_t number, char *where,
                     size_t len)
{
    char *copy = strdup(mountinfo), *rest = copy, *line;
    int found = 0;

    if (copy == NULL)
        return 1; /* not knowing is a reason to refuse */
    while (!found && (line = strsep(&rest, "\n")) != NULL)
        found = line_names(line, number, where, len);
    free(copy);
    return found;
}

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (in == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(in);
    return text;
}

static int is_swap(dev_t number)
{
    FILE *in = fopen("/proc/swaps", "re");
    char line[1024], path[1024];
    struct stat st;
    int found = 0;

    while (in != NULL && !found && fgets(line, sizeof(line), in) != NULL)
        found = sscanf(line, "%1023s", path) == 1 && path[0] == '/' &&
                stat(path, &st) == 0 && S_ISBLK(st.st_mode) &&
                st.st_rdev == number;
    if (in != NULL)
        fclose(in);
    return found;
}

static int has_holders(dev_t number)
{
    char path[128];
    struct dirent *entry;
    DIR *dir;
    int found = 0;

    snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(number),
             minor(number));
    dir = opendir(path);
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL)
        found = entry->d_name[0] != '.';
    if (dir != NULL)
        closedir(dir);
    return found;
}

static int check_number(const char *path, dev_t number)
{
    char *mountinfo = read_all("/proc/self/mountinfo");
    char where[256] = "";
    int mounted = mountinfo == NULL ||
                  prio_mounts_name(mountinfo, number, where, sizeof(where));

    free(mountinfo);
    if (mounted)
        return pario_fail(PARIO_EUSAGE,
                          "%s will not be written: it, or a part of it, is "
                          "mounted on %s",
                          path, where);
    if (is_swap(number))
        return pario_fail(PARIO_EUSAGE,
                          "%s will not be written: it is swap space", path);
    if (has_holders(number))
        return pario_fail(PARIO_EUSAGE,
                          "%s will not be written: another device is made of "
                          "it",
                          path);
    return 0;
}

/* The partitions of a whole disk are folders below it in /sys. */
static int check_partitions(const char *path, dev_t number)
{
    char folder[128], file[512];
    struct dirent *entry;
    DIR *dir;
    int code = 0;

    snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(number),
             minor(number));
    dir = opendir(folder);
    while (dir != NULL && code == 0 && (entry = readdir(dir)) != NULL) {
        char text[64] = "";
        dev_t found = 0;
        FILE *in;

        snprintf(file, sizeof(file), "%s/%s/partition", folder, entry->d_name);
        if (entry->d_name[0] == '.' || access(file, F_OK) != 0)
            continue;
        snprintf(file, sizeof(file), "%s/%s/dev", folder, entry->d_name);
        in = fopen(file, "re");
        if (in != NULL && fgets(text, sizeof(text), in) != NULL &&
            parse_number(text, &found))
            code = check_number(path, found);
        if (in != NULL)
            fclose(in);
    }
    if (dir != NULL)
        closedir(dir);
    return code;
}

int prio_device_claim(const char *path, int *fd_p)
{
    int fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot claim %s for writing", path);
    *fd_p = fd;
    return 0;
}

int prio_device_same(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 &&
           S_ISBLK(one.st_mode) && S_ISBLK(two.st_mode) &&
           one.st_rdev == two.st_rdev;
}

int prio_device_ask(const char *path)
{
    char answer[256];

    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return 0;
    fprintf(stderr,
            "All data on %s will be destroyed. Go on? Type yes: ", path);
    if (fgets(answer, sizeof(answer), stdin) != NULL &&
        strcmp(answer, "yes\n") == 0)
        return 0;
    return pario_fail(PARIO_EUSAGE, "%s was not touched", path);
}

int prio_device_check_free(const char *path)
{
    struct prio_device device = {0};
    int code = prio_device_get(path, &device);

    if (code == 0)
        code = check_number(path, device.number);
    return code == 0 ? check_partitions(path, device.number) : code;
}
