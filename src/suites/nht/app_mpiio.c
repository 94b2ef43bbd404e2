/*
 * Dumps by MPI-IO: `full` (collective, derived types), `simple` (one
 * noncollective call for each contiguous piece), `async` (nonblocking
 * collective) and `split` (split collective).
 *
 * As in BTIO the view tiles: the file type of a process is its cells in the
 * N^3 array of points, so dump t begins at t x (points owned).
 */
#include "core/cleanup.h"
#include "io/mpiio_wait.h"
#include "suites/nht/app_io.h"

#if PARIO_HAVE_MPIIO
#include "io/mpiio_hints.h"
#include "par/mpi.h"
#include "par/watchdog.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct mpiio_state {
    MPI_File file;
    MPI_Datatype point; /* 5 doubles */
    MPI_Datatype cells; /* of this process in the array of points */
    MPI_Info info;
    MPI_Request request; /* async */
    MPI_Status status;   /* of the request once it is done */
    int started;         /* a request's status is still to be looked at */
    int poke_err;        /* MPI code of the test that completed it */
    const double *split; /* buffer of the split collective under way */
    int dump;            /* under way */
    char path[4352];
};

static int check(const struct mpiio_state *ms, int code, const char *what)
{
    char text[4608];

    snprintf(text, sizeof(text), "%s %s", what, ms->path);
    return pario_mpi_check(code, text);
}

/* The count in the status must be all of it; libraries differ in telling. */
static int check_count(const struct mpiio_state *ms, const MPI_Status *status,
                       int want)
{
    int count = 0;

    MPI_Get_count(status, ms->point, &count);
    if (count == want)
        return 0;
    if (count == MPI_UNDEFINED)
        count = 0;
    return pario_fail(-EIO, "only %d of %d points of dump %d written to %s",
                      count, want, ms->dump + 1, ms->path);
}

static int own_points(const struct nht_io *io)
{
    return (int)pario_bt_own_points(io->bt);
}

/* One subarray per cell, joined; cells are in ascending order of z. */
static int make_types(const struct nht_io *io, struct mpiio_state *ms)
{
    const struct pario_bt *bt = io->bt;
    int n = bt->dec.n, sizes[3] = {n, n, n};
    size_t count = (size_t)bt->ncells;
    MPI_Datatype *types = calloc(count + 1, sizeof(MPI_Datatype));
    MPI_Aint *places = calloc(count + 1, sizeof(*places));
    int *ones = calloc(count + 1, sizeof(*ones));
    int err = MPI_Type_contiguous(5, MPI_DOUBLE, &ms->point), made = 0;

    if (types == NULL || places == NULL || ones == NULL)
        err = MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&ms->point);
    for (; made < bt->ncells && err == MPI_SUCCESS; made++) {
        const struct pario_bt_cell *cell = &bt->cells[made];
        int part[3] = {cell->n[2], cell->n[1], cell->n[0]};
        int from[3] = {cell->lo[2], cell->lo[1], cell->lo[0]};

        ones[made] = 1;
        err = MPI_Type_create_subarray(3, sizes, part, from, MPI_ORDER_C,
                                       ms->point, &types[made]);
    }
    if (err == MPI_SUCCESS && bt->ncells > 0)
        err =
            MPI_Type_create_struct(bt->ncells, ones, places, types, &ms->cells);
    if (err == MPI_SUCCESS && bt->ncells > 0)
        err = MPI_Type_commit(&ms->cells);
    for (int c = 0; c < made; c++)
        MPI_Type_free(&types[c]);
    free(types);
    free(places);
    free(ones);
    return pario_mpi_check(err, "building the types of the solution vector");
}

/* Collective. `simple` keeps the plain view. */
static int open_file(struct nht_io *io, int dump)
{
    struct mpiio_state *ms = io->state;
    int mode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL;
    int code;

    nht_io_place(io, dump, ms->path, sizeof(ms->path));
    code = check(ms,
                 MPI_File_open(pario_group_comm(io->world), ms->path, mode,
                               ms->info, &ms->file),
                 "cannot create");
    if (code == 0)
        code = pario_own_check(ms->path);
    code = pario_agree(io->world, code);
    if (code != 0)
        return code;
    MPI_File_set_errhandler(ms->file, MPI_ERRORS_RETURN);
    if (io->mode != &nht_mode_simple)
        code = check(ms,
                     MPI_File_set_view(
                         ms->file, 0, ms->point,
                         ms->cells != MPI_DATATYPE_NULL ? ms->cells : ms->point,
                         "native", ms->info),
                     "cannot set the view of");
    if (code == 0 && io->in_force.count == 0)
        code = pario_hints_of_file(ms->file, &io->in_force);
    return pario_agree(io->world, code);
}

