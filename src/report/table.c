/* report/table.c - a table of cells as text, CSV or Markdown. */
#include "report/table.h"
#include "core/text.h"
#include "report/table_parts.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pario_table {
    size_t ncolumns, ncells, capacity;
    char **cells; /* the first ncolumns are the headers */
    int failed;
};

static int append(struct pario_table *table, char *text)
{
    if (table->ncells == table->capacity) {
        size_t capacity = table->capacity * 2 + 2 * table->ncolumns;
        char **cells = realloc(table->cells, capacity * sizeof(*cells));

        if (cells == NULL)
            return -ENOMEM;
        table->cells = cells;
        table->capacity = capacity;
    }
    table->cells[table->ncells++] = text;
    return 0;
}

int pario_table_create(size_t ncolumns, const char *const *headers,
                       struct pario_table **table_p)
{
    struct pario_table *table = calloc(1, sizeof(*table));

    if (table == NULL)
        return pario_fail_errno(-ENOMEM, "table");
    table->ncolumns = ncolumns;
    for (size_t i = 0; i < ncolumns; i++) {
        int code = pario_table_cell(table, "%s", headers[i]);

        if (code != 0) {
            pario_table_destroy(table);
            return code;
        }
    }
    *table_p = table;
    return 0;
}

void pario_table_destroy(struct pario_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->ncells; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table);
}

int pario_table_cell(struct pario_table *table, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n >= 0 && append(table, text) == 0)
        return 0;
    if (n >= 0)
        free(text);
    table->failed = 1;
    return pario_fail_errno(-ENOMEM, "table");
}

/* Quoted where it must be; of control characters only those that a cell may
 * have, for a table may be shown on a terminal. */
static void put_csv(FILE *out, const char *text)
{
    int quoted = strpbrk(text, ",\"\r\n") != NULL, length;

    if (quoted)
        putc('"', out);
    for (; *text != '\0'; text += length) {
        int shown = pario_text_shown(text, &length);

        if (*text == '"')
            putc('"', out);
        if (shown == 0 && strchr("\r\n\t", *text) == NULL)
            putc(' ', out);
        else
            fwrite(text, 1, (size_t)length, out);
    }
    if (quoted)
        putc('"', out);
}

/* A spreadsheet would take it for a formula and carry it out; numbers may
 * begin so. */
static int is_formula(const char *text)
{
    char *end = NULL;

    if (text[0] == '\0' || strchr("=+-@\t\r", text[0]) == NULL ||
        strcmp(text, "-") == 0)
        return 0;
    (void)strtod(text, &end);
    return end == text || *end != '\0';
}

/* An apostrophe makes it text to a spreadsheet. */
static void put_quoted(FILE *out, const char *given)
{
    char *copy = NULL;
    const char *text = given;

    if (is_formula(given) && asprintf(&copy, "'%s", given) >= 0)
        text = copy;
    put_csv(out, text);
    free(copy);
}

void pario_cell_put(FILE *out, const char *text, enum pario_format format)
{
    int length;

    if (format == PARIO_FORMAT_CSV) {
        put_quoted(out, text);
        return;
    }
    for (const char *p = text; *p != '\0'; p += length) {
        if (pario_text_shown(p, &length) == 0) {
            putc(' ', out);
        } else if (format != PARIO_FORMAT_TEXT && *p == '<') {
            fputs("&lt;", out);
        } else if (format != PARIO_FORMAT_TEXT && *p == '&') {
            fputs("&amp;", out);
        } else if (format == PARIO_FORMAT_HTML && *p == '>') {
            fputs("&gt;", out);
        } else if (format == PARIO_FORMAT_HTML && *p == '"') {
            fputs("&quot;", out);
        } else if (format == PARIO_FORMAT_HTML && *p == '\'') {
            fputs("&#39;", out);
        } else {
            if (format == PARIO_FORMAT_MD && strchr("|\\*`[]", *p) != NULL)
                putc('\\', out);
            fwrite(p, 1, (size_t)length, out);
        }
    }
}

