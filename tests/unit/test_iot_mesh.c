/* The mesh: every node owned once, borders shared, numbers a permutation. */
#include "suites/iot/lowlevel.h"
#include "suites/iot/mesh.h"
#include "suites/iot/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { X = 13, Y = 7, NODES = (X + 1) * (Y + 1), ELEMENTS = 2 * X * Y };

static void count_parts(int parts, int owned[NODES], int touched[NODES],
                        int triangles[ELEMENTS])
{
    for (int p = 0; p < parts; p++) {
        struct iot_mesh mesh;

        assert_int_equal(iot_mesh_init(&mesh, X, Y, 16, parts, p), 0);
        for (int64_t i = 0; i < mesh.nowned; i++)
            owned[mesh.owned[i]]++;
        for (int64_t i = 0; i < mesh.ntouched; i++)
            touched[mesh.touched[i]]++;
        for (int64_t i = 0; i < mesh.ntriangles; i++) {
            assert_true(i == 0 || mesh.triangles[i] > mesh.triangles[i - 1]);
            triangles[mesh.triangles[i]]++;
        }
        iot_mesh_fini(&mesh);
    }
}

static void test_mesh_is_partitioned_without_loss(void **state)
{
    static const int parts[] = {1, 2, 3, 5, 8};

    (void)state;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int owned[NODES] = {0}, touched[NODES] = {0}, triangles[ELEMENTS] = {0};
        int shared = 0;

        count_parts(parts[i], owned, touched, triangles);
        for (int n = 0; n < NODES; n++) {
            assert_int_equal(owned[n], 1);
            assert_true(touched[n] >= 1);
            shared += touched[n] > 1;
        }
        for (int e = 0; e < ELEMENTS; e++)
            assert_int_equal(triangles[e], 1);
        assert_true(parts[i] == 1 ? shared == 0 : shared > 0);
    }
}

static void test_mesh_numbers_are_scrambled(void **state)
{
    struct iot_mesh mesh;
    int64_t runs = 1;

    (void)state;
    assert_int_equal(iot_mesh_init(&mesh, 40, 40, 1024, 2, 0), 0);
    for (int64_t i = 1; i < mesh.nowned; i++)
        runs += mesh.owned[i] != mesh.owned[i - 1] + 1;
    assert_true(runs > mesh.nowned / 8); /* a view in many pieces */
    iot_mesh_fini(&mesh);
}

static void test_fuzzy_blocks_cover_the_file(void **state)
{
    struct iot_blocks blocks = {
        .mean = 100, .count = 50, .fuzzy = 0.5, .seed = 3};
    int64_t least = 1000, most = 0;

    (void)state;
    assert_int_equal(iot_block_begin(&blocks, 0), 0);
    assert_int_equal(iot_block_begin(&blocks, 50), 5000);
    for (int64_t k = 0; k < 50; k++) {
        int64_t size =
            iot_block_begin(&blocks, k + 1) - iot_block_begin(&blocks, k);

        assert_true(size >= 50 && size <= 150);
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    assert_true(most - least > 20);
    blocks.fuzzy = 0;
    assert_int_equal(iot_block_begin(&blocks, 7), 700);
}

static void test_task_gives_the_same_bits_and_depends_on_the_block(void **state)
{
    double block[40], once[40] = {0}, again[40] = {0};
    struct iot_task task;

    (void)state;
    assert_int_equal(iot_task_init(&task, 30, 3), 0);
    for (int i = 0; i < 40; i++)
        block[i] = i / 40.0;
    iot_task_apply(&task, block, once, 40);
    iot_task_apply(&task, block, again, 40);
    assert_memory_equal(once, again, sizeof(once));
    block[7] += 0.001;
    iot_task_apply(&task, block, again, 40);
    assert_memory_not_equal(once, again, sizeof(once));
    assert_true(once[29] != 0 && once[30] == 0); /* order elements */
    iot_task_fini(&task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_partitioned_without_loss),
        cmocka_unit_test(test_mesh_numbers_are_scrambled),
        cmocka_unit_test(test_fuzzy_blocks_cover_the_file),
        cmocka_unit_test(
            test_task_gives_the_same_bits_and_depends_on_the_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