/* Collective. */
static int sync_file(const struct nht_io *io, const struct mpiio_state *ms)
{
    if (!io->sync || ms->file == MPI_FILE_NULL)
        return 0;
    return pario_agree(
        io->world, check(ms, MPI_File_sync(ms->file), "cannot make durable"));
}

static int close_file(struct mpiio_state *ms)
{
    if (ms->file == MPI_FILE_NULL)
        return 0;
    return check(ms, MPI_File_close(&ms->file), "cannot close");
}

static int mpiio_open(struct nht_io *io)
{
    struct mpiio_state *ms = calloc(1, sizeof(*ms));
    int code = 0;

    if (ms == NULL) {
        code = pario_fail_errno(-ENOMEM, "cannot start");
    } else {
        ms->file = MPI_FILE_NULL;
        ms->point = ms->cells = MPI_DATATYPE_NULL;
        ms->info = MPI_INFO_NULL;
        ms->request = MPI_REQUEST_NULL;
        code = make_types(io, ms);
        if (code == 0)
            code = pario_hints_to_info(&io->hints, &ms->info);
    }
    io->state = ms;
    code = pario_agree(io->world, code);
    if (code == 0 && ms != NULL && !io->many)
        code = open_file(io, 0);
    return code;
}

/* Offset of a dump in units of the view: own points. */
static MPI_Offset view_offset(const struct nht_io *io, int dump)
{
    return io->many ? 0 : (MPI_Offset)dump * own_points(io);
}

static int write_full(struct nht_io *io, int dump, const double *buf)
{
    struct mpiio_state *ms = io->state;
    MPI_Status status;
    int code;

    io->operations++;
    ms->dump = dump;
    code = check(ms,
                 MPI_File_write_at_all(ms->file, view_offset(io, dump), buf,
                                       own_points(io), ms->point, &status),
                 "cannot write to");
    return code != 0 ? code : check_count(ms, &status, own_points(io));
}

static int write_simple(struct nht_io *io, int dump, const double *buf)
{
    struct mpiio_state *ms = io->state;
    int64_t start = nht_io_place(io, dump, ms->path, sizeof(ms->path));
    const int point = 5 * (int)sizeof(double);
    int code = 0;

    ms->dump = dump;
    for (size_t i = 0; i < io->layout.count && code == 0; i++) {
        const struct nht_extent *extent = &io->layout.extents[i];
        int count = (int)(extent->len / (size_t)point);
        MPI_Status status;

        pario_position_at(start + extent->offset);
        code = check(ms,
                     MPI_File_write_at(ms->file, start + extent->offset, buf,
                                       count, ms->point, &status),
                     "cannot write to");
        if (code == 0)
            code = check_count(ms, &status, count);
        buf += extent->len / sizeof(double);
        io->operations++;
    }
    return code;
}

static int write_async(struct nht_io *io, int dump, const double *buf)
{
    struct mpiio_state *ms = io->state;

    io->operations++;
    ms->dump = dump;
    ms->started = 1;
    ms->poke_err = MPI_SUCCESS;
    return check(ms,
                 MPI_File_iwrite_at_all(ms->file, view_offset(io, dump), buf,
                                        own_points(io), ms->point,
                                        &ms->request),
                 "cannot write to");
}

/* Lets the transfer go on. Its error is reported only once: ready_async hands
 * it on. */
static void poke_async(struct nht_io *io)
{
    struct mpiio_state *ms = io->state;
    int size = 0, done = 0;

    if (ms->request == MPI_REQUEST_NULL)
        return;
    MPI_Type_size(ms->point, &size);
    ms->poke_err = pario_mpiio_test(
        &ms->request, (int64_t)own_points(io) * size, &done, &ms->status);
    if (ms->poke_err != MPI_SUCCESS)
        ms->request = MPI_REQUEST_NULL;
}

