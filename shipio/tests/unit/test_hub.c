/* test_hub.c - which leader takes which stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hub.h"

#define NODES 9

/* What goes the one way never stands before what goes the other. */
static void test_both_ways_have_different_leaders(void **state)
{
    (void)state;
    for (int leaders = 2; leaders <= SHIPIO_LEADERS_MAX; leaders++)
        for (int a = 0; a < NODES; a++)
            for (int b = 0; b < NODES; b++)
                if (a != b)
                    assert_int_not_equal(shipio_hub_carrier(a, b, leaders),
                                         shipio_hub_carrier(b, a, leaders));
}

/* Of the streams to, and from, the others no leader has more than its share. */
static void test_streams_are_divided_evenly(void **state)
{
    (void)state;
    for (int leaders = 1; leaders <= SHIPIO_LEADERS_MAX; leaders++)
        for (int node = 0; node < NODES; node++) {
            int streams[2][SHIPIO_LEADERS_MAX] = {{0}};

            for (int i = 0; i < NODES; i++) {
                if (i == node)
                    continue;
                streams[0][shipio_hub_carrier(node, i, leaders)]++;
                streams[1][shipio_hub_carrier(i, node, leaders)]++;
            }
            for (int k = 0; k < leaders; k++)
                for (int way = 0; way < 2; way++)
                    assert_true(streams[way][k] <=
                                (NODES - 1 + leaders - 1) / leaders + 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_have_different_leaders),
        cmocka_unit_test(test_streams_are_divided_evenly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