/* Columns that text takes on a screen: characters, not bytes, as
 * pario_cell_put prints them. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    int length;

    for (; *text != '\0'; text += length, width++)
        (void)pario_text_shown(text, &length);
    return width;
}

static int is_number(const char *text)
{
    return strspn(text, "0123456789.+-e") == strlen(text) &&
           strpbrk(text, "0123456789") != NULL;
}

static int is_blank(const char *text)
{
    return text[0] == '\0' || strcmp(text, "-") == 0 ||
           strcmp(text, "n/a") == 0;
}

static const char *cell_at(const struct pario_table *table, size_t row,
                           size_t column)
{
    size_t i = row * table->ncolumns + column;

    return i < table->ncells ? table->cells[i] : "";
}

static size_t row_count(const struct pario_table *table)
{
    return (table->ncells + table->ncolumns - 1) / table->ncolumns;
}

static int is_right_aligned(const struct pario_table *table, size_t column)
{
    int numbers = 0;

    for (size_t row = 1; row < row_count(table); row++) {
        const char *cell = cell_at(table, row, column);

        if (!is_number(cell) && !is_blank(cell))
            return 0;
        numbers += is_number(cell);
    }
    return numbers > 0;
}

static size_t column_width(const struct pario_table *table, size_t column)
{
    size_t width = 0;

    for (size_t row = 0; row < row_count(table); row++) {
        size_t w = width_of(cell_at(table, row, column));

        width = w > width ? w : width;
    }
    return width;
}

static void put_times(FILE *out, char c, size_t count)
{
    while (count-- > 0)
        putc(c, out);
}

struct layout {
    size_t width;
    int right;
};

static void render_text_row(const struct pario_table *table, FILE *out,
                            size_t row, const struct layout *layout)
{
    size_t gap = 0; /* printed before the next cell: no blanks at line ends */

    for (size_t i = 0; i < table->ncolumns; i++) {
        const char *cell = cell_at(table, row, i);
        size_t rest = layout[i].width - width_of(cell);

        if (cell[0] == '\0') {
            gap += layout[i].width + 2;
            continue;
        }
        put_times(out, ' ', gap + (layout[i].right ? rest : 0));
        pario_cell_put(out, cell, PARIO_FORMAT_TEXT);
        gap = 2 + (layout[i].right ? 0 : rest);
    }
    putc('\n', out);
}

static void render_text(const struct pario_table *table, FILE *out,
                        const struct layout *layout)
{
    render_text_row(table, out, 0, layout);
    for (size_t i = 0; i < table->ncolumns; i++) {
        put_times(out, '-', layout[i].width);
        fputs(i + 1 < table->ncolumns ? "  " : "\n", out);
    }
    for (size_t row = 1; row < row_count(table); row++)
        render_text_row(table, out, row, layout);
}

static void render_md(const struct pario_table *table, FILE *out,
                      const struct layout *layout)
{
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t i = 0; i < table->ncolumns; i++) {
            fputs("| ", out);
            pario_cell_put(out, cell_at(table, row, i), PARIO_FORMAT_MD);
            putc(' ', out);
        }
        fputs("|\n", out);
        for (size_t i = 0; row == 0 && i < table->ncolumns; i++)
            fputs(layout[i].right ? "| ---: " : "| --- ", out);
        if (row == 0)
            fputs("|\n", out);
    }
}

static void render_html_row(const struct pario_table *table, FILE *out,
                            size_t row, const struct layout *layout)
{
    fputs("<tr>", out);
    for (size_t i = 0; i < table->ncolumns; i++) {
        fputs(row == 0 ? "<th scope=\"col\"" : "<td", out);
        fputs(layout[i].right ? " class=\"n\">" : ">", out);
        pario_cell_put(out, cell_at(table, row, i), PARIO_FORMAT_HTML);
        fputs(row == 0 ? "</th>" : "</td>", out);
    }
    fputs("</tr>\n", out);
}

static void render_html(const struct pario_table *table, FILE *out,
                        const struct layout *layout)
{
    fputs("<table>\n<thead>", out);
    render_html_row(table, out, 0, layout);
    fputs("</thead>\n<tbody>", out);
    for (size_t row = 1; row < row_count(table); row++)
        render_html_row(table, out, row, layout);
    fputs("</tbody></table>\n", out);
}

static void render_csv(const struct pario_table *table, FILE *out, size_t first)
{
    for (size_t row = first; row < row_count(table); row++)
        for (size_t i = 0; i < table->ncolumns; i++) {
            pario_cell_put(out, cell_at(table, row, i), PARIO_FORMAT_CSV);
            putc(i + 1 < table->ncolumns ? ',' : '\n', out);
        }
}

int pario_table_render(const struct pario_table *table, FILE *out,
                       enum pario_format format)
{
    struct layout *layout;

    if (table->failed)
        return pario_fail_errno(-ENOMEM, "table");
    if (table->ncolumns == 0)
        return 0;
    layout = calloc(table->ncolumns, sizeof(*layout));
    if (layout == NULL)
        return pario_fail_errno(-ENOMEM, "table");
    for (size_t i = 0; i < table->ncolumns; i++) {
        layout[i].width = column_width(table, i);
        layout[i].right = is_right_aligned(table, i);
    }
    if (format == PARIO_FORMAT_TEXT)
        render_text(table, out, layout);
    else if (format == PARIO_FORMAT_MD)
        render_md(table, out, layout);
    else if (format == PARIO_FORMAT_HTML)
        render_html(table, out, layout);
    else
        render_csv(table, out, 0);
    free(layout);
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write the table") : 0;
}

int pario_table_render_csv(const struct pario_table *table, FILE *out,
                           int header)
{
    if (table->failed)
        return pario_fail_errno(-ENOMEM, "table");
    render_csv(table, out, header ? 0 : 1);
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write the table") : 0;
}
