/* The BT solver on one process, stage by stage, against check values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suites/nht/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pario_bt *solver(const char *cls, int kernel)
{
    struct pario_bt_setup setup = {.cls = pario_bt_class_find(cls),
                                   .kernel = kernel};
    struct pario_bt *bt = NULL;

    assert_non_null(setup.cls);
    assert_int_equal(pario_bt_create_alone(&setup, &bt), 0);
    pario_bt_start(bt);
    return bt;
}

/* Prints both values when they differ by more than 1e-9 of their size. */
static void assert_near(const double *got, const double want[5])
{
    for (int m = 0; m < 5; m++)
        if (!(fabs(got[m] - want[m]) <= 1e-9 * fabs(want[m])))
            fail_msg("component %d: got %.12e, want %.12e", m + 1, got[m],
                     want[m]);
}

static void assert_u(const struct pario_bt *bt, int i, int j, int k,
                     const double want[5])
{
    const double *u = pario_bt_u_at(&bt->cells[0], i, j, k);
    double got[5];

    for (int m = 0; m < 5; m++)
        got[m] = u[m * bt->cells[0].u_row];
    assert_near(got, want);
}

static void assert_field(const struct pario_bt *bt, const double *field, int i,
                         int j, int k, const double want[5])
{
    const struct pario_bt_cell *cell = &bt->cells[0];
    double got[5];

    for (int m = 0; m < 5; m++)
        got[m] = field[pario_bt_r_offset(cell, i, j, k) + m * cell->r_row];
    assert_near(got, want);
}

/* Root mean square of a field over interior points. */
static void assert_rms(const struct pario_bt *bt, const double *field,
                       const double want[5])
{
    const struct pario_bt_cell *cell = &bt->cells[0];
    double inner = bt->dec.n - 2, got[5];

    for (int m = 0; m < 5; m++) {
        double sum = 0.0;

        for (int k = 1; k <= bt->dec.n - 2; k++)
            for (int j = 1; j <= bt->dec.n - 2; j++)
                for (int i = 1; i <= bt->dec.n - 2; i++) {
                    double value = field[pario_bt_r_offset(cell, i, j, k) +
                                         m * cell->r_row];

                    sum += value * value;
                }
        got[m] = sqrt(sum / (inner * inner * inner));
    }
    assert_near(got, want);
}

static void assert_error_norm(struct pario_bt *bt, const double want[5])
{
    double got[5];

    assert_int_equal(pario_bt_error_norm(bt, got), 0);
    assert_near(got, want);
}

static void steps(struct pario_bt *bt, int count)
{
    for (int s = 0; s < count; s++)
        assert_int_equal(pario_bt_step(bt), 0);
}

static void test_exact_at_corners_is_column_sums(void **state)
{
    static const double low[5] = {2, 1, 2, 2, 5};
    static const double high[5] = {15.76, 8.26, 10.32, 9.72, 15.52};
    double got[5];

    (void)state;
    pario_bt_exact(0.0, 0.0, 0.0, got);
    assert_near(got, low);
    pario_bt_exact(1.0, 1.0, 1.0, got);
    assert_near(got, high);
}

static void test_start_and_forcing_class_s_match(void **state)
{
    static const double u111[5] = {5.9026115201e+00, 1.0143274439e+00,
                                   3.7246386171e+00, 3.6203219290e+00,
                                   1.1640933643e+02};
    static const double u123[5] = {1.9748658995e+01, 1.2868808784e+00,
                                   7.1603809969e+00, 6.8048748101e+00,
                                   1.7481124532e+02};
    static const double err0[5] = {4.9319450145e+02, 4.2205889853e+01,
                                   1.2473308027e+02, 1.0835322271e+02,
                                   8.9280241119e+02};
    static const double f123[5] = {-1.0100896967e+01, -9.1930112483e+00,
                                   -6.9676028272e+00, -7.1102788589e+00,
                                   3.4546647515e+00};
    static const double frms[5] = {9.3399472629e+00, 8.6572185942e+00,
                                   7.8563344004e+00, 7.2837346252e+00,
                                   5.7686564092e+00};
    struct pario_bt *bt = solver("S", -1);

    (void)state;
    assert_u(bt, 1, 1, 1, u111);
    assert_u(bt, 1, 2, 3, u123);
    assert_error_norm(bt, err0);
    assert_field(bt, bt->cells[0].forcing, 1, 2, 3, f123);
    assert_rms(bt, bt->cells[0].forcing, frms);
    pario_bt_destroy(bt);
}

