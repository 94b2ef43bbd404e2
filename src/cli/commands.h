/* cli/commands.h - the commands beside the suites. */
#ifndef PARIO_CLI_COMMANDS_H
#define PARIO_CLI_COMMANDS_H

#include "core/options.h"
#include "par/group.h"

/* Rows that several commands have. */
#define PARIO_CLI_OUTPUT(at)                                                   \
    PARIO_OPTION("output", STRING, at, "FILE"), .letter = 'o'
#define PARIO_CLI_FORCE(at)                                                    \
    PARIO_FLAG("force", at), .help = "replace FILE where it exists"
#define PARIO_CLI_PRINT(at)                                                    \
    PARIO_FLAG("print", at), .help = "print the command and do not run it"
#define PARIO_CLI_HELP(at)                                                     \
    PARIO_FLAG("help", at), .letter = 'h', .help = "print this text"

/* What starts a command in a job: rank 0 alone, the process group, or each
 * process for itself. */
enum pario_command_kind { PARIO_LOCAL, PARIO_PARALLEL, PARIO_EVERY_PROCESS };

struct pario_command {
    const char *name, *summary;
    enum pario_command_kind kind; /* only parallel ones get a group */
    int (*run)(const struct pario_group *world, int argc, char **argv);
};

extern const struct pario_command pario_commands[]; /* ended by a NULL name */

int pario_cmd_list(const struct pario_group *world, int argc, char **argv);
int pario_cmd_report(const struct pario_group *world, int argc, char **argv);
int pario_cmd_compare(const struct pario_group *world, int argc, char **argv);
/* cmd_history.c; with SQLite only */
int pario_cmd_history(const struct pario_group *world, int argc, char **argv);
/* cmd_rawdata.c */
int pario_cmd_rawdata(const struct pario_group *world, int argc, char **argv);
int pario_cmd_distribution(const struct pario_group *world, int argc,
                           char **argv);
int pario_cmd_allav(const struct pario_group *world, int argc, char **argv);

/* cmd_shipio_run.c; with MPI-IO only */
int pario_cmd_shipio_run(const struct pario_group *world, int argc,
                         char **argv);

/* cmd_advise.c */
int pario_cmd_advise(const struct pario_group *world, int argc, char **argv);
/* Local. `pario advise -- COMMAND`; settings: those of tune, too. */
int pario_advise(char **command, int settings);

/* cmd_trace.c */
int pario_cmd_trace(const struct pario_group *world, int argc, char **argv);
/* cmd_record.c */
int pario_cmd_record(const struct pario_group *world, int argc, char **argv);

/* What those jobs run: not for users, in no list. */
extern const struct pario_command pario_workers[]; /* ended by a NULL name */

/* cmd_launch.c: starts mpirun with this program; returns an exit status. */
int pario_launch(const char *processes, int argc, char **argv);

#endif
