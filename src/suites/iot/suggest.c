/* suites/iot/suggest.c - short preliminary tests, and a parameter file made
 * from what they show (5.1.3: which block sizes; 7.2: which file sizes). */
#include "suites/iot/suggest.h"
#include "core/cleanup.h"
#include "core/output.h"

#include "core/clock.h"
#include "core/units.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BLOCK 1000 /* bytes; then by factors of 4 (5.2) */
#define BLOCKS 7         /* up to 4.096 MB */
#define UNIT 4096000     /* file sizes: whole numbers of every block size */
#define SIZES 8
#define KNEE 0.6 /* of the best: here the cache ends */
#define WORTH                                                                  \
    0.05          /* of the best: below this a block size is of no interest    \
                   */
#define FULL 0.95 /* of the best: beyond this blocks need not grow */

struct suggest {
    struct pario_run *run;
    const char *dir;
    double seconds; /* for all preliminary tests */
    int64_t begin_ns;
    struct iot_context context;
    struct iot_test test;
    struct iot_set set;
    char filename[4300], timings[4300], input[1];   /* the input is empty */
    double block_write[BLOCKS], block_read[BLOCKS]; /* MB/s */
    int first_block, last_block;                    /* worth testing */
    int64_t size[SIZES];
    double size_write[SIZES], size_read[SIZES]; /* MB/s of the loops */
    int nsizes, knee; /* sizes tested; the first beyond the cache, or -1 */
    int64_t cache_bytes, disk_bytes; /* file sizes on the plateaus; 0: none */
};

static int64_t block_bytes(int i)
{
    return (int64_t)FIRST_BLOCK << (2 * i);
}

/* Collective. One parameter set, as `pario iot` would run it. */
static int try_set(struct suggest *suggest, int64_t file, int64_t block)
{
    struct iot_context *context = &suggest->context;
    int code;

    suggest->set.file_bytes = file;
    suggest->set.block_bytes = block;
    suggest->set.number = ++context->number;
    context->created = 0;
    context->data.file++;
    code = iot_run_blocking(context);
    if (code == 0 && context->rank == 0 &&
        pario_own_unlink(suggest->filename) != 0)
        code = pario_fail_errno(-errno, "cannot remove %s", suggest->filename);
    return pario_agree(suggest->run->world, code);
}

/* Collective: rank 0's clock decides. */
static int time_over(const struct suggest *suggest, double share)
{
    int64_t over =
        pario_clock_since_s(suggest->begin_ns) > share * suggest->seconds;

    return pario_bcast(suggest->run->world, &over, sizeof(over)) != 0 || over;
}

/* Two blocks of the largest size for each process, and not too few calls. */
static int64_t smallest_file(const struct suggest *suggest)
{
    int64_t units = 2 * (int64_t)suggest->context.size;

    return (units < 4 ? 4 : units) * UNIT;
}

/* Small files, all block sizes: what does a call cost beside its bytes? */
static int try_blocks(struct suggest *suggest)
{
    int64_t file = smallest_file(suggest);
    double best = 0;
    int code = 0;

    for (int i = BLOCKS - 1; code == 0 && i >= 0; i--) {
        if (i < BLOCKS - 1 && time_over(suggest, 0.5))
            break;
        code = try_set(suggest, file, block_bytes(i));
        suggest->block_write[i] = suggest->context.loop_mbps;
        suggest->block_read[i] = suggest->context.mbps;
        best = fmax(best, suggest->block_write[i]);
    }
    for (int i = BLOCKS - 1; i >= 0; i--) {
        if (suggest->block_write[i] >= WORTH * best)
            suggest->first_block = i;
        if (suggest->block_write[i] >= FULL * best)
            suggest->last_block = i;
    }
    return code;
}

/* Files by factors of 4, as far as time and space go. */
static int try_sizes(struct suggest *suggest)
{
    int64_t most = suggest->run->fs.free_bytes / 4;
    double best = 0, begin, took = 0;
    int code = 0;

    suggest->knee = -1;
    for (int i = 0; code == 0 && i < SIZES; i++) {
        int64_t size = smallest_file(suggest) << (2 * i);
        double left = suggest->seconds - pario_clock_since_s(suggest->begin_ns);
        int64_t enough = i == 0 || 5 * took < left;

        code = pario_bcast(suggest->run->world, &enough, sizeof(enough));
        if (code != 0 || !enough || size > most)
            break;
        begin = pario_clock_s();
        code = try_set(suggest, size, block_bytes(suggest->last_block));
        took = pario_clock_s() - begin;
        suggest->size[i] = size;
        suggest->size_write[i] = suggest->context.loop_mbps;
        suggest->size_read[i] = suggest->context.mbps;
        suggest->nsizes = i + 1;
    }
    for (int i = 0; i < suggest->nsizes; i++) {
        best = fmax(best, suggest->size_write[i]);
        if (suggest->size_write[i] >= KNEE * best)
            suggest->knee = -1; /* it was no more than scatter */
        else if (suggest->knee < 0)
            suggest->knee = i;
    }
    return code;
}

