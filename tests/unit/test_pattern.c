/* Where transfers go, what stands in the files, and how command lines and
 * scripts of IOR are read. */
#include "core/data.h"
#include "suites/pattern/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct pattern_options small(void)
{
    struct pattern_options options = pattern_defaults;

    options.block_bytes = 96;
    options.transfer_bytes = 24;
    options.segments = 5;
    return options;
}

/* Every byte of the file in exactly one transfer of one process. */
static void assert_covers(const struct pattern_options *options, int size)
{
    char *seen = NULL;
    int64_t bytes = 0;

    for (int rank = 0; rank < size; rank++) {
        struct pattern_plan plan;

        assert_int_equal(pattern_plan_make(options, size, rank, 7, &plan), 0);
        if (rank == 0 || options->file_per_process) {
            bytes = plan.file_bytes;
            seen = realloc(seen, (size_t)bytes);
            assert_non_null(seen);
            memset(seen, 0, (size_t)bytes);
        }
        for (int64_t i = 0; i < plan.count; i++) {
            struct pattern_op op = pattern_op_at(&plan, i);

            assert_true(op.offset >= 0 && op.offset + op.len <= bytes);
            for (uint32_t b = 0; b < op.len; b++)
                assert_int_equal(seen[op.offset + b]++, 0);
        }
        if (options->file_per_process)
            assert_null(memchr(seen, 0, (size_t)bytes));
        pattern_plan_free(&plan);
    }
    assert_null(memchr(seen, 0, (size_t)bytes));
    free(seen);
}

static void test_plan_of_every_layout_covers_each_byte_once(void **state)
{
    (void)state;
    for (int separate = 0; separate < 2; separate++)
        for (int order = PATTERN_SEQUENTIAL; order <= PATTERN_SHUFFLED; order++)
            for (int size = 1; size < 4; size++) {
                struct pattern_options options = small();

                options.file_per_process = separate;
                options.order = order;
                assert_covers(&options, size);
            }
}

/* IOR: segment by segment, in each the block of every process. */
static void test_place_of_shared_file_is_that_of_ior(void **state)
{
    struct pattern_options options = small();
    struct pattern_plan plan;

    (void)state;
    assert_int_equal(pattern_plan_make(&options, 3, 2, 1, &plan), 0);
    assert_int_equal(plan.count, 20);
    assert_int_equal(pattern_op_at(&plan, 0).offset, 2 * 96);
    assert_int_equal(pattern_op_at(&plan, 3).offset, 2 * 96 + 72);
    assert_int_equal(pattern_op_at(&plan, 4).offset, 3 * 96 + 2 * 96);
    options.alignment_bytes = 128;
    assert_int_equal(pattern_plan_make(&options, 3, 2, 1, &plan), 0);
    assert_int_equal(pattern_op_at(&plan, 4).offset, 3 * 128 + 2 * 128);
}

static void test_contents_of_overlapping_transfers_are_one(void **state)
{
    static const int64_t grids[] = {8, 512, 4096};
    enum { LEN = 3 * 65536 };
    char *file = malloc(LEN), *slot = malloc(65536 + LEN);

    (void)state;
    assert_true(file != NULL && slot != NULL);
    for (size_t g = 0; g < 3; g++) {
        struct pattern_contents contents = {.key = 99,
                                            .generation = 3,
                                            .data_base = 1 << 20,
                                            .grid = grids[g],
                                            .period = 65536};
        struct pario_figures figures = {.bytes = 0};
        struct pario_rng rng;

        pattern_contents_base(&contents, slot, 65536 + LEN);
        pattern_contents_stamp(&contents, 0, slot, LEN);
        memcpy(file, slot, LEN);
        pario_rng_init(&rng, 5);
        for (int i = 0; i < 200; i++) {
            int64_t offset = (int64_t)pario_rng_below(&rng, LEN / 8 / 2) * 8;
            size_t len =
                (size_t)grids[g] + (size_t)pario_rng_below(&rng, 4096) * 8;
            char *from = slot + (offset & 65535);

            if (offset + (int64_t)len > LEN)
                len = (size_t)(LEN - offset);
            pattern_contents_stamp(&contents, offset, from, len);
            memcpy(file + offset, from, len);
        }
        assert_int_equal(
            pattern_contents_check(&contents, 0, file, LEN, &figures), 0);
        assert_int_equal(figures.checked_bytes, LEN);
        file[70000] ^= 1;
        assert_int_not_equal(
            pattern_contents_check(&contents, 8, file + 8, LEN - 8, &figures),
            0);
        assert_int_equal(figures.wrong_bytes, 1);
        assert_non_null(strstr(figures.wrong, "offset 70000"));
    }
    free(file);
    free(slot);
}

static void test_contents_of_other_generation_are_wrong(void **state)
{
    struct pattern_contents contents = {
        .key = 1, .generation = 1, .grid = 4096, .period = 65536};
    struct pario_figures figures = {.bytes = 0};
    char slot[8192];

    (void)state;
    pattern_contents_base(&contents, slot, sizeof(slot));
    pattern_contents_stamp(&contents, 0, slot, sizeof(slot));
    contents.generation = 2;
    assert_int_not_equal(
        pattern_contents_check(&contents, 0, slot, sizeof(slot), &figures), 0);
}

