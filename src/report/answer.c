/* report/answer.c - the answer of a document on a terminal. */
#include "report/answer.h"

#include "core/text.h"
#include "core/units.h"
#include "report/measures.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH PARIO_TEXT_WIDTH
#define HEIGHT 24
#define LAST_LINES 4 /* what comes after the warnings */
#define LABEL_WIDTH 15
#define WIDE_LABEL 36
#define CELL_WIDTH 21
#define CELL_LEN 256
#define DEFAULT_LINES 8
#define NOISY 100 /* an interval over so many times its lower end */

struct answer {
    FILE *out;
    const json_t *document;
    const json_t *view;
    int lines;          /* printed so far */
    int rows;           /* of figures among them */
    unsigned flags;     /* of the figures shown */
    unsigned common;    /* of these, those that all of them have */
    unsigned of_line;   /* those that all figures of a line have */
    size_t label_width; /* of lines with one figure */
};

static void end_line(struct answer *answer)
{
    putc('\n', answer->out);
    answer->lines++;
}

static void put_wrapped(struct answer *answer, const char *head, int indent,
                        const char *text)
{
    answer->lines += pario_text_wrap(answer->out, head, indent, text);
}

static time_t time_of(const char *utc)
{
    struct tm tm = {0};

    if (utc == NULL || strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm) == NULL)
        return 0;
    return timegm(&tm);
}

static void add(char *text, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t len, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, fmt);
    vsnprintf(text + used, len - used, fmt, args);
    va_end(args);
}

