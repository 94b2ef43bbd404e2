/* core/progress.c - one redrawn line on a terminal, plain lines elsewhere. */
#include "core/progress.h"

#include "core/error.h"

#include "core/clock.h"
#include "core/units.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOTE_LEN 4096

void pario_progress_start(struct pario_progress *progress, int enabled,
                          int notes, int verbose, double total_s)
{
    memset(progress, 0, sizeof(*progress));
    progress->enabled = enabled;
    progress->notes = notes;
    progress->verbose = verbose;
    progress->tty = isatty(STDERR_FILENO);
    progress->start_s = pario_clock_s();
    progress->total_s = total_s;
}

static void clear_line(struct pario_progress *progress)
{
    if (progress->line_open && progress->tty)
        fputs("\r\033[K", stderr);
    else if (progress->line_open)
        fputc('\n', stderr);
    progress->line_open = 0;
}

static void print_left(const struct pario_progress *progress)
{
    double left = progress->total_s - (pario_clock_s() - progress->start_s);
    char text[PARIO_UNITS_LEN];

    if (progress->total_s > 0)
        fprintf(stderr, ", %s left",
                pario_time_print(left > 0 ? left : 0, text));
}

void pario_progress_phase(struct pario_progress *progress, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(progress->phase, sizeof(progress->phase), fmt, args);
    va_end(args);
    pario_text_tame(progress->phase);
    if (!progress->enabled)
        return;
    if (progress->tty) {
        clear_line(progress);
        fputs(progress->phase, stderr);
        print_left(progress);
        progress->line_open = 1;
        fflush(stderr);
    }
}

void pario_progress_figure(struct pario_progress *progress, double mbps)
{
    if (!progress->enabled)
        return;
    clear_line(progress);
    fprintf(stderr, "%s: %.1f MB/s", progress->phase, mbps);
    print_left(progress);
    if (progress->tty && !progress->verbose) {
        progress->line_open = 1;
        fflush(stderr);
    } else {
        fputc('\n', stderr);
    }
}

void pario_progress_note(struct pario_progress *progress, const char *fmt, ...)
{
    char text[NOTE_LEN];
    va_list args;

    if (!progress->notes)
        return;
    clear_line(progress);
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pario_text_tame(text);
    fprintf(stderr, "%s\n", text);
}

void pario_progress_finish(struct pario_progress *progress)
{
    if (progress->enabled)
        clear_line(progress);
    progress->enabled = 0;
}
