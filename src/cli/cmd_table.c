/* cli/cmd_table.c - the commands beside the suites, as a table. */
#include "cli/commands.h"
#include "pario_config.h"
#include "suites/honesty/honesty.h"
#include "suites/tune/tune.h"

#include <stddef.h>

const struct pario_command pario_commands[] = {
    {"report", "results and timings as tables, plots or one HTML page",
     PARIO_LOCAL, pario_cmd_report},
    {"compare", "is the new one faster? runs of two sides, as a gate too",
     PARIO_LOCAL, pario_cmd_compare},
#if PARIO_HAVE_SQLITE
    {"history", "results over time: levels, noise, and what changed",
     PARIO_LOCAL, pario_cmd_history},
#endif
    {"rawdata", "draw the time of each call of a timings file", PARIO_LOCAL,
     pario_cmd_rawdata},
    {"distribution", "draw how the times of the calls are distributed",
     PARIO_LOCAL, pario_cmd_distribution},
    {"allav", "draw the rate over file size and block size", PARIO_LOCAL,
     pario_cmd_allav},
#if PARIO_HAVE_MPIIO
    {"advise", "what would make a program's MPI-IO faster", PARIO_LOCAL,
     pario_cmd_advise},
    {"shipio-run", "run an MPI program with shipio as its MPI-IO",
     PARIO_EVERY_PROCESS, pario_cmd_shipio_run},
#endif
    {"record", "run a program and record its I/O", PARIO_EVERY_PROCESS,
     pario_cmd_record},
    {"trace", "what a recorded program did with files", PARIO_LOCAL,
     pario_cmd_trace},
    {"list", "suites, tests, I/O interfaces, what is compiled in", PARIO_LOCAL,
     pario_cmd_list},
    {NULL, NULL, PARIO_LOCAL, NULL},
};

const struct pario_command pario_workers[] = {
#if PARIO_HAVE_MPIIO
    {"honesty-case", NULL, PARIO_PARALLEL, honesty_worker},
    {"tune-race", NULL, PARIO_PARALLEL, tune_worker},
#endif
    {NULL, NULL, PARIO_LOCAL, NULL},
};
