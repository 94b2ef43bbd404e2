/* suites/nht/claim.h - what a run must have to be an NHT-1 result. Local. */
#ifndef PARIO_NHT_CLAIM_H
#define PARIO_NHT_CLAIM_H

#include "suites/nht/app_io.h"

#define NHT_CLAIM_LEN 512

/* Of the application benchmark, all of it. */
struct nht_claim {
    const struct pario_bt_class *cls;
    struct nht_schedule dumps;
    int spread;  /* over a file per process (2.3) */
    int sync;    /* durable within T_T */
    int checked; /* dumps read back and compared */
    int on_disk; /* by what the devices saw */
    int tc_runs; /* T_C is the best of so many that verify; 0: given by hand */
    int valid;
};
/* What it lacks, in words; empty: it is an NHT-1 result. Returns buf. */
char *nht_claim_lacks(const struct nht_claim *claim, char buf[NHT_CLAIM_LEN]);

/* Of the network benchmark. */
struct nht_transfer_claim {
    int over_loopback;
    int by_command; /* the system's own, not a library (4.2) */
    int enough;     /* 80 % of the memory */
    int on_disk;
    int valid;
};
char *nht_transfer_lacks(const struct nht_transfer_claim *claim,
                         char buf[NHT_CLAIM_LEN]);

/* Rank 0: `official`, and where it is not what it lacks, in the summary and
 * the answer. */
void nht_claim_record(struct pario_result *result, const char *lacks);

#endif
