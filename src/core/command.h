/* core/command.h - the command as the user typed it, for the document. Local.
 */
#ifndef PARIO_CORE_COMMAND_H
#define PARIO_CORE_COMMAND_H

/* What `pario -n N` says to the processes that it starts. */
#define PARIO_STARTED_VARIABLE "PARIO_STARTED"

/* Keeps the words of main, which are borrowed, in their order: reading options
 * moves them. */
void pario_command_keep(int argc, char *const *argv);

/* The kept words, ended by NULL; NULL: none are kept. */
char *const *pario_command_typed(void);

/* The same in a new array, ended by NULL: the program's name without its
 * folder, `-n N` where `pario -n N` started these processes and there are N of
 * them, and the rest as it was typed. NULL: none are kept, or no memory. The
 * caller frees the array, not the words. */
const char **pario_command_words(int processes, int *count_p);

#endif
