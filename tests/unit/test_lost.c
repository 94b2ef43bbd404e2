/* The document of a run that was killed. */
#include "result/lost.h"
#include "result/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/pario-test-lost-XXXXXX";
static const char text[] =
    "{\"schema\": \"pario-result/1\", \"suite\": \"quick\", \"valid\": false, "
    "\"warnings\": [], \"started_utc\": \"2026-01-01T00:00:00Z\", "
    "\"finished_utc\": %s%s}";

static size_t size_of(const char *list)
{
    json_t *document = json_load_file("a.json", 0, NULL);
    size_t count;

    assert_non_null(document);
    count = json_array_size(json_object_get(document, list));
    json_decref(document);
    return count;
}

static void put(const char *finished, const char *more)
{
    FILE *out = fopen("a.json", "w");

    assert_non_null(out);
    fprintf(out, text, finished, more);
    assert_int_equal(fclose(out), 0);
}

static void test_reason_goes_to_the_run_that_was_killed(void **state)
{
    (void)state;
    put("null", "");
    pario_lost_record("a.json", "2026-01-01T00:00:00Z", "killed");
    assert_int_equal(size_of("invalid_reasons"), 1);
    assert_int_equal(size_of("warnings"), 1);
}

static void test_reason_does_not_go_to_a_run_started_later(void **state)
{
    (void)state;
    put("null", "");
    pario_lost_record("a.json", "2025-12-31T23:59:59Z", "killed");
    assert_int_equal(size_of("invalid_reasons"), 0);
    assert_int_equal(size_of("warnings"), 0);
}

static void test_reason_does_not_go_to_a_run_that_resumed(void **state)
{
    (void)state;
    put("null", ", \"resumed\": [{\"started_utc\": \"2026-01-01T00:00:09Z\"}]");
    pario_lost_record("a.json", "2026-01-01T00:00:00Z", "killed");
    assert_int_equal(size_of("invalid_reasons"), 0);
    assert_int_equal(size_of("warnings"), 0);
    pario_lost_record("a.json", "2026-01-01T00:00:09Z", "killed");
    pario_lost_record("a.json", "2026-01-01T00:00:09Z", "killed");
    assert_int_equal(size_of("invalid_reasons"), 1);
    assert_int_equal(size_of("warnings"), 1);
}

static void test_reason_does_not_go_to_a_finished_run(void **state)
{
    (void)state;
    put("\"2026-01-01T00:00:05Z\"", "");
    pario_lost_record("a.json", "2026-01-01T00:00:00Z", "killed");
    assert_int_equal(size_of("invalid_reasons"), 0);
    assert_int_equal(size_of("warnings"), 0);
}

/* What has the document's name may be a pipe that nobody writes to. */
static void test_pipe_in_the_place_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(unlink("a.json"), 0);
    assert_int_equal(mkfifo("a.json", 0600), 0);
    alarm(30);
    pario_lost_record("a.json", "2026-01-01T00:00:00Z", "killed");
    alarm(0);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    (void)state;
    return unlink("a.json") != 0 || chdir("/") != 0 || rmdir(directory) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason_goes_to_the_run_that_was_killed),
        cmocka_unit_test(test_reason_does_not_go_to_a_run_started_later),
        cmocka_unit_test(test_reason_does_not_go_to_a_run_that_resumed),
        cmocka_unit_test(test_reason_does_not_go_to_a_finished_run),
        cmocka_unit_test(test_pipe_in_the_place_is_not_waited_for),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
