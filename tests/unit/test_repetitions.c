/* Which measures are repetitions of one another: what the fields of each suite
 * say in its documents, and what is made of it. */
#include "result/identity.h"
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The parameters that number measures, of all suites. */
static const struct {
    const char *suite, *numbering;
} rows[] = {
    {"quick", "[]"},
    {"pattern", "[\"repetition\"]"},
    {"meta", "[]"},
    {"io500", "[]"},
    {"beffio", "[\"repetition\"]"},
    {"iot", "[\"set\", \"line\", \"repetition\"]"},
    {"shipbench", "[]"},
    {"nht", "[]"},
    {"prio", "[\"repetition\"]"},
    {"replay", "[]"},
    {"tune", "[]"},
    {"honesty", "[]"},
    {"doctor", NULL}, /* has no measures */
};

static void test_documents_of_all_suites_say_what_numbers(void **state)
{
    (void)state;
    for (int i = 0; pario_suites[i] != NULL; i++) {
        const struct pario_suite *suite = pario_suites[i];
        size_t r = 0;
        json_t *view, *wanted;

        while (r < sizeof(rows) / sizeof(rows[0]) &&
               strcmp(rows[r].suite, suite->name) != 0)
            r++;
        assert_true(r < sizeof(rows) / sizeof(rows[0]));
        if (rows[r].numbering == NULL) {
            assert_null(suite->view);
            continue;
        }
        view = pario_view_json(suite->view);
        wanted = json_loads(rows[r].numbering, 0, NULL);
        if (!json_equal(json_object_get(view, "numbering"), wanted))
            fail_msg("%s: its view does not say %s", suite->name,
                     rows[r].numbering);
        json_decref(wanted);
        json_decref(view);
    }
}

static double mbps_of(const json_t *measure)
{
    return pario_number_of(measure, "bandwidth_mbps");
}

/* Two works, one of them measured three times, not in a row. */
static json_t *make_document(void)
{
    static const struct {
        int size, repetition, mbps;
    } measures[] = {{1, 0, 10}, {2, 0, 70}, {1, 1, 30}, {1, 2, 20}};
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:i, s:{s:i, s:i}, s:i}", "test", "t",
                      "access", "read", "partition", 2, "parameters", "size",
                      measures[i].size, "round", measures[i].repetition,
                      "bandwidth_mbps", measures[i].mbps));
    return json_pack("{s:{s:[s]}, s:o}", "view", "numbering", "round",
                     "measures", list);
}

static void test_take_gathers_what_only_a_number_tells_apart(void **state)
{
    json_t *document = make_document();
    struct pario_repetitions same;
    struct pario_interval interval;
    const char *const but_for[] = {"color", "size", NULL};

    (void)state;
    assert_int_equal(pario_repetitions_init(document, NULL, &same), 0);
    assert_int_equal(pario_repetitions_take(&same, 0), 1);
    assert_int_equal(same.count, 3);
    assert_int_equal(pario_repetitions_median(&same, mbps_of, &interval), 1);
    assert_true(interval.median == 20);
    assert_int_equal(pario_repetitions_take(&same, 1), 1);
    assert_int_equal(same.count, 1);
    assert_true(mbps_of(same.measures[0]) == 70);
    assert_int_equal(pario_repetitions_take(&same, 2), 0);
    pario_repetitions_fini(&same);
    /* Curves over the size. */
    assert_int_equal(pario_repetitions_init(document, but_for, &same), 0);
    assert_int_equal(pario_repetitions_take(&same, 0), 1);
    assert_int_equal(same.count, 4);
    assert_int_equal(pario_repetitions_take(&same, 1), 0);
    pario_repetitions_fini(&same);
    json_decref(document);
}

/* Partition, access and what is there in one of them alone count. */
static void test_take_keeps_other_works_apart(void **state)
{
    static const char *const names[] = {"access", "partition", "more"};

    (void)state;
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        json_t *document = make_document();
        json_t *list = json_object_get(document, "measures");
        json_t *measure = json_array_get(list, 3);
        struct pario_repetitions same;

        json_object_set_new(n < 2 ? measure
                                  : json_object_get(measure, "parameters"),
                            names[n], json_integer(7));
        assert_int_equal(pario_repetitions_init(document, NULL, &same), 0);
        assert_int_equal(json_array_size(same.works), 3);
        assert_int_equal(pario_repetitions_take(&same, 0), 1);
        assert_int_equal(same.count, 2);
        pario_repetitions_fini(&same);
        json_decref(document);
    }
}

/* Documents of before they said what numbers their measures. */
static void test_identity_without_a_view_knows_the_old_names(void **state)
{
    json_t *measure = json_pack("{s:s, s:{s:i, s:i}}", "test", "t",
                                "parameters", "repetition", 3, "size", 8);
    json_t *identity = pario_measure_identity(measure, NULL);

    (void)state;
    assert_null(json_object_get(identity, "repetition"));
    assert_non_null(json_object_get(identity, "size"));
    json_decref(identity);
    json_decref(measure);
}

static void test_share_leaves_what_is_alike(void **state)
{
    json_t *shared = json_pack("{s:i, s:i, s:i}", "a", 1, "b", 2, "c", 3);
    json_t *other = json_pack("{s:i, s:i}", "a", 1, "b", 3);

    (void)state;
    pario_identity_share(shared, other);
    assert_int_equal(json_object_size(shared), 1);
    assert_int_equal(pario_integer_of(shared, "a"), 1);
    json_decref(shared);
    json_decref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_of_all_suites_say_what_numbers),
        cmocka_unit_test(test_take_gathers_what_only_a_number_tells_apart),
        cmocka_unit_test(test_take_keeps_other_works_apart),
        cmocka_unit_test(test_identity_without_a_view_knows_the_old_names),
        cmocka_unit_test(test_share_leaves_what_is_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
