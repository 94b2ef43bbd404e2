/* measure/devices.c - what the devices below a phase's file see. */
#include "measure/devices.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct pario_group *pario_phase_all(const struct pario_phase *phase)
{
    return phase->beside != NULL ? phase->beside : phase->group;
}

const struct pario_group *pario_devices_users(const struct pario_phase *phase)
{
    const struct pario_phase *owner =
        phase->outer != NULL ? phase->outer : phase;

    return owner->neighbours != NULL ? owner->neighbours
                                     : pario_phase_all(phase);
}

/* The file, or while it is not there yet the directory it will be in. */
static const char *existing_place(const char *path, char *buf, size_t len)
{
    struct stat st;
    char *slash;

    if (stat(path, &st) == 0)
        return path;
    snprintf(buf, len, "%s", path);
    slash = strrchr(buf, '/');
    if (slash == NULL)
        return ".";
    slash[slash == buf] = '\0';
    return buf;
}

/* Else the counters would credit this phase with what somebody wrote before. */
static void write_what_is_left(const char *place)
{
    int fd = open(place, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!syncfs(fd); /* of other files: their owners hear of errors */
    close(fd);
}

/* NULL: not visible, which is a fact and no error. */
static struct pario_device_set *find_below(const char *place)
{
    struct pario_device_set *set = NULL;

    return pario_device_find(place, &set) == 0 ? set : NULL;
}

/* A number for the devices by their names; those who only wait have 0. */
static int colour_of(const char *place)
{
    struct pario_device_set *set = find_below(place);
    const char *names = set != NULL ? pario_device_names(set) : "";
    uint32_t hash = 2166136261U;

    for (; *names != '\0'; names++)
        hash = (hash ^ (unsigned char)*names) * 16777619U;
    pario_device_free(set);
    return (int)(hash % 0x3fffffffU) + 1;
}

/* Collective over beside. */
static int find_neighbours(struct pario_phase *phase, const char *place)
{
    int colour = 0, code, split_code;

    if (place != NULL && pario_group_rank(phase->group) == 0)
        colour = colour_of(place);
    code = pario_bcast(phase->group, &colour, sizeof(colour));
    split_code = pario_group_split(phase->beside, colour, &phase->neighbours);
    return pario_agree(phase->beside, code != 0 ? code : split_code);
}

int pario_devices_find(struct pario_phase *phase)
{
    char buf[4400];
    const char *place = phase->path != NULL
                            ? existing_place(phase->path, buf, sizeof(buf))
                            : NULL;
    int code = phase->beside != NULL ? find_neighbours(phase, place) : 0;

    phase->devices = NULL;
    if (code != 0)
        return code;
    if (pario_group_node_rank(pario_devices_users(phase)) == 0 &&
        place != NULL) {
        phase->devices = find_below(place);
        if (phase->writing && phase->devices != NULL &&
            pario_device_kind_of(phase->devices) == PARIO_DEVICE_BLOCK)
            write_what_is_left(place);
    }
    return pario_barrier(pario_phase_all(phase));
}

/* Of this level and those below it. */
static void read_levels(const struct pario_device_set *set,
                        struct pario_device_traffic *levels)
{
    for (int i = 0; i < PARIO_DEVICE_LEVELS; i++) {
        if (set == NULL || pario_device_read(set, &levels[i]) != 0)
            levels[i] = (struct pario_device_traffic){-1, -1, -1, -1, -1, -1};
        set = set != NULL ? pario_device_lower(set) : NULL;
    }
}

static const struct pario_device_set *
devices_of(const struct pario_phase *phase)
{
    return phase->outer != NULL ? phase->outer->devices : phase->devices;
}

void pario_devices_begin(struct pario_phase *phase)
{
    read_levels(devices_of(phase), phase->before);
}

void pario_devices_pause(struct pario_phase *phase)
{
    read_levels(devices_of(phase), phase->paused);
}

/* Its counters begin later by what they counted meanwhile. */
void pario_devices_resume(struct pario_phase *phase)
{
    struct pario_device_traffic now[PARIO_DEVICE_LEVELS], delta;

    read_levels(devices_of(phase), now);
    for (int i = 0; i < PARIO_DEVICE_LEVELS; i++) {
        struct pario_device_traffic *before = &phase->before[i];

        pario_device_since(&phase->paused[i], &now[i], &delta);
        if (delta.read_bytes < 0 || delta.written_bytes < 0)
            continue;
        before->read_bytes += delta.read_bytes;
        before->written_bytes += delta.written_bytes;
        before->read_ios += delta.read_ios > 0 ? delta.read_ios : 0;
        before->busy_ms += delta.busy_ms > 0 ? delta.busy_ms : 0;
        if (i == 0)
            phase->hidden_bytes += delta.read_bytes;
    }
}

/* A byte that stopped on its way down did not reach the device: the least of
 * all levels counts. */
static void least_of_levels(const struct pario_phase *phase,
                            struct pario_device_traffic *least)
{
    struct pario_device_traffic now[PARIO_DEVICE_LEVELS], delta;

    read_levels(devices_of(phase), now);
    pario_device_since(&phase->before[0], &now[0], least);
    for (int i = 1; i < PARIO_DEVICE_LEVELS; i++) {
        pario_device_since(&phase->before[i], &now[i], &delta);
        if (delta.read_bytes >= 0 && delta.read_bytes < least->read_bytes)
            least->read_bytes = delta.read_bytes;
        if (delta.written_bytes >= 0 &&
            delta.written_bytes < least->written_bytes)
            least->written_bytes = delta.written_bytes;
    }
}

/* What ends in memory is in memory: a loop device with its file on tmpfs. */
static enum pario_device_kind kind_of(const struct pario_device_set *set)
{
    for (const struct pario_device_set *at = set; at != NULL;
         at = pario_device_lower(at))
        if (pario_device_kind_of(at) == PARIO_DEVICE_NONE)
            return PARIO_DEVICE_NONE;
    return pario_device_kind_of(set);
}

int pario_devices_kind(const struct pario_phase *phase,
                       enum pario_device_kind *kind_p)
{
    const struct pario_group *all = pario_devices_users(phase);
    const struct pario_device_set *set = devices_of(phase);
    int64_t kind = pario_group_node_rank(all) != 0 ? PARIO_DEVICE_NONE
                   : set != NULL                   ? (int64_t)kind_of(set)
                                                   : PARIO_DEVICE_UNKNOWN;
    int code = pario_reduce_i64(all, PARIO_MAX, &kind, 1);

    *kind_p = (enum pario_device_kind)kind;
    return code;
}

int pario_devices_end(struct pario_phase *phase)
{
    const struct pario_group *all = pario_devices_users(phase);
    /* Those who do not speak for a node say nothing. */
    struct pario_device_traffic seen = {.busy_ms = -1};
    int64_t counts[4], facts[2]; /* unseen, busy */
    int code;

    if (pario_group_node_rank(all) == 0)
        least_of_levels(phase, &seen);
    counts[0] = seen.read_bytes;
    counts[1] = seen.written_bytes;
    counts[2] = phase->hidden_bytes;
    counts[3] = seen.read_ios;
    facts[0] = seen.read_bytes < 0 || seen.written_bytes < 0;
    facts[1] = seen.busy_ms;
    code = pario_kernels_sum(&phase->run->kernels, all, counts, 4);
    if (code == 0)
        code = pario_reduce_i64(all, PARIO_MAX, facts, 2);
    phase->figures.seen.device_read_bytes = facts[0] ? -1 : counts[0];
    phase->figures.seen.device_written_bytes = facts[0] ? -1 : counts[1];
    phase->figures.seen.device_busy_ms = facts[0] ? -1 : facts[1];
    phase->hidden_bytes = facts[0] ? -1 : counts[2];
    phase->device_reads = facts[0] ? -1 : counts[3];
    return code;
}
