/*
 * How the grid of BT is cut into cells and who owns them.
 *
 * The grid is cut into parts[0] x parts[1] x parts[2] cells. In the
 * multi-partition scheme (square process counts p*p, p parts a side) every
 * process owns p cells, one in every slab of every direction; in the block
 * scheme every process owns one whole-x pencil.
 */
#ifndef PARIO_APPS_BT_DECOMP_H
#define PARIO_APPS_BT_DECOMP_H

enum pario_bt_scheme {
    PARIO_BT_AUTO, /* multi-partition if the process count is a square */
    PARIO_BT_MULTI,
    PARIO_BT_BLOCK,
};

struct pario_bt_decomp {
    int n;                       /* grid points a side */
    int parts[3];                /* cells along x, y, z */
    int active;                  /* ranks 0..active-1 own cells */
    enum pario_bt_scheme scheme; /* MULTI or BLOCK */
};

/*
 * Local; the same answer on every rank. Returns -EINVAL when the scheme asked
 * for cannot be had with this many processes. When size has no usable
 * factorisation (a prime above n) some processes stay idle: see active.
 */
int pario_bt_decomp_init(int n, int size, enum pario_bt_scheme wanted,
                         struct pario_bt_decomp *dec_p)
    __attribute__((warn_unused_result));

/* Local. First point of part `pos` along direction dir (pos may be parts). */
int pario_bt_decomp_start(const struct pario_bt_decomp *dec, int dir, int pos);

/* Local. The part along dir that holds grid index g. */
int pario_bt_decomp_part(const struct pario_bt_decomp *dec, int dir, int g);

/* Local. Rank owning the cell at pos. */
int pario_bt_decomp_owner(const struct pario_bt_decomp *dec, const int pos[3]);

/* Local. Number of cells of a rank. */
int pario_bt_decomp_cells(const struct pario_bt_decomp *dec, int rank);

/* Local. Position of cell number c of a rank, in ascending order of z. */
void pario_bt_decomp_cell(const struct pario_bt_decomp *dec, int rank, int c,
                          int pos[3]);

#endif
