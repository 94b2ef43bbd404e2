/* The reader of timings files: what it takes, and what it says about what it
 * leaves out. */
#include "analysis/analysis.h"
#include "analysis/timings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GOOD                                                                   \
    "block pario-timings/1\n"                                                  \
    "timestamp 2026-01-31T12:00:00Z\n"                                         \
    "nprocs 2\n"                                                               \
    "testname multiple\n"                                                      \
    "blocksize 0.1\n"                                                          \
    "data w s\n"                                                               \
    "rank 0\ncount 3\nw 0.000000001\nw 0.500000000\nw 4.294967295\n"           \
    "rank 1\ncount 1\nlost 7\nsaturated 0\nnovelty x\nw 0.000000000\n"         \
    "end\n"

static char path[] = "/tmp/pario-test-timings-XXXXXX";

static int write_and_open(const char *text, size_t len,
                          struct pario_timings **timings_p)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
    return pario_timings_open(path, timings_p);
}

static struct pario_timings *open_text(const char *text)
{
    struct pario_timings *timings = NULL;

    assert_int_equal(write_and_open(text, strlen(text), &timings), 0);
    return timings;
}

static void fails(const char *text, const char *place, const char *message)
{
    struct pario_timings *timings = NULL;

    assert_int_equal(write_and_open(text, strlen(text), &timings),
                     PARIO_EFORMAT);
    assert_null(timings);
    assert_non_null(strstr(pario_error_message(), place));
    assert_non_null(strstr(pario_error_message(), message));
}

struct taken {
    int64_t ns[64];
    size_t count;
};

static int take(void *context, const int64_t *ns, size_t count)
{
    struct taken *taken = context;

    memcpy(taken->ns + taken->count, ns, count * sizeof(*ns));
    taken->count += count;
    return 0;
}

static struct taken read_section(const struct pario_timings *timings,
                                 size_t block, size_t section)
{
    struct taken taken = {.count = 0};

    assert_int_equal(
        pario_timings_read(timings, &timings->blocks[block],
                           &timings->blocks[block].sections[section], take,
                           &taken),
        0);
    return taken;
}

static void test_open_good_block_gives_samples(void **state)
{
    struct pario_timings *timings = open_text(GOOD);
    const struct pario_timings_block *block = &timings->blocks[0];
    struct taken taken;

    (void)state;
    assert_int_equal(timings->nblocks, 1);
    assert_int_equal(timings->ncomplaints, 0);
    assert_int_equal(block->nsections, 2);
    assert_string_equal(pario_timings_value(block, "testname"), "multiple");
    assert_int_equal((int64_t)pario_timings_block_bytes(block), 100000);
    taken = read_section(timings, 0, 0);
    assert_int_equal(taken.count, 3);
    assert_int_equal(taken.ns[0], 1);
    assert_int_equal(taken.ns[1], 500000000);
    assert_int_equal(taken.ns[2], 4294967295);
    assert_int_equal(block->sections[1].lost, 7);
    taken = read_section(timings, 0, 1);
    assert_int_equal(taken.count, 1);
    assert_int_equal(taken.ns[0], 0);
    pario_timings_close(timings);
}

static void test_open_concatenation_gives_all_blocks(void **state)
{
    struct pario_timings *timings = open_text(GOOD "# comment\n\n" GOOD);

    (void)state;
    assert_int_equal(timings->nblocks, 2);
    assert_int_equal(timings->ncomplaints, 0);
    assert_int_equal(read_section(timings, 1, 0).ns[1], 500000000);
    pario_timings_close(timings);
}

/* A block cut anywhere is left out with its line; the next is there. */
static void test_open_cut_block_keeps_the_others(void **state)
{
    size_t len = strlen(GOOD);
    char text[4 * sizeof(GOOD)];

    (void)state;
    for (size_t cut = strlen("block pario-timings/1\n"); cut < len - 4; cut++) {
        struct pario_timings *timings;

        snprintf(text, sizeof(text), "%s%.*s\n%s", GOOD, (int)cut, GOOD, GOOD);
        timings = open_text(text);
        /* Cut inside the digits of a time the next line tells. */
        assert_int_equal(timings->nblocks, 2);
        assert_true(timings->ncomplaints >= 1);
        assert_non_null(strstr(timings->complaints[0], path));
        assert_non_null(strstr(timings->complaints[0], "line 19"));
        pario_timings_close(timings);
    }
}

