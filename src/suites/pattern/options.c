/* suites/pattern/options.c - what a user can ask for, in IOR's letters where
 * they are good, and whether it makes sense. */
#include "core/units.h"
#include "suites/pattern/pattern.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(struct pattern_options, field)
#define MAX_FILE 0x1p47 /* bytes that core/data.h can tell apart */

static const char *const orders[] = {
    [PATTERN_SEQUENTIAL] = "sequential", [PATTERN_SHUFFLED] = "shuffled",
    [PATTERN_UNIFORM] = "uniform",       [PATTERN_ZIPF] = "zipf",
    [PATTERN_HOTSPOT] = "hotspot",       NULL,
};

/* One table: the options, and of those that tell a measure from another what
 * they are called in the document and in labels. */
const struct pario_field pattern_fields[] = {
    {.name = "interface",
     .letter = 'a',
     .type = PARIO_OPT_CHOICE,
     .offset = AT(interface),
     .choices = pario_interface_names,
     .label = "",
     .help = "I/O interface"},
    {.name = "order",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(order),
     .choices = orders,
     .label = "",
     .help = "of the transfers: each place once, or places that are drawn"},
    {.name = "transfer",
     .letter = 't',
     .type = PARIO_OPT_SIZE,
     .offset = AT(transfer_bytes),
     .argument = "SIZE",
     .min = 8,
     .max = 1 << 30,
     .member = "request_bytes",
     .scale = 1024,
     .unit = " KiB",
     .help = "bytes of one call"},
    {.name = "block",
     .letter = 'b',
     .type = PARIO_OPT_SIZE,
     .offset = AT(block_bytes),
     .argument = "SIZE",
     .min = 8,
     .max = MAX_FILE,
     .member = "block_bytes",
     .scale = 1024,
     .unit = " KiB",
     .help = "contiguous bytes of one process in one segment"},
    {.name = "segments",
     .letter = 's',
     .type = PARIO_OPT_INT,
     .offset = AT(segments),
     .argument = "N",
     .min = 1,
     .max = 1e12,
     .help = "a segment is one block of each process"},
    {.name = "queue-depth",
     .type = PARIO_OPT_INT,
     .offset = AT(queue_depth),
     .argument = "N",
     .min = 1,
     .max = 256,
     .member = "queue_depth",
     .label = "queue depth",
     .help = "requests under way at once, with io_uring"},
    {.name = "file-per-process",
     .letter = 'F',
     .type = PARIO_OPT_FLAG,
     .offset = AT(file_per_process),
     .rules = PARIO_FIELD_SAID,
     .help = "one file for each process instead of one for all"},
    {.name = "write",
     .letter = 'w',
     .type = PARIO_OPT_FLAG,
     .offset = AT(write),
     .rules = PARIO_FIELD_SAID,
     .help = "write (with neither -w nor -r: both)"},
    {.name = "read",
     .letter = 'r',
     .type = PARIO_OPT_FLAG,
     .offset = AT(read),
     .rules = PARIO_FIELD_SAID,
     .help = "read; without -w the file of -o, or one prepared beforehand"},
    {.name = "repetitions",
     .letter = 'i',
     .type = PARIO_OPT_INT,
     .offset = AT(repetitions),
     .argument = "N",
     .min = 1,
     .max = 100000,
     .rules = PARIO_FIELD_SAID,
     .help = "of everything, each with a new file"},
    {.name = "fsync",
     .letter = 'e',
     .type = PARIO_OPT_FLAG,
     .offset = AT(fsync),
     .help = "a write ends when its data is durable"},
    {.name = "collective",
     .letter = 'c',
     .type = PARIO_OPT_FLAG,
     .offset = AT(collective),
     .rules = PARIO_FIELD_IF_SET,
     .help = "collective calls of MPI-IO"},
    {.name = "view",
     .letter = 'V',
     .type = PARIO_OPT_FLAG,
     .offset = AT(view),
     .rules = PARIO_FIELD_IF_SET,
     .help = "each process sees its own blocks through an MPI file view"},
    {.name = "direct",
     .letter = 'B',
     .type = PARIO_OPT_FLAG,
     .offset = AT(direct),
     .help = "O_DIRECT"},
    {.name = "alignment",
     .letter = 'J',
     .type = PARIO_OPT_SIZE,
     .offset = AT(alignment_bytes),
     .argument = "SIZE",
     .min = 0,
     .max = 1 << 30,
     .member = "alignment_bytes",
     .rules = PARIO_FIELD_IF_SET,
     .help = "blocks of a shared file begin at multiples of SIZE"},
    {.name = "shuffle",
     .letter = 'z',
     .type = PARIO_OPT_FLAG,
     .offset = AT(shuffled),
     .rules = PARIO_FIELD_SAID,
     .help = "--order shuffled"},
    {.name = "zipf",
     .type = PARIO_OPT_REAL,
     .offset = AT(zipf),
     .argument = "EXPONENT",
     .min = 0.01,
     .max = 10,
     .member = "exponent",
     .needs = PATTERN_HAS_EXPONENT,
     .help = "of --order zipf"},
    {.name = "hot-data",
     .type = PARIO_OPT_REAL,
     .offset = AT(hot_data),
     .argument = "PERCENT",
     .min = 0,
     .max = 100,
     .member = "hot_data_percent",
     .needs = PATTERN_HAS_HOTSPOT,
     .help = "of the data is hot, with --order hotspot ..."},
    {.name = "hot-calls",
     .type = PARIO_OPT_REAL,
     .offset = AT(hot_calls),
     .argument = "PERCENT",
     .min = 0,
     .max = 100,
     .member = "hot_calls_percent",
     .needs = PATTERN_HAS_HOTSPOT,
     .help = "... and so much of the calls goes there"},
    {.name = "read-share",
     .type = PARIO_OPT_REAL,
     .offset = AT(read_share),
     .argument = "PERCENT",
     .min = -1,
     .max = 100,
     .member = "read_percent",
     .needs = PATTERN_MIXES,
     .help = "reads and writes mixed, so many of them reads (-1: no mix)"},
    {.name = "sizes",
     .type = PARIO_OPT_STRING,
     .offset = AT(sizes),
     .argument = "SIZE/WEIGHT:...",
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET,
     .help = "transfers of several sizes, as 4k/60:64k/40"},
    {.name = "rate",
     .type = PARIO_OPT_SIZE,
     .offset = AT(rate),
     .argument = "SIZE",
     .min = 0,
     .max = 1e15,
     .member = "rate_bytes_per_s",
     .rules = PARIO_FIELD_IF_SET,
     .help = "at most SIZE per second of each process (0: no limit)"},
    {.name = "think",
     .type = PARIO_OPT_TIME,
     .offset = AT(think_s),
     .argument = "TIME",
     .min = 0,
     .max = 3600,
     .member = "think_s",
     .rules = PARIO_FIELD_IF_SET,
     .help = "wait after each call"},
    {.name = "over-time",
     .type = PARIO_OPT_TIME,
     .offset = AT(interval_s),
     .argument = "TIME",
     .min = 0,
     .max = 3600,
     .rules = PARIO_FIELD_SAID,
     .help = "record the bytes of each TIME"},
    {.name = "reorder",
     .letter = 'C',
     .type = PARIO_OPT_FLAG,
     .offset = AT(reorder),
     .rules = PARIO_FIELD_IF_SET,
     .help = "a process reads what one of the next node has written"},
    {.name = "task-offset",
     .letter = 'Q',
     .type = PARIO_OPT_INT,
     .offset = AT(task_offset),
     .argument = "N",
     .min = 1,
     .max = 1e9,
     .rules = PARIO_FIELD_SAID,
     .help = "... N nodes further on"},
    {.name = "reorder-random",
     .letter = 'Z',
     .type = PARIO_OPT_FLAG,
     .offset = AT(reorder_random),
     .member = "reorder_random",
     .rules = PARIO_FIELD_IF_SET,
     .help = "a process reads what a random one has written"},
    {.name = "reorder-seed",
     .letter = 'X',
     .type = PARIO_OPT_INT,
     .offset = AT(reorder_seed),
     .argument = "N",
     .rules = PARIO_FIELD_SAID,
     .help = "seed of --reorder-random"},
    {.name = "stonewall",
     .letter = 'D',
     .type = PARIO_OPT_TIME,
     .offset = AT(stonewall_s),
     .argument = "TIME",
     .min = 0,
     .max = 1e6,
     .member = "stonewall_s",
     .rules = PARIO_FIELD_IF_SET,
     .help = "no process begins a transfer after TIME"},
    {.name = "wear-out",
     .type = PARIO_OPT_FLAG,
     .offset = AT(wear_out),
     .member = "wear_out",
     .rules = PARIO_FIELD_IF_SET,
     .help = "... but all go on until they have done what the fastest had"},
    {.name = "fsync-every",
     .letter = 'Y',
     .type = PARIO_OPT_INT,
     .offset = AT(fsync_every),
     .argument = "N",
     .min = 0,
     .max = 1e12,
     .member = "fsync_every",
     .rules = PARIO_FIELD_IF_SET,
     .help = "sync after every N writes (-Y: after each)"},
    {.name = "file",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = AT(file),
     .argument = "FILE",
     .rules = PARIO_FIELD_SAID,
     .help = "name of the test file; the result document is --output"},
    {.name = "keep-file",
     .letter = 'k',
     .type = PARIO_OPT_FLAG,
     .offset = AT(keep_file),
     .rules = PARIO_FIELD_SAID,
     .help = "keep the test file by that name"},
    {.name = "delay",
     .letter = 'd',
     .type = PARIO_OPT_TIME,
     .offset = AT(delay_s),
     .argument = "TIME",
     .min = 0,
     .max = 86400,
     .rules = PARIO_FIELD_SAID,
     .help = "wait before each repetition"},
    {.name = "script",
     .letter = 'f',
     .type = PARIO_OPT_STRING,
     .offset = AT(script),
     .argument = "FILE",
     .rules = PARIO_FIELD_SAID,
     .help = "an IOR script: the cases are run one after the other"},
    {.name = "fio",
     .type = PARIO_OPT_STRING,
     .offset = AT(fio),
     .argument = "FILE",
     .rules = PARIO_FIELD_SAID,
     .help = "the same for a job file of fio"},
    {.name = NULL},
};

