/* suites/pattern/check.c - sizes and data of a pattern, after the time. */
#include "suites/pattern/timed.h"

#include "core/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4096  /* of each transfer that is read back */
#define SAMPLES 256 /* transfers that are read back */

static struct pattern_op op_of(const struct pattern_timed *timed, int64_t i)
{
    i = pattern_timed_place(timed, i);
    return timed->in_order ? pattern_op_in_order(timed->plan, i)
                           : pattern_op_at(timed->plan, i);
}

/* The word that was kept of each of the last reads. */
static void check_words(const struct pattern_timed *timed,
                        struct pario_figures *figures)
{
    int64_t first = timed->done - (int64_t)PATTERN_KEPT;
    const uint64_t *words = timed->part->words;
    struct pattern_contents older = timed->contents;

    older.generation--;
    for (int64_t i = first > 0 ? first : 0; i < timed->done; i++) {
        struct pattern_op op = op_of(timed, i);
        int64_t at = pattern_word_at(timed->contents.grid, op.offset);
        const uint64_t *word = &words[(size_t)i & (PATTERN_KEPT - 1)];

        if (op.write)
            continue;
        if (*word == pattern_contents_word(&timed->contents, op.offset) ||
            (timed->older && *word == pattern_contents_word(&older, op.offset)))
            figures->checked_bytes += (int64_t)sizeof(*word);
        else
            (void)pattern_contents_check(&timed->contents, op.offset + at,
                                         (const char *)word, sizeof(*word),
                                         figures);
    }
}

/* All of the last reads, which still lie in memory. */
static void check_last(const struct pattern_timed *timed,
                       struct pario_figures *figures)
{
    for (int slot = 0; slot < timed->depth; slot++) {
        struct pattern_op op;

        if (timed->last_in[slot] == 0)
            continue;
        op = op_of(timed, timed->last_in[slot] - 1);
        if (!op.write)
            (void)pattern_contents_check(
                &timed->contents, op.offset,
                timed->part->space + (size_t)slot * timed->plan->longest,
                op.len, figures);
    }
}

/* Words of 8 bytes: a stamp is in a piece as a whole or not at all. */
static struct pattern_op choose_piece(struct pattern_op op,
                                      struct pario_rng *rng)
{
    if (op.len <= PIECE)
        return op;
    op.offset += (int64_t)pario_rng_below(rng, (op.len - PIECE) / 8 + 1) * 8;
    op.len = PIECE;
    return op;
}

static int read_piece(const struct pattern_timed *timed, int fd,
                      const struct pattern_op *piece, char *bytes,
                      struct pario_figures *figures)
{
    int code = pario_pread_there(fd, bytes, piece->len, piece->offset);

    if (code != 0)
        return pario_fail_errno(code, "cannot read %s back", timed->path);
    (void)pattern_contents_check(&timed->contents, piece->offset, bytes,
                                 piece->len, figures);
    return 0;
}

/* Of what was written: all of it, or about SAMPLES pieces; whatever wrote a
 * place last, it wrote the same. */
static int read_back(const struct pattern_timed *timed, int fd,
                     struct pario_figures *figures)
{
    int full = timed->part->run->common.verify == PARIO_VERIFY_FULL;
    int64_t n = pattern_timed_different(timed);
    int64_t step = full || n < SAMPLES ? 1 : n / SAMPLES;
    char *bytes = malloc(timed->plan->longest);
    struct pario_rng rng;
    int code = 0;

    if (bytes == NULL)
        return pario_fail_errno(-ENOMEM, "cannot check");
    pario_rng_init(&rng, (uint64_t)timed->part->run->common.seed);
    for (int64_t i = 0; code == 0 && i < n; i += step) {
        struct pattern_op op = op_of(timed, i), piece;

        if (timed->access == PATTERN_MIX && !op.write)
            continue;
        piece = full ? op : choose_piece(op, &rng);
        code = read_piece(timed, fd, &piece, bytes, figures);
    }
    free(bytes);
    return code;
}

