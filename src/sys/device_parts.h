/* sys/device_parts.h - a set of devices: device.c finds them,
 * device_traffic.c reads their counters. */
#ifndef PARIO_SYS_DEVICE_PARTS_H
#define PARIO_SYS_DEVICE_PARTS_H

#include "sys/device.h"
#include <limits.h>

struct pario_device {
    char folder[PATH_MAX]; /* in /sys/devices: its stat file is there */
};

struct pario_device_set {
    enum pario_device_kind kind;
    char names[512];
    int count; /* kind BLOCK, else 0 */
    struct pario_device *devices;
    char root[PATH_MAX]; /* kind NFS: of /proc/self/mountstats */
    char mount[256];     /* kind NFS: mount point */
    struct pario_device_set *lower;
};

#endif
