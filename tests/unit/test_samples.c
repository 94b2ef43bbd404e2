/* Raw samples: blocks that can be concatenated and split at will. */
#include "par/group.h"
#include "result/samples.h"
#include "result/timings.h"

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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/pario-test-samples-XXXXXX";
static struct pario_group *world, *self;
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

static void put_text(const char *contents)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(contents, out);
    assert_int_equal(fclose(out), 0);
}

static int empty_file(void **state)
{
    (void)state;
    put_text("");
    return 0;
}

static struct pario_samples samples_of(const int64_t *ns, size_t count,
                                       size_t capacity)
{
    struct pario_samples samples;

    assert_int_equal(pario_samples_init(&samples, capacity), 0);
    for (size_t i = 0; i < count; i++)
        pario_samples_add(&samples, ns[i]);
    return samples;
}

static void assert_message_has(const char *part)
{
    if (strstr(pario_error_message(), part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, pario_error_message());
}

static void test_seconds_are_exact_for_all_lengths(void **state)
{
    static const struct {
        uint32_t ns;
        const char *text;
    } cases[] = {
        {0, "0.000000000"},          {1, "0.000000001"},
        {99, "0.000000099"},         {123456789, "0.123456789"},
        {999999999, "0.999999999"},  {1000000000, "1.000000000"},
        {UINT32_MAX, "4.294967295"}, {1020304050, "1.020304050"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[PARIO_TIMINGS_SECONDS_LEN + 1] = "";

        pario_timings_seconds(cases[i].ns, out);
        assert_string_equal(out, cases[i].text);
    }
}

/* The block without its timestamp line, which must be there. */
static void assert_block(const char *block, const char *expected)
{
    const char *stamp = strstr(block, "timestamp 2");
    char rest[4096];

    assert_non_null(stamp);
    snprintf(rest, sizeof(rest), "%.*s%s", (int)(stamp - block), block,
             strchr(stamp, '\n') + 1);
    assert_string_equal(rest, expected);
}

static void test_block_has_header_ranks_and_end(void **state)
{
    static const int64_t ns[] = {12345, 1500000000};
    struct pario_samples samples = samples_of(ns, 2, 2);

    (void)state;
    assert_int_equal(pario_samples_append(self, path,
                                          "classname Lowlevel\n"
                                          "testname single\nblocksize 0.1",
                                          "w", &samples),
                     0);
    assert_block(file_text(), "block pario-timings/1\n"
                              "nprocs 1\n"
                              "classname Lowlevel\n"
                              "testname single\n"
                              "blocksize 0.1\n"
                              "data w s\n"
                              "rank 0\n"
                              "count 2\n"
                              "w 0.000012345\n"
                              "w 1.500000000\n"
                              "end\n");
    assert_int_equal(samples.count, 0);
    pario_samples_fini(&samples);
}

static void test_lost_and_saturated_samples_are_told(void **state)
{
    static const int64_t ns[] = {INT64_C(9000000000), 1, 2, 3};
    struct pario_samples samples = samples_of(ns, 4, 2);

    (void)state;
    assert_int_equal(samples.lost, 2);
    assert_int_equal(pario_samples_append(self, path, "", "r", &samples), 0);
    assert_non_null(strstr(file_text(), "\ncount 2\nlost 2\nsaturated 1\n"
                                        "r 4.294967295\nr 0.000000001\nend\n"));
    assert_int_equal(samples.lost, 0);
    pario_samples_fini(&samples);
}

static void test_blocks_are_appended_whole_also_after_a_torn_one(void **state)
{
    static const int64_t ns[] = {7};
    struct pario_samples samples = samples_of(ns, 1, 4);

    (void)state;
    put_text("block pario-timings/1\nw 0.0");
    assert_int_equal(pario_samples_append(self, path, "a 1\n", "w", &samples),
                     0);
    assert_int_equal(pario_samples_append(self, path, "a 2\n", "w", &samples),
                     0);
    assert_non_null(strstr(file_text(), "w 0.0\nblock pario-timings/1\n"));
    assert_non_null(strstr(text, "w 0.000000007\nend\nblock pario"));
    assert_non_null(strstr(text, "a 2\ndata w s\nrank 0\ncount 0\nend\n"));
    pario_samples_fini(&samples);
}

static void test_many_samples_keep_their_order_over_buffers(void **state)
{
    const size_t count = 60000; /* several of the writer's buffers */
    struct pario_samples samples;
    const char *line;

    (void)state;
    assert_int_equal(pario_samples_init(&samples, count), 0);
    for (size_t i = 0; i < count; i++)
        pario_samples_add(&samples, (int64_t)(i * 7));
    assert_int_equal(pario_samples_append(self, path, "", "w", &samples), 0);
    line = strstr(file_text(), "\nw ");
    for (size_t i = 0; i < count; i++) {
        assert_non_null(line);
        assert_int_equal(strncmp(line, "\nw 0.", 5), 0);
        assert_int_equal(strtoull(line + 5, NULL, 10), i * 7);
        line = strchr(line + 1, '\n');
    }
    assert_string_equal(line, "\nend\n");
    pario_samples_fini(&samples);
}

/* Enough for two threads; short and long times, so that lines are prepared
 * anew in between. */
static void test_a_million_samples_are_whole_and_in_order(void **state)
{
    const uint32_t count = 1000003;
    struct pario_samples samples;
    char line[128], expected[64];
    uint32_t seen = 0;
    FILE *in;

    (void)state;
    assert_int_equal(pario_samples_init(&samples, count), 0);
    for (uint32_t i = 0; i < count; i++)
        pario_samples_add(&samples,
                          i % 400000 < 10 ? (int64_t)2123456789 + i : i);
    assert_int_equal(pario_samples_append(self, path, "x y\n", "wI", &samples),
                     0);
    pario_samples_fini(&samples);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (strncmp(line, "wI ", 3) != 0)
            continue;
        snprintf(expected, sizeof(expected), "wI %u.%09u\n",
                 seen % 400000 < 10 ? 2 : 0,
                 seen % 400000 < 10 ? 123456789 + seen : seen);
        assert_string_equal(line, expected);
        seen++;
    }
    assert_string_equal(line, "end\n");
    fclose(in);
    assert_int_equal(seen, count);
}

static void test_file_that_is_no_timings_is_kept(void **state)
{
    struct pario_samples samples = samples_of(NULL, 0, 1);

    (void)state;
    put_text("precious words\n");
    assert_int_equal(pario_samples_append(self, path, "", "w", &samples),
                     -EEXIST);
    assert_message_has(path);
    assert_string_equal(file_text(), "precious words\n");
    assert_int_equal(pario_samples_append(self, "/dev/null", "", "w", &samples),
                     -EINVAL);
    assert_message_has("not a regular file");
    assert_int_equal(
        pario_samples_append(self, "/no/such/file", "", "w", &samples),
        -ENOENT);
    assert_message_has("/no/such/file");
    pario_samples_fini(&samples);
}

/* Comments stand at the beginning of many files that are no timings. */
static void test_other_file_with_comments_is_refused(void **state)
{
    static const char *const others[] = {"#!/bin/sh\necho block\n",
                                         "# settings\nport 22\n",
                                         "# nothing\n",
                                         "#!block\nblock x\n",
                                         "# mine\nclass Foo:\n    pass\n",
                                         "# ours\nblock diagram\n"};
    int64_t ns = 5;

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct pario_samples samples = samples_of(&ns, 1, 1);

        put_text(others[i]);
        assert_int_equal(pario_timings_check(path), -EEXIST);
        assert_int_equal(pario_samples_append(self, path, "", "w", &samples),
                         -EEXIST);
        assert_string_equal(file_text(), others[i]);
        pario_samples_fini(&samples);
    }
    put_text("# a comment\n\nblock pario-timings/1\n");
    assert_int_equal(pario_timings_check(path), 0);
}

