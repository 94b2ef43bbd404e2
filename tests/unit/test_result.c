/* The results model: build and write. */
#include "result/view.h"
#include "result_file.h"

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

static void test_view_says_the_same_sentence_once(void **state)
{
    struct pario_result *result = create("a.json", 0);
    const json_t *view;

    (void)state;
    for (int i = 0; i < 3; i++)
        pario_view_say(result, "The cache ends at %s.", i < 2 ? "1 M" : "2 M");
    view = json_object_get(pario_result_document(result), "view");
    assert_int_equal(json_array_size(json_object_get(view, "sentences")), 2);
    pario_result_destroy(result);
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

static void put_precious(const char *name)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs("precious", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(name, 06777), 0);
}

static void check_precious(const char *name)
{
    char text[16] = "";
    FILE *in = fopen(name, "r");

    assert_non_null(in);
    assert_non_null(fgets(text, sizeof(text), in));
    fclose(in);
    assert_string_equal(text, "precious");
}

/* Whoever may write there puts a file of his own in the document's place. */
static void test_file_that_took_the_name_is_kept(void **state)
{
    struct pario_result *result = create("a.json", 0);
    struct pario_measure measure = example(1024);
    json_t *document;

    (void)state;
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_int_equal(rename("a.json", "old.json"), 0);
    put_precious("a.json");
    assert_int_equal(pario_result_finish(result), -ESTALE);
    check_precious("a.json");
    assert_non_null(strstr(pario_result_path(result), "a.json-"));
    document = load(pario_result_path(result));
    assert_true(json_is_false(json_object_get(document, "valid")));
    assert_non_null(measure_at(document, 0));
    json_decref(document);
    pario_result_destroy(result);
    assert_int_equal(files_in_directory(0), 3);
}

static void test_file_that_took_a_claimed_name_is_kept(void **state)
{
    struct pario_result *result = create("a.json", 0);

    (void)state;
    assert_int_equal(rename("a.json", "old.json"), 0);
    put_precious("a.json");
    pario_result_destroy(result);
    check_precious("a.json");
}

/* With --force whatever has the name is replaced. */
static void test_force_replaces_what_took_the_name(void **state)
{
    struct pario_result *result;
    struct pario_measure measure = example(1024);
    struct stat st;

    (void)state;
    put_precious("a.json");
    result = create("a.json", 1);
    assert_int_equal(pario_result_add(result, &measure), 0);
    assert_int_equal(rename("a.json", "old.json"), 0);
    put_precious("a.json");
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
    assert_int_equal(stat("a.json", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0777);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESULT_TEST(test_finished_run_reads_back_as_written),
        RESULT_TEST(test_running_document_is_not_valid_and_not_finished),
        RESULT_TEST(test_view_says_the_same_sentence_once),
        RESULT_TEST(test_destroy_before_any_write_leaves_no_file),
        RESULT_TEST(test_default_names_taken_get_a_number),
        RESULT_TEST(test_existing_file_is_kept_unless_forced),
        RESULT_TEST(test_force_replaces_the_target_of_a_link_only),
        RESULT_TEST(test_devices_and_directories_are_never_replaced),
        RESULT_TEST(test_new_document_obeys_umask),
        RESULT_TEST(test_file_that_took_the_name_is_kept),
        RESULT_TEST(test_file_that_took_a_claimed_name_is_kept),
        RESULT_TEST(test_force_replaces_what_took_the_name),
        RESULT_TEST(test_failed_measures_make_the_run_invalid),
        RESULT_TEST(test_invalidate_gives_reason_and_warning_once),
        RESULT_TEST(test_run_without_measures_is_not_valid),
        RESULT_TEST(test_values_that_are_not_finite_become_null_with_warning),
        RESULT_TEST(test_invalid_utf8_in_command_line_is_replaced),
        RESULT_TEST(test_set_refuses_own_members_and_nested_summary),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
