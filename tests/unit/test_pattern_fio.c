/* How job files of fio are read. */
#include "case_file.h"
#include "suites/pattern/pattern.h"

#include <math.h>
#include <stdio.h>

static int load_jobs(const char *text, int processes,
                     struct pattern_cases *cases)
{
    struct pattern_options options = pattern_defaults;
    int code;

    options.fio = file_with(text);
    code = pattern_cases_load(&options, processes, cases);
    unlink(options.fio);
    return code;
}

static void test_jobs_of_fio_become_cases(void **state)
{
    struct pattern_cases cases;

    (void)state;
    assert_int_equal(
        load_jobs("[global]\nioengine=libaio\niodepth=16\nsize=100k\n"
                  "direct=1\nnumjobs=2\ngroup_reporting\ndirectory=/d\n"
                  "[first]\nrw=randread\nbs=8k ; a note\nruntime=30\n"
                  "random_distribution=zipf:0.9\nrate=1m,1m\n"
                  "[second]\nstonewall\nrw=randrw\nrwmixread=70\n"
                  "ioengine=psync\nfsync=4\nruntime=5\n"
                  "time_based\n",
                  2, &cases),
        0);
    assert_int_equal(cases.count, 2);
    assert_int_equal(cases.cold, 1);
    assert_string_equal(pario_interface_names[cases.list[0].interface],
                        "uring");
    assert_int_equal(cases.list[0].queue_depth, 16);
    assert_int_equal(cases.list[0].transfer_bytes, 8192);
    assert_int_equal(cases.list[0].block_bytes, 98304);
    assert_int_equal(cases.list[0].order, PATTERN_ZIPF);
    assert_true(cases.list[0].zipf == 0.9 && cases.list[0].stonewall_s == 30);
    assert_true(cases.list[0].read && cases.list[0].direct);
    assert_string_equal(cases.list[0].file, "/d/first");
    assert_string_equal(cases.list[1].label, "second");
    assert_int_equal(cases.list[1].queue_depth, 1);
    assert_int_equal(cases.list[1].order, PATTERN_SHUFFLED);
    assert_true(cases.list[1].read_share == 70);
    assert_int_equal(cases.list[1].fsync_every, 4);
    assert_int_equal(cases.list[0].rate, 1 << 20);
    assert_true(cases.list[1].time_based && !cases.list[0].time_based);
    assert_false(cases.list[1].write || cases.list[1].read);
    pattern_cases_free(&cases);
}

static void test_job_of_fio_takes_back_what_is_global(void **state)
{
    struct pattern_cases cases;

    (void)state;
    assert_int_equal(
        load_jobs("[global]\nsize=64k\nrw=randread\nnorandommap=1\n"
                  "random_distribution=zipf:1.2\nrate=1m\nstonewall\n"
                  "[zipf]\nbs=4k\n[drawn]\nrandom_distribution=random\n"
                  "[map]\nrandom_distribution=random\nnorandommap=0\n"
                  "[mix]\nrw=rw\nrate=0\n",
                  1, &cases),
        0);
    assert_int_equal(cases.list[0].order, PATTERN_ZIPF);
    assert_int_equal(cases.list[1].order, PATTERN_UNIFORM);
    assert_int_equal(cases.list[2].order, PATTERN_SHUFFLED);
    assert_int_equal(cases.list[3].order, PATTERN_SEQUENTIAL);
    pattern_cases_free(&cases);
}

/* As fio's own examples have it. */
static void test_job_of_fio_without_keywords_is_what_global_says(void **state)
{
    struct pattern_cases cases;

    (void)state;
    assert_int_equal(load_jobs("size=64k\n[global]\nrw=write\nstonewall\n"
                               "unlink=1\noverwrite=0\ndisable_clat=1\n"
                               "[first]\n[second]\nbs=8k\n[global]\n"
                               "rw=read\n[third]\n",
                               1, &cases),
                     0);
    assert_int_equal(cases.count, 3);
    assert_string_equal(cases.list[0].label, "first");
    assert_int_equal(cases.list[0].transfer_bytes, 4096);
    assert_int_equal(cases.list[0].block_bytes, 64 << 10);
    assert_true(cases.list[0].write && cases.list[1].write);
    assert_int_equal(cases.list[1].transfer_bytes, 8192);
    assert_string_equal(cases.list[2].label, "third");
    assert_true(cases.list[2].read && !cases.list[2].write);
    pattern_cases_free(&cases);
}

