/* behind.h - write-behind: independent writes of all ranks of a node are
 * gathered in stripes in shared memory and written later, in large requests.
 *
 * A stripe is written when it is full, at sync and close, before an access that
 * meets it another way (so writes of one rank keep their order), when its place
 * is needed, and when it is a second old: every rank has a thread for that, so
 * what a rank leaves that is killed is written by the others. No messages, and
 * no MPI in the thread.
 *
 * Each stripe has the place that its number gives, under a robust lock: who
 * finds that its owner was killed counts the marked bytes again, which are
 * marked only when they are there. An error is counted in shared memory, and
 * each rank reports it once. Sync and close wait for all ranks first, because
 * the stripes are fuller then.
 */
#ifndef SHIPIO_BEHIND_H
#define SHIPIO_BEHIND_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

/* Collective. Where asked for and possible, file->behind is made, or on no
 * rank. */
void shipio_behind_open(struct shipio_file *file);
/* Collective. Writes all that is there when all ranks have come, for then the
 * stripes have as few gaps as they will ever have. An error is this rank's to
 * report (late.h). */
void shipio_behind_flush_all(struct shipio_file *file);
/* Local. Writes what is there, and ends: this rank delays nothing more. */
void shipio_behind_close(struct shipio_file *file);

/* All local; they do nothing without write-behind. */

/* True when req is to be delayed. */
bool shipio_behind_suits(const struct shipio_file *file,
                         const struct shipio_request *req);
/* Copies req; its bytes are written later. */
int shipio_behind_write(struct shipio_file *file,
                        const struct shipio_request *req, int64_t *done_p)
    __attribute__((warn_unused_result));
/* Writes the stripes that an access meets, before it goes another way. */
void shipio_behind_settle(struct shipio_file *file,
                          const struct shipio_request *req);
/* Writes all that is there. */
void shipio_behind_flush(struct shipio_file *file);
/* The error of a delayed write, by whichever rank, that this one has not
 * reported yet; or 0. */
int shipio_behind_take(struct shipio_file *file);

#endif
