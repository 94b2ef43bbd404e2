/* suites/doctor/doctor.c - the suite doctor: its checks in their order. */
#include "suites/doctor/doctor.h"
#include "core/cleanup.h"
#include "suites/suite.h"

#include <stdio.h>

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

/* Collective. Nothing is left behind in the directory. */
static int examine(struct pario_doctor *doctor, struct pario_run *run)
{
    int code = 0;

    doctor->node = run->node;
    for (size_t i = 0; code == 0 && i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].needs_dir && doctor->scratch[0] == '\0')
            continue;
        doctor->check = checks[i].name;
        pario_run_phase(run, 0, "doctor: %s", checks[i].name);
        code = checks[i].check(doctor);
    }
    if (code == 0)
        code = pario_agree(doctor->world, doctor->findings.code);
    return code == 0 ? remove_scratch(doctor) : code;
}

static void print_plan(const struct pario_run *run, const char *dir)
{
    if (pario_group_rank(run->world) != 0)
        return;
    printf("doctor: %zu checks, of this machine and of %s:\n",
           sizeof checks / sizeof *checks, dir);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        printf("  %s\n", checks[i].name);
}

/* What the exit status is made of: the first error found. */
static int outcome(const struct pario_doctor *doctor)
{
    const struct pario_findings *findings = &doctor->findings;

    for (size_t i = 0; i < findings->count; i++)
        if (findings->finding[i].verdict == PARIO_VERDICT_ERROR)
            return pario_fail(PARIO_EUNAVAIL, "doctor: %zu error%s found: %s",
                              findings->errors,
                              findings->errors == 1 ? "" : "s",
                              findings->finding[i].fact);
    return 0;
}

/* Rank 0. */
static int present(const struct pario_doctor *doctor, struct pario_run *run)
{
    int json = ((const struct doctor_options *)run->options)->json;
    int code = doctor_record(doctor, run->result);

    pario_progress_finish(&run->progress);
    if (code == 0 && json)
        code = pario_doctor_print_json(stdout, doctor);
    else if (code == 0 && !run->common.quiet)
        code = pario_doctor_print_text(stdout, doctor, run->common.verbose);
    return code == 0 ? outcome(doctor) : code;
}

static int run_doctor(struct pario_run *run)
{
    const char *dir = run->noperands == 1 ? run->operands[0] : ".";
    struct pario_doctor doctor = {.world = run->world, .dir = dir};
    int code;

    if (run->common.dry_run) {
        print_plan(run, dir);
        return 0;
    }
    code = examine(&doctor, run);
    if (code == 0 && pario_group_rank(run->world) == 0)
        code = present(&doctor, run);
    pario_doctor_fini(&doctor);
    return code;
}

static const struct pario_option options[] = {
    {PARIO_FLAG("json", offsetof(struct doctor_options, json)),
     .help = "print one JSON object (pario-doctor/1)"},
    {.name = NULL},
};

static const struct doctor_options defaults = {.json = 0};

static const char *const without[] = {"samples", "verify", "cold",
                                      "keep",    "seed",   NULL};

extern const struct pario_suite pario_suite_doctor;
const struct pario_suite pario_suite_doctor = {
    .name = "doctor",
    .operands = "[DIR]",
    .summary = "look at the machine and a directory before trusting a number",
    .help =
        "Looks at the machine and at DIR (default: the current directory) "
        "as a careful administrator would before trusting a number, and names "
        "what is not in order with its remedy; --verbose lists all facts. "
        "Exit status 0: no errors found, 1: errors, 2: usage. A document is "
        "written only "
        "where --output asks for one.",
    .options = options,
    .options_size = sizeof(struct doctor_options),
    .defaults = &defaults,
    .no_resume = "it looks at the system as it is now",
    .without = without,
    .on_request = 1,
    .prints = 1,
    .run = run_doctor,
};
