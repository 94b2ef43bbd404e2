/* test_binding.c - which agent gets which stripes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "binding.h"

#define MAX_NODES 8
#define STRIPE (8 * SHIPIO_SLICE_MIN)

static int numbers[MAX_NODES] = {0, 1, 2, 3, 4, 5, 6, 7};
static struct shipio_region regions[MAX_NODES];
static struct shipio_place places[MAX_NODES];

/* A contiguous part of the file. */
static struct shipio_node_bytes part(int64_t low, int64_t high)
{
    return (struct shipio_node_bytes){.low = low * STRIPE,
                                      .high = high * STRIPE,
                                      .nbytes = (high - low) * STRIPE,
                                      .middle = (low + high) * STRIPE / 2};
}

static struct shipio_binding bind_case(struct shipio_binding_case call,
                                       int nagents)
{
    struct shipio_agent_nodes agents = {.n = nagents, .nodes = numbers};
    struct shipio_binding bound = {.nagents = nagents, .stripe = STRIPE};

    call.agents = &agents;
    shipio_bind_agents(&bound, &call, regions, places);
    shipio_bind_rounds(&bound, &call);
    return bound;
}

/* Agents of the first nodes alone; bytes of the nodes are n stripes together.
 */
static struct shipio_binding bind(const struct shipio_node_bytes *bytes,
                                  int nodes, int nagents, int64_t n)
{
    return bind_case((struct shipio_binding_case){.bytes = bytes,
                                                  .nodes = nodes,
                                                  .high = n * STRIPE,
                                                  .nbytes = n * STRIPE},
                     nagents);
}

static void expect(int agent, int64_t first, int64_t end)
{
    assert_int_equal(regions[agent].first, first);
    assert_int_equal(regions[agent].end, end);
}

static void test_bind_regions_in_any_order_stay_with_their_nodes(void **state)
{
    const struct shipio_node_bytes bytes[] = {part(12, 16), part(0, 4),
                                              part(8, 12), part(4, 8)};
    struct shipio_binding bound = bind(bytes, 4, 4, 16);

    (void)state;
    assert_ptr_equal(bound.regions, regions);
    expect(0, 12, 16);
    expect(1, 0, 4);
    expect(2, 8, 12);
    expect(3, 4, 8);
}

/* Ends that reach into each other are no regions. */
static void test_bind_shares_go_where_most_bytes_are(void **state)
{
    struct shipio_node_bytes bytes[] = {part(0, 16), part(0, 16), part(0, 16),
                                        part(0, 16)};

    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        bytes[i].nbytes = 4 * STRIPE;
        bytes[i].middle = (14 - 4 * i) * STRIPE;
    }
    assert_ptr_equal(bind(bytes, 4, 4, 16).regions, regions);
    expect(3, 0, 4);
    expect(2, 4, 8);
    expect(1, 8, 12);
    expect(0, 12, 16);
}

static void test_bind_equal_parts_are_in_order_of_agents(void **state)
{
    struct shipio_node_bytes bytes[] = {part(0, 16), part(0, 16), part(0, 16),
                                        part(0, 16)};

    (void)state;
    for (int i = 0; i < 4; i++)
        bytes[i].nbytes = 4 * STRIPE;
    assert_ptr_equal(bind(bytes, 4, 4, 16).regions, regions);
    for (int64_t i = 0; i < 4; i++)
        expect((int)i, 4 * i, 4 * i + 4);
}

/* The two that have bytes keep half of theirs; the others get the rest. */
static void test_bind_agents_without_bytes_get_what_is_left(void **state)
{
    struct shipio_node_bytes bytes[] = {part(0, 0), part(8, 16), part(0, 0),
                                        part(0, 8)};

    (void)state;
    bytes[3].high += 1; /* no regions of their own */
    assert_ptr_equal(bind(bytes, 4, 4, 16).regions, regions);
    expect(0, 0, 4);
    expect(3, 4, 8);
    expect(2, 8, 12);
    expect(1, 12, 16);
}

static void test_bind_fewer_agents_than_nodes_share_all(void **state)
{
    const struct shipio_node_bytes bytes[] = {part(12, 16), part(8, 12),
                                              part(4, 8), part(0, 4)};

    (void)state;
    assert_ptr_equal(bind(bytes, 4, 2, 16).regions, regions);
    expect(1, 0, 8);
    expect(0, 8, 16);
}

static void test_bind_stripes_asked_for_go_round_robin(void **state)
{
    const struct shipio_node_bytes own[] = {part(0, 8), part(8, 16)};
    const struct shipio_node_bytes mixed[] = {part(0, 16), part(0, 16)};
    struct shipio_binding_case call = {
        .nodes = 2, .high = 16 * STRIPE, .nbytes = 16 * STRIPE};

    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        call.fixed = fixed;
        call.bytes = own;
        assert_int_equal(bind_case(call, 2).regions == NULL, fixed);
        call.bytes = mixed;
        assert_int_equal(bind_case(call, 2).regions == NULL, fixed);
    }
}

