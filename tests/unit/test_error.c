#include "core/error.h"
#include "io/hints.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_fail_records_message_and_returns_code(void **state)
{
    (void)state;
    assert_int_equal(pario_fail(-EIO, "cannot read %s", "/x"), -EIO);
    assert_string_equal(pario_error_message(), "cannot read /x");
}

static void test_fail_errno_appends_cause(void **state)
{
    (void)state;
    assert_int_equal(pario_fail_errno(-ENOSPC, "cannot write %s", "/x"),
                     -ENOSPC);
    assert_string_equal(pario_error_message(),
                        "cannot write /x: No space left on device");
}

static void test_fail_with_own_message_as_argument_is_safe(void **state)
{
    (void)state;
    (void)!pario_fail(-EIO, "inner");
    (void)!pario_fail(-EIO, "outer: %s", pario_error_message());
    assert_string_equal(pario_error_message(), "outer: inner");
}

static void test_fail_long_message_is_cut(void **state)
{
    char text[4096];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)!pario_fail_errno(-EIO, "%s", text);
    assert_true(strlen(pario_error_message()) < 1024);
}

static void test_exit_status_is_never_a_count(void **state)
{
    (void)state;
    assert_int_equal(pario_exit_status(0), 0);
    assert_int_equal(pario_exit_status(-EIO), 1);
    assert_int_equal(pario_exit_status(PARIO_EVERIFY), 1);
    assert_int_equal(pario_exit_status(PARIO_EUSAGE), 2);
    assert_int_equal(pario_exit_status(PARIO_EINTR), 130);
}

static void test_hints_parse_later_value_wins(void **state)
{
    struct pario_hints hints = {0};

    (void)state;
    assert_int_equal(pario_hints_parse(&hints, "a=1;b=x=y;;a=2"), 0);
    assert_int_equal(hints.count, 2);
    assert_string_equal(pario_hints_get(&hints, "a"), "2");
    assert_string_equal(pario_hints_get(&hints, "b"), "x=y");
    assert_null(pario_hints_get(&hints, "c"));
    pario_hints_fini(&hints);
}

static void test_hints_parse_without_value_is_usage_error(void **state)
{
    struct pario_hints hints = {0};

    (void)state;
    assert_int_equal(pario_hints_parse(&hints, "a"), PARIO_EUSAGE);
    assert_int_equal(pario_hints_parse(&hints, "=1"), PARIO_EUSAGE);
    pario_hints_fini(&hints);
}

static void test_message_carries_no_escape_sequences(void **state)
{
    (void)state;
    (void)pario_fail(-EIO, "%s",
                     "a\033[2Jb\007c\177d\xc2\x9b"
                     "e\tf\ng");
    assert_string_equal(pario_error_message(), "a?[2Jb?c?d??e\tf\ng");
    (void)pario_fail_errno(-EIO, "%s", "x\033]0;y\007");
    assert_null(strchr(pario_error_message(), '\033'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_carries_no_escape_sequences),
        cmocka_unit_test(test_fail_records_message_and_returns_code),
        cmocka_unit_test(test_fail_errno_appends_cause),
        cmocka_unit_test(test_fail_with_own_message_as_argument_is_safe),
        cmocka_unit_test(test_fail_long_message_is_cut),
        cmocka_unit_test(test_exit_status_is_never_a_count),
        cmocka_unit_test(test_hints_parse_later_value_wins),
        cmocka_unit_test(test_hints_parse_without_value_is_usage_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
