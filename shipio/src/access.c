/* access.c - the choice between shipping and direct access. */
#include "access.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents.h"
#include "behind.h"
#include "mapped.h"
#include "means.h"

/* Combining needs neighbours: at least this part of the span is accessed. */
#define DENSITY_MIN 0.4
/* A direct collective write of this size waits for the others; the time that
 * this takes is small against the write. */
#define WAIT_MIN ((int64_t)32 * 1024)
/* Of st_blocks. */
#define BLOCK_UNIT 512

/* The first hole from offset on; tmpfs would look at each page on the way. */
static off_t find_hole(const struct shipio_file *file, int64_t offset)
{
    struct stat st;
    int64_t page;

    if (file->storage.tmpfs && fstat(file->fd, &st) == 0 &&
        offset < st.st_size) {
        page = sysconf(_SC_PAGESIZE);
        if (st.st_blocks * BLOCK_UNIT == (st.st_size + page - 1) / page * page)
            return st.st_size;
    }
    return lseek(file->fd, offset, SEEK_HOLE);
}

/*
 * True when file bytes [low, high) have their place on the device, so that a
 * file system that writes in place will not run out of space there. The other
 * ranks' parts of the call may be around: they must have theirs, too, or else
 * this rank finds that a neighbour has just written what it asks for.
 */
static bool is_allocated(struct shipio_file *file, int64_t low, int64_t high)
{
    struct shipio_extent *known = &file->storage.allocated;
    int64_t around = WAIT_MIN * file->team->size;
    off_t hole;

    low = low > around ? low - around : 0;
    high += around;
    if (low < known->low || low > known->high)
        *known = (struct shipio_extent){.low = low, .high = low};
    if (high <= known->high)
        return true;
    hole = find_hole(file, known->high);
    if (hole > known->high)
        known->high = hole;
    return high <= known->high;
}

/*
 * Which errors must be seen by all ranks in the same call? All, except those
 * that hardly can be where waiting would cost most: small writes over what is
 * there already, in place; and reads.
 */
static bool waits_for_others(struct shipio_file *file,
                             const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;

    if (file->hints.agreement != SHIPIO_AGREE_AUTO)
        return file->hints.agreement == SHIPIO_STRICT;
    if (file->storage.remote)
        return true;
    if (!req->write)
        return false;
    /* A rank without a part has time to wait for those that have one. */
    return req->nbytes == 0 || req->nbytes >= WAIT_MIN ||
           !file->storage.in_place ||
           !shipio_tiling_ordered(view, req->pos, req->nbytes) ||
           !is_allocated(file, shipio_tiling_offset(view, req->pos),
                         shipio_tiling_end(view, req->pos + req->nbytes));
}

static int direct_collective(struct shipio_file *file,
                             const struct shipio_request *req, int error,
                             int64_t *done_p)
{
    bool wait = file->means->deferring && waits_for_others(file, req);
    int rc = error;

    if (rc == 0)
        rc = shipio_direct(file, req, done_p);
    if (file->team->size == 1)
        return rc != 0 ? rc : shipio_late_take(file);
    return file->means->settle(file, wait, rc);
}

uint64_t shipio_access_unwaited(struct shipio_file *file)
{
    uint64_t call;

    if (file->team->size == 1)
        return 0;
    call = ++file->late.calls;
    if (file->shm != NULL) {
        shipio_gauge_advance(&file->shm->head->ranks[file->team->rank].calls,
                             call);
        shipio_late_left(file, call);
    }
    return call;
}

/* What every rank has to itself is not shipped: the agents would go through
 * one rank's region after the other. */
static bool has_regions(const struct shipio_file *file,
                        const struct shipio_span *span)
{
    int64_t least = shipio_hints_stripe(&file->hints) * file->team->size;

    return span->extents <= span->high - span->low && span->extents >= least;
}

/*
 * A write of small pieces that stores to a mapping do better: one with gaps,
 * for which an agent would need as many system calls as there are pieces; and
 * on tmpfs one over what collective calls have written before, so that the
 * pages are there and will be mapped but once. File systems with a device take
 * note of each page that each rank is about to store to, again after they have
 * written it: that costs more than stores gain over shipping.
 */
static bool suits_mapping(struct shipio_file *file,
                          const struct shipio_span *span)
{
    struct shipio_extent *before = &file->ship.written;
    bool again = span->low >= before->low && span->high <= before->high;

    if (span->low > before->high || span->high < before->low)
        *before = (struct shipio_extent){.low = span->low, .high = span->low};
    before->low = span->low < before->low ? span->low : before->low;
    before->high = span->high > before->high ? span->high : before->high;
    if (file->storage.remote || !file->hints.map ||
        span->nbytes / span->pieces > SHIPIO_MAPPED_PIECE_MAX)
        return false;
    return (again && file->ship.remap) || span->nbytes < span->high - span->low;
}

