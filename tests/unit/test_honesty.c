/* The judge of honesty: from what ranks were told to verdicts and a sum. */
#include "suites/honesty/honesty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A case that all ranks ended well; the fault, if it has one, was met. */
static struct honesty_result ended(const char *name, int size)
{
    struct honesty_result result = {
        .kase = honesty_case_find(name), .library = "native", .size = size};

    assert_non_null(result.kase);
    result.fired = result.kase->fault != NULL;
    for (int r = 0; r < size; r++) {
        result.rank[r].ended = HONESTY_STEPS;
        result.rank[r].intact = 1;
        result.rank[r].count = honesty_rank_bytes(result.kase);
        result.rank[r].true_count = result.rank[r].count;
    }
    return result;
}

static void tell(struct honesty_result *result, int r, enum honesty_step step)
{
    strcpy(result->rank[r].error[step], "MPI_ERR_IO");
}

static enum honesty_verdict verdict(struct honesty_result *result)
{
    honesty_judge(result);
    return result->verdict;
}

static void test_judge_silence_about_lost_data_is_lost(void **state)
{
    struct honesty_result result = ended("short-write_all", 3);

    (void)state;
    assert_int_equal(verdict(&result), HONESTY_CORRECT);
    result.rank[1].intact = 0;
    assert_int_equal(verdict(&result), HONESTY_LOST);
    assert_false(honesty_is_clean(result.verdict));
}

static void test_judge_counts_who_was_told(void **state)
{
    struct honesty_result all = ended("eio-write_all", 2);
    struct honesty_result local = ended("eio-write_at", 2);

    (void)state;
    all.rank[0].intact = all.rank[1].intact = 0;
    tell(&all, 0, HONESTY_ACCESS);
    assert_int_equal(verdict(&all), HONESTY_SOME);
    tell(&all, 1, HONESTY_CLOSE);
    assert_int_equal(verdict(&all), HONESTY_ALL);
    local.rank[1].intact = 0;
    tell(&local, 1, HONESTY_ACCESS);
    assert_int_equal(verdict(&local), HONESTY_LOCAL);
    /* Close may tell everybody, */
    tell(&local, 0, HONESTY_CLOSE);
    assert_int_equal(verdict(&local), HONESTY_ALL);
    /* but a write whose data is there has not failed. */
    tell(&local, 0, HONESTY_ACCESS);
    assert_int_equal(verdict(&local), HONESTY_ALARM);
    /* The wrong rank was told: the one whose data is lost was not. */
    local.rank[1].error[HONESTY_ACCESS][0] = '\0';
    assert_int_equal(verdict(&local), HONESTY_LOST);
}

static void test_judge_tells_hang_from_crash_and_unmet(void **state)
{
    struct honesty_result result = ended("eio-write_all", 2);

    (void)state;
    result.fired = 0;
    assert_int_equal(verdict(&result), HONESTY_UNMET);
    assert_false(honesty_is_clean(result.verdict));
    result.fired = 1;
    result.rank[1].ended = HONESTY_ACCESS;
    result.rank[1].begun = HONESTY_ACCESS;
    assert_int_equal(verdict(&result), HONESTY_CRASH);
    result.rank[1].alarm = 1;
    assert_int_equal(verdict(&result), HONESTY_HANG);
    assert_string_equal(result.detail, "1 rank in write_all");
    /* A rank that could not even hear its alarm. */
    result.rank[1].alarm = 0;
    result.timed_out = 1;
    assert_int_equal(verdict(&result), HONESTY_HANG);
}

/* A library that cannot even do it without a fault is not to be believed. */
static void test_judge_control_must_not_fail(void **state)
{
    struct honesty_result result = ended("control-write_all", 2);

    (void)state;
    assert_int_equal(verdict(&result), HONESTY_CORRECT);
    tell(&result, 0, HONESTY_ACCESS);
    tell(&result, 1, HONESTY_ACCESS);
    result.rank[0].intact = result.rank[1].intact = 0;
    assert_int_equal(verdict(&result), HONESTY_ALARM);
    assert_false(honesty_is_clean(result.verdict));
}

/* The same where the fault was to come and did not, or did no harm. */
static void test_judge_error_needs_its_fault(void **state)
{
    static const char *const names[] = {"eio-write_all", "eio-write_at",
                                        "eio-read_all", "eio-sync"};
    struct honesty_result harmless = ended("eio-write_at", 2);

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct honesty_result result = ended(names[i], 2);

        for (int r = 0; r < 2; r++) {
            tell(&result, r, HONESTY_ACCESS);
            result.rank[r].intact = 0;
        }
        assert_int_equal(verdict(&result), HONESTY_ALL);
        result.fired = 0;
        assert_int_equal(verdict(&result), HONESTY_ALARM);
    }
    tell(&harmless, 1, HONESTY_FLUSH);
    assert_int_equal(verdict(&harmless), HONESTY_ALARM);
}

