/* Raw samples of several processes in one block, and an error of one. */
#include "par/group.h"
#include "result/samples.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static struct pario_group *world;
static char path[64] = "/tmp/pario-test-par-samples-XXXXXX";
static char text[1 << 20];

static const char *file_text(void)
{
    FILE *in = fopen(path, "r");
    size_t len;

    assert_non_null(in);
    len = fread(text, 1, sizeof(text) - 1, in);
    text[len] = '\0';
    fclose(in);
    assert_int_equal(strlen(text), len); /* no hole */
    return text;
}

static void keep(char *copy, size_t len, const char *original)
{
    assert_true(strlen(original) < len);
    memcpy(copy, original, strlen(original) + 1);
}

/* Rank r has 3 * r samples: r000000, r000001 ... ns. */
static void fill(struct pario_samples *samples)
{
    int rank = pario_group_rank(world);

    for (int i = 0; i < 3 * rank; i++)
        pario_samples_add(samples, rank * 1000000 + i);
}

static void test_every_rank_has_its_section_in_order(void **state)
{
    struct pario_samples samples;
    const char *at;

    (void)state;
    assert_int_equal(pario_samples_init(&samples, 1000), 0);
    for (int block = 0; block < 2; block++) {
        fill(&samples);
        assert_int_equal(
            pario_samples_append(world, path, "test x\n", "w", &samples), 0);
        assert_int_equal(samples.count, 0);
    }
    assert_int_equal(pario_barrier(world), 0);
    at = file_text();
    for (int block = 0; block < 2; block++) {
        at = strstr(at, "block pario-timings/1\n");
        assert_non_null(at);
        at = strstr(at, "\nrank 0\n");
        assert_non_null(at);
        at++;
        for (int rank = 0; rank < pario_group_size(world); rank++) {
            char line[64];

            snprintf(line, sizeof(line), "rank %d\ncount %d\n", rank, 3 * rank);
            assert_int_equal(strncmp(at, line, strlen(line)), 0);
            at += strlen(line);
            for (int i = 0; i < 3 * rank; i++) {
                snprintf(line, sizeof(line), "w 0.%09d\n", rank * 1000000 + i);
                assert_int_equal(strncmp(at, line, strlen(line)), 0);
                at += strlen(line);
            }
        }
        assert_int_equal(strncmp(at, "end\n", 4), 0);
        at += 4;
    }
    assert_string_equal(at, "");
    pario_samples_fini(&samples);
}

/* Values of any size: times beyond what a sample holds, and whole numbers. */
static void test_values_have_their_unit_and_any_length(void **state)
{
    int64_t values[2] = {(int64_t)12345 * 1000000000 + 6, 0};
    const char *at;

    (void)state;
    values[1] = pario_group_rank(world);
    assert_int_equal(pario_timings_append(world, path, "test y\n", "pre_time",
                                          "s", values, 1),
                     0);
    assert_int_equal(
        pario_timings_append(world, path, "test y\n", "b", "bytes", values, 2),
        0);
    assert_int_equal(pario_barrier(world), 0);
    at = strstr(file_text(), "data pre_time s\nrank 0\ncount 1\n"
                             "pre_time 12345.000000006\n");
    assert_non_null(at);
    at = strstr(at, "data b bytes\nrank 0\ncount 2\nb 12345000000006\nb 0\n");
    assert_non_null(at);
    for (int rank = 1; rank < pario_group_size(world); rank++) {
        char section[96];

        snprintf(section, sizeof(section),
                 "rank %d\ncount 2\nb 12345000000006\nb %d\n", rank, rank);
        at = strstr(at, section);
        assert_non_null(at);
    }
    assert_string_equal(at + strlen(at) - 4, "end\n");
    assert_int_equal(pario_barrier(world), 0);
}

/* Only the last rank cannot write; all return its error, and the block is
 * taken back. */
static void test_error_on_one_rank_reaches_all_and_leaves_no_block(void **state)
{
    int last = pario_group_rank(world) == pario_group_size(world) - 1;
    struct rlimit old, small;
    struct pario_samples samples;
    static char before[sizeof(text)];
    int code;

    (void)state;
    keep(before, sizeof(before), file_text());
    assert_int_equal(pario_barrier(world), 0);
    assert_int_equal(pario_samples_init(&samples, 1000), 0);
    for (int i = 0; i < 1000; i++)
        pario_samples_add(&samples, i);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){.rlim_cur = strlen(before) + 5000,
                            .rlim_max = old.rlim_max};
    if (last)
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    code = pario_samples_append(world, path, "", "w", &samples);
    if (last)
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, -EFBIG);
    assert_non_null(strstr(pario_error_message(), path));
    assert_int_equal(samples.count, 1000);
    assert_int_equal(pario_barrier(world), 0);
    assert_string_equal(file_text(), before);
    assert_int_equal(pario_barrier(world), 0); /* then it may be removed */
    pario_samples_fini(&samples);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rank_has_its_section_in_order),
        cmocka_unit_test(test_values_have_their_unit_and_any_length),
        cmocka_unit_test(
            test_error_on_one_rank_reaches_all_and_leaves_no_block),
    };
    int failed, first;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 1;
    first = pario_group_rank(world) == 0;
    if (first)
        close(mkstemp(path));
    if (pario_bcast(world, path, sizeof(path)) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* The others may still be reading it. */
    if (pario_barrier(world) == 0 && first)
        unlink(path);
    pario_par_finish(world);
    return failed != 0;
}