/* Words separated by blanks through the rewriting; result with blanks. */
static int rewrite(const char *line, char *text, size_t len)
{
    char copy[512], *rest = copy, *argv[64], **list = argv;
    void *block = NULL;
    int argc = 0, code;
    size_t used = 0;

    snprintf(copy, sizeof(copy), "pattern %s", line);
    while ((argv[argc] = strsep(&rest, " ")) != NULL)
        argc++;
    code = pattern_ior_rewrite(&argc, &list, &block);
    text[0] = '\0';
    for (int i = 1; code == 0 && i < argc; i++)
        used += (size_t)snprintf(text + used, len - used, "%s%s",
                                 i > 1 ? " " : "", list[i]);
    free(block);
    return code;
}

static void test_command_line_of_ior_becomes_long_options(void **state)
{
    static const struct {
        const char *ior, *ours;
    } lines[] = {
        {"-a POSIX -b 4m -t1m -s=16",
         "--interface=posix --block=4m --transfer=1m --segments=16"},
        {"-wer -F -k -o /x/f",
         "--write=1 --fsync=1 --read=1 --file-per-process=1 --keep-file=1 "
         "--file=/x/f"},
        {"-D 30 -O stoneWallingWearOut=1,interTestDelay=10",
         "--stonewall=30s --wear-out=1 --delay=10s"},
        {"-Y -W -g -v", "--fsync-every=1 --verify=full -v"},
        {"--posix.odirect -z --random-offset-seed=5",
         "--direct=1 --shuffle=1 --seed=5"},
        {"-O checkRead=0 --output r.json dir", "--output r.json dir"},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(rewrite(lines[i].ior, text, sizeof(text)), 0);
        assert_string_equal(text, lines[i].ours);
    }
}

static void test_option_of_ior_without_meaning_here_is_refused(void **state)
{
    static const char *const lines[][2] = {
        {"-E", "-E is not taken: pario writes only"},
        {"-z -z", "each place is met once"},
        {"-N 4", "pario -n N"},
        {"-b", "-b needs a value"},
        {"-O nonsense=1", "no such directive"},
        {"-O summaryFile=x", "--output"},
        {"-O randomOffset=2", "each place is met once"},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(rewrite(lines[i][0], text, sizeof(text)),
                         PARIO_EUSAGE);
        assert_non_null(strstr(pario_error_message(), lines[i][1]));
    }
}

/* A file with this text; its name is good until the next call. */
static const char *file_with(const char *text)
{
    static char path[] = "/tmp/test_pattern.XXXXXX";
    int fd;

    strcpy(path + sizeof(path) - 7, "XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

static int load_script(const char *text, struct pattern_cases *cases)
{
    struct pattern_options options = pattern_defaults;
    int code;

    options.script = file_with(text);
    code = pattern_cases_load(&options, cases);
    unlink(options.script);
    return code;
}

static void test_script_of_ior_gives_its_runs(void **state)
{
    struct pattern_cases cases;

    (void)state;
    assert_int_equal(
        load_script("some words before\nIOR START\n"
                    "  api=POSIX, blockSize = 8m , transferSize=1m # note\n"
                    "  testFile = /scratch/x, filePerProc=1\nRUN\n"
                    "  filePerProc=0\n  segmentCount=4\nRUN\nIOR STOP\n"
                    "blockSize=nonsense\n",
                    &cases),
        0);
    assert_int_equal(cases.count, 2);
    assert_int_equal(cases.list[0].block_bytes, 8 << 20);
    assert_int_equal(cases.list[0].transfer_bytes, 1 << 20);
    assert_int_equal(cases.list[0].file_per_process, 1);
    assert_string_equal(cases.list[0].file, "/scratch/x");
    assert_string_equal(cases.list[0].label, "run1");
    assert_int_equal(cases.list[1].file_per_process, 0);
    assert_int_equal(cases.list[1].segments, 4);
    assert_string_equal(cases.list[1].label, "run2");
    pattern_cases_free(&cases);
}

static void test_script_of_ior_that_asks_too_much_names_the_line(void **state)
{
    static const char *const scripts[][2] = {
        {"IOR START\nblockSize=1m\nuseExistingTestFile=1\nRUN\n",
         ":3: useExistingTestFile is not taken"},
        {"IOR START\nblocksizes=1m\n", ":2: blocksizes: IOR has no such"},
        {"IOR START\ntransferSize=1x\n", ":2: transferSize: "},
        {"blockSize=1m\nRUN\n", "IOR START"},
        {"IOR START\ncheckRead=1\n", "--verify on the command line"},
    };
    struct pattern_cases cases;

    (void)state;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        assert_int_equal(load_script(scripts[i][0], &cases), PARIO_EUSAGE);
        assert_non_null(strstr(pario_error_message(), scripts[i][1]));
        pattern_cases_free(&cases);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_of_every_layout_covers_each_byte_once),
        cmocka_unit_test(test_place_of_shared_file_is_that_of_ior),
        cmocka_unit_test(test_contents_of_overlapping_transfers_are_one),
        cmocka_unit_test(test_contents_of_other_generation_are_wrong),
        cmocka_unit_test(test_command_line_of_ior_becomes_long_options),
        cmocka_unit_test(test_option_of_ior_without_meaning_here_is_refused),
        cmocka_unit_test(test_script_of_ior_gives_its_runs),
        cmocka_unit_test(test_script_of_ior_that_asks_too_much_names_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
