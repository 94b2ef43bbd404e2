/* suites/shipbench/phase.c - timed between barriers (Sect. 3), checked outside
 * the time: what was written by pread(2), what was read in memory. */
#include "suites/shipbench/phase.h"

#include "core/clock.h"
#include "core/data.h"
#include "core/rng.h"
#include "io/mpiio_hints.h"
#include "measure/residency.h"
#include "par/watchdog.h"
#include "sys/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_BLOCKS 256    /* of each pass, with --verify sample */
#define FILL_BYTES (1 << 20) /* one write of making the file */

static int64_t blocks_of(const struct ship_layout *layout)
{
    return layout->calls * layout->per_call;
}

static int make_views(struct ship_case *kase)
{
    const struct ship_layout *layout = &kase->layout;
    MPI_Aint *place;
    int err = MPI_SUCCESS;

    if (!layout->collective && layout->per_call == 1)
        return 0;
    kase->view = calloc((size_t)layout->calls, sizeof(MPI_Datatype));
    place = calloc((size_t)layout->per_call, sizeof(*place));
    if (kase->view == NULL || place == NULL) {
        free(place);
        return pario_fail_errno(-ENOMEM, "file views");
    }
    for (int64_t call = 0; call < layout->calls; call++)
        kase->view[call] = MPI_DATATYPE_NULL;
    for (int64_t call = 0; err == MPI_SUCCESS && call < layout->calls; call++) {
        for (int64_t i = 0; i < layout->per_call; i++)
            place[i] = layout->offset[call * layout->per_call + i];
        err = MPI_Type_create_hindexed_block((int)layout->per_call,
                                             (int)layout->block_bytes, place,
                                             MPI_BYTE, &kase->view[call]);
        if (err == MPI_SUCCESS)
            err = MPI_Type_commit(&kase->view[call]);
    }
    free(place);
    return pario_mpi_check(err, "making file views");
}

