/* suites/iot/bench.h - a test of the suite as one descriptor: its name, what
 * may be said about it, how its parameter sets are made and run. A new test is
 * one file with its run function and one entry of bench.c. */
#ifndef PARIO_IOT_BENCH_H
#define PARIO_IOT_BENCH_H

#include "core/fields.h"
#include "suites/iot/params.h"
#include "suites/suite.h"

/* What a test can do: which keywords and fields mean something to it. */
enum iot_ability {
    IOT_STREAMS = 1,     /* a file in blocks, from its beginning to its end */
    IOT_FUZZY = 2,       /* blocks may differ in size */
    IOT_TASKS = 4,       /* beside a computation */
    IOT_ALONE = 8,       /* one process, or a file for each */
    IOT_UNIX_CALLS = 16, /* without MPI */
    IOT_COLLECTIVE = 32, /* knows `collective` */
    IOT_TOGETHER = 64,   /* and is so unless the file says otherwise */
    IOT_BYTES = 128,     /* filesize */
    IOT_BLOCKS = 256,    /* blocksize */
    IOT_ARRAY = 512,     /* problemsize, or xsize and ysize */
    IOT_SPACE = 1024,    /* of three dimensions */
    IOT_GRID = 2048,     /* xproc and yproc */
    IOT_UPDATES = 4096,
    IOT_RECORDS = 8192, /* blockmin, blockmax */
    IOT_ORDER = 16384,  /* problemsize alone: a square matrix */
    IOT_FACTORS = 32768,
    IOT_MESH = 65536,
    IOT_GATHERS = 131072,    /* process 0 does the I/O of all */
    IOT_TRANSPOSES = 262144, /* knows xproc and yproc, which are given */
    IOT_LATTICE = 524288,    /* of four dimensions, with ghost cells */
};

struct iot_context;
struct iot_maker;

struct iot_bench {
    struct pario_test test; /* first: name and summary */
    enum iot_class class;
    unsigned abilities;
    uint64_t required; /* keywords, 1 << enum iot_keyword */
    const char *last;  /* access of the last measure of a set */
    /* Local. From the lists of the file to parameter sets, checked. */
    int (*plan)(struct iot_maker *maker);
    /* Local. Bytes of memory that a set takes on a node. */
    int64_t (*memory)(const struct iot_set *set, int size, int node_size);
    /* Collective. Runs one set; all ranks leave with the same code. NULL: not
     * in this build, and `plan` says so. */
    int (*run)(struct iot_context *context);
};

extern const struct iot_bench iot_benches[]; /* ended by a NULL name */

/* Local. By name, letter case does not matter where it need not; NULL: none. */
const struct iot_bench *iot_bench_find(const char *name);

/* Local. The fields of a parameter set: what a measure's `parameters`, labels
 * and the sub-headers of timings say. */
extern const struct pario_field iot_fields[];

#endif