static void test_open_bad_blocks_says_line_and_reason(void **state)
{
    (void)state;
    fails("", ":1:", "no timings");
    fails("{\"schema\": 1}\n", ":1:", "no block of timings begins here");
    fails("block pario-timings/2\nnprocs 1\n", ":1:", "does not read");
    fails("block pario-timings/1\nnprocs 1\ndata w parsec\n", ":3:", "unit");
    fails("block pario-timings/1\ndata w s\n", ":2:", "nprocs");
    fails("block pario-timings/1\nnprocs -1\ndata w s\n", ":3:", "nprocs");
    fails("block pario-timings/1\nnprocs 1\nend\n", ":3:", "`data`");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 1\n",
          ":4:", "not the next rank");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\nw 1\n",
          ":5:", "count NUMBER");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
          "w nan\nend\n",
          ":6:", "not a finite time");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
          "w -1\nend\n",
          ":6:", "negative");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
          "w 0.1x\nend\n",
          ":6:", "not a time");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 2\n"
          "w 0.1\nend\n",
          ":7:", "announced");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
          "w 0.1\nw 0.1\nend\n",
          ":7:", "neither");
    fails("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
          "w 0.1\n",
          ":6:", "cut off");
    fails("classname Lowlevel\ntestname single\n", ":2:", "input file");
}

static void test_open_binary_and_long_lines_are_left_out(void **state)
{
    size_t len = 400000;
    char *text = malloc(len + sizeof(GOOD));
    struct pario_timings *timings = NULL;

    (void)state;
    assert_non_null(text);
    memset(text, 0, len);
    text[len - 1] = '\n';
    memcpy(text + len, GOOD, sizeof(GOOD));
    assert_int_equal(write_and_open(text, len + sizeof(GOOD) - 1, &timings), 0);
    assert_int_equal(timings->nblocks, 1);
    assert_int_equal(timings->ncomplaints, 1);
    pario_timings_close(timings);
    free(text);
}

static void test_open_original_file_splits_by_keyword(void **state)
{
    struct pario_timings *timings = open_text(
        "classname Lowlevel\ntestname single\nfilesize 10\nblocksize 0.5\n"
        "w 0.25\nr 1e-3\nw 0.5\nblocksize 1.0\nw 2\nclassname Lowlevel\n"
        "testname multiple\nr 0.125\n");

    (void)state;
    /* Writes and reads are two measurements: their rates do not add up. */
    assert_int_equal(timings->nblocks, 4);
    assert_int_equal(timings->blocks[0].nsections, 1);
    assert_int_equal(timings->blocks[1].nsections, 1);
    assert_int_equal(read_section(timings, 0, 0).count, 2);
    assert_int_equal(read_section(timings, 0, 0).ns[1], 500000000);
    assert_int_equal(read_section(timings, 1, 0).ns[0], 1000000);
    assert_string_equal(pario_timings_value(&timings->blocks[1], "testname"),
                        "single");
    assert_int_equal((int64_t)pario_timings_block_bytes(&timings->blocks[2]),
                     1000000);
    assert_int_equal((int64_t)pario_timings_file_bytes(&timings->blocks[2]),
                     10000000);
    assert_int_equal(read_section(timings, 3, 0).ns[0], 125000000);
    pario_timings_close(timings);
}

static void check_sizes(const struct pario_timings *timings)
{
    const struct pario_timings_block *block = &timings->blocks[0];
    struct pario_figure_list figures = {.count = 0};
    const struct pario_curve *curve;
    const char *why = NULL;
    struct pario_lane_plan plan = {.last = -1};

    assert_int_equal(timings->nblocks, 1);
    assert_int_equal(timings->ncomplaints, 0);
    assert_non_null(block->sizes);
    assert_int_equal(block->sizes[0].count, 3);
    assert_int_equal(pario_allav_figures(timings, &plan, -1, &figures, &why),
                     0);
    assert_null(why);
    assert_int_equal(figures.count, 1);
    assert_string_equal(figures.items[0]->id, "allav-sizes");
    curve = &figures.items[0]->series[0];
    /* An empty record, 1000 bytes in 1 ms, 4000 bytes in 2 ms. */
    assert_int_equal(curve->count, 3);
    assert_true(curve->points[1].x == 1000);
    assert_true(fabs(curve->points[1].y - 1) < 1e-9);
    assert_true(curve->points[2].x == 4000);
    assert_true(fabs(curve->points[2].y - 2) < 1e-9);
    pario_figure_list_fini(&figures);
}

