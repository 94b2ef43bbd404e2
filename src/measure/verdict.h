/* measure/verdict.h - where did the data come from or go to? The rules of
 * docs/measuring.md as one pure function. Local. */
#ifndef PARIO_MEASURE_VERDICT_H
#define PARIO_MEASURE_VERDICT_H

#include "sys/cache.h"
#include "sys/device.h"

/* Facts about one phase, over all of its processes. */
struct pario_evidence {
    int64_t read_bytes, written_bytes; /* that the calls moved */
    /* Different bytes, where some were written again before anything made
     * them durable; 0: each was written once. */
    int64_t written_once_bytes;
    int64_t names_made, names_asked; /* by calls that move no data */
    int unsynced;            /* nothing makes these, or the data, durable */
    int64_t unwritten_bytes; /* at the end no device had seen them; -1 unknown
                              */
    int names_kept;          /* the kernel knows those that are asked for */
    int64_t data_bytes;      /* different bytes read; 0: each was read once */
    int64_t resident_bytes;  /* of these, in page caches before; -1 unknown */
    int64_t kept_bytes;      /* of these, in page caches at the end; the same */
    int nodes;               /* with page caches of their own; 0: one */
    /* That the processes asked block devices for; -1: not visible. */
    int64_t own_read_bytes;
    int direct; /* O_DIRECT: the page cache gives nothing */
    enum pario_device_kind device;
    int64_t device_read_bytes, device_written_bytes; /* -1: not visible */
    /* Calls, each for a part of a page, in no order, where some read: those
     * that write need their page, too. 0: they were not. */
    int64_t scattered_calls;
    int64_t device_reads; /* requests; -1: not visible */
};

/*
 * A byte counts as read from or written to a device only if the device saw it:
 * at least 95 % of the bytes is disk, at most 5 % cache, between is mixed. What
 * the page cache held before a read cannot have come from the device, whatever
 * other traffic there was. What was read again and is still there at the end
 * came from the device once to each node, unless the processes themselves asked
 * it for more. A device gives whole pages: of calls for less, in no
 * order, each that was not from the cache takes a request to the device, and
 * the share of the requests counts, too; of such writes those that came to the
 * same place may have met in memory: each different byte counts once. What the
 * page cache has yet to write was not written, whoever used the device; where
 * that cannot be asked and nothing was synced it is unknown. Without
 * visible devices a read that
 * found 95 % in the cache is cache, all else is unknown. Without a device
 * (tmpfs) it is always cache. Names (files created, or asked for) take at least
 * 128 bytes each on a block device: all of these seen is disk, where they were
 * synced, nothing seen is cache; so are names that are asked for while the
 * kernel knows them.
 */
enum pario_cache pario_evidence_verdict(const struct pario_evidence *evidence);

/* Of two parts of one figure: what both are; else mixed, or unknown if one is.
 */
enum pario_cache pario_verdict_join(enum pario_cache a, enum pario_cache b);

#endif
