/* Deadlines of the test suite: what they are made from. */
#include "suites/iot/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* As outofcore moves it, panel by panel. */
static struct iot_lu_volume count_left(const struct iot_lu_work *work)
{
    struct iot_lu_volume volume = {0};
    int64_t panels = work->n / work->width;

    for (int64_t begin = 0; begin < panels; begin += work->slab) {
        for (int64_t k = 0; k < begin; k++) {
            volume.read += (work->n - k * work->width) * work->width * 8;
            volume.broadcast += (work->n - k * work->width) * work->width * 8;
        }
        for (int64_t k = begin; k < begin + work->slab && k < panels; k++) {
            volume.read += work->n * work->width * 8;
            volume.written += work->n * work->width * 8;
            volume.broadcast += (work->n - k * work->width) * work->width * 8;
        }
    }
    return volume;
}

static void test_volume_left_is_that_of_each_panel(void **state)
{
    struct iot_lu_work work = {
        .n = 768, .width = 32, .slab = 16, .size = 2, .variant = IOT_LEFT};

    (void)state;
    for (work.slab = 1; work.slab < 30; work.slab++) {
        struct iot_lu_volume want = count_left(&work);
        struct iot_lu_volume have = iot_lu_volume_of(&work);

        assert_int_equal(have.read, want.read);
        assert_int_equal(have.written, want.written);
        assert_int_equal(have.broadcast, want.broadcast);
    }
}

static void test_volume_right_reads_what_it_writes(void **state)
{
    struct iot_lu_work work = {
        .n = 64, .width = 16, .slab = 2, .size = 1, .variant = IOT_RIGHT};
    struct iot_lu_volume volume = iot_lu_volume_of(&work);

    (void)state;
    /* The whole matrix, then the lower half of its right half. */
    assert_int_equal(volume.read, 8 * (64 * 64 + 32 * 32));
    assert_int_equal(volume.written, volume.read);
    /* Panels 0 and 1 for themselves and for 2 and 3, then those. */
    assert_int_equal(volume.broadcast, 8 * 16 * (3 * (64 + 48) + (32 + 16)));
}

static void test_schedule_counts_tasks_and_arithmetic(void **state)
{
    struct iot_lu_work work = {
        .n = 8192, .width = 64, .slab = 32, .size = 2, .variant = IOT_LEFT};

    (void)state;
    assert_true(iot_schedule_task_s(1000, 100) >= 1);
    assert_true(iot_schedule_task_s(1000, 200) >
                iot_schedule_task_s(1000, 100));
    /* 3.7e11 operations: above any real time, below any real patience. */
    assert_true(iot_schedule_lu_s(&work) > 600);
    assert_true(iot_schedule_lu_s(&work) < 3600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_left_is_that_of_each_panel),
        cmocka_unit_test(test_volume_right_reads_what_it_writes),
        cmocka_unit_test(test_schedule_counts_tasks_and_arithmetic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
