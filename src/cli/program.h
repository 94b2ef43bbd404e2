/* cli/program.h - what the commands that start programs of others share. */
#ifndef PARIO_CLI_PROGRAM_H
#define PARIO_CLI_PROGRAM_H

#include "launch/job.h"
#include "launch/preload.h"

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
