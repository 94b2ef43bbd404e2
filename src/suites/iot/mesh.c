/* suites/iot/mesh.c - a mesh and its partition, from nothing but numbers. */
#include "suites/iot/mesh.h"

#include "core/rng.h"

#include <errno.h>
#include <stdlib.h>

struct box {
    int64_t low[2], high[2];
    int first, parts;
};

/* One step of the bisection: the longer side, in proportion to the parts. */
static void halve(const struct box *box, struct box half[2])
{
    int left = box->parts / 2;
    int side = box->high[0] - box->low[0] >= box->high[1] - box->low[1] ? 0 : 1;
    int64_t length = box->high[side] - box->low[side];
    int64_t at = box->low[side] + length * left / box->parts;

    half[0] = half[1] = *box;
    half[0].parts = left;
    half[0].high[side] = at;
    half[1].parts = box->parts - left;
    half[1].first = box->first + left;
    half[1].low[side] = at;
}

static struct box whole(const struct iot_mesh *mesh)
{
    return (struct box){.high = {mesh->cells[0], mesh->cells[1]},
                        .parts = mesh->parts};
}

int iot_mesh_part_of(const struct iot_mesh *mesh, int64_t x, int64_t y)
{
    struct box box = whole(mesh);

    while (box.parts > 1) {
        struct box half[2];

        halve(&box, half);
        box = x < half[0].high[0] && y < half[0].high[1] ? half[0] : half[1];
    }
    return box.first;
}

/* Global number of the entity that stands at `place` in the natural order. */
static int32_t number(const struct iot_mesh *mesh, int64_t place, int64_t total)
{
    int64_t window = place / mesh->scramble, base = window * mesh->scramble;
    int64_t len = total - base < mesh->scramble ? total - base : mesh->scramble;
    struct pario_perm perm;

    pario_perm_init(&perm, (uint64_t)len, (uint64_t)window);
    return (int32_t)(base +
                     (int64_t)pario_perm_at(&perm, (uint64_t)(place - base)));
}

/* The lowest part among the cells around a node. */
static int owner(const struct iot_mesh *mesh, int64_t i, int64_t j)
{
    int lowest = mesh->parts;

    for (int64_t x = i - 1; x <= i; x++)
        for (int64_t y = j - 1; y <= j; y++) {
            int part;

            if (x < 0 || y < 0 || x >= mesh->cells[0] || y >= mesh->cells[1])
                continue;
            part = iot_mesh_part_of(mesh, x, y);
            lowest = part < lowest ? part : lowest;
        }
    return lowest;
}

static int is_inside(const struct iot_mesh *mesh, int64_t i, int64_t j)
{
    return i > mesh->low[0] && i < mesh->high[0] && j > mesh->low[1] &&
           j < mesh->high[1];
}

static void add_nodes(struct iot_mesh *mesh)
{
    for (int64_t j = mesh->low[1]; j <= mesh->high[1]; j++)
        for (int64_t i = mesh->low[0]; i <= mesh->high[0]; i++) {
            int32_t node =
                number(mesh, i + j * (mesh->cells[0] + 1), mesh->nodes);

            mesh->touched[mesh->ntouched++] = node;
            if (is_inside(mesh, i, j) || owner(mesh, i, j) == mesh->part)
                mesh->owned[mesh->nowned++] = node;
        }
}

static void add_triangles(struct iot_mesh *mesh)
{
    for (int64_t y = mesh->low[1]; y < mesh->high[1]; y++)
        for (int64_t x = mesh->low[0]; x < mesh->high[0]; x++)
            for (int k = 0; k < 2; k++)
                mesh->triangles[mesh->ntriangles++] = number(
                    mesh, 2 * (x + y * mesh->cells[0]) + k, mesh->elements);
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

int iot_mesh_init(struct iot_mesh *mesh, int64_t xcells, int64_t ycells,
                  int64_t scramble, int parts, int part)
{
    struct box box;
    size_t width, height;

    *mesh = (struct iot_mesh){.cells = {xcells, ycells},
                              .nodes = (xcells + 1) * (ycells + 1),
                              .elements = 2 * xcells * ycells,
                              .scramble = scramble,
                              .parts = parts,
                              .part = part};
    box = whole(mesh);
    while (box.parts > 1) {
        struct box half[2];

        halve(&box, half);
        box = part < half[1].first ? half[0] : half[1];
    }
    for (int d = 0; d < 2; d++) {
        mesh->low[d] = box.low[d];
        mesh->high[d] = box.high[d];
    }
    width = (size_t)(box.high[0] - box.low[0]);
    height = (size_t)(box.high[1] - box.low[1]);
    mesh->touched = calloc((width + 1) * (height + 1), sizeof(int32_t));
    mesh->owned = calloc((width + 1) * (height + 1), sizeof(int32_t));
    mesh->triangles = calloc(2 * width * height + 1, sizeof(int32_t));
    if (mesh->touched == NULL || mesh->owned == NULL ||
        mesh->triangles == NULL) {
        iot_mesh_fini(mesh);
        return pario_fail_errno(-ENOMEM, "no memory for the mesh");
    }
    if (width > 0 && height > 0)
        add_nodes(mesh);
    add_triangles(mesh);
    qsort(mesh->touched, (size_t)mesh->ntouched, sizeof(int32_t), compare);
    qsort(mesh->owned, (size_t)mesh->nowned, sizeof(int32_t), compare);
    qsort(mesh->triangles, (size_t)mesh->ntriangles, sizeof(int32_t), compare);
    return 0;
}

void iot_mesh_fini(struct iot_mesh *mesh)
{
    free(mesh->touched);
    free(mesh->owned);
    free(mesh->triangles);
    mesh->touched = mesh->owned = mesh->triangles = NULL;
}
