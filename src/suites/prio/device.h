/* suites/prio/device.h - block devices, and whether one may be written.
 * Local. Errors are PARIO_EUSAGE or -errno with a message. */
#ifndef PARIO_PRIO_DEVICE_H
#define PARIO_PRIO_DEVICE_H

#include "core/error.h"
#include <stdint.h>
#include <sys/types.h>

struct prio_device {
    dev_t number;
    int64_t bytes;
    int sector; /* smallest request of O_DIRECT */
};

/* PARIO_EUSAGE if path is no block device. Needs no more than to read. */
int prio_device_get(const char *path,
                    struct prio_device *device_p) PARIO_MUST_USE;

/* Refuses a device that is mounted, swapped on or held by another device; its
 * partitions count. */
int prio_device_check_free(const char *path) PARIO_MUST_USE;

/* Claims the device, so that nobody mounts it meanwhile; refused when another
 * process has claimed it. One process of a node only. Close *fd_p. */
int prio_device_claim(const char *path, int *fd_p) PARIO_MUST_USE;

/* Are these two names of one block device? */
int prio_device_same(const char *path, const char *other);

/* Asks on a terminal whether all data on the device may be lost; 0 without a
 * terminal, PARIO_EUSAGE unless the answer is yes. */
int prio_device_ask(const char *path) PARIO_MUST_USE;

/* Does the text of /proc/self/mountinfo name the device
 * number? where: the mount point. */
int prio_mounts_name(const char *mountinfo, dev_t number, char *where,
                     size_t len);

#endif
