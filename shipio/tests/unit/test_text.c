/* test_text.c - what a terminal may be shown of a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text.h"

static void assert_tamed(const char *text, const char *expected)
{
    char copy[32];

    assert_string_equal(shipio_text_tame(copy, sizeof(copy), text), expected);
}

static void test_plain_and_utf8_names_stay(void **state)
{
    (void)state;
    assert_tamed("", "");
    assert_tamed("/a b/c.d", "/a b/c.d");
    assert_tamed("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void test_controls_and_other_bytes_are_marked(void **state)
{
    (void)state;
    assert_tamed("a\033[31mb\n\x7f", "a?[31mb??");
    assert_tamed("\xc2\x9b"
                 "31m",
                 "??31m");
    assert_tamed("\x9b\xff", "??");
    assert_tamed("\xc3", "?");
    assert_tamed("\xe2\x82", "??");
    assert_tamed("\xc0\x9b\xed\xa0\x80", "?????");
}

static void test_copy_is_cut_between_characters(void **state)
{
    char copy[4];

    (void)state;
    assert_string_equal(shipio_text_tame(copy, sizeof(copy), "abcdef"), "abc");
    assert_string_equal(shipio_text_tame(copy, sizeof(copy), "ab\xe2\x82\xac"),
                        "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_utf8_names_stay),
        cmocka_unit_test(test_controls_and_other_bytes_are_marked),
        cmocka_unit_test(test_copy_is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