static void test_judge_sync_that_never_syncs_is_seen(void **state)
{
    struct honesty_result result = ended("eio-sync", 2);

    (void)state;
    result.fired = 0; /* nothing was seen at all: the preload has no effect */
    assert_int_equal(verdict(&result), HONESTY_UNMET);
    result.witnessed = 1;
    assert_int_equal(verdict(&result), HONESTY_UNSYNCED);
    assert_false(honesty_is_clean(result.verdict));
}

static void test_outcome_needs_every_fault_of_every_library(void **state)
{
    struct honesty_result one[] = {
        ended("control-write_all", 2), ended("short-write_all", 2),
        ended("short-write_at", 2), ended("short-write_all", 2)};
    struct honesty_results results = {.one = one, .count = 4};
    struct honesty_sum sum;

    (void)state;
    one[3].library = "shipio";
    for (int i = 0; i < 4; i++)
        honesty_judge(&one[i]);
    assert_int_equal(honesty_outcome(&results), 0);
    one[2].fired = 0;
    honesty_judge(&one[2]);
    assert_int_equal(honesty_outcome(&results), PARIO_EVERIFY);
    assert_non_null(strstr(pario_error_message(), "1 of 2 faults"));
    /* One library that met its fault does not vouch for the other. */
    one[1].fired = 0;
    honesty_judge(&one[1]);
    assert_int_equal(honesty_outcome(&results), PARIO_EVERIFY);
    assert_non_null(strstr(pario_error_message(), "native: no fault happened"));
    sum = honesty_sum_of(&results, "native");
    assert_int_equal(sum.cases, 3);
    assert_int_equal(sum.bad, 0);
    assert_int_equal(sum.faults, 2);
    assert_int_equal(sum.unmet, 2);
    results.count = 1; /* only the control was asked for */
    assert_int_equal(honesty_outcome(&results), 0);
    tell(&one[0], 0, HONESTY_OPEN);
    honesty_judge(&one[0]);
    assert_int_equal(honesty_outcome(&results), PARIO_EVERIFY);
    results.count = 0;
    assert_int_equal(honesty_outcome(&results), PARIO_EVERIFY);
}

/* More than one buffer of 16 MiB for each node, however many processes. */
static void test_rounds_are_several_for_any_job(void **state)
{
    const struct honesty_case *kase = honesty_case_find("eio-write_all-rounds");

    (void)state;
    for (int processes = 2; processes <= HONESTY_MAX_RANKS; processes++)
        for (int nodes = 1; nodes <= processes; nodes++) {
            struct honesty_case sized =
                honesty_case_sized(kase, processes, nodes);
            int64_t whole = honesty_rank_bytes(&sized) * processes;

            assert_true(whole > (int64_t)nodes * 20000000);
            assert_true(whole < (int64_t)nodes * 30000000);
        }
}

/* What a read gave where the file had nothing. */
static void test_gap_is_told_apart(void **state)
{
    const struct pario_data data = {.key = 7, .file = 1};
    struct honesty_result result = ended("end-read_all", 2);
    char buf[4000], text[80];

    (void)state;
    memset(buf, HONESTY_UNTOUCHED, sizeof(buf));
    assert_int_equal(honesty_gap_of(&data, buf, 1000, 4000),
                     HONESTY_GAP_UNTOUCHED);
    memset(buf + 1000, 0, 3000);
    assert_int_equal(honesty_gap_of(&data, buf, 1000, 4000), HONESTY_GAP_ZEROS);
    pario_data_fill(&data, 64000, buf + 3000, 400);
    assert_int_equal(honesty_gap_of(&data, buf, 1000, 4000),
                     HONESTY_GAP_ZEROS | HONESTY_GAP_STALE);
    assert_int_equal(honesty_gap_of(&data, buf, 1000, 3000), HONESTY_GAP_ZEROS);
    memset(buf, 'x', 100);
    assert_int_equal(honesty_gap_of(&data, buf, 3, 100), HONESTY_GAP_OTHER);
    assert_int_equal(honesty_gap_of(&data, buf, 100, 100), 0);
    honesty_gap_text(HONESTY_GAP_ZEROS | HONESTY_GAP_STALE, text);
    assert_string_equal(text, "stale data and zeros");
    result.rank[1].true_count = 600;
    result.rank[1].intact = 0;
    result.rank[1].gap = HONESTY_GAP_STALE;
    assert_int_equal(verdict(&result), HONESTY_LOST);
    assert_string_equal(result.detail,
                        "data of 1 rank, rank 1: count 64000 of 600 that are "
                        "there; the gap holds stale data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_silence_about_lost_data_is_lost),
        cmocka_unit_test(test_judge_counts_who_was_told),
        cmocka_unit_test(test_judge_tells_hang_from_crash_and_unmet),
        cmocka_unit_test(test_judge_control_must_not_fail),
        cmocka_unit_test(test_judge_error_needs_its_fault),
        cmocka_unit_test(test_judge_sync_that_never_syncs_is_seen),
        cmocka_unit_test(test_outcome_needs_every_fault_of_every_library),
        cmocka_unit_test(test_gap_is_told_apart),
        cmocka_unit_test(test_rounds_are_several_for_any_job),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
