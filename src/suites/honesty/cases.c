/* suites/honesty/cases.c - the rows of the table. */
#include "suites/honesty/honesty.h"

#include <string.h>

#define SMALL 64    /* 64 kB a rank */
#define ROUNDS 6000 /* 24 MB on four ranks: more than one round of 16 MiB */

const struct honesty_case honesty_cases[] = {
    {"control-write_all", "no fault, collective write", NULL, HONESTY_WRITE_ALL,
     SMALL, 100, 0},
    {"control-read_all", "no fault, collective read", NULL, HONESTY_READ_ALL,
     SMALL, 100, 0},
    {"enospc-write_all", "no space left, collective write",
     "op=write,error=ENOSPC", HONESTY_WRITE_ALL, SMALL, 100, 0},
    {"eio-write_all", "I/O error on rank 0, collective write",
     "op=write,rank=0,error=EIO", HONESTY_WRITE_ALL, SMALL, 100, 0},
    {"eio-write_all-rounds", "I/O error in the first of several rounds",
     "op=write,rank=0,nth=1,error=EIO", HONESTY_WRITE_ALL, ROUNDS, 100, 0},
    {"short-write_all", "short writes, collective write", "op=write,short",
     HONESTY_WRITE_ALL, SMALL, 100, 0},
    {"enospc-write_at", "no space left on rank 1, independent write",
     "op=write,rank=1,error=ENOSPC", HONESTY_WRITE_AT, SMALL, 100, 0},
    {"eio-write_at", "I/O error on rank 1, independent write",
     "op=write,rank=1,error=EIO", HONESTY_WRITE_AT, SMALL, 100, 0},
    {"short-write_at", "short writes, independent write", "op=write,short",
     HONESTY_WRITE_AT, SMALL, 100, 0},
    {"eio-sync", "fsync fails", "op=fsync,error=EIO", HONESTY_SYNC, SMALL, 100,
     0},
    {"eio-read_all", "I/O error, collective read", "op=read,error=EIO",
     HONESTY_READ_ALL, SMALL, 100, 0},
    {"eio-read_at", "I/O error on rank 1, independent read",
     "op=read,rank=1,error=EIO", HONESTY_READ_AT, SMALL, 100, 0},
    {"short-read_all", "short reads, collective read", "op=read,short",
     HONESTY_READ_ALL, SMALL, 100, 0},
    {"end-read_all", "collective read past the end of file", NULL,
     HONESTY_READ_ALL, SMALL, 60, 0},
    {"end-read_at", "independent read past the end of file", NULL,
     HONESTY_READ_AT, SMALL, 60, 0},
    {"cut-read_all", "file truncated while open, collective read", NULL,
     HONESTY_READ_ALL, SMALL, 40, 1},
    {"cut-read_at", "file truncated while open, independent read", NULL,
     HONESTY_READ_AT, SMALL, 40, 1},
    {NULL, NULL, NULL, HONESTY_SYNC, 0, 0, 0},
};

const struct honesty_case *honesty_case_find(const char *name)
{
    for (const struct honesty_case *c = honesty_cases; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
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