const struct pattern_options pattern_defaults = {
    .block_bytes = 1 << 20,
    .transfer_bytes = 256 << 10,
    .segments = 1,
    .task_offset = 1,
    .repetitions = 1,
    .queue_depth = 1,
    .read_share = -1,
    .zipf = 1.1,
    .hot_data = 10,
    .hot_calls = 90,
};

int pattern_draws(const struct pattern_options *options)
{
    return options->order > PATTERN_SHUFFLED || options->read_share >= 0 ||
           options->sizes != NULL;
}

/* What is drawn needs a file that is there, and calls that are independent. */
static int check_draws(const struct pattern_options *options)
{
    struct pattern_sizes sizes = {.count = 0};
    int code = options->sizes != NULL
                   ? pattern_sizes_parse(options->sizes, &sizes)
                   : 0;

    if (code != 0 || !pattern_draws(options))
        return code;
    for (int i = 0; i < sizes.count; i++)
        if (options->block_bytes % sizes.bytes[i] != 0)
            return pario_fail(PARIO_EUSAGE,
                              "--sizes: %lld bytes do not divide the block's "
                              "%lld (-b)",
                              (long long)sizes.bytes[i],
                              (long long)options->block_bytes);
    if (options->sizes != NULL && options->order == PATTERN_SHUFFLED)
        return pario_fail(PARIO_EUSAGE, "--sizes with --order shuffled: use "
                                        "--order uniform");
    if (options->collective || options->view)
        return pario_fail(PARIO_EUSAGE,
                          "--%s: transfers that are drawn are independent; "
                          "leave it out",
                          options->collective ? "collective" : "view");
    if (options->read_share >= 0 && (options->write || options->read))
        return pario_fail(PARIO_EUSAGE, "--read-share is a mix of both; leave "
                                        "-w and -r out");
    if (options->keep_file)
        return pario_fail(PARIO_EUSAGE, "--keep-file: what is drawn leaves no "
                                        "file worth keeping; leave -k out");
    return 0;
}

