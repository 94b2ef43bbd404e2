/* par/alone.h - without MPI: the processes of one machine as a group.
 *
 * `pario -n N` starts N copies of the program that share one piece of memory;
 * a program started without it is a group of one.
 */
#ifndef PARIO_PAR_ALONE_H
#define PARIO_PAR_ALONE_H

#include "core/error.h"

#define PARIO_ALONE_MAX_PROCESSES 1024 /* processes */

/* Local. Starts argv[0] `processes` times and waits for all; when one fails
 * the others are ended. Returns the exit status. */
int pario_alone_launch(int processes, char **argv);

#endif
