/* bench/bench_loop.c - what measuring costs: pario's posix loop with samples
 * on, against a bare pwrite/pread loop over the same buffers and offsets.
 * In turns, and who begins changes; the figure is the median of the turns'
 * ratios: a slow second of the machine meets both. usage: bench_loop DIR */
#include "core/clock.h"
#include "core/data.h"
#include "par/series.h"
#include "suites/quick/phase.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST 4096
#define REGION ((size_t)64 << 20)
#define ROUNDS 31

extern const struct pario_backend pario_backend_posix;

static double bare_loop(const char *path, char *buffer, int reading)
{
    size_t count = REGION / REQUEST;
    struct pario_data data = {.key = 1};
    int fd = open(path, O_RDWR);
    int64_t begin;

    if (fd < 0)
        exit(1);
    /* The phase fills its buffer first: both begin with the same caches. */
    if (!reading)
        pario_data_fill(&data, 0, buffer, REGION);
    begin = pario_clock_ns();
    for (size_t i = 0; i < count; i++) {
        ssize_t n = reading ? pread(fd, buffer + i * REQUEST, REQUEST,
                                    (off_t)(i * REQUEST))
                            : pwrite(fd, buffer + i * REQUEST, REQUEST,
                                     (off_t)(i * REQUEST));

        if (n != REQUEST)
            exit(1);
    }
    begin = pario_clock_ns() - begin;
    close(fd);
    return (double)begin / (double)count;
}

static double pario_loop(struct pario_run *run, struct quick_part *part,
                         enum quick_access access)
{
    struct pario_phase phase;

    part->samples->count = 0;
    if (quick_phase(run, part, access, access == QUICK_WRITE ? 1e9 : 0.1,
                    &phase) != 0) {
        fprintf(stderr, "%s\n", pario_error_message());
        exit(1);
    }
    return (double)part->latency.sum / (double)part->latency.count;
}

int main(int argc, char **argv)
{
    static struct quick_part part;
    struct pario_run run = {.common.verify = PARIO_VERIFY_OFF};
    struct quick_case what = {.backend = &pario_backend_posix,
                              .separate = 1,
                              .depth = 1,
                              .request_bytes = REQUEST};
    struct pario_group *world = NULL;
    struct pario_samples samples;
    double ns[2][2][ROUNDS];
    void *buffer = NULL;

    if (argc < 2 || pario_par_start(&argc, &argv, &world) != 0 ||
        pario_buffer_alloc(REGION, &buffer) != 0 ||
        pario_samples_init(&samples, (size_t)1 << 20) != 0)
        return 2;
    run.world = world;
    part.what = &what;
    part.buffer = buffer;
    part.buffer_len = REGION;
    part.samples = &samples;
    snprintf(part.path, sizeof(part.path), "%s/bench_loop.%d", argv[1],
             (int)getpid());
    (void)pario_loop(&run, &part, QUICK_WRITE);
    for (int r = 0; r < ROUNDS; r++) {
        for (int turn = 0; turn < 4; turn++) {
            int bare = (turn + r) % 2, reading = turn / 2;

            ns[reading][bare][r] =
                bare ? bare_loop(part.path, buffer, reading)
                     : pario_loop(&run, &part,
                                  reading ? QUICK_READ : QUICK_REWRITE);
        }
    }
    unlink(part.path);
    for (int reading = 0; reading < 2; reading++) {
        struct pario_interval own, bare, share;
        double ratio[ROUNDS];

        for (int r = 0; r < ROUNDS; r++)
            ratio[r] = ns[reading][0][r] / ns[reading][1][r];
        if (pario_median_interval(ns[reading][0], ROUNDS, &own) != 0 ||
            pario_median_interval(ns[reading][1], ROUNDS, &bare) != 0 ||
            pario_median_interval(ratio, ROUNDS, &share) != 0)
            return 2;
        printf("%s 4096: pario %.0f ns, bare %.0f ns, ratio %.3f "
               "(%.3f to %.3f)\n",
               reading ? "read" : "rewrite", own.median, bare.median,
               share.median, share.low, share.high);
    }
    free(buffer);
    pario_par_finish(world);
    return 0;
}
