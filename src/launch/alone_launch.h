/* launch/alone_launch.h - without MPI: `pario -n N` starts N copies of the
 * program that share one piece of memory (par/alone_shared.h); a program
 * started without it is a group of one. */
#ifndef PARIO_LAUNCH_ALONE_LAUNCH_H
#define PARIO_LAUNCH_ALONE_LAUNCH_H

#define PARIO_ALONE_MAX_PROCESSES 1024

/* Local. Starts argv[0] `processes` times and waits for all; when one fails
 * the others are ended. Returns the exit status. */
int pario_alone_launch(int processes, char **argv);

#endif
