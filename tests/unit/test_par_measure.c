/* The measuring engine: verdicts from evidence, flags, the clock of a phase. */
#include "core/clock.h"
#include "measure/phase.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)

static struct pario_group *world;

/* Writes a file that nobody syncs; and one beside it on the same device, which
 * stands for other programs. */
static int write_beside(void *part, struct pario_phase *phase)
{
    static char block[1 << 20] = {1};
    int fd = open("test-unsynced", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int other = open("test-beside", O_RDWR | O_CREAT | O_TRUNC, 0600);

    (void)part;
    if (fd < 0 || other < 0)
        return -1;
    for (int i = 0; i < 4; i++)
        if (write(other, block, sizeof(block)) != (ssize_t)sizeof(block))
            return -1;
    if (fsync(other) != 0 || close(other) != 0 ||
        write(fd, block, sizeof(block)) != (ssize_t)sizeof(block) ||
        close(fd) != 0)
        return -1;
    phase->figures.bytes = phase->figures.written_bytes = sizeof(block);
    phase->figures.operations = 1;
    return 0;
}

static void test_unsynced_write_beside_other_programs_is_marked(void **state)
{
    static const struct pario_phase_calls calls = {.loop = write_beside};
    static const struct {
        const char *path;
        int names;
    } ways[] = {{"test-unsynced", 0}, {".", 0}, {".", 1}};

    (void)state;
    if (pario_group_size(world) > 1)
        skip();
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct pario_run run = {.common = {.verify = PARIO_VERIFY_SAMPLE}};
        struct pario_phase phase = {.run = &run,
                                    .path = ways[i].path,
                                    .names = ways[i].names,
                                    .shared = 1,
                                    .writing = 1,
                                    .unsynced = 1,
                                    .group = world};

        assert_int_equal(pario_phase_run(&phase, &calls, NULL), 0);
        unlink("test-unsynced");
        unlink("test-beside");
        assert_true(phase.figures.flags &
                    (PARIO_FLAG_CACHE | PARIO_FLAG_MIXED | PARIO_FLAG_UNKNOWN));
    }
}

/* The same places again and again, synced at the end, and somebody else who
 * wrote as much to the device. */
static void test_overwritten_beside_other_programs_is_marked(void **state)
{
    struct pario_run run = {.kernels = {.one_clock = 1}};
    struct pario_phase phase = {.run = &run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .group = world};
    int64_t bytes = 64 * MIB;

    (void)state;
    assert_int_equal(pario_phase_prepare(&phase), 0);
    assert_int_equal(pario_phase_begin(&phase), 0);
    phase.figures.bytes = phase.figures.written_bytes = bytes;
    phase.figures.written_data_bytes = bytes / 4;
    phase.figures.operations = bytes / MIB;
    assert_int_equal(pario_phase_end(&phase, 0), 0);
    phase.figures.seen.device_written_bytes = bytes * pario_group_size(world);
    assert_int_equal(pario_phase_settle(&phase), 0);
    if (phase.figures.cache == PARIO_CACHE_CACHE)
        skip(); /* there is no device here */
    assert_string_equal(pario_cache_names[phase.figures.cache], "mixed");
}

/* Reads the same MiB four times, cold at first; and other files beside it from
 * the device, as other programs do. */
static int read_beside(void *part, struct pario_phase *phase)
{
    static char block[1 << 20];
    int64_t left;

    (void)part;
    for (int i = 0; i < 4; i++) {
        int fd = open("test-again", O_RDONLY);
        int other = open("test-beside", O_RDONLY);
        ssize_t n = pread(fd, block, sizeof(block), 0);

        if (n == (ssize_t)sizeof(block) &&
            pario_cache_evict("test-beside", &left) == 0)
            n = pread(other, block, sizeof(block), 0);
        close(fd);
        close(other);
        if (n != (ssize_t)sizeof(block))
            return -1;
    }
    phase->figures.bytes = 4 * MIB;
    phase->figures.operations = 4;
    phase->figures.data_bytes = MIB;
    /* It was not this process that read them: */
    phase->own_read_bytes += 4 * MIB;
    return 0;
}

