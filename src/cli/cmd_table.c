/* cli/cmd_table.c - the commands beside the suites, as a table. */
#include "cli/commands.h"
#include "pario_config.h"
#include "suites/honesty/honesty.h"
#include "suites/tune/tune.h"

#include <stddef.h>

const struct pario_command pario_commands[] = {
    {"doctor", "look at the machine and a directory before trusting a number",
     1, pario_cmd_doctor},
    {"report", "results and timings as tables, plots or one HTML page", 0,
     pario_cmd_report},
    {"compare", "compare results measure by measure, as a gate too", 0,
     pario_cmd_compare},
    {"rawdata", "draw the time of each call of a timings file", 0,
     pario_cmd_rawdata},
    {"distribution", "draw how the times of the calls are distributed", 0,
     pario_cmd_distribution},
    {"allav", "draw the rate over file size and block size", 0,
     pario_cmd_allav},
#if PARIO_HAVE_MPIIO
    {"honesty", "can the MPI-IO library be believed when storage fails?", 0,
     pario_cmd_honesty},
    {"tune", "find the hints that make a pattern fast", 0, pario_cmd_tune},
#endif
    {"list", "suites, tests, I/O interfaces, what is compiled in", 0,
     pario_cmd_list},
    {NULL, NULL, 0, NULL},
};

const struct pario_command pario_workers[] = {
#if PARIO_HAVE_MPIIO
    {"honesty-case", NULL, 1, honesty_worker},
    {"tune-race", NULL, 1, tune_worker},
#endif
    {NULL, NULL, 0, NULL},
};
