/*
 * diff_run.c - run a case: every rank does its part of each operation with
 * real calls and all of it on its copy of the model.
 *
 * The model decides, equally on all ranks, where operations must be completed
 * or the file synchronised to keep the program within the standard; so any
 * operation can be dropped from a case and the rest is still a valid program.
 */
#include "diff_run.h"
#include "diff_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void diff_fail(struct diff_run *run, const char *format, ...)
{
    char what[400];
    va_list args;

    if (run->failed)
        return;
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is started */
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    run->failed = true;
    snprintf(run->message, sizeof(run->message), "op %d, rank %d: %s",
             run->op_index, run->me, what);
}

void diff_check_code(struct diff_run *run, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;

    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &len);
    diff_fail(run, "%s failed: %.300s", what, text);
}

static void say(struct diff_run *run, const char *what)
{
    if (run->options->verbose && run->me == 0) {
        printf("  %s\n", what);
        fflush(stdout);
    }
}

void diff_make_data(const struct diff_run *run, int rank, unsigned char *data,
                    int64_t len)
{
    uint64_t key = diff_mix(run->c->seed ^ ((uint64_t)run->op_index << 8) ^
                            (uint64_t)rank);

    for (int64_t i = 0; i < len; i += 8) {
        uint64_t word = diff_mix(key + (uint64_t)i);

        memcpy(data + i, &word, (size_t)(len - i < 8 ? len - i : 8));
    }
}

MPI_Info diff_make_info(const struct diff_hint *hints, int count,
                        const bool *dropped)
{
    MPI_Info info = MPI_INFO_NULL;

    for (int i = 0; i < count; i++) {
        if (!hints[i].key[0] || (dropped && dropped[i]))
            continue;
        if (info == MPI_INFO_NULL)
            MPI_Info_create(&info);
        MPI_Info_set(info, hints[i].key, hints[i].value);
    }
    return info;
}

