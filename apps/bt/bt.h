/*
 * The BT solver: one object per process, stepped by all together.
 *
 * U after any number of steps is bit-identical whatever the number of
 * processes, the decomposition and the machine: every point sees the same
 * IEEE operations in the same order.
 */
#ifndef PARIO_APPS_BT_H
#define PARIO_APPS_BT_H

#include "apps/bt/cell.h"
#include "apps/bt/class.h"
#include "apps/bt/comm.h"
#include "apps/bt/decomp.h"
#include "apps/bt/kernel.h"

struct pario_bt_halo; /* bt_halo.c */

/* One cell's line storage while its lines are cut: see bt_sweep.c. */
struct pario_bt_staging {
    double *blocks;
    double *in, *out;
};

struct pario_bt {
    const struct pario_bt_class *cls;
    struct pario_bt_comm comm;
    struct pario_bt_decomp dec;
    struct pario_bt_coef coef;
    const struct pario_bt_kernel *kernel;
    int ncells;
    struct pario_bt_cell *cells;
    struct pario_bt_staging *staging; /* one per cell */
    double *ring;                     /* scratch of the right-hand side */
    double *lines;                    /* scratch of the line solves */
    struct pario_bt_halo *halo;
    void (*between)(void *arg); /* called between the parts of a step */
    void *between_arg;
};

struct pario_bt_setup {
    const struct pario_bt_class *cls;
    enum pario_bt_scheme scheme;
    int kernel; /* at most this kernel; negative: the best there is */
};

#if PARIO_HAVE_MPI
/* Collective over comm. The caller owns *bt_p. */
int pario_bt_create(MPI_Comm comm, const struct pario_bt_setup *setup,
                    struct pario_bt **bt_p) __attribute__((warn_unused_result));
#endif
/* Local. The same on one process, without MPI. */
int pario_bt_create_alone(const struct pario_bt_setup *setup,
                          struct pario_bt **bt_p)
    __attribute__((warn_unused_result));
/* Collective. NULL is allowed. */
void pario_bt_destroy(struct pario_bt *bt);

/* Local. About the memory of the process that needs most, one packed dump
 * included, in bytes. */
int64_t pario_bt_memory_bytes(const struct pario_bt_decomp *dec);

/* Local. U <- start values. */
void pario_bt_start(struct pario_bt *bt);

/* Collective. One time step. */
int pario_bt_step(struct pario_bt *bt) __attribute__((warn_unused_result));

/* Collective. Error norm of the present U, as reference xce. */
int pario_bt_error_norm(struct pario_bt *bt, double out[5])
    __attribute__((warn_unused_result));

/* Collective. Residual norm of the present U, as reference xcr. */
int pario_bt_residual_norm(struct pario_bt *bt, double out[5])
    __attribute__((warn_unused_result));

/*
 * Local. The owned part of U as it goes to the file: cell after cell, each
 * [z][y][x][5]. Room for pario_bt_own_points() * 5 doubles.
 */
size_t pario_bt_own_points(const struct pario_bt *bt);
void pario_bt_pack(const struct pario_bt *bt, double *out);
/* Local. The reverse. */
void pario_bt_unpack(struct pario_bt *bt, const double *in);

/* The stages of a step, for tests. Collective. */
int pario_bt_halo_exchange(struct pario_bt *bt)
    __attribute__((warn_unused_result));
void pario_bt_rhs(struct pario_bt *bt);
int pario_bt_sweep(struct pario_bt *bt, int dir, bool add)
    __attribute__((warn_unused_result));

/* Parts of create and destroy. Local. */
int pario_bt_halo_create(struct pario_bt *bt)
    __attribute__((warn_unused_result));
void pario_bt_halo_destroy(struct pario_bt_halo *halo);
int pario_bt_sweep_create(struct pario_bt *bt)
    __attribute__((warn_unused_result));
void pario_bt_sweep_destroy(struct pario_bt *bt);

#endif
