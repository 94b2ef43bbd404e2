/* report/history.h - runs over time in an SQLite file (docs/history.md). Runs
 * that were asked for other work, or ran elsewhere, are different lines: they
 * are never drawn as one. Local. */
#ifndef PARIO_REPORT_HISTORY_H
#define PARIO_REPORT_HISTORY_H

#include "report/figure.h"
#include "report/levels.h"
#include "report/table.h"
#include <jansson.h>
#include <stdint.h>

struct pario_history; /* opaque */

/* Writable: made where it is not there. A file that is no history, or one of a
 * newer pario, is refused. The caller owns *history_p. */
int pario_history_open(const char *path, int writable,
                       struct pario_history **history_p) PARIO_MUST_USE;
void pario_history_close(struct pario_history *history);

/* Adds a document; file: where it came from. *run_p: its number; *added_p 0: it
 * was there already. */
int pario_history_add(struct pario_history *history, const char *file,
                      const json_t *document, int64_t *run_p,
                      int *added_p) PARIO_MUST_USE;

/* The newest runs, at most so many, as a table. */
int pario_history_list(struct pario_history *history, int64_t most, FILE *out,
                       enum pario_format format) PARIO_MUST_USE;

/* The document of a run; the caller owns *document_p. */
int pario_history_load(struct pario_history *history, int64_t run,
                       json_t **document_p) PARIO_MUST_USE;

/* One figure of one line over time. */
struct pario_trend_point {
    int64_t run;
    double time_s; /* since 1970 */
    double value;
    unsigned flags;
};

struct pario_trend {
    int64_t line;
    char *line_name, *figure, *figure_name;
    struct pario_trend_point *points; /* of valid runs, by time */
    size_t count;
    size_t left_out; /* runs that are not valid */
    struct pario_level *levels;
    size_t nlevels;
    json_t **changes; /* for each level but the first: what was set
                         differently in its first run, as texts */
};

struct pario_trends {
    struct pario_trend *items;
    size_t count;
};

/* The trends of a figure, NULL: of all headline figures; of one line, 0: of
 * all. */
int pario_history_trends(struct pario_history *history, const char *figure,
                         int64_t line,
                         struct pario_trends *trends_p) PARIO_MUST_USE;
void pario_trends_fini(struct pario_trends *trends);

/* The answer, the levels, and what changed between them. */
int pario_trend_print(const struct pario_trend *trend, FILE *out,
                      enum pario_format format) PARIO_MUST_USE;
/* A row for each. */
int pario_trends_table(const struct pario_trends *trends, FILE *out,
                       enum pario_format format) PARIO_MUST_USE;
/* Values, level and band over the days. The caller owns *figure_p. */
int pario_trend_figure(const struct pario_trend *trend,
                       struct pario_figure **figure_p) PARIO_MUST_USE;

#endif