static void test_read_again_beside_other_programs_is_marked(void **state)
{
    static const struct pario_phase_calls calls = {.loop = read_beside};
    static const char *const files[] = {"test-again", "test-beside"};
    static char block[1 << 20] = {1};
    struct pario_run run = {
        .common = {.verify = PARIO_VERIFY_SAMPLE, .cold = 1}};
    struct pario_phase phase = {.run = &run,
                                .path = "test-again",
                                .shared = 1,
                                .reading = 1,
                                .group = world};

    (void)state;
    if (pario_group_size(world) > 1)
        skip();
    for (int i = 0; i < 2; i++) {
        int fd = open(files[i], O_RDWR | O_CREAT | O_TRUNC, 0600);

        assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
        close(fd);
    }
    assert_int_equal(pario_phase_run(&phase, &calls, NULL), 0);
    unlink(files[0]);
    unlink(files[1]);
    assert_true(phase.figures.flags &
                (PARIO_FLAG_CACHE | PARIO_FLAG_MIXED | PARIO_FLAG_UNKNOWN));
}

/* Small calls, half of them reads, for which the device saw few requests. */
static int read_and_write(void *part, struct pario_phase *phase)
{
    (void)part;
    phase->figures.bytes = MIB;
    phase->figures.written_bytes = MIB / 2;
    phase->figures.operations = MIB / 512;
    return 0;
}

static void test_small_reads_of_a_mix_are_judged_by_requests(void **state)
{
    (void)state;
    for (int beside = 0; beside < 2; beside++)
        for (int few = 0; few < 2; few++) {
            struct pario_run run = {.kernels = {.one_clock = 1}};
            struct pario_phase phase = {.run = &run,
                                        .path = "./none",
                                        .shared = 1,
                                        .writing = 1,
                                        .reading = 1,
                                        .scattered = 1,
                                        .beside = beside ? world : NULL,
                                        .group = world};
            int64_t calls = MIB / 512 * pario_group_size(world);

            assert_int_equal(pario_phase_prepare(&phase), 0);
            assert_int_equal(pario_phase_begin(&phase), 0);
            assert_int_equal(read_and_write(NULL, &phase), 0);
            assert_int_equal(pario_phase_end(&phase, 0), 0);
            /* Those that write need their pages, too. */
            phase.device_reads = few ? calls / 2 : calls;
            phase.figures.seen.device_read_bytes =
                phase.figures.seen.device_written_bytes =
                    MIB * pario_group_size(world);
            assert_int_equal(pario_phase_settle(&phase), 0);
            if (phase.figures.cache == PARIO_CACHE_CACHE)
                skip(); /* there is no device here */
            assert_string_equal(pario_cache_names[phase.figures.cache],
                                few ? "mixed" : "disk");
        }
}

static json_t *took(double seconds, double mbps)
{
    return json_pack("{s:f, s:f, s:[s]}", "seconds", seconds, "bandwidth_mbps",
                     mbps, "flags", seconds < 0.1 ? "short" : "cache-mixed");
}

static void test_headline_is_no_burst_if_there_is_another(void **state)
{
    json_t *list[] = {took(2, 52), took(0.17, 97), took(0.002, 849),
                      took(3, 53)};

    (void)state;
    assert_true(pario_headline_better(list[2], NULL));
    assert_true(pario_headline_better(list[1], list[2]));
    assert_false(pario_headline_better(list[2], list[1]));
    assert_true(pario_headline_better(list[0], list[1]));
    assert_false(pario_headline_better(list[1], list[0]));
    assert_true(pario_headline_better(list[3], list[0]));
    assert_false(pario_headline_better(list[0], list[3]));
    for (size_t i = 0; i < 4; i++)
        json_decref(list[i]);
}

