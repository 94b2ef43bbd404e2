/* suites/shipbench/lattice.c - where the runs of a 4D array are. */
#include "suites/shipbench/lattice.h"

void ship_lattice_grid(int size, int64_t grid[SHIP_DIMS])
{
    int rest = size;

    for (int d = 0; d < SHIP_DIMS; d++)
        grid[d] = 1;
    /* The largest factors first, each to the dimension that is cut least. */
    for (int factor = size; factor > 1; factor--) {
        int prime = 1;

        for (int d = 2; d * d <= factor && prime; d++)
            prime = factor % d != 0;
        while (prime && rest % factor == 0) {
            int least = SHIP_DIMS - 1;

            for (int d = SHIP_DIMS - 2; d >= 0; d--)
                if (grid[d] < grid[least])
                    least = d;
            grid[least] *= factor;
            rest /= factor;
        }
    }
}

void ship_lattice_place(struct ship_lattice *lattice, int rank)
{
    for (int d = 0; d < SHIP_DIMS; d++) {
        lattice->place[d] = rank % lattice->grid[d];
        rank /= (int)lattice->grid[d];
    }
}

int64_t ship_lattice_runs(const struct ship_lattice *lattice)
{
    return lattice->local[1] * lattice->local[2] * lattice->local[3];
}

int64_t ship_lattice_run_bytes(const struct ship_lattice *lattice)
{
    return lattice->local[0] * lattice->site_bytes;
}

int64_t ship_lattice_held_bytes(const struct ship_lattice *lattice)
{
    int64_t bytes = lattice->site_bytes;

    for (int d = 0; d < SHIP_DIMS; d++)
        bytes *= lattice->local[d] + 2 * lattice->ghost;
    return bytes;
}

int64_t ship_lattice_in_file(const struct ship_lattice *lattice, int64_t i)
{
    int64_t run = lattice->place[0], stride = lattice->grid[0];

    for (int d = 1; d < SHIP_DIMS; d++) {
        int64_t local = lattice->local[d];

        run += (lattice->place[d] * local + i % local) * stride;
        stride *= local * lattice->grid[d];
        i /= local;
    }
    return run;
}

int64_t ship_lattice_in_memory(const struct ship_lattice *lattice, int64_t i)
{
    int64_t site = lattice->ghost;
    int64_t stride = lattice->local[0] + 2 * lattice->ghost;

    for (int d = 1; d < SHIP_DIMS; d++) {
        site += (lattice->ghost + i % lattice->local[d]) * stride;
        stride *= lattice->local[d] + 2 * lattice->ghost;
        i /= lattice->local[d];
    }
    return site * lattice->site_bytes;
}

int ship_lattice_owner(const struct ship_lattice *lattice, int64_t run)
{
    int64_t rank = run % lattice->grid[0], tasks = lattice->grid[0];

    run /= lattice->grid[0];
    for (int d = 1; d < SHIP_DIMS; d++) {
        int64_t size = lattice->local[d] * lattice->grid[d];

        rank += run % size / lattice->local[d] * tasks;
        tasks *= lattice->grid[d];
        run /= size;
    }
    return (int)rank;
}
