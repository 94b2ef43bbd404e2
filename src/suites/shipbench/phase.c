/* suites/shipbench/phase.c - timed between barriers (Sect. 3), checked outside
 * the time: what was written by pread(2), what was read in memory. */
#include "suites/shipbench/phase.h"

#include "core/cleanup.h"

#include "core/data.h"
#include "core/rng.h"
#include "core/storage.h"
#include "io/mpiio_hints.h"
#include "par/watchdog.h"
#include "suites/shipbench/byhand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_BLOCKS 256    /* of each pass, with --verify sample */
#define FILL_BYTES (1 << 20) /* one write of making the file */
#define STALE 0x5a           /* every byte of the buffer before a read */

static int64_t blocks_of(const struct ship_layout *layout)
{
    return layout->calls * layout->per_call;
}

/* The task's block within the whole lattice, or within its memory: bytes in x,
 * then sites. */
static int make_subarray(const struct ship_lattice *lattice, int in_file,
                         MPI_Datatype *type_p)
{
    int size[SHIP_DIMS], local[SHIP_DIMS], start[SHIP_DIMS], err;

    for (int d = 0; d < SHIP_DIMS; d++) {
        int64_t unit = d == 0 ? lattice->site_bytes : 1;
        int64_t ghost = lattice->ghost * unit;

        local[d] = (int)(lattice->local[d] * unit);
        size[d] = in_file ? (int)(local[d] * lattice->grid[d])
                          : (int)(local[d] + 2 * ghost);
        start[d] = in_file ? (int)(local[d] * lattice->place[d]) : (int)ghost;
    }
    err = MPI_Type_create_subarray(SHIP_DIMS, size, local, start,
                                   MPI_ORDER_FORTRAN, MPI_BYTE, type_p);
    return err == MPI_SUCCESS ? MPI_Type_commit(type_p) : err;
}

/* As a lattice code makes them. */
static int make_lattice_types(struct ship_case *kase)
{
    const struct ship_lattice *lattice = &kase->layout.lattice;
    int err;

    kase->view = calloc(1, sizeof(MPI_Datatype));
    if (kase->view == NULL)
        return pario_fail_errno(-ENOMEM, "file views");
    kase->view[0] = MPI_DATATYPE_NULL;
    err = make_subarray(lattice, 1, &kase->view[0]);
    if (err == MPI_SUCCESS)
        err = make_subarray(lattice, 0, &kase->memory);
    return pario_mpi_check(err, "making the types of a lattice");
}

