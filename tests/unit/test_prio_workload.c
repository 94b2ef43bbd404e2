/* Workload files: what is read, and what is refused with its line. */
#include "suites/prio/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct prio_bench prio_bench_common_file;
extern const struct prio_bench prio_bench_async;
extern const struct prio_bench prio_bench_single_file;
extern const struct prio_bench prio_bench_raw;
extern const struct prio_bench prio_bench_tree;

static const struct prio_bench *const benches[] = {
    &prio_bench_common_file, &prio_bench_async, &prio_bench_single_file,
    &prio_bench_raw, NULL};

static struct prio_workload *workload;

static int read_text(const char *text)
{
    char path[] = "/tmp/test_prio_XXXXXX";
    int fd = mkstemp(path), code;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    workload = NULL;
    code = prio_workload_read(path, benches, 1, NULL, &workload);
    if (code == 0)
        code = prio_workload_check(workload, 4);
    unlink(path);
    return code;
}

static int tear_down(void **state)
{
    (void)state;
    prio_workload_destroy(workload);
    workload = NULL;
    return 0;
}

static int count_case(void *context, const struct prio_section *section,
                      const struct prio_case *what)
{
    int *count = context;

    (void)section;
    (void)what;
    (*count)++;
    return 0;
}

static void test_read_section_gives_the_product_of_its_lists(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(read_text("repetitions 3\n"
                               "[single_file]\n"
                               "data 1M, 2M\n"
                               "request 4k-16k\n"
                               "processes 1 2 4\n"
                               "methods posix\n"
                               "patterns write random_read_write\n"
                               "ratio 1:1 1:2\n"),
                     0);
    assert_int_equal(prio_section_each(workload, &workload->section[0], 4,
                                       count_case, &count),
                     0);
    /* 3 numbers of processes, 2 sizes, 3 requests; write has no ratio. */
    assert_int_equal(count, 3 * 2 * 3 * (1 + 2) * 3);
}

static void test_read_defaults_before_sections_are_for_all(void **state)
{
    (void)state;
    assert_int_equal(read_text("data 4M\nrequest 8k\nsync none\n"
                               "[single_file]\n[common_file]\ndata 1M\n"
                               "[async]\n"),
                     0);
    assert_int_equal(workload->nsections, 3);
    assert_int_equal(workload->section[0].data.item[0].low, 4 << 20);
    assert_int_equal(workload->section[0].base.sync, PRIO_SYNC_NONE);
    assert_int_equal(workload->section[1].data.item[0].low, 1 << 20);
    assert_int_equal(workload->section[1].request.item[0].low, 8 << 10);
}

static void test_read_raw_reads_only_unless_told(void **state)
{
    (void)state;
    assert_int_not_equal(read_text("[raw]\n"), 0); /* which device? */
    assert_non_null(strstr(pario_error_message(), "which device"));
    assert_int_equal(workload->section[0].ratio.item[0].reads, 1);
    assert_int_equal(workload->section[0].ratio.item[0].writes, 0);
    assert_int_equal(workload->section[0].base.direct, 1);
}

static void test_read_mix_shares_divide_the_processes(void **state)
{
    int counts[PRIO_MAX_PARTS];
    struct prio_case what;

    (void)state;
    assert_int_equal(
        read_text("methods posix\n"
                  "[single_file readers]\npatterns random_read_write\n"
                  "ratio 1:0\n"
                  "[single_file writers]\npatterns write\n"
                  "[mix]\nreaders 75%\nwriters rest\ntime 2s\n"),
        0);
    assert_int_equal(workload->section[0].alone, 0);
    assert_int_equal(prio_mix_divide(workload, &workload->mix[0], 8, counts),
                     0);
    assert_int_equal(counts[0], 6);
    assert_int_equal(counts[1], 2);
    prio_mix_case(workload, &workload->mix[0], 1, 0, 2, &what);
    assert_int_equal(what.pattern, PRIO_WRITE);
    assert_int_equal(what.writes, 1);
    assert_true(what.time_s == 2);
}

static void assert_divided(const char *shares, int size, int first, int second)
{
    int counts[PRIO_MAX_PARTS] = {0};
    char text[256];

    snprintf(text, sizeof(text),
             "methods posix\npatterns write\n[single_file a]\n"
             "[single_file b]\n[mix]\n%s",
             shares);
    assert_int_equal(read_text(text), 0);
    assert_int_equal(prio_mix_divide(workload, &workload->mix[0], size, counts),
                     0);
    assert_int_equal(counts[0], first);
    assert_int_equal(counts[1], second);
    prio_workload_destroy(workload);
    workload = NULL;
}

