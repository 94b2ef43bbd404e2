/* hints.h - what the user asked for, by MPI info and environment. */
#ifndef SHIPIO_HINTS_H
#define SHIPIO_HINTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum shipio_mode { SHIPIO_AUTO, SHIPIO_SHIP, SHIPIO_DIRECT };
enum shipio_agreement { SHIPIO_AGREE_AUTO, SHIPIO_STRICT, SHIPIO_DEFERRED };

/* A switch whose default depends on something else. */
enum shipio_choice { SHIPIO_UNSET, SHIPIO_NO, SHIPIO_YES };

#define SHIPIO_CONFIG_LEN 200
/* Leaders of a node: by default (hub.h says why), and at the most. */
#define SHIPIO_LEADERS 2
#define SHIPIO_LEADERS_MAX 8

struct shipio_hints {
    enum shipio_mode mode;
    enum shipio_agreement agreement;
    bool switchable;    /* mode may change at set_view and set_info */
    bool sparse;        /* minimal communication graph */
    bool double_buffer; /* two buffers for each agent */
    bool map;           /* small reads through a mapping, where safe */
    bool write_behind;  /* independent writes wait for each other */
    bool stats;         /* somebody wants to see them */
    enum shipio_choice noncollective; /* ship noncollective accesses too */
    enum shipio_choice lock;          /* the bytes of every access */
    enum shipio_choice remote;        /* requests are dear; UNSET: look */
    enum shipio_choice sieve;         /* nobody else writes: gaps may be read
                                         and written back */
    int agents;                       /* 0: one for each process */
    char config[SHIPIO_CONFIG_LEN];   /* agents for each node; "": no limit */
    int leaders;                      /* of a node, between nodes */
    int group_lock;                   /* of Lustre; 0: none */
    int max_acc;            /* byte ranges accessed at once; 0: no prefetch */
    int64_t stripe;         /* bytes; 0: chosen by shipio */
    int64_t default_stripe; /* what it chooses */
};

/* Local. Defaults and the environment; block is the file system's. */
void shipio_hints_init(struct shipio_hints *hints, int64_t block);
/* Local. Takes what info says; at_open is false for set_view and set_info,
 * where only a switchable file changes its mode. */
void shipio_hints_update(struct shipio_hints *hints, MPI_Info info,
                         int64_t block, bool at_open);
/* Local. Writes the hints in force into info; agents: there are threads that
 * serve noncollective accesses. */
void shipio_hints_report(const struct shipio_hints *hints, bool agents,
                         MPI_Info info);

/* Local. Noncollective accesses are shipped when asked for, or when everything
 * is. */
bool shipio_hints_noncollective(const struct shipio_hints *hints);
/* Local. Bytes of a stripe that are in force. */
int64_t shipio_hints_stripe(const struct shipio_hints *hints);
/* Local. A stripe for a file system whose own stripe or block is fs: whole ones
 * of these, at least least bytes; small blocks do not count. */
int64_t shipio_stripe_for(int64_t fs, int64_t least);
/* Local. The agents that a list like "fs1:4,node7,*:1" allows on host: a count,
 * 0 when it is not named, -1 when there is no list. A name without a count
 * means one, a count of "*" all. */
int shipio_config_limit(const char *list, const char *host);

/* Local. "8", "64k", "2MiB", "16 blocks": bytes, or -1. Numbers without a
 * unit below 1024 are counts of blocks. */
int64_t shipio_parse_size(const char *text, int64_t block);

#endif