/* With fio kB is 1024 bytes and Ki 1000. */
static void test_job_of_fio_has_units_of_fio(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {
        {"4k", 4096},  {"4kb", 4096},         {"4KB", 4096},
        {"4Ki", 4000}, {"4KiB", 4000},        {"1m,1m", 1 << 20},
        {"512", 512},  {"1048576B", 1 << 20},
    };
    char text[256];
    struct pattern_cases cases;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        snprintf(text, sizeof(text), "[a]\nsize=8mb\nbs=%s\n", sizes[i].text);
        assert_int_equal(load_jobs(text, 1, &cases), 0);
        assert_int_equal(cases.list[0].transfer_bytes, sizes[i].bytes);
        assert_int_equal(cases.list[0].block_bytes,
                         (8 << 20) / sizes[i].bytes * sizes[i].bytes);
        pattern_cases_free(&cases);
    }
    assert_int_equal(load_jobs("[a]\nsize=1m\nruntime=2M\nthinktime=3ms\n"
                               "end_fsync=1\nfsync_on_close=0\nbuffered=0\n"
                               "loops=1\nverify=0\ndescription=$5\n"
                               "[b]\nstonewall\nthinktime=40\nsize=1m\n",
                               1, &cases),
                     0);
    assert_true(cases.list[0].stonewall_s == 120);
    assert_true(fabs(cases.list[0].think_s - 3e-3) < 1e-12);
    assert_true(fabs(cases.list[1].think_s - 4e-5) < 1e-12);
    assert_true(cases.list[0].fsync && cases.list[0].direct);
    pattern_cases_free(&cases);
}

static void test_job_of_fio_that_asks_too_much_names_the_line(void **state)
{
    static const char *const jobs[][2] = {
        {"[a]\nrw=read\nsize=1m\nverify=md5\n", ":4: verify=md5 is not taken"},
        {"[a]\nrw=trim\nsize=1m\n", ":2: rw=trim is not taken"},
        {"[a]\nsize=1m\nioengine=mmap\n", ":3: ioengine=mmap is not taken"},
        {"[a]\nsize=1m\nnumjobs=4\n", "pario -n 4"},
        {"[a]\nsize=1x\n", ":2: size=1x is not taken"},
        {"[a]\nsize=50%\n", "a share (50%)"},
        {"[a]\nsize=1m\nbs=4k,8k\n", ":3: bs=4k,8k is not taken"},
        {"[a]\nsize=1m\nbssplit=4kb/50:8kb/50\n", "as 4k"},
        {"[a]\nsize=1m\nruntime=10x\n", ":3: runtime=10x is not taken"},
        {"[a]\nsize=1m\ndirectory=/a:/b\n", "one directory"},
        {"[a]\nsize=1m\ndirectory=${D}\n", "variables"},
        {"[a]\nsize=1m\nloops=2\n", ":3: loops=2 is not taken: use -i"},
        {"[a]\nsize=1m\nnonsense=2\n", ":3: nonsense: pario pattern has no"},
        {"[a]\nrw=read\n", "needs a size"},
        {"[a]\nsize=1m\n[b]\nsize=1m\n", "[b] would run beside"},
        {"[global]\nsize=1m\n[a]\n[b]\n", "[b] would run beside"},
        {"[global]\nsize=1m\nstonewall\n[a]\n[a]\n", "two jobs are called [a]"},
        {"[a]\nsize=1m\noverwrite=1\n", ":3: overwrite=1 is not taken"},
        {"[a]\nsize=1m\nzero_buffers\n", ":3: zero_buffers=1 is not taken"},
        {"[a]\nsize=1m\nrandseed=3\n", ":3: randseed=3 is not taken: say"},
        {"[a]\nsize=1m\nrandom_distribution=pareto:1\n", ":3: random_dist"},
        {"[a]\nsize=1m\nfilename=x\n", "the same bytes"},
        {"[a]\nsize=1m\nrwmixread=-1\n", ":3: rwmixread=-1 is not taken"},
        {"[a]\nfallocate=none\nfallocate=keep\n", ":3: fallocate=keep"},
        {"[a]\nsize=1m\nrw=rw\nrate=1m,1m\n", "[a] has a rate for a mix"},
        {"[global]\nsize=1m\nrate=1m\n[a]\nrw=randrw\n", "for a mix"},
        {"[global]\nsize=1m\n", "no job"},
    };
    struct pattern_cases cases;

    (void)state;
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        assert_int_equal(load_jobs(jobs[i][0], 2, &cases), PARIO_EUSAGE);
        assert_non_null(strstr(pario_error_message(), jobs[i][1]));
        pattern_cases_free(&cases);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_of_fio_become_cases),
        cmocka_unit_test(test_job_of_fio_takes_back_what_is_global),
        cmocka_unit_test(test_job_of_fio_without_keywords_is_what_global_says),
        cmocka_unit_test(test_job_of_fio_has_units_of_fio),
        cmocka_unit_test(test_job_of_fio_that_asks_too_much_names_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