static void test_divide_percentages_add_up_to_all_processes(void **state)
{
    (void)state;
    assert_divided("a 50%\nb 50%\n", 3, 2, 1);
    assert_divided("a 50%\nb 50%\n", 2, 1, 1);
    assert_divided("a 1%\nb 99%\n", 3, 1, 2);
    assert_divided("a 99%\nb 1%\n", 3, 2, 1);
    assert_divided("a 99%\nb rest\n", 3, 2, 1);
    assert_divided("a 2\nb 100%\n", 5, 2, 3);
}

/* Text, the line it must name, and a word of the message. */
static const struct {
    const char *text;
    int line;
    const char *word;
} refused[] = {
    {"# nothing\n", 0, "nothing to do"},
    {"[single_fil]\n", 1, "did you mean single_file"},
    {"reqest 4k\n[single_file]\n", 1, "did you mean request"},
    {"[single_file]\n\nreqest 4k\n", 3, "did you mean request"},
    {"[single_file]\ndata 1M\nrequest 2M\n", 3, "larger than the data"},
    {"[single_file]\nratio 0:0\n", 2, "neither reads nor writes"},
    {"[single_file]\nmethods explicit\n", 2, "has no access method"},
    {"[single_file]\npatterns read\n", 2, "has no pattern"},
    {"[single_file]\nprocesses 8\n", 2, "4 are there"},
    {"[single_file]\ndata 1M\ndata 2M\n", 3, "given twice"},
    {"[single_file]\n[single_file]\n", 2, "appears twice"},
    {"[single_file]\nblocks 2\n", 2, "means nothing to single_file"},
    {"[async]\nrequest 4k\n", 2, "means nothing to async"},
    {"[async]\ndata 4G\n", 2, "one request"},
    {"[single_file]\nsync yes\n", 2, "one of end, none, dsync"},
    {"[single_file]\nbuffer yes\n", 2, "one of exact, reuse"},
    {"[single_file .]\n", 1, "name of a file"},
    {"[common_file ..]\n", 1, "name of a file"},
    {"patterns write\nmethods posix\n[single_file a]\n[single_file b]\n"
     "[mix]\na 60%\nb 60%\n",
     7, "more than 100 %"},
    {"[single_file]\ndirect yes\nrequest 1000\n", 3, "multiples of 512"},
    {"[single_file]\ndata\n", 2, "missing"},
    {"[single_file]\nrepetitions 0\n", 2, "out of range"},
    {"[single_file]\nmethods posix\ndepth 4\n", 3, "io_uring"},
    {"seed x\n[single_file]\n", 1, "no whole number"},
    {"[single_file a]\n[mix]\na 100%\n", 2, "at least two parts"},
    {"[single_file a]\n[mix]\na 50%\nb rest\n", 4, "no section"},
    {"[single_file a]\n[single_file b]\n[mix]\na 3\nb 3\n", 3,
     "more than the 4"},
    {"[single_file a]\n[single_file b]\n[mix]\na 1\nb 1\n", 1,
     "one pattern, one method"},
    {"[async a]\n[single_file b]\n[mix]\na 1\nb 1\n", 4,
     "cannot be part of a mix"},
};

static void test_read_impossible_workload_names_the_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        char line[16];

        if (read_text(refused[i].text) != PARIO_EUSAGE)
            fail_msg("accepted: %s", refused[i].text);
        snprintf(line, sizeof(line), ":%d: ", refused[i].line);
        if (strstr(pario_error_message(), refused[i].word) == NULL ||
            (refused[i].line > 0 &&
             strstr(pario_error_message(), line) == NULL))
            fail_msg("%s -> %s", refused[i].text, pario_error_message());
        prio_workload_destroy(workload);
        workload = NULL;
    }
}

/* It has no data by which the deadline could be known. */
static void test_tree_has_a_schedule_by_its_names(void **state)
{
    const struct prio_bench *bench = &prio_bench_tree;
    struct prio_case what = {.processes = 2, .own = bench->own_defaults};

    (void)state;
    assert_non_null(bench->schedule_s);
    /* 1024 files, made and removed. */
    assert_true(bench->schedule_s(&what) > 2 * 1024 * 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            test_read_section_gives_the_product_of_its_lists, tear_down),
        cmocka_unit_test_teardown(
            test_read_defaults_before_sections_are_for_all, tear_down),
        cmocka_unit_test_teardown(test_read_raw_reads_only_unless_told,
                                  tear_down),
        cmocka_unit_test_teardown(test_read_mix_shares_divide_the_processes,
                                  tear_down),
        cmocka_unit_test_teardown(
            test_divide_percentages_add_up_to_all_processes, tear_down),
        cmocka_unit_test(test_tree_has_a_schedule_by_its_names),
        cmocka_unit_test_teardown(test_read_impossible_workload_names_the_line,
                                  tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
