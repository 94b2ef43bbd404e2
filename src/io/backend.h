/* io/backend.h - the contract between the suites and an I/O interface.
 *
 * One const table per back-end; state lives in struct pario_file, never in
 * the table. Each call returns 0 or a negative error and sets outputs only on
 * success. The calls of the timed loop (io, start, wait) return bare codes
 * without a message: the caller knows what it was doing.
 */
#ifndef PARIO_IO_BACKEND_H
#define PARIO_IO_BACKEND_H

#include "core/error.h"
#include "io/hints.h"
#include "par/group.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_BACKEND_ABI 3

struct pario_file; /* one open file; each back-end defines its own */

enum pario_direction { PARIO_WRITE, PARIO_READ };

/* The forms of one blocking access (MPI-2, chapter 9; the seeds' "access
 * methods"). A back-end leaves out what it does not have. */
enum pario_form {
    PARIO_FORM_AT,          /* explicit offset, noncollective */
    PARIO_FORM_POINTER,     /* individual pointer, noncollective */
    PARIO_FORM_SHARED,      /* shared pointer, noncollective */
    PARIO_FORM_AT_ALL,      /* explicit offset, collective */
    PARIO_FORM_POINTER_ALL, /* individual pointer, collective */
    PARIO_FORM_ORDERED,     /* shared pointer, collective */
    PARIO_FORMS
};

enum pario_open_flags {
    PARIO_OPEN_READ = 1,
    PARIO_OPEN_WRITE = 2,
    PARIO_OPEN_CREATE = 4, /* must not exist yet: nothing is overwritten */
    PARIO_OPEN_DIRECT = 8, /* O_DIRECT: sizes and offsets must be aligned */
    PARIO_OPEN_DSYNC = 16,
    /* The process does nothing beside its requests: they may move on only
     * while it is in start, wait or next, which costs less. */
    PARIO_OPEN_POLLED = 32,
};

/* What is opened and by whom. */
struct pario_target {
    const char *path;
    const struct pario_group *group; /* all open it together; NULL: alone */
    const struct pario_hints *hints; /* requested; NULL: none */
    int flags;                       /* enum pario_open_flags */
    int queue_depth;                 /* most requests under way; 0: 1 */
};

/* A nonblocking access under way; storage is the caller's. */
struct pario_request {
    uint64_t handle[4]; /* the back-end's own */
    int done, result;
    size_t len;
};

/* Moves all of len or fails: there is no partial success; a read at or past
 * the end of the file gives PARIO_ESHORT. For pointer forms offset is not
 * used. Collective forms: all of target->group call. */
typedef int pario_io_fn(struct pario_file *file, void *buf, size_t len,
                        int64_t offset);

struct pario_backend {
    int abi;             /* PARIO_BACKEND_ABI */
    const char *name;    /* as the user types it: "posix" */
    const char *summary; /* one line for `pario list` */
    int open_flags;      /* those it understands */
    /* Collective over target->group. The caller owns *file_p. */
    int (*open)(const struct pario_target *target, struct pario_file **file_p);
    /* Collective. Frees file even when it reports an error. */
    int (*close)(struct pario_file *file);
    /* Indexed by direction and form; NULL where not there. */
    pario_io_fn *io[2][PARIO_FORMS];
    /* Collective: all data is durable, or an error. */
    int (*sync)(struct pario_file *file);
    /* Local: what this process wrote is durable, or an error. NULL: only all
     * together can. */
    int (*sync_mine)(struct pario_file *file);
    /* Local. */
    int (*size)(struct pario_file *file, int64_t *bytes_p);
    /* Collective. */
    int (*set_size)(struct pario_file *file, int64_t bytes);
    int (*preallocate)(struct pario_file *file, int64_t bytes);
    /* Local: moves the individual pointer. */
    int (*seek)(struct pario_file *file, int64_t offset);
    /* Collective: sets the shared pointer. */
    int (*seek_shared)(struct pario_file *file, int64_t offset);
    /* Collective: this process sees blocks of blocklen bytes every stride
     * bytes from displacement on; blocklen 0 restores the plain view. */
    int (*set_view)(struct pario_file *file, int64_t displacement,
                    int64_t blocklen, int64_t stride);
    /* Local. At most queue_depth requests are under way. wait waits for this
     * request and gives its result, as io does. NULL where there is none. */
    int (*start)(struct pario_file *file, enum pario_direction direction,
                 void *buf, size_t len, int64_t offset,
                 struct pario_request *request);
    int (*wait)(struct pario_file *file, struct pario_request *request);
    /* Local. As start, at the individual pointer. */
    int (*start_pointer)(struct pario_file *file,
                         enum pario_direction direction, void *buf, size_t len,
                         struct pario_request *request);
    /* Local. One of the requests under way that is done: done and result are
     * set. Without one it waits, or (wait 0) sets NULL. */
    int (*next)(struct pario_file *file, int wait,
                struct pario_request **request_p);
    /* Local. Does this system allow it? A negative error and a message where
     * it does not; NULL: there is nothing to forbid. */
    int (*probe)(void);
    /* Local. Adds the hints in force; NULL where hints do not exist. */
    int (*hints_in_force)(struct pario_file *file, struct pario_hints *hints);
};

extern const struct pario_backend pario_backend_posix, pario_backend_uring,
    pario_backend_mpiio;
/* The MPI library's own MPI-IO also where shipio is loaded, collective with
 * explicit offsets only; in no list. */
extern const struct pario_backend pario_backend_mpiio_native;

/* All back-ends compiled in, NULL at the end. */
extern const struct pario_backend *const pario_backends[];
/* Of all of them, also those that are not compiled in; NULL at the end. */
extern const char *const pario_interface_names[];
/* POSIX AIO, for what goes on beside a computation: start and wait alone. In
 * no list: for anything else it is posix, and a thread that costs time. */
extern const struct pario_backend pario_backend_aio;

/* Local. PARIO_EUSAGE with the nearest name, PARIO_EUNAVAIL if known but not
 * compiled in. */
int pario_backend_find(const char *name,
                       const struct pario_backend **backend_p) PARIO_MUST_USE;

/* Collective. Is the back-end allowed on every node? io_uring may be forbidden
 * by seccomp, sysctl or a container. *allowed_p 0: the message says why. */
int pario_backend_allowed(const struct pario_backend *backend,
                          const struct pario_group *group,
                          int *allowed_p) PARIO_MUST_USE;

/* Local. Says before a run what would fail in the middle of it: flags that
 * the back-end does not have; O_DIRECT with sizes that are no multiple of the
 * alignment the directory's file system asks for. */
int pario_backend_check(const struct pario_backend *backend, const char *dir,
                        int flags, int64_t request_bytes) PARIO_MUST_USE;

/* Local. The message of a call that failed, in the words of all suites:
 * "cannot read FILE at offset 4096 (posix): ..."; returns code. how: interface
 * or access method. */
int pario_io_fail(int code, enum pario_direction direction, const char *path,
                  int64_t offset, const char *how);

/* Local. A library that reports success for lost data is caught here: the file
 * must reach to end. */
int pario_io_check_size(int fd, const char *path, int64_t end,
                        const char *how) PARIO_MUST_USE;

/* Local. Memory for buffers, aligned for O_DIRECT, touched. Free with free. */
int pario_buffer_alloc(size_t len, void **buf_p) PARIO_MUST_USE;

#endif
