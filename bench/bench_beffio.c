/* bench/bench_beffio.c - b_eff_io's loop (type 2, 1 KiB) against a bare MPI
 * loop over the same file and buffer. Interleaved; medians. usage: DIR */
#include "core/clock.h"
#include "io/backend.h"
#include "suites/beffio/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK 1024
#define CALLS 65536
#define ROUNDS 11

static double pario_loop(MPI_File file, struct beffio_loop *loop)
{
    struct pario_series series;
    int64_t begin;

    MPI_File_seek(file, 0, MPI_SEEK_SET);
    pario_hist_init(&loop->latency);
    pario_series_start(&series, NULL, 1e9, CALLS);
    begin = pario_clock_ns();
    beffio_loop_run(loop, &series);
    return (double)(pario_clock_ns() - begin) / CALLS;
}

static double bare_loop(MPI_File file, char *buffer)
{
    int64_t begin;
    MPI_Status status;
    int count = 0;

    MPI_File_seek(file, 0, MPI_SEEK_SET);
    begin = pario_clock_ns();
    for (int i = 0; i < CALLS; i++) {
        MPI_File_write(file, buffer + i % 4096 * CHUNK, CHUNK, MPI_BYTE,
                       &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (count != CHUNK)
            exit(1);
    }
    return (double)(pario_clock_ns() - begin) / CALLS;
}

int main(int argc, char **argv)
{
    static struct beffio_loop loop;
    struct pario_group *world = NULL;
    struct pario_interval own, bare;
    double ns[2][ROUNDS];
    void *buffer = NULL;
    char path[4096];
    MPI_File file;

    if (argc < 2 || pario_par_start(&argc, &argv, &world) != 0 ||
        pario_buffer_alloc(BEFFIO_WINDOW, &buffer) != 0)
        return 2;
    snprintf(path, sizeof(path), "%s/bench_beffio.%d", argv[1], (int)getpid());
    if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return 2;
    loop = (struct beffio_loop){.mpi = &pario_mpiio_shipio,
                                .file = file,
                                .call = beffio_calls[BEFFIO_SEPARATE].write,
                                .l = CHUNK,
                                .L = CHUNK,
                                .stride = CHUNK,
                                .data = {1, 1},
                                .base = {1, 2},
                                .buffer = buffer,
                                .slots = BEFFIO_WINDOW / CHUNK,
                                .shares = 1,
                                .mpi_error = MPI_SUCCESS,
                                .bytes = {MPI_BYTE, CHUNK, 0}};
    beffio_loop_fill(&loop);
    (void)pario_loop(file, &loop);
    for (int r = 0; r < ROUNDS; r++) {
        ns[0][r] = pario_loop(file, &loop);
        ns[1][r] = bare_loop(file, buffer);
    }
    MPI_File_close(&file);
    unlink(path);
    if (pario_median_interval(ns[0], ROUNDS, &own) != 0 ||
        pario_median_interval(ns[1], ROUNDS, &bare) != 0)
        return 2;
    printf("type 2, 1 KiB: pario %.0f ns a call, bare MPI %.0f ns, ratio "
           "%.3f (%s)\n",
           own.median, bare.median, own.median / bare.median,
           pario_par_library());
    free(buffer);
    pario_par_finish(world);
    return 0;
}
