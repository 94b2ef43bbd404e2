/*
 * Writing the dumps of the application benchmark: one table per mode.
 *
 * A dump is the whole U as a C array [z][y][x][5] (NHT-1, 2.3), or several of
 * them one after the other in one file. Each process holds its part packed in
 * the order of the file: see struct nht_layout.
 */
#ifndef PARIO_NHT_APP_IO_H
#define PARIO_NHT_APP_IO_H

#include "apps/bt/bt.h"
#include "io/hints.h"
#include "suites/nht/nht.h"

/* A contiguous piece of a dump. */
struct nht_extent {
    int64_t offset; /* in the dump, bytes */
    size_t len;
};

/* What this process owns of a dump, in ascending order of offset. */
struct nht_layout {
    struct nht_extent *extents;
    size_t count;
    size_t bytes; /* of all extents */
};

struct nht_mode;

/* The file(s) of one run with I/O. */
struct nht_io {
    const struct nht_mode *mode;
    const struct pario_group *world;
    const struct pario_bt *bt;
    struct nht_layout layout;
    int64_t dump_bytes;
    int many; /* one file per dump */
    int sync; /* make durable before the end */
    int cold; /* put the files out of the cache before reading back */
    struct pario_hints hints;    /* requested */
    struct pario_hints in_force; /* as the library tells after opening */
    char stem[4224];             /* what the names of all files begin with */
    double visible_s;            /* time the computation stood still */
    double btio_s;               /* time in packing and I/O calls */
    double sync_s;               /* of that, in completing at the end */
    int64_t operations;          /* write calls of this process */
    void *state;                 /* of the mode */
};

/* Each call returns 0 or a negative error with its message set. */
struct nht_mode {
    const char *name, *summary;
    int split;   /* the vector is spread over files: breaks NHT-1's 2.3 */
    int overlap; /* transfers go on during the computation */
    int mpiio;
    /* Collective. Opens the file; with `many` each write opens its own. */
    int (*open)(struct nht_io *io);
    /* Local. The buffer may be filled again after this; NULL: always. */
    int (*ready)(struct nht_io *io);
    /* Collective. buf stays untouched until ready or finish. */
    int (*write)(struct nht_io *io, int dump, const double *buf);
    /* Local. Lets transfers under way go on; NULL: they need no help. */
    void (*poke)(struct nht_io *io);
    /* Collective. All transfers done, files closed; durable if io->sync. */
    int (*finish)(struct nht_io *io);
    /* Collective. Frees everything, also after an error. */
    int (*close)(struct nht_io *io);
};

/* All modes in the order of the option's choices. */
extern const struct nht_mode *const nht_modes[];
extern const char *const nht_mode_names[];

extern const struct nht_mode nht_mode_posix;
extern const struct nht_mode nht_mode_epio;
extern const struct nht_mode nht_mode_thread;
#if PARIO_HAVE_MPIIO
extern const struct nht_mode nht_mode_full;
extern const struct nht_mode nht_mode_simple;
extern const struct nht_mode nht_mode_async;
extern const struct nht_mode nht_mode_split;
#endif

/* Local. The caller frees with nht_layout_fini. */
int nht_layout_init(const struct pario_bt *bt,
                    struct nht_layout *layout) PARIO_MUST_USE;
void nht_layout_fini(struct nht_layout *layout);

/* Local. Where dump number `dump` is: path in buf, offset of its start. */
int64_t nht_io_place(const struct nht_io *io, int dump, char *buf, size_t len);

/* Local. Digest of this process's part of a dump. */
uint64_t nht_layout_digest(const struct nht_layout *layout, const double *own);

/* What the read-back of all dumps found. */
struct nht_check {
    int64_t checked_bytes;
    int64_t wrong_dumps;
    int first_wrong; /* 1-based, 0: none */
    double xce[5];   /* mean error norm of all dumps */
};

/* The dumps of a run: after every interval steps, and after the last. */
struct nht_schedule {
    int interval, steps, ndumps;
};
int nht_schedule_step(const struct nht_schedule *schedule, int dump);

/*
 * Collective, outside the timing. The digest of every dump in want[ndumps]:
 * known, or from computing the solution anew (changes U). buf: own data.
 */
int nht_app_digests(const struct nht_io *io, struct pario_bt *bt,
                    const struct nht_schedule *schedule, double *buf,
                    uint64_t *want) PARIO_MUST_USE;

/* Collective, outside the timing. Every file must have its full length. */
int nht_app_check_length(const struct nht_io *io, int ndumps) PARIO_MUST_USE;

/*
 * Collective, outside the timing. Reads all dumps back with plain reads, each
 * process its own part, and compares their digests with want; U ends as the
 * last dump. buf: room for own data.
 */
int nht_app_check(struct nht_io *io, struct pario_bt *bt, int ndumps,
                  const uint64_t *want, double *buf,
                  struct nht_check *check_p) PARIO_MUST_USE;

/* Local, on all ranks with the same norms: do they verify? *worst_p: the
 * largest deviation from the reference; more than 1e-8 makes the run invalid.
 */
int nht_judge_norms(struct pario_run *run, const struct pario_bt_class *cls,
                    const double xce[5], const double xcr[5], double *worst_p);

#endif
