/* suites/iot/bench.c - all tests of the suite, and the fields of their sets. */
#include "suites/iot/bench.h"

#include "pario_config.h"
#include "suites/iot/iot.h"
#include "suites/iot/keywords.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define AT(member) offsetof(struct iot_set, member)
#define MB .scale = 1e6, .unit = " MB"
#define NEEDS(keyword) ((uint64_t)1 << (keyword))
#define STREAM                                                                 \
    (NEEDS(IOT_KW_FILENAME) | NEEDS(IOT_KW_FILESIZE) | NEEDS(IOT_KW_BLOCKSIZE))
#define GRID                                                                   \
    (NEEDS(IOT_KW_FILENAME) | NEEDS(IOT_KW_XPROC) | NEEDS(IOT_KW_YPROC))

static const char *const variants[] = {"left", "right", NULL};

const struct pario_field iot_fields[] = {
    {PARIO_FIELD("set", INT, AT(number)), .member = "set",
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET | PARIO_FIELD_FREE},
    {PARIO_FIELD("line", INT, AT(line)),
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET | PARIO_FIELD_FREE},
    {PARIO_FIELD("filename", STRING, AT(filename)),
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET},
    {PARIO_FIELD("hints", STRING, AT(hints)),
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET},
    {.name = "filesize",
     .type = PARIO_OPT_SIZE,
     .offset = AT(file_bytes),
     .member = "file_bytes",
     MB},
    {.name = "blocksize",
     .type = PARIO_OPT_SIZE,
     .offset = AT(block_bytes),
     .member = "block_bytes",
     .needs = IOT_BLOCKS,
     MB},
    {.name = "blockmin",
     .type = PARIO_OPT_SIZE,
     .offset = AT(block_min),
     .member = "blockmin_bytes",
     .needs = IOT_RECORDS,
     MB},
    {.name = "blockmax",
     .type = PARIO_OPT_SIZE,
     .offset = AT(block_max),
     .member = "blockmax_bytes",
     .needs = IOT_RECORDS,
     MB},
    {PARIO_FIELD("xsize", INT, AT(size[0])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("ysize", INT, AT(size[1])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("zsize", INT, AT(size[2])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("tsize", INT, AT(size[3])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("xproc", INT, AT(grid[0])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("yproc", INT, AT(grid[1])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("zproc", INT, AT(grid[2])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("tproc", INT, AT(grid[3])), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("ghost", INT, AT(ghost)), .needs = IOT_LATTICE},
    {PARIO_FLAG("collective", AT(collective)), .needs = IOT_COLLECTIVE},
    {PARIO_FLAG("preallocate", AT(preallocate)), .rules = PARIO_FIELD_QUIET},
    {PARIO_FLAG("fileperprocess", AT(separate)), .member = "file_per_process",
     .label = "a file per process", .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("repetition", INT, AT(repetition)), .member = "repetition",
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_FREE},
    {PARIO_FIELD("fuzzy", REAL, AT(fuzzy)), .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("update_frac", REAL, AT(update_frac)), .needs = IOT_UPDATES},
    {PARIO_FIELD("task_order", INT, AT(task_order)), .needs = IOT_TASKS},
    {PARIO_FIELD("task_repeat", INT, AT(task_repeat)), .needs = IOT_TASKS},
    {.name = "memory",
     .type = PARIO_OPT_SIZE,
     .offset = AT(memory_bytes),
     .member = "memory_bytes",
     .needs = IOT_FACTORS,
     MB},
    {PARIO_FIELD("panel", INT, AT(panel)), .needs = IOT_FACTORS},
    {PARIO_FIELD("variant", CHOICE, AT(variant)), .choices = variants,
     .needs = IOT_FACTORS},
    {PARIO_FIELD("nodalvars", INT, AT(nodal)), .member = "nodal_variables",
     .rules = PARIO_FIELD_IF_SET, .needs = IOT_MESH},
    {PARIO_FIELD("elementvars", INT, AT(elemental)),
     .member = "element_variables", .rules = PARIO_FIELD_IF_SET,
     .needs = IOT_MESH},
    {PARIO_FIELD("scramble", INT, AT(scramble)), .needs = IOT_MESH},
    {.name = NULL},
};

/* Blocks of each process, and the matrix of its task. */
static int64_t memory_of_blocks(const struct iot_set *set, int size,
                                int node_size)
{
    (void)size;
    return (set->block_bytes + 8 * set->task_order * set->task_order) *
           node_size;
}

static int64_t memory_of_parts(const struct iot_set *set, int size,
                               int node_size)
{
    return set->file_bytes / size * node_size;
}

/* Parts with their ghost cells. */
static int64_t memory_of_halos(const struct iot_set *set, int size,
                               int node_size)
{
    double bytes = 8.0 * node_size;

    (void)size;
    for (int d = 0; d < set->ndims; d++) {
        int64_t along = set->size[d] / set->grid[d] + 2 * set->ghost;

        bytes *= (double)along;
    }
    return bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX;
}

/* What is read, sent and received beside what is there. */
static int64_t memory_of_copies(const struct iot_set *set, int size,
                                int node_size)
{
    return 4 * memory_of_parts(set, size, node_size);
}

static int64_t memory_of_whole(const struct iot_set *set, int size,
                               int node_size)
{
    return set->file_bytes + 2 * memory_of_parts(set, size, node_size);
}

static int64_t memory_given(const struct iot_set *set, int size, int node_size)
{
    return set->memory_bytes / size * node_size;
}

const struct iot_bench iot_benches[] = {
    {.test = {"single", "Lowlevel: one process, one file, blocks"},
     .class = IOT_LOWLEVEL,
     .abilities = IOT_STREAMS | IOT_FUZZY | IOT_ALONE | IOT_BYTES | IOT_BLOCKS,
     .required = STREAM,
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_blocking},
    {.test = {"multiple",
              "Lowlevel: all processes, one file, collective or not"},
     .class = IOT_LOWLEVEL,
     .abilities =
         IOT_STREAMS | IOT_FUZZY | IOT_COLLECTIVE | IOT_BYTES | IOT_BLOCKS,
     .required = STREAM | NEEDS(IOT_KW_COLLECTIVE),
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_blocking},
    {.test = {"singleI", "Lowlevel: single, nonblocking, beside a computation"},
     .class = IOT_LOWLEVEL,
     .abilities = IOT_STREAMS | IOT_TASKS | IOT_ALONE | IOT_BYTES | IOT_BLOCKS,
     .required = STREAM | NEEDS(IOT_KW_TASKLENGTH),
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_async},
    {.test = {"multipleI",
              "Lowlevel: multiple, nonblocking or split-collective"},
     .class = IOT_LOWLEVEL,
     .abilities =
         IOT_STREAMS | IOT_TASKS | IOT_COLLECTIVE | IOT_BYTES | IOT_BLOCKS,
     .required = STREAM | NEEDS(IOT_KW_TASKLENGTH),
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_async},
    {.test = {"sinunix", "Lowlevel: single with UNIX calls"},
     .class = IOT_LOWLEVEL,
     .abilities = IOT_STREAMS | IOT_FUZZY | IOT_ALONE | IOT_UNIX_CALLS |
                  IOT_BYTES | IOT_BLOCKS,
     .required = STREAM,
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_blocking},
    {.test = {"mulunix", "Lowlevel: multiple with UNIX calls"},
     .class = IOT_LOWLEVEL,
     .abilities =
         IOT_STREAMS | IOT_FUZZY | IOT_UNIX_CALLS | IOT_BYTES | IOT_BLOCKS,
     .required = STREAM,
     .last = "read",
     .plan = iot_plan_low,
     .memory = memory_of_blocks,
     .run = iot_run_blocking},
    {.test = {"matrix2D", "Kernel: a distributed 2D array, one call"},
     .class = IOT_KERNEL,
     .abilities = IOT_ARRAY | IOT_GRID | IOT_COLLECTIVE | IOT_TOGETHER,
     .required = GRID,
     .last = "read",
     .plan = iot_plan_matrix,
     .memory = memory_of_parts,
     .run = iot_run_matrix},
    {.test = {"matrix3D", "Kernel: a distributed 3D array, one call"},
     .class = IOT_KERNEL,
     .abilities =
         IOT_ARRAY | IOT_SPACE | IOT_GRID | IOT_COLLECTIVE | IOT_TOGETHER,
     .required = GRID | NEEDS(IOT_KW_ZPROC),
     .last = "read",
     .plan = iot_plan_matrix,
     .memory = memory_of_parts,
     .run = iot_run_matrix},
    {.test = {"matrix4D",
              "Kernel: a distributed 4D array with ghost cells, one call"},
     .class = IOT_KERNEL,
     .abilities = IOT_ARRAY | IOT_SPACE | IOT_LATTICE | IOT_GRID |
                  IOT_COLLECTIVE | IOT_TOGETHER,
     .required = GRID | NEEDS(IOT_KW_ZPROC) | NEEDS(IOT_KW_TPROC),
     .last = "read",
     .plan = iot_plan_matrix,
     .memory = memory_of_halos,
     .run = iot_run_matrix},
    {.test = {"nonseq", "Kernel: blocks in random order, some updated"},
     .class = IOT_KERNEL,
     .abilities = IOT_BYTES | IOT_BLOCKS | IOT_UPDATES,
     .required = STREAM | NEEDS(IOT_KW_UPDATE_FRAC),
     .last = "read",
     .plan = iot_plan_nonseq,
     .memory = memory_of_blocks,
     .run = iot_run_nonseq},
    {.test = {"gatherscat2D", "Kernel: gathered, written, read and scattered"},
     .class = IOT_KERNEL,
     .abilities = IOT_ARRAY | IOT_GRID | IOT_GATHERS,
     .required = GRID,
     .last = "read",
     .plan = iot_plan_matrix,
     .memory = memory_of_whole,
     .run = iot_run_gatherscat},
    {.test = {"sharedfp", "Kernel: shared file pointer, random sizes"},
     .class = IOT_KERNEL,
     .abilities = IOT_BYTES | IOT_RECORDS | IOT_COLLECTIVE,
     .required = NEEDS(IOT_KW_FILENAME) | NEEDS(IOT_KW_FILESIZE) |
                 NEEDS(IOT_KW_BLOCKMIN) | NEEDS(IOT_KW_BLOCKMAX),
     .last = "write",
     .plan = iot_plan_sharedfp,
     .memory = memory_of_blocks,
     .run = iot_run_sharedfp},
    {.test = {"transpose",
              "Kernel: written, read transposed; against messages"},
     .class = IOT_KERNEL,
     .abilities = IOT_ARRAY | IOT_TRANSPOSES | IOT_COLLECTIVE | IOT_TOGETHER,
     .required = NEEDS(IOT_KW_FILENAME),
     .last = "read",
     .plan = iot_plan_transpose,
     .memory = memory_of_copies,
     .run = iot_run_transpose},
    {.test = {"outofcore", "Kernel: LU decomposition of a matrix on disk"},
     .class = IOT_KERNEL,
     .abilities = IOT_ORDER | IOT_FACTORS,
     .required = NEEDS(IOT_KW_FILENAME) | NEEDS(IOT_KW_PROBLEMSIZE) |
                 NEEDS(IOT_KW_MEMORY),
     .last = "factor",
     .plan = iot_plan_outofcore,
     .memory = memory_given,
#if PARIO_HAVE_LAPACKE
     .run = iot_run_outofcore
#endif
    },
    {.test = {"irregular", "Kernel: unstructured mesh through indexed views"},
     .class = IOT_KERNEL,
     .abilities = IOT_ARRAY | IOT_MESH | IOT_COLLECTIVE | IOT_TOGETHER,
     .required = NEEDS(IOT_KW_FILENAME),
     .last = "read",
     .plan = iot_plan_irregular,
     .memory = memory_of_copies,
     .run = iot_run_irregular},
    {.test = {NULL, NULL}},
};

const struct iot_bench *iot_bench_find(const char *name)
{
    const struct iot_bench *found = NULL;

    for (const struct iot_bench *b = iot_benches; b->test.name != NULL; b++)
        if (strcasecmp(name, b->test.name) == 0 &&
            (found == NULL || strcmp(name, b->test.name) == 0))
            found = b;
    return found;
}
