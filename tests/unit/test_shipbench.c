/* The layouts of the benchmarks, the race of tune. */
#include "core/rng.h"
#include "suites/shipbench/layout.h"
#include "suites/tune/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct ship_amounts amounts = {
    .file_bytes = 3 * 64 << 10,
    .region_bytes = 64 << 10,
    .block_bytes = 1024,
    .ship_blocks = 50,
    .ship_bytes = 4096,
    .ship_per_call = 1,
    .range_blocks = 10,
    .range_subblocks = 32,
    .subblock_bytes = 4096,
    .file_block_bytes = 256 << 10,
    .sparse_stripes = 20,
    .sparse_bytes = 16 << 10,
    .stripe_bytes = 256 << 10,
    .sparsity = 25,
    .lattice = {.local = {4, 3, 2, 3}, .ghost = 2, .site_bytes = 24},
    .seed = 7,
};

/* Marks every block of all tasks; no block twice. Returns blocks in all. */
static int64_t mark(enum ship_test test, int size, unsigned char *seen,
                    size_t places)
{
    int64_t blocks = 0;

    for (int rank = 0; rank < size; rank++) {
        struct ship_layout layout;

        assert_int_equal(ship_layout_init(test, &amounts, rank, size, &layout),
                         0);
        for (int64_t i = 0; i < layout.calls * layout.per_call; i++) {
            int64_t place = layout.offset[i] / layout.block_bytes;

            assert_int_equal(layout.offset[i] % layout.block_bytes, 0);
            assert_true(layout.offset[i] + layout.block_bytes <=
                        layout.file_bytes);
            assert_true((size_t)place < places);
            assert_int_equal(seen[place]++, 0);
            if (layout.collective && i % layout.per_call > 0)
                assert_true(layout.offset[i] > layout.offset[i - 1]);
            blocks++;
        }
        ship_layout_fini(&layout);
    }
    return blocks;
}

static void test_discontiguous_tiles_the_file(void **state)
{
    unsigned char seen[192] = {0};

    (void)state;
    assert_int_equal(mark(SHIP_DISCONTIGUOUS, 4, seen, 192), 192);
    assert_null(memchr(seen, 0, sizeof(seen)));
}

static void test_shipping_scatters_equal_numbers(void **state)
{
    unsigned char seen[300] = {0};

    (void)state;
    assert_int_equal(mark(SHIP_SHIPPING, 3, seen, 300), 150);
}

/* Several blocks in one call ascend there; the file is as large as asked. */
static void test_shipping_several_blocks_a_call_ascend(void **state)
{
    struct ship_amounts more = amounts;
    unsigned char seen[170] = {0};

    (void)state;
    more.ship_per_call = 4;
    more.ship_file_bytes = 170 * 4096 + 100;
    for (int rank = 0; rank < 3; rank++) {
        struct ship_layout layout;

        assert_int_equal(
            ship_layout_init(SHIP_SHIPPING, &more, rank, 3, &layout), 0);
        assert_int_equal(layout.file_bytes, 170 * 4096);
        assert_int_equal(layout.calls, 12); /* of 50 blocks */
        for (int64_t i = 0; i < layout.calls * 4; i++) {
            assert_true(layout.offset[i] / 4096 < 170);
            assert_int_equal(seen[layout.offset[i] / 4096]++, 0);
            if (i % 4 > 0)
                assert_true(layout.offset[i] > layout.offset[i - 1]);
        }
        ship_layout_fini(&layout);
    }
}

static void test_ranges_stay_in_their_file_blocks(void **state)
{
    static unsigned char seen[20 * 64];
    int in_block;

    (void)state;
    assert_int_equal(mark(SHIP_RANGES, 2, seen, sizeof(seen)), 2 * 10 * 32);
    for (size_t b = 0; b < 20; b++) {
        in_block = 0;
        for (size_t s = 0; s < 64; s++)
            in_block += seen[b * 64 + s];
        assert_int_equal(in_block, 32);
    }
}

