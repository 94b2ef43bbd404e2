/* cli/jobs.c - parsing for the commands that start jobs themselves. */
#include "cli/jobs.h"

#include "core/cleanup.h"
#include "launch/library.h"
#include "par/group.h"

#include <errno.h>
#include <stdlib.h>

const char *const pario_jobs_mpiio_names[] = {"auto", "native", "shipio", NULL};

static int choose_library(struct pario_jobs *jobs)
{
    char path[PATH_MAX];
    int code = 0;

    jobs->native = *jobs->mpiio != PARIO_JOBS_SHIPIO;
    jobs->shipio = *jobs->mpiio != PARIO_JOBS_NATIVE;
    if (jobs->shipio)
        code = pario_library_shipio(path, sizeof(path));
    if (code != 0 && *jobs->mpiio == PARIO_JOBS_AUTO) {
        jobs->shipio = 0;
        code = 0;
    }
    return code;
}

int pario_jobs_parse(struct pario_jobs *jobs, int argc, char **argv)
{
    const struct pario_option_set sets[] = {{jobs->table, jobs->values},
                                            {NULL, NULL}};
    const char *processes = getenv("PARIO_PROCESSES");
    int noperands = 0, code = 0;

    if (processes != NULL)
        code = pario_option_set_value(&jobs->table[0], jobs->values, processes,
                                      "-n");
    if (code == 0)
        code = pario_options_parse(sets, argc, argv, &noperands);
    if (code != 0 || *jobs->help)
        return code;
    if (pario_par_launched())
        return pario_fail(PARIO_EUSAGE,
                          "%s starts its jobs itself: start it as pario -n N "
                          "%s, without mpirun or srun",
                          jobs->command, jobs->command);
    if (noperands > 1)
        return pario_fail(PARIO_EUSAGE, "%s takes one directory, not %d",
                          jobs->command, noperands);
    code = choose_library(jobs);
    if (code == 0 &&
        realpath(noperands == 1 ? argv[1] : ".", jobs->directory) == NULL)
        code = pario_fail_errno(-errno, "cannot use %s",
                                noperands == 1 ? argv[1] : ".");
    return code == 0 ? pario_cleanup_start() : code;
}
