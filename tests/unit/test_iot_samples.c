/* 10^7 samples of a low-level test: four bytes each, one block, one curve. */
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
#define MAX_GROWTH_KIB (4 * SAMPLES / 1024 + 16 * 1024)

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

/* As the loop of lowlevel.c does it. */
static void keep_all(struct iot_context *context, struct iot_loop *loop)
{
    int64_t now_ns = 0;

    for (int64_t i = 0; i < SAMPLES; i++)
        now_ns = iot_loop_take(loop, now_ns, now_ns + sample_ns(i));
    pario_samples_fold(&loop->samples, &loop->latency);
    assert_int_equal(iot_timings_samples(context, "w", &loop->samples), 0);
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
    assert_int_equal(blocks, 1);
}

static void test_ten_million_samples_are_one_block(void **state)
{
    static char input[] = "";
    struct pario_run run = {.world = self};
    struct iot_test test = {.bench = iot_bench_find("sinunix"), .input = input};
    struct iot_set set = {.file_bytes = 8, .block_bytes = 8};
    struct iot_context context = {.run = &run,
                                  .test = &test,
                                  .set = &set,
                                  .number = 1,
                                  .size = 1,
                                  .timings = path,
                                  .fs = {.type = "tmpfs"}};
    struct iot_loop loop = {.total_ns = 0};
    long before, after;

    (void)state;
    before = resident_kib();
    assert_int_equal(iot_loop_init(&loop, SAMPLES), 0);
    keep_all(&context, &loop);
    after = resident_kib();
    assert_int_equal(loop.latency.count, SAMPLES);
    iot_loop_fini(&loop);
    if (after - before > MAX_GROWTH_KIB)
        fail_msg("%ld KiB of memory were taken", after - before);
    check_file();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_million_samples_are_one_block),
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
