/* The results model: build, write, read back, resume. */
#include "result/result.h"
#include "result/value.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char program[] = "pario", command[] = "quick";
static char *words[] = {program, command, NULL};
static char directory[] = "/tmp/pario-test-result-XXXXXX";

/* Every test begins in an empty current directory. */
static int files_in_directory(int remove_them)
{
    DIR *dir = opendir(".");
    const struct dirent *entry;
    int count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them)
            assert_int_equal(remove(entry->d_name), 0);
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

static int set_up(void **state)
{
    (void)state;
    return files_in_directory(1) < 0;
}

static void assert_message_has(const char *part)
{
    if (strstr(pario_error_message(), part) == NULL)
        fail_msg("\"%s\" is not in the message \"%s\"", part,
                 pario_error_message());
}

static void write_text(const char *path, const char *text, size_t len)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

static char *read_text(const char *path)
{
    static char text[65536];
    FILE *in = fopen(path, "r");
    size_t len;

    assert_non_null(in);
    len = fread(text, 1, sizeof(text) - 1, in);
    text[len] = '\0';
    fclose(in);
    return text;
}

static void keep(char *copy, size_t len, const char *original)
{
    assert_true(strlen(original) < len);
    memcpy(copy, original, strlen(original) + 1);
}

static struct pario_measure example(int l_bytes)
{
    struct pario_measure measure = {
        .test = "type0",
        .access = "write",
        .partition = 4,
        .pattern = json_pack("{s:i, s:i}", "type", 0, "l_bytes", l_bytes),
        .bytes = 2000000,
        .operations = 20,
        .seconds = 0.5,
        .first_done_s = 0.25,
        .last_done_s = 0.5,
        .checked_bytes = 4096,
        .cache = PARIO_CACHE_DISK,
    };
    return measure;
}

static struct pario_result *create(const char *path, int force)
{
    struct pario_result *result = NULL;

    if (pario_result_create("quick", 2, words, path, force, &result) != 0)
        fail_msg("%s", pario_error_message());
    return result;
}

static json_t *load(const char *path)
{
    json_t *document = NULL;

    if (pario_result_load(path, &document) != 0)
        fail_msg("%s", pario_error_message());
    return document;
}

static json_t *measure_at(const json_t *document, size_t index)
{
    return json_array_get(json_object_get(document, "measures"), index);
}

static void test_finished_run_reads_back_as_written(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1024);
    struct pario_hist *hist = malloc(sizeof(*hist));
    json_t *document, *m, *latency;

    (void)state;
    assert_non_null(hist);
    pario_hist_init(hist);
    for (int i = 1; i <= 1000; i++)
        pario_hist_add(hist, i < 1000 ? 10 : 63);
    measure.latency = hist;
    measure.extra = json_pack("{s:i, s:i}", "queue_depth", 8, "bytes", 7);
    assert_int_equal(
        pario_result_set(result, "system", "nodes", json_integer(1)), 0);
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_int_equal(
        pario_result_set(result, "summary", "write_mbps", json_real(4.0)), 0);
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
    free(hist);

    document = load("a.json");
    assert_true(json_is_true(json_object_get(document, "valid")));
    assert_true(json_is_string(json_object_get(document, "finished_utc")));
    m = measure_at(document, 0);
    assert_true(json_number_value(json_object_get(m, "bandwidth_mbps")) == 4.0);
    assert_int_equal(json_integer_value(json_object_get(m, "bytes")), 2000000);
    assert_int_equal(json_integer_value(json_object_get(m, "queue_depth")), 8);
    assert_string_equal(json_string_value(json_object_get(m, "cache")), "disk");
    latency = json_object_get(m, "latency_ns");
    assert_int_equal(json_integer_value(json_object_get(latency, "p99")), 10);
    assert_int_equal(json_integer_value(json_object_get(latency, "max")), 63);
    json_decref(document);
    assert_int_equal(files_in_directory(0), 1);
}

static void test_running_document_is_not_valid_and_not_finished(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1024);
    json_t *document;

    (void)state;
    assert_int_equal(pario_result_add(result, &measure), 0);
    document = load("a.json");
    assert_true(json_is_false(json_object_get(document, "valid")));
    assert_true(json_is_null(json_object_get(document, "finished_utc")));
    assert_true(pario_result_is_valid(result));
    json_decref(document);
    pario_result_destroy(result);
    assert_int_equal(files_in_directory(0), 1);
}

