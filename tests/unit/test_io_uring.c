#include "backend_cases.h"

#include <errno.h>

extern const struct pario_backend pario_backend_uring;
#define URING (&pario_backend_uring)

static void test_round_trip_explicit_is_exact(void **state)
{
    (void)state;
    check_round_trip(URING, NULL, PARIO_FORM_AT);
}

static void test_create_existing_file_is_refused(void **state)
{
    (void)state;
    check_create_existing(URING, NULL);
}

static void test_several_requests_complete_out_of_order(void **state)
{
    (void)state;
    check_nonblocking(URING);
}

static void test_write_to_full_device_returns_enospc(void **state)
{
    struct pario_target target = {.path = "/dev/full",
                                  .flags = PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;
    char x = 'x';

    (void)state;
    assert_int_equal(URING->open(&target, &file), 0);
    assert_int_equal(URING->io[PARIO_WRITE][PARIO_FORM_AT](file, &x, 1, 0),
                     -ENOSPC);
    assert_int_equal(URING->close(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_explicit_is_exact),
        cmocka_unit_test(test_create_existing_file_is_refused),
        cmocka_unit_test(test_several_requests_complete_out_of_order),
        cmocka_unit_test(test_write_to_full_device_returns_enospc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