static void test_sizes_of_calls_belong_to_their_times(void **state)
{
    struct pario_timings *timings = open_text(
        "block pario-timings/1\nsuite iot\ntestname sharedfp\nnprocs 1\n"
        "data w s\nrank 0\ncount 3\nw 0.001000000\nw 0.000500000\n"
        "w 0.002000000\nend\nblock pario-timings/1\nsuite iot\n"
        "testname sharedfp\nnprocs 1\ndata b bytes\nrank 0\ncount 3\n"
        "b 1000\nb 0\nb 4000\nend\n");

    (void)state;
    check_sizes(timings);
    pario_timings_close(timings);
    timings = open_text("classname Kernel\ntestname sharedfp\nfilesize 1\n"
                        "w 0.001\nb 1000\nw 0.0005\nb 0\nw 0.002\n"
                        "b 4000\n");
    check_sizes(timings);
    pario_timings_close(timings);
}

/* Two sets of one test: each has its own curves. */
static void test_each_set_with_sizes_is_drawn(void **state)
{
    struct pario_timings *timings = open_text(
        "classname Kernel\ntestname sharedfp\nfilesize 1\nw 0.001\nb 1000\n"
        "classname Kernel\ntestname sharedfp\nfilesize 2\nw 0.004\nb 2000\n");
    struct pario_lane_plan plan = {.last = -1};
    struct pario_figure_list figures = {.count = 0};
    const char *why = NULL;

    (void)state;
    assert_int_equal(timings->nblocks, 2);
    assert_int_equal(pario_allav_figures(timings, &plan, -1, &figures, &why),
                     0);
    assert_null(why);
    assert_int_equal(figures.count, 2);
    assert_string_equal(figures.items[0]->id, "allav-sizes");
    assert_string_equal(figures.items[1]->id, "allav-sizes-2");
    assert_non_null(
        strstr(figures.items[0]->title, "set 1 of 2, file 977 KiB"));
    assert_non_null(
        strstr(figures.items[1]->title, "set 2 of 2, file 1.91 MiB"));
    assert_true(fabs(figures.items[0]->series[0].points[0].y - 1) < 1e-9);
    assert_true(fabs(figures.items[1]->series[0].points[0].y - 0.5) < 1e-9);
    pario_figure_list_fini(&figures);
    /* Only the calls asked for: there is but one in each. */
    plan.first = 1;
    assert_int_equal(pario_allav_figures(timings, &plan, -1, &figures, &why),
                     0);
    assert_int_equal(figures.count, 0);
    assert_non_null(strstr(why, "none of the calls"));
    /* Of a process that is in none of them there is nothing to draw. */
    assert_int_equal(pario_allav_figures(timings, &plan, 7, &figures, &why), 0);
    assert_int_equal(figures.count, 0);
    assert_non_null(strstr(why, "no block tells"));
    pario_timings_close(timings);
}

static void test_sizes_without_their_times_are_complained_about(void **state)
{
    struct pario_timings *timings =
        open_text("block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount 1\n"
                  "w 0.001000000\nend\nblock pario-timings/1\nnprocs 1\n"
                  "data b bytes\nrank 0\ncount 2\nb 1\nb 2\nend\n");

    (void)state;
    assert_int_equal(timings->nblocks, 1);
    assert_null(timings->blocks[0].sizes);
    assert_int_equal(timings->ncomplaints, 1);
    pario_timings_close(timings);
}

static void test_open_other_units_are_converted(void **state)
{
    struct pario_timings *timings =
        open_text("block pario-timings/1\nnprocs 1\ndata r us\nrank 0\n"
                  "count 1\nr 12.5\nend\n");

    (void)state;
    assert_int_equal(read_section(timings, 0, 0).ns[0], 12500);
    pario_timings_close(timings);
}

/* --- lanes --------------------------------------------------------------- */

static struct pario_timings *open_times(int count, const int *us)
{
    char text[16384];
    size_t used;

    used = (size_t)snprintf(text, sizeof(text),
                            "block pario-timings/1\nnprocs 1\nblock_bytes "
                            "1000\ndata w s\nrank 0\ncount %d\n",
                            count);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "w 0.%06d000\n", us[i]);
    snprintf(text + used, sizeof(text) - used, "end\n");
    return open_text(text);
}

