/* suites/shipbench/options.c - the options; the seed's parameters are the
 * defaults (MPI-IO/GPFS, Sect. 3 and 4). */
#include "suites/shipbench/shipbench.h"

#include "suites/shared_fields.h"
#include "suites/suite.h"

#include <stddef.h>

#define AT(field) offsetof(struct ship_options, field)
#define SIZE(option, field, text)                                              \
    {                                                                          \
        .name = (option), .type = PARIO_OPT_SIZE, .offset = AT(field),         \
        .argument = "SIZE", .min = 8, .max = 1e15, .help = (text)              \
    }
#define SIZE_OR_0(option, field, text)                                         \
    {                                                                          \
        .name = (option), .type = PARIO_OPT_SIZE, .offset = AT(field),         \
        .argument = "SIZE", .min = 0, .max = 1e15, .help = (text)              \
    }
#define COUNT(option, field, text)                                             \
    {                                                                          \
        .name = (option), .type = PARIO_OPT_INT, .offset = AT(field),          \
        .argument = "N", .min = 1, .max = 1e9, .help = (text)                  \
    }
#define LIST(option, field, text)                                              \
    {                                                                          \
        .name = (option), .type = PARIO_OPT_STRING, .offset = AT(field),       \
        .argument = "LIST", .help = (text)                                     \
    }

const struct pario_option ship_option_table[] = {
    LIST("tests", tests, "tests to run, separated by commas (default: all)"),
    {PARIO_SHARED_PARTITIONS(AT(partitions)),
     .help = "numbers of tasks (default: 2, 4, 8 ... and all)"},
    COUNT("repetitions", repetitions, "passes of every contender"),
    {PARIO_SHARED_SCALE(AT(scale)),
     .help = "multiplies all amounts of data; 1 is the paper's"},
    SIZE("region", region_bytes, "discontiguous: region of one file view"),
    SIZE("file-size", file_bytes, "discontiguous: the file"),
    SIZE("block", block_bytes, "discontiguous, oneshot: block"),
    COUNT("shipping-blocks", ship_blocks, "shipping: blocks of each task"),
    SIZE("shipping-block", ship_bytes, "shipping: block"),
    COUNT("shipping-iteration", ship_per_call,
          "shipping: blocks of each task in one call"),
    SIZE_OR_0("shipping-file", ship_file_bytes,
              "shipping: the file (0: twice the data)"),
    COUNT("range-blocks", range_blocks, "ranges: file blocks of each task"),
    COUNT("range-subblocks", range_subblocks,
          "ranges: subblocks accessed in each file block"),
    SIZE("subblock", subblock_bytes, "ranges: subblock"),
    SIZE("file-block", file_block_bytes, "ranges: file block"),
    LIST("max-acc", max_acc, "ranges: byte ranges accessed at once"),
    LIST("sparsity", sparsity, "sparse: percent of the stripes accessed"),
    COUNT("sparse-stripes", sparse_stripes, "sparse: stripes for each task"),
    SIZE("sparse-block", sparse_bytes, "sparse: block"),
    SIZE_OR_0("stripe", stripe_bytes,
              "sparse: stripe, also an agent's buffer (0: room for a block of "
              "every task, at least 256 KiB)"),
    LIST("tasks-per-node", tasks_per_node, "tasks-per-node: how many"),
    LIST("oneshot-sizes", shot_sizes, "oneshot: bytes of each task"),
    LIST("lattice", lattice, "lattice: sites of each task in x, y, z, t"),
    SIZE("lattice-site", site_bytes, "lattice: a site"),
    {.name = "lattice-ghost",
     .type = PARIO_OPT_INT,
     .offset = AT(ghost),
     .argument = "N",
     .min = 0,
     .max = 64,
     .help = "lattice: ghost cells on each side, in memory alone"},
    {PARIO_OPTION("tuned-hints", STRING, AT(tuned_hints), "KEY=VALUE;..."),
     .help = "lattice: hints of 'native, tuned' (default: by MPI library)"},
    {PARIO_OPTION("native-hints", STRING, AT(native_hints), "KEY=VALUE;..."),
     .help = "MPI-IO hints for the MPI library's own MPI-IO"},
    {PARIO_OPTION("shipio-hints", STRING, AT(shipio_hints), "KEY=VALUE;..."),
     .help = "hints for shipio, but for those that a contender is about"},
    {PARIO_OPTION("without", STRING, AT(without), "NAME;..."),
     .help = "contenders to leave out, such as native or 'shipping/with "
             "shipping'"},
    {PARIO_FLAG("sync", AT(sync)),
     .help = "MPI_File_sync inside the time of a write"},
    {PARIO_FLAG("fresh", AT(fresh)),
     .help = "write to an empty file each time (default: rewrite)"},
    {.name = NULL},
};

const struct ship_options ship_defaults = {
    .max_acc = "0,1,2,4,6,8",
    .sparsity = "100,50,25,10,1",
    .tasks_per_node = "1,2,4,8",
    .shot_sizes = "4k,16k,64k,256k,1M,4M,16M,64M",
    .repetitions = 3,
    .scale = 1,
    .region_bytes = 1 << 30,
    .file_bytes = 1 << 30,
    .block_bytes = 1024,
    .ship_blocks = 10000,
    .ship_bytes = 4096,
    .ship_per_call = 1,
    .range_blocks = 100,
    .range_subblocks = 32,
    .subblock_bytes = 4096,
    .file_block_bytes = 256 << 10,
    .sparse_stripes = 100,
    .sparse_bytes = 16 << 10,
    .lattice = "16,16,16,16",
    .site_bytes = 192,
    .ghost = 1,
};

const struct pario_test ship_test_names[] = {
    [SHIP_DISCONTIGUOUS] = {"discontiguous",
                            "random small blocks that tile the file"},
    [SHIP_SHIPPING] = {"shipping",
                       "noncollective random blocks, with and without"},
    [SHIP_RANGES] = {"ranges", "subblocks of file blocks, by max_acc"},
    [SHIP_SPARSE] = {"sparse", "few blocks a stripe, with and without"},
    [SHIP_TASKS_PER_NODE] = {"tasks-per-node",
                             "discontiguous, by tasks on a node"},
    [SHIP_ONESHOT] = {"oneshot", "open, one collective write, close, by size"},
    [SHIP_LATTICE] = {"lattice",
                      "a 4D subarray with ghost cells, also written by hand"},
    {NULL, NULL},
};