static void test_destroy_before_any_write_leaves_no_file(void **state)
{
    struct pario_result *result = create(NULL, 0);

    (void)state;
    assert_int_equal(files_in_directory(0), 1);
    pario_result_destroy(result);
    assert_int_equal(files_in_directory(0), 0);
}

static void test_default_names_taken_get_a_number(void **state)
{
    struct pario_result *results[12];

    (void)state;
    for (int i = 0; i < 12; i++)
        results[i] = create(NULL, 0);
    assert_int_equal(files_in_directory(0), 12);
    assert_non_null(strstr(pario_result_path(results[0]), "pario-quick-2"));
    for (int i = 0; i < 12; i++)
        pario_result_destroy(results[i]);
}

static void test_existing_file_is_kept_unless_forced(void **state)
{
    struct pario_result *result = NULL;
    struct pario_measure measure = example(1);

    (void)state;
    write_text("old.json", "precious", 8);
    assert_int_equal(
        pario_result_create("quick", 2, words, "old.json", 0, &result),
        -EEXIST);
    assert_message_has("old.json");
    assert_message_has("--force");
    assert_string_equal(read_text("old.json"), "precious");
    result = create("old.json", 1);
    assert_string_equal(read_text("old.json"), "precious");
    pario_result_destroy(result);
    assert_string_equal(read_text("old.json"), "precious");
    result = create("old.json", 1);
    assert_int_equal(pario_result_add(result, &measure), 0);
    pario_result_destroy(result);
    json_decref(load("old.json"));
    assert_int_equal(files_in_directory(0), 1);
}

