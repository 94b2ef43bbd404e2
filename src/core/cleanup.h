/* core/cleanup.h - what a run creates is removed, however it ends.
 *
 * A small child process (the janitor) is started before anything else. It
 * learns of every file and directory that this process creates and removes
 * what is still registered when this process is gone: after an error, a
 * signal, SIGKILL or the watchdog. On the ordinary path the process removes
 * its files itself and the janitor finds nothing to do.
 */
#ifndef PARIO_CORE_CLEANUP_H
#define PARIO_CORE_CLEANUP_H

#include "core/error.h"

/* Local, call first in main, before MPI_Init. Installs handlers of SIGINT and
 * SIGTERM that wait for the janitor and exit with 130. */
int pario_cleanup_start(void) PARIO_MUST_USE;

/* Local. path is made absolute. A tree is removed with all that is in it: only
 * for directories that this run made itself. */
int pario_cleanup_add_file(const char *path) PARIO_MUST_USE;
int pario_cleanup_add_tree(const char *path) PARIO_MUST_USE;

/* Local. Forget without removing (--keep, or removed by the caller). */
void pario_cleanup_forget(const char *path);

/* Local. Removes now and forgets; a missing file is no error. */
int pario_cleanup_remove(const char *path) PARIO_MUST_USE;

/* Local. Ends the janitor after it has removed the rest: last thing in main
 * or before _exit. Async-signal-safe. */
void pario_cleanup_finish(void);

/* Non-zero once SIGINT or SIGTERM came (for loops that can end in order). */
int pario_cleanup_interrupted(void);

#endif
