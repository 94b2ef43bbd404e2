/* suites/beffio/patterns.c - Table 1 of b_eff_io. */
#include "suites/beffio/patterns.h"

#include "core/units.h"

#include <math.h>
#include <stdio.h>

#define KB ((int64_t)1024)
#define MB (KB * 1024)
#define GB (MB * 1024)
#define MPART BEFFIO_MPART

const char *const beffio_access_names[BEFFIO_ACCESSES] = {"write", "rewrite",
                                                          "read"};

/* clang-format off */
static const struct beffio_pattern scatter[] = {
    /* l         L              U */
    {1 * MB,      1 * MB,          0},
    {MPART,       MPART,           4},
    {1 * MB,      2 * MB,          4},
    {1 * MB,      1 * MB,          4},
    {32 * KB,     1 * MB,          2},
    {1 * KB,      1 * MB,          2},
    {32 * KB + 8, 1 * MB + 256,    2},
    {1 * KB + 8,  1 * MB + 8 * KB, 2},
    {1 * MB + 8,  1 * MB + 8,      2},
    {0, 0, 0},
};

static const struct beffio_pattern shared[] = {
    {1 * MB,      1 * MB,          0},
    {MPART,       MPART,           4},
    {1 * MB,      1 * MB,          2},
    {32 * KB,     32 * KB,         1},
    {1 * KB,      1 * KB,          1},
    {32 * KB + 8, 32 * KB + 8,     1},
    {1 * KB + 8,  1 * KB + 8,      1},
    {1 * MB + 8,  1 * MB + 8,      2},
    {0, 0, 0},
};

/* Types 3 and 4: see type 2. */
static const struct beffio_pattern separate[] = {
    {1 * MB,      1 * MB,          0},
    {MPART,       MPART,           2},
    {1 * MB,      1 * MB,          2},
    {32 * KB,     32 * KB,         1},
    {1 * KB,      1 * KB,          1},
    {32 * KB + 8, 32 * KB + 8,     1},
    {1 * KB + 8,  1 * KB + 8,      1},
    {1 * MB + 8,  1 * MB + 8,      2},
    {0, 0, 0},
};

/* Sect. 8: not part of the value. */
static const struct beffio_pattern wish[] = {
    {1 * MB,      1 * MB,          2},
    {32 * KB,     32 * KB,         1},
    {1 * KB,      1 * KB,          1},
    {0, 0, 0},
};
/* clang-format on */

const struct beffio_type_info beffio_types[BEFFIO_ALL_TYPES + 1] = {
    [BEFFIO_SCATTER] =
        {.test = {"type0", "scatter: strided collective, L bytes scattered in "
                           "chunks of l"},
         .name = "scatter",
         .rows = scatter,
         .collective = 1,
         .strided = 1},
    [BEFFIO_SHARED] =
        {.test = {"type1", "shared: strided collective, shared pointer, one "
                           "call per chunk"},
         .name = "shared",
         .rows = shared,
         .collective = 1,
         .strided = 1},
    [BEFFIO_SEPARATE] =
        {
            .test = {"type2", "separate: one file per process, noncollective"},
            .name = "separate",
            .rows = separate,
        },
    [BEFFIO_SEGMENTED] =
        {.test = {"type3",
                  "segmented: one file, a segment a process, noncollective"},
         .name = "segmented",
         .rows = separate,
         .segmented = 1},
    [BEFFIO_SEGCOLL] = {.test = {"type4", "seg-coll: as segmented, collective"},
                        .name = "seg-coll",
                        .rows = separate,
                        .collective = 1,
                        .segmented = 1},
    [BEFFIO_RANDOM] =
        {.test = {"type5", "random: each chunk once in random order (--extra)"},
         .name = "random",
         .rows = wish,
         .segmented = 1},
    [BEFFIO_SAMEDATA] =
        {.test = {"type6",
                  "same-data: all processes read the same data (--extra)"},
         .name = "same-data",
         .rows = wish,
         .collective = 1,
         .strided = 1},
    [BEFFIO_ALL_TYPES] = {.name = NULL},
};

const struct beffio_pattern *beffio_patterns(enum beffio_type type)
{
    return beffio_types[type].rows;
}

int beffio_sum_units(void)
{
    int sum = 0;

    for (int type = 0; type < BEFFIO_TYPES; type++)
        for (const struct beffio_pattern *row =
                 beffio_patterns((enum beffio_type)type);
             row->l != 0; row++)
            sum += row->U;
    return sum;
}

int64_t beffio_mpart(int64_t memory_per_process, int processes)
{
    int64_t mpart = memory_per_process / 128;
    int64_t most = 16 * GB / processes;

    if (mpart > most)
        mpart = most;
    if (mpart < 2 * MB)
        mpart = 2 * MB;
    return mpart - mpart % MB;
}

int64_t beffio_bytes(int64_t l, int64_t mpart)
{
    return l == BEFFIO_MPART ? mpart : l;
}

char *beffio_chunk_name(int64_t l, char *buf, int len)
{
    char size[PARIO_UNITS_LEN];
    int64_t odd = l % KB;

    if (l == BEFFIO_MPART)
        snprintf(buf, (size_t)len, "M_PART");
    else if (odd != 0)
        snprintf(buf, (size_t)len, "%s +%lld", pario_size_print(l - odd, size),
                 (long long)odd);
    else
        snprintf(buf, (size_t)len, "%s", pario_size_print(l, size));
    return buf;
}

int beffio_partitions(int size, int partition[3])
{
    int small = (int)exp2(round(log2(size) * 0.35));
    int medium = (int)exp2(round(log2(size) * 0.70));
    int all[3], count = 0;

    if (size == 3)
        small = 1;
    if (size == 4)
        medium = 3;
    all[0] = small;
    all[1] = medium;
    all[2] = size;
    for (int i = 0; i < 3; i++)
        if (count == 0 || all[i] > partition[count - 1])
            partition[count++] = all[i];
    return count;
}
