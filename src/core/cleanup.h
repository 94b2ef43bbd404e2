/* core/cleanup.h - what a run creates is removed, however it ends, and
 * nothing else.
 *
 * A small child process (the janitor) is started before anything else. It
 * learns of every file and directory that this process creates and removes
 * what is still registered when this process is gone: after an error, a
 * signal, SIGKILL or the watchdog. On the ordinary path the process removes
 * its files itself and the janitor finds nothing to do.
 *
 * A directory is held by its descriptor from its making on, a file is known
 * by device, inode and time of birth: whatever takes their place meanwhile is
 * not touched, and a directory that was renamed is found and removed.
 */
#ifndef PARIO_CORE_CLEANUP_H
#define PARIO_CORE_CLEANUP_H

#include "core/error.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Local, call first in main, before MPI_Init. Installs handlers of SIGINT and
 * SIGTERM that wait for the janitor and exit with 130. */
int pario_cleanup_start(void) PARIO_MUST_USE;

/* Local. path is made absolute; what is there is registered as it is now, in
 * the place of what was registered by that name. A file may be registered
 * before it is made: then any empty file of this user that takes the name,
 * and it must be registered again before anything is written into it. A tree is
 * removed with all that is in it: only for directories that this run made
 * itself. A symbolic link is refused. */
int pario_cleanup_add_file(const char *path) PARIO_MUST_USE;
int pario_cleanup_add_tree(const char *path) PARIO_MUST_USE;

/* Local. Holds a tree for pario_own_open; it will not be removed (--keep). */
int pario_cleanup_hold_tree(const char *path) PARIO_MUST_USE;

/* Local. A new directory PARENT/PREFIX-XXXXXX with the mode that umask leaves,
 * held, and registered unless keep: the very one that was made, or -ESTALE. */
int pario_cleanup_make_tree(const char *parent, const char *prefix, int keep,
                            char *path, size_t len) PARIO_MUST_USE;
/* Local. The same with a name of one's own; it is registered. */
int pario_cleanup_make_folder(const char *path) PARIO_MUST_USE;

/* Local. Forget without removing (--keep, or removed by the caller). */
void pario_cleanup_forget(const char *path);

/* Local. Removes now and forgets what was registered by this name; a file
 * that is gone is no error. What has taken its place stays: -ESTALE. */
int pario_cleanup_remove(const char *path) PARIO_MUST_USE;

/* Local. Device and inode of a registered tree. */
int pario_cleanup_identity(const char *path, uint64_t id_p[2]) PARIO_MUST_USE;

/* Local. As open(2). A path in a tree that is held is opened relative to it
 * and through no symbolic link; any other path as open does it, but nothing
 * that exists is emptied or taken for new: O_TRUNC, and O_CREAT without O_EXCL,
 * are refused there (EPERM). */
int pario_own_open(const char *path, int flags, mode_t mode);

/* Local. As unlink(2) and mkdir(2), in the same way. */
int pario_own_unlink(const char *path);
int pario_own_mkdir(const char *path, mode_t mode);

/* Local. As renameat2(2): a file of the run gets a name of the user's. */
int pario_own_rename(const char *path, const char *to, unsigned flags);

/* Local. As truncate(2), by pario_own_open. */
int pario_own_truncate(const char *path, int64_t bytes);

/* Local. After somebody else opened a path by name: does the name still lead
 * to the file in the held tree, or to the one that was registered? */
int pario_own_check(const char *path) PARIO_MUST_USE;

/* Local. What the janitor says when this process is killed: which rank it
 * was, and on rank 0 the document that gets the reason (NULL elsewhere), and
 * when this run of it began: a later run may have taken the document over. */
void pario_cleanup_about(int rank, const char *document, const char *begun);
/* Local. Why this process ends itself, for the document; "" takes it back.
 * Async-signal-safe. */
void pario_cleanup_reason(const char *text);
/* Local. What SIGINT and SIGTERM print on stderr after what has happened, at
 * most 4 KiB; "": nothing. */
void pario_cleanup_last_words(const char *text);
/* Local. For a launcher that sees this flag: is this process, or its janitor,
 * the one that says so when a process of the job is lost? */
void pario_cleanup_speaks_at(atomic_int *flag);
/* What a launcher of ours sends with SIGTERM (sigqueue(3)) to the processes
 * that are left when one was lost. */
#define PARIO_CLEANUP_LOST 1009
/* Local. The end is in order: nothing was lost. Then pario_cleanup_finish. */
void pario_cleanup_ended(void);

/* Local. Ends the janitor after it has removed the rest: last thing in main
 * or before _exit. Waits for it half a minute at most. Async-signal-safe. */
void pario_cleanup_finish(void);

/* Non-zero once SIGINT or SIGTERM came (for loops that can end in order). */
int pario_cleanup_interrupted(void);

#endif
