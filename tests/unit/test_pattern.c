/* Where transfers go, what stands in the files, and how command lines and
 * scripts of IOR are read. */
#include "case_file.h"
#include "core/data.h"
#include "suites/pattern/timed.h"

#include <math.h>
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
        {"-D 30 -O stoneWallingWearOut=1,interIODelay=10",
         "--stonewall=30s --wear-out=1 --think=10us"},
        {"-D 200ms -d 1.5", "--stonewall=200ms --delay=1.5s"},
        {"-Y -W -g -v", "--fsync-every=1 --verify=full -v"},
        {"--posix.odirect -z --random-offset-seed=5",
         "--direct=1 --shuffle=1 --seed=5"},
        {"-O checkRead=0 --output r.json dir", "--output r.json dir"},
        {"-zz", "--shuffle=1 --shuffle=0 --order=uniform --whole-blocks=1"},
        {"-O randomOffset=2", "--shuffle=0 --order=uniform --whole-blocks=1"},
        {"-O randomOffset=2,randomOffset=0",
         "--shuffle=0 --order=uniform --whole-blocks=1 --order=sequential "
         "--whole-blocks=0 --shuffle=0"},
        {"-O randomOffset=0 -z", "--shuffle=1"},
        {"-N 4 -T 0 -J 1 -Z -Z", "--tasks=4 --alignment=0 --reorder-random=1 "
                                 "--reorder-random=1"},
        {"--verbose --summaryAlways -O verbose=2", "--verbose"},
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
        {"-C -C", "-C twice: give the distance with -Q"},
        {"-O numNodes=4", "start the processes on that many nodes"},
        {"--mpiio.hintsFileName=x", "hints are for beffio"},
        {"--posix.lustre.stripecount=4", "lfs setstripe"},
        {"-b", "-b needs a value"},
        {"-O nonsense=1", "no such directive"},
        {"-O summaryFile=x", "--output"},
        {"-t 4kb", "-t 4kb is not taken: IOR means a power of 1024"},
        {"-O blockSize=1MB", "say 1M, or --block=1MB"},
        {"-o a@b", "IOR means several files"},
        {"-O reorderTasksConstant=2", "give the distance with -Q"},
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
static int load_script(const char *text, struct pattern_cases *cases)
{
    struct pattern_options options = pattern_defaults;
    int code;

    options.script = file_with(text);
    code = pattern_cases_load(&options, 2, cases);
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

static void test_script_of_ior_takes_back_what_it_drew(void **state)
{
    struct pattern_cases cases;

    (void)state;
    assert_int_equal(load_script("IOR START\nrandomOffset=2\nRUN\n"
                                 "randomOffset=1\nRUN\nrandomOffset=2\n"
                                 "randomOffset=0\nRUN\nIOR STOP\n",
                                 &cases),
                     0);
    assert_int_equal(cases.count, 3);
    assert_int_equal(cases.list[0].order, PATTERN_UNIFORM);
    assert_true(cases.list[0].whole_blocks && !cases.list[0].shuffled);
    for (int i = 1; i < 3; i++) {
        assert_true(cases.list[i].order == PATTERN_SEQUENTIAL ||
                    (i == 1 && cases.list[i].order == PATTERN_SHUFFLED));
        assert_false(cases.list[i].whole_blocks);
        assert_int_equal(cases.list[i].shuffled, i == 1);
    }
    pattern_cases_free(&cases);
}

static void test_script_of_ior_that_asks_too_much_names_the_line(void **state)
{
    static const char *const scripts[][2] = {
        {"IOR START\nblockSize=1m\nuseExistingTestFile=1\nRUN\n",
         ":3: useExistingTestFile is not taken"},
        {"IOR START\nblocksizes=1m\n",
         ":2: blocksizes: pario pattern knows no such directive"},
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

static struct pattern_plan drawn(struct pattern_options *options)
{
    struct pattern_plan plan;

    options->block_bytes = 1 << 20;
    options->transfer_bytes = 1024;
    options->segments = 100;
    assert_int_equal(pattern_check(options, 2), 0);
    assert_int_equal(pattern_plan_make(options, 2, 1, 3, &plan), 0);
    return plan;
}

/* The k-th of the places is met in proportion to k^-exponent. */
static void test_places_by_zipfs_law_are_met_as_often(void **state)
{
    static const double exponents[] = {0.7, 1.0, 1.2};

    (void)state;
    for (size_t e = 0; e < 3; e++) {
        struct pattern_options options = pattern_defaults;
        struct pattern_plan plan;
        struct pario_perm scatter;
        double sum = 0;
        int64_t met[3] = {0};

        options.order = PATTERN_ZIPF;
        options.zipf = exponents[e];
        plan = drawn(&options);
        pario_perm_init(&scatter, (uint64_t)plan.places, 3);
        for (int64_t k = 1; k <= plan.places; k++)
            sum += pow((double)k, -exponents[e]);
        for (int64_t i = 0; i < plan.listed; i++)
            for (uint64_t k = 0; k < 3; k++)
                met[k] += plan.list[i].offset ==
                          pattern_op_in_order(
                              &plan, (int64_t)pario_perm_at(&scatter, k))
                              .offset;
        for (int k = 0; k < 3; k++) {
            double expected =
                (double)plan.listed * pow((double)(k + 1), -exponents[e]) / sum;

            assert_true(fabs((double)met[k] - expected) <
                        6 * sqrt(expected) + 1);
        }
        pattern_plan_free(&plan);
    }
}

static void test_hot_spot_gets_its_share(void **state)
{
    struct pattern_options options = pattern_defaults;
    struct pattern_plan plan;
    int64_t hot = 0;

    (void)state;
    options.order = PATTERN_HOTSPOT;
    options.hot_data = 20;
    options.hot_calls = 75;
    plan = drawn(&options);
    /* 20 of 100 segments, each of two blocks. */
    for (int64_t i = 0; i < plan.listed; i++)
        hot += plan.list[i].offset < (int64_t)20 * (2 << 20);
    assert_true(fabs((double)hot / (double)plan.listed - 0.75) < 0.01);
    pattern_plan_free(&plan);
}

static void test_blocks_that_are_drawn_are_whole(void **state)
{
    struct pattern_options options = pattern_defaults;
    struct pattern_plan plan;
    int others = 0;

    (void)state;
    options.order = PATTERN_UNIFORM;
    options.whole_blocks = 1;
    plan = drawn(&options);
    for (int64_t i = 0; i < plan.count; i++) {
        int64_t in_block = i % plan.per_block;
        struct pattern_op op = pattern_op_at(&plan, i);
        struct pattern_op first = pattern_op_at(&plan, i - in_block);

        assert_int_equal(op.offset, first.offset + in_block * plan.transfer);
        assert_int_equal(first.offset % options.block_bytes, 0);
        others +=
            in_block == 0 && op.offset != pattern_op_in_order(&plan, i).offset;
    }
    assert_true(others > 50);
    pattern_plan_free(&plan);
}

static void test_sizes_and_mix_are_drawn_by_weight(void **state)
{
    struct pattern_options options = pattern_defaults;
    struct pattern_plan plan;
    int64_t small_ones = 0, writes = 0;

    (void)state;
    options.sizes = "512/75:64k/25";
    options.read_share = 30;
    options.order = PATTERN_UNIFORM;
    plan = drawn(&options);
    assert_int_equal(plan.grid, 512);
    assert_int_equal(plan.longest, 64 << 10);
    for (int64_t i = 0; i < plan.count; i++) {
        struct pattern_op op = pattern_op_at(&plan, i);
        int64_t in_segment = op.offset % (2 << 20);

        small_ones += op.len == 512;
        writes += op.write;
        /* Aligned, and within the process's own block. */
        assert_int_equal(op.offset % op.len, 0);
        assert_true(in_segment >= 1 << 20 && in_segment + op.len <= 2 << 20);
    }
    assert_true(fabs((double)small_ones / (double)plan.count - 0.75) < 0.05);
    assert_true(fabs((double)writes / (double)plan.count - 0.70) < 0.05);
    pattern_plan_free(&plan);
}

static void test_what_would_do_nothing_is_refused(void **state)
{
    struct pattern_options options = pattern_defaults;
    struct pattern_cases cases;

    (void)state;
    options.zipf = 1.3;
    assert_int_equal(pattern_check(&options, 2), PARIO_EUSAGE);
    options.order = PATTERN_ZIPF;
    assert_int_equal(pattern_check(&options, 2), 0);
    options = pattern_defaults;
    options.hot_data = 20;
    assert_int_equal(pattern_check(&options, 2), PARIO_EUSAGE);
    options.order = PATTERN_HOTSPOT;
    assert_int_equal(pattern_check(&options, 2), 0);
    options = pattern_defaults;
    options.reorder_random = 1;
    assert_int_equal(pattern_check(&options, 2), 0);
    options.task_offset = 2;
    assert_int_equal(pattern_check(&options, 2), PARIO_EUSAGE);
    options = pattern_defaults;
    options.file_per_process = 1;
    options.fio = "/nowhere";
    assert_int_equal(pattern_cases_load(&options, 1, &cases), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "--file-per-process"));
    pattern_cases_free(&cases);
    options = pattern_defaults;
    options.queue_depth = 8;
    options.fio = "/nowhere";
    assert_int_equal(pattern_cases_load(&options, 1, &cases), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "--queue-depth"));
    pattern_cases_free(&cases);
}

/* A queue that always ends what was begun last. */
struct pario_file {
    struct pattern_contents contents;
    struct pario_request *begun[4];
    struct pattern_op op[4];
    int n, most;
    int drains, ended; /* nothing begins before all has ended */
};

static int begin_request(struct pario_file *file, enum pario_direction way,
                         void *buf, size_t len, int64_t offset,
                         struct pario_request *request)
{
    assert_true(file->n < 4 && way == PARIO_READ);
    assert_false(file->drains && file->ended);
    *request = (struct pario_request){.handle = {(uintptr_t)buf}, .len = len};
    file->op[file->n] =
        (struct pattern_op){.offset = offset, .len = (uint32_t)len};
    file->begun[file->n++] = request;
    file->most = file->n > file->most ? file->n : file->most;
    return 0;
}

static int end_request(struct pario_file *file, int wait,
                       struct pario_request **request_p)
{
    struct pario_request *request = file->begun[--file->n];
    const struct pattern_op *op = &file->op[file->n];
    char *buffer = (char *)(uintptr_t)request->handle[0]; // NOLINT
    char bytes[8192];

    assert_true(wait && file->n >= 0);
    file->ended = file->n > 0;
    pattern_contents_base(&file->contents, bytes, sizeof(bytes));
    pattern_contents_stamp(&file->contents, op->offset,
                           bytes + (op->offset & (file->contents.period - 1)),
                           op->len);
    memcpy(buffer, bytes + (op->offset & (file->contents.period - 1)), op->len);
    *request_p = request;
    return 0;
}

/* Nobody waits for the oldest request; what was read is checked by its own
 * number, round and round. */
static void test_queue_takes_what_is_done_first(void **state)
{
    static const struct pario_backend backend = {
        .name = "reverse", .start = begin_request, .next = end_request};
    struct pattern_options options = small();
    struct pario_run run = {.noperands = 0};
    struct pattern_part part = {
        .run = &run, .options = &options, .backend = &backend};
    struct pattern_timed timed = {.part = &part,
                                  .plan = &part.plan,
                                  .access = PATTERN_READ,
                                  .in_order = 1,
                                  .depth = 4,
                                  .cycle = 20,
                                  .stop_ns = INT64_MAX};
    struct pario_figures figures = {.wrong_bytes = 0};
    struct pario_file file = {.n = 0};
    int64_t begun_ns;

    (void)state;
    assert_int_equal(pattern_plan_make(&options, 1, 0, 1, &part.plan), 0);
    timed.contents = file.contents = (struct pattern_contents){
        .key = 5, .generation = 1, .grid = part.plan.grid, .period = 4096};
    timed.file = &file;
    part.space = calloc(4, part.plan.longest);
    part.words = calloc(PATTERN_KEPT, sizeof(*part.words));
    assert_true(part.space != NULL && part.words != NULL);
    assert_int_equal(pario_samples_init(&part.samples, 1000), 0);
    pattern_move(&timed, 50);
    assert_int_equal(timed.code, 0);
    assert_int_equal(timed.done, 50);
    assert_int_equal(timed.bytes, 50 * 24);
    assert_int_equal(file.most, 4);
    assert_int_equal(file.n, 0);
    assert_int_equal(part.samples.count, 50);
    assert_int_equal(pattern_timed_check(&timed, &figures), 0);
    assert_int_equal(figures.wrong_bytes, 0);
    assert_int_equal(figures.checked_bytes, 50 * 8 + 4 * 24);
    assert_int_equal(figures.data_bytes, 20 * 24);
    part.words[7]++;
    assert_int_equal(pattern_timed_check(&timed, &figures), 0);
    assert_true(figures.wrong_bytes > 0);
    /* Nothing is under way while the pattern thinks. */
    options.think_s = 1e-4;
    file.drains = 1;
    begun_ns = pario_clock_ns();
    pattern_move(&timed, 100);
    assert_true(pario_clock_ns() - begun_ns >= 50 * 100000);
    assert_int_equal(timed.done, 100);
    free(part.space);
    free(part.words);
    pario_samples_fini(&part.samples);
    pattern_plan_free(&part.plan);
}

/* Bytes of transfers that overlap, one by one. */
static int64_t count_bytes(const struct pattern_plan *plan)
{
    char *seen = calloc((size_t)plan->file_bytes, 1);
    int64_t bytes = 0;

    assert_non_null(seen);
    for (int64_t i = 0; i < plan->count; i++) {
        struct pattern_op op = pattern_op_at(plan, i);

        memset(seen + op.offset, 1, op.len);
    }
    for (int64_t at = 0; at < plan->file_bytes; at++)
        bytes += seen[at];
    free(seen);
    return bytes;
}

static void test_bytes_of_drawn_places_count_once(void **state)
{
    static const char *const sizes[] = {NULL, "512/75:64k/25"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pattern_options options = pattern_defaults;
        struct pario_run run = {.common.verify = PARIO_VERIFY_OFF};
        struct pattern_part part = {.run = &run, .options = &options};
        struct pattern_timed timed = {.part = &part,
                                      .plan = &part.plan,
                                      .access = PATTERN_READ,
                                      .in_order = 0};
        struct pario_figures figures = {.bytes = 0};

        options.sizes = sizes[i % 2];
        options.order = i < 2 ? PATTERN_UNIFORM : PATTERN_ZIPF;
        part.plan = drawn(&options);
        timed.done = part.plan.count;
        assert_int_equal(pattern_timed_check(&timed, &figures), 0);
        assert_int_equal(figures.data_bytes, count_bytes(&part.plan));
        assert_int_equal(figures.written_data_bytes, 0);
        pattern_plan_free(&part.plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_drawn_places_count_once),
        cmocka_unit_test(test_plan_of_every_layout_covers_each_byte_once),
        cmocka_unit_test(test_place_of_shared_file_is_that_of_ior),
        cmocka_unit_test(test_contents_of_overlapping_transfers_are_one),
        cmocka_unit_test(test_contents_of_other_generation_are_wrong),
        cmocka_unit_test(test_command_line_of_ior_becomes_long_options),
        cmocka_unit_test(test_option_of_ior_without_meaning_here_is_refused),
        cmocka_unit_test(test_script_of_ior_gives_its_runs),
        cmocka_unit_test(test_script_of_ior_takes_back_what_it_drew),
        cmocka_unit_test(test_script_of_ior_that_asks_too_much_names_the_line),
        cmocka_unit_test(test_places_by_zipfs_law_are_met_as_often),
        cmocka_unit_test(test_hot_spot_gets_its_share),
        cmocka_unit_test(test_blocks_that_are_drawn_are_whole),
        cmocka_unit_test(test_sizes_and_mix_are_drawn_by_weight),
        cmocka_unit_test(test_what_would_do_nothing_is_refused),
        cmocka_unit_test(test_queue_takes_what_is_done_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
