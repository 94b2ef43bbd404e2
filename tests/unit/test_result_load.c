/* The results model: reading back what may be spoiled. */
#include "result_file.h"

static const struct {
    const char *text, *message;
} bad_files[] = {
    {"", "bad.json:1: the file is empty"},
    {"\x01\x02\xff\xfe\x7f"
     "ELF",
     "bad.json:1: not valid JSON"},
    {"{\"schema\": \"pario-result/1\",\n \"suite\": \"qui",
     "bad.json:2: not valid JSON"},
    {"{}\n{}", "bad.json:2: not valid JSON"},
    {"[1, 2]", "bad.json:1: not a pario result"},
    {"{\"a\": 1}", "bad.json:1: not a pario result: it has no \"schema\""},
    {"{\n\n\"schema\": \"fio/3\"}",
     "bad.json:3: not a pario result: schema is \"fio/3\""},
    {"{\n\"schema\": \"pario-result/2\"}", "bad.json:2: schema is "
                                           "pario-result/2, and this pario "
                                           "reads pario-result/1"},
    {"{\n\"schema\": \"pario-result/1\"}", "bad.json:1: suite is missing"},
};

static void test_load_of_bad_file_names_file_line_and_cause(void **state)
{
    json_t *document = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(bad_files) / sizeof(bad_files[0]); i++) {
        write_text("bad.json", bad_files[i].text, strlen(bad_files[i].text));
        assert_int_equal(pario_result_load("bad.json", &document),
                         PARIO_EFORMAT);
        assert_message_has(bad_files[i].message);
    }
    assert_null(document);
    assert_int_equal(pario_result_load(".", &document), -EISDIR);
    assert_int_equal(pario_result_load("none", &document), -ENOENT);
}

/* A member of a good document, by path, made wrong. */
static const struct {
    const char *find, *replace, *message;
} spoilers[] = {
    {"\"valid\": true", "\"valid\": 1", "valid must be true or false"},
    {"\"bytes\": 2000000", "\"bytes\": -1",
     "measures[0].bytes must be a whole number"},
    {"\"errors\": 0", "\"errors\": null", "measures[0].verify.errors must be"},
    {"\"cache\": \"disk\"", "\"cache\": \"tape\"", "measures[0].cache must be"},
    {"\"test\":", "\"tset\":", "measures[0].test is missing"},
    {"\"warnings\": []", "\"warnings\": [7]", "warnings[0] must be a string"},
    {"\"summary\": {}", "\"summary\": {\"x\": []}",
     "summary.x must be one value"},
    {"\"suite\"", "\"valid\": false, \"suite\"", "duplicate"},
};

static int line_of(const char *text, const char *part)
{
    const char *end = strstr(text, part);
    int line = 1;

    assert_non_null(end);
    for (; text < end; text++)
        line += *text == '\n';
    return line;
}

static void test_load_of_spoiled_member_names_its_line(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1);
    char good[16384], spoiled[16384], where[64];
    json_t *document = NULL;

    (void)state;
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
    keep(good, sizeof(good), read_text("a.json"));
    for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
        const char *at = strstr(good, spoilers[i].find);

        assert_non_null(at);
        snprintf(spoiled, sizeof(spoiled), "%.*s%s%s", (int)(at - good), good,
                 spoilers[i].replace, at + strlen(spoilers[i].find));
        write_text("b.json", spoiled, strlen(spoiled));
        assert_int_equal(pario_result_load("b.json", &document), PARIO_EFORMAT);
        assert_message_has(spoilers[i].message);
        if (strstr(spoilers[i].message, "must") == NULL)
            continue;
        snprintf(where, sizeof(where),
                 "b.json:%d:", line_of(spoiled, spoilers[i].replace));
        assert_message_has(where);
    }
}

/* Truncated anywhere, a document is refused and nothing is leaked. */
static void test_load_of_truncated_document_fails_everywhere(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1);
    json_t *document = NULL;
    size_t len;

    (void)state;
    assert_int_equal(pario_result_add(result, &measure), 0);
    pario_result_destroy(result);
    len = strlen(read_text("a.json"));
    for (size_t keep = 0; keep + 2 < len; keep++) {
        write_text("t.json", read_text("a.json"), keep);
        assert_int_equal(pario_result_load("t.json", &document), PARIO_EFORMAT);
        assert_message_has("t.json:");
    }
}

static void test_write_to_full_device_keeps_document(void **state)
{
    struct rlimit old, small = {.rlim_cur = 700, .rlim_max = RLIM_INFINITY};
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure;
    char before[16384];
    int code = 0;

    (void)state;
    assert_int_equal(pario_result_write(result), 0);
    keep(before, sizeof(before), read_text("a.json"));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_cur = strlen(before) + 20;
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    measure = example(1);
    code = pario_result_add(result, &measure);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, -EFBIG);
    assert_message_has("a.json");
    assert_message_has("kept");
    assert_string_equal(read_text("a.json"), before);
    assert_int_equal(files_in_directory(0), 1);
    assert_int_equal(pario_result_write(result), 0);
    pario_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESULT_TEST(test_load_of_bad_file_names_file_line_and_cause),
        RESULT_TEST(test_load_of_spoiled_member_names_its_line),
        RESULT_TEST(test_load_of_truncated_document_fails_everywhere),
        RESULT_TEST(test_write_to_full_device_keeps_document),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
