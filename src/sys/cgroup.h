/* sys/cgroup.h - what the control groups of this process allow. Local. */
#ifndef PARIO_SYS_CGROUP_H
#define PARIO_SYS_CGROUP_H

#include <stdint.h>

struct pario_cgroup_limits {
    int64_t memory_bytes;    /* smallest limit up to the root; -1: none */
    int64_t available_bytes; /* still to be had within all limits, counting
                                reclaimable cache; -1: no limit */
    double cpus;             /* smallest quota / period; -1: none */
};

/* Versions 1 and 2, also mixed; root as in proctext.h. */
void pario_cgroup_limits_get(const char *root,
                             struct pario_cgroup_limits *limits_p);

#endif
