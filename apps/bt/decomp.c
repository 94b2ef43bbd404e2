/* Cutting the grid of BT into cells. */
#include "apps/bt/decomp.h"

#include <errno.h>
#include <stdbool.h>

static int square_root(int size)
{
    int p = 1;

    while ((p + 1) <= size / (p + 1))
        p++;
    return p;
}

/* Points of the largest cell in a plane cut into py x pz parts. */
static long largest(int n, int py, int pz)
{
    return (long)((n + py - 1) / py) * ((n + pz - 1) / pz);
}

/*
 * The pencils with the least work on the busiest process, among those with
 * the shortest pipelines. False if no factors of size fit the grid.
 */
static bool choose_pencils(int n, int size, int *py_p, int *pz_p)
{
    bool found = false;

    for (int py = 1; py <= size / py; py++) {
        int pz = size / py;

        if (size % py != 0 || pz > n)
            continue;
        if (!found || largest(n, py, pz) <= largest(n, *py_p, *pz_p)) {
            *py_p = py;
            *pz_p = pz;
            found = true;
        }
    }
    return found;
}

int pario_bt_decomp_init(int n, int size, enum pario_bt_scheme wanted,
                         struct pario_bt_decomp *dec_p)
{
    struct pario_bt_decomp dec = {.n = n, .active = size};
    int p = square_root(size);
    bool can_multi = p * p == size && p <= n;

    if (size < 1 || n < 6 || (wanted == PARIO_BT_MULTI && !can_multi))
        return -EINVAL;
    if (wanted != PARIO_BT_BLOCK && can_multi) {
        dec.scheme = PARIO_BT_MULTI;
        dec.parts[0] = dec.parts[1] = dec.parts[2] = p;
    } else {
        dec.scheme = PARIO_BT_BLOCK;
        dec.parts[0] = 1;
        if (dec.active > n * n)
            dec.active = n * n;
        while (!choose_pencils(n, dec.active, &dec.parts[1], &dec.parts[2]))
            dec.active--;
    }
    *dec_p = dec;
    return 0;
}

int pario_bt_decomp_start(const struct pario_bt_decomp *dec, int dir, int pos)
{
    int quot = dec->n / dec->parts[dir];
    int rest = dec->n % dec->parts[dir];

    return pos * quot + (pos < rest ? pos : rest);
}

int pario_bt_decomp_part(const struct pario_bt_decomp *dec, int dir, int g)
{
    int pos = g / (dec->n / dec->parts[dir]);

    if (pos >= dec->parts[dir])
        pos = dec->parts[dir] - 1;
    while (pario_bt_decomp_start(dec, dir, pos) > g)
        pos--;
    return pos;
}

int pario_bt_decomp_owner(const struct pario_bt_decomp *dec, const int pos[3])
{
    int p = dec->parts[0];

    if (dec->scheme == PARIO_BT_BLOCK)
        return pos[1] + dec->parts[1] * pos[2];
    return (pos[0] - pos[2] + p) % p + (pos[1] + pos[2]) % p * p;
}

int pario_bt_decomp_cells(const struct pario_bt_decomp *dec, int rank)
{
    if (rank >= dec->active)
        return 0;
    return dec->scheme == PARIO_BT_BLOCK ? 1 : dec->parts[2];
}

void pario_bt_decomp_cell(const struct pario_bt_decomp *dec, int rank, int c,
                          int pos[3])
{
    int p = dec->parts[0];

    if (dec->scheme == PARIO_BT_BLOCK) {
        pos[0] = 0;
        pos[1] = rank % dec->parts[1];
        pos[2] = rank / dec->parts[1];
    } else {
        pos[0] = (rank % p + c) % p;
        pos[1] = (rank / p - c + p) % p;
        pos[2] = c;
    }
}
