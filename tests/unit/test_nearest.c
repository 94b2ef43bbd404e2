/* What a misspelt word was meant to be. */
#include "core/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *nearest(const char *word, const char *const *names)
{
    return pario_nearest_of(word, names).name;
}

static const char *const names[] = {"time",   "verify", "file-size",
                                    "output", "keep",   NULL};

static void test_find_nearest_misspelt_gives_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("tiem", names), "time");
    assert_string_equal(nearest("TIME", names), "time");
    assert_string_equal(nearest("verfy", names), "verify");
    assert_string_equal(nearest("verifiy", names), "verify");
    assert_string_equal(nearest("filesize", names), "file-size");
    assert_string_equal(nearest("ouptut", names), "output");
    assert_string_equal(nearest("keep", names), "keep");
}

static void test_find_nearest_swapped_letters_is_one_change(void **state)
{
    static const char *const short_names[] = {"np", NULL};

    (void)state;
    assert_string_equal(nearest("pn", short_names), "np");
    assert_null(nearest("xy", short_names));
}

static void test_find_nearest_strange_gives_null(void **state)
{
    static const char *const none[] = {NULL};
    char longest[200];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_null(nearest("banana", names));
    assert_null(nearest("", names));
    assert_null(nearest("x", names));
    assert_null(nearest(longest, names));
    assert_null(nearest("time", none));
}

static void test_say_nearest_ends_a_message(void **state)
{
    struct pario_nearest near = pario_nearest_of("tiem", names);
    struct pario_nearest strange = pario_nearest_of("banana", names);

    (void)state;
    assert_string_equal(pario_nearest_say(&near, "--"),
                        "; did you mean --time?");
    assert_string_equal(pario_nearest_say(&strange, "--"), "");
    pario_nearest_try(&near, "item"); /* as near: the first one counts */
    assert_string_equal(near.name, "time");
    pario_nearest_try(&near, "tiem");
    assert_string_equal(pario_nearest_say(&near, ""), "; did you mean tiem?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_nearest_misspelt_gives_name),
        cmocka_unit_test(test_find_nearest_swapped_letters_is_one_change),
        cmocka_unit_test(test_find_nearest_strange_gives_null),
        cmocka_unit_test(test_say_nearest_ends_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
