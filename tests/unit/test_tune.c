/* From the races of all types to one way to run them. */
#include "suites/tune/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tune_field openmpi = {
    .mpi = "Open MPI 4", .processes = 4, .native = 1, .shipio = 1};

static int find(const struct tune_race *race, const char *name)
{
    for (int i = 0; i < race->count; i++)
        if (strcmp(race->one[i].name, name) == 0)
            return i;
    fail_msg("no contender %s", name);
    return -1;
}

static void set(struct tune_values *values, double mbps)
{
    values->rounds = 0;
    for (int i = 0; i < 4; i++)
        values->mbps[values->rounds++] = mbps * (i % 2 ? 1.01 : 0.99);
}

/* In the races of this type, or of all (-1), and of this chunk size or all. */
static void race_all(struct tune_all *all, const char *name, int type,
                     int chunk, double mbps)
{
    for (int p = 0; p < TUNE_ALL; p++)
        if ((type < 0 || p / TUNE_CHUNKS == type) &&
            (chunk < 0 || p % TUNE_CHUNKS == chunk)) {
            struct tune_race *race = &all->race[p].race;

            set(&race->one[find(race, name)].race, mbps);
            set(&race->one[find(race, name)].confirm, mbps);
        }
}

static int setup(void **state)
{
    struct tune_all *all = calloc(1, sizeof(*all));

    if (all == NULL)
        return -1;
    for (int p = 0; p < TUNE_ALL; p++) {
        struct tune_race *race = &all->race[p].race;

        if (tune_race_init(race, &openmpi) != 0)
            return -1;
        for (int i = 0; i < race->count; i++) {
            set(&race->one[i].race, 100);
            set(&race->one[i].confirm, 100);
        }
    }
    *state = all;
    return 0;
}

static int teardown(void **state)
{
    struct tune_all *all = *state;

    for (int p = 0; p < TUNE_ALL; p++)
        tune_race_fini(&all->race[p].race);
    free(all);
    return 0;
}

static const char *name_of(const struct tune_all *all, int i)
{
    return i < 0 ? "nobody" : tune_all_contenders(all)[i].name;
}

/* A run has one environment: the best over all types, though another one is
 * faster in each of two. */
static void test_choose_takes_one_environment_for_all_types(void **state)
{
    struct tune_all *all = *state;

    race_all(all, "OMPIO vulcan", 0, -1, 400);
    race_all(all, "shipio direct", 3, -1, 400);
    race_all(all, "romio321 default", -1, -1, 200);
    race_all(all, "romio321 cb 4M", -1, -1, 250);
    race_all(all, "romio321 independent", 2, -1, 300);
    tune_all_choose(all);
    assert_string_equal(name_of(all, all->own), "romio321 default");
    for (int type = 0; type < TUNE_TYPES; type++)
        assert_string_equal(name_of(all, all->choice[type]),
                            type == 2 ? "romio321 independent"
                                      : "romio321 cb 4M");
    assert_string_equal(name_of(all, all->plain), "romio321 cb 4M");
}

/* Hints are given at open, for all chunk sizes of a type. */
static void test_choose_weighs_chunk_sizes_alike(void **state)
{
    struct tune_all *all = *state;

    race_all(all, "shipio default", -1, -1, 300);
    race_all(all, "shipio ship 64k", 0, 0, 900); /* 900, 100, 100 MB/s */
    race_all(all, "shipio ship 1M", 0, 0, 250);  /* 250, 400, 400 MB/s */
    race_all(all, "shipio ship 1M", 0, 1, 400);
    race_all(all, "shipio ship 1M", 0, 2, 400);
    tune_all_choose(all);
    assert_string_equal(name_of(all, all->own), "shipio default");
    assert_string_equal(name_of(all, all->choice[0]), "shipio ship 1M");
    assert_string_equal(name_of(all, all->choice[1]), "shipio default");
    assert_string_equal(name_of(all, all->plain), "shipio default");
}

