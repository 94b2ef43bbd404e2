/* sys/node.c - facts about this node. */
#include "sys/node.h"
#include "pario_config.h"
#include "sys/cgroup.h"
#include "sys/proctext.h"
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#if PARIO_HAVE_HWLOC
#include <hwloc.h>
#endif

static int64_t smaller_known(int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

#if PARIO_HAVE_HWLOC
static int64_t topology_memory(void)
{
    hwloc_topology_t topology;
    int64_t bytes = -1;

    if (hwloc_topology_init(&topology) != 0)
        return -1;
    /* Only the memory is asked for: do not look for caches and PUs. */
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(topology) == 0)
        bytes = (int64_t)hwloc_get_root_obj(topology)->total_memory;
    hwloc_topology_destroy(topology);
    return bytes;
}
#else
static int64_t topology_memory(void)
{
    return -1;
}
#endif

/* The larger of the two: the kernel's tables by NUMA node, which hwloc reads,
 * may leave out memory that was added while running. */
static int64_t physical_memory(void)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t bytes = pages > 0 ? pages * sysconf(_SC_PAGESIZE) : -1;
    int64_t reported = topology_memory();

    return reported > bytes ? reported : bytes;
}

/* Affinity, further bounded by a CPU quota. */
static int usable_cores(double quota_cpus)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cores = CPU_COUNT(&set);
    if (quota_cpus > 0 && ceil(quota_cpus) < (double)cores)
        cores = (long)ceil(quota_cpus);
    return cores > 0 && cores < INT_MAX ? (int)cores : -1;
}

/* vm.dirty_bytes, or vm.dirty_ratio of what may become dirty. */
static int64_t dirty_limit(const char *root, const char *which,
                           int64_t dirtyable)
{
    char path[64];
    int64_t bytes, ratio;

    snprintf(path, sizeof path, "/proc/sys/vm/%s_bytes", which);
    bytes = pario_proctext_number(root, path);
    if (bytes > 0)
        return bytes;
    snprintf(path, sizeof path, "/proc/sys/vm/%s_ratio", which);
    ratio = pario_proctext_number(root, path);
    if (ratio < 0 || dirtyable < 0)
        return -1;
    return dirtyable / 100 * ratio;
}

/* Free memory and the pages of files, as the kernel counts it. */
static int64_t dirtyable_memory(const char *meminfo)
{
    static const char *const keys[] = {
        "MemFree:", "Active(file):", "Inactive(file):"};
    int64_t sum = 0;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int64_t bytes = pario_proctext_value(meminfo, keys[i]);

        if (bytes < 0)
            return -1;
        sum += bytes;
    }
    return sum;
}

static void memory_facts(const char *root,
                         const struct pario_cgroup_limits *limits,
                         struct pario_node_facts *facts)
{
    char *meminfo = pario_proctext_read(root, "/proc/meminfo");
    int64_t dirtyable = -1;

    facts->memory_bytes = -1;
    facts->memory_free_bytes = limits->available_bytes;
    facts->page_cache_bytes = -1;
    if (meminfo != NULL) {
        facts->memory_bytes = pario_proctext_value(meminfo, "MemTotal:");
        facts->memory_free_bytes =
            smaller_known(pario_proctext_value(meminfo, "MemAvailable:"),
                          limits->available_bytes);
        facts->page_cache_bytes = pario_proctext_value(meminfo, "Cached:");
        dirtyable = dirtyable_memory(meminfo);
    }
    free(meminfo);
    /* A limit at or above the memory does not limit. */
    facts->memory_limit_bytes = limits->memory_bytes;
    if (facts->memory_bytes > 0 && limits->memory_bytes >= facts->memory_bytes)
        facts->memory_limit_bytes = -1;
    if (dirtyable >= 0)
        dirtyable = smaller_known(dirtyable, limits->available_bytes);
    facts->dirty_limit_bytes = dirty_limit(root, "dirty", dirtyable);
    facts->dirty_background_bytes =
        dirty_limit(root, "dirty_background", dirtyable);
}

void pario_node_facts_from(const char *root, struct pario_node_facts *facts_p)
{
    struct pario_node_facts facts = {.host = "unknown", .kernel = "unknown"};
    struct pario_cgroup_limits limits;
    struct utsname name;
    char *cpuinfo = pario_proctext_read(root, "/proc/cpuinfo");

    if (uname(&name) == 0) {
        snprintf(facts.host, sizeof facts.host, "%.63s", name.nodename);
        snprintf(facts.kernel, sizeof facts.kernel, "%.60s %.60s", name.sysname,
                 name.release);
    }
    if (cpuinfo == NULL ||
        pario_proctext_field(cpuinfo, "model name", facts.cpu,
                             sizeof facts.cpu) != 0)
        snprintf(facts.cpu, sizeof facts.cpu, "unknown");
    free(cpuinfo);
    pario_proctext_line(root,
                        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                        "unknown", facts.governor, sizeof facts.governor);
    pario_cgroup_limits_get(root, &limits);
    facts.cores = usable_cores(limits.cpus);
    memory_facts(root, &limits, &facts);
    *facts_p = facts;
}

int pario_node_facts_get(struct pario_node_facts *facts_p)
{
    int64_t memory = physical_memory();

    pario_node_facts_from("", facts_p);
    if (memory > 0)
        facts_p->memory_bytes = memory;
    return 0;
}

int64_t pario_node_cache_capacity(const struct pario_node_facts *facts)
{
    if (facts->memory_free_bytes >= 0)
        return facts->memory_free_bytes;
    return smaller_known(facts->memory_bytes, facts->memory_limit_bytes);
}

int pario_node_cpus(void)
{
    struct pario_cgroup_limits limits;
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

    pario_cgroup_limits_get("", &limits);
    if (limits.cpus > 0 && ceil(limits.cpus) < cpus)
        cpus = (int)ceil(limits.cpus);
    return cpus;
}
