/* report/history_parts.h - what the files of the history share: the database.
 * Private to src/report. Local. */
#ifndef PARIO_REPORT_HISTORY_PARTS_H
#define PARIO_REPORT_HISTORY_PARTS_H

#include "report/history.h"
#include <sqlite3.h>

struct pario_history {
    sqlite3 *db;
    char *path;
};

/* The database's own words as our message. */
int pario_history_fail(const struct pario_history *history, const char *what);

/* A statement with up to three bound values; the caller finalizes it. */
int pario_history_prepare(const struct pario_history *history, const char *sql,
                          sqlite3_stmt **statement_p) PARIO_MUST_USE;
/* 1: a row, 0: no more, negative: an error with message. */
int pario_history_step(const struct pario_history *history,
                       sqlite3_stmt *statement) PARIO_MUST_USE;
/* A column of text; "" for none. */
const char *pario_history_text(sqlite3_stmt *statement, int column);

#endif
