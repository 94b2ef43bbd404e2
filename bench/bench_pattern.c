/* bench/bench_pattern.c - what measuring costs in `pario pattern`: its posix
 * loop, stamping, samples and kept words included, against a bare pwrite/pread
 * loop over buffers of the same size and the same offsets. Interleaved, each
 * first in every other round; medians; the difference per call is the figure.
 * Both are timed from outside, by CLOCK_MONOTONIC; the sum of the loop's own
 * samples stands beside. And the loop over calls that do nothing: its own cost,
 * also where other programs disturb.
 * usage: bench_pattern DIR */
#include "core/clock.h"
#include "suites/pattern/pattern.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST 4096
#define REGION ((int64_t)64 << 20)
#define ROUNDS 21

extern const struct pario_backend pario_backend_posix;

static double bare_loop(const char *path, char *buffer, int reading,
                        int64_t period)
{
    int64_t count = REGION / REQUEST, begin;
    int fd = open(path, reading ? O_RDONLY : O_WRONLY | O_CREAT | O_EXCL, 0600);

    if (fd < 0)
        exit(1);
    begin = pario_clock_ns();
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i * REQUEST;
        ssize_t n = reading
                        ? pread(fd, buffer, REQUEST, at)
                        : pwrite(fd, buffer + (at & (period - 1)), REQUEST, at);

        if (n != REQUEST)
            exit(1);
    }
    begin = pario_clock_ns() - begin;
    close(fd);
    return (double)begin / (double)count;
}

/* Storage without any cost. */
struct pario_file {
    int unused;
};

static int null_open(const struct pario_target *target,
                     struct pario_file **file_p)
{
    static struct pario_file file;

    (void)target;
    *file_p = &file;
    return 0;
}

static int null_close(struct pario_file *file)
{
    (void)file;
    return 0;
}

static int null_io(struct pario_file *file, void *buf, size_t len,
                   int64_t offset)
{
    (void)file;
    (void)buf;
    (void)len;
    (void)offset;
    return 0;
}

static const struct pario_backend null_backend = {
    .abi = PARIO_BACKEND_ABI,
    .name = "null",
    .open = null_open,
    .close = null_close,
    .io[PARIO_WRITE] = {[PARIO_FORM_AT] = null_io},
    .io[PARIO_READ] = {[PARIO_FORM_AT] = null_io},
    .sync = null_close,
};

static double sample_sum, loop_sum; /* of all rounds, by both clocks */

static double pario_loop(struct pattern_part *part, enum pattern_access access)
{
    struct pario_phase phase;

    if (pattern_phase(part, access, &phase) != 0) {
        fprintf(stderr, "%s\n", pario_error_message());
        exit(1);
    }
    sample_sum += (double)part->latency.sum;
    loop_sum += phase.figures.loop_s * 1e9;
    return phase.figures.loop_s * 1e9 / (double)part->latency.count;
}

/* A round of both: writes, then reads what was written. */
static void turn(struct pattern_part *part, int bare, double ns[2])
{
    if (bare) {
        ns[0] = bare_loop(part->path, part->source, 0, part->plan.period);
        ns[1] = bare_loop(part->path, part->space, 1, part->plan.period);
    } else {
        ns[0] = pario_loop(part, PATTERN_WRITE);
        ns[1] = pario_loop(part, PATTERN_READ);
    }
    unlink(part->path);
}

/* The least of all rounds, for what takes processor time alone. */
static void null_loops(struct pattern_part *part)
{
    int fd = open(part->path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    double least[2] = {1e9, 1e9};

    if (fd < 0 || ftruncate(fd, REGION) != 0)
        exit(1);
    close(fd);
    part->backend = &null_backend;
    for (int r = 0; r < 10 * ROUNDS; r++)
        for (int reading = 0; reading < 2; reading++) {
            double ns =
                pario_loop(part, reading ? PATTERN_READ : PATTERN_WRITE);

            least[reading] = ns < least[reading] ? ns : least[reading];
        }
    unlink(part->path);
    printf("the loop alone: %.0f ns per write, %.0f ns per read\n", least[0],
           least[1]);
}

int main(int argc, char **argv)
{
    static struct pattern_part part;
    static struct pario_run run = {.common.verify = PARIO_VERIFY_OFF};
    struct pattern_options options = pattern_defaults;
    struct pario_group *world = NULL;
    double ns[2][2][ROUNDS];

    if (argc < 2 || pario_par_start(&argc, &argv, &world) != 0)
        return 2;
    run.world = world;
    options.transfer_bytes = REQUEST;
    options.block_bytes = REGION;
    options.file_per_process = 1;
    part.run = &run;
    part.options = &options;
    if (pattern_part_begin(&part) != 0)
        return 2;
    snprintf(part.path, sizeof(part.path), "%s/bench_pattern.%d", argv[1],
             (int)getpid());
    snprintf(part.read_path, sizeof(part.read_path), "%s", part.path);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < 2; i++) {
            int bare = (r + i) % 2;
            double both[2];

            turn(&part, bare, both);
            ns[0][bare][r] = both[0];
            ns[1][bare][r] = both[1];
        }
    }
    printf("samples / time of the loops: %.5f\n", sample_sum / loop_sum);
    for (int reading = 0; reading < 2; reading++) {
        struct pario_interval own, bare;

        if (pario_median_interval(ns[reading][0], ROUNDS, &own) != 0 ||
            pario_median_interval(ns[reading][1], ROUNDS, &bare) != 0)
            return 2;
        /* Sorted by now: the best rounds were disturbed least. */
        printf("%s 4096: pario %.0f ns, bare %.0f ns, %+.0f ns per call; the "
               "best rounds %.0f and %.0f, %+.0f ns\n",
               reading ? "read" : "write", own.median, bare.median,
               own.median - bare.median, ns[reading][0][0], ns[reading][1][0],
               ns[reading][0][0] - ns[reading][1][0]);
    }
    null_loops(&part);
    pattern_part_free(&part);
    pario_par_finish(world);
    return 0;
}
