/* What suites say of their figures, as flags; striping that is not as asked. */
#include "measure/marks.h"
#include "measure/phase.h"
#include "measure/striping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

static struct pario_group *world;

static void test_what_another_phase_compared_is_verified(void **state)
{
    struct pario_figures wrote = {.flags = PARIO_FLAG_UNVERIFIED};
    struct pario_figures did_read = {.checked_bytes = 0};

    (void)state;
    pario_figures_read_back(&wrote, &did_read);
    assert_int_equal(wrote.flags, PARIO_FLAG_UNVERIFIED);
    did_read.checked_bytes = 7;
    pario_figures_read_back(&wrote, &did_read);
    assert_int_equal(wrote.flags, 0);
    assert_int_equal(wrote.checked_bytes, 7);
}

static void test_length_of_an_answer_and_of_one_piece(void **state)
{
    struct pario_figures figures = {.seconds = 0.5};

    (void)state;
    pario_figures_answer(&figures);
    assert_int_equal(figures.flags, PARIO_FLAG_SHORT);
    pario_figures_one_piece(&figures);
    assert_int_equal(figures.flags, 0);
    figures.seconds = 1.5;
    pario_figures_answer(&figures);
    assert_int_equal(figures.flags, 0);
    figures =
        (struct pario_figures){.seconds = 0.01, .flags = PARIO_FLAG_SHORT};
    pario_figures_one_piece(&figures);
    assert_int_equal(figures.flags, PARIO_FLAG_SHORT);
}

static void test_facts_of_a_figure_are_flags(void **state)
{
    struct pario_figures figures = {.seconds = 10, .flags = PARIO_FLAG_MIXED};
    struct pario_work work = {.seconds = 0.01, .unchecked = 1};

    (void)state;
    assert_int_equal(pario_flags_with_failures(&figures, 0), PARIO_FLAG_MIXED);
    assert_int_equal(pario_flags_with_failures(&figures, 1),
                     PARIO_FLAG_MIXED | PARIO_FLAG_FAILED);
    assert_int_equal(pario_flags_of_calls(&figures, 9.95), PARIO_FLAG_MIXED);
    assert_int_equal(pario_flags_of_calls(&figures, 5),
                     PARIO_FLAG_MIXED | PARIO_FLAG_PAUSED);
    assert_int_equal(pario_flags_unofficial(0), PARIO_FLAG_PRELIMINARY);
    assert_int_equal(pario_work_flags(&work),
                     PARIO_FLAG_SHORT | PARIO_FLAG_UNVERIFIED);
}

static int write_nothing(void *part, struct pario_phase *phase)
{
    (void)part;
    phase->figures.bytes = phase->figures.written_bytes = 4096;
    phase->figures.operations = 1;
    return 0;
}

/* Reads that were checked say nothing of what was written. */
static int check_reads(void *part, struct pario_phase *phase)
{
    (void)part;
    phase->figures.checked_bytes = 8;
    return 0;
}

static void test_write_that_nobody_reads_is_unverified(void **state)
{
    static const struct pario_phase_calls calls = {.loop = write_nothing,
                                                   .check = check_reads};

    (void)state;
    for (int unread = 0; unread < 2; unread++) {
        struct pario_run run = {.world = world};
        struct pario_phase phase = {.run = &run,
                                    .group = world,
                                    .path = ".",
                                    .shared = 1,
                                    .writing = 1,
                                    .unread = unread};

        assert_int_equal(pario_phase_run(&phase, &calls, NULL), 0);
        assert_int_equal((phase.figures.flags & PARIO_FLAG_UNVERIFIED) != 0,
                         unread);
    }
}

/* GPFS says its block size: here that of the test's own file system. */
static void expect_striping(const char *key, const char *value, int warnings)
{
    char name[] = "pario";
    char *argv[] = {name, NULL};
    struct pario_run run = {.world = world};
    struct pario_hints asked = {0};

    snprintf(run.fs.type, sizeof(run.fs.type), "gpfs");
    assert_int_equal(
        pario_result_create("quick", 1, argv, "marks.json", 1, &run.result), 0);
    assert_int_equal(pario_hints_set(&asked, key, value), 0);
    pario_striping_check(&run, &asked, ".");
    assert_int_equal(json_array_size(json_object_get(
                         pario_result_document(run.result), "warnings")),
                     warnings);
    pario_hints_fini(&asked);
    pario_result_destroy(run.result);
}

static void test_striping_that_is_not_as_asked_is_reported(void **state)
{
    struct statvfs vfs;
    char block[32];

    (void)state;
    assert_int_equal(statvfs(".", &vfs), 0);
    snprintf(block, sizeof(block), "%lu", vfs.f_bsize);
    expect_striping("striping_unit", "123456789", 1);
    expect_striping("striping_unit", block, 0);
    expect_striping("striping_unit", "0", 0);
    expect_striping("cb_nodes", "4", 0);
    expect_striping("striping_factor", "4", 0); /* it does not say */
}

/* OMPIO repeats every hint, and sets stripes on Lustre alone. */
static void test_striping_of_ompio_is_in_force_on_lustre_alone(void **state)
{
    (void)state;
    pario_hints_are_for("ext4");
    assert_false(pario_hints_acted_on(PARIO_HINTS_OMPIO, "striping_factor"));
    assert_true(pario_hints_acted_on(PARIO_HINTS_OMPIO, "cb_nodes"));
    assert_true(pario_hints_acted_on(PARIO_HINTS_ROMIO, "striping_factor"));
    pario_hints_are_for("lustre");
    assert_true(pario_hints_acted_on(PARIO_HINTS_OMPIO, "striping_factor"));
    pario_hints_are_for("");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_another_phase_compared_is_verified),
        cmocka_unit_test(test_length_of_an_answer_and_of_one_piece),
        cmocka_unit_test(test_facts_of_a_figure_are_flags),
        cmocka_unit_test(test_write_that_nobody_reads_is_unverified),
        cmocka_unit_test(test_striping_that_is_not_as_asked_is_reported),
        cmocka_unit_test(test_striping_of_ompio_is_in_force_on_lustre_alone),
    };
    int failed;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 2;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    return failed;
}