static void
test_flags_of_several_measures_are_those_of_exactly_them(void **state)
{
    struct pario_flag_sum sum = {0};
    char words[PARIO_FLAGS_LEN];

    (void)state;
    assert_int_equal(pario_flag_sum_get(&sum), 0);
    pario_flag_sum_add(&sum, PARIO_FLAG_CACHE);
    assert_int_equal(pario_flag_sum_get(&sum), PARIO_FLAG_CACHE);
    pario_flag_sum_add(&sum, 0);
    assert_int_equal(pario_flag_sum_get(&sum), PARIO_FLAG_MIXED);
    pario_flag_sum_add(&sum, PARIO_FLAG_SHORT | PARIO_FLAG_PAUSED);
    assert_string_equal(pario_flags_print(pario_flag_sum_get(&sum), words),
                        "cache-mixed short paused");
}

static void test_flags_go_to_json_and_back(void **state)
{
    unsigned all = 2 * PARIO_FLAG_LAST - 1;
    json_t *words = pario_flags_json(all);

    (void)state;
    assert_int_equal(json_array_size(words), 10);
    json_array_append_new(words, json_string("of a later version"));
    assert_int_equal(pario_flags_from_json(words), all);
    json_decref(words);
}

struct job {
    struct pario_run run;
    int64_t loop_ms, pause_ms;
    int quiet, order;
};

static void sleep_ms(int64_t ms)
{
    struct timespec length = {.tv_sec = ms / 1000,
                              .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&length, NULL);
}

static int job_loop(void *arg, struct pario_phase *phase)
{
    struct job *job = arg;

    sleep_ms(job->loop_ms);
    pario_phase_pause(phase);
    sleep_ms(job->pause_ms);
    (void)pario_phase_resume(phase, job->quiet);
    phase->figures.bytes = MIB;
    phase->figures.written_bytes = phase->writing ? MIB : 0;
    phase->figures.operations = 1;
    assert_int_equal(job->order++, 0);
    return 0;
}

static int job_sync(void *arg)
{
    sleep_ms(40); /* within the time */
    assert_int_equal(((struct job *)arg)->order++, 1);
    return 0;
}

static int job_close(void *arg)
{
    assert_int_equal(((struct job *)arg)->order++, 2);
    return 0;
}

static int job_check(void *arg, struct pario_phase *phase)
{
    assert_int_equal(((struct job *)arg)->order++, 3);
    sleep_ms(200); /* no part of the time */
    phase->figures.checked_bytes = MIB;
    return 0;
}

static const struct pario_phase_calls job_calls = {
    .loop = job_loop, .sync = job_sync, .close = job_close, .check = job_check};

static struct pario_figures run_job(int64_t loop_ms, int64_t pause_ms,
                                    int quiet)
{
    struct job job = {.loop_ms = loop_ms, .pause_ms = pause_ms, .quiet = quiet};
    struct pario_phase phase = {.run = &job.run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .group = world};

    assert_int_equal(pario_phase_run(&phase, &job_calls, &job), 0);
    assert_int_equal(job.order, 4);
    return phase.figures;
}

static void test_pauses_and_checks_are_no_part_of_the_time(void **state)
{
    int64_t begin_ns = pario_clock_ns();
    struct pario_figures figures = run_job(120, 300, 1);
    double all_s = (double)(pario_clock_ns() - begin_ns) * 1e-9;

    (void)state;
    assert_true(figures.seconds >= 0.16);
    assert_true(figures.seconds - figures.loop_s >= 0.04);
    assert_true(figures.seen.pause_s >= 0.3);
    assert_true(figures.wall_s - figures.seconds >= 0.3);
    assert_true(all_s - figures.wall_s >= 0.2);
    assert_true(figures.seen.unseen_s == 0);
    assert_false(figures.flags & PARIO_FLAG_PAUSED);
    assert_int_equal(figures.checked_bytes, MIB * pario_group_size(world));
}

