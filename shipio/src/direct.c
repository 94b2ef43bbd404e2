/* direct.c - system calls straight from and to the user's memory. */
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "behind.h"
#include "device.h"
#include "mapped.h"
#include "prefetch.h"
#include "rawio.h"
#include "sieve.h"
#include "walk.h"

#define IOV_COUNT 256
#define BOUNCE_LEN ((int64_t)256 * 1024)
/* Memory pieces shorter than this are copied rather than listed. */
#define PIECE_MIN 1024

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Both sides contiguous: the common case. */
static int direct_plain(struct shipio_file *file,
                        const struct shipio_request *req, int64_t *done_p)
{
    int64_t offset = file->view->tiling.base + req->pos;
    char *buf = req->buf + req->memory.base;
    int64_t n = req->write ? shipio_raw_write(file, buf, req->nbytes, offset)
                           : shipio_raw_read(file, buf, req->nbytes, offset);

    /* Memory that a system call cannot reach: a GPU's, or none. */
    if (n == -EFAULT && shipio_device_holds(req))
        return shipio_device_access(file, req, done_p);
    *done_p = n > 0 ? n : 0;
    return n < 0 ? (int)n : 0;
}

/* A contiguous piece of the file: at most len bytes at offset. The bytes asked
 * for go to *asked_p; fewer are moved only at the end of the file. */
struct piece {
    int64_t offset;
    int64_t len;
};

/* Packed or unpacked in between. */
static int64_t piece_bounced(struct shipio_file *file, struct shipio_walk *walk,
                             struct piece piece, int64_t *asked_p)
{
    int64_t len = min64(piece.len, BOUNCE_LEN);
    int64_t n;

    *asked_p = len;
    if (walk->req->write) {
        shipio_walk_copy(walk, file->alone.bounce, len);
        return shipio_raw_write(file, file->alone.bounce, len, piece.offset);
    }
    n = shipio_raw_read(file, file->alone.bounce, len, piece.offset);
    if (n > 0)
        shipio_walk_copy(walk, file->alone.bounce, n);
    return n;
}

/* Its memory given as a vector. */
static int64_t piece_vector(struct shipio_file *file, struct shipio_walk *walk,
                            struct piece piece, int64_t *asked_p)
{
    const struct shipio_request *req = walk->req;
    struct shipio_cursor *memory = &walk->memory;
    struct iovec iov[IOV_COUNT];
    int count = 0;

    *asked_p = 0;
    while (*asked_p < piece.len && count < IOV_COUNT) {
        int64_t n = min64(shipio_cursor_peek(memory), piece.len - *asked_p);

        iov[count].iov_base = req->buf + memory->off;
        iov[count++].iov_len = (size_t)n;
        shipio_cursor_take(memory, n);
        *asked_p += n;
    }
    return req->write ? shipio_raw_writev(file, iov, count, piece.offset)
                      : shipio_raw_readv(file, iov, count, piece.offset);
}

/* Its memory contiguous as well. */
static int64_t piece_plain(struct shipio_file *file, struct shipio_walk *walk,
                           struct piece piece, int64_t *asked_p)
{
    const struct shipio_request *req = walk->req;
    char *buf = req->buf + walk->memory.off;

    *asked_p = piece.len;
    shipio_cursor_take(&walk->memory, piece.len);
    return req->write ? shipio_raw_write(file, buf, piece.len, piece.offset)
                      : shipio_raw_read(file, buf, piece.len, piece.offset);
}

static bool needs_bounce(struct shipio_file *file,
                         const struct shipio_request *req)
{
    const struct shipio_node *node = req->memory.node;

    if (req->memory.contig || node->size / node->nseg >= PIECE_MIN)
        return false;
    if (file->alone.bounce == NULL)
        file->alone.bounce = malloc((size_t)BOUNCE_LEN);
    return file->alone.bounce != NULL;
}

/* An access on its way. */
struct progress {
    struct shipio_walk walk;
    bool bounce;
    bool eof;
};

