/* core/progress.c - one redrawn line on a terminal, plain lines elsewhere. */
#include "core/progress.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/text.h"
#include "core/units.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define NOTE_LEN 4096
#define BAR 10
#define LEFT_LEN ((size_t)PARIO_UNITS_LEN * 2)

/* Columns of the terminal where lines come to; 0: there is none. */
static int find_columns(void)
{
    const char *given = getenv(PARIO_TERMINAL_VARIABLE);
    struct winsize size = {.ws_col = 0};

    if (isatty(STDERR_FILENO))
        return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                   ? size.ws_col
                   : 80;
    return given != NULL ? (int)strtol(given, NULL, 10) : 0;
}

char *pario_progress_left(double total_s, double elapsed_s,
                          char text[PARIO_UNITS_LEN * 2])
{
    double left = total_s - elapsed_s;
    char time[PARIO_UNITS_LEN];

    text[0] = '\0';
    if (total_s <= 0)
        return text;
    if (left > -1 && left < 1) {
        snprintf(text, LEFT_LEN, "a moment left");
        return text;
    }
    if (left >= 60)
        (void)pario_time_print(left, time);
    else
        snprintf(time, sizeof(time), "%.0f s", fabs(left));
    snprintf(text, LEFT_LEN, "%s %s", time,
             left >= 0 ? "left" : "over the plan");
    return text;
}

static void clear_line(struct pario_progress *progress)
{
    if (progress->line_open)
        fputs("\r\033[K", stderr);
    progress->line_open = 0;
}

/* As many bytes of text as make so many columns. */
static int fit(const char *text, int columns)
{
    int len = 0;

    while (text[len] != '\0') {
        columns -= ((unsigned char)text[len] & 0xc0) != 0x80;
        if (columns < 0)
            break;
        len++;
    }
    return len;
}

/* As many bytes of a label as make so many columns, without a word that is cut
 * and without a number that lost its unit: "read 4 KiB" is "read", never
 * "read 4 K". A first word that is too long is cut. */
static int fit_words(const char *label, int columns)
{
    int len = fit(label, columns), whole = len, word;

    if (label[len] == '\0')
        return len;
    while (whole > 0 && label[whole] != ' ')
        whole--;
    for (word = whole; word > 0 && label[word - 1] != ' ';)
        word--;
    if (word > 0 && label[word] >= '0' && label[word] <= '9')
        whole = word - 1;
    while (whole > 0 && strchr(" ,:", label[whole - 1]) != NULL)
        whole--;
    return whole > 0 ? whole : len;
}

char *pario_progress_line(const char *before, const char *phase,
                          const char *rate, int columns,
                          char line[PARIO_PROGRESS_LEN])
{
    int room = columns - (int)pario_text_columns(before) -
               (int)pario_text_columns(rate) - 2;

    if (room < 0)
        room = 0;
    snprintf(line, PARIO_PROGRESS_LEN, "%s%.*s  %s", before,
             fit_words(phase, room), phase, rate);
    line[fit(line, columns)] = '\0';
    return line;
}

/* "[#####.....] 41 s left  shared file, read 1 MiB  1.71 GB/s". */
static void draw(struct pario_progress *progress)
{
    double elapsed = pario_clock_s() - progress->start_s;
    double share = progress->total_s > 0 ? elapsed / progress->total_s : 0;
    double now = progress->rate_now != NULL
                     ? progress->rate_now(progress->rate_arg)
                     : -1;
    char line[PARIO_PROGRESS_LEN], bar[BAR + 1], left[LEFT_LEN],
        rate[PARIO_UNITS_LEN + 8], number[PARIO_UNITS_LEN];
    char before[LEFT_LEN + BAR + 8] = "";
    int full = share < 1 ? (int)(share * BAR) : BAR;

    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = '\0';
    (void)pario_progress_left(progress->total_s, elapsed, left);
    if (now >= 0)
        snprintf(rate, sizeof(rate), "device %.31s",
                 pario_rate_print(now, number));
    else
        snprintf(rate, sizeof(rate), "%s", progress->rate);
    if (progress->total_s > 0)
        snprintf(before, sizeof(before), "[%s] %s  ", bar, left);
    (void)pario_progress_line(before, progress->phase, rate,
                              progress->columns - 1, line);
    clear_line(progress);
    fputs(line, stderr);
    fflush(stderr);
    progress->line_open = 1;
}

