/* sys/noise.c - what else goes on at this node, by the kernel's counters. */
#include "sys/noise.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/units.h"
#include "sys/cgroup.h"
#include "sys/proctext.h"
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What is below these is the ordinary life of a node. */
#define LOAD_SHARE 0.25  /* of the CPUs, waiting before we begin */
#define OTHERS_CPUS 0.25 /* in programs that are not ours */
#define STEAL_SHARE 0.02
#define STALL_SHARE 0.10

enum cpu_field {
    USER,
    NICE,
    SYSTEM,
    IDLE,
    IOWAIT,
    IRQ,
    SOFTIRQ,
    STEAL, /* later fields are parts of USER and NICE */
    CPU_FIELDS,
};

static int64_t tick_ns(void)
{
    long ticks = sysconf(_SC_CLK_TCK);

    return ticks > 0 ? 1000000000 / ticks : 10000000;
}

static int count_cpus(const char *stat)
{
    int cpus = 0;

    for (const char *pos = stat; (pos = strstr(pos, "\ncpu")) != NULL; pos++)
        cpus++;
    return cpus;
}

static void take_cpu_times(const char *root, struct pario_noise *now)
{
    char *stat = pario_proctext_read(root, "/proc/stat");
    int64_t tick = tick_ns(), sum = 0, field[CPU_FIELDS];
    char *pos = stat;

    if (stat == NULL || strncmp(stat, "cpu ", 4) != 0) {
        free(stat);
        return;
    }
    pos += 4;
    for (int i = 0; i < CPU_FIELDS; i++) {
        field[i] = (int64_t)strtoimax(pos, &pos, 10);
        sum += field[i];
    }
    now->cpus = count_cpus(stat);
    now->cpu_ns = sum * tick;
    now->user_ns = (field[USER] + field[NICE]) * tick;
    now->steal_ns = field[STEAL] * tick;
    free(stat);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS" */
static int64_t stall_ns(const char *root, const char *resource)
{
    char path[64], line[256], *total;

    snprintf(path, sizeof path, "/proc/pressure/%s", resource);
    pario_proctext_line(root, path, "", line, sizeof line);
    total = strstr(line, "total=");
    if (strncmp(line, "some ", 5) != 0 || total == NULL)
        return -1;
    return (int64_t)strtoimax(total + 6, NULL, 10) * 1000;
}

static void take_swap(const char *root, struct pario_noise *now)
{
    char *vmstat = pario_proctext_read(root, "/proc/vmstat");
    int64_t page = sysconf(_SC_PAGESIZE);

    if (vmstat != NULL) {
        int64_t in = pario_proctext_value(vmstat, "pswpin ");
        int64_t out = pario_proctext_value(vmstat, "pswpout ");

        now->swapped_in_bytes = in < 0 ? -1 : in * page;
        now->swapped_out_bytes = out < 0 ? -1 : out * page;
    }
    free(vmstat);
}

/* Adds to a counter that may not have been visible so far. */
static void add_seen(int64_t *sum, int64_t value, int64_t unit)
{
    if (value >= 0)
        *sum = (*sum < 0 ? 0 : *sum) + value * unit;
}

static char *group_text(const char *root, const char *folder, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return pario_proctext_read(root, path);
}

static void take_throttling(const char *root, const char *folder,
                            enum pario_cgroup_version version, void *arg)
{
    struct pario_noise *now = arg;
    char *stat = group_text(root, folder, "cpu.stat");

    if (stat != NULL) {
        add_seen(&now->throttles, pario_proctext_value(stat, "nr_throttled "),
                 1);
        if (version == PARIO_CGROUP_V1)
            add_seen(&now->throttled_ns,
                     pario_proctext_value(stat, "throttled_time "), 1);
        else
            add_seen(&now->throttled_ns,
                     pario_proctext_value(stat, "throttled_usec "), 1000);
    }
    free(stat);
}

static void take_memory_events(const char *root, const char *folder,
                               enum pario_cgroup_version version, void *arg)
{
    struct pario_noise *now = arg;
    const char *name =
        version == PARIO_CGROUP_V1 ? "memory.oom_control" : "memory.events";
    char *events = group_text(root, folder, name);
    char path[PATH_MAX];

    if (events != NULL) {
        add_seen(&now->oom_kills, pario_proctext_value(events, "oom_kill "), 1);
        add_seen(&now->memory_limit_hits, pario_proctext_value(events, "high "),
                 1);
        add_seen(&now->memory_limit_hits, pario_proctext_value(events, "max "),
                 1);
    }
    free(events);
    if (version == PARIO_CGROUP_V1) {
        snprintf(path, sizeof path, "%s/memory.failcnt", folder);
        add_seen(&now->memory_limit_hits, pario_proctext_number(root, path), 1);
    }
}

static int64_t own_user_ns(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    return (int64_t)usage.ru_utime.tv_sec * 1000000000 +
           (int64_t)usage.ru_utime.tv_usec * 1000;
}

void pario_noise_now_from(const char *root, struct pario_noise *now_p)
{
    struct pario_noise now = {.time_ns = pario_clock_ns(),
                              .load = -1,
                              .cpu_ns = -1,
                              .user_ns = -1,
                              .steal_ns = -1,
                              .swapped_in_bytes = -1,
                              .swapped_out_bytes = -1,
                              .throttles = -1,
                              .throttled_ns = -1,
                              .memory_limit_hits = -1,
                              .oom_kills = -1};
    char load[64], *end;

    pario_proctext_line(root, "/proc/loadavg", "", load, sizeof load);
    now.load = strtod(load, &end);
    if (end == load)
        now.load = -1;
    take_cpu_times(root, &now);
    now.own_user_ns = own_user_ns();
    now.cpu_stall_ns = stall_ns(root, "cpu");
    now.io_stall_ns = stall_ns(root, "io");
    now.memory_stall_ns = stall_ns(root, "memory");
    take_swap(root, &now);
    pario_cgroup_walk(root, "cpu", take_throttling, &now);
    pario_cgroup_walk(root, "memory", take_memory_events, &now);
    *now_p = now;
}

void pario_noise_now(struct pario_noise *now_p)
{
    pario_noise_now_from("", now_p);
}

void pario_noise_since(const struct pario_noise *begin,
                       const struct pario_noise *end,
                       struct pario_noise *delta_p)
{
    static const size_t counters[] = {
        offsetof(struct pario_noise, time_ns),
        offsetof(struct pario_noise, cpu_ns),
        offsetof(struct pario_noise, user_ns),
        offsetof(struct pario_noise, steal_ns),
        offsetof(struct pario_noise, own_user_ns),
        offsetof(struct pario_noise, cpu_stall_ns),
        offsetof(struct pario_noise, io_stall_ns),
        offsetof(struct pario_noise, memory_stall_ns),
        offsetof(struct pario_noise, swapped_in_bytes),
        offsetof(struct pario_noise, swapped_out_bytes),
        offsetof(struct pario_noise, throttles),
        offsetof(struct pario_noise, throttled_ns),
        offsetof(struct pario_noise, memory_limit_hits),
        offsetof(struct pario_noise, oom_kills),
    };
    struct pario_noise delta = *end;

    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        int64_t first, last, *to;

        memcpy(&first, (const char *)begin + counters[i], sizeof first);
        memcpy(&last, (const char *)end + counters[i], sizeof last);
        to = (int64_t *)(void *)((char *)&delta + counters[i]);
        *to = first < 0 || last < first ? -1 : last - first;
    }
    *delta_p = delta;
}