static void test_symbolic_link_is_refused(void **state)
{
    char link[64];
    int64_t ns = 5;
    struct pario_samples samples = samples_of(&ns, 1, 1);

    (void)state;
    snprintf(link, sizeof(link), "%s.link", path);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(pario_timings_check(link), -ELOOP);
    assert_int_equal(pario_samples_append(self, link, "", "w", &samples),
                     -ELOOP);
    assert_string_equal(file_text(), "");
    pario_samples_fini(&samples);
    unlink(link);
}

/* Several runs, one file: every block is whole. */
static void test_appends_at_the_same_time_keep_blocks_whole(void **state)
{
    enum { RUNS = 4, BLOCKS = 20, VALUES = 2000 };
    int64_t ns[VALUES];
    int blocks = 0, ends = 0, lines = 0, status = 0;

    (void)state;
    for (int i = 0; i < VALUES; i++)
        ns[i] = i;
    for (int run = 0; run < RUNS; run++) {
        if (fork() != 0)
            continue;
        for (int b = 0; b < BLOCKS; b++) {
            struct pario_samples samples = samples_of(ns, VALUES, VALUES);

            if (pario_samples_append(self, path, "", "w", &samples) != 0)
                _exit(1);
            pario_samples_fini(&samples);
        }
        _exit(0);
    }
    for (int run = 0; run < RUNS; run++) {
        wait(&status);
        assert_int_equal(status, 0);
    }
    FILE *in = fopen(path, "r");
    char line[256];

    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        blocks += strncmp(line, "block ", 6) == 0;
        lines += strncmp(line, "w ", 2) == 0;
        if (strncmp(line, PARIO_TIMINGS_END, strlen(PARIO_TIMINGS_END) - 1) ==
            0) {
            ends++;
            assert_int_equal(lines, ends * VALUES);
        }
    }
    fclose(in);
    assert_int_equal(blocks, RUNS * BLOCKS);
    assert_int_equal(ends, RUNS * BLOCKS);
}