static void test_lane_bands_are_least_median_greatest(void **state)
{
    static const int us[] = {5, 1, 9, 3, 7, 2, 8, 6, 4, 100};
    struct pario_timings *timings = open_times(10, us);
    struct pario_lane_plan plan = {
        .last = -1, .columns = 2, .levels = 2, .exact_limit = 100};
    struct pario_lane lane;

    (void)state;
    assert_int_equal(pario_lane_init(timings, &timings->blocks[0],
                                     &timings->blocks[0].sections[0], &plan,
                                     &lane),
                     0);
    assert_int_equal(lane.count, 10);
    assert_int_equal(lane.level[0].count, 2);
    assert_int_equal(lane.level[0].width, 5);
    assert_int_equal(lane.level[0].low[0], 1000);
    assert_int_equal(lane.level[0].median[0], 5000);
    assert_int_equal(lane.level[0].high[0], 9000);
    assert_int_equal(lane.level[0].median[1], 6000);
    assert_int_equal(lane.level[0].high[1], 100000);
    assert_int_equal(lane.exact[9], 100000);
    pario_lane_fini(&lane);

    plan.first = 2;
    plan.last = 4;
    plan.exact_limit = 1;
    assert_int_equal(pario_lane_init(timings, &timings->blocks[0],
                                     &timings->blocks[0].sections[0], &plan,
                                     &lane),
                     0);
    assert_int_equal(lane.count, 2);
    assert_int_equal(lane.first, 2);
    assert_int_equal(lane.level[0].low[0], 9000);
    assert_int_equal(lane.level[0].low[1], 3000);
    assert_null(lane.exact);
    pario_lane_fini(&lane);
    pario_timings_close(timings);
}

static void test_regimes_of_a_step_are_found_and_of_noise_not(void **state)
{
    int us[400];
    struct pario_lane_plan plan = {.last = -1, .columns = 100, .levels = 1};
    struct pario_regimes regimes = {.at = 0};

    (void)state;
    for (int step = 0; step < 2; step++) {
        struct pario_timings *timings;
        struct pario_lane lane;

        for (int i = 0; i < 400; i++)
            us[i] = (step && i >= 120 ? 500 : 100) + i * 7919 % 20;
        timings = open_times(400, us);
        assert_int_equal(pario_lane_init(timings, &timings->blocks[0],
                                         &timings->blocks[0].sections[0], &plan,
                                         &lane),
                         0);
        assert_int_equal(pario_lane_regimes(&lane, &regimes), step);
        pario_lane_fini(&lane);
        pario_timings_close(timings);
    }
    assert_int_equal(regimes.at, 120);
    assert_true(regimes.after_ns > 4 * regimes.before_ns);
}

static void test_rate_of_lanes_is_bytes_by_mean_time(void **state)
{
    int us[100];
    struct pario_lane_plan plan = {.last = -1, .columns = 10, .levels = 1};
    struct pario_timings *timings;
    struct pario_lanes lanes;
    double rate, half;

    (void)state;
    for (int i = 0; i < 100; i++)
        us[i] = 50 + i % 2 * 100;
    timings = open_times(100, us);
    assert_int_equal(
        pario_lanes_init(timings, &timings->blocks[0], -1, &plan, &lanes), 0);
    rate = pario_lanes_rate(&timings->blocks[0], &lanes, &half);
    assert_true(rate > 9.999 && rate < 10.001); /* 1000 bytes in 100 us */
    assert_true(half >= 0 && half < 1);
    pario_lanes_fini(&lanes);
    assert_int_equal(
        pario_lanes_init(timings, &timings->blocks[0], 3, &plan, &lanes),
        PARIO_EUSAGE);
    pario_timings_close(timings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_good_block_gives_samples),
        cmocka_unit_test(test_open_concatenation_gives_all_blocks),
        cmocka_unit_test(test_open_cut_block_keeps_the_others),
        cmocka_unit_test(test_open_bad_blocks_says_line_and_reason),
        cmocka_unit_test(test_open_binary_and_long_lines_are_left_out),
        cmocka_unit_test(test_open_original_file_splits_by_keyword),
        cmocka_unit_test(test_sizes_of_calls_belong_to_their_times),
        cmocka_unit_test(test_each_set_with_sizes_is_drawn),
        cmocka_unit_test(test_sizes_without_their_times_are_complained_about),
        cmocka_unit_test(test_open_other_units_are_converted),
        cmocka_unit_test(test_lane_bands_are_least_median_greatest),
        cmocka_unit_test(test_regimes_of_a_step_are_found_and_of_noise_not),
        cmocka_unit_test(test_rate_of_lanes_is_bytes_by_mean_time),
    };
    int fd = mkstemp(path), failed;

    if (fd < 0)
        return 1;
    close(fd);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
