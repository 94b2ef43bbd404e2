/* trace/profile_parts.h - what the files of the profile share. */
#ifndef PARIO_TRACE_PROFILE_PARTS_H
#define PARIO_TRACE_PROFILE_PARTS_H

#include "trace/profile.h"

/* Local. A time of a process's clock as time of day. */
int64_t pario_profile_utc(const struct pario_trace_process *facts, int64_t ns);

/* Local. The files of a profile whose lines are complete. */
int pario_profile_add_files(struct pario_profile *profile) PARIO_MUST_USE;

/* Calls that began less those that ended, before each moment and after the one
 * before. */
struct pario_under_way {
    int32_t change[PARIO_PROFILE_MOMENTS + 1];
};
void pario_under_way_add(struct pario_under_way *moments,
                         const struct pario_profile *profile, int64_t begin_ns,
                         int64_t end_ns);
struct pario_concurrency
pario_under_way_sum(const struct pario_under_way *moments);

#endif