/* A size well inside the cache and one well beyond it. */
static void choose_sizes(struct suggest *suggest)
{
    const struct pario_run *run = suggest->run;
    int64_t capacity =
        pario_node_cache_capacity(&run->node) * pario_group_nodes(run->world);
    int64_t free_bytes = run->fs.free_bytes;
    int last = suggest->nsizes - 1;

    if (last < 0)
        return;
    suggest->cache_bytes = suggest->knee > 0
                               ? suggest->size[suggest->knee - 1] / 4
                               : suggest->size[last > 0 ? last - 1 : 0];
    if (suggest->cache_bytes < suggest->size[0])
        suggest->cache_bytes = suggest->size[0];
    if (run->fs.memory_backed)
        return;
    suggest->disk_bytes =
        suggest->knee >= 0 ? suggest->size[suggest->knee] * 4 : 2 * capacity;
    if (suggest->disk_bytes > free_bytes / 2)
        suggest->disk_bytes = free_bytes / 2;
    suggest->disk_bytes -= suggest->disk_bytes % UNIT;
    if (suggest->disk_bytes <= suggest->cache_bytes)
        suggest->disk_bytes = 0;
}

static void write_findings(const struct suggest *suggest, FILE *out)
{
    const struct pario_run *run = suggest->run;
    char size[PARIO_UNITS_LEN];

    fprintf(out,
            "# Parameters for the Parallel I/O Test Suite, made by `pario iot "
            "suggest %s`\n# for %d processes, %s, file system %s.\n#\n"
            "# Block sizes (writes and reads in a small file, MB/s):\n",
            suggest->dir, pario_group_size(run->world), pario_par_library(),
            run->fs.type);
    for (int i = 0; i < BLOCKS; i++)
        if (suggest->block_write[i] > 0)
            fprintf(out, "#   %9g MB  %9.1f  %9.1f%s\n",
                    (double)block_bytes(i) / 1e6, suggest->block_write[i],
                    suggest->block_read[i],
                    i < suggest->first_block  ? "  of no interest: too slow"
                    : i > suggest->last_block ? "  no faster: left out"
                                              : "");
    fprintf(out, "# File sizes (the loops alone, without sync, MB/s):\n");
    for (int i = 0; i < suggest->nsizes; i++)
        fprintf(out, "#   %9g MB  %9.1f  %9.1f%s\n",
                (double)suggest->size[i] / 1e6, suggest->size_write[i],
                suggest->size_read[i],
                i == suggest->knee ? "  here the cache ends" : "");
    if (run->fs.memory_backed)
        fprintf(out, "# The file system is in memory: there is one plateau, "
                     "and no disk behind it.\n");
    else if (suggest->knee < 0)
        fprintf(out,
                "# No end of the cache was seen up to there. The disk plateau "
                "is a guess: twice what\n# the page cache can hold (%s), or "
                "half of the free space.\n",
                pario_size_print_short(pario_node_cache_capacity(&run->node) *
                                           pario_group_nodes(run->world),
                                       size));
    fputc('\n', out);
}

static void write_blocks(const struct suggest *suggest, FILE *out)
{
    fprintf(out, "numblocksize %d\nblocksize",
            suggest->last_block - suggest->first_block + 1);
    for (int i = suggest->first_block; i <= suggest->last_block; i++)
        fprintf(out, " %g", (double)block_bytes(i) / 1e6);
    fputc('\n', out);
}

static void write_low(const struct suggest *suggest, FILE *out,
                      const char *name, const char *more)
{
    int plateaus = suggest->disk_bytes > 0 ? 2 : 1;

    fprintf(out, "classname Lowlevel\ntestname %s\nfilename %s/iot.tst\n", name,
            suggest->dir);
    fprintf(out, "# %s\nnumfilesize %d\nfilesize %.12g",
            plateaus == 2 ? "the cache plateau and the disk plateau"
                          : "the one plateau there is",
            plateaus, (double)suggest->cache_bytes / 1e6);
    if (plateaus == 2)
        fprintf(out, " %.12g", (double)suggest->disk_bytes / 1e6);
    fputc('\n', out);
    write_blocks(suggest, out);
    fprintf(out, "%s\n", more);
}

/* The matrix of about so many bytes that divides by the processes and fits in
 * half of the memory. */
static int64_t order_of(const struct suggest *suggest, int64_t bytes)
{
    int64_t size = suggest->context.size;
    int64_t memory = suggest->run->node.memory_free_bytes / 2 *
                     pario_group_nodes(suggest->run->world);
    int64_t n = (int64_t)sqrt((double)(bytes < memory ? bytes : memory) / 8);

    return n < size ? size : n - n % size;
}

