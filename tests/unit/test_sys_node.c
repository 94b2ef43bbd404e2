/* Facts about the node: what other systems' /proc says, and this one's. */
#include "made_root.h"
#include "sys/cgroup.h"
#include "sys/node.h"
#include "sys/proctext.h"

#define GIB (1024LL * 1024 * 1024)
#define MIB (1024LL * 1024)

#define V2_MOUNT                                                               \
    "24 30 0:22 / /sys rw - sysfs sysfs rw\n"                                  \
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"

static void put_meminfo(void)
{
    put("/proc/meminfo", "MemTotal:       16777216 kB\n"
                         "MemFree:         4194304 kB\n"
                         "MemAvailable:    8388608 kB\n"
                         "Buffers:               0 kB\n"
                         "Cached:          2097152 kB\n"
                         "SwapCached:            0 kB\n"
                         "Active(file):    1048576 kB\n"
                         "Inactive(file):  3145728 kB\n");
}

static void test_value_in_kb_is_bytes(void **state)
{
    const char *text = "MemTotal:  12 kB\nMemFree: 3 kB\ninactive_file 4096\n";

    (void)state;
    assert_int_equal(pario_proctext_value(text, "MemFree:"), 3072);
    assert_int_equal(pario_proctext_value(text, "inactive_file "), 4096);
    assert_int_equal(pario_proctext_value(text, "active_file "), -1);
    assert_int_equal(pario_proctext_value("", "MemFree:"), -1);
}

static void test_number_of_max_is_unknown(void **state)
{
    (void)state;
    put("/n", "max\n");
    assert_int_equal(pario_proctext_number(root, "/n"), -1);
    put("/n", "12x\n");
    assert_int_equal(pario_proctext_number(root, "/n"), -1);
    put("/n", "1073741824\n");
    assert_int_equal(pario_proctext_number(root, "/n"), GIB);
    assert_int_equal(pario_proctext_number(root, "/missing"), -1);
}

static void test_cgroup_v2_takes_smallest_limit_above(void **state)
{
    struct pario_cgroup_limits limits;

    (void)state;
    put("/proc/self/cgroup", "0::/system.slice/job.scope/step\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put("/sys/fs/cgroup/system.slice/job.scope/step/memory.max", "max\n");
    put("/sys/fs/cgroup/system.slice/job.scope/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/system.slice/job.scope/memory.current", "1610612736\n");
    put("/sys/fs/cgroup/system.slice/job.scope/memory.stat",
        "anon 7\nfile 1073741824\ninactive_file 536870912\n"
        "active_file 536870912\n");
    put("/sys/fs/cgroup/system.slice/memory.max", "4294967296\n");
    put("/sys/fs/cgroup/system.slice/memory.current", "0\n");
    put("/sys/fs/cgroup/system.slice/job.scope/step/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, 2 * GIB);
    assert_int_equal(limits.available_bytes, GIB + GIB / 2);
    assert_true(limits.cpus > 1.49 && limits.cpus < 1.51);
}

static void test_cgroup_v1_limit_is_found_in_parent(void **state)
{
    struct pario_cgroup_limits limits;

    (void)state;
    put("/proc/self/cgroup",
        "9:name=systemd:/\n4:cpu,memory:/a/b\n3:cpuset:/z\n0::/\n");
    put("/proc/self/mountinfo",
        "31 23 0:28 / /cg rw - tmpfs tmpfs rw,mode=755\n"
        "34 31 0:31 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
        "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,cpu,memory\n");
    put("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/cg/memory/a/memory.limit_in_bytes", "536870912\n");
    put("/cg/memory/a/memory.usage_in_bytes", "104857600\n");
    put("/cg/memory/a/memory.stat",
        "total_inactive_file 1048576\ntotal_active_file 0\n");
    put("/cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put("/cg/memory/a/b/cpu.cfs_quota_us", "-1\n");
    put("/cg/memory/a/b/cpu.cfs_period_us", "100000\n");
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, 512 * MIB);
    assert_int_equal(limits.available_bytes, 413 * MIB);
    assert_true(limits.cpus < 0);
}

/* A container: the mount begins at the group itself. */
static void test_cgroup_mounted_below_root_is_stripped(void **state)
{
    struct pario_cgroup_limits limits;

    (void)state;
    put("/proc/self/cgroup", "4:memory:/docker/abc\n");
    put("/proc/self/mountinfo",
        "35 31 0:32 /docker/abc /cg rw - cgroup cgroup rw,memory\n");
    put("/cg/memory.limit_in_bytes", "1048576\n");
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, MIB);
    put("/proc/self/cgroup", "4:memory:/../outside\n");
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, MIB);
}

