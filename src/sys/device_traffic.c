/* sys/device_traffic.c - the counters of devices (the kernel's
 * Documentation/block/stat.rst) and of NFS mounts (/proc/self/mountstats). */
#include "sys/device_parts.h"
#include "sys/mounts.h"
#include "sys/proctext.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512 /* in stat, whatever the block size of the device */

enum stat_field {
    READ_IOS,
    READ_MERGES,
    READ_SECTORS,
    READ_TICKS,
    WRITE_IOS,
    WRITE_MERGES,
    WRITE_SECTORS,
    WRITE_TICKS,
    IN_FLIGHT,
    IO_TICKS,
    TIME_IN_QUEUE,
    BASIC_FIELDS,
    DISCARD_IOS = BASIC_FIELDS, /* since Linux 4.18 */
    DISCARD_MERGES,
    DISCARD_SECTORS,
    STAT_FIELDS,
};

/* After "bytes:" of mountstats: what programs asked for, then what went to
 * and came from the server. */
enum nfs_field {
    NORMAL_READ,
    NORMAL_WRITTEN,
    DIRECT_READ,
    DIRECT_WRITTEN,
    SERVER_READ,
    SERVER_WRITTEN,
    NFS_FIELDS,
};

/* The numbers at the beginning of text, at most count of them. */
static int numbers(const char *text, int64_t *values, int count)
{
    int n = 0;

    while (n < count) {
        char *end;
        intmax_t value;

        errno = 0;
        value = strtoimax(text, &end, 10);
        if (end == text || errno != 0)
            break;
        values[n++] = (int64_t)value;
        text = end;
    }
    return n;
}

static int add_block(const struct pario_device *device,
                     struct pario_device_traffic *sum)
{
    int64_t field[STAT_FIELDS];
    char path[PATH_MAX + 16];
    char *text;
    int n;

    snprintf(path, sizeof path, "%s/stat", device->folder);
    text = pario_proctext_read("", path);
    if (text == NULL)
        return pario_fail(-ENODEV, "cannot read %s: the device went away",
                          path);
    n = numbers(text, field, STAT_FIELDS);
    free(text);
    if (n < BASIC_FIELDS)
        return pario_fail(PARIO_EFORMAT, "%s has %d numbers, %d were expected",
                          path, n, BASIC_FIELDS);
    sum->read_ios += field[READ_IOS];
    sum->read_bytes += field[READ_SECTORS] * SECTOR;
    sum->write_ios += field[WRITE_IOS];
    sum->written_bytes += field[WRITE_SECTORS] * SECTOR;
    sum->busy_ms += field[IO_TICKS];
    if (n < STAT_FIELDS)
        sum->discarded_bytes = -1;
    else if (sum->discarded_bytes >= 0)
        sum->discarded_bytes += field[DISCARD_SECTORS] * SECTOR;
    return 0;
}

static int read_block(const struct pario_device_set *set,
                      struct pario_device_traffic *now_p)
{
    struct pario_device_traffic sum = {0};

    for (int i = 0; i < set->count; i++) {
        int code = add_block(&set->devices[i], &sum);

        if (code != 0)
            return code;
    }
    sum.busy_ms /= set->count;
    *now_p = sum;
    return 0;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end != NULL ? end + 1 : line + strlen(line);
}

/* "device server:/export mounted on /mnt with fstype nfs4 ..." */
static int is_mount(const char *line, const char *point)
{
    static const char *const words[] = {"device", NULL, "mounted", "on", NULL};
    char word[512];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!pario_mount_field(&line, word, sizeof word))
            return 0;
        if (words[i] != NULL && strcmp(word, words[i]) != 0)
            return 0;
    }
    return strcmp(word, point) == 0;
}

/* Behind the last line of the mount point: it covers the others. */
static const char *nfs_section(const char *text, const char *point)
{
    const char *section = NULL;

    for (const char *line = text; *line != '\0'; line = next_line(line))
        if (is_mount(line, point))
            section = next_line(line);
    return section;
}

/* The numbers after `key` of a line of the section; how many there were. */
static int nfs_numbers(const char *section, const char *key, int64_t *values,
                       int count)
{
    for (const char *line = section;
         *line != '\0' && strncmp(line, "device ", 7) != 0;
         line = next_line(line)) {
        const char *pos = line + strspn(line, " \t");

        if (strncmp(pos, key, strlen(key)) == 0)
            return numbers(pos + strlen(key), values, count);
    }
    return 0;
}

static int read_nfs(const struct pario_device_set *set,
                    struct pario_device_traffic *now_p)
{
    struct pario_device_traffic now = {.busy_ms = -1, .discarded_bytes = -1};
    char *text = pario_proctext_read(set->root, "/proc/self/mountstats");
    const char *section = text != NULL ? nfs_section(text, set->mount) : NULL;
    int64_t bytes[NFS_FIELDS], calls;
    int n = 0;

    if (section != NULL) {
        n = nfs_numbers(section, "bytes:", bytes, NFS_FIELDS);
        now.read_ios =
            nfs_numbers(section, "READ:", &calls, 1) == 1 ? calls : -1;
        now.write_ios =
            nfs_numbers(section, "WRITE:", &calls, 1) == 1 ? calls : -1;
    }
    free(text);
    if (n < NFS_FIELDS)
        return pario_fail(-ENODEV,
                          "/proc/self/mountstats no longer counts the bytes of "
                          "%s at %s",
                          set->names, set->mount);
    now.read_bytes = bytes[SERVER_READ];
    now.written_bytes = bytes[SERVER_WRITTEN];
    *now_p = now;
    return 0;
}

int pario_device_read(const struct pario_device_set *set,
                      struct pario_device_traffic *now_p)
{
    switch (set->kind) {
    case PARIO_DEVICE_BLOCK:
        return read_block(set, now_p);
    case PARIO_DEVICE_NFS:
        return read_nfs(set, now_p);
    case PARIO_DEVICE_NONE:
    case PARIO_DEVICE_UNKNOWN:
        break;
    }
    *now_p = (struct pario_device_traffic){-1, -1, -1, -1, -1, -1};
    return 0;
}

static int64_t less(int64_t end, int64_t begin)
{
    return begin < 0 || end < begin ? -1 : end - begin;
}

void pario_device_since(const struct pario_device_traffic *begin,
                        const struct pario_device_traffic *end,
                        struct pario_device_traffic *delta_p)
{
    *delta_p = (struct pario_device_traffic){
        .read_bytes = less(end->read_bytes, begin->read_bytes),
        .written_bytes = less(end->written_bytes, begin->written_bytes),
        .read_ios = less(end->read_ios, begin->read_ios),
        .write_ios = less(end->write_ios, begin->write_ios),
        .busy_ms = less(end->busy_ms, begin->busy_ms),
        .discarded_bytes = less(end->discarded_bytes, begin->discarded_bytes),
    };
}