static void test_sparse_has_one_block_a_task_and_stripe(void **state)
{
    static unsigned char seen[60 * 16];

    (void)state;
    /* 20 stripes a task, a quarter of the 60: 15 blocks each. */
    assert_int_equal(mark(SHIP_SPARSE, 3, seen, sizeof(seen)), 3 * 15);
    for (int rank = 0; rank < 3; rank++) {
        unsigned char stripe[60] = {0};
        struct ship_layout layout;

        assert_int_equal(
            ship_layout_init(SHIP_SPARSE, &amounts, rank, 3, &layout), 0);
        for (int64_t i = 0; i < layout.per_call; i++)
            assert_int_equal(stripe[layout.offset[i] >> 18]++, 0);
        ship_layout_fini(&layout);
    }
}

/* On any number of tasks, and each knows whose a run of the file is. */
static void test_lattice_tiles_the_file_and_knows_owners(void **state)
{
    (void)state;
    for (int size = 1; size <= 16; size++) {
        unsigned char seen[16 * 18] = {0};
        size_t places = (size_t)size * 18;

        assert_int_equal(mark(SHIP_LATTICE, size, seen, places), places);
        for (int rank = 0; rank < size; rank++) {
            struct ship_layout layout;

            assert_int_equal(
                ship_layout_init(SHIP_LATTICE, &amounts, rank, size, &layout),
                0);
            assert_int_equal(layout.block_bytes, 4 * 24);
            for (int64_t i = 0; i < layout.per_call; i++)
                assert_int_equal(
                    ship_lattice_owner(&layout.lattice,
                                       layout.offset[i] / layout.block_bytes),
                    rank);
            ship_layout_fini(&layout);
        }
    }
}

/* x stays whole while t, z and y can be cut. */
static void test_lattice_grid_is_near_a_hypercube(void **state)
{
    static const struct {
        int size;
        int64_t grid[SHIP_DIMS];
    } cases[] = {{1, {1, 1, 1, 1}},  {2, {1, 1, 1, 2}},  {4, {1, 1, 2, 2}},
                 {6, {1, 1, 2, 3}},  {8, {1, 2, 2, 2}},  {16, {2, 2, 2, 2}},
                 {32, {2, 2, 2, 4}}, {81, {3, 3, 3, 3}}, {7, {1, 1, 1, 7}}};

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        int64_t grid[SHIP_DIMS];

        ship_lattice_grid(cases[c].size, grid);
        assert_memory_equal(grid, cases[c].grid, sizeof(grid));
    }
}

static void test_lattice_runs_lie_between_ghost_cells(void **state)
{
    struct ship_layout layout;

    (void)state;
    assert_int_equal(ship_layout_init(SHIP_LATTICE, &amounts, 0, 2, &layout),
                     0);
    assert_int_equal(ship_layout_held(&layout), 8 * 7 * 6 * 7 * 24);
    /* Two sites of x, two rows of y, two planes of z, two cubes of t. */
    assert_int_equal(ship_layout_memory(&layout, 0),
                     24 * (2 + 8 * (2 + 7 * (2 + 6 * 2))));
    assert_int_equal(ship_layout_memory(&layout, 1) -
                         ship_layout_memory(&layout, 0),
                     24 * 8);
    assert_int_equal(ship_layout_memory(&layout, 17) + 24 * 4,
                     ship_layout_held(&layout) -
                         24 * (2 + 8 * (2 + 7 * (2 + 6 * 2))));
    ship_layout_fini(&layout);
}

/* A job's value for each round, with noise of 10 % that hits all alike. */
static void add_jobs(struct tune_contender *one, double mbps, int n)
{
    for (int i = 0; i < n; i++)
        one->race.mbps[one->race.rounds++] = mbps * (i % 2 ? 1.1 : 0.9);
}

static const struct tune_field mpich = {
    .mpi = "MPICH 4", .processes = 4, .native = 1, .shipio = 1};

