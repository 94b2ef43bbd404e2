/* suites/beffio/pass.h - one pattern type with one access method, from opening
 * the file to closing it, and one pattern within. The type's time is that of
 * the whole phase, its patterns are the phase's parts. */
#ifndef PARIO_BEFFIO_PASS_H
#define PARIO_BEFFIO_PASS_H

#include "suites/beffio/calls.h"

struct beffio_pass {
    struct beffio *beffio;
    struct beffio_experiment *experiment;
    const struct pario_group *group;
    enum beffio_type type;
    enum beffio_access access;
    int rank, size;
    const struct pario_mpiio_calls *mpi;
    char path[4300];
    MPI_File file;
    struct pario_hints in_force;
    int64_t begin; /* file offset where the next pattern begins (types 3 to 5:
                      within the segment) */
    int64_t bytes; /* of this rank, warm-up too */
    struct pario_phase whole; /* from open to close */
    int errors;               /* what failed, the same on all ranks */
};

/* One pattern. */
struct beffio_part {
    int index; /* of the row */
    const struct beffio_pattern *row;
    struct beffio_loop loop;
    struct pario_perm order; /* of type 5 */
    struct pario_phase phase;
    char error[512]; /* "" if none */
};

/* pass.c. Local: who does what to which file. */
void beffio_pass_init(struct beffio_pass *pass, struct beffio *beffio,
                      struct beffio_experiment *experiment,
                      enum beffio_type type, enum beffio_access access);
/* Collective. The clock starts before the open and stands still after it;
 * after an error of open pass->file is not open. */
int beffio_pass_begin(struct beffio_pass *pass) PARIO_MUST_USE;
/* Collective. Closes the file, within the time; code: of beffio_pass_begin. */
int beffio_pass_end(struct beffio_pass *pass, int code) PARIO_MUST_USE;

/* pattern.c. Collective. Fills `seconds` with calls, syncs, checks and
 * settles. Errors of the pattern itself are in part->error. */
int beffio_pattern_run(struct beffio_pass *pass, struct beffio_part *part,
                       double seconds) PARIO_MUST_USE;

/* file.c. Collective. */
int beffio_file_open(struct beffio_pass *pass) PARIO_MUST_USE;
/* The view of a pattern, within the time of the whole. */
int beffio_file_view(struct beffio_pass *pass,
                     struct beffio_part *part) PARIO_MUST_USE;
/* A library that reports success for data it lost is caught here. */
int beffio_file_check_size(const struct beffio_pass *pass) PARIO_MUST_USE;
/* Local. With --no-shared type 1 is type 0 with one chunk per call. */
int beffio_uses_shared_pointer(const struct beffio_pass *pass);
int beffio_reads_everything(const struct beffio_pass *pass);

/* record.c. Collective. */
int beffio_record_pattern(struct beffio_pass *pass,
                          struct beffio_part *part) PARIO_MUST_USE;
int beffio_record_total(struct beffio_pass *pass) PARIO_MUST_USE;
int beffio_record_hints(struct beffio_pass *pass) PARIO_MUST_USE;

#endif
