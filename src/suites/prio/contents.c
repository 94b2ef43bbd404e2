/* suites/prio/contents.c - what is in the files: prepared, filled, checked. */
#include "core/cleanup.h"
#include "core/data.h"
#include "core/rng.h"
#include "core/storage.h"
#include "io/backend.h"
#include "suites/prio/transfer.h"
#include "suites/prio/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE_BYTES PARIO_DATA_STAMP /* of each block: --verify sample */
#define READ_BACK_BLOCKS 64           /* of what was written, likewise */
#define PRIO_FILES ((uint64_t)PRIO_MAX_SECTIONS * PRIO_GENERATIONS)
#define PIECE ((int64_t)4 << 20) /* written at once in preparation */

void prio_layout_file(struct prio_layout *layout, const struct prio_env *env,
                      const struct prio_case *what, int shared)
{
    int rank = pario_group_rank(env->group);

    *layout = (struct prio_layout){.shared = shared};
    if (shared)
        snprintf(layout->path, sizeof(layout->path), "%s/%s", env->directory,
                 what->label);
    else
        snprintf(layout->path, sizeof(layout->path), "%s/%s.%d", env->directory,
                 what->label, rank);
    if (shared)
        layout->base = rank * what->data_bytes;
    else
        layout->data_base = rank * what->data_bytes;
}

struct prio_case prio_generation(const struct prio_case *what, int generation)
{
    struct prio_case next = *what;

    next.file_number += (uint64_t)generation * PRIO_MAX_SECTIONS;
    return next;
}

struct pario_data prio_stamps_of_pass(const struct pario_data *data,
                                      int64_t pass)
{
    return pario_data_of_pass(data, PRIO_FILES, pass);
}

int64_t prio_data_offset(const struct prio_env *env,
                         const struct prio_case *what)
{
    return pario_group_rank(env->group) * what->data_bytes;
}

/* The file offset of byte `at` of the process's data, and how many bytes
 * follow it there without a gap. */
static int64_t offset_of(const struct prio_layout *layout, int64_t at,
                         int64_t *run_p)
{
    if (layout->block == 0) {
        *run_p = INT64_MAX;
        return layout->base + at;
    }
    *run_p = layout->block - at % layout->block;
    return layout->base + at / layout->block * layout->stride +
           at % layout->block;
}

void prio_fill(const struct prio_env *env, const struct prio_case *what,
               const struct prio_layout *layout, int64_t at, char *buffer,
               size_t len)
{
    struct pario_data data = {.key = env->run->data_key,
                              .file = what->file_number};

    while (len > 0) {
        int64_t run, offset = offset_of(layout, at, &run);
        size_t n = (int64_t)len < run ? len : (size_t)run;

        pario_data_fill(&data, layout->data_base + offset, buffer, n);
        at += (int64_t)n;
        buffer += n;
        len -= n;
    }
}

void prio_check(const struct prio_env *env, const struct prio_case *what,
                const struct prio_layout *layout, int64_t at,
                const char *buffer, size_t len, struct pario_figures *figures)
{
    struct pario_data data = {.key = env->run->data_key,
                              .file = what->file_number};

    figures->checked_bytes += (int64_t)len;
    while (len > 0) {
        int64_t run, offset = offset_of(layout, at, &run);
        size_t n = (int64_t)len < run ? len : (size_t)run;
        struct pario_data_error error;

        if (pario_data_check(&data, layout->data_base + offset, buffer, n,
                             &error) != 0) {
            if (figures->wrong_bytes == 0)
                pario_data_describe(&data, PRIO_FILES, &error, figures->wrong,
                                    sizeof(figures->wrong));
            figures->wrong_bytes += error.wrong_bytes;
        }
        at += (int64_t)n;
        buffer += n;
        len -= n;
    }
}

/* Moves all of len at `at` of the process's data, piece by piece. */
static int move(int fd, const struct prio_layout *layout, int64_t at,
                char *buffer, int64_t len, int writing)
{
    while (len > 0) {
        int64_t run, offset = offset_of(layout, at, &run);
        int64_t n = len < run ? len : run;
        int code = writing ? pario_pwrite_all(fd, buffer, (size_t)n, offset)
                           : pario_pread_all(fd, buffer, (size_t)n, offset);

        if (code != 0)
            return code;
        at += n;
        buffer += n;
        len -= n;
    }
    return 0;
}

static int write_contents(const struct prio_env *env,
                          const struct prio_case *what,
                          const struct prio_layout *layout, int fd)
{
    int64_t piece = what->data_bytes < PIECE ? what->data_bytes : PIECE;
    void *buffer = NULL;
    int code = pario_buffer_alloc((size_t)piece, &buffer);

    for (int64_t at = 0; code == 0 && at < what->data_bytes; at += piece) {
        int64_t left = what->data_bytes - at;
        int64_t len = left < piece ? left : piece;

        prio_fill(env, what, layout, at, buffer, (size_t)len);
        code = move(fd, layout, at, buffer, len, 1);
        if (code != 0)
            code = pario_fail_errno(code, "cannot write %s", layout->path);
    }
    free(buffer);
    if (code == 0 && fsync(fd) != 0)
        code = pario_fail_errno(-errno, "cannot sync %s", layout->path);
    return code;
}