static void test_stages_of_step_1_class_s_match(void **state)
{
    static const double xcr0[5] = {6.7877440849e+04, 6.8656671466e+03,
                                   1.7373916451e+04, 1.4653216460e+04,
                                   9.7682415992e+04};
    static const double rhs[5] = {-5.9844488030e+00, -4.0761982547e+00,
                                  -2.4099078654e+00, -1.8941828573e+00,
                                  -1.1735773591e+02};
    static const double after[3][5] = {
        {4.7650969107e+02, 5.5732655067e+01, 1.3721034693e+02, 1.1537716922e+02,
         7.3985399646e+02},
        {3.5543394144e+02, 4.1213459214e+01, 1.0360013951e+02, 8.6484947909e+01,
         5.4561279764e+02},
        {1.9679772957e+02, 1.8259210443e+01, 4.9757381631e+01, 4.2523309452e+01,
         3.1462259321e+02}};

    (void)state;
    for (int kernel = 0; kernel <= pario_bt_kernel_best(); kernel++) {
        struct pario_bt *bt = solver("S", kernel);
        double got[5];

        assert_int_equal(pario_bt_residual_norm(bt, got), 0);
        assert_near(got, xcr0);
        assert_field(bt, bt->cells[0].rhs, 1, 2, 3, rhs);
        for (int dir = 0; dir < 3; dir++) {
            assert_int_equal(pario_bt_sweep(bt, dir, false), 0);
            assert_rms(bt, bt->cells[0].rhs, after[dir]);
        }
        pario_bt_destroy(bt);
    }
}

static void test_steps_class_s_match(void **state)
{
    static const double u1[5] = {1.6184533217e+01, -1.7125682981e-01,
                                 5.6288704677e+00, 5.6437782803e+00,
                                 1.1685718453e+02};
    static const double e1[5] = {3.1637300456e+02, 2.5339480745e+01,
                                 7.9863770341e+01, 7.0151399654e+01,
                                 6.1865927818e+02};
    static const double u5[5] = {1.2135199310e+01, -5.4570990413e-01,
                                 3.3966807803e+00, 3.8211906514e+00,
                                 4.2597900920e+01};
    static const double e20[5] = {3.1437332280e+00, 3.2251840957e-01,
                                  7.2422373341e-01, 6.6103594672e-01,
                                  7.2822025343e+00};
    struct pario_bt *bt = solver("S", -1);

    (void)state;
    steps(bt, 1);
    assert_u(bt, 1, 2, 3, u1);
    assert_error_norm(bt, e1);
    steps(bt, 4);
    assert_u(bt, 1, 2, 3, u5);
    steps(bt, 15);
    assert_error_norm(bt, e20);
    pario_bt_destroy(bt);
}

/* One step of NHT-1's own size. */
static void test_step_1_class_b_matches(void **state)
{
    static const double u0[5] = {2.5976203356e+00, 1.0000896454e+00,
                                 2.2365816299e+00, 2.2230342300e+00,
                                 7.3493831189e+01};
    static const double f[5] = {-1.2204877456e+01, -1.2114597492e+01,
                                -1.0038957104e+01, -9.2549973919e+00,
                                1.1371331884e+00};
    static const double u1[5] = {2.3632641503e+00, 9.8187444190e-01,
                                 2.1521270107e+00, 2.1459767622e+00,
                                 4.0425273963e+01};
    static const double e1[5] = {5.0026473055e+02, 4.4412610394e+01,
                                 1.2628170714e+02, 1.0918469248e+02,
                                 8.6367664794e+02};
    struct pario_bt *bt = solver("B", -1);

    (void)state;
    assert_u(bt, 1, 2, 3, u0);
    assert_field(bt, bt->cells[0].forcing, 1, 2, 3, f);
    steps(bt, 1);
    assert_u(bt, 1, 2, 3, u1);
    assert_error_norm(bt, e1);
    pario_bt_destroy(bt);
}

