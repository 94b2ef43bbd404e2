/* report/history_print.c - a trend for people: the answer, the levels, what
 * changed between them, the picture. Needs no database. */
#include "report/history.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S 86400.0
#define DATE_LEN 24
#define MAX_CHANGES 8 /* texts that are printed of one change */

static const char *print_time(double time_s, int exact, char text[DATE_LEN])
{
    time_t seconds = (time_t)time_s;
    struct tm tm;

    if (gmtime_r(&seconds, &tm) == NULL ||
        (exact ? strftime(text, DATE_LEN, "%Y-%m-%d %H:%M:%S", &tm)
               : strftime(text, DATE_LEN, "%Y-%m-%d", &tm)) == 0)
        snprintf(text, DATE_LEN, "?");
    return text;
}

static const char *date_of(double time_s, char text[DATE_LEN])
{
    return print_time(time_s, 0, text);
}

/* Of two runs of one day the time is said, too. */
static const char *date_beside(double time_s, double other_s,
                               char text[DATE_LEN])
{
    int same = floor(time_s / DAY_S) == floor(other_s / DAY_S);

    return print_time(time_s, same, text);
}

static const char *quantity(const struct pario_trend *trend, double value,
                            char text[PARIO_QUANTITY_LEN])
{
    json_t *number = json_real(value);

    (void)pario_quantity_print(trend->figure, number, text);
    json_decref(number);
    return text;
}

/* Of a level against the one before it: "-17 %". */
static const char *step_of(const struct pario_trend *trend, size_t level,
                           char text[32])
{
    double was = trend->levels != NULL ? trend->levels[level - 1].level : 0;
    double is = trend->levels != NULL ? trend->levels[level].level : 0;

    if (was != 0)
        snprintf(text, 32, "%+.*f %%", fabs(is / was - 1) < 0.0995 ? 1 : 0,
                 100 * (is / was - 1));
    else
        snprintf(text, 32, "from 0");
    return text;
}

static double first_time(const struct pario_trend *trend, size_t level)
{
    return trend->points[trend->levels[level].first].time_s;
}

/* The day on which a level began; with the time where another began on it. */
static const char *first_date(const struct pario_trend *trend, size_t level,
                              char text[DATE_LEN])
{
    double own;

    if (trend->points == NULL || trend->levels == NULL)
        return "?";
    own = first_time(trend, level);
    (void)date_of(own, text);
    if (level > 0)
        (void)date_beside(own, first_time(trend, level - 1), text);
    if (level + 1 < trend->nlevels && strchr(text, ':') == NULL)
        (void)date_beside(own, first_time(trend, level + 1), text);
    return text;
}

/* "±3 %": of a single run, 95 %. */
static double noise_of(const struct pario_level *level)
{
    return level->level != 0 ? (level->high - level->low) / 2 / level->level
                             : 0;
}

/* Two digits that count, as people write them: 0.35, 3.5, 35, 350. */
static int noise_digits(const struct pario_level *level)
{
    double percent = 100 * noise_of(level);

    return percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0;
}

/* "write: 812 MB/s since 2026-11-03, -17 %; one run differs by ±3 %". */
static void put_answer(const struct pario_trend *trend, FILE *out,
                       enum pario_format format)
{
    const struct pario_level *now = &trend->levels[trend->nlevels - 1];
    char level[PARIO_QUANTITY_LEN], date[DATE_LEN], step[32];

    fputs(format == PARIO_FORMAT_HTML ? "<h3>"
          : format == PARIO_FORMAT_MD ? "## "
                                      : "",
          out);
    pario_cell_put(out, trend->line_name, format);
    fputs(format == PARIO_FORMAT_HTML ? "</h3>\n<p class=\"answer\">"
          : format == PARIO_FORMAT_MD ? "\n\n**"
                                      : "\n",
          out);
    pario_cell_put(out, trend->figure_name, format);
    fprintf(out, ": %s", quantity(trend, now->level, level));
    if (trend->nlevels > 1)
        fprintf(out, " since %s (%s)",
                first_date(trend, trend->nlevels - 1, date),
                step_of(trend, trend->nlevels - 1, step));
    else
        fprintf(out, ", no change since %s", first_date(trend, 0, date));
    fprintf(out, ";%sa single run differs by up to ±%.*f %%",
            format == PARIO_FORMAT_TEXT ? "\n   " : " ", noise_digits(now),
            100 * noise_of(now));
    fputs(format == PARIO_FORMAT_HTML ? "</p>\n"
          : format == PARIO_FORMAT_MD ? "**\n"
                                      : "\n",
          out);
}