static int creates(const struct prio_env *env, const struct prio_layout *layout)
{
    return !layout->device &&
           (!layout->shared || pario_group_rank(env->group) == 0);
}

int prio_prepared_remove(struct prio_env *env, const struct prio_layout *layout)
{
    int code = 0;

    env->prepared->path[0] = '\0';
    if (creates(env, layout) && pario_own_unlink(layout->path) != 0 &&
        errno != ENOENT)
        code = pario_fail_errno(-errno, "cannot remove %s", layout->path);
    return pario_agree(env->group, code);
}

void prio_prepared_note(struct prio_prepared *prepared,
                        const struct prio_case *what,
                        const struct prio_layout *layout, int exact)
{
    memcpy(prepared->path, layout->path, sizeof(prepared->path));
    prepared->data_bytes = what->data_bytes;
    prepared->block = layout->block;
    prepared->processes = what->processes;
    prepared->exact = exact;
    prepared->device = layout->device;
    prepared->shared = layout->shared;
}

static int is_prepared(const struct prio_env *env, const struct prio_case *what,
                       const struct prio_layout *layout)
{
    const struct prio_prepared *prepared = env->prepared;

    return strcmp(prepared->path, layout->path) == 0 && prepared->exact &&
           prepared->data_bytes == what->data_bytes &&
           prepared->block == layout->block &&
           prepared->processes == what->processes;
}

static int open_prepared(const struct prio_case *what,
                         const struct prio_layout *layout, int create)
{
    int flags = O_RDWR | O_CLOEXEC | (what->direct ? O_DIRECT : 0) |
                (create ? O_CREAT | O_EXCL : 0);
    int fd = pario_own_open(layout->path, flags, 0644);

    return fd >= 0 ? fd
                   : pario_fail_errno(-errno, "cannot open %s", layout->path);
}

int prio_prepare(struct prio_env *env, const struct prio_case *what,
                 const struct prio_layout *layout)
{
    /* What each process knows may differ: one of them may not have come to
     * the end of its data in the time it had. */
    int64_t ready = is_prepared(env, what, layout);
    int fd = -1, code = pario_reduce_i64(env->group, PARIO_MIN, &ready, 1);

    if (code != 0 || ready)
        return code;
    code = prio_prepared_remove(env, layout);
    if (code != 0)
        return code;
    if (creates(env, layout))
        code = fd = open_prepared(what, layout, 1);
    code = pario_agree(env->group, code < 0 ? code : 0);
    if (code == 0 && fd < 0) {
        code = fd = open_prepared(what, layout, 0);
        code = code < 0 ? code : 0;
    }
    if (code == 0)
        code = write_contents(env, what, layout, fd);
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot close %s", layout->path);
    code = pario_agree(env->group, code);
    if (code != 0)
        return code;
    prio_prepared_note(env->prepared, what, layout, 1);
    return 0;
}

static int check_size(const struct prio_case *what,
                      const struct prio_layout *layout, int fd, int64_t end)
{
    return layout->device
               ? 0
               : pario_io_check_size(fd, layout->path, end,
                                     prio_method_names[what->method]);
}

/* The requests that were done at all. */
static int64_t first_done(const struct prio_done *done)
{
    return done->done < done->count ? done->done : done->count;
}

/* The writes among the requests. */
struct written {
    int64_t count, bytes, longest;
    int64_t end; /* in the file, of the last byte */
};

static struct written count_written(const struct prio_layout *layout,
                                    const struct prio_done *done)
{
    struct written sum = {0};

    for (int64_t i = 0; i < first_done(done); i++) {
        const struct prio_request *request = &done->request[i];
        int64_t run, end, len = request->len;

        if (!request->write)
            continue;
        end = offset_of(layout, request->at + len - 1, &run) + 1;
        sum.count++;
        sum.bytes += len;
        sum.longest = len > sum.longest ? len : sum.longest;
        sum.end = end > sum.end ? end : sum.end;
    }
    return sum;
}

/* What a reading back needs. */
struct back {
    const struct prio_env *env;
    const struct prio_case *what;
    const struct prio_layout *layout;
    const struct prio_done *done;
    struct pario_figures *figures;
    int fd;
    char *buffer;
    int64_t piece; /* its length */
};

/* The bytes from `at` of a request on, which a pass after the first has
 * stamped: at is a multiple of the distance of stamps. */