static void *redraw(void *arg)
{
    struct pario_progress *progress = arg;
    struct timespec until;

    pthread_mutex_lock(&progress->lock);
    while (!progress->stop) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (pthread_cond_timedwait(&progress->wake, &progress->lock, &until) ==
                ETIMEDOUT &&
            progress->line_open)
            draw(progress);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void pario_progress_start(struct pario_progress *progress, int enabled,
                          int notes, int verbose, double total_s)
{
    memset(progress, 0, sizeof(*progress));
    progress->enabled = enabled;
    progress->notes = notes;
    progress->verbose = verbose;
    progress->columns = enabled ? find_columns() : 0;
    progress->start_s = pario_clock_s();
    progress->total_s = total_s;
    if (progress->columns <= 0)
        return;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->wake, NULL);
    /* Without it the line is drawn anew with each phase only. */
    progress->running =
        pthread_create(&progress->thread, NULL, redraw, progress) == 0;
}

static void lock(struct pario_progress *progress)
{
    if (progress->running)
        pthread_mutex_lock(&progress->lock);
}

static void unlock(struct pario_progress *progress)
{
    if (progress->running)
        pthread_mutex_unlock(&progress->lock);
}

void pario_progress_watch(struct pario_progress *progress,
                          double (*rate)(void *arg), void *arg)
{
    lock(progress);
    progress->rate_now = rate;
    progress->rate_arg = arg;
    unlock(progress);
}

void pario_progress_phase(struct pario_progress *progress, const char *fmt, ...)
{
    va_list args;

    lock(progress);
    va_start(args, fmt);
    vsnprintf(progress->phase, sizeof(progress->phase), fmt, args);
    va_end(args);
    pario_text_tame(progress->phase);
    progress->rate[0] = '\0';
    if (progress->enabled && progress->columns > 0)
        draw(progress);
    unlock(progress);
}

void pario_progress_figure(struct pario_progress *progress, const char *rate)
{
    double elapsed = pario_clock_s() - progress->start_s;
    char left[LEFT_LEN];

    if (!progress->enabled)
        return;
    lock(progress);
    snprintf(progress->rate, sizeof(progress->rate), "%s", rate);
    if (progress->columns > 0 && !progress->verbose) {
        draw(progress);
    } else {
        clear_line(progress);
        (void)pario_progress_left(progress->total_s, elapsed, left);
        fprintf(stderr, "%s: %s%s%s\n", progress->phase, rate,
                left[0] != '\0' ? ", " : "", left);
    }
    unlock(progress);
}

void pario_progress_note(struct pario_progress *progress, const char *fmt, ...)
{
    char text[NOTE_LEN];
    va_list args;

    if (!progress->notes)
        return;
    lock(progress);
    clear_line(progress);
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pario_text_tame(text);
    fprintf(stderr, "%s\n", text);
    unlock(progress);
}

void pario_progress_finish(struct pario_progress *progress)
{
    if (progress->running) {
        pthread_mutex_lock(&progress->lock);
        progress->stop = 1;
        pthread_cond_signal(&progress->wake);
        pthread_mutex_unlock(&progress->lock);
        pthread_join(progress->thread, NULL);
        progress->running = 0;
    }
    if (progress->enabled)
        clear_line(progress);
    /* A launcher may bring what follows on the standard output to the terminal
     * before it: the line is cleared on both ways. */
    if (progress->enabled && progress->columns > 0 &&
        getenv(PARIO_TERMINAL_OUT_VARIABLE) != NULL)
        fputs("\r\033[K", stdout);
    progress->enabled = 0;
}
