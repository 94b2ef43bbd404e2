/* report/history_trend.c - figures of the history over time. */
#include "report/compare_settings.h"
#include "report/history.h"
#include "report/history_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "history");
}

/* The statement with the line and the figure of a trend bound to it. */
static int prepare_for(const struct pario_history *history,
                       const struct pario_trend *trend, const char *sql,
                       sqlite3_stmt **statement_p)
{
    int code = pario_history_prepare(history, sql, statement_p);

    if (code == 0) {
        (void)sqlite3_bind_int64(*statement_p, 1, trend->line);
        (void)sqlite3_bind_text(*statement_p, 2, trend->figure, -1,
                                SQLITE_STATIC);
    }
    return code;
}

static int count_points(const struct pario_history *history,
                        const struct pario_trend *trend, size_t *count_p)
{
    sqlite3_stmt *statement = NULL;
    int code = prepare_for(
        history, trend,
        "SELECT count(*) FROM figures WHERE line = ? AND figure = ?",
        &statement);

    if (code == 0)
        code = pario_history_step(history, statement);
    if (code > 0)
        *count_p = (size_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code < 0 ? code : 0;
}

static int read_points(const struct pario_history *history,
                       struct pario_trend *trend)
{
    sqlite3_stmt *row = NULL;
    size_t room = 0;
    int code = count_points(history, trend, &room);

    if (code == 0)
        code = prepare_for(history, trend,
                           "SELECT started, run, value, flags, valid FROM "
                           "figures WHERE line = ? AND figure = ? ORDER BY "
                           "started, run",
                           &row);
    if (code != 0)
        return code;
    trend->points = calloc(room + 1, sizeof(*trend->points));
    code = trend->points != NULL ? 0 : no_memory();
    /* What another process adds meanwhile is left to the next time. */
    while (code == 0 && trend->count < room &&
           (code = pario_history_step(history, row)) > 0) {
        code = 0;
        if (!sqlite3_column_int(row, 4)) {
            trend->left_out++;
            continue;
        }
        trend->points[trend->count++] = (struct pario_trend_point){
            .run = sqlite3_column_int64(row, 1),
            .time_s = sqlite3_column_double(row, 0),
            .value = sqlite3_column_double(row, 2),
            .flags = (unsigned)sqlite3_column_int(row, 3)};
    }
    sqlite3_finalize(row);
    return code;
}

static int find_levels(struct pario_trend *trend)
{
    double *values = calloc(trend->count + 1, sizeof(*values));
    int code;

    if (values == NULL)
        return no_memory();
    for (size_t i = 0; i < trend->count; i++)
        values[i] = trend->points[i].value;
    code = pario_levels_find(values, trend->count, &trend->levels,
                             &trend->nlevels);
    free(values);
    return code;
}

/* How a run was made; a new reference, NULL: not known. */
static int read_facts(const struct pario_history *history, int64_t run,
                      json_t **facts_p)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(
        history,
        "SELECT text FROM facts JOIN runs ON runs.facts = facts.id"
        " WHERE runs.id = ?",
        &statement);

    *facts_p = NULL;
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(statement, 1, run);
    code = pario_history_step(history, statement);
    if (code > 0) {
        *facts_p = json_loads(pario_history_text(statement, 0), 0, NULL);
        code = 0;
    }
    sqlite3_finalize(statement);
    return code;
}

/* What was set differently in the run after a change and the one before. */
static int find_change(const struct pario_history *history, int64_t before,
                       int64_t after, json_t **change_p)
{
    json_t *was = NULL, *is = NULL;
    int code = read_facts(history, before, &was);

    if (code == 0)
        code = read_facts(history, after, &is);
    if (code == 0)
        code = json_is_object(was) && json_is_object(is)
                   ? pario_settings_compare(was, is, change_p)
                   : 0;
    json_decref(was);
    json_decref(is);
    return code;
}

static int find_changes(const struct pario_history *history,
                        struct pario_trend *trend)
{
    int code = 0;

    trend->changes = calloc(trend->nlevels + 1, sizeof(json_t *));
    if (trend->changes == NULL)
        return no_memory();
    for (size_t i = 1; code == 0 && i < trend->nlevels; i++) {
        size_t first = trend->levels[i].first;

        code = find_change(history, trend->points[first - 1].run,
                           trend->points[first].run, &trend->changes[i]);
    }
    return code;
}

static int read_trend(const struct pario_history *history, sqlite3_stmt *row,
                      struct pario_trend *trend)
{
    int code = 0;

    *trend =
        (struct pario_trend){.line = sqlite3_column_int64(row, 0),
                             .line_name = strdup(pario_history_text(row, 1)),
                             .figure = strdup(pario_history_text(row, 2)),
                             .figure_name = strdup(pario_history_text(row, 3))};
    if (trend->line_name == NULL || trend->figure == NULL ||
        trend->figure_name == NULL)
        code = no_memory();
    if (code == 0)
        code = read_points(history, trend);
    if (code == 0)
        code = find_levels(trend);
    if (code == 0)
        code = find_changes(history, trend);
    return code;
}

static void free_trend(struct pario_trend *trend)
{
    for (size_t i = 0; trend->changes != NULL && i < trend->nlevels; i++)
        json_decref(trend->changes[i]);
    free(trend->changes);
    free(trend->levels);
    free(trend->points);
    free(trend->line_name);
    free(trend->figure);
    free(trend->figure_name);
}

void pario_trends_fini(struct pario_trends *trends)
{
    for (size_t i = 0; i < trends->count; i++)
        free_trend(&trends->items[i]);
    free(trends->items);
    *trends = (struct pario_trends){.count = 0};
}

static int read_trends(const struct pario_history *history,
                       sqlite3_stmt *statement, struct pario_trends *trends)
{
    int code;

    while ((code = pario_history_step(history, statement)) > 0) {
        struct pario_trend *more = realloc(
            trends->items, (trends->count + 1) * sizeof(*trends->items));

        if (more == NULL)
            return no_memory();
        trends->items = more;
        code = read_trend(history, statement, &more[trends->count]);
        trends->count++;
        if (code != 0)
            return code;
    }
    return code;
}

int pario_history_trends(struct pario_history *history, const char *figure,
                         int64_t line, struct pario_trends *trends_p)
{
    sqlite3_stmt *statement = NULL;
    int code = pario_history_prepare(
        history,
        "SELECT lines.id, lines.name, names.figure, names.name FROM names"
        " JOIN lines ON lines.id = names.line"
        " WHERE (?1 = 0 OR lines.id = ?1)"
        " AND ((?2 IS NULL AND headline) OR names.figure = ?2)"
        " ORDER BY lines.id, place, figure",
        &statement);

    *trends_p = (struct pario_trends){.count = 0};
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(statement, 1, line);
    if (figure != NULL)
        (void)sqlite3_bind_text(statement, 2, figure, -1, SQLITE_STATIC);
    code = read_trends(history, statement, trends_p);
    sqlite3_finalize(statement);
    if (code == 0 && trends_p->count == 0)
        code = pario_fail(PARIO_EUSAGE,
                          "%s has no figure %s%s%s (`pario history trend` "
                          "lists them)",
                          history->path, figure != NULL ? figure : "",
                          line != 0 ? " on this line" : "",
                          figure == NULL && line == 0 ? "yet" : "");
    if (code != 0)
        pario_trends_fini(trends_p);
    return code;
}