static int make_views(struct ship_case *kase)
{
    const struct ship_layout *layout = &kase->layout;
    MPI_Aint *place;
    int err = MPI_SUCCESS;

    if (!layout->collective && layout->per_call == 1)
        return 0;
    if (layout->lattice.site_bytes > 0)
        return make_lattice_types(kase);
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
    int fd = pario_own_open(kase->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int code = 0;

    if (end > kase->layout.file_bytes)
        end = kase->layout.file_bytes;
    if (zeros == NULL || fd < 0)
        code = pario_fail_errno(zeros == NULL ? -ENOMEM : -errno,
                                "cannot make %s", kase->path);
    for (; code == 0 && at < end; at += FILL_BYTES) {
        size_t len = (size_t)(end - at < FILL_BYTES ? end - at : FILL_BYTES);

        code = pario_pwrite_all(fd, zeros, len, at);
        if (code != 0)
            code = pario_fail_errno(code, "cannot write %s", kase->path);
    }
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot write %s", kase->path);
    free(zeros);
    return code;
}

/* Other parts of the file than those that are read do not matter. */
static int make_sample(struct ship_case *kase)
{
    const struct ship_layout *layout = &kase->layout;
    int64_t blocks = blocks_of(layout);
    int64_t count = blocks < SAMPLE_BLOCKS ? blocks : SAMPLE_BLOCKS;

    if (ship_layout_bytes(layout) * pario_group_size(kase->group) >=
        layout->file_bytes)
        return 0;
    kase->sample = calloc((size_t)count + 1, sizeof(*kase->sample));
    if (kase->sample == NULL)
        return pario_fail_errno(-ENOMEM, "a sample of the blocks");
    for (int64_t i = 0; i < count; i++)
        kase->sample[i] = (struct pario_range){
            layout->offset[blocks * i / count], layout->block_bytes};
    kase->nsample = (size_t)count;
    return 0;
}

int ship_case_init(struct ship_case *kase)
{
    int code = make_views(kase);

    if (code == 0)
        code = make_sample(kase);

    kase->buffer = malloc((size_t)ship_layout_held(&kase->layout));
    if (code == 0 && kase->buffer == NULL)
        code = pario_fail_errno(-ENOMEM, "%lld bytes for the data",
                                (long long)ship_layout_held(&kase->layout));
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
    if (kase->memory != MPI_DATATYPE_NULL)
        MPI_Type_free(&kase->memory);
    free(kase->buffer);
    free(kase->sample);
    kase->sample = NULL;
    kase->nsample = 0;
    kase->view = NULL;
    kase->buffer = NULL;
}

static void fill(const struct ship_case *kase, uint64_t data_file)
{
    const struct ship_layout *layout = &kase->layout;
    struct pario_data data = {.key = kase->run->data_key, .file = data_file};

    for (int64_t i = 0; i < blocks_of(layout); i++)
        pario_data_fill(&data, layout->offset[i],
                        kase->buffer + ship_layout_memory(layout, i),
                        (size_t)layout->block_bytes);
}

/* A read may touch nothing between the blocks. */
static void check_ghosts(const struct ship_case *kase,
                         struct pario_figures *figures)
{
    const struct ship_layout *layout = &kase->layout;
    int64_t at = 0, blocks = blocks_of(layout);

    for (int64_t i = 0; i <= blocks; i++) {
        int64_t next = i < blocks ? ship_layout_memory(layout, i)
                                  : ship_layout_held(layout);

        for (; at < next; at++) {
            if (kase->buffer[at] == STALE)
                continue;
            if (figures->wrong_bytes++ == 0)
                snprintf(figures->wrong, sizeof(figures->wrong),
                         "a read changed a ghost cell, byte %lld of a task's "
                         "memory",
                         (long long)at);
        }
        at = next + layout->block_bytes;
    }
}

static void check_block(const struct ship_case *kase, int64_t i,
                        const char *bytes, uint64_t data_file,
                        struct pario_figures *figures)
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
static int check_blocks(const struct ship_case *kase, const char *path,
                        uint64_t data_file, struct pario_figures *figures)
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
        fd = pario_own_open(path, O_RDONLY | O_CLOEXEC, 0);
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
        const char *bytes = kase->buffer + ship_layout_memory(layout, i);

        if (path != NULL && block != NULL) {
            code = pario_pread_there(fd, block, len, layout->offset[i]);
            if (code != 0)
                (void)pario_fail_errno(code, "cannot read %s", path);
            bytes = block;
        }
        if (code == 0)
            check_block(kase, i, bytes, data_file, figures);
    }
    if (path == NULL)
        check_ghosts(kase, figures);
    if (fd >= 0)
        close(fd);
    free(block);
    return code;
}

