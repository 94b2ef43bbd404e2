/* par/launched.c - was this process started by a launcher, and as which rank?
 * By environment only, so that it can be asked before MPI_Init. */
#include "par/group.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* One segment of the store that Open MPI's launcher shares with its processes
 * has 4 MiB; those of the processes themselves have more. */
#define LEAST_FILE_BYTES (16 << 20)

/* hydra and Slurm's pmi2; Open MPI; any PMIx launcher; MVAPICH's, Flux, PALS
 * and ALPS; srun without PMI; and our own where there is no MPI. Each counts
 * where `with`, if named, is set. */
static const struct {
    const char *rank, *with;
} launchers[] = {
    {"PMI_RANK", NULL},
    {"OMPI_COMM_WORLD_RANK", NULL},
    {"PMIX_RANK", NULL},
    {"MV2_COMM_WORLD_RANK", NULL},
    {"FLUX_TASK_RANK", NULL},
    {"PALS_RANKID", NULL},
    {"ALPS_APP_PE", NULL},
    /* sbatch scripts see SLURM_PROCID too; a step has a step id. */
    {"SLURM_PROCID", "SLURM_STEP_ID"},
    {"PARIO_RANK", "PARIO_SHARED_FD"},
};

/* The shell of an allocation may be a step of one task: it is no job. */
static int is_slurm_shell(const char *name)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

    return strcmp(name, "SLURM_PROCID") == 0 && tasks != NULL &&
           strcmp(tasks, "1") == 0;
}

static const char *launched_rank_text(void)
{
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        const char *text = getenv(launchers[i].rank);

        if (text == NULL || is_slurm_shell(launchers[i].rank))
            continue;
        if (launchers[i].with == NULL || getenv(launchers[i].with) != NULL)
            return text;
    }
    return NULL;
}

int pario_par_launched(void)
{
    return launched_rank_text() != NULL;
}

int pario_par_launched_rank(void)
{
    const char *text = launched_rank_text();

    return text != NULL ? (int)strtol(text, NULL, 10) : 0;
}

/* SLURM_NTASKS is the allocation's, and no step's. */
int pario_par_launched_size(void)
{
    static const char *const size_variables[] = {"PMI_SIZE",
                                                 "OMPI_COMM_WORLD_SIZE",
                                                 "MV2_COMM_WORLD_SIZE",
                                                 "SLURM_STEP_NUM_TASKS",
                                                 "FLUX_JOB_SIZE",
                                                 "PALS_SIZE",
                                                 NULL};

    if (!pario_par_launched())
        return 0;
    for (int i = 0; size_variables[i] != NULL; i++) {
        const char *text = getenv(size_variables[i]);
        long size = text != NULL ? strtol(text, NULL, 10) : 0;

        if (size > 0 && size <= INT_MAX)
            return (int)size;
    }
    return 0;
}

int pario_par_check_limits(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= LEAST_FILE_BYTES)
        return 0;
    return pario_fail(-EFBIG,
                      "files may have %llu bytes only (ulimit -f): launchers "
                      "and MPI libraries share memory by larger files and may "
                      "hang without; allow at least %d MiB",
                      (unsigned long long)limit.rlim_cur,
                      LEAST_FILE_BYTES >> 20);
}

int pario_par_check_alone(void)
{
    int size = pario_par_launched_size(), rank = pario_par_launched_rank();

    if (size <= 1 && rank == 0)
        return 0;
    if (strcmp(pario_par_library(), "none") == 0)
        return pario_fail(PARIO_EUSAGE,
                          "a launcher started %d processes, but this pario was "
                          "built without MPI: each would run alone; use `pario "
                          "-n N` or build it with MPI",
                          size > rank ? size : rank + 1);
    return pario_fail(PARIO_EUSAGE,
                      "the launcher started %d processes, and each finds "
                      "itself alone: it belongs to another MPI than %s; use "
                      "the launcher of that (`pario -n N` does), or under "
                      "Slurm the right srun --mpi=TYPE",
                      size > rank ? size : rank + 1, pario_par_library());
}