static void test_force_replaces_the_target_of_a_link_only(void **state)
{
    struct pario_result *result;
    struct stat st;

    (void)state;
    write_text("real.json", "x", 1);
    assert_int_equal(chmod("real.json", 0640), 0);
    assert_int_equal(symlink("real.json", "link.json"), 0);
    result = create("link.json", 1);
    assert_int_equal(pario_result_write(result), 0);
    pario_result_destroy(result);
    assert_int_equal(lstat("link.json", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat("real.json", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    json_decref(load("real.json"));
}

static void test_devices_and_directories_are_never_replaced(void **state)
{
    struct pario_result *result = NULL;
    struct stat st;

    (void)state;
    assert_int_equal(
        pario_result_create("quick", 2, words, "/dev/null", 1, &result),
        -EINVAL);
    assert_message_has("not a regular file");
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(pario_result_create("quick", 2, words, ".", 1, &result),
                     -EISDIR);
    assert_int_equal(pario_result_create("quick", 2, words,
                                         "no/such/directory.json", 0, &result),
                     -ENOENT);
    assert_message_has("no/such/directory.json");
}

static void test_new_document_obeys_umask(void **state)
{
    mode_t before = umask(027);
    struct pario_result *result = create("a.json", 0);
    struct stat st;

    (void)state;
    assert_int_equal(pario_result_write(result), 0);
    pario_result_destroy(result);
    umask(before);
    assert_int_equal(stat("a.json", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
}

static void test_failed_measures_make_the_run_invalid(void **state)
{
    struct pario_measure bad[] = {example(1), example(2)};

    (void)state;
    bad[0].error = "fsync failed";
    bad[1].errors = 1;
    for (int i = 0; i < 2; i++) {
        struct pario_result *result = create("a.json", i);
        json_t *document;

        assert_int_equal(pario_result_add(result, &bad[i]), 0);
        assert_false(pario_result_is_valid(result));
        assert_int_equal(pario_result_finish(result), 0);
        pario_result_destroy(result);
        document = load("a.json");
        assert_true(json_is_false(json_object_get(document, "valid")));
        json_decref(document);
    }
}

static void test_invalidate_gives_reason_and_warning_once(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1);
    const json_t *document = pario_result_document(result);

    (void)state;
    assert_int_equal(pario_result_warn(result, "only %d s", 3), 0);
    assert_int_equal(pario_result_warn(result, "only %d s", 3), 0);
    assert_int_equal(pario_result_invalidate(result, "bad %s", "disk"), 0);
    assert_int_equal(json_array_size(json_object_get(document, "warnings")), 2);
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_int_equal(pario_result_finish(result), 0);
    assert_false(pario_result_is_valid(result));
    assert_true(json_is_false(json_object_get(document, "valid")));
    pario_result_destroy(result);
}

static void test_run_without_measures_is_not_valid(void **state)
{
    struct pario_result *result = create("a.json", 0);

    (void)state;
    assert_false(pario_result_is_valid(result));
    assert_int_equal(pario_result_finish(result), 0);
    assert_false(pario_result_is_valid(result));
    pario_result_destroy(result);
}

static void test_values_that_are_not_finite_become_null_with_warning(void **s)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measures[] = {example(1), example(2), example(3)};
    json_t *document;

    (void)s;
    measures[0].seconds = NAN;
    measures[1].seconds = INFINITY;
    measures[1].first_done_s = NAN;
    measures[2].seconds = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pario_result_add(result, &measures[i]), 0);
    assert_int_equal(
        pario_result_set(result, "summary", "x_mbps", json_real(NAN)), 0);
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
    document = load("a.json");
    for (size_t i = 0; i < 3; i++)
        assert_true(json_is_null(
            json_object_get(measure_at(document, i), "bandwidth_mbps")));
    assert_true(
        json_is_null(json_object_get(measure_at(document, 0), "seconds")));
    assert_int_equal(json_array_size(json_object_get(document, "warnings")), 3);
    json_decref(document);
}

static void test_invalid_utf8_in_command_line_is_replaced(void **state)
{
    static char bad[] = "a\xff\xc3(\xed\xa0\x80z\xc3\xa9",
                overlong[] = "\xc0\x80";
    char *argv[] = {program, bad, overlong, NULL};
    struct pario_result *result = NULL;
    struct pario_measure measure = example(1);
    json_t *document, *list;

    (void)state;
    measure.test = "t\xfe";
    measure.error = "cannot open \x80";
    assert_int_equal(
        pario_result_create("quick", 3, argv, "a.json", 0, &result), 0);
    assert_int_equal(pario_result_add(result, &measure), 0);
    pario_result_destroy(result);
    document = load("a.json");
    list = json_object_get(document, "command");
    assert_string_equal(json_string_value(json_array_get(list, 1)),
                        "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd"
                        "\xef\xbf\xbdz\xc3\xa9");
    assert_string_equal(json_string_value(json_array_get(list, 2)),
                        "\xef\xbf\xbd\xef\xbf\xbd");
    assert_int_equal(json_array_size(json_object_get(document, "warnings")), 1);
    json_decref(document);
}

static void test_set_refuses_own_members_and_nested_summary(void **state)
{
    struct pario_result *result = create("a.json", 0);

    (void)state;
    assert_int_equal(pario_result_set(result, "", "valid", json_true()),
                     -EINVAL);
    assert_int_equal(pario_result_set(result, "summary", "x", json_object()),
                     -EINVAL);
    assert_int_equal(pario_result_set(result, "", "checks", json_array()), 0);
    assert_int_equal(
        pario_result_set(result, "", "system", json_pack("{s:i}", "nodes", 2)),
        0);
    assert_int_equal(
        json_integer_value(json_object_get(
            json_object_get(pario_result_document(result), "system"), "nodes")),
        2);
    pario_result_destroy(result);
}

/* A document of two measures, the second failed, with two options. */
static void write_resumable(void)
{
    struct pario_result *result = create("r.json", 1);
    struct pario_measure good = example(1024), bad = example(2048);

    bad.error = "No space left on device";
    assert_int_equal(pario_result_set(result, "options", "time", json_real(60)),
                     0);
    assert_int_equal(
        pario_result_set(result, "options", "output", json_string("r.json")),
        0);
    assert_int_equal(
        pario_result_set(result, "system", "mpi", json_string("MPICH")), 0);
    assert_int_equal(pario_result_add(result, &good), 0);
    assert_int_equal(pario_result_add(result, &bad), 0);
    assert_int_equal(pario_result_invalidate(result, "the disk is full"), 0);
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
}

static struct pario_result *resume(void)
{
    struct pario_result *result = NULL;

    if (pario_result_resume("quick", 2, words, "r.json", &result) != 0)
        fail_msg("%s", pario_error_message());
    return result;
}

static void test_resume_keeps_good_measures_and_repeats_failed(void **state)
{
    struct pario_measure good = example(1024), bad = example(2048);
    struct pario_result *result;
    json_t *document;

    (void)state;
    write_resumable();
    result = resume();
    assert_int_equal(pario_result_set(result, "options", "time", json_real(60)),
                     0);
    assert_int_equal(pario_result_set(result, "options", "output", json_null()),
                     0);
    assert_int_equal(
        pario_result_set(result, "system", "mpi", json_string("Open MPI")), 0);
    assert_non_null(pario_result_find(result, &good));
    good.access = "read";
    assert_null(pario_result_find(result, &good));
    assert_null(pario_result_find(result, &bad));
    assert_int_equal(pario_result_add(result, &bad), 0);
    assert_int_equal(pario_result_finish(result), 0);
    assert_true(pario_result_is_valid(result));
    pario_result_destroy(result);
    json_decref(good.pattern);
    document = load("r.json");
    assert_int_equal(json_array_size(json_object_get(document, "measures")), 2);
    assert_true(json_is_true(json_object_get(document, "valid")));
    assert_int_equal(json_array_size(json_object_get(document, "resumed")), 1);
    /* of the disk, and of another MPI */
    assert_int_equal(json_array_size(json_object_get(document, "warnings")), 3);
    json_decref(document);
}

static void test_resume_with_another_option_names_it_and_keeps_file(void **s)
{
    struct pario_result *result;
    char before[65536];

    (void)s;
    write_resumable();
    keep(before, sizeof(before), read_text("r.json"));
    result = resume();
    assert_int_equal(pario_result_set(result, "options", "time", json_real(5)),
                     PARIO_EUSAGE);
    assert_message_has("option time was 60.0 there and is 5.0 now");
    pario_error_clear();
    assert_int_equal(pario_result_write(result), PARIO_EUSAGE);
    assert_message_has("option time");
    assert_int_equal(pario_result_finish(result), PARIO_EUSAGE);
    pario_result_destroy(result);
    assert_string_equal(read_text("r.json"), before);
}

static void test_resume_with_an_option_more_or_less_fails(void **state)
{
    struct pario_measure measure = example(3);
    struct pario_result *result;

    (void)state;
    write_resumable();
    result = resume();
    assert_int_equal(pario_result_set(result, "options", "cold", json_true()),
                     PARIO_EUSAGE);
    assert_message_has("option cold was not set there");
    pario_result_destroy(result);
    result = resume();
    assert_int_equal(pario_result_add(result, &measure), PARIO_EUSAGE);
    assert_message_has("option time was 60.0 there and is not set now");
    pario_result_destroy(result);
}

static void test_resume_of_another_suite_fails(void **state)
{
    struct pario_result *result = NULL;

    (void)state;
    write_resumable();
    assert_int_equal(pario_result_resume("beffio", 2, words, "r.json", &result),
                     PARIO_EUSAGE);
    assert_message_has("suite quick, not beffio");
    assert_int_equal(pario_result_resume("quick", 2, words, "gone", &result),
                     -ENOENT);
    assert_message_has("gone");
}

static void test_find_in_a_new_document_is_null(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1), same = example(1);

    (void)state;
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_null(pario_result_find(result, &same));
    json_decref(same.pattern);
    pario_result_destroy(result);
}

/* What is wrong with a file, and the part of the message that says so. */
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

/* The n-th allocation inside jansson fails, for every n. */
static long allocations_left = -1;

static void *failing_malloc(size_t len)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return malloc(len);
}