static void put_count(const struct pario_trend *trend, FILE *out,
                      enum pario_format format)
{
    char first[DATE_LEN], last[DATE_LEN];
    size_t flagged = 0;

    for (size_t i = 0; i < trend->count; i++)
        flagged += trend->points[i].flags != 0;
    fputs(format == PARIO_FORMAT_HTML ? "<p class=\"note\">" : "\n", out);
    fprintf(out, "%zu run%s from %s to %s", trend->count,
            trend->count == 1 ? "" : "s",
            date_of(trend->points[0].time_s, first),
            date_of(trend->points[trend->count - 1].time_s, last));
    if (trend->left_out > 0)
        fprintf(out, "; %zu that %s not valid left out", trend->left_out,
                trend->left_out == 1 ? "is" : "are");
    if (flagged > 0)
        fprintf(out, ";%s%zu of the values %s flagged",
                format == PARIO_FORMAT_TEXT ? "\n   " : " ", flagged,
                flagged == 1 ? "is" : "are");
    fputs(format == PARIO_FORMAT_HTML ? "</p>\n" : "\n\n", out);
}

/* What speaks against the values of a level: against all, or some of them. */
static unsigned level_flags(const struct pario_trend *trend, size_t level)
{
    const struct pario_level *of = &trend->levels[level];
    struct pario_flag_sum sum = {0};

    for (size_t i = of->first; i < of->first + of->count; i++)
        pario_flag_sum_add(&sum, trend->points[i].flags);
    return pario_flag_sum_get(&sum);
}

/* Keys for programs, words for people. */
static const char *flags_for(enum pario_format format, unsigned flags,
                             char text[PARIO_FLAGS_LEN])
{
    return format == PARIO_FORMAT_CSV ? pario_flags_print(flags, text)
                                      : pario_flags_words(flags, text);
}

static int put_levels(const struct pario_trend *trend, FILE *out,
                      enum pario_format format)
{
    static const char *const headers[] = {"since", "level",  "95 % of runs",
                                          "runs",  "change", "flags"};
    struct pario_table *table;
    int code = pario_table_create(6, headers, &table);

    if (code != 0)
        return code;
    for (size_t i = 0; i < trend->nlevels; i++) {
        const struct pario_level *level = &trend->levels[i];
        char text[PARIO_QUANTITY_LEN], high[PARIO_QUANTITY_LEN];
        char date[DATE_LEN], step[32], flags[PARIO_FLAGS_LEN];

        (void)pario_table_cell(table, "%s", first_date(trend, i, date));
        (void)pario_table_cell(table, "%s",
                               quantity(trend, level->level, text));
        (void)pario_table_cell(table, "%s to %s",
                               quantity(trend, level->low, text),
                               quantity(trend, level->high, high));
        (void)pario_table_cell(table, "%zu", level->count);
        (void)pario_table_cell(table, "%s",
                               i > 0 ? step_of(trend, i, step) : "");
        (void)pario_table_cell(table, "%s",
                               flags_for(format, level_flags(trend, i), flags));
    }
    fputs(format == PARIO_FORMAT_HTML
              ? "<div class=\"scroll\" tabindex=\"0\">\n"
              : "",
          out);
    code = pario_table_render(table, out, format);
    fputs(format == PARIO_FORMAT_HTML ? "</div>\n" : "", out);
    pario_table_destroy(table);
    return code;
}

/* What was set differently in the first run of a level. */
static void put_change(const struct pario_trend *trend, size_t level, FILE *out,
                       enum pario_format format)
{
    const json_t *texts = trend->changes[level], *text;
    char before[DATE_LEN], after[DATE_LEN];
    int html = format == PARIO_FORMAT_HTML;
    size_t i, all = json_array_size(texts);

    double last_s = trend->points[trend->levels[level].first - 1].time_s;

    fprintf(out, "%sbetween %s and %s%s%s", html ? "<p>" : "\n",
            date_beside(last_s, first_time(trend, level), before),
            date_beside(first_time(trend, level), last_s, after),
            all > 0 ? " changed:" : " nothing that pario records changed",
            html ? "</p>\n<ul>\n" : "\n");
    json_array_foreach(texts, i, text)
    {
        if (i >= MAX_CHANGES)
            break;
        fputs(html ? "<li>" : format == PARIO_FORMAT_MD ? "- " : "   ", out);
        pario_cell_put(out, json_string_value(text), format);
        fputs(html ? "</li>\n" : "\n", out);
    }
    if (all > MAX_CHANGES)
        fprintf(out, "%sand %zu more%s\n", html ? "<li>" : "   ",
                all - MAX_CHANGES, html ? "</li>" : "");
    fputs(html ? "</ul>\n" : "", out);
}

