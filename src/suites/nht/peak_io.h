/* Moving a buffer to a file and back, and finding the best way to do so. */
#ifndef PARIO_NHT_PEAK_IO_H
#define PARIO_NHT_PEAK_IO_H

#include "core/data.h"
#include "io/backend.h"
#include "measure/phase.h"
#include "suites/nht/amount.h"

/* One way to move data. */
struct nht_way {
    const char *backend;
    int64_t request_bytes;
    int direct;
    int64_t depth; /* requests under way */
};

struct nht_peak {
    struct pario_run *run;
    struct nht_amount amount;
    struct pario_data data;
    char *buf; /* share_bytes, page-aligned */
    char path[4352];
    struct nht_way way, read_way;
    struct pario_phase phase[2];  /* by direction */
    struct pario_hist latency[2]; /* likewise */
};

/* Collective. Timed from before the file is opened until it is closed (and,
 * written, durable); becomes peak->phase[direction], settled. len: of this
 * process. check: as in struct pario_phase_calls, with peak; NULL: none. */
int nht_peak_move(struct nht_peak *peak, const struct nht_way *way,
                  enum pario_direction direction, int64_t len,
                  int (*check)(void *peak,
                               struct pario_phase *phase)) PARIO_MUST_USE;

/* Collective. Puts the own file out of the page cache. *left_p: bytes of all
 * files that stayed. */
int nht_peak_evict(struct nht_peak *peak, int64_t *left_p) PARIO_MUST_USE;

/* Collective. Tries all ways with little data; the best becomes peak->way. */
int nht_peak_calibrate(struct nht_peak *peak) PARIO_MUST_USE;

/* Collective. Can all ranks go this way in the run's directory? */
int nht_way_is_possible(const struct nht_peak *peak, const struct nht_way *way);

/* Collective. The settled phase of this direction goes to the document. */
int nht_peak_record(struct nht_peak *peak, enum pario_direction direction,
                    const struct nht_way *way,
                    const char *access) PARIO_MUST_USE;

#endif
