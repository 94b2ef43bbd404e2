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

/* Processes of this one's group that were killed for lack of memory; -1: the
 * kernel does not say. */
int64_t pario_cgroup_oom_kills(const char *root);

enum pario_cgroup_version { PARIO_CGROUP_V1, PARIO_CGROUP_V2 };

/* For one group's folder, to be read below root. */
typedef void pario_cgroup_visit(const char *root, const char *folder,
                                enum pario_cgroup_version version, void *arg);

/* Visits the groups of this process from its own up to the root, in the
 * hierarchy of the controller and in the unified one. */
void pario_cgroup_walk(const char *root, const char *controller,
                       pario_cgroup_visit *visit, void *arg);

#endif
