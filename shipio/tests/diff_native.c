/* diff_native.c - known flaws of the MPI libraries' own MPI-IO. */
#include "diff_native.h"

#include <stdio.h>

static const char *const reasons[DIFF_NFLAWS] = {
    [DIFF_FLAW_SPLIT] = "OMPIO's split and nonblocking collectives can hang",
    [DIFF_FLAW_PREALLOCATE] = "OMPIO cannot preallocate a write-only file",
    [DIFF_FLAW_SEEK_END] = "OMPIO seeks to a wrong end of a file with a view",
    [DIFF_FLAW_IREAD_PAST_END] = "OMPIO's iread past the end never completes",
    [DIFF_FLAW_NONBLOCKING] = "ROMIO's nonblocking calls misplace data",
    [DIFF_FLAW_COUNT_PAST_END] = "both miscount a read past the end",
    [DIFF_FLAW_POINTER_PAST_END] = "both misplace the pointer past the end",
};

static long avoided[DIFF_NFLAWS];

bool diff_native_avoids(const struct diff_run *run, enum diff_flaw flaw)
{
    if (!run->options->native)
        return false;
    if (flaw <= DIFF_FLAW_IREAD_PAST_END && diff_native_is_romio())
        return false;
    if (flaw == DIFF_FLAW_NONBLOCKING && !diff_native_is_romio())
        return false;
    avoided[flaw]++;
    return true;
}

bool diff_native_is_romio(void)
{
#ifdef OPEN_MPI
    return false;
#else
    return true;
#endif
}

void diff_native_report(void)
{
    for (int i = 0; i < DIFF_NFLAWS; i++) {
        if (avoided[i] > 0)
            printf("left out %ld times: %s\n", avoided[i], reasons[i]);
    }
}
