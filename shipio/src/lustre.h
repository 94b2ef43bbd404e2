/* lustre.h - what a Lustre file needs beside prefetching (drv_lustre.c):
 * stripes chosen at its creation, and one lock for all tasks.
 *
 * liblustreapi.so is looked up at run time; without it all calls fail.
 */
#ifndef SHIPIO_LUSTRE_H
#define SHIPIO_LUSTRE_H

#include <mpi.h>
#include <stdint.h>

/* f_type of statfs. */
#define SHIPIO_LUSTRE_MAGIC 0x0bd00bd0

/* Local. Looks a function up; NULL at function_p when there is none. The
 * library stays loaded. */
void shipio_lustre_find(const char *name, void *function_p);
/* How a file lies on Lustre; 0: not known. */
struct shipio_lustre_layout {
    int64_t stripe; /* its length */
    int targets;    /* that the stripes lie on, in turns */
};
/* Local. By the file's attribute. */
struct shipio_lustre_layout shipio_lustre_layout_of(int fd);

/* Local. Creates path with the stripes that info names (striping_factor,
 * striping_unit, start_iodevice), which hold only for a new file. Its
 * descriptor; or -errno: -ENOSYS when info names none, path is on another file
 * system, or there is no library. */
int shipio_lustre_create(const char *path, int flags, MPI_Info info);

/* Local. Waits for holders of other locks. 0 or -errno: -ENOSYS as above. */
int shipio_lustre_lock(int fd, int group) __attribute__((warn_unused_result));
void shipio_lustre_unlock(int fd, int group);

#endif