static int ready_async(struct nht_io *io)
{
    struct mpiio_state *ms = io->state;
    int code;

    if (!ms->started)
        return 0;
    ms->started = 0;
    while (ms->request != MPI_REQUEST_NULL)
        poke_async(io);
    code = check(ms, ms->poke_err, "cannot write to");
    return code != 0 ? code : check_count(ms, &ms->status, own_points(io));
}

static int write_split(struct nht_io *io, int dump, const double *buf)
{
    struct mpiio_state *ms = io->state;

    io->operations++;
    ms->dump = dump;
    ms->split = buf;
    return check(ms,
                 MPI_File_write_at_all_begin(ms->file, view_offset(io, dump),
                                             buf, own_points(io), ms->point),
                 "cannot write to");
}

static int ready_split(struct nht_io *io)
{
    struct mpiio_state *ms = io->state;
    const double *buf = ms->split;
    MPI_Status status;
    int code;

    if (buf == NULL)
        return 0;
    ms->split = NULL;
    code = check(ms, MPI_File_write_at_all_end(ms->file, buf, &status),
                 "cannot write to");
    return code != 0 ? code : check_count(ms, &status, own_points(io));
}

/* Collective. Waits for the dump under way, then leaves its file. */
static int leave_file(struct nht_io *io)
{
    struct mpiio_state *ms = io->state;
    int code = io->mode->ready != NULL ? io->mode->ready(io) : 0;

    code = pario_agree(io->world, code);
    if (code == 0)
        code = sync_file(io, ms);
    if (code == 0)
        code = pario_agree(io->world, close_file(ms));
    return code;
}

/* Collective. With one file per dump each is opened and closed in turn; an
 * overlapped write is left open until the next dump. */
static int mpiio_write(struct nht_io *io, int dump, const double *buf)
{
    struct mpiio_state *ms = io->state;
    int code = 0;

    if (io->many) {
        if (ms->file != MPI_FILE_NULL)
            code = leave_file(io);
        if (code == 0)
            code = open_file(io, dump);
    }
    if (code != 0)
        return code;
    if (io->mode == &nht_mode_full)
        return write_full(io, dump, buf);
    if (io->mode == &nht_mode_simple)
        return write_simple(io, dump, buf);
    if (io->mode == &nht_mode_async)
        return write_async(io, dump, buf);
    return write_split(io, dump, buf);
}

static int mpiio_finish(struct nht_io *io)
{
    return leave_file(io);
}

/* After an error in the middle the file may not be closable: others may be
 * inside a collective call, so nothing collective is done here. */
static int mpiio_close(struct nht_io *io)
{
    struct mpiio_state *ms = io->state;

    if (ms == NULL)
        return 0;
    if (ms->point != MPI_DATATYPE_NULL)
        MPI_Type_free(&ms->point);
    if (ms->cells != MPI_DATATYPE_NULL)
        MPI_Type_free(&ms->cells);
    if (ms->info != MPI_INFO_NULL)
        MPI_Info_free(&ms->info);
    free(ms);
    io->state = NULL;
    return 0;
}

const struct nht_mode nht_mode_full = {
    .name = "full",
    .summary = "collective MPI-IO with derived types (BTIO full)",
    .mpiio = 1,
    .open = mpiio_open,
    .write = mpiio_write,
    .finish = mpiio_finish,
    .close = mpiio_close,
};

const struct nht_mode nht_mode_simple = {
    .name = "simple",
    .summary = "noncollective MPI-IO, a call for each piece (BTIO simple)",
    .mpiio = 1,
    .open = mpiio_open,
    .write = mpiio_write,
    .finish = mpiio_finish,
    .close = mpiio_close,
};

const struct nht_mode nht_mode_async = {
    .name = "async",
    .summary = "nonblocking collective MPI-IO beside the computation",
    .overlap = 1,
    .mpiio = 1,
    .open = mpiio_open,
    .ready = ready_async,
    .write = mpiio_write,
    .poke = poke_async,
    .finish = mpiio_finish,
    .close = mpiio_close,
};

const struct nht_mode nht_mode_split = {
    .name = "split",
    .summary = "split collective MPI-IO beside the computation",
    .overlap = 1,
    .mpiio = 1,
    .open = mpiio_open,
    .ready = ready_split,
    .write = mpiio_write,
    .finish = mpiio_finish,
    .close = mpiio_close,
};
#endif