static void
test_pause_in_which_the_device_may_work_marks_the_figure(void **state)
{
    struct pario_figures figures = run_job(120, 60, 0);

    (void)state;
    assert_true(figures.wall_s - figures.seconds >= 0.06);
    assert_true(figures.seen.unseen_s >= 0.06);
    assert_true(figures.flags & PARIO_FLAG_PAUSED);
}

/* While a reader checks, the system reads ahead for it; not with O_DIRECT. */
static void test_pause_of_a_reader_marks_the_figure(void **state)
{
    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        struct job job = {.loop_ms = 120, .pause_ms = 60};
        struct pario_phase phase = {.run = &job.run,
                                    .path = "./none",
                                    .shared = 1,
                                    .reading = 1,
                                    .direct = direct,
                                    .group = world};
        struct pario_phase_calls calls = job_calls;

        calls.sync = NULL;
        job.order = 0;
        job.quiet = !pario_phase_reads_ahead(&phase);
        calls.close = NULL;
        calls.check = NULL;
        assert_int_equal(pario_phase_run(&phase, &calls, &job), 0);
        assert_int_equal(!(phase.figures.flags & PARIO_FLAG_PAUSED), direct);
        assert_true(phase.figures.seen.pause_s >= 0.06);
    }
}

/* The last process alone knows it. */
static void test_fact_of_one_process_is_one_of_the_figure(void **state)
{
    int knows = pario_group_rank(world) == pario_group_size(world) - 1;

    (void)state;
    for (int which = 0; which < 2; which++) {
        struct job job = {.loop_ms = 1};
        struct pario_phase phase = {.run = &job.run,
                                    .path = "./none",
                                    .shared = 1,
                                    .writing = 1,
                                    .group = world};

        phase.repeats_data = knows && which == 0;
        phase.unread = knows && which == 1;
        assert_int_equal(pario_phase_run(&phase, &job_calls, &job), 0);
        assert_int_equal((phase.figures.flags & PARIO_FLAG_REPEATED) != 0,
                         which == 0);
        assert_int_equal((phase.figures.flags & PARIO_FLAG_UNVERIFIED) != 0,
                         which == 1);
    }
}

/* No suite has to say so. */
static void test_write_that_nobody_checked_is_unverified(void **state)
{
    struct job job = {.loop_ms = 1};
    struct pario_phase phase = {.run = &job.run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .group = world};
    struct pario_phase_calls calls = job_calls;

    (void)state;
    calls.check = NULL;
    assert_int_equal(pario_phase_run(&phase, &calls, &job), 0);
    assert_true(phase.figures.flags & PARIO_FLAG_UNVERIFIED);
    assert_false(run_job(1, 0, 1).flags & PARIO_FLAG_UNVERIFIED);
}

static void test_short_phase_is_marked(void **state)
{
    struct pario_figures figures = {.seconds = 1};

    (void)state;
    /* A machine under load takes its time. */
    for (int i = 0; i < 50 && figures.seconds >= PARIO_SHORT_S; i++)
        figures = run_job(1, 0, 1);
    assert_true(figures.flags & PARIO_FLAG_SHORT);
    assert_false(run_job(120, 0, 1).flags & PARIO_FLAG_SHORT);
}

