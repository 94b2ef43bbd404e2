/* The measuring engine with groups that work at one time, and marks that only
 * the suite can ask for. */
#include "measure/phase.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

static struct pario_group *world;

struct job {
    struct pario_run run;
    int64_t loop_ms;
};

static int job_loop(void *arg, struct pario_phase *phase)
{
    struct job *job = arg;
    struct timespec length = {.tv_nsec = job->loop_ms * 1000000};

    nanosleep(&length, NULL);
    phase->figures.bytes = phase->figures.written_bytes = 1 << 20;
    phase->figures.operations = 1;
    return 0;
}

static const struct pario_phase_calls job_calls = {.loop = job_loop};

static void test_buffer_used_again_marks_the_figure(void **state)
{
    struct job job = {.loop_ms = 1};
    struct pario_phase phase = {.run = &job.run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .repeats_data = 1,
                                .unchecked = 1,
                                .group = world};

    (void)state;
    assert_int_equal(pario_phase_run(&phase, &job_calls, &job), 0);
    assert_true(phase.figures.flags & PARIO_FLAG_REPEATED);
    assert_true(phase.figures.flags & PARIO_FLAG_UNVERIFIED);
}

/* Even ranks work here, odd ones in memory, at one time. */
static struct pario_figures run_beside(struct pario_group *group,
                                       const char *path, struct job *job,
                                       struct pario_hist *latency)
{
    struct pario_phase phase = {.run = &job->run,
                                .path = path,
                                .shared = 1,
                                .writing = 1,
                                .group = group,
                                .beside = world,
                                .latency = latency};

    assert_int_equal(pario_phase_run(&phase, &job_calls, job), 0);
    return phase.figures;
}

static void test_groups_side_by_side_have_devices_of_their_own(void **state)
{
    int odd = pario_group_rank(world) % 2;
    struct pario_device_set *here = NULL;
    struct job job = {.loop_ms = 1 + 20 * odd};
    struct pario_group *group = NULL;
    struct pario_figures figures;

    (void)state;
    assert_int_equal(pario_group_split(world, odd, &group), 0);
    figures = run_beside(group, odd ? "/dev/shm/none" : "./none", &job, NULL);
    assert_int_equal(figures.operations, pario_group_size(group));
    if (odd) {
        assert_int_equal(figures.cache, PARIO_CACHE_CACHE);
        assert_int_equal(figures.seen.device_written_bytes, -1);
    } else if (pario_device_find(".", &here) == 0 &&
               pario_device_kind_of(here) == PARIO_DEVICE_BLOCK) {
        assert_true(figures.seen.device_written_bytes >= 0);
    }
    pario_device_free(here);
    pario_group_destroy(group);
}

/* One group fails its check: the other one may not wait for it. */
static int odd_check(void *arg, struct pario_phase *phase)
{
    (void)arg;
    (void)phase;
    return pario_group_rank(world) % 2 ? pario_fail(-EIO, "odd") : 0;
}

static void test_check_that_fails_beside_others_fails_for_all(void **state)
{
    int odd = pario_group_rank(world) % 2;
    struct job job = {.loop_ms = 1};
    struct pario_group *group = NULL;
    struct pario_phase_calls failing = job_calls;
    struct pario_phase phase = {.run = &job.run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .beside = world};
    int code;

    (void)state;
    assert_int_equal(pario_group_split(world, odd, &group), 0);
    phase.group = group;
    failing.check = odd_check;
    code = pario_phase_run(&phase, &failing, &job);
    assert_int_equal(code, pario_group_size(world) > 1 ? -EIO : 0);
    pario_group_destroy(group);
}

static void test_figures_of_one_group_become_known_to_all(void **state)
{
    int size = pario_group_size(world);
    int odd = pario_group_rank(world) % 2;
    struct job job = {.loop_ms = 1};
    struct pario_group *group = NULL;
    static struct pario_hist mine, other;

    (void)state;
    assert_int_equal(pario_group_split(world, odd, &group), 0);
    for (int part = 0; part < 2 && part < size; part++) {
        struct pario_phase phase = {.run = &job.run, .latency = &other};

        if (odd == part) {
            phase.group = group;
            phase.latency = &mine;
            pario_hist_init(&mine);
            pario_hist_add(&mine, 1000 + part);
            assert_int_equal(pario_merge_hist(group, &mine), 0);
            phase.figures = (struct pario_figures){
                .operations = 10 + part, .seconds = 0.5, .wrong = "here"};
        }
        assert_int_equal(pario_phase_share(&phase, world), 0);
        assert_int_equal(phase.figures.operations, 10 + part);
        assert_true(phase.figures.seconds == 0.5);
        assert_string_equal(phase.figures.wrong, "here");
        assert_int_equal(phase.latency->count, (size + 1 - part) / 2);
        assert_int_equal(phase.latency->max, 1000 + part);
        assert_ptr_equal(phase.group, world);
    }
    pario_group_destroy(group);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer_used_again_marks_the_figure),
        cmocka_unit_test(test_groups_side_by_side_have_devices_of_their_own),
        cmocka_unit_test(test_check_that_fails_beside_others_fails_for_all),
        cmocka_unit_test(test_figures_of_one_group_become_known_to_all),
    };
    int failed = 1;

    if (pario_par_start(&argc, &argv, &world) == 0) {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        pario_par_finish(world);
    }
    return failed;
}