/* Every kernel, every dump: the very bits. */
static void test_run_class_s_has_reference_digests(void **state)
{
    (void)state;
    for (int kernel = 0; kernel <= pario_bt_kernel_best(); kernel++) {
        struct pario_bt *bt = solver("S", kernel);
        size_t count = pario_bt_own_points(bt) * 5;
        double *dump = malloc(count * sizeof(*dump));
        double xcr[5], xce[5], worst;

        assert_non_null(dump);
        for (int d = 0; d < 12; d++) {
            steps(bt, 5);
            pario_bt_pack(bt, dump);
            assert_int_equal(pario_bt_digest(dump, count, 0),
                             pario_bt_dump_digest(bt->cls, d));
        }
        assert_int_equal(pario_bt_error_norm(bt, xce), 0);
        assert_int_equal(pario_bt_residual_norm(bt, xcr), 0);
        assert_true(pario_bt_norms_match(xce, bt->cls->xce, &worst));
        assert_true(pario_bt_norms_match(xcr, bt->cls->xcr, &worst));
        free(dump);
        pario_bt_destroy(bt);
    }
}

static void test_run_class_w_verifies(void **state)
{
    struct pario_bt *bt = solver("W", -1);
    double xcr[5], xce[5], worst;

    (void)state;
    steps(bt, bt->cls->steps);
    assert_int_equal(pario_bt_error_norm(bt, xce), 0);
    assert_int_equal(pario_bt_residual_norm(bt, xcr), 0);
    assert_true(pario_bt_norms_match(xce, bt->cls->xce, &worst));
    assert_true(pario_bt_norms_match(xcr, bt->cls->xcr, &worst));
    xce[3] *= 1.0 + 2e-8;
    assert_false(pario_bt_norms_match(xce, bt->cls->xce, &worst));
    xcr[4] = NAN;
    assert_false(pario_bt_norms_match(xcr, bt->cls->xcr, &worst));
    pario_bt_destroy(bt);
}

static void test_unpack_of_pack_restores_u(void **state)
{
    struct pario_bt *bt = solver("S", -1);
    size_t count = pario_bt_own_points(bt) * 5;
    double *first = malloc(count * sizeof(*first));
    double *second = malloc(count * sizeof(*second));

    (void)state;
    assert_non_null(first);
    assert_non_null(second);
    pario_bt_pack(bt, first);
    steps(bt, 1);
    pario_bt_pack(bt, second);
    assert_memory_not_equal(first, second, count * sizeof(*first));
    pario_bt_unpack(bt, first);
    pario_bt_pack(bt, second);
    assert_memory_equal(first, second, count * sizeof(*first));
    free(first);
    free(second);
    pario_bt_destroy(bt);
}

static void test_digest_changes_with_value_and_place(void **state)
{
    double a[4] = {1.0, 2.0, 3.0, 4.0}, b[4] = {2.0, 1.0, 3.0, 4.0};
    uint64_t whole = pario_bt_digest(a, 4, 0);

    (void)state;
    assert_true(whole ==
                pario_bt_digest(a, 1, 0) + pario_bt_digest(a + 1, 3, 1));
    assert_true(whole != pario_bt_digest(b, 4, 0));
    assert_true(whole != pario_bt_digest(a, 4, 1));
    a[2] = nextafter(a[2], 4.0);
    assert_true(whole != pario_bt_digest(a, 4, 0));
}

/* Every point has exactly one owner, for every process count and scheme. */
static void test_decompositions_cover_grid_once(void **state)
{
    (void)state;
    for (int size = 1; size <= 150; size++) {
        struct pario_bt_decomp dec;
        int cells = 0, points = 0;

        assert_int_equal(pario_bt_decomp_init(12, size, PARIO_BT_AUTO, &dec),
                         0);
        assert_true(dec.active <= size);
        for (int rank = 0; rank < size; rank++)
            for (int c = 0; c < pario_bt_decomp_cells(&dec, rank); c++) {
                int pos[3], volume = 1;

                pario_bt_decomp_cell(&dec, rank, c, pos);
                assert_int_equal(pario_bt_decomp_owner(&dec, pos), rank);
                for (int d = 0; d < 3; d++) {
                    int from = pario_bt_decomp_start(&dec, d, pos[d]);
                    int to = pario_bt_decomp_start(&dec, d, pos[d] + 1);

                    for (int g = from; g < to; g++)
                        assert_int_equal(pario_bt_decomp_part(&dec, d, g),
                                         pos[d]);
                    volume *= to - from;
                }
                points += volume;
                cells++;
            }
        assert_int_equal(cells, dec.parts[0] * dec.parts[1] * dec.parts[2]);
        assert_int_equal(points, 12 * 12 * 12);
    }
}

