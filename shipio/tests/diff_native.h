/*
 * diff_native.h - what MPICH 4.0.2 (ROMIO) and Open MPI 4.1.4 (OMPIO) are
 * known to do wrong, so that the model can be checked with everything else.
 */
#ifndef SHIPIO_DIFF_NATIVE_H
#define SHIPIO_DIFF_NATIVE_H

#include "diff_steps.h"

enum diff_flaw {
    DIFF_FLAW_SPLIT,
    DIFF_FLAW_PREALLOCATE,
    DIFF_FLAW_SEEK_END,
    DIFF_FLAW_IREAD_PAST_END,
    DIFF_FLAW_NONBLOCKING,
    DIFF_FLAW_COUNT_PAST_END,
    DIFF_FLAW_POINTER_PAST_END,
    DIFF_NFLAWS
};

/* True, and counted, when this case must leave the flaw alone. */
bool diff_native_avoids(const struct diff_run *run, enum diff_flaw flaw);
/*
 * ROMIO misplaces data of types, in memory and in the view, that do not begin
 * at offset 0, and loops over empty blocks: it gets plain types only.
 */
bool diff_native_is_romio(void);
/* How often each was left alone, on standard output. */
void diff_native_report(void);

#endif