static int check_sizes(const struct pattern_options *options, int processes)
{
    if (options->transfer_bytes % 8 != 0)
        return pario_fail(PARIO_EUSAGE,
                          "--transfer: %lld bytes are no multiple of 8 (the "
                          "data is checked by words of 8 bytes)",
                          (long long)options->transfer_bytes);
    if (options->block_bytes % options->transfer_bytes != 0)
        return pario_fail(PARIO_EUSAGE,
                          "--block: %lld bytes are no multiple of the "
                          "transfer's %lld (-t)",
                          (long long)options->block_bytes,
                          (long long)options->transfer_bytes);
    if (options->alignment_bytes % 8 != 0)
        return pario_fail(PARIO_EUSAGE,
                          "--alignment: %lld bytes are no multiple of 8",
                          (long long)options->alignment_bytes);
    if (((double)options->block_bytes + (double)options->alignment_bytes) *
            (double)options->segments * processes >
        MAX_FILE)
        return pario_fail(PARIO_EUSAGE,
                          "--block, --segments: more than 128 TiB in all; "
                          "choose fewer segments");
    return 0;
}

static int check_interface(const struct pattern_options *options)
{
    int mpiio = strcmp(pario_interface_names[options->interface], "mpiio") == 0;
    int uring = strcmp(pario_interface_names[options->interface], "uring") == 0;

    if ((options->collective || options->view) && !mpiio)
        return pario_fail(PARIO_EUSAGE, "--%s needs MPI-IO: -a mpiio",
                          options->collective ? "collective" : "view");
    if (options->fsync_every > 0 && mpiio)
        return pario_fail(PARIO_EUSAGE,
                          "--fsync-every: MPI-IO syncs only together; use -a "
                          "posix or -a uring, or -e for a sync at the end");
    if (options->direct && mpiio)
        return pario_fail(PARIO_EUSAGE, "--direct: MPI-IO has no O_DIRECT; "
                                        "use -a posix or -a uring");
    if (options->queue_depth > 1 && !uring)
        return pario_fail(PARIO_EUSAGE,
                          "--queue-depth %lld: only io_uring keeps a queue "
                          "here; use -a uring",
                          (long long)options->queue_depth);
    return 0;
}