static void test_choose_leaves_out_who_failed_once(void **state)
{
    struct tune_all *all = *state;
    struct tune_race *race = &all->race[4].race; /* type 1 */

    race_all(all, "shipio default", -1, -1, 200);
    race_all(all, "shipio ship 1M", -1, -1, 300);
    race->one[find(race, "shipio ship 1M")].state = TUNE_STRUCK;
    tune_all_choose(all);
    assert_string_equal(name_of(all, all->choice[0]), "shipio ship 1M");
    assert_string_equal(name_of(all, all->choice[1]), "shipio default");
    assert_string_equal(name_of(all, all->plain), "shipio default");
    /* A library that fails in a type altogether is worse than any. */
    for (int i = 0; i < race->count; i++)
        if (race->one[i].shipio)
            race->one[i].state = TUNE_STRUCK;
    tune_all_choose(all);
    assert_false(tune_all_contenders(all)[all->own].shipio);
    /* A pattern that failed for everybody counts for nobody. */
    tune_race_fini(&all->race[3].race);
    tune_race_fini(&all->race[4].race);
    tune_race_fini(&all->race[5].race);
    tune_all_choose(all);
    assert_true(tune_all_contenders(all)[all->own].shipio);
    assert_int_equal(all->choice[1], -1);
}

/* Whoever is not surely better than its own default gives way to it. */
static void test_decide_keeps_only_hints_that_are_worth_it(void **state)
{
    struct tune_all *all = *state;
    struct tune_race *race;

    race_all(all, "shipio default", -1, -1, 300);
    race_all(all, "shipio ship 1M", -1, -1, 330);
    tune_all_choose(all);
    assert_string_equal(name_of(all, all->choice[2]), "shipio ship 1M");
    /* In the confirmation it is no better in type 2. */
    for (int p = 6; p < 9; p++) {
        race = &all->race[p].race;
        set(&race->one[find(race, "shipio ship 1M")].confirm, 290);
    }
    tune_all_decide(all);
    assert_true(all->won);
    assert_string_equal(name_of(all, all->choice[1]), "shipio ship 1M");
    assert_string_equal(name_of(all, all->choice[2]), "shipio default");
    assert_true(all->type_over_nothing[1].low > 3.2);
    assert_true(all->type_over_nothing[2].high < 3.2);
    assert_true(all->over_nothing.low > 3 && all->over_nothing.high < 3.3);
    assert_string_equal(name_of(all, all->leader[2]), "shipio ship 1M");
    assert_true(all->type_over_own[2].high < 1);
    /* 330^12 290^3 over 300^15 */
    assert_true(all->plain_over_own.ratio > 1.06 &&
                all->plain_over_own.ratio < 1.08);
}

static void test_decide_nothing_better_has_no_winner(void **state)
{
    struct tune_all *all = *state;

    race_all(all, "shipio default", -1, -1, 300);
    tune_all_choose(all);
    assert_string_equal(name_of(all, all->own), "shipio default");
    race_all(all, "shipio default", -1, -1, 99);
    tune_all_decide(all);
    assert_false(all->won);
    assert_true(all->over_nothing.ratio < 1);
    /* Doing nothing, but with hints for one type. */
    race_all(all, "OMPIO cb 4M", 4, -1, 300);
    tune_all_choose(all);
    assert_int_equal(all->own, all->nothing);
    tune_all_decide(all);
    assert_true(all->won);
    assert_string_equal(name_of(all, all->choice[4]), "OMPIO cb 4M");
    assert_string_equal(name_of(all, all->choice[0]), "native default");
    /* One type of five is three times as fast; the rest is not compared with
     * itself. */
    assert_int_equal(all->type_over_nothing[0].jobs, 0);
    assert_true(all->over_nothing.ratio > 1.24 &&
                all->over_nothing.ratio < 1.25);
}

static void test_own_default_has_the_same_environment(void **state)
{
    struct tune_all *all = *state;
    const struct tune_race *race = &all->race[0].race;
    static const char *const pairs[][2] = {
        {"romio321 cb 4M", "romio321 default"},
        {"romio321 default", "romio321 default"},
        {"OMPIO cb 4M", "native default"},
        {"OMPIO vulcan", "OMPIO vulcan"},
        {"shipio direct", "shipio default"}};

    for (int i = 0; i < 5; i++)
        assert_int_equal(tune_race_own(race, find(race, pairs[i][0])),
                         find(race, pairs[i][1]));
}

#define ON_ALL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_ALL(test_choose_takes_one_environment_for_all_types),
        ON_ALL(test_choose_weighs_chunk_sizes_alike),
        ON_ALL(test_choose_leaves_out_who_failed_once),
        ON_ALL(test_decide_keeps_only_hints_that_are_worth_it),
        ON_ALL(test_decide_nothing_better_has_no_winner),
        ON_ALL(test_own_default_has_the_same_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
