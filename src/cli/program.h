/* cli/program.h - what the commands that start programs of others share. */
#ifndef PARIO_CLI_PROGRAM_H
#define PARIO_CLI_PROGRAM_H

#include "core/options.h"
#include "launch/job.h"
#include "launch/launcher.h"
#include "launch/preload.h"

/* The options of a command that starts a program. */
struct pario_program_line {
    const struct pario_option *table;
    void *values;
    int (*each)(void *values); /* after each option: some come again; NULL */
    const char *bare;          /* --NAME, without a value, is --NAME=1; NULL */
};

/* Local. Takes the options before the program, which begins at *first_p; "--"
 * ends them. */
int pario_program_options(const struct pario_program_line *line, char **argv,
                          int *first_p) PARIO_MUST_USE;

/* Local. The command; with -n the launcher comes before it, in words. */
int pario_program_words(struct pario_words *words, char **command,
                        char ***command_p) PARIO_MUST_USE;

/* Local. Sets a variable to a path that a process in another folder finds
 * too. Returns as setenv. */
int pario_program_set_file(const char *variable, const char *path);

/* Local. The command as a shell would take it, with the variables that are
 * passed on. */
void pario_program_print(const struct pario_preload *preload);

/* Local. Becomes the command; ends with 127 when it was not found, 126 when it
 * could not be started. */
void pario_program_exec(const struct pario_preload *preload)
    __attribute__((noreturn));

/* Local. Runs the command as a child. Its exit status, 128 and the signal's
 * number when one ended it; signals that ask to end go to it. */
int pario_program_wait(const struct pario_preload *preload);

#endif
