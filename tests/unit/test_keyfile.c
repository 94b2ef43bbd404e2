/* tests/unit/test_keyfile.c */
#include "alloc_fail.h"
#include "core/keyfile.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct pario_keyfile *parse(const char *text, const char *comment)
{
    struct pario_keyfile *file = NULL;

    assert_int_equal(pario_keyfile_parse("a.in", text, comment, &file), 0);
    assert_non_null(file);
    assert_string_equal(file->path, "a.in");
    return file;
}

static void check_keyword(const struct pario_keyfile *file, size_t i,
                          const struct pario_keyword *expected)
{
    assert_true(i < file->count);
    assert_string_equal(file->keywords[i].section, expected->section);
    assert_string_equal(file->keywords[i].name, expected->name);
    assert_string_equal(file->keywords[i].value, expected->value);
    assert_int_equal(file->keywords[i].line, expected->line);
}

static void test_parse_all_forms_gives_keywords(void **state)
{
    static const struct pario_keyword expected[] = {
        {"", "class", "lowlevel", 2},
        {"", "size", "1 MiB", 3},
        {"", "time", "60", 4},
        {"", "hint", "a = b", 5},
        {"", "flag", "", 6},
        {"", "empty", "", 7},
        {"", "twice", "= x", 8},
        {"first", "class", "a b\tc", 11},
        {"second part", "path", "/a b#c", 13},
        {"second part", "mixed", "one two three", 14},
        {"second part", "quoted", "", 15},
    };
    struct pario_keyfile *file = parse("# a comment\n"
                                       "class lowlevel   # another\n"
                                       "\t size = 1 MiB \t\n"
                                       "time=60\n"
                                       "hint a = b\n"
                                       "flag\n"
                                       "empty =\n"
                                       "twice = = x\n"
                                       "\n"
                                       "[first]#x\n"
                                       "class a b\tc\n"
                                       " [ second part ] \n"
                                       "path \"/a b#c\" # c\n"
                                       "mixed one \"two\" three\n"
                                       "quoted = \"\"",
                                       NULL);

    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++)
        check_keyword(file, i, &expected[i]);
    assert_int_equal(file->count, COUNT(expected));
    pario_keyfile_destroy(file);
}

static void test_parse_crlf_gives_same_as_lf(void **state)
{
    static const struct pario_keyword a = {"", "a", "1", 1};
    static const struct pario_keyword b = {"s", "b", "2", 4};
    struct pario_keyfile *file = parse("\xef\xbb\xbf"
                                       "a 1\r\n\r\n[s]\r\nb = 2\r\n",
                                       NULL);

    (void)state;
    check_keyword(file, 0, &a);
    check_keyword(file, 1, &b);
    assert_int_equal(file->count, 2);
    pario_keyfile_destroy(file);
}

static void test_parse_nothing_gives_no_keywords(void **state)
{
    static const char *const texts[] = {"", "\n\n", "# only", "   ", "[a]\n"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct pario_keyfile *file = parse(texts[i], NULL);

        assert_int_equal(file->count, 0);
        pario_keyfile_destroy(file);
    }
}

static void test_parse_other_comment_keeps_hash(void **state)
{
    static const struct pario_keyword a = {"", "a", "1 # x", 1};
    static const struct pario_keyword b = {"", "b", "2", 2};
    struct pario_keyfile *file = parse("a 1 # x ! y\nb 2 ; z\n", "!;");

    (void)state;
    check_keyword(file, 0, &a);
    check_keyword(file, 1, &b);
    pario_keyfile_destroy(file);
}

static void test_parse_no_comment_keeps_all(void **state)
{
    static const struct pario_keyword a = {"", "a", "1 # x", 1};
    struct pario_keyfile *file = parse("a 1 # x\n", "");

    (void)state;
    check_keyword(file, 0, &a);
    pario_keyfile_destroy(file);
}

static void test_parse_very_long_line_is_whole(void **state)
{
    enum { LEN = 3000000 };
    char *text = malloc(LEN + 20);
    struct pario_keyfile *file;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', LEN + 2);
    text[0] = 'a';
    text[1] = ' ';
    snprintf(text + LEN + 2, 18, "\nb 2\n");
    file = parse(text, NULL);
    assert_int_equal(file->count, 2);
    assert_int_equal(strlen(file->keywords[0].value), LEN);
    assert_int_equal(file->keywords[1].line, 2);
    pario_keyfile_destroy(file);
    free(text);
}

static void test_parse_malformed_names_file_and_line(void **state)
{
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"= 5\n", "a.in:1:"},         {"a 1\n\"b\" 2\n", "a.in:2:"},
        {"a \"1\n", "a.in:1:"},       {"a 1\n\n[s\n", "a.in:3:"},
        {"[s] x\n", "a.in:1:"},       {"[]\n", "a.in:1:"},
        {"[  ]\n", "a.in:1:"},        {"a\"1\"\n", "a.in:1:"},
        {"a 1\n# x\n=\n", "a.in:3:"}, {"a \"#\n", "a.in:1:"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pario_keyfile *file = NULL;
        long live = alloc_live();

        pario_error_clear();
        assert_int_equal(
            pario_keyfile_parse("a.in", cases[i].text, NULL, &file),
            PARIO_EFORMAT);
        assert_null(file);
        assert_non_null(strstr(pario_error_message(), cases[i].where));
        assert_int_equal(alloc_live(), live);
    }
}

/* A file with these bytes; the caller unlinks it. */
static void write_file(char path[], const void *bytes, size_t len)
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    assert_int_equal(close(fd), 0);
}

