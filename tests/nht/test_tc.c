/*
 * T_C is the best verified time (NHT-1, 2.4.3): runs without I/O that make no
 * steps are the fastest of all, and nobody's T_C. The solver's calls go through
 * here (ld --wrap).
 */
#include "apps/bt/bt.h"
#include "core/cleanup.h"
#include "par/group.h"
#include "result/value.h"
#include "suites/suite.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

extern const struct pario_suite pario_suite_nht;

static struct pario_group *world; /* this process */
static int starts;       /* two of each run: before and after its first step */
static unsigned skipped; /* bits: runs whose steps are left out */

void __real_pario_bt_start(struct pario_bt *bt);
int __real_pario_bt_step(struct pario_bt *bt);
void __wrap_pario_bt_start(struct pario_bt *bt);
int __wrap_pario_bt_step(struct pario_bt *bt);

void __wrap_pario_bt_start(struct pario_bt *bt)
{
    starts++;
    __real_pario_bt_start(bt);
}

int __wrap_pario_bt_step(struct pario_bt *bt)
{
    return skipped & 1U << (starts - 1) / 2 ? 0 : __real_pario_bt_step(bt);
}

/* The document of a run in which the steps of some runs without I/O are left
 * out. */
static json_t *run_app(unsigned skip, int *code_p)
{
    char dir[] = "/tmp/pario-tc.XXXXXX", path[64];
    char words[][24] = {"nht",  "app",     "--class",   "S", "--mode",
                        "none", "--quiet", "--tc-runs", "3", "--output"};
    char *argv[13];
    json_t *document;
    int argc = 0;

    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/r.json", dir);
    for (; argc < 10; argc++)
        argv[argc] = words[argc];
    argv[argc++] = path;
    argv[argc++] = dir;
    argv[argc] = NULL;
    starts = 0;
    skipped = skip;
    *code_p = pario_suite_main(&pario_suite_nht, world, argc, argv);
    document = json_load_file(path, 0, NULL);
    assert_non_null(document);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    return document;
}

static const json_t *only_measure(const json_t *document)
{
    return json_array_get(json_object_get(document, "measures"), 0);
}

static void test_fastest_run_not_verified_is_not_t_c(void **state)
{
    int code;
    json_t *document = run_app(1U << 1, &code);
    const json_t *measure = only_measure(document);
    const json_t *runs = json_object_get(measure, "runs_s");
    double best = 1e9, wrong = json_number_value(json_array_get(runs, 1));
    size_t i;
    json_t *run;

    (void)state;
    assert_int_not_equal(code, 0);
    assert_true(json_is_false(json_object_get(document, "valid")));
    json_array_foreach(runs, i, run)
    {
        if (i != 1 && json_number_value(run) < best)
            best = json_number_value(run);
    }
    assert_true(wrong < best);
    assert_true(pario_number_of(measure, "seconds") == best);
    assert_true(
        pario_number_of(json_object_get(document, "summary"), "t_c_s") == best);
    assert_int_equal(pario_integer_of(measure, "runs_verified"),
                     json_array_size(runs) - 1);
    json_decref(document);
}

static void test_no_run_verified_gives_no_t_c(void **state)
{
    int code;
    json_t *document = run_app(~0U, &code);

    (void)state;
    assert_int_equal(code, PARIO_EVERIFY);
    assert_true(json_is_false(json_object_get(document, "valid")));
    assert_null(json_object_get(json_object_get(document, "summary"), "t_c_s"));
    assert_null(only_measure(document));
    json_decref(document);
}

static void test_all_runs_verified_count(void **state)
{
    int code;
    json_t *document = run_app(0, &code);
    const json_t *measure = only_measure(document);

    (void)state;
    assert_int_equal(code, 0);
    assert_int_equal(pario_integer_of(measure, "runs_verified"),
                     json_array_size(json_object_get(measure, "runs_s")));
    json_decref(document);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest_run_not_verified_is_not_t_c),
        cmocka_unit_test(test_no_run_verified_gives_no_t_c),
        cmocka_unit_test(test_all_runs_verified_count),
    };

    int failed;

    if (pario_cleanup_start() != 0 ||
        pario_par_start(&argc, &argv, &world) != 0)
        return 2;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    pario_cleanup_finish();
    return failed;
}