static void test_race_drops_who_is_surely_slower(void **state)
{
    struct tune_race race;

    (void)state;
    assert_int_equal(tune_race_init(&race, &mpich), 0);
    assert_true(race.count > 5);
    assert_string_equal(race.one[0].name, "native default");
    assert_true(race.one[0].is_default);
    assert_non_null(strstr(race.one[1].hints, "cb_nodes=4;"));
    for (int i = 0; i < race.count; i++)
        add_jobs(&race.one[i], 100 + i, 2);
    assert_int_equal(tune_race_leader(&race), race.count - 1);
    /* Two jobs prove nothing, unless far behind. */
    assert_int_equal(tune_race_eliminate(&race), race.count);
    for (int i = 0; i < race.count; i++)
        add_jobs(&race.one[i], 100 + i, 1);
    assert_int_equal(tune_race_eliminate(&race), 1);
    tune_race_fini(&race);
}

static void test_race_keeps_who_may_be_faster(void **state)
{
    struct tune_race race;
    static const double noisy[] = {90, 140, 80};

    (void)state;
    assert_int_equal(tune_race_init(&race, &mpich), 0);
    race.count = 4;
    add_jobs(&race.one[0], 110, 3);
    for (int i = 0; i < 3; i++)
        race.one[1].race.mbps[race.one[1].race.rounds++] = noisy[i];
    add_jobs(&race.one[2], 10, 2); /* far behind: out after two */
    add_jobs(&race.one[3], 10, 1); /* not after one */
    assert_int_equal(tune_race_eliminate(&race), 3);
    assert_int_equal(race.one[1].state, TUNE_IN);
    assert_int_equal(race.one[2].state, TUNE_SLOWER);
    assert_int_equal(race.one[3].state, TUNE_IN);
    tune_race_fini(&race);
}

static void test_a_job_gives_one_value(void **state)
{
    struct tune_race race;
    struct tune_contender *one;

    (void)state;
    assert_int_equal(tune_race_init(&race, &mpich), 0);
    one = &race.one[0];
    for (int i = 0; i < 100; i++) /* more than fit are dropped */
        tune_pass_add(one, 100 + i);
    tune_race_close(&race, 0, 0);
    assert_int_equal(tune_jobs(&one->race), 1);
    assert_true(one->race.mbps[0] > 100 && one->race.mbps[0] < 120);
    /* A round without a pass is a gap, not a value. */
    tune_race_close(&race, 0, 1);
    tune_pass_add(one, 50);
    tune_race_close(&race, 0, 2);
    assert_int_equal(tune_jobs(&one->race), 2);
    /* The race may be full: the confirmation has its own place. */
    tune_pass_add(one, 70);
    tune_race_close(&race, 0, TUNE_MAX_ROUNDS);
    assert_int_equal(tune_jobs(&one->race), 2);
    tune_pass_add(one, 80);
    tune_race_close(&race, 1, 0);
    assert_int_equal(tune_jobs(&one->confirm), 1);
    assert_true(tune_median(&one->confirm) > 79);
    tune_race_fini(&race);
}

/* With few processes, half of them is one: no contender stands there twice. */
static void test_contenders_differ(void **state)
{
    static const char *const given[] = {"cb_nodes=1", "x{y=2", NULL};
    struct tune_field field = mpich;
    struct tune_race race;

    (void)state;
    field.extra = given;
    field.yield = "/lib/y.so";
    for (field.processes = 1; field.processes < 6; field.processes++) {
        int yields = 0;

        assert_int_equal(tune_race_init(&race, &field), 0);
        for (int i = 0; i < race.count; i++) {
            yields += strcmp(race.one[i].variable, "LD_PRELOAD=/lib/y.so") == 0;
            for (int k = 0; k < i; k++)
                assert_false(
                    race.one[i].shipio == race.one[k].shipio &&
                    !strcmp(race.one[i].hints, race.one[k].hints) &&
                    !strcmp(race.one[i].variable, race.one[k].variable));
        }
        assert_true(yields > 10);
        tune_race_fini(&race);
    }
}

