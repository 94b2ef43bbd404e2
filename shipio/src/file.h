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

/* File bytes [low, high). */
struct shipio_extent {
    int64_t low;
    int64_t high;
};

/* So many accesses of a process have their bytes locked at a time. */
#define SHIPIO_HELD_MAX 8

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

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): by meaning */
struct shipio_file {
    MPI_File fh;  /* the MPI library's own handle, opened beside */
    bool foreign; /* all accesses pass to the MPI library */
    const char *foreign_reason;
    struct shipio_file *next;

    struct shipio_team *team;
    MPI_Comm comm; /* the team's, or this file's own */
    bool owns_comm;
    const struct shipio_means *means; /* by shared memory or messages */
    struct shipio_shm *shm;   /* all ranks are on one node; NULL: messages */
    struct shipio_cell *cell; /* shared pointer of several nodes */
    bool pointer_foreign;     /* none: the MPI library keeps the pointer */

    int fd;
    int amode;
    char *path;
    bool local_fs;   /* here: a file system that keeps its own cache */
    bool network_fs; /* agreed: not local on some rank */
    bool nfs;        /* here */
    bool tmpfs;
    bool striped;      /* here: its stripes lie on targets of their own */
    bool in_place;     /* here: rewriting needs no new blocks */
    int64_t block;     /* preferred block size of the file system */
    int64_t fs_stripe; /* its stripe, or block again */

    struct shipio_view *view;
    _Atomic int64_t pos; /* individual pointer, data bytes of the view */
    bool atomic_mode;
    int64_t size_at_open;
    struct shipio_extent allocated; /* has its blocks */
    struct shipio_split split;
    struct shipio_jobs *_Atomic jobs; /* nonblocking; NULL: none yet */
    struct shipio_hints hints;
    struct shipio_stats stats;

    struct shipio_storage storage;
    struct shipio_shipping ship;
    struct shipio_late late;
    struct shipio_behind *behind; /* writes that wait; NULL: none do */
    uint64_t ordered_calls;       /* ordered calls begun */
    struct shipio_map map;
    char *bounce;               /* packing buffer of direct accesses */
    char *sieve;                /* a window of the file */
    pthread_mutex_t lock;       /* map, bounce, ranges in atomic mode */
    pthread_mutex_t range_lock; /* of the next two */
    pthread_cond_t range_free;
    struct shipio_extent held[SHIPIO_HELD_MAX]; /* locked by threads of this
                                                   process; empty: none */
    struct shipio_prefetch *prefetch;
    const char *prefetch_name; /* driver in force, NULL: none */
};

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
/* Collective. Begins to look after a file that all ranks, and the MPI library,
 * have opened. */
void shipio_file_adopt(struct shipio_file *file, MPI_File fh);
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
