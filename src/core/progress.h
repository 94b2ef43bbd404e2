/* core/progress.h - where the run is and how long it will take, on stderr.
 * On a terminal one line is redrawn, every second by a thread of its own;
 * elsewhere plain lines, one for each figure. Only the process that called
 * _start with enabled=1 prints. */
#ifndef PARIO_CORE_PROGRESS_H
#define PARIO_CORE_PROGRESS_H

#include "core/error.h"
#include "core/units.h"
#include <pthread.h>

/* Set by a launcher of ours for its processes: they have no terminal, but what
 * they print goes to one of so many columns. */
#define PARIO_TERMINAL_VARIABLE "PARIO_TERMINAL"
/* Set beside it where their standard output goes there, too. */
#define PARIO_TERMINAL_OUT_VARIABLE "PARIO_TERMINAL_OUT"

struct pario_progress {
    int enabled, notes, columns, line_open, verbose;
    double start_s, total_s;
    char phase[128];
    char rate[PARIO_UNITS_LEN];    /* of the last figure */
    double (*rate_now)(void *arg); /* MB/s, < 0: not known; by the thread */
    void *rate_arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int running, stop;
};

/* enabled: phases and figures; notes: lines that stay, also with --quiet.
 * total_s: scheduled time of the run, 0 if unknown. */
void pario_progress_start(struct pario_progress *progress, int enabled,
                          int notes, int verbose, double total_s);
/* Where the rate now comes from; rate NULL: the last figure is shown. */
void pario_progress_watch(struct pario_progress *progress,
                          double (*rate)(void *arg), void *arg);
/* A new phase: "write type 0 32 KiB". */
void pario_progress_phase(struct pario_progress *progress, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
/* The phase's figure, "812 MB/s"; on a plain stream this ends the phase's
 * line. */
void pario_progress_figure(struct pario_progress *progress, const char *rate);
/* A line that stays, e.g. a warning. */
void pario_progress_note(struct pario_progress *progress, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
void pario_progress_finish(struct pario_progress *progress);

/* "41 s left", "3 s over the plan"; "" where no time was planned. Returns
 * text. */
char *pario_progress_left(double total_s, double elapsed_s,
                          char text[PARIO_UNITS_LEN * 2]);

/* The line in so many columns: where it is too long, the phase is cut, and the
 * rate stays whole. Returns line. */
#define PARIO_PROGRESS_LEN 512
char *pario_progress_line(const char *before, const char *phase,
                          const char *rate, int columns,
                          char line[PARIO_PROGRESS_LEN]);

#endif
