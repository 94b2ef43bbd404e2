/* suites/iot/mesh.h - an unstructured mesh, made without communication.
 *
 * Triangles over a rectangle of cells, two a cell; nodes and triangles carry
 * global numbers that are scrambled within windows, as mesh generators and
 * renumbering leave them. Cells are partitioned by recursive coordinate
 * bisection; a node on a border is touched by several processes and owned by
 * the lowest of them. Local.
 */
#ifndef PARIO_IOT_MESH_H
#define PARIO_IOT_MESH_H

#include "core/error.h"
#include <stdint.h>

struct iot_mesh {
    int64_t cells[2], nodes, elements; /* of the whole mesh */
    int64_t scramble;
    int parts, part;
    int64_t low[2], high[2]; /* cells of this part: low <= c < high */
    /* Global numbers, ascending. */
    int32_t *touched, *owned, *triangles;
    int64_t ntouched, nowned, ntriangles;
};

int iot_mesh_init(struct iot_mesh *mesh, int64_t xcells, int64_t ycells,
                  int64_t scramble, int parts, int part) PARIO_MUST_USE;
void iot_mesh_fini(struct iot_mesh *mesh);

/* Which part a cell belongs to. */
int iot_mesh_part_of(const struct iot_mesh *mesh, int64_t x, int64_t y);

#endif
