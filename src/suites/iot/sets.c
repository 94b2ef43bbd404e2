/* suites/iot/sets.c - from the lists of a test to its parameter sets, and
 * what can be known to be wrong before anything runs. */
#include "suites/iot/keywords.h"

#include "pario_config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MB 1e6 /* B.4: one million bytes */
#define MAX_BYTES ((int64_t)1 << 46)
#define MAX_REPEAT 1000
#define DEFAULT_PANEL 64
#define DEFAULT_SCRAMBLE 1024
#define MAX_VARIABLES 64
#define MAX_GHOST 64     /* cells on each side */
#define MAX_ORDER 200000 /* of a matrix on disk */

static const struct iot_value *value_of(const struct iot_maker *maker,
                                        int keyword)
{
    return &maker->raw->value[keyword];
}

static int given(const struct iot_maker *maker, int keyword)
{
    return value_of(maker, keyword)->line > 0;
}

/* With `repeat` as often as that says, each with its number. */
static int add_set(struct iot_maker *maker, const struct iot_set *set)
{
    struct iot_test *test = maker->raw->test;
    const struct iot_value *repeat = value_of(maker, IOT_KW_REPEAT);
    size_t times = repeat->count > 0 ? (size_t)repeat->list[0] : 1;
    struct iot_set *grown;

    if (times < 1 || times > MAX_REPEAT) {
        if (test->nsets == 0)
            iot_error(maker->errors, repeat->line,
                      "repeat is a number from 1 to %d", MAX_REPEAT);
        times = 1;
    }
    grown = realloc(test->set, (test->nsets + times) * sizeof(*grown));
    if (grown == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make the parameter sets");
    test->set = grown;
    for (size_t i = 0; i < times; i++) {
        test->set[test->nsets] = *set;
        test->set[test->nsets].repetition =
            repeat->count > 0 ? (int64_t)i + 1 : 0;
        test->nsets++;
        test->set[test->nsets - 1].number = (int64_t)test->nsets;
    }
    return 0;
}

/* How many of a list are used: the first `number`, or all of them. */
static size_t use(struct iot_maker *maker, int number, int list)
{
    const struct iot_value *wanted = value_of(maker, number);
    const struct iot_value *values = value_of(maker, list);

    if (wanted->line == 0 || wanted->count == 0)
        return values->count;
    if (wanted->list[0] < 1 || wanted->list[0] > (double)values->count) {
        iot_error(maker->errors, wanted->line,
                  "%s is %.0f, but %s (line %d) lists %zu",
                  iot_keyword_table[number].name, wanted->list[0],
                  iot_keyword_table[list].name, values->line, values->count);
        return values->count; /* the rest is looked at all the same */
    }
    return (size_t)wanted->list[0];
}

/* The i-th size of a list in bytes: 4.1, all lengths are multiples of 8. */
static int64_t bytes_at(struct iot_maker *maker, int keyword, size_t i)
{
    const struct iot_value *value = value_of(maker, keyword);
    double bytes = value->list[i] * MB;
    int64_t rounded;

    if (bytes > (double)MAX_BYTES) {
        iot_error(maker->errors, value->line, "%s %g MB is too large",
                  iot_keyword_table[keyword].name, value->list[i]);
        return 0;
    }
    rounded = (int64_t)llround(bytes);
    if (fabs(bytes - (double)rounded) > 1e-3 || rounded % 8 != 0) {
        iot_error(maker->errors, value->line,
                  "%s %.9g MB is no multiple of 8 bytes",
                  iot_keyword_table[keyword].name, value->list[i]);
        return 0;
    }
    if (rounded == 0 && keyword != IOT_KW_BLOCKMIN)
        iot_error(maker->errors, value->line, "%s must be above 0",
                  iot_keyword_table[keyword].name);
    return rounded;
}

static int64_t count_or(const struct iot_maker *maker, int keyword,
                        int64_t other)
{
    const struct iot_value *value = value_of(maker, keyword);

    return value->count > 0 ? (int64_t)value->list[0] : other;
}

static struct iot_set basic_set(const struct iot_maker *maker)
{
    const struct iot_value *preallocate = value_of(maker, IOT_KW_PREALLOCATE);
    unsigned abilities = maker->raw->test->bench->abilities;

    return (struct iot_set){
        .line = maker->raw->test->line,
        .preallocate = preallocate->line == 0 || preallocate->flag,
        .separate = value_of(maker, IOT_KW_FILE_PER_PROCESS)->flag,
        .collective = value_of(maker, IOT_KW_COLLECTIVE)->line > 0
                          ? value_of(maker, IOT_KW_COLLECTIVE)->flag
                          : (abilities & IOT_TOGETHER) != 0,
    };
}

/* Fails quietly where the sizes themselves were wrong. */
static int block_fits(struct iot_maker *maker, const struct iot_set *set,
                      int pair)
{
    int line = value_of(maker, IOT_KW_BLOCKSIZE)->line;

    if (set->file_bytes == 0 || set->block_bytes == 0)
        return 0;
    if (set->block_bytes > (int64_t)INT_MAX * 8) {
        iot_error(maker->errors, line, "blocks of %lld bytes are too large",
                  (long long)set->block_bytes);
        return 0;
    }
    if (set->block_bytes > set->file_bytes) {
        if (pair)
            iot_error(maker->errors, line,
                      "a block of %lld bytes is larger than the file of %lld",
                      (long long)set->block_bytes, (long long)set->file_bytes);
        else
            iot_warning(maker->errors, line,
                        "a block of %lld bytes is larger than the file of "
                        "%lld: this combination is left out",
                        (long long)set->block_bytes,
                        (long long)set->file_bytes);
        return 0;
    }
    if (set->file_bytes % set->block_bytes != 0)
        iot_warning(
            maker->errors, line,
            "a file of %lld bytes holds no whole number of blocks of "
            "%lld: %lld bytes are written",
            (long long)set->file_bytes, (long long)set->block_bytes,
            (long long)(set->file_bytes - set->file_bytes % set->block_bytes));
    return 1;
}

static void task_of(struct iot_maker *maker, struct iot_set *set)
{
    const struct iot_value *task = value_of(maker, IOT_KW_TASKLENGTH);

    if (task->count == 0)
        return;
    if (task->count > 2 || task->list[0] < 1 || task->list[0] > 32768 ||
        (task->count == 2 && task->list[1] < 1))
        iot_error(maker->errors, task->line,
                  "tasklength is the order of the matrix (1 to 32768) and, if "
                  "wanted, how often it is applied (from 1)");
    set->task_order = (int64_t)task->list[0];
    set->task_repeat = task->count > 1 ? (int64_t)task->list[1] : 1;
}

static double fuzzy_of(struct iot_maker *maker)
{
    const struct iot_value *fuzzy = value_of(maker, IOT_KW_FUZZY);

    if (fuzzy->count == 0)
        return 0;
    if (fuzzy->count > 1 || fuzzy->list[0] > 0.9)
        iot_error(maker->errors, fuzzy->line,
                  "fuzzy is one number from 0 to 0.9: how far block sizes lie "
                  "from the mean at most");
    return fuzzy->list[0];
}

static int add_low(struct iot_maker *maker, size_t f, size_t b, int pair)
{
    struct iot_set set = basic_set(maker);

    set.file_bytes = bytes_at(maker, IOT_KW_FILESIZE, f);
    set.block_bytes = bytes_at(maker, IOT_KW_BLOCKSIZE, b);
    task_of(maker, &set);
    set.fuzzy = fuzzy_of(maker);
    if (!block_fits(maker, &set, pair) || set.block_bytes <= 0)
        return 0;
    set.file_bytes -= set.file_bytes % set.block_bytes;
    return add_set(maker, &set);
}

/* B.4: numruns pairs; appendix C: numfilesize x numblocksize products. */
int iot_plan_low(struct iot_maker *maker)
{
    int pairs = given(maker, IOT_KW_NUMRUNS);
    size_t nf = value_of(maker, IOT_KW_FILESIZE)->count;
    size_t nb = value_of(maker, IOT_KW_BLOCKSIZE)->count;
    int code = 0;

    if (pairs && (given(maker, IOT_KW_NUMFILESIZE) ||
                  given(maker, IOT_KW_NUMBLOCKSIZE))) {
        iot_error(maker->errors, value_of(maker, IOT_KW_NUMRUNS)->line,
                  "numruns (pairs) and numfilesize, numblocksize (products) "
                  "exclude each other");
        return 0;
    }
    if (pairs) {
        size_t n = use(maker, IOT_KW_NUMRUNS, IOT_KW_FILESIZE);
        size_t m = use(maker, IOT_KW_NUMRUNS, IOT_KW_BLOCKSIZE);

        n = m < n ? m : n;
        for (size_t i = 0; code == 0 && i < n; i++)
            code = add_low(maker, i, i, 1);
        return code;
    }
    if (!given(maker, IOT_KW_NUMFILESIZE) &&
        !given(maker, IOT_KW_NUMBLOCKSIZE) && nf > 1 && nb > 1) {
        iot_error(maker->errors, maker->raw->test->line,
                  "say numruns (pairs of filesize and blocksize) or "
                  "numfilesize and numblocksize (each with each)");
        return 0;
    }
    nf = use(maker, IOT_KW_NUMFILESIZE, IOT_KW_FILESIZE);
    nb = use(maker, IOT_KW_NUMBLOCKSIZE, IOT_KW_BLOCKSIZE);
    for (size_t f = 0; f < nf; f++)
        for (size_t b = 0; code == 0 && b < nb; b++)
            code = add_low(maker, f, b, 0);
    return code;
}

int iot_plan_nonseq(struct iot_maker *maker)
{
    const struct iot_value *update = value_of(maker, IOT_KW_UPDATE_FRAC);
    size_t nf = use(maker, IOT_KW_NUMFILESIZE, IOT_KW_FILESIZE);
    size_t nb = use(maker, IOT_KW_NUMBLOCKSIZE, IOT_KW_BLOCKSIZE);
    size_t nu = use(maker, IOT_KW_NUMUPDATE, IOT_KW_UPDATE_FRAC);
    int code = 0;

    for (size_t u = 0; u < nu; u++)
        if (update->list[u] > 1)
            iot_error(maker->errors, update->line,
                      "update_frac %g is no fraction from 0 to 1",
                      update->list[u]);
    for (size_t f = 0; f < nf; f++)
        for (size_t b = 0; b < nb; b++) {
            struct iot_set set = basic_set(maker);

            set.file_bytes = bytes_at(maker, IOT_KW_FILESIZE, f);
            set.block_bytes = bytes_at(maker, IOT_KW_BLOCKSIZE, b);
            if (!block_fits(maker, &set, 0) || set.block_bytes <= 0)
                continue;
            set.file_bytes -= set.file_bytes % set.block_bytes;
            for (size_t u = 0; code == 0 && u < nu; u++) {
                set.update_frac = update->list[u];
                code = add_set(maker, &set);
            }
        }
    return code;
}

int iot_plan_sharedfp(struct iot_maker *maker)
{
    const struct iot_value *max = value_of(maker, IOT_KW_BLOCKMAX);
    size_t nf = use(maker, IOT_KW_NUMFILESIZE, IOT_KW_FILESIZE);
    size_t nb = use(maker, IOT_KW_NUMBLOCKSIZE, IOT_KW_BLOCKMIN);
    size_t nmax = use(maker, IOT_KW_NUMBLOCKSIZE, IOT_KW_BLOCKMAX);
    int code = 0;

    if (nb != nmax) {
        iot_error(maker->errors, max->line,
                  "blockmin gives %zu sizes, blockmax %zu", nb, nmax);
        nb = nmax < nb ? nmax : nb;
    }
    for (size_t f = 0; f < nf; f++)
        for (size_t b = 0; code == 0 && b < nb; b++) {
            struct iot_set set = basic_set(maker);

            set.file_bytes = bytes_at(maker, IOT_KW_FILESIZE, f);
            set.block_min = bytes_at(maker, IOT_KW_BLOCKMIN, b);
            set.block_max = bytes_at(maker, IOT_KW_BLOCKMAX, b);
            if (set.block_min > set.block_max)
                iot_error(maker->errors, max->line,
                          "blockmin %lld is above blockmax %lld",
                          (long long)set.block_min, (long long)set.block_max);
            else if (set.block_max * maker->nprocs > set.file_bytes)
                iot_error(maker->errors, max->line,
                          "%d processes need room for a block of %lld bytes "
                          "each, the file has %lld",
                          maker->nprocs, (long long)set.block_max,
                          (long long)set.file_bytes);
            else if (set.block_max > (int64_t)INT_MAX * 8)
                iot_error(maker->errors, max->line, "blockmax is too large");
            else
                code = add_set(maker, &set);
        }
    return code;
}

static const int size_keywords[IOT_MAX_DIMS] = {IOT_KW_XSIZE, IOT_KW_YSIZE,
                                                IOT_KW_ZSIZE, IOT_KW_TSIZE};
static const int grid_keywords[IOT_MAX_DIMS] = {IOT_KW_XPROC, IOT_KW_YPROC,
                                                IOT_KW_ZPROC, IOT_KW_TPROC};

/* How many sizes, by problemsize or by xsize, ysize (zsize, tsize). */
static size_t count_sizes(struct iot_maker *maker, int ndims)
{
    size_t n;

    if (given(maker, IOT_KW_PROBLEMSIZE)) {
        for (int d = 0; d < ndims; d++)
            if (given(maker, size_keywords[d]))
                iot_error(maker->errors,
                          value_of(maker, size_keywords[d])->line,
                          "problemsize (line %d) and %s exclude each other",
                          value_of(maker, IOT_KW_PROBLEMSIZE)->line,
                          iot_keyword_table[size_keywords[d]].name);
        return use(maker, IOT_KW_NUMSIZES, IOT_KW_PROBLEMSIZE);
    }
    n = SIZE_MAX;
    for (int d = 0; d < ndims; d++) {
        const struct iot_value *size = value_of(maker, size_keywords[d]);
        size_t have = use(maker, IOT_KW_NUMSIZES, size_keywords[d]);

        if (size->line == 0) {
            iot_error(maker->errors, maker->raw->test->line,
                      "the test %s needs problemsize, or xsize and ysize%s",
                      maker->raw->test->bench->test.name,
                      ndims == 4   ? " and zsize and tsize"
                      : ndims == 3 ? " and zsize"
                                   : "");
            return 0;
        }
        if (n != SIZE_MAX && have != n && !given(maker, IOT_KW_NUMSIZES))
            iot_error(maker->errors, size->line,
                      "%s lists %zu sizes, xsize %zu",
                      iot_keyword_table[size_keywords[d]].name, have, n);
        n = have < n ? have : n;
    }
    return n;
}

static void size_at(struct iot_maker *maker, size_t i, struct iot_set *set)
{
    int cubic = given(maker, IOT_KW_PROBLEMSIZE);

    for (int d = 0; d < set->ndims; d++) {
        int keyword = cubic ? IOT_KW_PROBLEMSIZE : size_keywords[d];

        set->size[d] = (int64_t)value_of(maker, keyword)->list[i];
        if (set->size[d] < 1 || set->size[d] > 1 << 30) {
            iot_error(maker->errors, value_of(maker, keyword)->line,
                      "%s %lld is out of range",
                      iot_keyword_table[keyword].name, (long long)set->size[d]);
            set->size[d] = 1;
        }
    }
}

static int64_t array_bytes(struct iot_maker *maker, const struct iot_set *set)
{
    double bytes = 8;
    int64_t exact = 8;

    for (int d = 0; d < set->ndims; d++) {
        bytes *= (double)set->size[d];
        if (bytes > (double)MAX_BYTES) {
            iot_error(maker->errors, (int)set->line,
                      "an array of this size would take more than %lld bytes",
                      (long long)MAX_BYTES);
            return 8;
        }
        exact *= set->size[d];
    }
    return exact;
}

/* 6.2: px * py processes in all, and no remaining elements. */
static void check_grid(struct iot_maker *maker, const struct iot_set *set,
                       int first)
{
    static const char axis[IOT_MAX_DIMS] = {'x', 'y', 'z', 't'};
    char grid[96];
    size_t len = 0;
    int64_t product = 1;
    int line = value_of(maker, IOT_KW_XPROC)->line;

    line = line > 0 ? line : (int)set->line;
    for (int d = 0; d < set->ndims; d++) {
        product *= set->grid[d];
        len += (size_t)snprintf(grid + len, sizeof(grid) - len, "%s%lld",
                                d > 0 ? " x " : "", (long long)set->grid[d]);
    }
    if (first && product != maker->nprocs)
        iot_error(maker->errors, line,
                  "the process grid %s has %lld processes, the run has %d",
                  grid, (long long)product, maker->nprocs);
    for (int d = 0; d < set->ndims; d++)
        if (set->size[d] % set->grid[d] != 0)
            iot_error(maker->errors, line,
                      "%csize %lld is not divisible by %cproc %d", axis[d],
                      (long long)set->size[d], axis[d], (int)set->grid[d]);
}

static size_t count_grids(struct iot_maker *maker, int ndims)
{
    size_t n = SIZE_MAX;

    for (int d = 0; d < ndims; d++) {
        const struct iot_value *value = value_of(maker, grid_keywords[d]);
        size_t have = use(maker, IOT_KW_NUMPROCGRIDS, grid_keywords[d]);

        if (n != SIZE_MAX && have != n && !given(maker, IOT_KW_NUMPROCGRIDS))
            iot_error(maker->errors, value->line,
                      "%s lists %zu grids, xproc %zu",
                      iot_keyword_table[grid_keywords[d]].name, have, n);
        n = have < n ? have : n;
        for (size_t i = 0; i < value->count; i++)
            if (value->list[i] < 1 || value->list[i] > 1e6) {
                iot_error(maker->errors, value->line, "%s %.0f is out of range",
                          iot_keyword_table[grid_keywords[d]].name,
                          value->list[i]);
                return 0;
            }
    }
    return n;
}

static int64_t ghost_of(struct iot_maker *maker)
{
    int64_t ghost = count_or(maker, IOT_KW_GHOST, 1);

    if (!(maker->raw->test->bench->abilities & IOT_LATTICE))
        return 0;
    if (value_of(maker, IOT_KW_GHOST)->count > 1 || ghost > MAX_GHOST) {
        iot_error(maker->errors, value_of(maker, IOT_KW_GHOST)->line,
                  "ghost is one number from 0 to %d", MAX_GHOST);
        return 0;
    }
    return ghost;
}

int iot_plan_matrix(struct iot_maker *maker)
{
    unsigned abilities = maker->raw->test->bench->abilities;
    int ndims = abilities & IOT_LATTICE ? 4 : abilities & IOT_SPACE ? 3 : 2;
    int64_t ghost = ghost_of(maker);
    size_t ns = count_sizes(maker, ndims), ng = count_grids(maker, ndims);
    int code = 0;

    for (size_t s = 0; s < ns; s++)
        for (size_t g = 0; code == 0 && g < ng; g++) {
            struct iot_set set = basic_set(maker);

            set.ndims = ndims;
            set.ghost = ghost;
            size_at(maker, s, &set);
            for (int d = 0; d < ndims; d++)
                set.grid[d] =
                    (int64_t)value_of(maker, grid_keywords[d])->list[g];
            set.file_bytes = array_bytes(maker, &set);
            if ((abilities & IOT_GATHERS) && set.file_bytes / 8 > INT_MAX)
                iot_error(maker->errors, (int)set.line,
                          "gatherscat2D: one process can gather at most %d "
                          "elements",
                          INT_MAX);
            check_grid(maker, &set, s == 0);
            code = add_set(maker, &set);
        }
    return code;
}

/* B.5.6: yproc = 1, xproc = nprocs; given otherwise it is an error. */
int iot_plan_transpose(struct iot_maker *maker)
{
    size_t ns = count_sizes(maker, 2);
    int code = 0;

    if (count_or(maker, IOT_KW_XPROC, maker->nprocs) != maker->nprocs ||
        count_or(maker, IOT_KW_YPROC, 1) != 1)
        iot_error(maker->errors, maker->raw->test->line,
                  "transpose runs on a grid of %d x 1 processes",
                  maker->nprocs);
    for (size_t s = 0; code == 0 && s < ns; s++) {
        struct iot_set set = basic_set(maker);

        set.ndims = 2;
        size_at(maker, s, &set);
        set.grid[0] = maker->nprocs;
        set.grid[1] = 1;
        set.file_bytes = array_bytes(maker, &set);
        check_grid(maker, &set, 1);
        if (set.size[1] % maker->nprocs != 0)
            iot_error(maker->errors, (int)set.line,
                      "ysize %lld is not divisible by the %d processes: the "
                      "transposed array must divide too",
                      (long long)set.size[1], maker->nprocs);
        code = add_set(maker, &set);
    }
    return code;
}

static int parse_variant(struct iot_maker *maker, int variants[2])
{
    const struct iot_value *value = value_of(maker, IOT_KW_VARIANT);

    variants[IOT_LEFT] = variants[IOT_RIGHT] = 0;
    if (value->line == 0 || strcasecmp(value->text, "left") == 0)
        variants[IOT_LEFT] = 1;
    else if (strcasecmp(value->text, "right") == 0)
        variants[IOT_RIGHT] = 1;
    else if (strcasecmp(value->text, "both") == 0)
        variants[IOT_LEFT] = variants[IOT_RIGHT] = 1;
    else
        iot_error(maker->errors, value->line,
                  "variant '%s' is neither left, right nor both", value->text);
    return 0;
}

static void check_outofcore(struct iot_maker *maker, const struct iot_set *set)
{
    int panels = set->variant == IOT_LEFT ? 3 : 4;
    int64_t least;

    if (set->size[0] > MAX_ORDER || set->panel > MAX_ORDER ||
        set->size[0] * set->panel > INT_MAX) {
        iot_error(maker->errors, (int)set->line,
                  "problemsize or panel is too large");
        return;
    }
    least = set->size[0] * set->panel * 8 * panels * maker->nprocs;
    if (set->panel < 1 || set->panel > set->size[0] ||
        set->size[0] % set->panel != 0)
        iot_error(maker->errors, (int)set->line,
                  "problemsize %lld is not divisible by the panel width %lld",
                  (long long)set->size[0], (long long)set->panel);
    else if (set->memory_bytes < least)
        iot_error(maker->errors, value_of(maker, IOT_KW_MEMORY)->line,
                  "memory %.3f MB is too little: %d processes need %d panels "
                  "each, %.3f MB",
                  (double)set->memory_bytes / MB, maker->nprocs, panels,
                  (double)least / MB);
    else if (set->memory_bytes >= set->file_bytes)
        iot_warning(maker->errors, value_of(maker, IOT_KW_MEMORY)->line,
                    "the matrix of %.3f MB fits in the memory given",
                    (double)set->file_bytes / MB);
}

int iot_plan_outofcore(struct iot_maker *maker)
{
    size_t ns = use(maker, IOT_KW_NUMSIZES, IOT_KW_PROBLEMSIZE);
    size_t nm = value_of(maker, IOT_KW_MEMORY)->count;
    int variants[2], code = parse_variant(maker, variants);

    if (!PARIO_HAVE_LAPACKE)
        iot_error(maker->errors, maker->raw->test->line,
                  "outofcore needs LAPACKE and OpenBLAS: pario was built "
                  "without");
    for (size_t s = 0; s < ns; s++)
        for (size_t m = 0; m < nm; m++)
            for (int v = IOT_LEFT; code == 0 && v <= IOT_RIGHT; v++) {
                struct iot_set set = basic_set(maker);

                if (!variants[v])
                    continue;
                set.ndims = 2;
                set.variant = v;
                set.size[0] = set.size[1] =
                    (int64_t)value_of(maker, IOT_KW_PROBLEMSIZE)->list[s];
                set.panel = count_or(maker, IOT_KW_PANEL, DEFAULT_PANEL);
                set.memory_bytes =
                    (int64_t)fmin(value_of(maker, IOT_KW_MEMORY)->list[m] * MB,
                                  (double)MAX_BYTES);
                set.file_bytes = array_bytes(maker, &set);
                check_outofcore(maker, &set);
                code = add_set(maker, &set);
            }
    return code;
}

static int variables_of(struct iot_maker *maker, int keyword, int other)
{
    int64_t n = count_or(maker, keyword, other);

    if (n <= MAX_VARIABLES)
        return (int)n;
    iot_error(maker->errors, value_of(maker, keyword)->line,
              "%s is %lld, at most %d are allowed",
              iot_keyword_table[keyword].name, (long long)n, MAX_VARIABLES);
    return MAX_VARIABLES;
}

int iot_plan_irregular(struct iot_maker *maker)
{
    size_t ns = count_sizes(maker, 2);
    int code = 0;

    for (size_t s = 0; code == 0 && s < ns; s++) {
        struct iot_set set = basic_set(maker);
        int64_t nodes, elements;

        set.ndims = 2;
        size_at(maker, s, &set);
        (void)array_bytes(maker, &set);
        set.nodal = variables_of(maker, IOT_KW_NODALVARS, 3);
        set.elemental = variables_of(maker, IOT_KW_ELEMENTVARS, 2);
        set.scramble = count_or(maker, IOT_KW_SCRAMBLE, DEFAULT_SCRAMBLE);
        if (2 * set.size[0] * set.size[1] > INT_MAX) {
            iot_error(maker->errors, (int)set.line, "the mesh is too large");
            continue;
        }
        nodes = (set.size[0] + 1) * (set.size[1] + 1);
        elements = 2 * set.size[0] * set.size[1];
        if (set.nodal + set.elemental < 1)
            iot_error(maker->errors, (int)set.line,
                      "irregular needs a variable, nodal or of elements");
        if (elements / 2 < maker->nprocs)
            iot_error(maker->errors, (int)set.line,
                      "a mesh of %lld cells does not suit %d processes",
                      (long long)(elements / 2), maker->nprocs);
        set.scramble = set.scramble < 1 ? 1 : set.scramble;
        set.file_bytes = 8 * (set.nodal * nodes + set.elemental * elements);
        code = add_set(maker, &set);
    }
    return code;
}

int iot_sets_make(struct iot_raw *raw, int nprocs, struct iot_errors *errors)
{
    struct iot_maker maker = {.raw = raw, .errors = errors, .nprocs = nprocs};
    int before = errors->count;
    int code = raw->test->bench->plan(&maker);

    if (code == 0 && raw->test->nsets == 0 && errors->count == before &&
        !raw->wrong)
        iot_error(errors, raw->test->line, "no parameter set is left to run");
    return code;
}