PARIO_PRINTF(2, 3)
static void add_finding(struct pario_noise_findings *findings, const char *fmt,
                        ...)
{
    va_list args;

    if (findings->count >= PARIO_NOISE_MAX)
        return;
    va_start(args, fmt);
    vsnprintf(findings->text[findings->count++], PARIO_NOISE_LEN, fmt, args);
    va_end(args);
}

static double share_of(int64_t part, int64_t whole)
{
    return part > 0 && whole > 0 ? (double)part / (double)whole : 0;
}

static void describe_before(const struct pario_noise *begin,
                            const struct pario_noise_share *share,
                            struct pario_noise_findings *findings)
{
    if (share->cores > 0 && share->processes > share->cores)
        add_finding(findings, "%d processes share %d core%s", share->processes,
                    share->cores, share->cores == 1 ? "" : "s");
    if (begin->cpus > 0 && begin->load > LOAD_SHARE * begin->cpus)
        add_finding(findings,
                    "the node was not idle at the beginning (load average "
                    "%.1f on %d core%s)",
                    begin->load, begin->cpus, begin->cpus == 1 ? "" : "s");
}

/* Time in programs is compared, not in the kernel: what the kernel's threads
 * do there may be for us. */
static void describe_cpu(const struct pario_noise *delta,
                         const struct pario_noise_share *share,
                         struct pario_noise_findings *findings)
{
    double others =
        share->own_user_ns < 0
            ? 0
            : share_of(delta->user_ns - share->own_user_ns, delta->time_ns);
    double steal = share_of(delta->steal_ns, delta->cpu_ns);
    double stalled = share_of(delta->cpu_stall_ns, delta->time_ns);

