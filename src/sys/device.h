/* sys/device.h - the devices below a file, and what they saw. Local, no MPI.
 *
 * The kernel counts at every block device what was really read and written,
 * whoever asked for it: less than a benchmark claims proves a cache, more
 * proves nothing (others, metadata, mirrors). The counters of a process
 * (/proc/self/io) are no such proof: they count pages made dirty. */
#ifndef PARIO_SYS_DEVICE_H
#define PARIO_SYS_DEVICE_H

#include "core/error.h"
#include <stdint.h>
#include <sys/types.h>

enum pario_device_kind {
    PARIO_DEVICE_NONE,    /* memory (tmpfs, zram): no device at all */
    PARIO_DEVICE_BLOCK,   /* one or more block devices */
    PARIO_DEVICE_NFS,     /* a server, by the client's count of its RPCs */
    PARIO_DEVICE_UNKNOWN, /* FUSE, other network: it cannot be seen */
};

struct pario_device_set; /* what lies below a path */

/* What backs path: a file, a directory, or a block device's node itself.
 * Succeeds also where nothing can be seen (kind UNKNOWN). The caller owns
 * *set_p. */
int pario_device_find(const char *path,
                      struct pario_device_set **set_p) PARIO_MUST_USE;

/* The same from the /proc and /sys below root; dev is the file's st_dev, or
 * the st_rdev of a node. */
int pario_device_find_from(const char *root, const char *path, dev_t dev,
                           struct pario_device_set **set_p) PARIO_MUST_USE;

void pario_device_free(struct pario_device_set *set); /* NULL is allowed */

enum pario_device_kind pario_device_kind_of(const struct pario_device_set *set);

/* For people: "loop0 (below: vda)", "sda + sdb", "server:/export",
 * "memory (tmpfs)", "not visible (fuse.sshfs)". Owned by the set. */
const char *pario_device_names(const struct pario_device_set *set);

/* What lies below these devices: the members of dm and md devices, the device
 * that holds a loop device's file; one with nothing below it stands there for
 * itself beside the others', what is in memory is left out. NULL: nothing, or
 * not known. Owned by the set. */
const struct pario_device_set *
pario_device_lower(const struct pario_device_set *set);

/* Counters since boot, summed over the devices of a set; -1: not visible. */
struct pario_device_traffic {
    int64_t read_bytes, written_bytes;
    int64_t read_ios, write_ios; /* requests, of NFS: RPCs */
    int64_t busy_ms; /* a request was under way; mean of several devices */
    int64_t discarded_bytes;
};

/* The counters now, of the devices directly below the file system. All -1
 * for kinds NONE and UNKNOWN; -ENODEV when a device went away. */
int pario_device_read(const struct pario_device_set *set,
                      struct pario_device_traffic *now_p) PARIO_MUST_USE;

/* end - begin; -1 where either is -1, or where a counter went back. */
void pario_device_since(const struct pario_device_traffic *begin,
                        const struct pario_device_traffic *end,
                        struct pario_device_traffic *delta_p);

#endif