static int whole_life(void)
{
    struct pario_result *result = NULL;
    struct pario_measure measure = {.test = "t", .access = "read"};
    struct pario_hist hist;
    int code = pario_result_create("quick", 2, words, "nomem.json", 1, &result);

    if (code != 0)
        return code;
    pario_hist_init(&hist);
    pario_hist_add(&hist, 5);
    measure.latency = &hist;
    measure.parameters = json_pack("{s:i}", "x", 1);
    measure.extra = json_pack("{s:s}", "note", "y");
    if (measure.parameters == NULL || measure.extra == NULL) {
        json_decref(measure.parameters);
        json_decref(measure.extra);
        code = -ENOMEM;
        goto out_destroy;
    }
    code = pario_result_add(result, &measure);
    if (code == 0)
        code = pario_result_set(result, "system", "mpi", json_string("none"));
    if (code == 0)
        code = pario_result_invalidate(result, "because");
    if (code == 0)
        code = pario_result_finish(result);
out_destroy:
    pario_result_destroy(result);
    return code;
}

static int resumed_life(void)
{
    struct pario_result *result = NULL;
    int code = pario_result_resume("quick", 2, words, "nomem.json", &result);

    if (code == 0)
        code = pario_result_write(result);
    pario_result_destroy(result);
    return code;
}