int pario_trend_print(const struct pario_trend *trend, FILE *out,
                      enum pario_format format)
{
    int code = 0;

    if (trend->count == 0) {
        pario_cell_put(out, trend->figure_name, format);
        fprintf(out, ": no valid run yet, %zu left out\n", trend->left_out);
        return 0;
    }
    put_answer(trend, out, format);
    put_count(trend, out, format);
    code = put_levels(trend, out, format);
    for (size_t i = 1; i < trend->nlevels; i++)
        put_change(trend, i, out, format);
    return code;
}

static void put_line_cell(struct pario_table *table,
                          const struct pario_trend *trend)
{
    (void)pario_table_cell(table, "%lld", (long long)trend->line);
}

static void put_figure_cell(struct pario_table *table,
                            const struct pario_trend *trend)
{
    (void)pario_table_cell(table, "%s", trend->figure_name);
}

static void put_name_cell(struct pario_table *table,
                          const struct pario_trend *trend)
{
    (void)pario_table_cell(table, "%s", trend->figure);
}

static void put_runs_cell(struct pario_table *table,
                          const struct pario_trend *trend)
{
    (void)pario_table_cell(table, "%zu", trend->count);
}

static void put_last_cell(struct pario_table *table,
                          const struct pario_trend *trend)
{
    char text[PARIO_QUANTITY_LEN];

    (void)pario_table_cell(
        table, "%s",
        trend->count > 0
            ? quantity(trend, trend->points[trend->count - 1].value, text)
            : "n/a");
}

static const struct pario_level *level_now(const struct pario_trend *trend)
{
    return trend->nlevels > 0 ? &trend->levels[trend->nlevels - 1] : NULL;
}

static void put_level_cell(struct pario_table *table,
                           const struct pario_trend *trend)
{
    const struct pario_level *now = level_now(trend);
    char text[PARIO_QUANTITY_LEN];

    (void)pario_table_cell(
        table, "%s", now != NULL ? quantity(trend, now->level, text) : "n/a");
}

static void put_noise_cell(struct pario_table *table,
                           const struct pario_trend *trend)
{
    const struct pario_level *now = level_now(trend);

    if (now != NULL && trend->count > 1) /* of one run it is not known */
        (void)pario_table_cell(table, "±%.*f %%", noise_digits(now),
                               100 * noise_of(now));
    else
        (void)pario_table_cell(table, "%s", "n/a");
}

static void put_change_cell(struct pario_table *table,
                            const struct pario_trend *trend)
{
    char date[DATE_LEN], step[32];

    if (trend->nlevels > 1)
        (void)pario_table_cell(table, "%s: %s",
                               first_date(trend, trend->nlevels - 1, date),
                               step_of(trend, trend->nlevels - 1, step));
    else
        (void)pario_table_cell(table, "%s", "");
}

static void put_flags_cell(struct pario_table *table,
                           const struct pario_trend *trend)
{
    char flags[PARIO_FLAGS_LEN] = "";

    if (trend->nlevels > 0)
        (void)pario_flags_print(level_flags(trend, trend->nlevels - 1), flags);
    (void)pario_table_cell(table, "%s", flags);
}

static void put_words_cell(struct pario_table *table,
                           const struct pario_trend *trend)
{
    char flags[PARIO_FLAGS_LEN] = "";

    if (trend->nlevels > 0)
        (void)pario_flags_words(level_flags(trend, trend->nlevels - 1), flags);
    (void)pario_table_cell(table, "%s", flags);
}

/* On a screen there is room for some of them: the name is what `trend` takes;
 * programs read the flags as documents have them. */
