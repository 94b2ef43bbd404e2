/* trace/heat.h - where in a file a program was, and when: offset by time. */
#ifndef PARIO_TRACE_HEAT_H
#define PARIO_TRACE_HEAT_H

#include "trace/profile.h"

#define PARIO_HEAT_FILES 6 /* those of which most was moved */
#define PARIO_HEAT_ROWS 48
#define PARIO_HEAT_BINS 4096 /* in which it is known what was written */

struct pario_heat_file {
    const char *path;   /* borrowed from the profile */
    int64_t begin, end; /* bytes */
    /* Bytes read and written (enum pario_trace_data), by row of offsets and
     * column of time. */
    float cell[3][PARIO_HEAT_ROWS][PARIO_PROFILE_COLUMNS];
    int64_t first_write_ns[PARIO_HEAT_BINS]; /* INT64_MAX: never */
    /* Of the bytes that were read at known places: those that a call had
     * written before, as far as the bins tell. */
    double read_bytes, reread_bytes;
};

struct pario_heat {
    struct pario_heat_file *files;
    size_t nfiles;
    int64_t work; /* what is left for pieces of views */
};

/* Local. Reads the trace twice more; the profile is of the same trace and must
 * live longer. The caller frees it with pario_heat_fini. */
int pario_heat_init(struct pario_heat *heat, const struct pario_trace *trace,
                    const struct pario_profile *profile) PARIO_MUST_USE;
void pario_heat_fini(struct pario_heat *heat);

#endif