/* Goes on until left data bytes are left. */
static int move_until(struct shipio_file *file, struct progress *p,
                      int64_t left)
{
    while (p->walk.left > left && !p->eof) {
        int64_t len =
            min64(shipio_walk_piece(&p->walk, INT64_MAX), p->walk.left - left);
        struct piece piece = {.offset = p->walk.where.off, .len = len};
        int64_t asked;
        int64_t n;

        if (shipio_cursor_peek(&p->walk.memory) >= len)
            n = piece_plain(file, &p->walk, piece, &asked);
        else if (p->bounce)
            n = piece_bounced(file, &p->walk, piece, &asked);
        else
            n = piece_vector(file, &p->walk, piece, &asked);
        if (n < 0)
            return (int)n;
        p->eof = n < asked;
        shipio_walk_pass(&p->walk, n);
    }
    return 0;
}

/* Range by range, as they were announced to the file system. */
static int move_ranges(struct shipio_file *file,
                       const struct shipio_request *req, struct progress *p)
{
    const struct shipio_range *range;
    int64_t left = req->nbytes;
    int rc = 0;

    shipio_prefetch_begin(file, req->write);
    while (rc == 0 && !p->eof && (range = shipio_prefetch_next(file)) != NULL) {
        left -= range->nbytes;
        rc = move_until(file, p, left);
    }
    shipio_prefetch_end(file);
    return rc;
}

static int direct_pieces(struct shipio_file *file,
                         const struct shipio_request *req, int64_t *done_p)
{
    struct progress p = {.bounce = needs_bounce(file, req)};
    bool ranges = shipio_prefetch_claim(file, req->write);
    int rc;

    if (ranges && !shipio_prefetch_plan(file, req)) {
        shipio_prefetch_unclaim(file);
        ranges = false;
    }
    shipio_walk_init(&p.walk, file, req);
    rc = ranges ? move_ranges(file, req, &p) : move_until(file, &p, 0);
    *done_p = req->nbytes - p.walk.left;
    return rc;
}

/* Atomic mode: the whole span is ours while we work on it. */
static int lock_span(struct shipio_file *file, const struct shipio_request *req,
                     short kind)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t pos = req->pos;
    int64_t start;

    if (!shipio_tiling_ordered(view, pos, req->nbytes))
        return shipio_raw_lock(file, kind, 0, 0);
    start = shipio_tiling_offset(view, pos);
    return shipio_raw_lock(file, kind, start,
                           shipio_tiling_end(view, pos + req->nbytes) - start);
}

static int direct_scattered(struct shipio_file *file,
                            const struct shipio_request *req, int64_t *done_p)
{
    if (shipio_mapped_access(file, req)) {
        *done_p = req->nbytes;
        return 0;
    }
    shipio_count(&file->stats, SHIPIO_N_MODE_DIRECT, 1);
    if (shipio_sieve_suits(file, req)) {
        int rc = shipio_sieve(file, req, done_p);

        /* Without locks the pieces are written, and nothing between them. */
        if (rc != -ENOLCK)
            return rc;
    }
    return direct_pieces(file, req, done_p);
}

static int direct_any(struct shipio_file *file,
                      const struct shipio_request *req, bool plain,
                      int64_t *done_p)
{
    if (!plain && !req->device)
        return direct_scattered(file, req, done_p);
    shipio_count(&file->stats, SHIPIO_N_MODE_DIRECT, 1);
    return req->device ? shipio_device_access(file, req, done_p)
                       : direct_plain(file, req, done_p);
}

/* The MPI library, which moves a GPU's memory, locks an NFS file itself. */
static bool locks_span(const struct shipio_file *file,
                       const struct shipio_request *req)
{
    return file->atomic_mode && !(req->device && file->storage.nfs);
}

int shipio_direct(struct shipio_file *file, const struct shipio_request *req,
                  int64_t *done_p)
{
    bool plain = file->view->tiling.contig && req->memory.contig;
    int rc;

    *done_p = 0;
    if (req->nbytes == 0)
        return 0;
    shipio_behind_settle(file, req);
    if (plain && !file->atomic_mode)
        return direct_any(file, req, plain, done_p);
    /* Threads share the mapping, the packing buffer, and the descriptor with
     * its locks: whoever unlocks first would unlock for all. */
    pthread_mutex_lock(&file->alone.lock);
    rc = locks_span(file, req)
             ? lock_span(file, req, req->write ? F_WRLCK : F_RDLCK)
             : 0;
    if (rc == 0) {
        rc = direct_any(file, req, plain, done_p);
        if (locks_span(file, req))
            (void)lock_span(file, req, F_UNLCK);
    }
    pthread_mutex_unlock(&file->alone.lock);
    return rc;
}
