/*
 * Halo exchange of U: two planes on each cut face, no edges or corners.
 *
 * Every plane that a cell lacks is one item, whichever cell holds it (a cell
 * may be one plane thick). Items are sorted by peer and receiving cell, so
 * that both sides agree on the order and one message per peer carries all.
 */
#include "apps/bt/bt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_HALO = 1 };

struct item {
    int peer;
    long receiver; /* number of the receiving cell in the grid of cells */
    int dir;
    int plane; /* grid index along dir */
    int cell;  /* own cell it goes to or comes from */
};

struct side {
    struct item *items;
    size_t count;
    double *buf;
};

struct pario_bt_halo {
    struct side send, recv;
};

static long cell_number(const struct pario_bt_decomp *dec, const int pos[3])
{
    return pos[0] +
           (long)dec->parts[0] * (pos[1] + (long)dec->parts[1] * pos[2]);
}

static size_t item_count(const struct pario_bt *bt, const struct item *item)
{
    const struct pario_bt_cell *cell = &bt->cells[item->cell];
    size_t count = 5;

    for (int d = 0; d < 3; d++)
        if (d != item->dir)
            count *= (size_t)cell->n[d];
    return count;
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;

    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->receiver != b->receiver)
        return a->receiver < b->receiver ? -1 : 1;
    if (a->dir != b->dir)
        return a->dir < b->dir ? -1 : 1;
    return (a->plane > b->plane) - (a->plane < b->plane);
}

static int append(struct side *side, const struct item *item)
{
    struct item *more;

    more = realloc(side->items, (side->count + 1) * sizeof(*more));
    if (more == NULL)
        return -ENOMEM;
    side->items = more;
    side->items[side->count++] = *item;
    return 0;
}

/* Calls append for the planes [from, to) of cell c that lie in the grid. */
static int need_planes(struct pario_bt *bt, int c, int dir, int from, int to)
{
    const struct pario_bt_cell *cell = &bt->cells[c];
    int pos[3] = {cell->pos[0], cell->pos[1], cell->pos[2]};
    struct item item = {.dir = dir, .cell = c};
    int err = 0;

    item.receiver = cell_number(&bt->dec, cell->pos);
    for (int g = from < 0 ? 0 : from; g < to && g < bt->dec.n && !err; g++) {
        pos[dir] = pario_bt_decomp_part(&bt->dec, dir, g);
        item.peer = pario_bt_decomp_owner(&bt->dec, pos);
        item.plane = g;
        err = append(&bt->halo->recv, &item);
    }
    return err;
}

/* The planes of own cell c that cells further along dir want. */
static int offer_planes(struct pario_bt *bt, int c, int dir)
{
    const struct pario_bt_cell *cell = &bt->cells[c];
    int lo = cell->lo[dir], hi = lo + cell->n[dir];
    int pos[3] = {cell->pos[0], cell->pos[1], cell->pos[2]};
    struct item item = {.dir = dir, .cell = c};

    for (int p = 0; p < bt->dec.parts[dir]; p++) {
        int from = pario_bt_decomp_start(&bt->dec, dir, p);
        int to = pario_bt_decomp_start(&bt->dec, dir, p + 1);

        pos[dir] = p;
        item.peer = pario_bt_decomp_owner(&bt->dec, pos);
        item.receiver = cell_number(&bt->dec, pos);
        for (int g = lo; g < hi; g++) {
            int err;

            if (g < from - PARIO_BT_HALO || g >= to + PARIO_BT_HALO ||
                (g >= from && g < to))
                continue;
            item.plane = g;
            err = append(&bt->halo->send, &item);
            if (err)
                return err;
        }
    }
    return 0;
}

static int finish_side(const struct pario_bt *bt, struct side *side)
{
    size_t total = 0;

    if (side->count > 0)
        qsort(side->items, side->count, sizeof(side->items[0]), compare_items);
    for (size_t i = 0; i < side->count; i++)
        total += item_count(bt, &side->items[i]);
    side->buf = malloc((total + 1) * sizeof(double));
    return side->buf == NULL ? -ENOMEM : 0;
}

