/* suites/doctor/doctor.h - looks at machine and directory before a number is
 * trusted. A check is one function in the table of doctor.c; it reports one
 * or more findings. */
#ifndef PARIO_SUITES_DOCTOR_DOCTOR_H
#define PARIO_SUITES_DOCTOR_DOCTOR_H

#include "core/error.h"
#include "par/group.h"
#include "sys/fs.h"
#include "sys/node.h"
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum pario_verdict {
    PARIO_VERDICT_OK,
    PARIO_VERDICT_WARNING,
    PARIO_VERDICT_ERROR,
};

struct pario_finding {
    const char *name; /* of the check, static */
    enum pario_verdict verdict;
    char remedy[256]; /* "" where there is nothing to do */
    char fact[8192];
};

/* Embedded; zero-initialised is empty. Kept on rank 0. */
struct pario_findings {
    struct pario_finding *finding;
    size_t count;
    size_t errors;
    int code; /* -ENOMEM: one was lost */
};

struct pario_doctor {
    const struct pario_group *world;
    const char *dir;              /* as the user gave it */
    char scratch[PATH_MAX];       /* our own directory in dir; "": none */
    int shared;                   /* the directory is the same for all */
    struct pario_node_facts node; /* of this rank's node */
    struct pario_fs_facts fs;     /* of dir, as this rank sees it */
    struct pario_findings findings;
    const char *check; /* name of the check under way */
};

struct doctor_options {
    int json;
};

void pario_doctor_fini(struct pario_doctor *doctor);

/* Local, for rank 0. */
int pario_doctor_print_text(FILE *out, const struct pario_doctor *doctor,
                            int all) PARIO_MUST_USE;
int pario_doctor_print_json(FILE *out,
                            const struct pario_doctor *doctor) PARIO_MUST_USE;

struct pario_result;
/* Local, for rank 0. The findings into the document; NULL: there is none. */
int doctor_record(const struct pario_doctor *doctor,
                  struct pario_result *result) PARIO_MUST_USE;

/* Below: between the files of doctor. */

/* Local, acts on rank 0. remedy "" for none; fact and remedy are copied. */
void doctor_report(struct pario_doctor *doctor, enum pario_verdict verdict,
                   const char *remedy, const char *fmt, ...) PARIO_PRINTF(4, 5);

/* Collective. Smallest and largest value of all ranks. */
int doctor_range(const struct pario_doctor *doctor, int64_t value,
                 int64_t *min_p, int64_t *max_p) PARIO_MUST_USE;

/* Every check: collective, returns an error only if it could not be carried
 * out at all, the same on all ranks. */
typedef int doctor_check(struct pario_doctor *doctor);
doctor_check doctor_check_mpi;
doctor_check doctor_check_threads;
doctor_check doctor_check_processes;
doctor_check doctor_check_memory;
doctor_check doctor_check_page_cache;
doctor_check doctor_check_governor;
doctor_check doctor_check_surroundings;
doctor_check doctor_check_clock;
doctor_check doctor_check_skew;
doctor_check doctor_check_directory;
doctor_check doctor_check_file_system;
doctor_check doctor_check_space;
doctor_check doctor_check_inodes;
doctor_check doctor_check_blocks;
doctor_check doctor_check_stripes;
doctor_check doctor_check_direct;
doctor_check doctor_check_fallocate;
doctor_check doctor_check_locks;
doctor_check doctor_check_uring;
doctor_check doctor_check_sharing;
doctor_check doctor_check_hints;
doctor_check doctor_check_parts;

#endif
