/* file.h - one open file as shipio sees it. */
#ifndef SHIPIO_FILE_H
#define SHIPIO_FILE_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hints.h"
#include "late.h"
#include "map.h"
#include "seg.h"
#include "shm.h"
#include "stats.h"
#include "storage.h"
#include "team.h"
#include "type.h"

/* The file as a sequence of data bytes: MPI_File_set_view. */
struct shipio_view {
    uint64_t serial; /* no other view of this process has it */
    MPI_Offset disp;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    bool internal;   /* as the program named the native representation */
    bool owns_etype; /* a duplicate, not predefined */
    bool owns_filetype;
    int64_t etype_size;
    struct shipio_type type; /* of filetype */
    struct shipio_tiling tiling;
    bool scattered; /* agreed: small pieces on some rank */
};

/* A split collective call between its begin and its end. */
struct shipio_split {
    bool active;
    bool write;
    struct shipio_job *job;
};

struct shipio_job;      /* job.h */
struct shipio_jobs;     /* job.c */
struct shipio_behind;   /* behind.c */
struct shipio_agents;   /* threads for noncollective shipping: agents.h */
struct shipio_window;   /* stripe buffers: window.h */
struct shipio_prefetch; /* prefetch.h */
struct shipio_net;      /* ship_net.c */
struct shipio_hub;      /* hub.h */
struct shipio_means;    /* means.h */

/* How stripes are exchanged between ranks and agents. */
struct shipio_shipping {
    int *agent_ranks; /* rank of each agent */
    int nagents;
    uint64_t spans;    /* times the spans of requests were exchanged */
    uint64_t sequence; /* stripes exchanged so far */
    struct shipio_extent written; /* by collective calls; the same on all */
    bool remap; /* agreed: what is written again goes to a mapping */
    bool window_failed;
    struct shipio_window *window;
    struct shipio_net *net;
    struct shipio_hub *hub; /* its own, with several threads */
    struct shipio_agents *agents;
    const char *agents_missing; /* why asked for but not there */
    MPI_Request last;           /* at the end of MPI: all ranks have come */
};

/* What the program, and the MPI library, know the file by. Of native.c. */
struct shipio_handle {
    MPI_File fh;        /* the program's: the library's own, or a token */
    MPI_File native;    /* the library's; MPI_FILE_NULL: none yet */
    MPI_File alone;     /* the library's, of this rank alone, or none */
    MPI_Info info;      /* with a token: what the program opened it with */
    char *path;         /* with a token: from the root */
    bool foreign;       /* all accesses pass to the MPI library */
    const char *reason; /* why */
    struct shipio_file *next;
};

/* The shared pointer. Of pointer.c and the means. */
struct shipio_pointer {
    struct shipio_cell *cell; /* of several nodes */
    bool foreign;             /* none: the MPI library keeps the pointer */
    uint64_t ordered;         /* ordered calls begun */
};

/* What an access of a rank alone works with, one thread at a time. Of direct.c,
 * mapped.c and sieve.c. */
struct shipio_alone {
    pthread_mutex_t lock; /* in atomic mode held over the bytes' lock, too */
    struct shipio_map map;
    char *bounce; /* memory is packed there */
    char *window; /* of the file, for sieving */
};

/* So many accesses of a process have their bytes locked at a time. */
#define SHIPIO_HELD_MAX 8

/* Bytes that threads of this process have locked. Of rawio.c. */
struct shipio_ranges {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct shipio_extent held[SHIPIO_HELD_MAX]; /* empty: none */
};

/* Parts are changed by their owners: the source of the same name, where none is
 * named above. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): by meaning */
struct shipio_file {
    struct shipio_handle handle;

    struct shipio_team *team;         /* the ranks */
    MPI_Comm comm;                    /* the team's, or this file's own */
    const struct shipio_means *means; /* by shared memory or messages */
    struct shipio_shm *shm; /* all ranks are on one node; NULL: messages */

    int fd;
    int amode;
    char *path;
    struct shipio_storage storage;
    struct shipio_hints hints;
    struct shipio_stats stats;

    struct shipio_view *view;
    _Atomic int64_t pos; /* individual pointer, data bytes of the view */
    bool atomic_mode;
    struct shipio_pointer pointer;
    struct shipio_split split;
    struct shipio_jobs *_Atomic jobs; /* nonblocking; NULL: none yet */

    struct shipio_alone alone;
    struct shipio_ranges ranges;
    struct shipio_prefetch *prefetch; /* NULL: none */
    struct shipio_behind *behind;     /* writes that wait; NULL: none do */
    struct shipio_shipping ship;
    struct shipio_late late;
};

/* Local. The communicator is not the team's. */
static inline bool shipio_file_owns_comm(const struct shipio_file *file)
{
    return file->team != NULL && file->comm != file->team->comm;
}

/* Local. The file behind a handle, or NULL when it passes through. */
struct shipio_file *shipio_file_find(MPI_File fh);
/* Local. The same for calls that use the shared pointer. */
struct shipio_file *shipio_file_find_pointer(MPI_File fh);
/* Local. The same, also when it passes through since a set_view. */
struct shipio_file *shipio_file_find_any(MPI_File fh);

/* Local. A file that nobody has open yet; path is copied, the team becomes the
 * file's. NULL without memory. */
struct shipio_file *shipio_file_new(struct shipio_team *team, const char *path,
                                    int amode);
/* Collective when it is the team's last file. NULL is allowed. */
void shipio_file_free(struct shipio_file *file);
/* Collective. Begins to look after a file that all ranks have opened, and the
 * MPI library as native, or not yet; fh is the program's handle. */
void shipio_file_adopt(struct shipio_file *file, MPI_File fh, MPI_File native);
/* Collective. Ends that; returns the agreed error of closing, 0 or -errno. */
int shipio_file_release(struct shipio_file *file);
/* Collective. Frees a file that was released, when the MPI library has closed
 * its own, too. */
void shipio_file_forget(struct shipio_file *file);

/* Collective. Sets a view in the native representation. -ENOSYS, on all ranks:
 * only the MPI library knows such types. */
int shipio_file_set_view(struct shipio_file *file, MPI_Offset disp,
                         MPI_Datatype etype, MPI_Datatype filetype,
                         MPI_Info info) __attribute__((warn_unused_result));
/* Collective. Takes hints that a switchable file may change, from rank 0. */
void shipio_file_switch(struct shipio_file *file, MPI_Info info);
/* Local. The position, in data bytes, that a seek leads to from from. */
int shipio_file_target(struct shipio_file *file, int64_t from,
                       MPI_Offset offset, int whence, int64_t *pos_p)
    __attribute__((warn_unused_result));
/* Local. From now on all accesses pass through. */
void shipio_file_disown(struct shipio_file *file);

/* Local. MPI is about to end: no thread of any open file may call it later. */
void shipio_file_end_all(void);

/* Collective: one error for all, or 0. */
int shipio_file_agree(struct shipio_file *file, int error);
/* Collective. */
void shipio_file_barrier(struct shipio_file *file);

#endif
