/*
 * The BT solver on the processes it is started with: every dump of class S
 * must have the reference digest, whatever the decomposition. Usage:
 * test_bt_par [STEPS [multi|block]]
 */
#include "apps/bt/bt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digest of the whole U, from the parts of all ranks. */
static uint64_t digest(const struct pario_bt *bt, double *own)
{
    uint64_t sum = 0, n = (uint64_t)bt->dec.n, all = 0;
    const double *pos = own;

    pario_bt_pack(bt, own);
    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];
        size_t run = (size_t)cell->n[0] * 5;

        for (int k = 0; k < cell->n[2]; k++)
            for (int j = 0; j < cell->n[1]; j++) {
                uint64_t y = (uint64_t)cell->lo[1] + (uint64_t)j;
                uint64_t z = (uint64_t)cell->lo[2] + (uint64_t)k;
                uint64_t x = (uint64_t)cell->lo[0];

                sum += pario_bt_digest(pos, run, 5 * (x + n * (y + n * z)));
                pos += run;
            }
    }
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int run(struct pario_bt *bt, int nsteps)
{
    double *own = malloc(pario_bt_own_points(bt) * 5 * sizeof(*own) + 8);
    int bad = own == NULL;

    pario_bt_start(bt);
    for (int s = 1; s <= nsteps && !bad; s++) {
        if (pario_bt_step(bt)) {
            fprintf(stderr, "step %d failed\n", s);
            bad = 1;
        } else if (s % 5 == 0 && digest(bt, own) !=
                                     pario_bt_dump_digest(bt->cls, s / 5 - 1)) {
            fprintf(stderr, "dump %d differs from the reference\n", s / 5);
            bad = 1;
        }
    }
    if (!bad && nsteps == bt->cls->steps) {
        double xcr[5], xce[5], worst;

        bad = pario_bt_error_norm(bt, xce) || pario_bt_residual_norm(bt, xcr) ||
              !pario_bt_norms_match(xce, bt->cls->xce, &worst) ||
              !pario_bt_norms_match(xcr, bt->cls->xcr, &worst);
        if (bad)
            fprintf(stderr, "norms differ from the reference\n");
    }
    free(own);
    return bad;
}

int main(int argc, char **argv)
{
    struct pario_bt_setup setup = {.cls = pario_bt_class_find("S"),
                                   .kernel = -1};
    struct pario_bt *bt = NULL;
    int nsteps, bad;

    MPI_Init(&argc, &argv);
    nsteps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : setup.cls->steps;
    if (argc > 2)
        setup.scheme =
            strcmp(argv[2], "multi") == 0 ? PARIO_BT_MULTI : PARIO_BT_BLOCK;
    bad = pario_bt_create(MPI_COMM_WORLD, &setup, &bt) != 0;
    if (!bad)
        bad = run(bt, nsteps);
    pario_bt_destroy(bt);
    MPI_Finalize();
    return bad;
}
