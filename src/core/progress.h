/* core/progress.h - where the run is and how long it will take, on stderr.
 * On a terminal one line is redrawn; elsewhere plain lines, at most one per
 * phase. Only the process that called _start with enabled=1 prints. */
#ifndef PARIO_CORE_PROGRESS_H
#define PARIO_CORE_PROGRESS_H

#include "core/error.h"

struct pario_progress {
    int enabled, notes, tty, line_open, verbose;
    double start_s, total_s;
    char phase[128];
};

/* enabled: phases and figures; notes: lines that stay, also with --quiet.
 * total_s: scheduled time of the run, 0 if unknown. */
void pario_progress_start(struct pario_progress *progress, int enabled,
                          int notes, int verbose, double total_s);
/* A new phase: "write type 0 32 KiB". */
void pario_progress_phase(struct pario_progress *progress, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
/* The phase's figure; on a plain stream this ends the phase's line. */
void pario_progress_figure(struct pario_progress *progress, double mbps);
/* A line that stays, e.g. a warning. */
void pario_progress_note(struct pario_progress *progress, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
void pario_progress_finish(struct pario_progress *progress);

#endif
