/* suites/doctor/machine.c - processes, memory, CPUs. */
#include "core/units.h"
#include "measure/placement.h"
#include "suites/doctor/doctor.h"
#include "sys/device.h"
#include "sys/noise.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LITTLE_MEMORY (512LL << 20)
#define WATCH_NS 200000000   /* the device, while we do nothing */
#define BUSY_BYTES_PER_S 1e6 /* more than this is not idle */

int doctor_check_mpi(struct pario_doctor *doctor)
{
    const char *library = pario_par_library();

    if (strcmp(library, "none") == 0)
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "build with MPI to measure with more than one process",
                      "none: built without MPI");
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "", "%s", library);
    return 0;
}

int doctor_check_threads(struct pario_doctor *doctor)
{
    const char *level = pario_par_thread_level();

    if (strcasestr(level, "single") != NULL)
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "use an MPI library with MPI_THREAD_FUNNELED or more",
                      "%s: the watchdog's thread is not provided for", level);
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "", "%s", level);
    return 0;
}

/* The text is "fact: remedy". */
static void report_placement(struct pario_doctor *doctor, const char *text)
{
    const char *remedy = strstr(text, ": ");

    if (remedy != NULL)
        doctor_report(doctor, PARIO_VERDICT_WARNING, remedy + 2, "%.*s",
                      (int)(remedy - text), text);
}

int doctor_check_processes(struct pario_doctor *doctor)
{
    const struct pario_group *world = doctor->world;
    int nodes = pario_group_nodes(world);
    int64_t least_cpus, most, unused, excess;
    int64_t cpus = pario_node_cpus();
    struct pario_placement placement;
    int code = doctor_range(doctor, cpus, &least_cpus, &unused);

    if (code == 0)
        code =
            doctor_range(doctor, pario_group_node_size(world), &unused, &most);
    if (code == 0)
        code = doctor_range(doctor, pario_group_node_size(world) - cpus,
                            &unused, &excess);
    if (code == 0)
        code = pario_placement_look(world, &placement);
    if (code != 0)
        return code;
    doctor_report(doctor, excess > 0 ? PARIO_VERDICT_WARNING : PARIO_VERDICT_OK,
                  excess > 0 ? "start at most as many processes a node as it "
                               "has CPUs, or the times include waiting for one"
                             : "",
                  "%d on %d node%s, at most %lld a node; %lld CPUs a node "
                  "(%s)",
                  pario_group_size(world), nodes, nodes == 1 ? "" : "s",
                  (long long)most, (long long)least_cpus, doctor->node.cpu);
    report_placement(doctor, placement.uneven);
    report_placement(doctor, placement.bound);
    return 0;
}

int doctor_check_memory(struct pario_doctor *doctor)
{
    char total[PARIO_UNITS_LEN], avail[PARIO_UNITS_LEN], text[PARIO_UNITS_LEN];
    int64_t memory, available, limit, unused;
    /* A missing limit is larger than any. */
    int64_t mine = doctor->node.memory_limit_bytes < 0
                       ? INT64_MAX
                       : doctor->node.memory_limit_bytes;
    int code =
        doctor_range(doctor, doctor->node.memory_bytes, &memory, &unused);

    if (code == 0)
        code = doctor_range(doctor, doctor->node.memory_free_bytes, &available,
                            &unused);
    if (code == 0)
        code = doctor_range(doctor, mine, &limit, &unused);
    if (code != 0)
        return code;
    if (memory < 0 || available < 0) {
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "mount /proc; give data sizes explicitly",
                      "not visible on every node");
        return 0;
    }
    doctor_report(
        doctor,
        available < LITTLE_MEMORY ? PARIO_VERDICT_WARNING : PARIO_VERDICT_OK,
        available < LITTLE_MEMORY
            ? "end other programs or ask for a larger limit: buffers may fail"
            : "",
        "%s a node, %s available, %s%s", pario_size_print_short(memory, total),
        pario_size_print_short(available, avail),
        limit == INT64_MAX ? "no cgroup limit" : "cgroup limit ",
        limit == INT64_MAX ? "" : pario_size_print_short(limit, text));
    return 0;
}