static void test_words_that_would_break_the_block_are_refused(void **state)
{
    static const char *const headers[] = {"end\n", "a 1\nrank 7\n", "a 1\n\n",
                                          " x\n", "block z"};
    struct pario_samples samples = samples_of(NULL, 0, 1);

    (void)state;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        assert_int_equal(
            pario_samples_append(self, path, headers[i], "w", &samples),
            -EINVAL);
    assert_int_equal(pario_samples_append(self, path, "", "w x", &samples),
                     -EINVAL);
    assert_int_equal(pario_samples_append(self, path, "", "", &samples),
                     -EINVAL);
    assert_string_equal(file_text(), "");
    pario_samples_fini(&samples);
}

static void test_full_device_leaves_the_blocks_before_and_samples(void **state)
{
    struct rlimit old, small;
    struct pario_samples samples;
    static char before[4096];
    int code;

    (void)state;
    assert_int_equal(pario_samples_init(&samples, 100000), 0);
    pario_samples_add(&samples, 5);
    assert_int_equal(pario_samples_append(self, path, "", "w", &samples), 0);
    keep(before, sizeof(before), file_text());
    for (int i = 0; i < 100000; i++)
        pario_samples_add(&samples, i);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){.rlim_cur = 300000, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    code = pario_samples_append(self, path, "", "w", &samples);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, -EFBIG);
    assert_message_has(path);
    assert_string_equal(file_text(), before);
    assert_int_equal(samples.count, 100000);
    pario_samples_fini(&samples);
}

static int start(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    if (pario_par_start(NULL, NULL, &world) != 0)
        return -1;
    return pario_group_self(&self);
}

static int finish(void **state)
{
    (void)state;
    pario_group_destroy(self);
    pario_par_finish(world);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seconds_are_exact_for_all_lengths),
        cmocka_unit_test_setup(test_block_has_header_ranks_and_end, empty_file),
        cmocka_unit_test_setup(test_lost_and_saturated_samples_are_told,
                               empty_file),
        cmocka_unit_test_setup(
            test_blocks_are_appended_whole_also_after_a_torn_one, empty_file),
        cmocka_unit_test_setup(test_many_samples_keep_their_order_over_buffers,
                               empty_file),
        cmocka_unit_test_setup(test_a_million_samples_are_whole_and_in_order,
                               empty_file),
        cmocka_unit_test_setup(test_file_that_is_no_timings_is_kept,
                               empty_file),
        cmocka_unit_test_setup(test_other_file_with_comments_is_refused,
                               empty_file),
        cmocka_unit_test_setup(test_symbolic_link_is_refused, empty_file),
        cmocka_unit_test_setup(test_appends_at_the_same_time_keep_blocks_whole,
                               empty_file),
        cmocka_unit_test_setup(
            test_words_that_would_break_the_block_are_refused, empty_file),
        cmocka_unit_test_setup(
            test_full_device_leaves_the_blocks_before_and_samples, empty_file),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