static void test_read_file_gives_keywords_and_path(void **state)
{
    static const struct pario_keyword b = {"s", "b", "2", 3};
    char path[] = "/tmp/test_keyfile_XXXXXX";
    struct pario_keyfile *file = NULL;

    (void)state;
    write_file(path, "a 1\n[s]\nb 2", 11);
    assert_int_equal(pario_keyfile_read(path, NULL, &file), 0);
    assert_string_equal(file->path, path);
    assert_int_equal(file->count, 2);
    check_keyword(file, 1, &b);
    pario_keyfile_destroy(file);
    assert_int_equal(unlink(path), 0);
}

static void test_read_large_file_is_whole(void **state)
{
    const size_t lines = 50000, len = 8;
    char path[] = "/tmp/test_keyfile_XXXXXX";
    char *text = malloc(lines * len + 1);
    struct pario_keyfile *file = NULL;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < lines; i++)
        snprintf(text + i * len, len + 1, "k %05u\n", (unsigned)i % 100000u);
    write_file(path, text, lines * len);
    assert_int_equal(pario_keyfile_read(path, NULL, &file), 0);
    assert_int_equal(file->count, lines);
    assert_string_equal(file->keywords[lines - 1].value, "49999");
    assert_int_equal(file->keywords[lines - 1].line, lines);
    pario_keyfile_destroy(file);
    free(text);
    assert_int_equal(unlink(path), 0);
}

static void test_read_nul_byte_names_line(void **state)
{
    char path[] = "/tmp/test_keyfile_XXXXXX";
    char where[64];
    struct pario_keyfile *file = NULL;

    (void)state;
    write_file(path, "a 1\nb 2\nc \0 3\n", 14);
    snprintf(where, sizeof(where), "%s:3:", path);
    assert_int_equal(pario_keyfile_read(path, NULL, &file), PARIO_EFORMAT);
    assert_null(file);
    assert_non_null(strstr(pario_error_message(), where));
    assert_int_equal(unlink(path), 0);
}

static void test_read_missing_file_is_enoent(void **state)
{
    struct pario_keyfile *file = NULL;

    (void)state;
    assert_int_equal(pario_keyfile_read("/nowhere/x.in", NULL, &file), -ENOENT);
    assert_null(file);
    assert_non_null(strstr(pario_error_message(), "/nowhere/x.in"));
}

static void test_read_directory_is_eisdir(void **state)
{
    struct pario_keyfile *file = NULL;

    (void)state;
    assert_int_equal(pario_keyfile_read("/tmp", NULL, &file), -EISDIR);
    assert_null(file);
}

static void test_read_endless_file_is_efbig(void **state)
{
    struct pario_keyfile *file = NULL;

    (void)state;
    assert_int_equal(pario_keyfile_read("/dev/zero", NULL, &file), -EFBIG);
    assert_null(file);
}

static void test_read_allocation_fails_is_enomem(void **state)
{
    char path[] = "/tmp/test_keyfile_XXXXXX";
    char text[10000];
    struct pario_keyfile *file = NULL;
    long n;

    (void)state;
    memset(text, '\n', sizeof(text)); /* two buffers long */
    text[0] = 'a';
    write_file(path, text, sizeof(text));
    for (n = 1;; n++) {
        long live = alloc_live();
        int err;

        alloc_fail_at(n);
        err = pario_keyfile_read(path, NULL, &file);
        if (!alloc_failed()) {
            assert_int_equal(err, 0);
            break;
        }
        assert_int_equal(err, -ENOMEM);
        assert_null(file);
        assert_int_equal(alloc_live(), live);
    }
    assert_true(n > 4);
    pario_keyfile_destroy(file);
    assert_int_equal(unlink(path), 0);
}

static void test_parse_allocation_fails_is_enomem(void **state)
{
    struct pario_keyfile *file = NULL;
    long live = alloc_live();
    long n;

    (void)state;
    for (n = 1;; n++) {
        int err;

        alloc_fail_at(n);
        err = pario_keyfile_parse("a.in", "a 1\nb 2\n", NULL, &file);
        if (!alloc_failed()) {
            assert_int_equal(err, 0);
            break;
        }
        assert_int_equal(err, -ENOMEM);
        assert_null(file);
        assert_int_equal(alloc_live(), live);
    }
    assert_true(n > 3);
    pario_keyfile_destroy(file);
    assert_int_equal(alloc_live(), live);
}

static void test_destroy_null_does_nothing(void **state)
{
    (void)state;
    pario_keyfile_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_all_forms_gives_keywords),
        cmocka_unit_test(test_parse_crlf_gives_same_as_lf),
        cmocka_unit_test(test_parse_nothing_gives_no_keywords),
        cmocka_unit_test(test_parse_other_comment_keeps_hash),
        cmocka_unit_test(test_parse_no_comment_keeps_all),
        cmocka_unit_test(test_parse_very_long_line_is_whole),
        cmocka_unit_test(test_parse_malformed_names_file_and_line),
        cmocka_unit_test(test_read_file_gives_keywords_and_path),
        cmocka_unit_test(test_read_large_file_is_whole),
        cmocka_unit_test(test_read_nul_byte_names_line),
        cmocka_unit_test(test_read_missing_file_is_enoent),
        cmocka_unit_test(test_read_directory_is_eisdir),
        cmocka_unit_test(test_read_endless_file_is_efbig),
        cmocka_unit_test(test_read_allocation_fails_is_enomem),
        cmocka_unit_test(test_parse_allocation_fails_is_enomem),
        cmocka_unit_test(test_destroy_null_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
