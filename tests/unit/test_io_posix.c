#include "backend_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

extern const struct pario_backend pario_backend_posix;
#define POSIX (&pario_backend_posix)

static int open_target(const char *path, int flags, struct pario_file **file_p)
{
    struct pario_target target = {.path = path, .flags = flags};

    return POSIX->open(&target, file_p);
}

static void test_round_trip_explicit_is_exact(void **state)
{
    (void)state;
    check_round_trip(POSIX, NULL, PARIO_FORM_AT);
}

static void test_round_trip_pointer_is_exact(void **state)
{
    (void)state;
    check_round_trip(POSIX, NULL, PARIO_FORM_POINTER);
}

static void test_create_existing_file_is_refused(void **state)
{
    (void)state;
    check_create_existing(POSIX, NULL);
}

static void test_write_to_full_device_returns_enospc(void **state)
{
    struct pario_file *file = NULL;
    char x = 'x';

    (void)state;
    assert_int_equal(open_target("/dev/full", PARIO_OPEN_WRITE, &file), 0);
    assert_int_equal(POSIX->io[PARIO_WRITE][PARIO_FORM_AT](file, &x, 1, 0),
                     -ENOSPC);
    assert_int_equal(POSIX->close(file), 0);
}

static void test_open_missing_file_names_it(void **state)
{
    struct pario_file *file = NULL;

    (void)state;
    assert_int_equal(open_target("/nowhere/x", PARIO_OPEN_READ, &file),
                     -ENOENT);
    assert_string_equal(pario_error_message(),
                        "cannot open /nowhere/x: No such file or directory");
}

static void test_read_past_end_is_short(void **state)
{
    struct pario_file *file = NULL;
    char buf[16];

    (void)state;
    assert_int_equal(open_target("/dev/null", PARIO_OPEN_READ, &file), 0);
    assert_int_equal(
        POSIX->io[PARIO_READ][PARIO_FORM_AT](file, buf, sizeof(buf), 0),
        PARIO_ESHORT);
    assert_int_equal(POSIX->close(file), 0);
}

static void test_write_beyond_file_limit_returns_efbig(void **state)
{
    struct rlimit old, limit;
    struct pario_file *file = NULL;
    char path[] = "/tmp/pario-limit-XXXXXX";
    char buf[4096] = {0};
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(open_target(path, PARIO_OPEN_WRITE, &file), 0);
    assert_int_equal(
        POSIX->io[PARIO_WRITE][PARIO_FORM_AT](file, buf, sizeof(buf), 4096),
        -EFBIG);
    assert_int_equal(POSIX->close(file), 0);
    setrlimit(RLIMIT_FSIZE, &old);
    unlink(path);
}

static void test_check_direct_unaligned_is_refused(void **state)
{
    int code;

    (void)state;
    code = pario_backend_check(POSIX, ".", PARIO_OPEN_WRITE | PARIO_OPEN_DIRECT,
                               1000);
    /* tmpfs takes any size; elsewhere it is an error before the run. */
    if (code != 0) {
        assert_int_equal(code, PARIO_EUSAGE);
        assert_non_null(strstr(pario_error_message(), "O_DIRECT"));
    }
    assert_int_equal(pario_backend_check(POSIX, ".", PARIO_OPEN_WRITE, 1000),
                     0);
}

static void test_find_unknown_interface_suggests(void **state)
{
    const struct pario_backend *backend = NULL;

    (void)state;
    assert_int_equal(pario_backend_find("posixx", &backend), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "did you mean posix"));
    assert_int_equal(pario_backend_find("posix", &backend), 0);
    assert_ptr_equal(backend, POSIX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_explicit_is_exact),
        cmocka_unit_test(test_round_trip_pointer_is_exact),
        cmocka_unit_test(test_create_existing_file_is_refused),
        cmocka_unit_test(test_write_to_full_device_returns_enospc),
        cmocka_unit_test(test_open_missing_file_names_it),
        cmocka_unit_test(test_read_past_end_is_short),
        cmocka_unit_test(test_write_beyond_file_limit_returns_efbig),
        cmocka_unit_test(test_check_direct_unaligned_is_refused),
        cmocka_unit_test(test_find_unknown_interface_suggests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
