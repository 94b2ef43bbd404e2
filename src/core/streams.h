/* core/streams.h - the standard streams at both ends of a process. Local. */
#ifndef PARIO_CORE_STREAMS_H
#define PARIO_CORE_STREAMS_H

/* First in main: a stream that came closed becomes /dev/null. Otherwise the
 * next file that is opened has its number, and messages go into it. */
void pario_streams_start(void);

/* Last in main: everything that was printed has arrived, or the exit status
 * that is returned says so. A reader that went away has seen enough. */
int pario_streams_finish(int status);

#endif
