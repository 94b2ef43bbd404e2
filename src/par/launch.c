/* par/launch.c - was this process started by a launcher, and as which rank?
 * By environment only, so that it can be asked before MPI_Init. */
#include "par/group.h"

#include <stdlib.h>

/* hydra and Slurm's pmi2; Open MPI; any PMIx launcher; srun without PMI; and
 * our own where there is no MPI. */
static const char *const rank_variables[] = {
    "PMI_RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
    "SLURM_PROCID", "PARIO_RANK",           NULL,
};

static const char *launched_rank_text(void)
{
    for (int i = 0; rank_variables[i] != NULL; i++) {
        const char *text = getenv(rank_variables[i]);

        /* sbatch scripts see SLURM_PROCID too; a step has a step id. */
        if (text != NULL && i == 3 && getenv("SLURM_STEP_ID") == NULL)
            continue;
        if (text != NULL && i == 4 && getenv("PARIO_SHARED_FD") == NULL)
            continue;
        if (text != NULL)
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