static void write_kernels(const struct suggest *suggest, FILE *out)
{
    int plateaus = suggest->disk_bytes > 0 ? 2 : 1;

    fprintf(out,
            "# Kernel tests on the same plateaus (6.2.1). The grid of "
            "processes: rows of blocks.\nclassname Kernel\ntestname "
            "matrix2D\nfilename %s/iot.tst\nnumsizes %d\nproblemsize %lld",
            suggest->dir, plateaus,
            (long long)order_of(suggest, suggest->cache_bytes));
    if (plateaus == 2)
        fprintf(out, ", %lld",
                (long long)order_of(suggest, suggest->disk_bytes));
    fprintf(out,
            "\nnumprocgrids 1\nxproc %d\nyproc 1\ncollective true\n\n"
            "# Pages in random order (6.3): the block size is the page size; "
            "one file size is enough.\nclassname Kernel\ntestname nonseq\n"
            "filename %s/iot.tst\nfilesize %.12g\nnumblocksize 1\nblocksize "
            "0.004096\nnumupdate 3\nupdate_frac 0 0.1 0.5\n",
            suggest->context.size, suggest->dir,
            (double)suggest->cache_bytes / 1e6);
}

static void write_text(const struct suggest *suggest, FILE *out)
{
    write_findings(suggest, out);
    fprintf(out, "timingsfilename all.out\n\n");
    write_low(suggest, out, "single", "");
    write_low(suggest, out, "multiple", "collective false\n");
    write_low(suggest, out, "multiple", "collective true\n");
    write_kernels(suggest, out);
}

static int write_params(const struct suggest *suggest, const char *path)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "cannot write %s", path);
    write_text(suggest, out);
    if (fclose(out) != 0)
        code = pario_fail_errno(-ENOMEM, "cannot write %s", path);
    else
        code = pario_output_file(path, suggest->run->common.force, text, len);
    free(text);
    if (code == 0)
        pario_progress_note(&suggest->run->progress, "%s is written", path);
    return code;
}

/* --dry-run, rank 0. */
static void print_plan(const struct suggest *suggest, const char *path)
{
    char size[PARIO_UNITS_LEN];

    printf("iot suggest: %d processes, `multiple` in %s\n"
           "  block sizes from %g to %g MB by factors of 4, in a file of %s\n",
           suggest->context.size, suggest->dir, (double)block_bytes(0) / 1e6,
           (double)block_bytes(BLOCKS - 1) / 1e6,
           pario_size_print_short(smallest_file(suggest), size));
    printf("  files that grow by factors of 4, up to a quarter of the free "
           "space\n  time: about %g s (--time)\n  then writes %s\n",
           suggest->seconds, path);
}

static int prepare(struct suggest *suggest, const struct iot_options *options)
{
    struct pario_run *run = suggest->run;
    int code = 0;

    if (run->noperands != 2)
        return pario_fail(PARIO_EUSAGE, "iot suggest takes one directory");
    suggest->dir = run->operands[1];
    if (pario_group_rank(run->world) == 0 && !run->common.force &&
        access(options->params, F_OK) == 0)
        code = pario_fail(-EEXIST,
                          "%s exists and is kept: name another file with "
                          "--params, or say --force",
                          options->params);
    code = pario_agree(run->world, code);
    suggest->context.size = pario_group_size(run->world);
    if (code == 0 && run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            print_plan(suggest, options->params);
        return 0;
    }
    if (code == 0)
        code = pario_run_directory(run, suggest->dir, smallest_file(suggest));
    pario_run_path(run, "iot.tst", suggest->filename,
                   sizeof(suggest->filename));
    pario_run_path(run, "timings", suggest->timings, sizeof(suggest->timings));
    return code;
}

int iot_suggest(struct pario_run *run, const struct iot_options *options)
{
    struct suggest *suggest = calloc(1, sizeof(*suggest));
    int code = suggest != NULL ? 0 : pario_fail_errno(-ENOMEM, "suggest");

    code = pario_agree(run->world, code);
    if (code != 0 || suggest == NULL) {
        free(suggest);
        return code;
    }
    suggest->run = run;
    suggest->seconds = options->time_s;
    code = prepare(suggest, options);
    if (code != 0 || run->common.dry_run) {
        free(suggest);
        return code;
    }
    suggest->test = (struct iot_test){.bench = iot_bench_find("multiple"),
                                      .filename = suggest->filename,
                                      .input = suggest->input,
                                      .set = &suggest->set,
                                      .nsets = 1};
    suggest->set = (struct iot_set){.preallocate = 0, .collective = 0};
    suggest->context = (struct iot_context){
        .run = run,
        .test = &suggest->test,
        .set = &suggest->set,
        .comm = pario_group_comm(run->world),
        .rank = pario_group_rank(run->world),
        .size = pario_group_size(run->world),
        .data = {.key = run->data_key},
        .timings = suggest->timings,
        .fs = run->fs,
    };
    suggest->context.partition = suggest->context.size;
    snprintf(suggest->context.path, sizeof(suggest->context.path), "%s",
             suggest->filename);
    suggest->begin_ns = pario_clock_ns();
    code = try_blocks(suggest);
    if (code == 0)
        code = try_sizes(suggest);
    choose_sizes(suggest);
    if (code == 0 && suggest->context.rank == 0)
        code = write_params(suggest, options->params);
    pario_hints_fini(&suggest->context.in_force);
    free(suggest);
    return pario_agree(run->world, code);
}