/* Every task writes its share, so that all contenders find the same file. */
static int make_file(const struct ship_case *kase)
{
    int64_t size = pario_group_size(kase->group);
    int64_t rank = pario_group_rank(kase->group);
    int64_t share = (kase->layout.file_bytes + size - 1) / size;
    int64_t at = rank * share, end = at + share;
    char *zeros = calloc(1, FILL_BYTES);
    int fd = open(kase->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int code = 0;

    if (end > kase->layout.file_bytes)
        end = kase->layout.file_bytes;
    if (zeros == NULL || fd < 0)
        code = pario_fail_errno(zeros == NULL ? -ENOMEM : -errno,
                                "cannot make %s", kase->path);
    while (code == 0 && at < end) {
        size_t len = (size_t)(end - at < FILL_BYTES ? end - at : FILL_BYTES);
        ssize_t n = pwrite(fd, zeros, len, at);

        if (n < 0 && errno != EINTR)
            code = pario_fail_errno(-errno, "cannot write %s", kase->path);
        at += n > 0 ? n : 0;
    }
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot write %s", kase->path);
    free(zeros);
    return code;
}

int ship_case_init(struct ship_case *kase)
{
    int code = make_views(kase);

    kase->buffer = malloc((size_t)ship_layout_bytes(&kase->layout));
    if (code == 0 && kase->buffer == NULL)
        code = pario_fail_errno(-ENOMEM, "%lld bytes for the data",
                                (long long)ship_layout_bytes(&kase->layout));
    if (code == 0)
        code = make_file(kase);
    return pario_agree(kase->group, code);
}

void ship_case_fini(struct ship_case *kase)
{
    for (int64_t i = 0; kase->view != NULL && i < kase->layout.calls; i++)
        if (kase->view[i] != MPI_DATATYPE_NULL)
            MPI_Type_free(&kase->view[i]);
    free(kase->view);
    free(kase->buffer);
    kase->view = NULL;
    kase->buffer = NULL;
}

static void fill(const struct ship_case *kase, uint64_t data_file)
{
    const struct ship_layout *layout = &kase->layout;
    struct pario_data data = {.key = kase->run->data_key, .file = data_file};

    for (int64_t i = 0; i < blocks_of(layout); i++)
        pario_data_fill(&data, layout->offset[i],
                        kase->buffer + i * layout->block_bytes,
                        (size_t)layout->block_bytes);
}

static void check_block(const struct ship_case *kase, int64_t i,
                        const char *bytes, uint64_t data_file,
                        struct ship_figures *figures)
{
    const struct ship_layout *layout = &kase->layout;
    struct pario_data data = {.key = kase->run->data_key, .file = data_file};
    struct pario_data_error error;

    figures->checked_bytes += layout->block_bytes;
    if (pario_data_check(&data, layout->offset[i], bytes,
                         (size_t)layout->block_bytes, &error) == 0)
        return;
    if (figures->wrong_bytes == 0)
        pario_data_describe(&data, data_file + 1, &error, figures->wrong,
                            sizeof(figures->wrong));
    figures->wrong_bytes += error.wrong_bytes;
}

/* path NULL: looks into the buffer. */
static int check(const struct ship_case *kase, const char *path,
                 uint64_t data_file, struct ship_figures *figures)
{
    const struct ship_layout *layout = &kase->layout;
    size_t len = (size_t)layout->block_bytes;
    int full = kase->run->common.verify == PARIO_VERIFY_FULL;
    int64_t blocks = blocks_of(layout), count = blocks;
    char *block = NULL;
    int fd = -1, code = 0;
    struct pario_rng rng;

    if (kase->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    if (!full && count > SAMPLE_BLOCKS)
        count = SAMPLE_BLOCKS;
    if (path != NULL) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
        block = malloc(len);
        if (fd < 0 || block == NULL)
            code = pario_fail_errno(fd < 0 ? -errno : -ENOMEM,
                                    "cannot check %s", path);
    }
    pario_rng_init(&rng, data_file);
    for (int64_t n = 0; code == 0 && n < count; n++) {
        int64_t i = count == blocks
                        ? n
                        : (int64_t)pario_rng_below(&rng, (uint64_t)blocks);
        const char *bytes = kase->buffer + i * layout->block_bytes;

        if (path != NULL && block != NULL) {
            memset(block, 0, len);
            if (pread(fd, block, len, layout->offset[i]) < 0)
                code = pario_fail_errno(-errno, "cannot read %s", path);
            bytes = block;
        }
        if (code == 0)
            check_block(kase, i, bytes, data_file, figures);
    }
    if (fd >= 0)
        close(fd);
    free(block);
    return code;
}

/* All that the timed loops touch. */
struct timed {
    const struct mpiio_calls *calls;
    MPI_File file;
    MPI_Info info;
    mpiio_transfer_all *all;
    mpiio_transfer_at *at;
    int err; /* of the first call that failed */
    int short_count;
};

static void note(struct timed *timed, int err, const MPI_Status *status,
                 int len)
{
    int count = len;

    if (err == MPI_SUCCESS && len > 0)
        MPI_Get_count(status, MPI_BYTE, &count);
    if (err != MPI_SUCCESS && timed->err == MPI_SUCCESS) {
        timed->err = err;
        pario_watchdog_error();
    }
    if (count != len)
        timed->short_count = 1;
}

/* One view a region (Sect. 3.1), or for several blocks an iteration
 * (Sect. 3.2); the first is set before the time begins. All must set it: an
 * error ends nothing here. */
static void viewed_loop(struct timed *timed, const struct ship_case *kase)
{
    const struct ship_layout *layout = &kase->layout;
    int len = (int)(layout->per_call * layout->block_bytes);

    for (int64_t call = 0; call < layout->calls; call++) {
        MPI_Status status;

        pario_position_at(layout->offset[call * layout->per_call]);
        if (call > 0 && kase->view != NULL)
            note(timed,
                 timed->calls->set_view(timed->file, 0, MPI_BYTE,
                                        kase->view[call], "native",
                                        timed->info),
                 MPI_STATUS_IGNORE, 0);
        note(timed,
             layout->collective
                 ? timed->all(timed->file, kase->buffer + call * len, len,
                              MPI_BYTE, &status)
                 : timed->at(timed->file, 0, kase->buffer + call * len, len,
                             MPI_BYTE, &status),
             &status, len);
    }
}

static void independent_loop(struct timed *timed, const struct ship_case *kase)
{
    const struct ship_layout *layout = &kase->layout;
    int len = (int)layout->block_bytes;

    for (int64_t i = 0; i < layout->calls && timed->err == MPI_SUCCESS; i++) {
        MPI_Status status;

        pario_position_at(layout->offset[i]);
        note(timed,
             timed->at(timed->file, layout->offset[i], kase->buffer + i * len,
                       len, MPI_BYTE, &status),
             &status, len);
    }
}

static int outcome(const struct ship_case *kase, const struct timed *timed,
                   enum ship_access access)
{
    const char *verb = access == SHIP_WRITE ? "write" : "read";
    int code = pario_mpi_check(timed->err, verb);
    char cause[512];

    if (code != 0) {
        snprintf(cause, sizeof(cause), "%s", pario_error_message());
        return pario_fail(code, "cannot %s %s (%s): %s", verb, kase->path,
                          timed->calls->name, cause);
    }
    if (timed->short_count)
        return pario_fail(PARIO_ESHORT,
                          "cannot %s %s (%s): success was reported for fewer "
                          "bytes than asked for",
                          verb, kase->path, timed->calls->name);
    return 0;
}

static int timed_access(struct ship_case *kase, struct timed *timed,
                        enum ship_access access, double *seconds_p)
{
    double begin_s, seconds;
    int code = pario_barrier(kase->group);

    begin_s = pario_clock_s();
    if (kase->layout.collective || kase->view != NULL)
        viewed_loop(timed, kase);
    else
        independent_loop(timed, kase);
    if (kase->sync && access == SHIP_WRITE)
        note(timed, timed->calls->sync(timed->file), MPI_STATUS_IGNORE, 0);
    if (code == 0)
        code = pario_barrier(kase->group);
    seconds = pario_clock_s() - begin_s;
    code = pario_agree(kase->group,
                       code != 0 ? code : outcome(kase, timed, access));
    if (code == 0)
        code = pario_reduce_f64(kase->group, PARIO_MAX, &seconds, 1);
    *seconds_p = seconds;
    return code;
}

/* Rank 0: the hints in force, by the library that holds the file. */
static int ask_hints(const struct timed *timed, struct pario_hints *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int count = 0, found = 0, code = 0;

    if (timed->calls->get_info(timed->file, &info) != MPI_SUCCESS ||
        info == MPI_INFO_NULL)
        return 0;
    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; code == 0 && i < count; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        if (found)
            code = pario_hints_set(hints, key, value);
    }
    MPI_Info_free(&info);
    return code;
}

