/* MPI-IO: alone and under the launcher. */
#include "backend_cases.h"
#include "io/mpiio_hints.h"
#include "par/mpi.h"

#include <errno.h>

extern const struct pario_backend pario_backend_mpiio;
#define MPIIO (&pario_backend_mpiio)

static struct pario_group *world;

static void test_round_trip_every_form_is_exact(void **state)
{
    static const enum pario_form forms[] = {
        PARIO_FORM_AT, PARIO_FORM_AT_ALL, PARIO_FORM_POINTER,
        PARIO_FORM_POINTER_ALL, PARIO_FORM_ORDERED};

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        check_round_trip(MPIIO, world, forms[i]);
}

static void test_create_existing_file_is_refused(void **state)
{
    (void)state;
    check_create_existing(MPIIO, world);
}

static void test_nonblocking_requests_complete(void **state)
{
    (void)state;
    check_nonblocking(MPIIO);
}

/* Blocks of 1000 bytes, interleaved over the ranks by a view. */
static void test_view_interleaves_blocks(void **state)
{
    enum { BLOCK = 1000, BLOCKS = 4 };
    int rank = pario_group_rank(world), size = pario_group_size(world);
    char dir[64], path[128], buf[BLOCK * BLOCKS], back[BLOCK];
    struct pario_target target = {.path = path,
                                  .group = world,
                                  .flags = PARIO_OPEN_CREATE | PARIO_OPEN_READ |
                                           PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;

    (void)state;
    make_test_dir(world, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    for (int b = 0; b < BLOCKS; b++)
        memset(buf + b * BLOCK, 'a' + rank * BLOCKS + b, BLOCK);
    assert_int_equal(MPIIO->open(&target, &file), 0);
    assert_int_equal(MPIIO->set_view(file, (int64_t)rank * BLOCK, BLOCK,
                                     (int64_t)size * BLOCK),
                     0);
    assert_int_equal(MPIIO->io[PARIO_WRITE][PARIO_FORM_POINTER_ALL](
                         file, buf, sizeof(buf), 0),
                     0);
    assert_int_equal(MPIIO->sync(file), 0);
    assert_int_equal(MPIIO->set_view(file, 0, 0, 0), 0);
    for (int b = 0; b < BLOCKS; b++) {
        int64_t offset = ((int64_t)b * size + rank) * BLOCK;

        assert_int_equal(
            MPIIO->io[PARIO_READ][PARIO_FORM_AT](file, back, BLOCK, offset), 0);
        assert_memory_equal(back, buf + b * BLOCK, BLOCK);
    }
    assert_int_equal(MPIIO->close(file), 0);
    remove_test_file(world, path, dir);
}

static void test_hints_requested_are_asked_for(void **state)
{
    char dir[64], path[128];
    struct pario_hints wanted = {0}, have = {0};
    struct pario_target target = {.path = path,
                                  .group = world,
                                  .hints = &wanted,
                                  .flags =
                                      PARIO_OPEN_CREATE | PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;

    (void)state;
    assert_int_equal(pario_hints_parse(&wanted, "cb_buffer_size=8388608;"
                                                "romio_cb_write=enable;"
                                                "IBM_largeblock_io=true"),
                     0);
    make_test_dir(world, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    assert_int_equal(MPIIO->open(&target, &file), 0);
    assert_int_equal(MPIIO->hints_in_force(file, &have), 0);
    assert_true(have.count > 0);
    assert_string_equal(pario_hints_get(&have, "cb_buffer_size"), "8388608");
    /* ROMIO leaves out what it does not know, Open MPI repeats everything. */
    assert_string_equal(pario_hints_get(&have, "romio_cb_write"),
                        pario_hints_current_library() == PARIO_HINTS_ROMIO
                            ? "enable"
                            : PARIO_HINT_NOT_KNOWN);
    if (pario_hints_get(&have, "IBM_largeblock_io") != NULL)
        assert_string_equal(pario_hints_get(&have, "IBM_largeblock_io"),
                            PARIO_HINT_NOT_KNOWN);
    assert_int_equal(MPIIO->close(file), 0);
    pario_hints_fini(&wanted);
    pario_hints_fini(&have);
    remove_test_file(world, path, dir);
}

/* What Open MPI reports of a file that its ROMIO, or shipio, serves. */
static void test_repeated_hints_are_judged_by_library(void **state)
{
    static const char *const keys[] = {"romio_ds_write", "IBM_largeblock_io",
                                       "cb_nodes", "foo"};
    static const char *const expected[][4] = {
        [PARIO_HINTS_OTHER] = {"1", "1", "1", "1"},
        [PARIO_HINTS_ROMIO] = {"1", PARIO_HINT_NOT_KNOWN, "1",
                               PARIO_HINT_NOT_KNOWN},
        [PARIO_HINTS_OMPIO] = {PARIO_HINT_NOT_KNOWN, PARIO_HINT_NOT_KNOWN, "1",
                               PARIO_HINT_NOT_KNOWN},
        [PARIO_HINTS_SHIPIO] = {PARIO_HINT_NOT_KNOWN, "1", "1",
                                PARIO_HINT_NOT_KNOWN},
    };
    MPI_Info info;

    (void)state;
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        assert_int_equal(MPI_Info_set(info, keys[i], "1"), MPI_SUCCESS);
    for (int library = 0; library < 4; library++) {
        struct pario_hints have = {0};

        assert_int_equal(
            pario_hints_of_info(info, (enum pario_hint_library)library, &have),
            0);
        for (int i = 0; i < 4; i++) {
            const char *value = pario_hints_get(&have, keys[i]);

            /* Values of the library below shipio are left out. */
            if (library == PARIO_HINTS_SHIPIO && i == 0 &&
                pario_hints_native_library() == PARIO_HINTS_ROMIO)
                assert_null(value);
            else
                assert_string_equal(value, expected[library][i]);
        }
        pario_hints_fini(&have);
    }
    MPI_Info_free(&info);
}

static void test_open_missing_directory_fails_on_all(void **state)
{
    struct pario_target target = {.path = "/nowhere/file",
                                  .group = world,
                                  .flags =
                                      PARIO_OPEN_CREATE | PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;

    (void)state;
    assert_true(MPIIO->open(&target, &file) < 0);
    assert_non_null(strstr(pario_error_message(), "/nowhere/file"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_every_form_is_exact),
        cmocka_unit_test(test_create_existing_file_is_refused),
        cmocka_unit_test(test_nonblocking_requests_complete),
        cmocka_unit_test(test_view_interleaves_blocks),
        cmocka_unit_test(test_hints_requested_are_asked_for),
        cmocka_unit_test(test_repeated_hints_are_judged_by_library),
        cmocka_unit_test(test_open_missing_directory_fails_on_all),
    };
    int failed;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    return failed != 0;
}
