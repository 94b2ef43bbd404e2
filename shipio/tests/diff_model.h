/*
 * diff_model.h - what the file must hold: a byte array, the views of all
 * ranks on it, and who touched which byte since the last synchronisation.
 *
 * Every rank keeps the whole model and runs the same steps on it.
 */
#ifndef SHIPIO_DIFF_MODEL_H
#define SHIPIO_DIFF_MODEL_H

#include "diff_type.h"

/* A file view; a copy of the type map, independent of the MPI datatype. */
struct diff_view {
    int64_t disp;
    int64_t etype_size;
    int64_t tile_size;   /* bytes of data in one filetype */
    int64_t tile_extent; /* from one filetype to the next */
    struct diff_seg *segs;
    int64_t *before; /* bytes of data before each segment */
    int nsegs;
};

/* Bytes are modelled in [base, base + span); below is a hole. */
struct diff_model {
    int64_t base;
    int64_t span;
    int64_t size; /* of the file, absolute */
    unsigned char *data;
    uint8_t *written; /* was ever written since it is part of the file */
    int ranks;

    /* Since the last synchronisation: */
    uint8_t *writer;   /* rank + 1, or 0 */
    uint64_t *readers; /* one bit per rank */
    int64_t synced_size;
    uint64_t extended_by; /* ranks that made the file longer */
    uint64_t past_end_by; /* ranks that read past its end */
    /* Operations that are not complete yet: */
    uint8_t *pending; /* PENDING_* */
    bool any_pending;
    uint64_t pending_past_end;
    uint64_t pending_extends;

    uint8_t *mark; /* within one operation */
    struct diff_view view[DIFF_MAX_RANKS];
    int64_t position[DIFF_MAX_RANKS]; /* in etypes */
    int64_t shared_position;
    bool uniform_view;
    bool atomic;
};

enum { DIFF_PENDING_READ = 1, DIFF_PENDING_WRITE = 2 };

void diff_model_init(struct diff_model *model, int64_t base, int64_t span,
                     int ranks);
void diff_model_fini(struct diff_model *model);
void diff_model_set_view(struct diff_model *model, int rank, int64_t disp,
                         const struct diff_type *etype,
                         const struct diff_type *filetype);
void diff_model_synced(struct diff_model *model);
void diff_model_completed(struct diff_model *model);

/* Absolute file offset of byte `pos` of the view's data. */
int64_t diff_view_offset(const struct diff_view *view, int64_t pos);
/* The first etype of the view that lies at or after the end of the file. */
int64_t diff_view_end(const struct diff_view *view, int64_t file_size);

/* One rank's contiguous range of its view's data. */
struct diff_access {
    int rank;
    bool write;
    bool stays_pending;
    int64_t pos; /* bytes of data */
    int64_t len;
};

enum diff_conflict {
    DIFF_OK = 0,
    DIFF_WAIT = 1,    /* an incomplete operation touches the same bytes */
    DIFF_SYNC = 2,    /* another rank touched them in this epoch */
    DIFF_OUTSIDE = 4, /* leaves the modelled range */
    DIFF_OVERLAP = 8  /* another rank of the same operation writes there */
};

/* The conflicts of an access (bits); does not change the model. */
int diff_model_conflicts(const struct diff_model *model,
                         const struct diff_access *access);
/* Marks the bytes of a write for DIFF_OVERLAP; unmark with set = false. */
void diff_model_mark(struct diff_model *model, const struct diff_access *access,
                     bool set);
/* Notes who touches the bytes; a write also puts `data` in the file. */
void diff_model_apply(struct diff_model *model,
                      const struct diff_access *access,
                      const unsigned char *data);
/*
 * Fills expected with what a read gets and known with whether it is not a
 * hole; returns the bytes before the end.
 */
int64_t diff_model_read(const struct diff_model *model,
                        const struct diff_access *access,
                        unsigned char *expected, uint8_t *known);
/* Collective operations on the size; data is zero where the file grows. */
void diff_model_resize(struct diff_model *model, int64_t size);

#endif
