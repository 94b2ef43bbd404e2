/* What else goes on at a node: counters of made-up systems, and this one. */
#include "core/clock.h"
#include "made_root.h"
#include "sys/noise.h"

#define SECOND INT64_C(1000000000)

static struct pario_noise_findings findings;

static int said(const char *text)
{
    for (int i = 0; i < findings.count; i++)
        if (strcmp(findings.text[i], text) == 0)
            return 1;
    for (int i = 0; i < findings.count; i++)
        print_message("said: %s\n", findings.text[i]);
    return 0;
}

/* Counters of a clock tick each, as /proc/stat has them: 1/100 s. */
static void put_stat(const char *all)
{
    char text[512];

    snprintf(text, sizeof text,
             "cpu  %s\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\n"
             "intr 12\nctxt 5\nprocs_running 3\n",
             all);
    put("/proc/stat", text);
}

#define V1_MOUNTS                                                              \
    "31 1 0:28 / /cg rw - tmpfs tmpfs rw\n"                                    \
    "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n"                         \
    "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n"

static void test_counters_are_read_and_converted(void **state)
{
    struct pario_noise now;

    (void)state;
    put("/proc/loadavg", "1.50 0.17 0.08 8/112 10089\n");
    put_stat("100 20 300 4000 50 6 7 80 9 1");
    put("/proc/pressure/cpu",
        "some avg10=56.84 avg60=50.79 avg300=46.63 total=415170645\n");
    put("/proc/pressure/io", "some avg10=0.00 avg60=0.15 total=11069424\n"
                             "full avg10=0.00 total=5\n");
    put("/proc/pressure/memory", "some total=7\n");
    put("/proc/vmstat", "nr_free_pages 7\npswpin 3\npswpout 4\n");
    put("/proc/self/cgroup", "1:cpu:/a\n4:memory:/a/b\n");
    put("/proc/self/mountinfo", V1_MOUNTS);
    put("/cg/cpu/a/cpu.stat",
        "nr_periods 9\nnr_throttled 5\nthrottled_time 3000\n");
    put("/cg/memory/memory.failcnt", "0\n");
    put("/cg/memory/a/memory.failcnt", "3\n");
    put("/cg/memory/a/b/memory.failcnt", "4\n");
    put("/cg/memory/a/b/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    pario_noise_now_from(root, &now);
    assert_int_equal(now.cpus, 2);
    assert_true(now.load > 1.49 && now.load < 1.51);
    /* Time of guests is part of user and nice: not added again. */
    assert_int_equal(now.cpu_ns, 4563 * (SECOND / sysconf(_SC_CLK_TCK)));
    assert_int_equal(now.user_ns, 120 * (SECOND / sysconf(_SC_CLK_TCK)));
    assert_int_equal(now.steal_ns, 80 * (SECOND / sysconf(_SC_CLK_TCK)));
    assert_int_equal(now.cpu_stall_ns, 415170645000);
    assert_int_equal(now.io_stall_ns, 11069424000);
    assert_int_equal(now.memory_stall_ns, 7000);
    assert_int_equal(now.swapped_in_bytes, 3 * sysconf(_SC_PAGESIZE));
    assert_int_equal(now.swapped_out_bytes, 4 * sysconf(_SC_PAGESIZE));
    assert_int_equal(now.throttles, 5);
    assert_int_equal(now.throttled_ns, 3000);
    assert_int_equal(now.memory_limit_hits, 7);
    assert_int_equal(now.oom_kills, 2);
}

static void test_cgroup_v2_counts_all_groups_above(void **state)
{
    struct pario_noise now;

    (void)state;
    put("/proc/self/cgroup", "0::/job/step\n");
    put("/proc/self/mountinfo", "35 24 0:30 / /cg rw - cgroup2 cgroup2 rw\n");
    put("/cg/job/step/cpu.stat", "usage_usec 5\nnr_throttled 0\n"
                                 "throttled_usec 0\n");
    put("/cg/job/cpu.stat", "nr_throttled 6\nthrottled_usec 9\n");
    put("/cg/job/step/memory.events", "low 0\nhigh 1\nmax 2\noom 0\n"
                                      "oom_kill 0\n");
    put("/cg/job/memory.events", "low 0\nhigh 0\nmax 4\noom 0\noom_kill 1\n");
    pario_noise_now_from(root, &now);
    assert_int_equal(now.throttles, 6);
    assert_int_equal(now.throttled_ns, 9000);
    assert_int_equal(now.memory_limit_hits, 7);
    assert_int_equal(now.oom_kills, 1);
}

static void test_empty_system_shows_and_says_nothing(void **state)
{
    struct pario_noise_share share = {1, -1, -1};
    struct pario_noise begin, end, delta;

    (void)state;
    pario_noise_now_from(root, &begin);
    pario_noise_now_from(root, &end);
    pario_noise_since(&begin, &end, &delta);
    assert_int_equal(begin.cpu_ns, -1);
    assert_int_equal(begin.cpu_stall_ns, -1);
    assert_int_equal(delta.steal_ns, -1);
    assert_int_equal(delta.throttles, -1);
    assert_int_equal(delta.memory_limit_hits, -1);
    pario_noise_describe(&begin, &delta, &share, &findings);
    assert_int_equal(findings.count, 0);
}

/* Ten seconds of a node of two cores in which nothing else happened. */
static void quiet(struct pario_noise *begin, struct pario_noise *delta)
{
    *begin = (struct pario_noise){.cpus = 2, .load = 0.1};
    *delta = (struct pario_noise){.time_ns = 10 * SECOND,
                                  .cpus = 2,
                                  .cpu_ns = 20 * SECOND,
                                  .user_ns = 5 * SECOND,
                                  .io_stall_ns = 10 * SECOND};
}

static void test_quiet_node_says_nothing(void **state)
{
    struct pario_noise_share share = {2, 2, 5 * SECOND};
    struct pario_noise begin, delta;

    (void)state;
    quiet(&begin, &delta);
    pario_noise_describe(&begin, &delta, &share, &findings);
    assert_int_equal(findings.count, 0);
    pario_noise_describe(&begin, NULL, &share, &findings);
    assert_int_equal(findings.count, 0);
}

static void test_findings_name_what_happened(void **state)
{
    struct pario_noise_share share = {4, 2, 5 * SECOND};
    struct pario_noise begin, delta;

    (void)state;
    quiet(&begin, &delta);
    begin.load = 3.21;
    delta.user_ns = 18 * SECOND;
    delta.steal_ns = 20 * SECOND * 12 / 100;
    delta.cpu_stall_ns = 4 * SECOND;
    delta.memory_stall_ns = 2 * SECOND;
    delta.swapped_out_bytes = 1 << 20;
    delta.throttles = 7;
    delta.throttled_ns = SECOND / 2;
    delta.memory_limit_hits = 1;
    delta.oom_kills = 2;
    pario_noise_describe(&begin, &delta, &share, &findings);
    assert_int_equal(findings.count, 10);
    assert_true(said("4 processes share 2 cores"));
    assert_true(said("the node was not idle at the beginning (load average "
                     "3.2 on 2 cores)"));
    assert_true(said("other programs used at least 1.3 of 2 cores"));
    assert_true(said("the hypervisor took 12 % of the CPU time (steal)"));
    assert_true(said("a process waited for a core 40 % of the time"));
    assert_true(said("a CPU quota stopped the processes 7 times (0.50 s)"));
    assert_true(said("the node swapped: 0 B in, 1 MiB out"));
    assert_true(said("a process waited for memory 20 % of the time"));
    assert_true(said("the memory limit of the control group was reached 1 "
                     "time"));
    assert_true(said("the kernel killed 2 processes for lack of memory"));
    /* Before a run only the first two are known. */
    pario_noise_describe(&begin, NULL, &share, &findings);
    assert_int_equal(findings.count, 2);
}

/* Without our own share nothing can be said about the others'. */
static void test_unknown_own_time_accuses_no_other_program(void **state)
{
    struct pario_noise_share share = {1, 2, -1};
    struct pario_noise begin, delta;

    (void)state;
    quiet(&begin, &delta);
    delta.user_ns = 20 * SECOND;
    pario_noise_describe(&begin, &delta, &share, &findings);
    assert_int_equal(findings.count, 0);
}

static void test_since_of_a_counter_that_went_back_is_unknown(void **state)
{
    struct pario_noise begin = {.time_ns = 5, .throttles = 9, .cpu_ns = -1};
    struct pario_noise end = {.time_ns = 7, .throttles = 5, .cpu_ns = 3};
    struct pario_noise delta;

    (void)state;
    pario_noise_since(&begin, &end, &delta);
    assert_int_equal(delta.time_ns, 2);
    assert_int_equal(delta.throttles, -1);
    assert_int_equal(delta.cpu_ns, -1);
}

/* This node counts our own work as ours. */
static void test_own_work_is_seen_on_this_node(void **state)
{
    struct pario_noise begin, end, delta;
    volatile unsigned long sum = 0;

    (void)state;
    pario_noise_now(&begin);
    do {
        for (int i = 0; i < 1000000; i++)
            sum += (unsigned long)i;
        pario_noise_now(&end);
        pario_noise_since(&begin, &end, &delta);
    } while (delta.own_user_ns < SECOND / 10);
    assert_true(delta.time_ns > 0);
    assert_true(end.cpus >= 1);
    assert_true(delta.user_ns < 0 || delta.cpu_ns >= delta.user_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(test_counters_are_read_and_converted),
        WITH_ROOT(test_cgroup_v2_counts_all_groups_above),
        WITH_ROOT(test_empty_system_shows_and_says_nothing),
        WITH_ROOT(test_quiet_node_says_nothing),
        WITH_ROOT(test_findings_name_what_happened),
        WITH_ROOT(test_unknown_own_time_accuses_no_other_program),
        WITH_ROOT(test_since_of_a_counter_that_went_back_is_unknown),
        WITH_ROOT(test_own_work_is_seen_on_this_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
