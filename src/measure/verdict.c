/* measure/verdict.c - where did the data come from or go to? */
#include "measure/verdict.h"

#define NEARLY_ALL 0.95
#define NEARLY_NONE 0.05
#define INODE_BYTES 128 /* the smallest of any file system on a device */

static enum pario_cache by_share(double disk)
{
    return disk >= NEARLY_ALL    ? PARIO_CACHE_DISK
           : disk <= NEARLY_NONE ? PARIO_CACHE_CACHE
                                 : PARIO_CACHE_MIXED;
}

static enum pario_cache write_verdict(const struct pario_evidence *e)
{
    int64_t seen = e->device_written_bytes;

    if (seen < 0)
        return PARIO_CACHE_UNKNOWN;
    if (!e->direct && e->written_once_bytes > 0 && seen > e->written_once_bytes)
        seen = e->written_once_bytes;
    if (!e->direct && e->unwritten_bytes > 0 &&
        seen > e->written_bytes - e->unwritten_bytes)
        seen = e->written_bytes - e->unwritten_bytes;
    if (!e->direct && e->unwritten_bytes < 0 && e->unsynced &&
        (double)seen > NEARLY_NONE * (double)e->written_bytes)
        return PARIO_CACHE_UNKNOWN;
    return by_share((double)seen / (double)e->written_bytes);
}

/* The share of the bytes read that the page cache held before; -1: unknown.
 * Each different byte can be found there once. */
static double found_share(const struct pario_evidence *e)
{
    double data = e->data_bytes > 0 && e->data_bytes < e->read_bytes
                      ? (double)e->data_bytes
                      : (double)e->read_bytes;
    double found = (double)e->resident_bytes;

    if (e->resident_bytes < 0)
        return -1;
    return (found < data ? found : data) / (double)e->read_bytes;
}

/* What a server's or a user's file system reads for a process is not counted
 * as the process's own. */
static int knows_own_reads(const struct pario_evidence *e)
{
    return e->own_read_bytes >= 0 && e->device == PARIO_DEVICE_BLOCK;
}

/* The share that a device can have given where data was read again: what the
 * page caches still hold they took from it once, and what they have lost
 * meanwhile may have come anew each time. */
static double share_read_anew(const struct pario_evidence *e)
{
    double read = (double)e->read_bytes;
    double once = (double)e->data_bytes * (e->nodes > 1 ? e->nodes : 1) / read;
    double kept = e->kept_bytes < 0 || e->kept_bytes > e->data_bytes
                      ? 1
                      : (double)e->kept_bytes / (double)e->data_bytes;

    return kept * once + (1 - kept);
}

/* The same where a figure reads again what it has read or written: what the
 * processes asked their devices for, if that is known. 1: all of it. */
static double most_from_device(const struct pario_evidence *e)
{
    int again = e->data_bytes > 0 && e->data_bytes < e->read_bytes;

    if (e->direct || (!again && e->written_bytes <= 0))
        return 1;
    if (knows_own_reads(e))
        return (double)e->own_read_bytes / (double)e->read_bytes;
    return again ? share_read_anew(e) : 1;
}

static enum pario_cache read_verdict(const struct pario_evidence *e)
{
    double found = e->direct ? 0 : found_share(e);
    double disk;

    if (e->device_read_bytes < 0)
        return found >= NEARLY_ALL ? PARIO_CACHE_CACHE : PARIO_CACHE_UNKNOWN;
    disk = (double)e->device_read_bytes / (double)e->read_bytes;
    if (found >= 0 && disk > 1 - found)
        disk = 1 - found;
    if (disk > most_from_device(e))
        disk = most_from_device(e);
    if (!e->direct && e->scattered_calls > 0 && e->device_reads >= 0 &&
        disk > (double)e->device_reads / (double)e->scattered_calls)
        disk = (double)e->device_reads / (double)e->scattered_calls;
    return by_share(disk);
}

enum pario_cache pario_verdict_join(enum pario_cache a, enum pario_cache b)
{
    if (a == b)
        return a;
    return a == PARIO_CACHE_UNKNOWN || b == PARIO_CACHE_UNKNOWN
               ? PARIO_CACHE_UNKNOWN
               : PARIO_CACHE_MIXED;
}

static enum pario_cache names_verdict(const struct pario_evidence *e)
{
    int64_t names = e->names_made > 0 ? e->names_made : e->names_asked;
    int64_t seen =
        e->names_made > 0 ? e->device_written_bytes : e->device_read_bytes;

    /* What a server's client counts is data alone. */
    if (names <= 0 || seen < 0 || e->device != PARIO_DEVICE_BLOCK)
        return PARIO_CACHE_UNKNOWN;
    return seen == 0 || (e->names_made <= 0 && e->names_kept)
               ? PARIO_CACHE_CACHE
           : seen < INODE_BYTES * names || (e->names_made > 0 && e->unsynced)
               ? PARIO_CACHE_MIXED
               : PARIO_CACHE_DISK;
}

enum pario_cache pario_evidence_verdict(const struct pario_evidence *evidence)
{
    int data = evidence->read_bytes > 0 || evidence->written_bytes > 0;
    int names = evidence->names_made > 0 || evidence->names_asked > 0;
    enum pario_cache writing;

    if (!data && !names)
        return PARIO_CACHE_UNKNOWN;
    if (evidence->device == PARIO_DEVICE_NONE)
        return PARIO_CACHE_CACHE;
    if (!data)
        return names_verdict(evidence);
    if (evidence->written_bytes <= 0)
        return read_verdict(evidence);
    writing = write_verdict(evidence);
    if (evidence->read_bytes <= 0)
        return writing;
    return pario_verdict_join(read_verdict(evidence), writing);
}
