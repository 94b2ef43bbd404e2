/* suites/honesty/cases.c - the rows of the table. */
#include "suites/honesty/honesty.h"

#include <string.h>

#define SMALL 64 /* blocks: 64 kB a rank */
/* The usual collective buffer is 16 MiB on each node. */
#define ROUNDS_BYTES 24000000

const struct honesty_case honesty_cases[] = {
    {
        .test = {"control-write_all", "no fault, collective write and sync"},
        .call = HONESTY_WRITE_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"control-write_at", "no fault, independent write and sync"},
        .call = HONESTY_WRITE_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"control-read_all", "no fault, collective read"},
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"control-read_at", "no fault, independent read"},
        .call = HONESTY_READ_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"enospc-write_all", "no space left, collective write"},
        .fault = "op=write,error=ENOSPC",
        .call = HONESTY_WRITE_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-write_all", "I/O error on rank 0, collective write"},
        .fault = "op=write,rank=0,error=EIO",
        .call = HONESTY_WRITE_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-write_all-rounds",
                 "I/O error in the first of several rounds"},
        .fault = "op=write,rank=0,nth=1,error=EIO",
        .call = HONESTY_WRITE_ALL,
        .blocks = SMALL,
        .file_percent = 100,
        .rounds = 1,
    },
    {
        .test = {"short-write_all", "short writes, collective write"},
        .fault = "op=write,short",
        .call = HONESTY_WRITE_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"enospc-write_at",
                 "no space left on rank 1, independent write"},
        .fault = "op=write,rank=1,error=ENOSPC",
        .call = HONESTY_WRITE_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-write_at", "I/O error on rank 1, independent write"},
        .fault = "op=write,rank=1,error=EIO",
        .call = HONESTY_WRITE_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"short-write_at", "short writes, independent write"},
        .fault = "op=write,short",
        .call = HONESTY_WRITE_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-sync", "fsync fails"},
        .fault = "op=fsync,error=EIO;" HONESTY_WITNESS,
        .call = HONESTY_SYNC,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-read_all", "I/O error, collective read"},
        .fault = "op=read,error=EIO",
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"eio-read_all-mapped",
                 "I/O error, collective read through a mapping"},
        .fault = "op=mmap,bus;op=read,error=EIO",
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 100,
        .mapped = 1,
    },
    {
        .test = {"eio-read_at", "I/O error on rank 1, independent read"},
        .fault = "op=read,rank=1,error=EIO",
        .call = HONESTY_READ_AT,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"short-read_all", "short reads, collective read"},
        .fault = "op=read,short",
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 100,
    },
    {
        .test = {"end-read_all", "collective read past the end of file"},
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 60,
    },
    {
        .test = {"end-read_all-rounds",
                 "collective read past the end, several rounds"},
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 60,
        .rounds = 1,
    },
    {
        .test = {"end-read_at", "independent read past the end of file"},
        .call = HONESTY_READ_AT,
        .blocks = SMALL,
        .file_percent = 60,
    },
    {
        .test = {"cut-read_all", "file truncated while open, collective read"},
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 40,
        .truncate = 1,
    },
    {
        .test = {"cut-read_all-again",
                 "file truncated between two collective reads"},
        .call = HONESTY_READ_ALL,
        .blocks = SMALL,
        .file_percent = 40,
        .truncate = 1,
        .again = 1,
    },
    {
        .test = {"cut-read_at", "file truncated while open, independent read"},
        .call = HONESTY_READ_AT,
        .blocks = SMALL,
        .file_percent = 40,
        .truncate = 1,
    },
    {.test = {NULL, NULL}},
};

const struct honesty_case *honesty_case_find(const char *name)
{
    for (const struct honesty_case *c = honesty_cases; c->test.name != NULL;
         c++)
        if (strcmp(c->test.name, name) == 0)
            return c;
    return NULL;
}

int honesty_is_control(const struct honesty_case *kase)
{
    return kase->fault == NULL && kase->file_percent == 100 && !kase->truncate;
}

int honesty_is_collective(enum honesty_call call)
{
    return call != HONESTY_WRITE_AT && call != HONESTY_READ_AT;
}

int honesty_is_read(enum honesty_call call)
{
    return call == HONESTY_READ_ALL || call == HONESTY_READ_AT;
}

int64_t honesty_rank_bytes(const struct honesty_case *kase)
{
    return (int64_t)kase->blocks * HONESTY_BLOCK;
}

struct honesty_case honesty_case_sized(const struct honesty_case *kase,
                                       int processes, int nodes)
{
    struct honesty_case sized = *kase;
    int64_t share = (int64_t)processes * HONESTY_BLOCK;

    if (kase->rounds)
        sized.blocks =
            (int)(((int64_t)ROUNDS_BYTES * nodes + share - 1) / share);
    return sized;
}

int64_t honesty_true_count(const struct honesty_case *kase, int rank, int size)
{
    int64_t bytes = honesty_rank_bytes(kase), i = 0;
    int64_t end = bytes * size * kase->file_percent / 100;

    while (i < bytes && honesty_offset(kase, rank, size, i) < end)
        i++;
    return i;
}

/* Collective calls interleave the ranks' blocks, independent ones have a
 * segment each. */
int64_t honesty_offset(const struct honesty_case *kase, int rank, int size,
                       int64_t i)
{
    if (!honesty_is_collective(kase->call))
        return rank * honesty_rank_bytes(kase) + i;
    return (i / HONESTY_BLOCK * size + rank) * HONESTY_BLOCK +
           i % HONESTY_BLOCK;
}