static void test_multi_partition_needs_square_count(void **state)
{
    struct pario_bt_decomp dec;

    (void)state;
    assert_true(pario_bt_decomp_init(12, 6, PARIO_BT_MULTI, &dec) < 0);
    assert_int_equal(pario_bt_decomp_init(12, 9, PARIO_BT_MULTI, &dec), 0);
    assert_int_equal(dec.parts[0], 3);
    assert_int_equal(pario_bt_decomp_init(12, 9, PARIO_BT_BLOCK, &dec), 0);
    assert_int_equal(dec.parts[0], 1);
    assert_int_equal(pario_bt_decomp_init(12, 13, PARIO_BT_AUTO, &dec), 0);
    assert_int_equal(dec.active, 12);
}

static void test_sizes_of_class_b_are_nht1s(void **state)
{
    const struct pario_bt_class *cls = pario_bt_class_find("b");

    (void)state;
    assert_int_equal(pario_bt_dump_bytes(cls), 42448320);
    assert_null(pario_bt_class_find("BB"));
    assert_true(fabs(pario_bt_mops(cls, 200) - 702180.0) < 1.0);
}

/* The run as `nht app` has it, with a document nobody writes. */
static void run_init(struct pario_run *run)
{
    char word[] = "pario", *argv[] = {word, NULL};

    memset(run, 0, sizeof(*run));
    assert_int_equal(pario_result_create("nht", 1, argv, "test_bt-never.json",
                                         1, &run->result),
                     0);
}

static const char *only_warning(const struct pario_run *run)
{
    const json_t *warnings =
        json_object_get(pario_result_document(run->result), "warnings");

    assert_int_equal(json_array_size(warnings), 1);
    return json_string_value(json_array_get(warnings, 0));
}

static void test_judge_norms_slightly_off_invalidates(void **state)
{
    const struct pario_bt_class *cls = pario_bt_class_find("S");
    struct pario_run run;
    double xce[5], xcr[5], worst;

    (void)state;
    for (int m = 0; m < 10; m++) {
        double *off = m < 5 ? &xce[m] : &xcr[m - 5];

        run_init(&run);
        memcpy(xce, cls->xce, sizeof(xce));
        memcpy(xcr, cls->xcr, sizeof(xcr));
        *off *= 1.0 + 0.9e-8;
        assert_true(nht_judge_norms(&run, cls, xce, xcr, &worst));
        assert_true(worst > 0.8e-8);
        assert_int_equal(json_array_size(json_object_get(
                             pario_result_document(run.result), "warnings")),
                         0);
        *off *= 1.0 + 0.3e-8;
        assert_false(nht_judge_norms(&run, cls, xce, xcr, &worst));
        assert_true(worst > 1e-8);
        assert_non_null(strstr(only_warning(&run), "class S does not verify"));
        assert_false(pario_result_is_valid(run.result));
        pario_result_destroy(run.result);
    }
}

static void test_judge_norms_nan_invalidates(void **state)
{
    const struct pario_bt_class *cls = pario_bt_class_find("S");
    struct pario_run run;
    double xcr[5], worst;

    (void)state;
    run_init(&run);
    memcpy(xcr, cls->xcr, sizeof(xcr));
    xcr[4] = NAN;
    assert_false(nht_judge_norms(&run, cls, cls->xce, xcr, &worst));
    assert_non_null(strstr(only_warning(&run), "does not verify"));
    pario_result_destroy(run.result);
}

static void test_norms_of_disturbed_run_do_not_verify(void **state)
{
    const struct pario_bt_class *cls = pario_bt_class_find("S");
    struct pario_bt_setup setup = {.cls = cls, .kernel = -1};
    struct pario_bt *bt = NULL;
    double xce[5], xcr[5], worst;

    (void)state;
    assert_int_equal(pario_bt_create_alone(&setup, &bt), 0);
    pario_bt_start(bt);
    for (int s = 0; s < cls->steps; s++) {
        /* One value of one point, a millionth off. */
        if (s == cls->steps - 2)
            *pario_bt_u_at(&bt->cells[0], 6, 6, 6) *= 1.0 + 1e-6;
        assert_int_equal(pario_bt_step(bt), 0);
    }
    assert_int_equal(pario_bt_error_norm(bt, xce), 0);
    assert_int_equal(pario_bt_residual_norm(bt, xcr), 0);
    assert_false(pario_bt_norms_match(xcr, cls->xcr, &worst));
    pario_bt_destroy(bt);
}