static int before_write(const struct ship_case *kase)
{
    int code = 0;

    if (kase->fresh && pario_group_rank(kase->group) == 0 &&
        truncate(kase->path, 0) != 0)
        code = pario_fail_errno(-errno, "cannot truncate %s", kase->path);
    return pario_agree(kase->group, code);
}

static int open_and_time(struct ship_case *kase, struct timed *timed,
                         enum ship_access access, struct pario_hints *in_force,
                         double *seconds_p)
{
    int err = timed->calls->open(pario_group_comm(kase->group), kase->path,
                                 access == SHIP_WRITE ? MPI_MODE_RDWR
                                                      : MPI_MODE_RDONLY,
                                 timed->info, &timed->file);
    int code = pario_agree(kase->group, pario_mpi_check(err, kase->path));
    int closed;

    if (code != 0)
        return code;
    if (kase->view != NULL)
        code = pario_mpi_check(timed->calls->set_view(timed->file, 0, MPI_BYTE,
                                                      kase->view[0], "native",
                                                      timed->info),
                               "MPI_File_set_view");
    if (code == 0 && in_force != NULL && pario_group_rank(kase->group) == 0)
        code = ask_hints(timed, in_force);
    code = pario_agree(kase->group, code);
    if (code == 0)
        code = timed_access(kase, timed, access, seconds_p);
    if (code != 0) /* a close after a failed collective call may hang */
        return code;
    closed =
        pario_mpi_check(timed->calls->close(&timed->file), "MPI_File_close");
    return pario_agree(kase->group, closed);
}

/* The message of the first task that found something wrong is everybody's. */
static int sum_checks(const struct ship_case *kase,
                      struct ship_figures *figures)
{
    int64_t sums[2] = {figures->checked_bytes, figures->wrong_bytes};
    int64_t first =
        figures->wrong_bytes > 0 ? pario_group_rank(kase->group) : INT64_MAX;
    int code = pario_reduce_i64(kase->group, PARIO_SUM, sums, 2);

