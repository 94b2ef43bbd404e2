/* bench/bench_loop.c - what measuring costs: pario's posix loop with samples
 * on, against a bare pwrite/pread loop of as many calls over the same buffers
 * and offsets, and against the same with a reading of the clock per call, which
 * is the least that times of calls can cost. Two figures: of the calls, and of
 * the whole phase, with what is done between two passes over the same places
 * (each writes other data, stamped within the time) and at the end.
 * In turns, and who begins changes; the figure is the median of the turns'
 * ratios: a slow second of the machine meets all. Beside other programs that
 * of the fastest turns is nearer to the truth. usage: bench_loop DIR */
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
#define REGION ((int64_t)64 << 20)
#define ROUNDS 61
#define TURN_S 0.05
#define MAX_CALLS ((size_t)1 << 20)

extern const struct pario_backend pario_backend_posix;

/* PHASE: the same turns as MEASURED, with all of their time. */
enum way { MEASURED, BARE, CLOCKED, WAYS, PHASE = WAYS, FIGURES };

static uint32_t kept_ns[MAX_CALLS];

static double bare_loop(const char *path, char *buffer, int reading,
                        int64_t count, int clocked)
{
    struct pario_data data = {.key = 1};
    int fd = open(path, O_RDWR);
    int64_t begin_ns, last_ns;

    if (fd < 0)
        exit(1);
    /* The phase does the same first: all begin with the same caches. */
    if (reading)
        memset(buffer, 0, (size_t)REGION);
    else
        for (int64_t at = 0; at < REGION; at += REQUEST)
            pario_data_fill(&data, at, buffer + at, REQUEST);
    begin_ns = last_ns = pario_clock_ns();
    for (int64_t i = 0, at = 0; i < count; i++) {
        ssize_t n = reading ? pread(fd, buffer + at, REQUEST, at)
                            : pwrite(fd, buffer + at, REQUEST, at);

        if (n != REQUEST)
            exit(1);
        if (clocked) {
            int64_t now_ns = pario_clock_ns();

            kept_ns[i] = (uint32_t)(now_ns - last_ns);
            last_ns = now_ns;
        }
        at = at + REQUEST < REGION ? at + REQUEST : 0;
    }
    begin_ns = pario_clock_ns() - begin_ns;
    close(fd);
    return (double)begin_ns / (double)count;
}

/* *phase_ns_p: of the whole phase for each call. */
static double measured_loop(struct pario_run *run, struct quick_part *part,
                            enum quick_access access, double *phase_ns_p)
{
    struct pario_phase phase;

    part->samples->count = 0;
    if (quick_phase(run, part, access, access == QUICK_WRITE ? 1e9 : TURN_S,
                    &phase) != 0) {
        fprintf(stderr, "%s\n", pario_error_message());
        exit(1);
    }
    if ((size_t)part->latency.count > MAX_CALLS)
        exit(1);
    *phase_ns_p =
        phase.figures.seconds * 1e9 / (double)phase.figures.operations;
    return (double)part->latency.sum / (double)part->latency.count;
}

/* One round of all ways; calls_p: of the last measured loop. */
static void take_turns(struct pario_run *run, struct quick_part *part,
                       int reading, int round, int64_t *calls_p,
                       double ns[FIGURES][ROUNDS])
{
    for (int turn = 0; turn < WAYS; turn++) {
        int way = (turn + round) % WAYS;

        if (way != MEASURED) {
            ns[way][round] = bare_loop(part->path, part->buffer, reading,
                                       *calls_p, way == CLOCKED);
            continue;
        }
        ns[way][round] = measured_loop(
            run, part, reading ? QUICK_READ : QUICK_REWRITE, &ns[PHASE][round]);
        *calls_p = (int64_t)part->latency.count;
    }
}

static double least(const double ns[ROUNDS])
{
    double best = ns[0];

    for (int r = 1; r < ROUNDS; r++)
        best = ns[r] < best ? ns[r] : best;
    return best;
}

static int print_ratios(const char *name, double ns[FIGURES][ROUNDS])
{
    struct pario_interval own, bare, share, clock, phase;
    double ratio[3][ROUNDS];

    for (int r = 0; r < ROUNDS; r++) {
        ratio[0][r] = ns[MEASURED][r] / ns[BARE][r];
        ratio[1][r] = ns[CLOCKED][r] / ns[BARE][r];
        ratio[2][r] = ns[PHASE][r] / ns[BARE][r];
    }
    if (pario_median_interval(ns[MEASURED], ROUNDS, &own) != 0 ||
        pario_median_interval(ns[BARE], ROUNDS, &bare) != 0 ||
        pario_median_interval(ratio[0], ROUNDS, &share) != 0 ||
        pario_median_interval(ratio[1], ROUNDS, &clock) != 0 ||
        pario_median_interval(ratio[2], ROUNDS, &phase) != 0)
        return 2;
    printf("%s 4096: pario %.0f ns, bare %.0f ns, ratio %.3f "
           "(%.3f to %.3f), of the fastest turns %.3f; the clock alone %.3f, "
           "%.3f; the whole phase %.3f (%.3f to %.3f), %.3f\n",
           name, own.median, bare.median, share.median, share.low, share.high,
           least(ns[MEASURED]) / least(ns[BARE]), clock.median,
           least(ns[CLOCKED]) / least(ns[BARE]), phase.median, phase.low,
           phase.high, least(ns[PHASE]) / least(ns[BARE]));
    return 0;
}

int main(int argc, char **argv)
{
    static struct quick_part part;
    static double ns[2][FIGURES][ROUNDS];
    struct pario_run run = {.common.verify = PARIO_VERIFY_OFF};
    struct quick_case what = {.backend = &pario_backend_posix,
                              .separate = 1,
                              .depth = 1,
                              .request_bytes = REQUEST};
    struct pario_group *world = NULL;
    struct pario_samples samples;
    double unused;
    int64_t calls[2] = {REGION / REQUEST, REGION / REQUEST};
    void *buffer = NULL;
    int code;

    if (argc < 2 || pario_par_start(&argc, &argv, &world) != 0 ||
        pario_buffer_alloc((size_t)REGION, &buffer) != 0 ||
        pario_samples_init(&samples, MAX_CALLS) != 0)
        return 2;
    run.world = world;
    part.what = &what;
    part.buffer = buffer;
    part.buffer_len = (size_t)REGION;
    part.samples = &samples;
    snprintf(part.path, sizeof(part.path), "%s/bench_loop.%d", argv[1],
             (int)getpid());
    (void)measured_loop(&run, &part, QUICK_WRITE, &unused);
    for (int r = 0; r < ROUNDS; r++)
        for (int reading = 0; reading < 2; reading++)
            take_turns(&run, &part, reading, r, &calls[reading], ns[reading]);
    unlink(part.path);
    code = print_ratios("rewrite", ns[0]);
    if (code == 0)
        code = print_ratios("read", ns[1]);
    pario_samples_fini(&samples);
    free(buffer);
    pario_par_finish(world);
    return code;
}
