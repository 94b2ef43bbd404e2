/* Where the parts of a dump lie in the file. */
#include "suites/nht/app_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int append(struct nht_layout *layout, size_t *capacity, int64_t offset,
                  size_t len)
{
    struct nht_extent *last = layout->extents + layout->count;

    if (layout->count > 0 &&
        last[-1].offset + (int64_t)last[-1].len == offset) {
        last[-1].len += len;
    } else {
        if (layout->count == *capacity) {
            size_t more = *capacity == 0 ? 256 : 2 * *capacity;
            struct nht_extent *extents =
                realloc(layout->extents, more * sizeof(*extents));

            if (extents == NULL)
                return pario_fail_errno(-ENOMEM, "cannot plan the file layout");
            layout->extents = extents;
            *capacity = more;
        }
        layout->extents[layout->count++] =
            (struct nht_extent){.offset = offset, .len = len};
    }
    layout->bytes += len;
    return 0;
}

int nht_layout_init(const struct pario_bt *bt, struct nht_layout *layout)
{
    int64_t n = bt->dec.n, point = 5 * (int64_t)sizeof(double);
    size_t capacity = 0;
    int code = 0;

    *layout = (struct nht_layout){0};
    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];

        for (int k = 0; k < cell->n[2] && code == 0; k++)
            for (int j = 0; j < cell->n[1] && code == 0; j++) {
                int64_t line = cell->lo[1] + j + n * (cell->lo[2] + k);

                code =
                    append(layout, &capacity, point * (cell->lo[0] + n * line),
                           (size_t)(point * cell->n[0]));
            }
    }
    if (code != 0)
        nht_layout_fini(layout);
    return code;
}

void nht_layout_fini(struct nht_layout *layout)
{
    free(layout->extents);
    *layout = (struct nht_layout){0};
}

uint64_t nht_layout_digest(const struct nht_layout *layout, const double *own)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < layout->count; i++) {
        size_t count = layout->extents[i].len / sizeof(double);

        sum += pario_bt_digest(
            own, count, (uint64_t)layout->extents[i].offset / sizeof(double));
        own += count;
    }
    return sum;
}

int64_t nht_io_place(const struct nht_io *io, int dump, char *buf, size_t len)
{
    int64_t start = 0;

    if (io->mode->split)
        snprintf(buf, len, "%s.epio.%06d", io->stem,
                 pario_group_rank(io->world));
    else if (io->many)
        snprintf(buf, len, "%s.%s.%04d", io->stem, io->mode->name, dump + 1);
    else
        snprintf(buf, len, "%s.%s", io->stem, io->mode->name);
    if (io->mode->split)
        start = (int64_t)io->layout.bytes * dump;
    else if (!io->many)
        start = io->dump_bytes * dump;
    return start;
}