    if (code == 0)
        code = pario_reduce_i64(kase->group, PARIO_MIN, &first, 1);
    if (code == 0 && sums[1] > 0) {
        int mine = first == pario_group_rank(kase->group);
        char text[sizeof(figures->wrong)] = "";

        snprintf(text, sizeof(text), "%s", figures->wrong);
        /* pario_agree carries the lowest failing rank's message to all. */
        if (pario_agree(kase->group,
                        mine ? pario_fail(PARIO_EVERIFY, "%s", text) : 0) != 0)
            snprintf(figures->wrong, sizeof(figures->wrong), "%s",
                     pario_error_message());
    }
    figures->checked_bytes = sums[0];
    figures->wrong_bytes = sums[1];
    return code;
}

int ship_case_resident(const struct ship_case *kase, int64_t *bytes_p)
{
    const struct ship_layout *layout = &kase->layout;
    size_t size = (size_t)pario_group_size(kase->group), each, n;
    int64_t *offset, *resident, failed = 0, sum = 0;
    int code = 0;

    each = SAMPLE_BLOCKS / size + 1;
    n = each * size;
    offset = calloc(2 * n, sizeof(*offset));
    if (pario_agree(kase->group, offset == NULL
                                     ? pario_fail_errno(-ENOMEM, "a sample")
                                     : 0) != 0 ||
        offset == NULL) {
        free(offset);
        return -ENOMEM;
    }
    resident = offset + n;
    for (size_t i = 0; i < each; i++)
        offset[(size_t)pario_group_rank(kase->group) * each + i] =
            layout->offset[blocks_of(layout) * (int64_t)i / (int64_t)each];
    code = pario_reduce_i64(kase->group, PARIO_SUM, offset, n);
    for (size_t i = 0; pario_group_node_rank(kase->group) == 0 && i < n; i++)
        if (pario_cache_resident(kase->path, offset[i], layout->block_bytes,
                                 &resident[i]) != 0)
            failed = 1;
    if (code == 0)
        code = pario_reduce_i64(kase->group, PARIO_MAX, resident, n);
    if (code == 0)
        code = pario_reduce_i64(kase->group, PARIO_MAX, &failed, 1);
    for (size_t i = 0; i < n; i++)
        sum += resident[i];
    *bytes_p = failed ? -1
                      : (int64_t)((double)sum / (double)n *
                                  (double)blocks_of(layout) * (double)size);
    free(offset);
    return code;
}

/* Collective. What is in the page cache before a read; with --cold nothing
 * that could be evicted. */
static int before_read(const struct ship_case *kase, int64_t *resident_p)
{
    int64_t bytes =
        ship_layout_bytes(&kase->layout) * pario_group_size(kase->group);
    int code = pario_residency(kase->group, kase->path, kase->run->common.cold,
                               resident_p);

    if (code == 0 && bytes<kase->layout.file_bytes && * resident_p> 0)
        code = ship_case_resident(kase, resident_p);
    return code;
}

int ship_phase(struct ship_case *kase, const struct mpiio_calls *calls,
               const struct pario_hints *hints, enum ship_access access,
               uint64_t data_file, struct pario_hints *in_force,
               struct ship_figures *figures_p)
{
    struct timed timed = {
        .calls = calls,
        .file = MPI_FILE_NULL,
        .info = MPI_INFO_NULL,
        .all = access == SHIP_WRITE ? calls->write_all : calls->read_all,
        .at = access == SHIP_WRITE ? calls->write_at : calls->read_at,
        .err = MPI_SUCCESS,
    };
    struct ship_figures figures = {.resident_bytes = -1};
    int code = pario_hints_to_info(hints, &timed.info);

    if (access == SHIP_WRITE)
        fill(kase, data_file);
    else
        memset(kase->buffer, 0x5a, (size_t)ship_layout_bytes(&kase->layout));
    code = pario_agree(kase->group, code);
    if (code == 0)
        code = access == SHIP_WRITE
                   ? before_write(kase)
                   : before_read(kase, &figures.resident_bytes);
    if (code == 0)
        code = open_and_time(kase, &timed, access, in_force, &figures.seconds);
    if (code == 0) {
        code = check(kase, access == SHIP_WRITE ? kase->path : NULL, data_file,
                     &figures);
        code = pario_agree(kase->group, code);
    }
    if (code == 0)
        code = sum_checks(kase, &figures);
    if (timed.info != MPI_INFO_NULL)
        MPI_Info_free(&timed.info);
    if (code == 0)
        *figures_p = figures;
    return code;
}