static void test_claim_lacking_anything_is_not_official(void **state)
{
    const struct nht_claim whole = {
        .cls = pario_bt_class_find("B"),
        .dumps = {.interval = 5, .steps = 200, .ndumps = 40},
        .sync = 1,
        .checked = 1,
        .on_disk = 1,
        .tc_runs = 2,
        .valid = 1,
    };
    struct {
        struct nht_claim claim;
        const char *lacks;
    } cases[10];
    char text[NHT_CLAIM_LEN];

    (void)state;
    assert_string_equal(nht_claim_lacks(&whole, text), "");
    for (size_t i = 0; i < 10; i++)
        cases[i].claim = whole;
    cases[0].claim.cls = pario_bt_class_find("A");
    cases[0].lacks = "class B";
    cases[1].claim.dumps.steps = 100;
    cases[1].lacks = "all steps";
    cases[2].claim.dumps.interval = 10;
    cases[2].lacks = "every fifth";
    cases[3].claim.spread = 1;
    cases[3].lacks = "one file";
    cases[4].claim.sync = 0; /* --no-sync */
    cases[4].lacks = "--sync";
    cases[5].claim.checked = 0;
    cases[5].lacks = "--verify";
    cases[6].claim.on_disk = 0;
    cases[6].lacks = "seen by the disks";
    cases[7].claim.valid = 0;
    cases[7].lacks = "a valid run";
    cases[8].claim.tc_runs = 0; /* --tc */
    cases[8].lacks = "no --tc";
    cases[9].claim.tc_runs = 1;
    cases[9].lacks = "--tc-runs";
    for (size_t i = 0; i < 10; i++) {
        assert_non_null(
            strstr(nht_claim_lacks(&cases[i].claim, text), cases[i].lacks));
        assert_null(strchr(text, ';'));
    }
}

static void test_transfer_lacking_anything_is_not_official(void **state)
{
    const struct nht_transfer_claim whole = {.over_loopback = 1,
                                             .by_command = 1,
                                             .enough = 1,
                                             .on_disk = 1,
                                             .valid = 1};
    struct nht_transfer_claim lacking[5] = {whole, whole, whole, whole, whole};
    static const char *const lacks[5] = {"loopback", "own command", "80 %",
                                         "seen by the disks", "a valid run"};
    char text[NHT_CLAIM_LEN];

    (void)state;
    assert_string_equal(nht_transfer_lacks(&whole, text), "");
    lacking[0].over_loopback = 0; /* --host */
    lacking[1].by_command = 0;    /* libcurl */
    lacking[2].enough = 0;
    lacking[3].on_disk = 0;
    lacking[4].valid = 0;
    for (size_t i = 0; i < 5; i++) {
        assert_non_null(
            strstr(nht_transfer_lacks(&lacking[i], text), lacks[i]));
        assert_null(strchr(text, ';'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_at_corners_is_column_sums),
        cmocka_unit_test(test_start_and_forcing_class_s_match),
        cmocka_unit_test(test_stages_of_step_1_class_s_match),
        cmocka_unit_test(test_steps_class_s_match),
        cmocka_unit_test(test_step_1_class_b_matches),
        cmocka_unit_test(test_run_class_s_has_reference_digests),
        cmocka_unit_test(test_run_class_w_verifies),
        cmocka_unit_test(test_unpack_of_pack_restores_u),
        cmocka_unit_test(test_digest_changes_with_value_and_place),
        cmocka_unit_test(test_decompositions_cover_grid_once),
        cmocka_unit_test(test_multi_partition_needs_square_count),
        cmocka_unit_test(test_sizes_of_class_b_are_nht1s),
        cmocka_unit_test(test_judge_norms_slightly_off_invalidates),
        cmocka_unit_test(test_judge_norms_nan_invalidates),
        cmocka_unit_test(test_norms_of_disturbed_run_do_not_verify),
        cmocka_unit_test(test_claim_lacking_anything_is_not_official),
        cmocka_unit_test(test_transfer_lacking_anything_is_not_official),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