static void check_stamped(const struct back *back,
                          const struct prio_request *request, int64_t pass,
                          int64_t at, int64_t len)
{
    struct pario_data data = {.key = back->env->run->data_key,
                              .file = back->what->file_number};
    struct pario_data stamps = prio_stamps_of_pass(&data, pass);
    int64_t place = prio_data_offset(back->env, back->what) + request->at;
    struct pario_data_error error = {.wrong_bytes = 0};
    char expected[PARIO_DATA_STAMP];
    const char *found = back->buffer;

    back->figures->checked_bytes += len;
    for (int64_t end = at + len; at < end; at += PARIO_DATA_STAMP) {
        size_t n =
            end - at < PARIO_DATA_STAMP ? (size_t)(end - at) : PARIO_DATA_STAMP;
        int64_t run;

        prio_fill(back->env, back->what, back->layout, request->at + at,
                  expected, n);
        pario_data_stamp(&stamps, place + at, expected, n);
        pario_data_compare(expected, found, n,
                           offset_of(back->layout, request->at + at, &run),
                           &error);
        found += n;
    }
    if (error.wrong_bytes > 0 && back->figures->wrong_bytes == 0)
        pario_data_describe(&data, stamps.file + 1, &error,
                            back->figures->wrong, sizeof(back->figures->wrong));
    back->figures->wrong_bytes += error.wrong_bytes;
}

/* Reads len bytes from `at` of a request on and checks them: they are of the
 * last pass that came to it. */
static int check_back(const struct back *back,
                      const struct prio_request *request, int64_t at,
                      int64_t len)
{
    int64_t number = request - back->done->request;
    int64_t pass = (back->done->done - 1 - number) / back->done->count;
    int code = 0;

    while (code == 0 && len > 0) {
        int64_t n = len < back->piece ? len : back->piece;

        code =
            move(back->fd, back->layout, request->at + at, back->buffer, n, 0);
        if (code != 0)
            return pario_fail_errno(code, "cannot read back %s",
                                    back->layout->path);
        if (pass > 0)
            check_stamped(back, request, pass, at, n);
        else
            prio_check(back->env, back->what, back->layout, request->at + at,
                       back->buffer, (size_t)n, back->figures);
        at += n;
        len -= n;
    }
    return code;
}

/* Some place in a request; whole pieces from its begin, for O_DIRECT. */
static int check_sample(const struct back *back, struct pario_rng *rng,
                        const struct prio_request *request)
{
    int64_t places = request->len / back->piece, at = 0;
    int64_t len = request->len < back->piece ? request->len : back->piece;

    if (places > 1)
        at = back->piece * (int64_t)pario_rng_below(rng, (uint64_t)places);
    return check_back(back, request, at, len);
}

/* Evenly spread over the writes, the last one among them. */
static int check_samples(const struct back *back, const struct written *sum)
{
    int64_t samples = sum->bytes / SAMPLE_BYTES, taken = 0, number = 0;
    struct pario_rng rng;
    int code = 0;

    pario_rng_init(&rng, back->what->seed);
    samples = samples < sum->count ? sum->count : samples;
    samples = samples < READ_BACK_BLOCKS ? samples : READ_BACK_BLOCKS;
    for (int64_t i = 0; code == 0 && i < first_done(back->done); i++) {
        if (!back->done->request[i].write)
            continue;
        while (code == 0 && taken < samples &&
               (samples > 1 ? taken * (sum->count - 1) / (samples - 1) : 0) ==
                   number) {
            code = check_sample(back, &rng, &back->done->request[i]);
            taken++;
        }
        number++;
    }
    return code;
}

static int check_all(const struct back *back)
{
    int code = 0;

    for (int64_t i = 0; code == 0 && i < first_done(back->done); i++) {
        const struct prio_request *request = &back->done->request[i];

        if (request->write)
            code = check_back(back, request, 0, request->len);
    }
    return code;
}

int prio_read_back(const struct prio_env *env, const struct prio_case *what,
                   const struct prio_layout *layout,
                   const struct prio_done *done, struct pario_figures *figures)
{
    int full = env->run->common.verify == PARIO_VERIFY_FULL;
    struct written sum = count_written(layout, done);
    struct back back = {.env = env,
                        .what = what,
                        .layout = layout,
                        .done = done,
                        .figures = figures,
                        .piece = !full                 ? SAMPLE_BYTES
                                 : sum.longest < PIECE ? sum.longest
                                                       : PIECE};
    void *buffer = NULL;
    int code;

    if (sum.count == 0)
        return 0;
    back.fd = pario_own_open(
        layout->path, O_RDONLY | O_CLOEXEC | (what->direct ? O_DIRECT : 0), 0);
    code = back.fd >= 0
               ? pario_buffer_alloc((size_t)back.piece, &buffer)
               : pario_fail_errno(-errno, "cannot open %s", layout->path);
    back.buffer = buffer;
    if (code == 0)
        code = check_size(what, layout, back.fd, sum.end);
    if (code == 0)
        code = full ? check_all(&back) : check_samples(&back, &sum);
    free(buffer);
    if (back.fd >= 0)
        close(back.fd);
    return code;
}