/* A library that reports success for lost data is caught here. */
static int check_size(const struct pattern_timed *timed, int fd)
{
    int64_t end = 0, n = pattern_timed_different(timed);

    for (int64_t i = timed->in_order && n > 0 ? n - 1 : 0; i < n; i++) {
        struct pattern_op op = op_of(timed, i);

        end = op.offset + op.len > end ? op.offset + op.len : end;
    }
    return pario_io_check_size(fd, timed->path, end,
                               timed->part->backend->name);
}

static int check_written(const struct pattern_timed *timed,
                         struct pario_figures *figures)
{
    int fd = open(timed->path, O_RDONLY | O_CLOEXEC);
    int code;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", timed->path);
    code = check_size(timed, fd);
    if (code == 0 && timed->access != PATTERN_PREPARE &&
        timed->part->run->common.verify != PARIO_VERIFY_OFF)
        code = read_back(timed, fd, figures);
    if (timed->part->options->direct)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    return code;
}

/* Bytes of a file that one or more transfers touched. */
struct extent {
    int64_t begin, end;
    int written;
};

static int by_place(const void *a, const void *b)
{
    const struct extent *one = a, *other = b;

    return (one->begin > other->begin) - (one->begin < other->begin);
}

/* Sorted by place: how many different bytes; those that were written alone, or
 * all. */
static int64_t union_of(const struct extent *extents, int64_t n, int written)
{
    int64_t bytes = 0, reached = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t begin = extents[i].begin;

        if ((written && !extents[i].written) || extents[i].end <= reached)
            continue;
        bytes += extents[i].end - (begin > reached ? begin : reached);
        reached = extents[i].end;
    }
    return bytes;
}

/* Places that are drawn come again, at most as many as were listed: how many
 * bytes were different ones, and of those that were written, where these are
 * not durable before the next. */
static int count_drawn(const struct pattern_timed *timed, int64_t n,
                       struct pario_figures *figures)
{
    struct extent *extents;

    if (n > timed->plan->listed)
        n = timed->plan->listed; /* they come again */
    extents = malloc((size_t)(n + 1) * sizeof(*extents));
    if (extents == NULL)
        return pario_fail_errno(-ENOMEM, "cannot check");
    for (int64_t i = 0; i < n; i++) {
        struct pattern_op op = op_of(timed, i);

        extents[i] = (struct extent){
            .begin = op.offset,
            .end = op.offset + op.len,
            .written = op.write || timed->access == PATTERN_WRITE,
        };
    }
    qsort(extents, (size_t)n, sizeof(*extents), by_place);
    figures->data_bytes = union_of(extents, n, 0);
    if (timed->part->options->fsync_every != 1)
        figures->written_data_bytes = union_of(extents, n, 1);
    free(extents);
    return 0;
}

/* How many bytes were different ones, where places may come again. */
static int count_different(const struct pattern_timed *timed,
                           struct pario_figures *figures)
{
    int64_t n = pattern_timed_different(timed);

    figures->data_bytes = figures->written_data_bytes = 0;
    if (pattern_draws(timed->part->options))
        return count_drawn(timed, n, figures);
    /* Each place once, then all of them once more. */
    figures->data_bytes = n * timed->plan->transfer;
    if (timed->access == PATTERN_WRITE &&
        timed->part->options->fsync_every != 1)
        figures->written_data_bytes = figures->data_bytes;
    return 0;
}

int pattern_timed_check(struct pattern_timed *timed,
                        struct pario_figures *figures)
{
    int verify = timed->part->run->common.verify, code = 0;

    figures->checked_bytes += timed->found.checked_bytes;
    figures->wrong_bytes += timed->found.wrong_bytes;
    if (timed->found.wrong_bytes > 0)
        memcpy(figures->wrong, timed->found.wrong, sizeof(figures->wrong));
    if (timed->access != PATTERN_PREPARE &&
        (pattern_draws(timed->part->options) ||
         pattern_timed_different(timed) < timed->done))
        code = count_different(timed, figures);
    if (code == 0 && timed->access != PATTERN_READ)
        code = check_written(timed, figures);
    if (code != 0 || verify == PARIO_VERIFY_OFF || timed->unknown ||
        timed->full || timed->access == PATTERN_WRITE ||
        timed->access == PATTERN_PREPARE)
        return code;
    check_words(timed, figures);
    if (!timed->older)
        check_last(timed, figures);
    return 0;
}