static void test_no_cgroup_means_no_limit(void **state)
{
    struct pario_cgroup_limits limits;

    (void)state;
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, -1);
    put("/proc/self/cgroup", "4:memory:/a\n");
    put("/proc/self/mountinfo", "1 2 0:3 / /cg rw - cgroup cgroup rw,memory\n");
    put("/cg/a/memory.limit_in_bytes", "9223372036854771712\n");
    pario_cgroup_limits_get(root, &limits);
    assert_int_equal(limits.memory_bytes, -1);
    assert_int_equal(limits.available_bytes, -1);
    assert_true(limits.cpus < 0);
}

static void test_facts_without_limit_use_meminfo(void **state)
{
    struct pario_node_facts facts;

    (void)state;
    put_meminfo();
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n");
    put("/proc/sys/vm/dirty_bytes", "0\n");
    put("/proc/sys/vm/dirty_ratio", "20\n");
    put("/proc/sys/vm/dirty_background_bytes", "1048576\n");
    put("/proc/sys/vm/dirty_background_ratio", "0\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    pario_node_facts_from(root, &facts);
    assert_string_equal(facts.cpu, "Some CPU @ 2 GHz");
    assert_string_equal(facts.governor, "powersave");
    assert_int_equal(facts.memory_bytes, 16 * GIB);
    assert_int_equal(facts.memory_limit_bytes, -1);
    assert_int_equal(facts.memory_free_bytes, 8 * GIB);
    assert_int_equal(facts.page_cache_bytes, 2 * GIB);
    /* 20 % of 4 + 1 + 3 GiB */
    assert_int_equal(facts.dirty_limit_bytes, 8 * GIB / 100 * 20);
    assert_int_equal(facts.dirty_background_bytes, MIB);
    assert_int_equal(pario_node_cache_capacity(&facts), 8 * GIB);
}

static void test_facts_with_limit_are_within_it(void **state)
{
    struct pario_node_facts facts;

    (void)state;
    put_meminfo();
    put("/proc/self/cgroup", "0::/job\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put("/sys/fs/cgroup/job/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/job/memory.current", "536870912\n");
    put("/sys/fs/cgroup/job/cpu.max", "50000 100000\n");
    put("/proc/sys/vm/dirty_ratio", "50\n");
    pario_node_facts_from(root, &facts);
    assert_int_equal(facts.memory_limit_bytes, GIB);
    assert_int_equal(facts.memory_free_bytes, GIB / 2);
    assert_int_equal(facts.dirty_limit_bytes, GIB / 2 / 100 * 50);
    assert_int_equal(facts.cores, 1);
    assert_int_equal(pario_node_cache_capacity(&facts), GIB / 2);
}

static void test_facts_of_empty_system_are_unknown(void **state)
{
    struct pario_node_facts facts;

    (void)state;
    pario_node_facts_from(root, &facts);
    assert_string_equal(facts.cpu, "unknown");
    assert_string_equal(facts.governor, "unknown");
    assert_int_equal(facts.memory_bytes, -1);
    assert_int_equal(facts.memory_free_bytes, -1);
    assert_int_equal(facts.dirty_limit_bytes, -1);
    assert_int_equal(pario_node_cache_capacity(&facts), -1);
}

static void test_facts_of_this_node_agree_with_sysconf(void **state)
{
    struct pario_node_facts facts;
    int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    char host[256];

    (void)state;
    assert_int_equal(gethostname(host, sizeof host), 0);
    assert_int_equal(pario_node_facts_get(&facts), 0);
    assert_int_equal(strncmp(facts.host, host, sizeof facts.host - 1), 0);
    assert_true(facts.memory_bytes > memory / 10 * 9);
    assert_true(facts.memory_bytes < memory / 10 * 11);
    assert_in_range(facts.cores, 1, sysconf(_SC_NPROCESSORS_CONF));
    assert_in_range(pario_node_cache_capacity(&facts), 1, facts.memory_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_in_kb_is_bytes),
        WITH_ROOT(test_number_of_max_is_unknown),
        WITH_ROOT(test_cgroup_v2_takes_smallest_limit_above),
        WITH_ROOT(test_cgroup_v1_limit_is_found_in_parent),
        WITH_ROOT(test_cgroup_mounted_below_root_is_stripped),
        WITH_ROOT(test_no_cgroup_means_no_limit),
        WITH_ROOT(test_facts_without_limit_use_meminfo),
        WITH_ROOT(test_facts_with_limit_are_within_it),
        WITH_ROOT(test_facts_of_empty_system_are_unknown),
        WITH_ROOT(test_facts_of_this_node_agree_with_sysconf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