/* Shares might be empty. */
static void test_bind_bytes_with_gaps_go_round_robin(void **state)
{
    const struct shipio_node_bytes bytes[] = {part(0, 32), part(0, 32)};
    struct shipio_binding_case call = {
        .bytes = bytes, .nodes = 2, .high = 32 * STRIPE};

    (void)state;
    call.nbytes = 24 * STRIPE;
    assert_ptr_equal(bind_case(call, 2).regions, regions);
    call.nbytes = 24 * STRIPE - 1;
    assert_null(bind_case(call, 2).regions);
}

static void test_bind_one_long_region_is_shared(void **state)
{
    const struct shipio_node_bytes bytes[] = {part(0, 4), part(4, 8),
                                              part(8, 12), part(12, 48)};

    (void)state;
    assert_ptr_equal(bind(bytes, 4, 4, 48).regions, regions);
    for (int64_t i = 0; i < 4; i++)
        expect((int)i, 12 * i, 12 * i + 12);
}

static void test_bind_short_regions_go_round_robin(void **state)
{
    const struct shipio_node_bytes bytes[] = {part(0, 1), part(1, 2),
                                              part(2, 3), part(3, 4)};

    (void)state;
    assert_null(bind(bytes, 4, 4, 4).regions);
}

#define MANY 63

/* Each stripe is had by one agent, in as many rounds as it has slices. */
static void expect_every_stripe(const struct shipio_binding *bound)
{
    int seen[MANY] = {0};

    for (int64_t r = 0; r < bound->nrounds; r++)
        for (int a = 0; a < bound->nagents; a++)
            for (int j = 0; j < bound->batch; j++) {
                struct shipio_range range = shipio_bound_range(bound, a, r, j);
                int64_t stripe = range.start / STRIPE;

                if (range.len == 0 || stripe >= MANY)
                    continue;
                assert_int_equal(range.len * bound->slices, STRIPE);
                assert_true(shipio_bound_has(bound, a, stripe, stripe));
                seen[stripe]++;
            }
    for (int i = 0; i < MANY; i++)
        assert_int_equal(seen[i], bound->slices);
}

static void test_bind_rounds_of_any_length_have_every_stripe(void **state)
{
    struct shipio_node_bytes bytes[] = {part(0, MANY), part(0, MANY),
                                        part(0, MANY)};

    (void)state;
    for (int striped = 0; striped < 2; striped++) {
        struct shipio_binding bound;
        int shorter = 0;

        for (int i = 0; i < 3; i++) {
            bytes[i].nbytes = MANY / 3 * STRIPE;
            bytes[i].striped = striped;
        }
        bound = bind(bytes, 3, 3, MANY);
        assert_int_equal(bound.regions == NULL, striped);
        expect_every_stripe(&bound);
        while (shipio_bind_shorter(&bound)) {
            expect_every_stripe(&bound);
            shorter++;
        }
        assert_int_equal(shorter, 2 + 3); /* of 6, 3 and 1 stripes; slices */
        assert_int_equal(shipio_bound_len(&bound), SHIPIO_SLICE_MIN);
    }
}

static void test_node_bytes_know_their_middle(void **state)
{
    /* Ten pieces of 10 bytes from 0 on, and 100 bytes far behind. */
    const struct shipio_series items[] = {
        {.start = 0, .len = 10, .stride = 20, .count = 10},
        {.start = 1000, .len = 100, .count = 1}};
    struct shipio_pieces pieces = {.items = items, .n = 2};
    struct shipio_node_bytes bytes = {.striped = 1};

    (void)state;
    shipio_node_bytes_of(&bytes, &pieces);
    assert_int_equal(bytes.low, 0);
    assert_int_equal(bytes.high, 1100);
    assert_int_equal(bytes.nbytes, 200);
    assert_int_equal(bytes.middle, (95 + 1050) / 2);
    assert_int_equal(bytes.striped, 1);
    pieces.n = 0;
    shipio_node_bytes_of(&bytes, &pieces);
    assert_int_equal(bytes.nbytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bind_regions_in_any_order_stay_with_their_nodes),
        cmocka_unit_test(test_bind_shares_go_where_most_bytes_are),
        cmocka_unit_test(test_bind_equal_parts_are_in_order_of_agents),
        cmocka_unit_test(test_bind_agents_without_bytes_get_what_is_left),
        cmocka_unit_test(test_bind_fewer_agents_than_nodes_share_all),
        cmocka_unit_test(test_bind_stripes_asked_for_go_round_robin),
        cmocka_unit_test(test_bind_bytes_with_gaps_go_round_robin),
        cmocka_unit_test(test_bind_one_long_region_is_shared),
        cmocka_unit_test(test_bind_short_regions_go_round_robin),
        cmocka_unit_test(test_bind_rounds_of_any_length_have_every_stripe),
        cmocka_unit_test(test_node_bytes_know_their_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
