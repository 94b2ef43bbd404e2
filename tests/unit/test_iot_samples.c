/* 10^7 samples of a low-level test: bounded memory, and all in the file. */
#include "suites/iot/lowlevel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES 10000000
#define WINDOW 65536
#define MOST_GROWTH_KIB (16 * 1024) /* the samples alone are 40 MB */

static char path[] = "/dev/shm/pario-test-iot-samples-XXXXXX";
static struct pario_group *world, *self;

/* Not in order, and below 4 s. */
static int64_t sample_ns(int64_t i)
{
    return i * 2654435761 % 3999999937;
}

static long resident_kib(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* As the loop of lowlevel.c does it, window by window. */
static void keep_all(struct iot_low *low, struct iot_loop *loop)
{
    for (int64_t first = 0; first < SAMPLES; first += WINDOW) {
        low->nrequests = SAMPLES - first < WINDOW ? SAMPLES - first : WINDOW;
        for (int64_t j = 0; j < low->nrequests; j++) {
            low->request[j].count = 1;
            low->request[j].ns = sample_ns(first + j);
        }
        assert_int_equal(iot_low_keep(low, "w", 0, loop), 0);
    }
    assert_int_equal(iot_timings_samples(low->context, "w", &loop->samples), 0);
}

/* Every block says how many lines it has, and all lines are there in order. */
static void check_file(void)
{
    FILE *in = fopen(path, "r");
    char line[256];
    int64_t found = 0, promised = 0;
    int blocks = 0, ends = 0, data = 0;

    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (data && line[0] == 'w' && line[1] == ' ') {
            int64_t ns = sample_ns(found++);
            char want[32];

            snprintf(want, sizeof(want), "w %lld.%09lld\n",
                     (long long)(ns / 1000000000),
                     (long long)(ns % 1000000000));
            assert_string_equal(line, want);
        } else if (strncmp(line, "block ", 6) == 0) {
            blocks++;
            data = 0;
        } else if (strcmp(line, "data w s\n") == 0) {
            data = 1;
        } else if (strncmp(line, "count ", 6) == 0) {
            promised += strtoll(line + 6, NULL, 10);
        } else if (strcmp(line, "end\n") == 0) {
            ends++;
            assert_int_equal(found, promised);
        } else {
            assert_true(strncmp(line, "lost ", 5) != 0);
        }
    }
    fclose(in);
    assert_int_equal(found, SAMPLES);
    assert_int_equal(blocks, ends);
    assert_true(blocks >= SAMPLES >> 20);
}

static void test_ten_million_samples_take_bounded_memory(void **state)
{
    static char input[] = "";
    struct pario_run run = {.world = self};
    struct iot_test test = {.kind = IOT_SINUNIX, .input = input};
    struct iot_set set = {.file_bytes = 8, .block_bytes = 8};
    struct iot_context context = {.run = &run,
                                  .test = &test,
                                  .set = &set,
                                  .number = 1,
                                  .size = 1,
                                  .timings = path,
                                  .fs = {.type = "tmpfs"}};
    struct iot_low low = {
        .context = &context, .rounds = SAMPLES, .window = WINDOW};
    struct iot_loop loop;
    long before, after;

    (void)state;
    low.request = calloc(WINDOW, sizeof(*low.request));
    assert_non_null(low.request);
    before = resident_kib();
    assert_int_equal(iot_loop_init(&loop, &low), 0);
    keep_all(&low, &loop);
    after = resident_kib();
    assert_int_equal(loop.operations, SAMPLES);
    assert_int_equal(loop.latency.count, SAMPLES);
    iot_loop_fini(&loop);
    free(low.request);
    if (after - before > MOST_GROWTH_KIB)
        fail_msg("%ld KiB of memory were taken", after - before);
    check_file();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_million_samples_take_bounded_memory),
    };
    int fd, failed = 1;

    if (pario_par_start(&argc, &argv, &world) != 0 ||
        pario_group_self(&self) != 0)
        return 1;
    fd = mkstemp(path);
    if (fd < 0) {
        memcpy(path, "/tmp/////", 9); /* no /dev/shm here */
        fd = mkstemp(path);
    }
    if (fd >= 0) {
        close(fd);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        unlink(path);
    }
    pario_group_destroy(self);
    pario_par_finish(world);
    return failed;
}