int doctor_check_page_cache(struct pario_doctor *doctor)
{
    char now[PARIO_UNITS_LEN], most[PARIO_UNITS_LEN], dirty[PARIO_UNITS_LEN];
    char background[PARIO_UNITS_LEN], data[PARIO_UNITS_LEN];
    int64_t capacity, unused;
    const struct pario_node_facts *node = &doctor->node;
    int code = doctor_range(doctor, pario_node_cache_capacity(node), &unused,
                            &capacity);

    if (code != 0)
        return code;
    if (capacity < 0 || node->page_cache_bytes < 0 ||
        node->dirty_limit_bytes < 0) {
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "mount /proc, or use O_DIRECT and sync every write",
                      "size or dirty limits are not visible");
        return 0;
    }
    doctor_report(
        doctor, PARIO_VERDICT_OK, "",
        "%s now, may grow to %s; write-back from %s dirty, writers wait from "
        "%s; 20 x the cache (b_eff_io's rule) is %s a node",
        pario_size_print_short(node->page_cache_bytes, now),
        pario_size_print_short(capacity, most),
        pario_size_print_short(node->dirty_background_bytes, background),
        pario_size_print_short(node->dirty_limit_bytes, dirty),
        pario_size_print_short(capacity * 20, data));
    return 0;
}

/* Ranks whose governor may slow the CPU down. */
int doctor_check_governor(struct pario_doctor *doctor)
{
    const char *governor = doctor->node.governor;
    int hidden = strcmp(governor, "unknown") == 0;
    int64_t slow[2] = {!hidden && strcmp(governor, "performance") != 0, hidden};
    int code = pario_reduce_i64(doctor->world, PARIO_SUM, slow, 2);

    if (code != 0)
        return code;
    if (slow[0] > 0)
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "cpupower frequency-set -g performance",
                      "not `performance` on the nodes of %lld ranks (rank 0: "
                      "%s): latencies vary with the clock rate",
                      (long long)slow[0], governor);
    else if (slow[1] > 0)
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "not visible (usual in a virtual machine)");
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "", "performance");
    return 0;
}

/* What others move on the device below the directory while we wait. */
static void watch_device(const char *dir, char *text, size_t len)
{
    struct timespec pause = {.tv_nsec = WATCH_NS};
    struct pario_device_set *set = NULL;
    struct pario_device_traffic begin, end, delta;
    double rate;

    text[0] = '\0';
    if (pario_device_find(dir, &set) == 0 &&
        pario_device_read(set, &begin) == 0) {
        nanosleep(&pause, NULL);
        if (pario_device_read(set, &end) == 0) {
            pario_device_since(&begin, &end, &delta);
            rate = (double)(delta.read_bytes + delta.written_bytes) /
                   (WATCH_NS * 1e-9);
            if (delta.read_bytes >= 0 && rate > BUSY_BYTES_PER_S)
                snprintf(text, len, "others move %.0f MB/s on %s", rate * 1e-6,
                         pario_device_names(set));
        }
    }
    pario_device_free(set);
}

int doctor_check_surroundings(struct pario_doctor *doctor)
{
    struct pario_noise_share share = {
        .processes = pario_group_node_size(doctor->world),
        .cores = pario_node_cpus(),
        .own_user_ns = -1,
    };
    struct pario_noise_findings findings = {.count = 0};
    struct pario_noise begin, now, delta;
    char text[1024], device[256];
    size_t used;

    if (pario_group_rank(doctor->world) != 0)
        return 0;
    pario_noise_now(&begin);
    watch_device(doctor->dir, device, sizeof(device));
    pario_noise_now(&now);
    pario_noise_since(&begin, &now, &delta);
    pario_noise_describe(&begin, &delta, &share, &findings);
    used = (size_t)snprintf(text, sizeof(text), "%s", device);
    for (int i = 0; i < findings.count && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                 used > 0 ? "; " : "", findings.text[i]);
    if (text[0] == '\0')
        doctor_report(doctor, PARIO_VERDICT_OK, "", "quiet");
    else
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "wait until the machine is quiet: figures include what "
                      "others do",
                      "%s", text);
    return 0;
}