static const char *plural(json_int_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* The stamps are whole seconds: no digit behind the point is known. */
static void add_time(char *text, time_t took_s)
{
    char took[PARIO_UNITS_LEN];

    if (took_s < 1)
        add(text, PARIO_WHERE_LEN, ", under 1 s");
    else if (took_s < 60)
        add(text, PARIO_WHERE_LEN, ", %d s", (int)took_s);
    else
        add(text, PARIO_WHERE_LEN, ", %s",
            pario_time_print((double)took_s, took));
}

void pario_answer_where(const json_t *document, char text[PARIO_WHERE_LEN])
{
    const json_t *system = json_object_get(document, "system");
    const json_t *details = json_object_get(system, "filesystem_details");
    const char *target = pario_text_of(details, "target", NULL);
    const char *source = pario_text_of(details, "source", NULL);
    const char *fs = pario_text_of(system, "filesystem", NULL);
    const char *mpi = pario_text_of(system, "mpi", NULL);
    const char *conditions =
        pario_text_of(json_object_get(document, "view"), "conditions", NULL);
    json_int_t nodes = pario_integer_of(system, "nodes");
    json_int_t n = pario_integer_of(system, "processes");
    time_t begin = time_of(pario_text_of(document, "started_utc", NULL));
    time_t end = time_of(pario_text_of(document, "finished_utc", NULL));

    text[0] = '\0';
    if (target != NULL && fs != NULL)
        add(text, PARIO_WHERE_LEN, "%s: %s", target, fs);
    if (target != NULL && fs != NULL && source != NULL &&
        strcmp(source, fs) != 0)
        add(text, PARIO_WHERE_LEN, " on %s",
            strncmp(source, "/dev/", 5) == 0 ? source + 5 : source);
    if (n > 0)
        add(text, PARIO_WHERE_LEN, "%s%lld %s", text[0] != '\0' ? ", " : "",
            (long long)n, plural(n, "process", "processes"));
    if (n > 0 && nodes > 0)
        add(text, PARIO_WHERE_LEN, " on %lld %s", (long long)nodes,
            plural(nodes, "node", "nodes"));
    if (mpi != NULL && strcmp(mpi, "none") != 0)
        add(text, PARIO_WHERE_LEN, ", %s", mpi);
    if (begin > 0 && end >= begin)
        add_time(text, end - begin);
    if (conditions != NULL)
        add(text, PARIO_WHERE_LEN, ", %s", conditions);
}

static void put_where(struct answer *answer)
{
    char text[PARIO_WHERE_LEN];

    pario_answer_where(answer->document, text);
    if (text[0] != '\0')
        put_wrapped(answer, "", 2, text);
    end_line(answer);
}

/* What speaks against a figure: in a word beside it, and why once below. */
static const struct {
    unsigned flag;
    const char *why; /* after "cache: " */
} reasons[] = {
    {PARIO_FLAG_CACHE,
     "it came from memory or stayed there; the device did not see it"},
    {PARIO_FLAG_MIXED, "the device saw only a part of it"},
    {PARIO_FLAG_UNKNOWN, "whether a device saw it cannot be known here"},
    {PARIO_FLAG_SHORT, "measured for too short a time to rely on"},
    {PARIO_FLAG_UNVERIFIED, "the data was not checked"},
    {PARIO_FLAG_PAUSED,
     "the clock stood still while the device may have worked"},
    {PARIO_FLAG_REPEATED, "a device that finds duplicates wrote less"},
};

#define NREASONS (sizeof(reasons) / sizeof(reasons[0]))

const char *pario_answer_reason(unsigned flags, size_t *i_p,
                                const char **word_p)
{
    for (; *i_p < NREASONS; (*i_p)++)
        if (flags & reasons[*i_p].flag) {
            *word_p = pario_flag_plain(reasons[*i_p].flag);
            return reasons[(*i_p)++].why;
        }
    return NULL;
}

static void put_reasons(struct answer *answer)
{
    char text[160];

    for (size_t i = 0; i < NREASONS; i++) {
        if (!(answer->flags & reasons[i].flag))
            continue;
        snprintf(text, sizeof(text), "! %s%s: %s",
                 answer->common & reasons[i].flag ? "all figures, " : "",
                 pario_flag_plain(reasons[i].flag), reasons[i].why);
        put_wrapped(answer, "  ", 4, text);
    }
}

/* " (cache, short)". */
static void add_words(char cell[CELL_LEN], unsigned flags)
{
    int first = 1;

    for (size_t i = 0; i < NREASONS; i++)
        if (flags & reasons[i].flag) {
            add(cell, CELL_LEN, "%s%s", first ? " (" : ", ",
                pario_flag_plain(reasons[i].flag));
            first = 0;
        }
    if (!first)
        add(cell, CELL_LEN, ")");
}

/* " (1.31 to 1.55)": the interval of a ratio that has one. */
static void add_interval(const struct answer *answer, const char *figure,
                         char cell[CELL_LEN])
{
    const json_t *summary = json_object_get(answer->document, "summary");
    double low = pario_quantity_bound(summary, figure, "_low");
    double high = pario_quantity_bound(summary, figure, "_high");
    char from[PARIO_QUANTITY_LEN], to[PARIO_QUANTITY_LEN];

    if (strcmp(pario_quantity_unit(figure), "ratio") != 0 || isnan(low) ||
        isnan(high))
        return;
    if (!(low > 0) || high / low > NOISY)
        add(cell, CELL_LEN, " (too noisy to tell)");
    else
        add(cell, CELL_LEN, " (%s to %s)", pario_quantity_ratio(low, from),
            pario_quantity_ratio(high, to));
}

/* "write    812 MB/s (short)": the number to the right, its unit to the left,
 * and blanks up to the next one. */
static void print_figure(struct answer *answer, const char *name,
                         const char *figure, const json_t *value,
                         char cell[CELL_LEN])
{
    unsigned flags = pario_summary_flags(answer->document, figure);
    char text[PARIO_QUANTITY_LEN], *unit;
    size_t used = pario_text_columns(name);

    if (flags & PARIO_FLAG_FAILED)
        snprintf(text, sizeof(text), "not valid");
    else
        (void)pario_quantity_print(figure, value, text);
    unit = json_is_number(value) && !(flags & PARIO_FLAG_FAILED)
               ? strchr(text, ' ')
               : NULL;
    if (unit != NULL)
        *unit++ = '\0';
    snprintf(cell, CELL_LEN, "%.80s%*s %5s%s%s", name,
             used < 6 ? 6 - (int)used : 0, "", text, unit != NULL ? " " : "",
             unit != NULL ? unit : "");
    add_interval(answer, figure, cell);
    add_words(cell, flags & ~answer->common & ~answer->of_line);
    answer->flags |= flags;
}

/* The label; where the first figure begins. */
static size_t put_label(struct answer *answer, const char *label, int wide)
{
    size_t used = pario_text_columns(label);
    size_t width = wide ? answer->label_width : LABEL_WIDTH;

    fputs("  ", answer->out);
    pario_cell_put(answer->out, label, PARIO_FORMAT_TEXT);
    if (used >= width) { /* on a line of its own */
        end_line(answer);
        width = LABEL_WIDTH;
        fprintf(answer->out, "%*s", LABEL_WIDTH + 2, "");
    } else {
        fprintf(answer->out, "%*s", (int)(width - used), "");
    }
    return width + 2;
}

static int has_figures(const json_t *summary, const json_t *figures)
{
    const json_t *cell;
    size_t i;

    json_array_foreach(figures, i, cell)
    {
        const char *figure = pario_text_of(cell, "figure", NULL);

        if (figure != NULL && json_object_get(summary, figure) != NULL)
            return 1;
    }
    return 0;
}

/* What all figures of a line have in common. */
static unsigned flags_of_all(const struct answer *answer, const json_t *figures)
{
    const json_t *summary = json_object_get(answer->document, "summary");
    const json_t *cell;
    unsigned common = ~0U;
    size_t i;

    json_array_foreach(figures, i, cell)
    {
        const char *figure = pario_text_of(cell, "figure", NULL);

        if (figure != NULL && json_object_get(summary, figure) != NULL)
            common &= pario_summary_flags(answer->document, figure);
    }
    return common;
}

/* The columns of a line. */
struct columns {
    size_t first, at; /* where figures begin; where the line is */
};

/* Where the next column is. */
static size_t next_column(const struct columns *columns)
{
    size_t begin = columns->at + (columns->at > columns->first ? 2 : 0);
    size_t step = (begin - columns->first + CELL_WIDTH - 1) / CELL_WIDTH;

    return columns->first + step * CELL_WIDTH;
}

static int fits(const struct columns *columns, const char *text)
{
    return next_column(columns) + pario_text_columns(text) <= WIDTH;
}

/* In the next column, or on the next line where it would not fit. */
static void put_cell(struct answer *answer, struct columns *columns,
                     const char *text)
{
    size_t begin = next_column(columns);

    if (!fits(columns, text)) {
        end_line(answer);
        columns->at = 0;
        begin = columns->first;
    }
    fprintf(answer->out, "%*s", (int)(begin - columns->at), "");
    pario_cell_put(answer->out, text, PARIO_FORMAT_TEXT);
    columns->at = begin + pario_text_columns(text);
}

static void put_row(struct answer *answer, const json_t *row)
{
    struct columns columns;
    char last[CELL_LEN];
    const json_t *summary = json_object_get(answer->document, "summary");
    const json_t *figures = json_object_get(row, "figures"), *cell;
    const char *label = pario_text_of(row, "label", NULL),
               *note = pario_text_of(row, "note", NULL);
    size_t i;

    if (!has_figures(summary, figures))
        return;
    answer->rows++;
    answer->of_line =
        json_array_size(figures) > 1 ? flags_of_all(answer, figures) : 0;
    columns.first = columns.at = put_label(answer, label != NULL ? label : "",
                                           json_array_size(figures) == 1);
    json_array_foreach(figures, i, cell)
    {
        const char *figure = pario_text_of(cell, "figure", NULL);
        const char *name = pario_text_of(cell, "name", NULL);
        const json_t *value =
            figure != NULL ? json_object_get(summary, figure) : NULL;
        char text[CELL_LEN];

        if (value == NULL || figure == NULL)
            continue;
        print_figure(answer, name != NULL ? name : "", figure, value, text);
        put_cell(answer, &columns, text);
    }
    snprintf(last, sizeof(last), "%.120s", note != NULL ? note : "");
    add_words(last, answer->of_line & ~answer->common);
    if (!fits(&columns, last)) { /* what speaks against it comes first */
        last[0] = '\0';
        add_words(last, answer->of_line & ~answer->common);
    }
    if (last[0] != '\0')
        put_cell(answer, &columns, last[0] == ' ' ? last + 1 : last);
    end_line(answer);
}

/* A document that does not say how it wants to be seen: its first figures. */
static void put_default_rows(struct answer *answer)
{
    json_t *summary = json_object_get(answer->document, "summary");
    char name[80], text[PARIO_QUANTITY_LEN];
    const json_t *value;
    const char *figure;
    int shown = 0;

    json_object_foreach(summary, figure, value)
    {
        if (!json_is_number(value) || shown++ >= DEFAULT_LINES)
            continue;
        answer->rows++;
        (void)pario_quantity_name(figure, name, sizeof(name));
        fputs("  ", answer->out);
        pario_cell_put(answer->out, name, PARIO_FORMAT_TEXT);
        fprintf(answer->out, "%*s  %s",
                pario_text_columns(name) < 36
                    ? 36 - (int)pario_text_columns(name)
                    : 0,
                "", pario_quantity_print(figure, value, text));
        answer->flags |= pario_summary_flags(answer->document, figure);
        end_line(answer);
    }
    if (shown > DEFAULT_LINES)
        put_wrapped(answer, "  ", 2, "(the report has all figures)");
}

/* What speaks against every figure of the answer is said once. */
static unsigned common_flags(const struct answer *answer, const json_t *rows)
{
    const json_t *summary = json_object_get(answer->document, "summary");
    const json_t *row;
    unsigned common = ~0U;
    size_t i, count = 0;

    json_array_foreach(rows, i, row)
    {
        const json_t *figures = json_object_get(row, "figures");

        if (!has_figures(summary, figures))
            continue;
        common &= flags_of_all(answer, figures);
        count++;
    }
    return count > 1 ? common : 0;
}

/* Lines with one figure have it below each other, after the longest of their
 * labels. */
static size_t label_width(const struct answer *answer, const json_t *rows)
{
    const json_t *summary = json_object_get(answer->document, "summary");
    size_t i, width = LABEL_WIDTH;
    const json_t *row;

    json_array_foreach(rows, i, row)
    {
        const json_t *figures = json_object_get(row, "figures");
        size_t used = pario_text_columns(pario_text_of(row, "label", ""));

        if (json_array_size(figures) == 1 && has_figures(summary, figures) &&
            used >= width && used < WIDE_LABEL)
            width = used + 2;
    }
    return width;
}

static void put_rows(struct answer *answer)
{
    const json_t *rows = json_object_get(answer->view, "answer"), *row;
    size_t i;

    answer->common = common_flags(answer, rows);
    answer->label_width = label_width(answer, rows);
    if (json_array_size(rows) == 0)
        put_default_rows(answer);
    json_array_foreach(rows, i, row)
    {
        put_row(answer, row);
    }
}

static void put_sentences(struct answer *answer)
{
    const json_t *text;
    size_t i;

    json_array_foreach(json_object_get(answer->view, "sentences"), i, text)
    {
        if (i == 0 && answer->rows > 0)
            end_line(answer);
        if (json_is_string(text))
            put_wrapped(answer, "  ", 2, json_string_value(text));
    }
}

/* Lines that a text takes with the two columns of its mark. */
static int height_of(const char *text)
{
    return 1 + (int)(pario_text_columns(text) / (WIDTH - 8));
}

/* Why a run is not valid stands above these. */
static int is_reason(const json_t *document, const json_t *warning)
{
    const json_t *reason;
    size_t i;

    json_array_foreach(json_object_get(document, "invalid_reasons"), i, reason)
    {
        if (json_equal(reason, warning))
            return 1;
    }
    return 0;
}

/* Every warning once; those for which there is no room are counted. */
static void put_warnings(struct answer *answer)
{
    const json_t *warnings = json_object_get(answer->document, "warnings");
    const json_t *text;
    size_t i, left = 0,
              use = json_array_size(json_object_get(answer->view, "use"));
    int room = HEIGHT - LAST_LINES - (use > 0 ? (int)use + 1 : 0);
    char line[2048];

    json_array_foreach(warnings, i, text)
    {
        const char *words = json_string_value(text);

        if (words == NULL || is_reason(answer->document, text))
            continue;
        if (answer->lines + height_of(words) > room) {
            left++;
            continue;
        }
        snprintf(line, sizeof(line), "! %s", words);
        put_wrapped(answer, "  ", 4, line);
    }
    if (left > 0) {
        snprintf(
            line, sizeof(line), "! %zu %s in the report", left,
            left == json_array_size(warnings)
                ? plural((json_int_t)left, "warning", "warnings")
                : plural((json_int_t)left, "more warning", "more warnings"));
        put_wrapped(answer, "  ", 4, line);
    }
}

static void put_status(struct answer *answer)
{
    const char *status = pario_document_status(answer->document);
    const json_t *list = json_object_get(answer->document, "invalid_reasons");
    char text[1024];

    if (strcmp(status, "VALID") == 0)
        return;
    end_line(answer);
    if (strcmp(status, "PRELIMINARY") == 0)
        snprintf(text, sizeof(text),
                 "PRELIMINARY: valid, but not an official figure by the "
                 "suite's rules");
    else
        snprintf(text, sizeof(text), "%s: %s",
                 strcmp(status, "INVALID") == 0 ? "INVALID" : "UNFINISHED",
                 json_array_size(list) > 0
                     ? json_string_value(json_array_get(list, 0))
                     : "the run did not come to its end");
    if (json_array_size(list) > 1)
        add(text, sizeof(text), " (and %zu more: the report has them)",
            json_array_size(list) - 1);
    put_wrapped(answer, "", 2, text);
}

/* Lines to be copied: never wrapped. */
static void put_use(struct answer *answer)
{
    const json_t *line;
    size_t i;

    json_array_foreach(json_object_get(answer->view, "use"), i, line)
    {
        if (i == 0)
            end_line(answer);
        if (!json_is_string(line))
            continue;
        fputs("  ", answer->out);
        pario_cell_put(answer->out, json_string_value(line), PARIO_FORMAT_TEXT);
        end_line(answer);
    }
}

static void put_commands(struct answer *answer, const char *path)
{
    const char *next = pario_text_of(answer->view, "next", NULL);
    char details[4200] = "", after[8200] = "";

    if (path != NULL)
        snprintf(details, sizeof(details), "details: pario report %s", path);
    if (next != NULL)
        snprintf(after, sizeof(after), "next: %s", next);
    if (details[0] == '\0' && after[0] == '\0')
        return;
    end_line(answer);
    pario_cell_put(answer->out, details, PARIO_FORMAT_TEXT);
    if (after[0] != '\0' &&
        pario_text_columns(details) + 4 + pario_text_columns(after) <= WIDTH)
        fputs("    ", answer->out);
    else if (details[0] != '\0' && after[0] != '\0')
        end_line(answer);
    pario_cell_put(answer->out, after, PARIO_FORMAT_TEXT);
    end_line(answer);
}

int pario_answer_print(FILE *out, const json_t *document, const char *path)
{
    struct answer answer = {.out = out,
                            .document = document,
                            .view = json_object_get(document, "view")};

    put_where(&answer);
    put_rows(&answer);
    put_sentences(&answer);
    put_status(&answer);
    if (answer.flags != 0 ||
        json_array_size(json_object_get(document, "warnings")) > 0)
        end_line(&answer);
    put_reasons(&answer);
    put_warnings(&answer);
    put_use(&answer);
    put_commands(&answer, path);
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write the answer") : 0;
}