    if (delta->user_ns >= 0 && others > OTHERS_CPUS)
        add_finding(findings, "other programs used at least %.1f of %d core%s",
                    others, delta->cpus, delta->cpus == 1 ? "" : "s");
    if (steal > STEAL_SHARE)
        add_finding(findings,
                    "the hypervisor took %.0f %% of the CPU time (steal)",
                    steal * 100);
    if (stalled > STALL_SHARE)
        add_finding(findings, "a process waited for a core %.0f %% of the time",
                    stalled * 100);
    if (delta->throttles > 0)
        add_finding(
            findings,
            "a CPU quota stopped the processes %" PRId64 " times (%.2f s)",
            delta->throttles,
            delta->throttled_ns > 0 ? (double)delta->throttled_ns * 1e-9 : 0);
}

static void describe_memory(const struct pario_noise *delta,
                            struct pario_noise_findings *findings)
{
    char in[PARIO_UNITS_LEN], out[PARIO_UNITS_LEN];
    double stalled = share_of(delta->memory_stall_ns, delta->time_ns);

    if (delta->swapped_in_bytes > 0 || delta->swapped_out_bytes > 0)
        add_finding(
            findings, "the node swapped: %s in, %s out",
            pario_size_print_short(
                delta->swapped_in_bytes > 0 ? delta->swapped_in_bytes : 0, in),
            pario_size_print_short(
                delta->swapped_out_bytes > 0 ? delta->swapped_out_bytes : 0,
                out));
    if (stalled > STALL_SHARE)
        add_finding(findings, "a process waited for memory %.0f %% of the time",
                    stalled * 100);
    if (delta->memory_limit_hits > 0)
        add_finding(findings,
                    "the memory limit of the control group was reached "
                    "%" PRId64 " time%s",
                    delta->memory_limit_hits,
                    delta->memory_limit_hits == 1 ? "" : "s");
    if (delta->oom_kills > 0)
        add_finding(findings,
                    "the kernel killed %" PRId64
                    " process%s for lack of memory",
                    delta->oom_kills, delta->oom_kills == 1 ? "" : "es");
}

void pario_noise_describe(const struct pario_noise *begin,
                          const struct pario_noise *delta,
                          const struct pario_noise_share *share,
                          struct pario_noise_findings *findings_p)
{
    findings_p->count = 0;
    describe_before(begin, share, findings_p);
    if (delta != NULL) {
        describe_cpu(delta, share, findings_p);
        describe_memory(delta, findings_p);
    }
}

void pario_noise_own_io(struct pario_device_traffic *own_p)
{
    char *io = pario_proctext_read("", "/proc/self/io");

    *own_p = (struct pario_device_traffic){
        .read_bytes = io != NULL ? pario_proctext_value(io, "read_bytes:") : -1,
        .written_bytes =
            io != NULL ? pario_proctext_value(io, "write_bytes:") : -1,
        .read_ios = -1,
        .write_ios = -1,
        .busy_ms = -1,
        .discarded_bytes = -1,
    };
    free(io);
}