int pario_bt_halo_create(struct pario_bt *bt)
{
    int err = 0;

    bt->halo = calloc(1, sizeof(*bt->halo));
    if (bt->halo == NULL)
        return -ENOMEM;
    for (int c = 0; c < bt->ncells; c++) {
        for (int dir = 0; dir < 3 && !err; dir++) {
            int lo = bt->cells[c].lo[dir];
            int hi = lo + bt->cells[c].n[dir];

            err = need_planes(bt, c, dir, lo - PARIO_BT_HALO, lo);
            if (!err)
                err = need_planes(bt, c, dir, hi, hi + PARIO_BT_HALO);
            if (!err)
                err = offer_planes(bt, c, dir);
        }
    }
    if (!err)
        err = finish_side(bt, &bt->halo->send);
    if (!err)
        err = finish_side(bt, &bt->halo->recv);
    return err;
}

void pario_bt_halo_destroy(struct pario_bt_halo *halo)
{
    if (halo == NULL)
        return;
    free(halo->send.items);
    free(halo->send.buf);
    free(halo->recv.items);
    free(halo->recv.buf);
    free(halo);
}

/* One plane of U to or from buf: [component][outer][inner]. */
static void copy_plane(const struct pario_bt *bt, const struct item *item,
                       double *buf, bool out)
{
    const struct pario_bt_cell *cell = &bt->cells[item->cell];
    const ptrdiff_t strides[3] = {1, cell->u_line, cell->u_plane};
    int inner = item->dir == 0 ? 1 : 0;
    int outer = item->dir == 2 ? 1 : 2;
    double *base =
        cell->u + (item->plane - cell->lo[item->dir]) * strides[item->dir];

    for (int b = 0; b < cell->n[outer]; b++) {
        for (int m = 0; m < 5; m++) {
            double *u = base + b * strides[outer] + m * cell->u_row;

            for (int a = 0; a < cell->n[inner]; a++) {
                if (out)
                    *buf++ = u[a * strides[inner]];
                else
                    u[a * strides[inner]] = *buf++;
            }
        }
    }
}

/* Length of the message made of the items from `first` on with one peer. */
static size_t message(const struct pario_bt *bt, const struct side *side,
                      size_t first, size_t *next_p)
{
    size_t count = 0, i = first;

    while (i < side->count && side->items[i].peer == side->items[first].peer)
        count += item_count(bt, &side->items[i++]);
    *next_p = i;
    return count;
}

int pario_bt_halo_exchange(struct pario_bt *bt)
{
    struct side *send = &bt->halo->send, *recv = &bt->halo->recv;
    double *pos = recv->buf;
    int err = 0;

    for (size_t i = 0, next; i < recv->count && !err; i = next) {
        size_t count = message(bt, recv, i, &next);

        err = pario_bt_comm_recv_start(&bt->comm, pos, count,
                                       recv->items[i].peer, TAG_HALO);
        pos += count;
    }
    pos = send->buf;
    for (size_t i = 0; i < send->count; i++) {
        copy_plane(bt, &send->items[i], pos, true);
        pos += item_count(bt, &send->items[i]);
    }
    pos = send->buf;
    for (size_t i = 0, next; i < send->count && !err; i = next) {
        size_t count = message(bt, send, i, &next);

        err = pario_bt_comm_send(&bt->comm, pos, count, send->items[i].peer,
                                 TAG_HALO);
        pos += count;
    }
    if (!err)
        err = pario_bt_comm_wait(&bt->comm);
    if (err)
        return err;
    pos = recv->buf;
    for (size_t i = 0; i < recv->count; i++) {
        copy_plane(bt, &recv->items[i], pos, false);
        pos += item_count(bt, &recv->items[i]);
    }
    return 0;
}