static void fail_nth_allocation_of(int (*life)(void))
{
    long n = 0;
    int code;

    json_set_alloc_funcs(failing_malloc, free);
    do {
        allocations_left = n++;
        code = life();
        allocations_left = -1;
        /* jansson's parser takes some failures for wrong syntax. */
        if (code != PARIO_EFORMAT || life != resumed_life)
            assert_true(code == 0 || code == -ENOMEM);
    } while (code != 0 && n < 10000);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(code, 0);
    assert_true(n > 20);
    assert_int_equal(files_in_directory(0), 1);
    json_decref(load("nomem.json"));
}

static void test_nth_allocation_failing_is_an_error_and_no_leak(void **state)
{
    (void)state;
    fail_nth_allocation_of(whole_life);
    fail_nth_allocation_of(resumed_life);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int remove_directory(void **state)
{
    (void)state;
    files_in_directory(1);
    return chdir("/") != 0 || rmdir(directory) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_finished_run_reads_back_as_written, set_up),
        cmocka_unit_test_setup(
            test_running_document_is_not_valid_and_not_finished, set_up),
        cmocka_unit_test_setup(test_destroy_before_any_write_leaves_no_file,
                               set_up),
        cmocka_unit_test_setup(test_default_names_taken_get_a_number, set_up),
        cmocka_unit_test_setup(test_existing_file_is_kept_unless_forced,
                               set_up),
        cmocka_unit_test_setup(test_force_replaces_the_target_of_a_link_only,
                               set_up),
        cmocka_unit_test_setup(test_devices_and_directories_are_never_replaced,
                               set_up),
        cmocka_unit_test_setup(test_new_document_obeys_umask, set_up),
        cmocka_unit_test_setup(test_failed_measures_make_the_run_invalid,
                               set_up),
        cmocka_unit_test_setup(test_invalidate_gives_reason_and_warning_once,
                               set_up),
        cmocka_unit_test_setup(test_run_without_measures_is_not_valid, set_up),
        cmocka_unit_test_setup(
            test_values_that_are_not_finite_become_null_with_warning, set_up),
        cmocka_unit_test_setup(test_invalid_utf8_in_command_line_is_replaced,
                               set_up),
        cmocka_unit_test_setup(test_set_refuses_own_members_and_nested_summary,
                               set_up),
        cmocka_unit_test_setup(
            test_resume_keeps_good_measures_and_repeats_failed, set_up),
        cmocka_unit_test_setup(
            test_resume_with_another_option_names_it_and_keeps_file, set_up),
        cmocka_unit_test_setup(test_resume_with_an_option_more_or_less_fails,
                               set_up),
        cmocka_unit_test_setup(test_resume_of_another_suite_fails, set_up),
        cmocka_unit_test_setup(test_find_in_a_new_document_is_null, set_up),
        cmocka_unit_test_setup(test_load_of_bad_file_names_file_line_and_cause,
                               set_up),
        cmocka_unit_test_setup(test_load_of_spoiled_member_names_its_line,
                               set_up),
        cmocka_unit_test_setup(test_load_of_truncated_document_fails_everywhere,
                               set_up),
        cmocka_unit_test_setup(test_write_to_full_device_keeps_document,
                               set_up),
        cmocka_unit_test_setup(
            test_nth_allocation_failing_is_an_error_and_no_leak, set_up),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