/* Those who only wait do not keep the processor from the others. */
static void test_idle_process_sleeps_and_has_no_time(void **state)
{
    int idle = pario_group_rank(world) > 0;
    struct job job = {.loop_ms = idle ? 0 : 900};
    struct pario_phase phase = {.run = &job.run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .idle = idle,
                                .idlers = 1,
                                .group = world};
    struct timespec before, after;
    double used;

    (void)state;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    assert_int_equal(pario_phase_run(&phase, &job_calls, &job), 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    used = (double)(after.tv_sec - before.tv_sec) +
           (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    assert_true(phase.figures.seconds >= 0.3);
    assert_true(phase.figures.first_s >= 0.3);
    if (idle)
        assert_true(used < 0.1);
}

/* As one that leaves the barrier later than the others; the outer clock of this
 * process stood still until then. */
static void be_late(struct pario_phase *phase, int64_t ms)
{
    int64_t late_ns = -phase->begin_ns;

    sleep_ms(ms);
    phase->begin_ns = pario_clock_ns();
    late_ns += phase->begin_ns;
    phase->outer->pause_ns += late_ns;
}

/* Of a part of a phase, and of the whole. */
static void test_start_of_a_late_process_is_within_the_time(void **state)
{
    struct pario_run run = {.kernels = {.one_clock = 1}};
    struct pario_phase whole = {.run = &run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .group = world};
    struct pario_phase part = whole;
    int rank = pario_group_rank(world), size = pario_group_size(world);

    (void)state;
    part.outer = &whole;
    assert_int_equal(pario_phase_prepare(&whole), 0);
    assert_int_equal(pario_phase_begin(&whole), 0);
    pario_phase_pause(&whole);
    sleep_ms(100);
    assert_int_equal(pario_phase_prepare(&part), 0);
    assert_int_equal(pario_phase_begin(&part), 0);
    assert_int_equal(pario_barrier(world), 0); /* all have begun */
    if (rank == size - 1)
        be_late(&part, 300);
    assert_int_equal(pario_phase_end(&part, 0), 0);
    assert_int_equal(pario_phase_settle(&part), 0);
    (void)pario_phase_resume(&whole, 1);
    assert_int_equal(pario_phase_end(&whole, 0), 0);
    assert_int_equal(pario_phase_settle(&whole), 0);
    assert_true(whole.figures.seen.pause_s >= 0.1);
    if (size == 1) /* nobody was there before it */
        return;
    assert_true(part.figures.seconds >= 0.3);
    assert_true(whole.figures.seconds >= 0.3);
}

/* Virtual machines from one snapshot take their clocks for one: here that of
 * the last process is a thousand seconds behind. */
static void test_clocks_that_cannot_be_one_are_not_compared(void **state)
{
    const int64_t apart_ns = INT64_C(1000000000000);
    struct pario_run run = {.kernels = {.one_clock = 1}};
    struct pario_phase phase = {
        .run = &run, .path = "./none", .shared = 1, .group = world};
    int behind = pario_group_rank(world) == pario_group_size(world) - 1;

    (void)state;
    assert_int_equal(pario_phase_prepare(&phase), 0);
    assert_int_equal(pario_phase_begin(&phase), 0);
    assert_int_equal(pario_phase_end(&phase, 0), 0);
    phase.ready_ns -= behind * apart_ns;
    phase.begin_ns -= behind * apart_ns;
    phase.end_ns -= behind * apart_ns;
    assert_int_equal(pario_phase_settle(&phase), 0);
    assert_true(phase.figures.seconds >= 0 && phase.figures.seconds < 500);
}

/* A phase of two parts: 60 ms and 40 ms of them are timed, 100 ms around a
 * part are the tool's own, and between them 50 ms belong to the whole. */
static void test_outer_clock_stands_still_between_its_parts(void **state)
{
    struct pario_run run = {.common = {.verify = PARIO_VERIFY_SAMPLE}};
    struct pario_phase whole = {.run = &run,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .group = world};
    double parts_s = 0;

    (void)state;
    assert_int_equal(pario_phase_prepare(&whole), 0);
    assert_int_equal(pario_phase_begin(&whole), 0);
    pario_phase_pause(&whole);
    for (int i = 0; i < 2; i++) {
        struct pario_phase part = whole;

        part.outer = &whole;
        sleep_ms(100);
        assert_int_equal(pario_phase_prepare(&part), 0);
        assert_int_equal(pario_phase_begin(&part), 0);
        sleep_ms(60 - 20 * i);
        pario_phase_pause(&part);
        sleep_ms(30);
        assert_true(pario_phase_resume(&part, i) >= 30000000);
        assert_true(pario_phase_resume(&part, 0) == 0);
        assert_int_equal(pario_phase_end(&part, 0), 0);
        sleep_ms(100);
        assert_int_equal(pario_phase_settle(&part), 0);
        assert_true(part.figures.wall_s - part.figures.seconds >= 0.03);
        parts_s += part.figures.seconds;
    }
    assert_int_equal(pario_barrier(world), 0);
    (void)pario_phase_resume(&whole, 1);
    sleep_ms(50);
    assert_int_equal(pario_phase_end(&whole, 0), 0);
    assert_int_equal(pario_phase_settle(&whole), 0);
    assert_true(parts_s >= 0.1);
    assert_true(whole.figures.seconds >= parts_s * 0.9 + 0.05);
    assert_true(whole.figures.seen.pause_s >= 0.46);
    assert_true(whole.figures.wall_s - whole.figures.seconds >= 0.46);
    assert_true(whole.figures.seen.unseen_s >= 0.03);
    assert_true(whole.figures.flags & PARIO_FLAG_PAUSED);
    /* Its devices are still seen; on a file system without any they never
     * were. */
    assert_int_equal(whole.figures.seen.device_written_bytes < 0,
                     run_job(1, 0, 1).seen.device_written_bytes < 0);
}

/* Processes 0 and 1, 2 and 3, ...: each pair is a kernel with several nodes,
 * of which each has seen the same devices. */
static void test_kernels_say_each_what_its_devices_saw(void **state)
{
    int rank = pario_group_rank(world), size = pario_group_size(world);
    struct pario_kernels kernels = {.colour = rank / 2 + 1, .shared = 1};
    int64_t seen[2] = {10, rank % 2 == 0 ? 7 : 0};

    (void)state;
    assert_int_equal(pario_kernels_sum(&kernels, world, seen, 2), 0);
    assert_int_equal(seen[0], 10 * ((size + 1) / 2));
    assert_int_equal(seen[1], 7 * ((size + 1) / 2));
    kernels.shared = 0; /* a kernel each */
    seen[0] = 10;
    assert_int_equal(pario_kernels_sum(&kernels, world, seen, 1), 0);
    assert_int_equal(seen[0], 10 * size);
}

static void test_this_machine_is_one_kernel(void **state)
{
    struct pario_kernels kernels;

    (void)state;
    assert_int_equal(pario_kernels_find(world, &kernels), 0);
    assert_int_equal(kernels.one_clock,
                     access("/proc/sys/kernel/random/boot_id", R_OK) == 0);
    assert_int_equal(kernels.shared, pario_group_nodes(world) > 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsynced_write_beside_other_programs_is_marked),
        cmocka_unit_test(test_overwritten_beside_other_programs_is_marked),
        cmocka_unit_test(test_small_reads_of_a_mix_are_judged_by_requests),
        cmocka_unit_test(test_read_again_beside_other_programs_is_marked),
        cmocka_unit_test(test_fact_of_one_process_is_one_of_the_figure),
        cmocka_unit_test(test_write_that_nobody_checked_is_unverified),
        cmocka_unit_test(test_headline_is_no_burst_if_there_is_another),
        cmocka_unit_test(
            test_flags_of_several_measures_are_those_of_exactly_them),
        cmocka_unit_test(test_flags_go_to_json_and_back),
        cmocka_unit_test(test_pauses_and_checks_are_no_part_of_the_time),
        cmocka_unit_test(
            test_pause_in_which_the_device_may_work_marks_the_figure),
        cmocka_unit_test(test_pause_of_a_reader_marks_the_figure),
        cmocka_unit_test(test_short_phase_is_marked),
        cmocka_unit_test(test_outer_clock_stands_still_between_its_parts),
        cmocka_unit_test(test_idle_process_sleeps_and_has_no_time),
        cmocka_unit_test(test_start_of_a_late_process_is_within_the_time),
        cmocka_unit_test(test_clocks_that_cannot_be_one_are_not_compared),
        cmocka_unit_test(test_kernels_say_each_what_its_devices_saw),
        cmocka_unit_test(test_this_machine_is_one_kernel),
    };

    int failed = 1;

    if (pario_par_start(&argc, &argv, &world) == 0) {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        pario_par_finish(world);
    }
    return failed;
}
