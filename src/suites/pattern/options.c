/* suites/pattern/options.c - what a user can ask for, in IOR's letters where
 * they are good, and whether it makes sense. */
#include "core/units.h"
#include "suites/pattern/pattern.h"
#include "suites/shared_fields.h"

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
    {PARIO_SHARED_INTERFACE(AT(interface)), .letter = 'a', .label = "",
     .help = "I/O interface"},
    {PARIO_FIELD("order", CHOICE, AT(order)), .choices = orders, .label = "",
     .help = "of the transfers: each place once, or places that are drawn"},
    {PARIO_OPTION("transfer", SIZE, AT(transfer_bytes), "SIZE"),
     PARIO_RANGE(8, 1 << 30), .letter = 't', .member = "request_bytes",
     .scale = 1024, .unit = " KiB", .help = "bytes of one call"},
    {PARIO_OPTION("block", SIZE, AT(block_bytes), "SIZE"),
     PARIO_RANGE(8, MAX_FILE), .letter = 'b', .member = "block_bytes",
     .scale = 1024, .unit = " KiB",
     .help = "contiguous bytes of one process in one segment"},
    {PARIO_OPTION("segments", INT, AT(segments), "N"), PARIO_RANGE(1, 1e12),
     .letter = 's', .help = "a segment is one block of each process"},
    {PARIO_SHARED_QUEUE_DEPTH(AT(queue_depth), 256),
     .help = "requests under way at once, with io_uring"},
    {PARIO_FLAG("file-per-process", AT(file_per_process)), .letter = 'F',
     .rules = PARIO_FIELD_SAID,
     .help = "one file for each process instead of one for all"},
    {PARIO_FLAG("write", AT(write)), .letter = 'w', .rules = PARIO_FIELD_SAID,
     .help = "write (with neither -w nor -r: both)"},
    {PARIO_FLAG("read", AT(read)), .letter = 'r', .rules = PARIO_FIELD_SAID,
     .help = "read; without -w the file of -o, or one prepared beforehand"},
    {PARIO_OPTION("repetitions", INT, AT(repetitions), "N"),
     PARIO_RANGE(1, 100000), .letter = 'i', .rules = PARIO_FIELD_SAID,
     .help = "of everything, each with a new file"},
    {PARIO_FLAG("fsync", AT(fsync)), .letter = 'e',
     .help = "a write ends when its data is durable"},
    {PARIO_FLAG("collective", AT(collective)), .letter = 'c',
     .rules = PARIO_FIELD_IF_SET, .help = "collective calls of MPI-IO"},
    {PARIO_FLAG("view", AT(view)), .letter = 'V', .rules = PARIO_FIELD_IF_SET,
     .help = "each process sees its own blocks through an MPI file view"},
    {PARIO_SHARED_DIRECT(AT(direct)), .letter = 'B', .help = "O_DIRECT"},
    {PARIO_OPTION("alignment", SIZE, AT(alignment_bytes), "SIZE"),
     PARIO_RANGE(0, 1 << 30), .letter = 'J', .member = "alignment_bytes",
     .rules = PARIO_FIELD_IF_SET,
     .help = "blocks of a shared file begin at multiples of SIZE"},
    {PARIO_FLAG("shuffle", AT(shuffled)), .letter = 'z',
     .rules = PARIO_FIELD_SAID, .help = "--order shuffled"},
    {PARIO_FLAG("whole-blocks", AT(whole_blocks)), .member = "whole_blocks",
     .rules = PARIO_FIELD_IF_SET,
     .help = "what is drawn are blocks; their transfers come in order"},
    {PARIO_OPTION("zipf", REAL, AT(zipf), "EXPONENT"), PARIO_RANGE(0.01, 10),
     .member = "exponent", .needs = PATTERN_HAS_EXPONENT,
     .help = "of --order zipf"},
    {PARIO_OPTION("hot-data", REAL, AT(hot_data), "PERCENT"),
     PARIO_RANGE(0, 100), .member = "hot_data_percent",
     .needs = PATTERN_HAS_HOTSPOT,
     .help = "of the data is hot, with --order hotspot ..."},
    {PARIO_OPTION("hot-calls", REAL, AT(hot_calls), "PERCENT"),
     PARIO_RANGE(0, 100), .member = "hot_calls_percent",
     .needs = PATTERN_HAS_HOTSPOT,
     .help = "... and so much of the calls goes there"},
    {PARIO_OPTION("read-share", REAL, AT(read_share), "PERCENT"),
     PARIO_RANGE(-1, 100), .member = "read_percent", .needs = PATTERN_MIXES,
     .help = "reads and writes mixed, so many of them reads (-1: no mix)"},
    {PARIO_OPTION("sizes", STRING, AT(sizes), "SIZE/WEIGHT:..."),
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_QUIET,
     .help = "transfers of several sizes, as 4k/60:64k/40"},
    {PARIO_OPTION("rate", SIZE, AT(rate), "SIZE"), PARIO_RANGE(0, 1e15),
     .member = "rate_bytes_per_s", .rules = PARIO_FIELD_IF_SET,
     .help = "at most SIZE per second of each process (0: no limit)"},
    {PARIO_OPTION("think", TIME, AT(think_s), "TIME"), PARIO_RANGE(0, 3600),
     .member = "think_s", .rules = PARIO_FIELD_IF_SET,
     .help = "wait after each call"},
    {PARIO_OPTION("over-time", TIME, AT(interval_s), "TIME"),
     PARIO_RANGE(0, 3600), .rules = PARIO_FIELD_SAID,
     .help = "record the bytes of each TIME"},
    {PARIO_FLAG("reorder", AT(reorder)), .letter = 'C',
     .rules = PARIO_FIELD_IF_SET,
     .help = "a process reads what one of the next node has written"},
    {PARIO_OPTION("task-offset", INT, AT(task_offset), "N"),
     PARIO_RANGE(1, 1e9), .letter = 'Q', .rules = PARIO_FIELD_SAID,
     .help = "... N nodes further on"},
    {PARIO_FLAG("reorder-random", AT(reorder_random)), .letter = 'Z',
     .member = "reorder_random", .rules = PARIO_FIELD_IF_SET,
     .help = "a process reads what a random one has written"},
    {PARIO_OPTION("reorder-seed", INT, AT(reorder_seed), "N"), .letter = 'X',
     .rules = PARIO_FIELD_SAID, .help = "seed of --reorder-random"},
    {PARIO_OPTION("stonewall", TIME, AT(stonewall_s), "TIME"),
     PARIO_RANGE(0, 1e6), .letter = 'D', .member = "stonewall_s",
     .rules = PARIO_FIELD_IF_SET,
     .help = "no process begins a transfer after TIME"},
    {PARIO_FLAG("wear-out", AT(wear_out)), .member = "wear_out",
     .rules = PARIO_FIELD_IF_SET,
     .help = "... but all go on until they have done what the fastest had"},
    {PARIO_FLAG("time-based", AT(time_based)), .member = "time_based",
     .rules = PARIO_FIELD_IF_SET,
     .help = "... and what was moved is moved again until then"},
    {PARIO_OPTION("fsync-every", INT, AT(fsync_every), "N"),
     PARIO_RANGE(0, 1e12), .letter = 'Y', .member = "fsync_every",
     .rules = PARIO_FIELD_IF_SET,
     .help = "sync after every N writes (-Y: after each)"},
    {PARIO_OPTION("file", STRING, AT(file), "FILE"), .letter = 'o',
     .rules = PARIO_FIELD_SAID,
     .help = "name of the test file; the result document is --output"},
    {PARIO_FLAG("keep-file", AT(keep_file)), .letter = 'k',
     .rules = PARIO_FIELD_SAID, .help = "keep the test file by that name"},
    {PARIO_FLAG("multi-file", AT(multi_file)), .letter = 'm',
     .rules = PARIO_FIELD_SAID,
     .help = "a file for each repetition: always so (not with -k)"},
    {PARIO_OPTION("delay", TIME, AT(delay_s), "TIME"), PARIO_RANGE(0, 86400),
     .letter = 'd', .rules = PARIO_FIELD_SAID,
     .help = "wait before each repetition"},
    {PARIO_OPTION("script", STRING, AT(script), "FILE"), .letter = 'f',
     .rules = PARIO_FIELD_SAID,
     .help = "an IOR script: the cases are run one after the other"},
    {PARIO_OPTION("tasks", INT, AT(tasks), "N"), PARIO_RANGE(0, 1e9),
     .letter = 'N', .rules = PARIO_FIELD_SAID,
     .help = "refuse any other number of processes (0: take all there are)"},
    {PARIO_OPTION("fio", STRING, AT(fio), "FILE"), .rules = PARIO_FIELD_SAID,
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
    if (options->whole_blocks && options->sizes != NULL)
        return pario_fail(PARIO_EUSAGE, "--whole-blocks with --sizes: choose "
                                        "one");
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

/* What would be taken and do nothing. */
static int check_idle(const struct pattern_options *options)
{
    if (options->order != PATTERN_ZIPF &&
        options->zipf != pattern_defaults.zipf)
        return pario_fail(PARIO_EUSAGE,
                          "--zipf with --order %s: it is the exponent of "
                          "--order zipf",
                          orders[options->order]);
    if (options->order != PATTERN_HOTSPOT &&
        (options->hot_data != pattern_defaults.hot_data ||
         options->hot_calls != pattern_defaults.hot_calls))
        return pario_fail(PARIO_EUSAGE,
                          "--hot-data, --hot-calls with --order %s: they are "
                          "of --order hotspot",
                          orders[options->order]);
    if (options->reorder_random && options->task_offset > 1)
        return pario_fail(PARIO_EUSAGE,
                          "--task-offset with --reorder-random: who reads "
                          "what is drawn; leave -Q or -Z out");
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
    if (options->whole_blocks && options->order <= PATTERN_SHUFFLED)
        return pario_fail(PARIO_EUSAGE,
                          "--whole-blocks: no place is drawn with --order %s; "
                          "use --order uniform, zipf or hotspot",
                          orders[options->order]);
    if (options->reorder && options->reorder_random)
        return pario_fail(PARIO_EUSAGE,
                          "--reorder and --reorder-random: choose one");
    if (options->wear_out && options->stonewall_s <= 0)
        return pario_fail(PARIO_EUSAGE,
                          "--wear-out needs a stonewall: -D SECONDS");
    if (options->time_based && options->stonewall_s <= 0)
        return pario_fail(PARIO_EUSAGE,
                          "--time-based needs a time: -D SECONDS (fio: "
                          "runtime)");
    if (options->keep_file && options->multi_file)
        return pario_fail(PARIO_EUSAGE,
                          "--multi-file with --keep-file: only the file of "
                          "the last repetition is kept; leave -m out");
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
    if (options->tasks > 0 && options->tasks != processes)
        return pario_fail(PARIO_EUSAGE,
                          "--tasks %lld: here %s %d; start that many "
                          "processes: pario -n %lld pattern",
                          (long long)options->tasks,
                          processes == 1 ? "is" : "are", processes,
                          (long long)options->tasks);
    code = check_sizes(options, processes);
    if (code == 0)
        code = check_draws(options);
    if (code == 0)
        code = check_interface(options);
    if (code == 0)
        code = check_idle(options);
    return code != 0 ? code : check_order(options);
}