static int check_order(const struct pattern_options *options)
{
    if (options->collective && options->file_per_process)
        return pario_fail(PARIO_EUSAGE,
                          "--collective with --file-per-process: nothing is "
                          "there to do together; leave one of them out");
    if (options->view && options->order != PATTERN_SEQUENTIAL)
        return pario_fail(PARIO_EUSAGE,
                          "--view with --order %s: a process "
                          "sees only its own blocks; leave -V "
                          "out",
                          orders[options->order]);
    if (options->reorder && options->reorder_random)
        return pario_fail(PARIO_EUSAGE,
                          "--reorder and --reorder-random: choose one");
    if (options->wear_out && options->stonewall_s <= 0)
        return pario_fail(PARIO_EUSAGE,
                          "--wear-out needs a stonewall: -D SECONDS");
    if (options->keep_file && options->file != NULL && options->read &&
        !options->write)
        return pario_fail(PARIO_EUSAGE,
                          "--keep-file: a file that is only read is kept "
                          "anyway; leave -k out");
    return 0;
}

int pattern_check(struct pattern_options *options, int processes)
{
    int code;

    if (options->shuffled && options->order == PATTERN_SEQUENTIAL)
        options->order = PATTERN_SHUFFLED;
    if (options->shuffled && options->order != PATTERN_SHUFFLED)
        return pario_fail(PARIO_EUSAGE, "--shuffle and --order %s: choose one",
                          orders[options->order]);
    if (!options->write && !options->read && options->read_share < 0)
        options->write = options->read = 1;
    code = check_sizes(options, processes);
    if (code == 0)
        code = check_draws(options);
    if (code == 0)
        code = check_interface(options);
    return code != 0 ? code : check_order(options);
}
