/* bench/bench_data.c - data fill and check against memcpy, on one core.
 *
 * The three take turns in the same buffers, and the median of the rounds
 * counts, so that a busy machine slows all of them. Exit status 1 when a
 * ratio is missed: fill 0.8 and check 0.5 of memcpy, fill 8 GB/s.
 */
#include "core/clock.h"
#include "core/data.h"
#include "core/stats.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 41
#define ROUND_BYTES ((size_t)256 << 20)
#define FILL_MIN_RATIO 0.8
#define CHECK_MIN_RATIO 0.5
#define FILL_MIN_GBPS 8.0

struct bench {
    unsigned char *buf, *copy;
    size_t len;
    struct pario_data data;
};

static int run_memcpy(struct bench *bench)
{
    memcpy(bench->copy, bench->buf, bench->len);
    __asm__ volatile("" : : "r"(bench->copy) : "memory");
    return 0;
}

static int run_fill(struct bench *bench)
{
    pario_data_fill(&bench->data, 0, bench->buf, bench->len);
    __asm__ volatile("" : : "r"(bench->buf) : "memory");
    return 0;
}

static int run_check(struct bench *bench)
{
    struct pario_data_error err;

    return pario_data_check(&bench->data, 0, bench->buf, bench->len, &err);
}

static int timed_gbps(int (*run)(struct bench *), struct bench *bench,
                      double *gbps_p)
{
    size_t repeats = ROUND_BYTES / bench->len;
    double start_s = pario_clock_s();
    int err = 0;

    for (size_t i = 0; i < repeats && err == 0; i++)
        err = run(bench);
    *gbps_p =
        (double)(repeats * bench->len) / (pario_clock_s() - start_s) / 1e9;
    return err;
}

static int measure(struct bench *bench, int *missed_p)
{
    static int (*const runs[])(struct bench *) = {run_memcpy, run_fill,
                                                  run_check};
    double gbps[3][ROUNDS];
    struct pario_interval speed[3];
    char size[PARIO_UNITS_LEN];
    double fill, check;
    int err = 0;

    for (int round = -1; round < ROUNDS; round++) {
        for (int i = 0; i < 3 && err == 0; i++)
            err = timed_gbps(runs[i], bench, &gbps[i][round < 0 ? 0 : round]);
    }
    for (int i = 0; i < 3 && err == 0; i++)
        err = pario_median_interval(gbps[i], ROUNDS, &speed[i]);
    if (err != 0)
        return err;
    fill = speed[1].median / speed[0].median;
    check = speed[2].median / speed[0].median;
    printf("%-8s memcpy %6.2f GB/s   fill %6.2f GB/s (%.2f)   check %6.2f GB/s "
           "(%.2f)\n",
           pario_size_print((int64_t)bench->len, size), speed[0].median,
           speed[1].median, fill, speed[2].median, check);
    *missed_p |= fill < FILL_MIN_RATIO || check < CHECK_MIN_RATIO ||
                 speed[1].median < FILL_MIN_GBPS;
    return 0;
}

int main(void)
{
    static const size_t sizes[] = {(size_t)1 << 20, (size_t)64 << 20};
    int missed = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct bench bench = {.len = sizes[i], .data = {12345, 6}};
        int err = -1;

        bench.buf = aligned_alloc(4096, bench.len);
        bench.copy = aligned_alloc(4096, bench.len);
        if (bench.buf != NULL && bench.copy != NULL)
            err = measure(&bench, &missed);
        free(bench.buf);
        free(bench.copy);
        if (err != 0) {
            fprintf(stderr, "bench_data: %s\n", pario_error_name(err));
            return 1;
        }
    }
    if (missed)
        printf("a goal is missed: fill >= %.1f and check >= %.1f of memcpy, "
               "fill >= %.0f GB/s\n",
               FILL_MIN_RATIO, CHECK_MIN_RATIO, FILL_MIN_GBPS);
    return missed;
}