/* Pieces small, and close enough together to be combined. */
static bool worth_shipping(struct shipio_file *file,
                           const struct shipio_span *span, bool write)
{
    int64_t piece = span->pieces > 0 ? span->nbytes / span->pieces : INT64_MAX;
    /* Ranks that write into one block of a parallel file system take it from
     * each other, be there as much room between the pieces as there may, and
     * however long a piece takes. */
    bool shares_blocks =
        file->storage.remote && write && piece < file->storage.block;

    if (!shares_blocks && piece >= shipio_storage_piece_max(span->cost_ns))
        return false;
    if (has_regions(file, span) || (write && suits_mapping(file, span)))
        return false;
    return shares_blocks || (double)span->nbytes >=
                                DENSITY_MIN * (double)(span->high - span->low);
}

static int ship(struct shipio_file *file, const struct shipio_request *req,
                const struct shipio_span *span, int64_t *done_p)
{
    const struct shipio_exchange *exchange = file->means->exchange;
    int rc;

    shipio_count(&file->stats, SHIPIO_N_MODE_SHIP, 1);
    if (!req->write)
        return exchange->read(file, req, span, done_p);
    rc = exchange->write(file, req, span);
    *done_p = rc == 0 ? req->nbytes : 0;
    return rc;
}

/* Another rank's error of an earlier call. Without shared memory an own one
 * waits for an agreement. */
static int late_trouble(struct shipio_file *file)
{
    return file->shm != NULL ? shipio_late_take(file) : 0;
}

/* Every rank has come so far; what all do next depends on all requests. */
static int ship_or_direct(struct shipio_file *file,
                          const struct shipio_request *req, int error,
                          int64_t *done_p)
{
    struct shipio_request part = *req;
    /* Shipping goes through the file from front to back, and touches memory. */
    bool ships = !req->device && shipio_tiling_ordered(&file->view->tiling,
                                                       req->pos, req->nbytes);
    struct shipio_span span;
    int64_t ignored = 0;
    int rc;

    if (!ships || error != 0)
        part.nbytes = 0;
    if (!ships && error == 0)
        error = shipio_direct(file, req, done_p);
    shipio_behind_settle(file, &part);
    span = file->means->exchange->span(file, &part, error);
    if (span.error != 0) {
        *done_p = 0;
        return span.error;
    }
    if (span.nbytes == 0)
        return late_trouble(file);
    if ((file->hints.mode == SHIPIO_SHIP ||
         worth_shipping(file, &span, req->write)) &&
        file->means->exchange->possible(file, &part, &span)) {
        rc = ship(file, &part, &span, ships ? done_p : &ignored);
        if (rc != 0)
            *done_p = 0;
        return rc != 0 ? rc : late_trouble(file);
    }
    return ships ? direct_collective(file, req, 0, done_p)
                 : direct_collective(file, &part, 0, &ignored);
}

static bool may_ship(const struct shipio_file *file,
                     const struct shipio_request *req)
{
    if (file->team->size == 1 || file->atomic_mode)
        return false;
    if (file->hints.mode != SHIPIO_AUTO)
        return file->hints.mode == SHIPIO_SHIP;
    /* Where requests are dear even contiguous parts may be too small. */
    if (!file->view->scattered && !(file->storage.remote && file->shm != NULL))
        return false;
    /* One copy out of the page cache cannot be beaten by two. */
    return req->write || file->storage.remote || !file->hints.map;
}

void shipio_access_count(struct shipio_file *file,
                         const struct shipio_request *req, bool collective)
{
    const struct shipio_tiling *view = &file->view->tiling;

    shipio_count(&file->stats, SHIPIO_N_CALLS, 1);
    shipio_count(&file->stats, SHIPIO_N_COLLECTIVE, collective);
    if (req != NULL && file->stats.timed)
        shipio_count(&file->stats, SHIPIO_N_REQUESTS,
                     shipio_tiling_pieces(view, req->pos, req->nbytes));
}

static int access_alone(struct shipio_file *file,
                        const struct shipio_request *req, int64_t *done_p)
{
    int rc;

    if (file->ship.agents != NULL && !file->atomic_mode && !req->device &&
        shipio_hints_noncollective(&file->hints)) {
        shipio_behind_settle(file, req);
        rc = shipio_agents_access(file, req, done_p);
    } else if (shipio_behind_suits(file, req)) {
        rc = shipio_behind_write(file, req, done_p);
    } else {
        rc = shipio_direct(file, req, done_p);
    }
    return rc != 0 ? rc : shipio_behind_take(file);
}

int shipio_access(struct shipio_file *file, const struct shipio_request *req,
                  enum shipio_together together, int error, int64_t *done_p)
{
    *done_p = 0;
    shipio_access_count(file, error == 0 ? req : NULL,
                        together == SHIPIO_TOGETHER);
    if (together == SHIPIO_ALONE)
        return error != 0 ? error : access_alone(file, req, done_p);
    shipio_late_own(file, shipio_behind_take(file));
    if (may_ship(file, req))
        return ship_or_direct(file, req, error, done_p);
    return direct_collective(file, req, error, done_p);
}