/* Compares the file as the system shows it; rank 0 only. */
static void check_file(struct diff_run *run)
{
    struct diff_model *m = &run->model;
    struct stat st;
    int fd = open(run->path, O_RDONLY);

    if (fd < 0 || fstat(fd, &st)) {
        diff_fail(run, "cannot open the file: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return;
    }
    int64_t len = m->size - m->base;
    if (st.st_size != m->size)
        diff_fail(run, "file has %lld bytes, wanted %lld",
                  (long long)st.st_size, (long long)m->size);
    if (len > m->span)
        len = m->span;
    unsigned char *data = calloc((size_t)m->span, 1);
    ssize_t n = len > 0 ? pread(fd, data, (size_t)len, m->base) : 0;
    for (int64_t i = 0; i < n; i++) {
        /* The standard leaves holes open; here they are zero. */
        if (!m->written[i] && run->options->native)
            continue;
        if (data[i] != m->data[i]) {
            diff_fail(run, "file byte %lld is %02x, wanted %02x",
                      (long long)m->base + i, data[i], m->data[i]);
            break;
        }
    }
    free(data);
    close(fd);
}

static void create_file(struct diff_run *run)
{
    struct diff_model *m = &run->model;
    int64_t len = run->c->initial_size;

    diff_make_data(run, 99, m->data, len);
    memset(m->written, 1, (size_t)len);
    m->size = m->base + len;
    diff_model_synced(m);
    if (run->me != 0)
        return;
    int fd = open(run->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, m->size) ||
        pwrite(fd, m->data, (size_t)len, m->base) != len)
        diff_fail(run, "cannot make %s: %s", run->path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void default_views(struct diff_run *run)
{
    struct diff_type *byte = diff_type_named(0, true);
    struct diff_model *m = &run->model;
    int64_t start = run->c->amode & MPI_MODE_APPEND ? m->size : 0;

    for (int r = 0; r < run->c->ranks; r++) {
        diff_model_set_view(m, r, 0, byte, byte);
        m->position[r] = start;
    }
    m->shared_position = start;
    m->uniform_view = true;
    m->atomic = false;
    diff_type_free(byte);
}

static void open_file(struct diff_run *run)
{
    MPI_Info info =
        diff_make_info(run->c->hints, run->c->nhints, run->dropped->hint);

    diff_check_code(
        run, MPI_File_open(run->comm, run->path, run->c->amode, info, &run->fh),
        "MPI_File_open");
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    default_views(run);
}

static void finish_pending(struct diff_run *run)
{
    for (int i = 0; i < run->npending; i++) {
        struct diff_pending *p = &run->pending[i];
        MPI_Status status;

        /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): diff_calls.c */
        diff_check_code(run, MPI_Wait(&p->request, &status), "MPI_Wait");
        diff_finish_access(run, p, &status);
    }
    run->npending = 0;
}

void diff_flush(struct diff_run *run)
{
    if (run->split_active) {
        MPI_Status status;
        struct diff_call call = {
            .fh = run->fh, .buf = run->split.buffer.address, .status = &status};

        say(run, "(end of split collective)");
        diff_check_code(run, diff_call_end(&run->split.op, &call), "split end");
        diff_finish_access(run, &run->split, &status);
        run->split_active = false;
    }
    if (run->model.any_pending)
        say(run, "(wait)");
    finish_pending(run);
    diff_model_completed(&run->model);
}

void diff_make_visible(struct diff_run *run)
{
    diff_flush(run);
    /* A file open for reading only cannot be synchronised. */
    if (run->model.atomic || run->c->amode & MPI_MODE_RDONLY) {
        say(run, "(barrier)");
        MPI_Barrier(run->comm);
        return;
    }
    say(run, "(sync barrier sync)");
    diff_check_code(run, MPI_File_sync(run->fh), "MPI_File_sync");
    MPI_Barrier(run->comm);
    diff_check_code(run, MPI_File_sync(run->fh), "MPI_File_sync");
}

void diff_end_epoch(struct diff_run *run)
{
    bool look = (diff_mix(run->c->seed) + (uint64_t)run->op_index) % 2 == 0;

    diff_make_visible(run);
    diff_model_synced(&run->model);
    if (run->model.atomic || !look)
        return;
    /* What was synchronised is on the device: the system shows it too. */
    if (run->me == 0)
        check_file(run);
    MPI_Barrier(run->comm);
}

static void reopen(struct diff_run *run)
{
    if (run->c->base > 0 || run->c->amode & MPI_MODE_DELETE_ON_CLOSE)
        return;
    diff_end_epoch(run);
    diff_check_code(run, MPI_File_close(&run->fh), "MPI_File_close");
    MPI_Barrier(run->comm);
    if (run->me == 0)
        check_file(run);
    MPI_Barrier(run->comm);
    open_file(run);
}

static void run_op(struct diff_run *run, const struct diff_op *op)
{
    switch (op->kind) {
    case DIFF_SET_VIEW:
        diff_step_view(run, op);
        break;
    case DIFF_ACCESS:
        diff_step_access(run, op);
        break;
    case DIFF_SEEK:
        diff_step_seek(run, op);
        break;
    case DIFF_SEEK_SHARED:
        diff_step_seek_shared(run, op);
        break;
    case DIFF_CHECK_POSITION:
        diff_step_position(run);
        break;
    case DIFF_CHECK_SIZE:
        diff_step_size(run);
        break;
    case DIFF_SET_SIZE:
    case DIFF_PREALLOCATE:
        diff_step_resize(run, op);
        break;
    case DIFF_DO_SYNC:
        diff_end_epoch(run);
        break;
    case DIFF_DO_WAIT:
        diff_flush(run);
        break;
    case DIFF_SET_ATOMICITY:
        diff_step_atomicity(run, op);
        break;
    case DIFF_SET_INFO:
        diff_step_info(run, op);
        break;
    case DIFF_REOPEN:
        reopen(run);
        break;
    case DIFF_SHARED_RACE:
    case DIFF_ATOMIC_RACE:
        diff_step_race(run, op);
        break;
    }
}

static void close_file(struct diff_run *run)
{
    bool deleted = run->c->amode & MPI_MODE_DELETE_ON_CLOSE;

    run->op_index = run->c->nops;
    diff_flush(run);
    diff_check_code(run, MPI_File_close(&run->fh), "MPI_File_close");
    MPI_Barrier(run->comm);
    if (run->me != 0)
        return;
    if (!deleted)
        check_file(run);
    else if (access(run->path, F_OK) == 0)
        diff_fail(run, "delete on close left the file");
    unlink(run->path);
}

static void run_ops(struct diff_run *run)
{
    char text[4096];

    run->op_index = -1;
    create_file(run);
    MPI_Barrier(run->comm);
    open_file(run);
    for (int i = 0; i < run->c->nops && run->fh != MPI_FILE_NULL; i++) {
        if (run->dropped->op[i])
            continue;
        run->op_index = i;
        if (run->options->verbose) {
            diff_op_describe(&run->c->ops[i], run->c->ranks, text,
                             sizeof(text));
            say(run, text);
        }
        run_op(run, &run->c->ops[i]);
    }
    if (run->fh != MPI_FILE_NULL)
        close_file(run);
}

/* All ranks learn the complaint of the lowest rank that has one. */
static bool agree(const struct diff_run *run, int world_rank, char *message,
                  size_t len)
{
    int size = 0, mine = 0, first = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = run->failed ? world_rank : size;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == size)
        return true;
    if (first == world_rank)
        snprintf(message, len, "%s", run->message);
    MPI_Bcast(message, (int)len, MPI_CHAR, first, MPI_COMM_WORLD);
    return false;
}

bool diff_run_case(const struct diff_case *c,
                   const struct diff_dropped *dropped,
                   const struct diff_options *options, char *message,
                   size_t len)
{
    struct diff_run *run = calloc(1, sizeof(*run));
    int world_rank = 0;

    if (!run)
        abort();
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    run->c = c;
    run->dropped = dropped;
    run->options = options;
    run->me = diff_case_rank(c, world_rank);
    run->fh = MPI_FILE_NULL;
    /*
     * Open MPI locks a semaphore that is named after the file, for the whole
     * machine: the name must not occur in another run.
     */
    const char *unique = strrchr(options->dir, '-');
    static int files; /* the same on all ranks */
    snprintf(run->path, sizeof(run->path), "%s/case%d%s", options->dir,
             options->new_names ? ++files : 0, unique ? unique : "");
    MPI_Comm_split(MPI_COMM_WORLD, run->me < 0 ? MPI_UNDEFINED : 0, run->me,
                   &run->comm);
    if (run->me >= 0) {
        diff_model_init(&run->model, c->base, c->span, c->ranks);
        run_ops(run);
        diff_model_fini(&run->model);
        MPI_Comm_free(&run->comm);
    }
    bool ok = agree(run, world_rank, message, len);
    free(run);
    return ok;
}
