/* sys/node.h - facts about this node. Unknown numbers are -1, unknown text
 * is "unknown". Local, no MPI. */
#ifndef PARIO_SYS_NODE_H
#define PARIO_SYS_NODE_H

#include "core/error.h"
#include <stdint.h>

struct pario_node_facts {
    char host[64];
    char kernel[128];     /* "Linux 6.1.0-18-amd64" */
    char cpu[128];        /* model name */
    char governor[32];    /* frequency governor of CPU 0 */
    int cores;            /* usable by this process (affinity, cgroup quota) */
    int64_t memory_bytes; /* physical */
    int64_t memory_limit_bytes; /* smallest cgroup limit, -1: none */
    int64_t memory_free_bytes;  /* MemAvailable, within the limit */
    int64_t page_cache_bytes;   /* Cached now */
    int64_t dirty_limit_bytes;  /* where writers are throttled */
    int64_t dirty_background_bytes;
};

int pario_node_facts_get(struct pario_node_facts *facts_p) PARIO_MUST_USE;

/* The same from the /proc and /sys below root alone (of another system). */
void pario_node_facts_from(const char *root, struct pario_node_facts *facts_p);

/* CPUs of the node, within the quota; not this process's own binding, which
 * launchers set to one CPU each. */
int pario_node_cpus(void);

/* What the page cache may hold: memory or limit, less what is in use. */
int64_t pario_node_cache_capacity(const struct pario_node_facts *facts);

#endif
