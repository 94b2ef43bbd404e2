/* suites/honesty/cases.c - the rows of the table. */
#include "suites/honesty/honesty.h"

#include <string.h>

#define SMALL 64    /* 64 kB a rank */
#define ROUNDS 6000 /* 24 MB on four ranks: more than one round of 16 MiB */

const struct honesty_case honesty_cases[] = {
    {"control-write_all", "no fault, collective write", HONESTY_WRITE_ALL, NULL,
     SMALL, 100, 0},
    {"control-read_all", "no fault, collective read", HONESTY_READ_ALL, NULL,
     SMALL, 100, 0},
    {"enospc-write_all", "no space left, collective write", HONESTY_WRITE_ALL,
     "op=write,error=ENOSPC", SMALL, 100, 0},
    {"eio-write_all", "I/O error on rank 0, collective write",
     HONESTY_WRITE_ALL, "op=write,rank=0,error=EIO", SMALL, 100, 0},
    {"eio-write_all-rounds", "I/O error in the first of several rounds",
     HONESTY_WRITE_ALL, "op=write,rank=0,nth=1,error=EIO", ROUNDS, 100, 0},
    {"short-write_all", "short writes, collective write", HONESTY_WRITE_ALL,
     "op=write,short", SMALL, 100, 0},
    {"enospc-write_at", "no space left on rank 1, independent write",
     HONESTY_WRITE_AT, "op=write,rank=1,error=ENOSPC", SMALL, 100, 0},
    {"eio-write_at", "I/O error on rank 1, independent write", HONESTY_WRITE_AT,
     "op=write,rank=1,error=EIO", SMALL, 100, 0},
    {"short-write_at", "short writes, independent write", HONESTY_WRITE_AT,
     "op=write,short", SMALL, 100, 0},
    {"eio-sync", "fsync fails", HONESTY_SYNC, "op=fsync,error=EIO", SMALL, 100,
     0},
    {"eio-read_all", "I/O error, collective read", HONESTY_READ_ALL,
     "op=read,error=EIO", SMALL, 100, 0},
    {"eio-read_at", "I/O error on rank 1, independent read", HONESTY_READ_AT,
     "op=read,rank=1,error=EIO", SMALL, 100, 0},
    {"short-read_all", "short reads, collective read", HONESTY_READ_ALL,
     "op=read,short", SMALL, 100, 0},
    {"end-read_all", "collective read past the end of file", HONESTY_READ_ALL,
     NULL, SMALL, 60, 0},
    {"end-read_at", "independent read past the end of file", HONESTY_READ_AT,
     NULL, SMALL, 60, 0},
    {"cut-read_all", "file truncated while open, collective read",
     HONESTY_READ_ALL, NULL, SMALL, 40, 1},
    {"cut-read_at", "file truncated while open, independent read",
     HONESTY_READ_AT, NULL, SMALL, 40, 1},
    {NULL, NULL, HONESTY_SYNC, NULL, 0, 0, 0},
};

const struct honesty_case *honesty_case_find(const char *name)
{
    for (const struct honesty_case *c = honesty_cases; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
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