static double gauss(struct pario_rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)pario_rng_below(rng, 1000000) / 1e6;
    return sum;
}

/* Races with noise as it is: every job is faster or slower as a whole, the
 * contenders of one environment share a job. Returns how often the true best
 * (a tenth better) was dropped. */
static int best_dropped(int races, double job_noise, double pass_noise)
{
    struct pario_rng rng;
    int dropped = 0;

    pario_rng_init(&rng, 5);
    for (int n = 0; n < races; n++) {
        struct tune_race race;

        assert_int_equal(tune_race_init(&race, &mpich), 0);
        race.count = 12;
        for (int round = 0; round < 6; round++) {
            double luck[4];

            for (int j = 0; j < 4; j++)
                luck[j] = exp(job_noise * gauss(&rng));
            for (int i = 0; i < race.count; i++)
                for (int p = 0; race.one[i].state == TUNE_IN && p < 3; p++)
                    tune_pass_add(&race.one[i],
                                  (i == 0 ? 110 : 100) * luck[i % 4] *
                                      exp(pass_noise * gauss(&rng)));
            tune_race_close(&race, 0, round);
            (void)tune_race_eliminate(&race);
        }
        dropped += race.one[0].state != TUNE_IN;
        tune_race_fini(&race);
    }
    return dropped;
}

static void test_luck_of_a_job_drops_nobody(void **state)
{
    (void)state;
    /* Six looks at a chance of a half per cent each, with luck of 15 %. */
    assert_in_range(best_dropped(300, 0.15, 0.03), 0, 300 * 3 / 100);
    assert_in_range(best_dropped(300, 0.05, 0.10), 0, 300 * 3 / 100);
}

static void test_compare_gives_ratio_and_interval(void **state)
{
    struct tune_contender *a = calloc(2, sizeof(*a));
    struct tune_ratio ratio, wide;

    (void)state;
    assert_non_null(a);
    add_jobs(&a[0], 200, 6);
    add_jobs(&a[1], 100, 6);
    a[0].race.mbps[5] *= 1.2;
    ratio = tune_compare(&a[0].race, &a[1].race, TUNE_95);
    assert_int_equal(ratio.jobs, 6);
    assert_true(ratio.low < 2 && ratio.ratio > 2 && ratio.ratio < 2.2 &&
                ratio.high > ratio.ratio && ratio.low > 1.8);
    wide = tune_compare(&a[0].race, &a[1].race, TUNE_99);
    assert_true(wide.low < ratio.low && wide.high > ratio.high);
    /* Only rounds that both have count; one proves nothing. */
    for (int r = 0; r < 5; r++)
        a[1].race.mbps[r] = 0;
    ratio = tune_compare(&a[0].race, &a[1].race, TUNE_95);
    assert_int_equal(ratio.jobs, 1);
    assert_true(ratio.low == 0);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discontiguous_tiles_the_file),
        cmocka_unit_test(test_shipping_scatters_equal_numbers),
        cmocka_unit_test(test_shipping_several_blocks_a_call_ascend),
        cmocka_unit_test(test_ranges_stay_in_their_file_blocks),
        cmocka_unit_test(test_sparse_has_one_block_a_task_and_stripe),
        cmocka_unit_test(test_lattice_tiles_the_file_and_knows_owners),
        cmocka_unit_test(test_lattice_grid_is_near_a_hypercube),
        cmocka_unit_test(test_lattice_runs_lie_between_ghost_cells),
        cmocka_unit_test(test_race_drops_who_is_surely_slower),
        cmocka_unit_test(test_race_keeps_who_may_be_faster),
        cmocka_unit_test(test_a_job_gives_one_value),
        cmocka_unit_test(test_contenders_differ),
        cmocka_unit_test(test_luck_of_a_job_drops_nobody),
        cmocka_unit_test(test_compare_gives_ratio_and_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
