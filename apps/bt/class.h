/*
 * The approximate factorisation benchmark (BT): problem classes, exact
 * solution and reference values. NHT-1's own size is class B.
 */
#ifndef PARIO_APPS_BT_CLASS_H
#define PARIO_APPS_BT_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARIO_BT_VARS = 5 };

/* One problem size; all grids are cubes of n points a side. */
struct pario_bt_class {
    char name;        /* 'S', 'W', 'A', 'B', 'C' */
    int n;            /* grid points in each direction */
    int steps;        /* time steps of a run */
    double dt;        /* time step */
    double xcr[5];    /* reference residual norms */
    double xce[5];    /* reference error norms, computation alone */
    double xce_io[5]; /* mean error norm of all dumps at interval 5 */
};

/* NHT-1, Table 1 and BTIO: the solution is written every fifth step. */
enum { PARIO_BT_INTERVAL = 5 };

/* Local. The class called name (either case), or NULL. */
const struct pario_bt_class *pario_bt_class_find(const char *name);

/* Local. Bytes of one dump: 5 doubles for each of the n^3 points. */
int64_t pario_bt_dump_bytes(const struct pario_bt_class *cls);

/* Local. Agreed operation count of a run of nsteps, in millions. */
double pario_bt_mops(const struct pario_bt_class *cls, int nsteps);

/*
 * Local. True if all five values lie within 1e-8 (relative) of the reference;
 * *worst_p is the largest relative difference (NaN counts as infinite).
 */
bool pario_bt_norms_match(const double value[5], const double ref[5],
                          double *worst_p);

/* Local. The exact solution at (xi, eta, zeta) in the unit cube. */
void pario_bt_exact(double xi, double eta, double zeta, double out[5]);

/* Local. Start value at grid point (i, j, k) of an n^3 grid, faces included. */
void pario_bt_start_value(int n, const int point[3], double out[5]);

/*
 * Local. Digest of values at a position: the sum (modulo 2^64) over all words
 * of a mix of word and index, so that parts digested anywhere in any order
 * add up to the digest of the whole, and a moved word changes it.
 */
uint64_t pario_bt_digest(const double *values, size_t count, uint64_t first);

/*
 * Local. Digest of dump number `dump` (0-based) of a run with interval 5, as
 * every IEEE machine computes it, or 0 when none is known.
 */
uint64_t pario_bt_dump_digest(const struct pario_bt_class *cls, int dump);

#endif
