/* suites/beffio/loop.c - the timed loop of one pattern, and its checks. */
#include "suites/beffio/loop.h"

#include "core/clock.h"
#include "par/watchdog.h"

#include <string.h>

/* Stamping more than this is the tool's own time; below, it is not worth a
 * reading of the clock. */
#define TIMED_STAMPS ((int64_t)2 << 20)

/* Of a write, read back besides its last call. */
#define SAMPLED_BYTES ((int64_t)8 << 20)
#define SAMPLED_CALLS 16

/* Which part of the rank's data call number i moves. */
static int64_t place_of(const struct beffio_loop *loop, int64_t i)
{
    return loop->order != NULL
               ? (int64_t)pario_perm_at(loop->order, (uint64_t)i)
               : i;
}

static int64_t chunk_offset(const struct beffio_loop *loop, int64_t place,
                            int64_t chunk)
{
    return loop->first + (place * (loop->L / loop->l) + chunk) * loop->stride;
}

static int64_t slot_offset(const struct beffio_loop *loop, int64_t i)
{
    return i / loop->shares % loop->slots * loop->L;
}

void beffio_loop_fill(struct beffio_loop *loop)
{
    if (loop->reading)
        memset(loop->buffer, 0, (size_t)(loop->slots * loop->L));
    else
        pario_data_fill(&loop->base, 0, loop->buffer,
                        (size_t)(loop->slots * loop->L));
}

/* One word in every 4 KiB and at the beginning of every chunk: each block of
 * the file is unlike all others, and its place can be told. */
static void stamp(const struct beffio_loop *loop, int64_t i, char *buf)
{
    int64_t place = place_of(loop, i);

    for (int64_t chunk = 0; chunk < loop->L / loop->l; chunk++)
        pario_data_stamp(&loop->data, chunk_offset(loop, place, chunk),
                         buf + chunk * loop->l, (size_t)loop->l);
}

/* What call i read must be what call i wrote. */
static void check(struct beffio_loop *loop, int64_t i)
{
    int64_t place = place_of(loop, i);
    char *buf = loop->buffer + slot_offset(loop, i);

    for (int64_t chunk = 0; chunk < loop->L / loop->l; chunk++) {
        struct pario_data_chunk expected = {
            .data =
                i / loop->shares < loop->rewritten ? loop->rewrite : loop->data,
            .offset = chunk_offset(loop, place, chunk),
            .base = loop->base,
            .base_offset = slot_offset(loop, i) + chunk * loop->l,
        };
        struct pario_data_error error;

        if (pario_data_check_stamped(&expected, buf + chunk * loop->l,
                                     (size_t)loop->l, &error) != 0) {
            if (loop->wrong_bytes == 0)
                loop->wrong = error;
            loop->wrong_bytes += error.wrong_bytes;
        }
    }
    loop->checked_bytes += loop->L;
}

static void note(struct beffio_loop *loop, int err, const MPI_Status *status)
{
    int count = 0;

    if (err == MPI_SUCCESS) {
        MPI_Get_count(status, loop->bytes.type, &count);
        if (count == loop->bytes.count)
            return;
        loop->short_call = 1;
        (void)pario_fail(PARIO_ESHORT, "a call moved fewer bytes than asked");
    } else if (loop->mpi_error == MPI_SUCCESS) {
        loop->mpi_error = err;
        (void)!pario_mpi_check(err, loop->reading ? "MPI read" : "MPI write");
    }
    pario_watchdog_error();
}

static int failed(const struct beffio_loop *loop)
{
    return loop->mpi_error != MPI_SUCCESS || loop->short_call;
}

/* Until here it was the tool's own time, in which the system wrote on or read
 * ahead. Returns the clock. */
static int64_t resume(struct beffio_loop *loop, struct pario_series *series)
{
    pario_series_pause(series, pario_phase_resume(loop->phase, 0));
    return pario_clock_ns();
}

static int read_call(struct beffio_loop *loop, int64_t i)
{
    char *buf = loop->buffer + slot_offset(loop, i);
    int64_t at = loop->first - loop->view + place_of(loop, i) * loop->view_step;
    MPI_Status status;
    int err;

    memset(buf, 0, (size_t)loop->L);
    err = loop->mpi->read_at(loop->file, at, buf, loop->bytes.count,
                             loop->bytes.type, &status);
    if (err == MPI_SUCCESS)
        check(loop, i);
    return err;
}

void beffio_loop_read_back(struct beffio_loop *loop)
{
    int64_t more = SAMPLED_BYTES / loop->L < SAMPLED_CALLS
                       ? SAMPLED_BYTES / loop->L
                       : SAMPLED_CALLS;
    int64_t step = loop->check_all ? 1 : loop->calls / (more + 1) + 1;

    for (int64_t i = loop->calls - 1; i >= 0 && loop->mpi_error == MPI_SUCCESS;
         i -= step)
        loop->mpi_error = read_call(loop, i);
}

void beffio_loop_check(struct beffio_loop *loop)
{
    int64_t last = (loop->calls + loop->shares - 1) / loop->shares;
    int64_t first = last > loop->slots ? last - loop->slots : 0;

    for (int64_t turn = first; turn < last; turn++) {
        int64_t i = (turn + 1) * loop->shares - 1;

        check(loop, i < loop->calls ? i : loop->calls - 1);
    }
}

/* What is timed: one clock reading, one stamp and one MPI call per turn. */
void beffio_loop_run(struct beffio_loop *loop, struct pario_series *series)
{
    int pauses = loop->L > TIMED_STAMPS;
    int64_t i = 0, n;

    while ((n = pario_series_next(series)) > 0) {
        int64_t last_ns = pario_clock_ns();

        for (; n > 0 && (!failed(loop) || loop->collective); n--, i++) {
            int64_t offset = chunk_offset(loop, place_of(loop, i), 0), now_ns;
            char *buf = loop->buffer + slot_offset(loop, i);
            MPI_Status status;
            int err;

            if (!loop->reading) {
                if (pauses)
                    pario_phase_pause(loop->phase);
                stamp(loop, i, buf);
                if (pauses)
                    last_ns = resume(loop, series);
            }
            pario_position_at(offset);
            err = loop->call(loop->mpi, loop->file, offset - loop->view, buf,
                             &loop->bytes, &status);
            now_ns = pario_clock_ns();
            pario_hist_add(&loop->latency, now_ns - last_ns);
            if (loop->samples != NULL)
                pario_samples_add(loop->samples, now_ns - last_ns);
            last_ns = now_ns;
            note(loop, err, &status);
            if (!failed(loop))
                loop->calls = i + 1;
            if (loop->reading && loop->check_all && !failed(loop)) {
                pario_phase_pause(loop->phase);
                check(loop, i);
                last_ns = resume(loop, series);
            }
        }
        series->failed = failed(loop);
    }
}
