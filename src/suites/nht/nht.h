/* NHT-1: the options and the tests of the suite. */
#ifndef PARIO_NHT_NHT_H
#define PARIO_NHT_NHT_H

#include "core/fields.h"
#include "measure/run.h"

#include <stdio.h>

enum nht_files { NHT_FILES_ONE, NHT_FILES_MANY };
enum nht_via { NHT_VIA_FTP, NHT_VIA_SCP };

struct nht_options {
    /* app and verify */
    const char *bt_class;
    int mode;   /* index into nht_mode_names */
    int files;  /* enum nht_files */
    int scheme; /* enum pario_bt_scheme */
    int sync;
    double tc_s; /* best known time without I/O; 0: measure it */
    int64_t tc_runs;
    int64_t interval, steps;
    const char *hints;
    const char *compare; /* verify: a second file */
    /* peak and network */
    double fraction;
    int64_t memory_bytes; /* 0: what the node has */
    int calibrate;
    /* network */
    int via; /* enum nht_via */
    const char *server, *host, *user, *password_file, *remote_dir;
    int64_t port;
};

/* What a test can do: which options and fields mean something to it. */
enum nht_ability {
    NHT_SOLVES = 1, /* knows the solver's classes: app, verify */
    NHT_DUMPS = 2,
    NHT_COMPARES = 4,
    NHT_MOVES = 8, /* so much of the memory: peak, network */
    NHT_CALIBRATES = 16,
    NHT_SENDS = 32,
};
/* Options, and the parameters of the measures of these abilities. */
extern const struct pario_field nht_fields[];

/* Collective; operands as in `pario nht TEST ...` without the test. */
int pario_nht_app(struct pario_run *run) PARIO_MUST_USE;
int pario_nht_peak(struct pario_run *run) PARIO_MUST_USE;
int pario_nht_network(struct pario_run *run) PARIO_MUST_USE;
int pario_nht_verify(struct pario_run *run) PARIO_MUST_USE;

/* Local, rank 0: NHT-1's figures in words, then the table of measures. */
int pario_nht_print(const struct pario_run *run, FILE *out);

#endif
