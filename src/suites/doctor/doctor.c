/* suites/doctor/doctor.c - the checks in their order. */
#include "suites/doctor/doctor.h"
#include "core/cleanup.h"
#include "par/watchdog.h"

/* A check that takes longer than this hangs. */
#define CHECK_DEADLINE_S 60
#define AGREE_GRACE_S 30

static const struct {
    const char *name;
    doctor_check *check;
    int needs_dir; /* left out when the directory cannot be used */
} checks[] = {
    {"MPI library", doctor_check_mpi, 0},
    {"thread level", doctor_check_threads, 0},
    {"processes", doctor_check_processes, 0},
    {"memory", doctor_check_memory, 0},
    {"page cache", doctor_check_page_cache, 0},
    {"CPU governor", doctor_check_governor, 0},
    {"surroundings", doctor_check_surroundings, 0},
    {"clock", doctor_check_clock, 0},
    {"clock skew", doctor_check_skew, 0},
    {"io_uring", doctor_check_uring, 0},
    {"optional parts", doctor_check_parts, 0},
    {"directory", doctor_check_directory, 0},
    {"file system", doctor_check_file_system, 1},
    {"free space", doctor_check_space, 1},
    {"inodes", doctor_check_inodes, 1},
    {"block size", doctor_check_blocks, 1},
    {"stripes", doctor_check_stripes, 1},
    {"O_DIRECT", doctor_check_direct, 1},
    {"fallocate", doctor_check_fallocate, 1},
    {"file locks", doctor_check_locks, 1},
    {"shared directory", doctor_check_sharing, 1},
    {"MPI-IO hints", doctor_check_hints, 1},
};

int doctor_range(const struct pario_doctor *doctor, int64_t value,
                 int64_t *min_p, int64_t *max_p)
{
    int64_t pair[2] = {value, -value};
    int code = pario_reduce_i64(doctor->world, PARIO_MIN, pair, 2);

    if (code != 0)
        return code;
    *min_p = pair[0];
    *max_p = -pair[1];
    return 0;
}

/* Rank 0 made it, rank 0 removes it; all learn how that went. */
static int remove_scratch(struct pario_doctor *doctor)
{
    int code = 0;

    if (pario_group_rank(doctor->world) == 0 && doctor->scratch[0] != '\0')
        code = pario_cleanup_remove(doctor->scratch);
    return pario_agree(doctor->world, code);
}

int pario_doctor_run(struct pario_doctor *doctor,
                     const struct pario_group *world, const char *dir)
{
    int code;

    *doctor = (struct pario_doctor){.world = world, .dir = dir};
    code = pario_agree(world, pario_watchdog_start(world));
    if (code != 0)
        return code;
    code = pario_agree(world, pario_node_facts_get(&doctor->node));
    for (size_t i = 0; code == 0 && i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].needs_dir && doctor->scratch[0] == '\0')
            continue;
        doctor->check = checks[i].name;
        pario_watchdog_phase(CHECK_DEADLINE_S, AGREE_GRACE_S, "doctor: %s",
                             checks[i].name);
        code = checks[i].check(doctor);
    }
    if (code == 0)
        code = pario_agree(world, doctor->findings.code);
    if (code == 0)
        code = remove_scratch(doctor);
    pario_watchdog_phase(0, AGREE_GRACE_S, "doctor: done");
    pario_watchdog_stop();
    return code;
}
