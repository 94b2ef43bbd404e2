/* measure/residency.h - the page caches of all nodes, before a file is read. */
#ifndef PARIO_MEASURE_RESIDENCY_H
#define PARIO_MEASURE_RESIDENCY_H

#include "par/group.h"

/* Collective; the file is the same one for all of the group. With `cold` every
 * node drops what it has of it. *bytes_p: what all nodes together hold, at most
 * the file's size, for each reads what it wrote as a rule; -1 if a node cannot
 * tell. A node without the file (one of a single process) holds nothing. */
int pario_residency(const struct pario_group *group, const char *path, int cold,
                    int64_t *bytes_p) PARIO_MUST_USE;

/* Bytes [offset, offset + len) of a file. */
struct pario_range {
    int64_t offset, len;
};

/* Collective. What this process is going to read: the ranges of the file, or
 * all of its own file (nranges 0). With `cold` it is dropped first: by one
 * process of each node where the file is shared. *bytes_p: what the processes
 * together will find; -1 if one cannot tell. */
int pario_residency_of_parts(const struct pario_group *group, const char *path,
                             int shared, const struct pario_range *ranges,
                             size_t nranges, int cold,
                             int64_t *bytes_p) PARIO_MUST_USE;

/* Collective. What was written to the file, or to the processes' own files, and
 * no device has seen yet; -1 if one cannot tell. Before anything is synced. */
int pario_residency_unwritten(const struct pario_group *group, const char *path,
                              int shared, int64_t *bytes_p) PARIO_MUST_USE;

#endif