static const struct {
    const char *header;
    int on_screen, in_csv, on_page;
    void (*put)(struct pario_table *table, const struct pario_trend *trend);
} columns[] = {
    {"line", 1, 1, 1, put_line_cell},
    {"figure", 0, 1, 1, put_figure_cell},
    {"name", 1, 1, 1, put_name_cell},
    {"runs", 0, 1, 1, put_runs_cell},
    {"last", 0, 1, 1, put_last_cell},
    {"level now", 1, 1, 1, put_level_cell},
    {"noise", 0, 1, 1, put_noise_cell},
    {"last change", 1, 1, 1, put_change_cell},
    {"flags", 0, 1, 0, put_flags_cell},
    {"flags", 1, 0, 1, put_words_cell},
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static int is_shown(size_t c, enum pario_format format)
{
    return format == PARIO_FORMAT_TEXT  ? columns[c].on_screen
           : format == PARIO_FORMAT_CSV ? columns[c].in_csv
                                        : columns[c].on_page;
}

static int make_table(const struct pario_trends *trends,
                      enum pario_format format, struct pario_table **table_p)
{
    const char *headers[NCOLUMNS];
    size_t chosen[NCOLUMNS], n = 0;
    int code;

    for (size_t c = 0; c < NCOLUMNS; c++)
        if (is_shown(c, format)) {
            headers[n] = columns[c].header;
            chosen[n++] = c;
        }
    code = pario_table_create(n, headers, table_p);
    for (size_t i = 0; code == 0 && i < trends->count; i++)
        for (size_t c = 0; c < n; c++)
            columns[chosen[c]].put(*table_p, &trends->items[i]);
    return code;
}

int pario_trends_table(const struct pario_trends *trends, FILE *out,
                       enum pario_format format)
{
    struct pario_table *table;
    int code = make_table(trends, format, &table);

    if (code != 0)
        return code;
    for (size_t i = 0; format != PARIO_FORMAT_CSV && i < trends->count; i++) {
        if (i > 0 && trends->items[i].line == trends->items[i - 1].line)
            continue;
        fprintf(out, "%sline %lld: ", format == PARIO_FORMAT_HTML ? "<p>" : "",
                (long long)trends->items[i].line);
        pario_cell_put(out, trends->items[i].line_name, format);
        fputs(format == PARIO_FORMAT_HTML ? "</p>\n" : "\n", out);
    }
    fputs(format == PARIO_FORMAT_HTML  ? "<div class=\"scroll\">\n"
          : format == PARIO_FORMAT_CSV ? ""
                                       : "\n",
          out);
    code = pario_table_render(table, out, format);
    fputs(format == PARIO_FORMAT_HTML ? "</div>\n" : "", out);
    pario_table_destroy(table);
    return code;
}

/* The picture's x of a run: days since the midnight before the first. */
static double day_of(const struct pario_trend *trend, double time_s)
{
    return (time_s - floor(trend->points[0].time_s / DAY_S) * DAY_S) / DAY_S;
}

static int add_points(struct pario_figure *figure,
                      const struct pario_trend *trend)
{
    struct pario_curve *curve = pario_figure_curve(figure, "single runs");
    int code = curve != NULL ? 0 : -ENOMEM;

    for (size_t i = 0; code == 0 && i < trend->count; i++) {
        const struct pario_trend_point *p = &trend->points[i];

        code = pario_curve_add(
            curve, (struct pario_point){.x = day_of(trend, p->time_s),
                                        .y = p->value,
                                        .low = NAN,
                                        .high = NAN,
                                        .flags = p->flags});
    }
    return code;
}

/* A line for each level, so that steps are gaps, with its band. */
static int add_levels(struct pario_figure *figure,
                      const struct pario_trend *trend)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < trend->nlevels; i++) {
        const struct pario_level *level = &trend->levels[i];
        char name[64], date[DATE_LEN];
        struct pario_curve *curve;

        snprintf(name, sizeof(name), "level since %s",
                 first_date(trend, i, date));
        curve = pario_figure_curve(figure, name);
        code = curve != NULL ? 0 : -ENOMEM;
        for (size_t k = 0; code == 0 && k < level->count; k++) {
            double time_s = trend->points[level->first + k].time_s;

            code = pario_curve_add(
                curve, (struct pario_point){.x = day_of(trend, time_s),
                                            .y = level->level,
                                            .low = level->low,
                                            .high = level->high});
        }
    }
    return code;
}

int pario_trend_figure(const struct pario_trend *trend,
                       struct pario_figure **figure_p)
{
    struct pario_figure *figure = NULL;
    char title[512], x[64], id[64], date[DATE_LEN] = "?";
    int code;

    if (trend->count > 0)
        date_of(trend->points[0].time_s, date);
    snprintf(title, sizeof(title), "%.200s: %.200s", trend->figure_name,
             trend->line_name);
    snprintf(x, sizeof(x), "days since %s", date);
    snprintf(id, sizeof(id), "trend-%lld", (long long)trend->line);
    code = pario_figure_create(PARIO_FIGURE_LINES, id, title, x,
                               pario_quantity_unit(trend->figure), &figure);
    if (code == 0) {
        figure->question = PARIO_ASKS_COURSE;
        code = add_points(figure, trend);
    }
    if (code == 0)
        code = add_levels(figure, trend);
    if (code == 0)
        code = pario_figure_note_flags(figure);
    if (code != 0) {
        pario_figure_destroy(figure);
        return pario_fail_errno(-ENOMEM, "history");
    }
    *figure_p = figure;
    return 0;
}
