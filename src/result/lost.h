/* result/lost.h - what becomes of the document of a run that was killed. */
#ifndef PARIO_RESULT_LOST_H
#define PARIO_RESULT_LOST_H

/* Local, before pario_cleanup_start: the janitor will write the reason into
 * the document, and what the control group says of memory. */
void pario_lost_start(void);

/* Local. What the janitor does then: unless the run came to its end, or
 * another one that began later has the document now. */
void pario_lost_record(const char *path, const char *begun, const char *reason);

#endif
