/* The results model: going on with a document, and memory that runs out. */
#include "result_file.h"

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
    assert_int_equal(
        pario_result_set(result, "system", "processes", json_integer(2)), 0);
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

static void test_resume_with_other_processes_is_refused(void **state)
{
    struct pario_result *result;

    (void)state;
    write_resumable();
    result = resume();
    assert_int_equal(
        pario_result_set(result, "system", "processes", json_integer(1)),
        PARIO_EUSAGE);
    assert_message_has("number of processes was 2 there and is 1 now");
    pario_error_clear();
    assert_int_equal(pario_result_write(result), PARIO_EUSAGE);
    pario_result_destroy(result);
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

static int place(struct pario_result *result, size_t index, const char *device)
{
    return pario_result_place(result, index,
                              json_pack("{s:s, s:s, s:s}", "target", "/scratch",
                                        "mount", "/scratch", "source", device));
}

static void test_resume_on_another_device_names_both_and_keeps_file(void **s)
{
    struct pario_result *result;
    char before[65536];

    (void)s;
    result = create("r.json", 1);
    assert_int_equal(place(result, 0, "/dev/sda"), 0);
    assert_int_equal(pario_result_finish(result), 0);
    pario_result_destroy(result);
    keep(before, sizeof(before), read_text("r.json"));
    result = resume();
    assert_int_equal(place(result, 0, "/dev/sda"), 0);
    assert_int_equal(place(result, 1, "/dev/sdc"), 0); /* not reached before */
    pario_result_destroy(result);
    result = resume();
    assert_int_equal(place(result, 0, "/dev/sdb"), PARIO_EUSAGE);
    assert_message_has("directory 1 was {");
    assert_message_has("/dev/sda");
    assert_message_has("/dev/sdb");
    pario_error_clear();
    assert_int_equal(pario_result_write(result), PARIO_EUSAGE);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESULT_TEST(test_resume_keeps_good_measures_and_repeats_failed),
        RESULT_TEST(test_resume_with_other_processes_is_refused),
        RESULT_TEST(test_resume_with_another_option_names_it_and_keeps_file),
        RESULT_TEST(test_resume_on_another_device_names_both_and_keeps_file),
        RESULT_TEST(test_resume_with_an_option_more_or_less_fails),
        RESULT_TEST(test_resume_of_another_suite_fails),
        RESULT_TEST(test_find_in_a_new_document_is_null),
        RESULT_TEST(test_nth_allocation_failing_is_an_error_and_no_leak),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