/* All that the timed loops touch. */
struct timed {
    struct ship_case *kase;
    enum ship_access access;
    uint64_t data_file;
    struct pario_hints *in_force; /* rank 0, when asked for */
    const struct pario_mpiio_calls *calls;
    struct ship_hand hand; /* when the calls are ship_by_hand */
    MPI_File file;
    MPI_Info info;
    pario_mpiio_transfer *all;
    pario_mpiio_transfer_at *at;
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
    int contiguous = kase->memory == MPI_DATATYPE_NULL;
    int count = contiguous ? len : 1;
    MPI_Datatype type = contiguous ? MPI_BYTE : kase->memory;

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
                 ? timed->all(timed->file, kase->buffer + call * len, count,
                              type, &status)
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

static int outcome(const struct timed *timed)
{
    const char *verb = timed->access == SHIP_WRITE ? "write" : "read";
    const char *path = timed->kase->path;
    int code = pario_mpi_check(timed->err, verb);
    char cause[512];

    if (code != 0) {
        snprintf(cause, sizeof(cause), "%s", pario_error_message());
        return pario_fail(code, "cannot %s %s (%s): %s", verb, path,
                          timed->calls->name, cause);
    }
    if (timed->short_count)
        return pario_fail(PARIO_ESHORT,
                          "cannot %s %s (%s): success was reported for fewer "
                          "bytes than asked for",
                          verb, path, timed->calls->name);
    return 0;
}

/* The first view is set before the time begins. */
static int open_file(void *arg)
{
    struct timed *timed = arg;
    const struct ship_case *kase = timed->kase;
    int err = timed->calls->open(pario_group_comm(kase->group), kase->path,
                                 timed->access == SHIP_WRITE ? MPI_MODE_RDWR
                                                             : MPI_MODE_RDONLY,
                                 timed->info, &timed->file);
    int code = pario_agree(kase->group, pario_mpi_check(err, kase->path));

    if (code == 0) {
        code = pario_agree(kase->group, pario_own_check(kase->path));
        if (code != 0)
            (void)timed->calls->close(&timed->file);
    }
    if (code == 0 && kase->view != NULL)
        code = pario_mpi_check(timed->calls->set_view(timed->file, 0, MPI_BYTE,
                                                      kase->view[0], "native",
                                                      timed->info),
                               "MPI_File_set_view");
    if (code == 0 && timed->in_force != NULL &&
        pario_group_rank(kase->group) == 0)
        code = pario_hints_of_calls(timed->calls, timed->file, timed->in_force);
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    const struct ship_case *kase = timed->kase;

    if (kase->layout.collective || kase->view != NULL)
        viewed_loop(timed, kase);
    else
        independent_loop(timed, kase);
    phase->figures.bytes = ship_layout_bytes(&kase->layout);
    phase->figures.operations = kase->layout.calls;
    if (timed->access == SHIP_WRITE)
        phase->figures.written_bytes = phase->figures.bytes;
    return outcome(timed);
}

static int sync_file(void *arg)
{
    struct timed *timed = arg;

    if (timed->kase->sync)
        note(timed, timed->calls->sync(timed->file), MPI_STATUS_IGNORE, 0);
    return outcome(timed);
}

/* The paper times the accesses between barriers: the close comes after. Only
 * after success: a close after a failed collective call may hang. */
static int close_and_check(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    struct ship_case *kase = timed->kase;
    int code =
        pario_mpi_check(timed->calls->close(&timed->file), "MPI_File_close");

    if (code == 0)
        code =
            check_blocks(kase, timed->access == SHIP_WRITE ? kase->path : NULL,
                         timed->data_file, &phase->figures);
    return code;
}

/* The hints in force are those of an open before; then a fresh file is not
 * there. */
static int before_oneshot(void *arg)
{
    struct timed *timed = arg;
    const struct ship_case *kase = timed->kase;
    int code = 0;

    if (timed->in_force != NULL) {
        code = open_file(timed);
        if (code == 0)
            code = pario_mpi_check(timed->calls->close(&timed->file),
                                   "MPI_File_close");
    }
    if (code == 0 && kase->fresh && pario_group_rank(kase->group) == 0 &&
        pario_own_unlink(kase->path) != 0)
        code = pario_fail_errno(-errno, "cannot remove %s", kase->path);
    return code;
}

/* As a program writes a checkpoint. After an error nothing is closed: that may
 * hang. */
static int oneshot_loop(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    const struct ship_case *kase = timed->kase;

    note(timed,
         timed->calls->open(pario_group_comm(kase->group), kase->path,
                            MPI_MODE_WRONLY | MPI_MODE_CREATE, timed->info,
                            &timed->file),
         MPI_STATUS_IGNORE, 0);
    if (timed->err == MPI_SUCCESS)
        note(timed,
             timed->calls->set_view(timed->file, 0, MPI_BYTE, kase->view[0],
                                    "native", timed->info),
             MPI_STATUS_IGNORE, 0);
    if (timed->err == MPI_SUCCESS)
        viewed_loop(timed, kase);
    if (timed->err == MPI_SUCCESS && kase->sync)
        note(timed, timed->calls->sync(timed->file), MPI_STATUS_IGNORE, 0);
    if (timed->err == MPI_SUCCESS)
        note(timed, timed->calls->close(&timed->file), MPI_STATUS_IGNORE, 0);
    phase->figures.bytes = ship_layout_bytes(&kase->layout);
    phase->figures.written_bytes = phase->figures.bytes;
    phase->figures.operations = 1;
    return outcome(timed);
}

static int check_oneshot(void *arg, struct pario_phase *phase)
{
    const struct timed *timed = arg;

    return check_blocks(timed->kase, timed->kase->path, timed->data_file,
                        &phase->figures);
}

static const struct pario_phase_calls oneshot_calls = {
    .open = before_oneshot,
    .loop = oneshot_loop,
    .check = check_oneshot,
};

static const struct pario_phase_calls phase_calls = {
    .open = open_file,
    .loop = loop,
    .sync = sync_file,
    .check = close_and_check,
};

static int open_by_hand(void *arg)
{
    struct timed *timed = arg;

    return ship_hand_init(&timed->hand, timed->kase, timed->access);
}

static int loop_by_hand(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    int code = ship_hand_move(&timed->hand, timed->access);

    phase->figures.bytes = ship_layout_bytes(&timed->kase->layout);
    phase->figures.operations = 1;
    if (timed->access == SHIP_WRITE)
        phase->figures.written_bytes = phase->figures.bytes;
    return code;
}

static int sync_by_hand(void *arg)
{
    struct timed *timed = arg;

    return timed->kase->sync ? ship_hand_sync(&timed->hand) : 0;
}

static int check_by_hand(void *arg, struct pario_phase *phase)
{
    const struct timed *timed = arg;

    return check_blocks(timed->kase,
                        timed->access == SHIP_WRITE ? timed->kase->path : NULL,
                        timed->data_file, &phase->figures);
}

static const struct pario_phase_calls hand_calls = {
    .open = open_by_hand,
    .loop = loop_by_hand,
    .sync = sync_by_hand,
    .check = check_by_hand,
};

static const struct pario_phase_calls *calls_of(const struct timed *timed)
{
    if (timed->calls == &ship_by_hand)
        return &hand_calls;
    return timed->kase->oneshot ? &oneshot_calls : &phase_calls;
}

static int before_write(const struct ship_case *kase)
{
    int code = 0;

    if (kase->fresh && pario_group_rank(kase->group) == 0 &&
        pario_own_truncate(kase->path, 0) != 0)
        code = pario_fail_errno(-errno, "cannot truncate %s", kase->path);
    return pario_agree(kase->group, code);
}

int ship_phase(struct ship_case *kase, const struct pario_mpiio_calls *calls,
               const struct pario_hints *hints, enum ship_access access,
               uint64_t data_file, struct pario_hints *in_force,
               struct pario_figures *figures_p)
{
    struct timed timed = {
        .kase = kase,
        .access = access,
        .data_file = data_file,
        .in_force = in_force,
        .calls = calls,
        .hand = {.kase = kase, .fd = -1},
        .file = MPI_FILE_NULL,
        .info = MPI_INFO_NULL,
        .all = access == SHIP_WRITE ? calls->write_all : calls->read_all,
        .at = access == SHIP_WRITE ? calls->write_at : calls->read_at,
        .err = MPI_SUCCESS,
    };
    struct pario_phase phase = {
        .run = kase->run,
        .group = kase->group,
        .path = kase->path,
        .shared = 1,
        .writing = access == SHIP_WRITE,
        .reading = access == SHIP_READ,
        .unsynced = !kase->sync,
        .ranges = kase->sample,
        .nranges = kase->nsample,
    };
    int code =
        pario_agree(kase->group, pario_hints_to_info(hints, &timed.info));

    if (access == SHIP_WRITE)
        fill(kase, data_file);
    else
        memset(kase->buffer, STALE, (size_t)ship_layout_held(&kase->layout));
    if (code == 0 && access == SHIP_WRITE && !kase->oneshot)
        code = before_write(kase);
    if (code == 0)
        code = pario_phase_run(&phase, calls_of(&timed), &timed);
    if (calls == &ship_by_hand) {
        int closed = pario_agree(kase->group, ship_hand_fini(&timed.hand));

        code = code != 0 ? code : closed;
    }
    if (timed.info != MPI_INFO_NULL)
        MPI_Info_free(&timed.info);
    if (code == 0)
        *figures_p = phase.figures;
    return code;
}
