/* suites/shipbench/lattice.h - the checkpoint of a lattice code: a 4D array of
 * sites, x fastest; each task has one block of it, which in memory lies between
 * ghost cells. A run of sites in x is contiguous in the file and in memory.
 * Local, pure. */
#ifndef PARIO_SHIPBENCH_LATTICE_H
#define PARIO_SHIPBENCH_LATTICE_H

#include <stdint.h>

#define SHIP_DIMS 4 /* x, y, z, t */

struct ship_lattice {
    int64_t local[SHIP_DIMS]; /* sites of a task */
    int64_t grid[SHIP_DIMS];  /* tasks */
    int64_t place[SHIP_DIMS]; /* of this task in the grid */
    int64_t ghost;            /* cells on each side */
    int64_t site_bytes;
};

/* Tasks as near to a hypercube as they divide, t and z cut first: x stays long.
 */
void ship_lattice_grid(int size, int64_t grid[SHIP_DIMS]);
/* Which task of the grid is rank: x fastest. */
void ship_lattice_place(struct ship_lattice *lattice, int rank);

/* Runs of a task, bytes of one, bytes of a task's memory. */
int64_t ship_lattice_runs(const struct ship_lattice *lattice);
int64_t ship_lattice_run_bytes(const struct ship_lattice *lattice);
int64_t ship_lattice_held_bytes(const struct ship_lattice *lattice);

/* Run i of this task: its number in the file, its first byte in memory. */
int64_t ship_lattice_in_file(const struct ship_lattice *lattice, int64_t i);
int64_t ship_lattice_in_memory(const struct ship_lattice *lattice, int64_t i);
/* Whose is this run of the file? */
int ship_lattice_owner(const struct ship_lattice *lattice, int64_t run);

#endif
