/* report/page_answer.c - what a page begins with: for each run its answer in a
 * sentence, its headline figures, and what speaks against them. */
#include "report/answer.h"
#include "report/page_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
#include "result/view.h"
#include <stdlib.h>
#include <string.h>

#define MAX_CELLS 24

struct shown {
    FILE *out;
    const json_t *document, *summary;
    unsigned flags; /* of the figures shown */
    int cells;
};

static void put(FILE *out, const char *text)
{
    pario_cell_put(out, text, PARIO_FORMAT_HTML);
}

/* <span class="flag">cache</span> for each. */
static void put_flags(const struct shown *shown, unsigned flags)
{
    const char *word;
    size_t i = 0;

    while (pario_answer_reason(flags, &i, &word) != NULL)
        fprintf(shown->out, " <span class=\"flag\">%s</span>", word);
}

/* Its value in words; NULL: not there. */
static const char *value_of(const struct shown *shown, const char *figure,
                            char text[PARIO_QUANTITY_LEN])
{
    const json_t *value = json_object_get(shown->summary, figure);

    return value != NULL ? pario_quantity_print(figure, value, text) : NULL;
}

/* The first line of the answer as a sentence: "NAME 312 MB/s, writing
 * 188 MB/s, reading 517 MB/s". Returns whether there was one. */
static int put_sentence(struct shown *shown, const json_t *line)
{
    const char *label = pario_text_of(line, "label", "");
    const char *note = pario_text_of(line, "note", "");
    char text[PARIO_QUANTITY_LEN];
    const json_t *cell;
    unsigned flags = 0;
    int count = 0;
    size_t i;

    json_array_foreach(json_object_get(line, "figures"), i, cell)
    {
        const char *figure = pario_text_of(cell, "figure", "");
        const char *name = pario_text_of(cell, "name", "");

        if (value_of(shown, figure, text) == NULL)
            continue;
        if (count++ == 0)
            put(shown->out, label);
        else
            putc(',', shown->out);
        if (name[0] != '\0')
            putc(' ', shown->out);
        put(shown->out, name);
        putc(' ', shown->out);
        put(shown->out, text);
        flags |= pario_summary_flags(shown->document, figure);
    }
    if (count > 0 && note[0] != '\0') {
        fputs(", ", shown->out);
        put(shown->out, note);
    }
    put_flags(shown, flags);
    return count > 0;
}

static void put_number(struct shown *shown, const char *figure)
{
    char text[PARIO_QUANTITY_LEN], *unit, *name;
    unsigned flags = pario_summary_flags(shown->document, figure);

    if (shown->cells >= MAX_CELLS || value_of(shown, figure, text) == NULL)
        return;
    shown->cells++;
    shown->flags |= flags;
    name = pario_headline_name(shown->document, figure);
    unit = json_is_number(json_object_get(shown->summary, figure))
               ? strchr(text, ' ')
               : NULL;
    if (unit != NULL)
        *unit++ = '\0';
    fputs("<li><span class=\"value\">", shown->out);
    put(shown->out, flags & PARIO_FLAG_FAILED ? "not valid" : text);
    if (unit != NULL) {
        fputs("<small> ", shown->out);
        put(shown->out, unit);
        fputs("</small>", shown->out);
    }
    fputs("</span> <span class=\"name\">", shown->out);
    put(shown->out, name != NULL ? name : figure);
    put_flags(shown, flags);
    fputs("</span></li>\n", shown->out);
    free(name);
}

/* How many figures of a line are there. */
static int figures_in(const struct shown *shown, const json_t *line)
{
    const json_t *cell;
    int count = 0;
    size_t i;

    json_array_foreach(json_object_get(line, "figures"), i, cell)
    {
        const char *figure = pario_text_of(cell, "figure", "");

        count += json_object_get(shown->summary, figure) != NULL;
    }
    return count;
}

/* One more figure in a list: "write 655 MB/s". */
static void put_figure(struct shown *shown, const char *name,
                       const char *figure)
{
    char text[PARIO_QUANTITY_LEN];
    unsigned flags = pario_summary_flags(shown->document, figure);

    if (shown->cells >= MAX_CELLS || value_of(shown, figure, text) == NULL)
        return;
    shown->cells++;
    shown->flags |= flags;
    fputs("<span class=\"more\">", shown->out);
    put(shown->out, name);
    if (name[0] != '\0')
        putc(' ', shown->out);
    fputs("<strong>", shown->out);
    put(shown->out, flags & PARIO_FLAG_FAILED ? "not valid" : text);
    fputs("</strong>", shown->out);
    put_flags(shown, flags);
    fputs("</span> ", shown->out);
}

/* A line of the answer as a row; *label_p: of the line above, which one
 * without a label goes on with. */
static void put_row(struct shown *shown, const json_t *line,
                    const char **label_p)
{
    const char *label = pario_text_of(line, "label", "");
    const json_t *cell;
    size_t i;

    if (label[0] != '\0')
        *label_p = label;
    if (figures_in(shown, line) == 0 || shown->cells >= MAX_CELLS)
        return;
    fputs("<tr><th scope=\"row\">", shown->out);
    put(shown->out, *label_p);
    fputs("</th><td>", shown->out);
    json_array_foreach(json_object_get(line, "figures"), i, cell)
    {
        put_figure(shown, pario_text_of(cell, "name", ""),
                   pario_text_of(cell, "figure", ""));
    }
    fputs("</td><td>", shown->out);
    put(shown->out, pario_text_of(line, "note", ""));
    fputs("</td></tr>\n", shown->out);
}

/* The figures of the first line of the answer are the headlines; each further
 * line is a row below them. */
static void put_lines(struct shown *shown, const json_t *lines, size_t first)
{
    const json_t *line = json_array_get(lines, first), *cell;
    const char *label = pario_text_of(line, "label", "");
    size_t i;

    fputs("<ul class=\"headlines\">\n", shown->out);
    json_array_foreach(json_object_get(line, "figures"), i, cell)
    {
        put_number(shown, pario_text_of(cell, "figure", ""));
    }
    fputs("</ul>\n", shown->out);
    for (i = first + 1; i < json_array_size(lines); i++)
        if (figures_in(shown, json_array_get(lines, i)) > 0)
            break;
    if (i >= json_array_size(lines))
        return;
    fputs("<table class=\"further\"><tbody>\n", shown->out);
    for (i = first + 1; i < json_array_size(lines); i++)
        put_row(shown, json_array_get(lines, i), &label);
    fputs("</tbody></table>\n", shown->out);
}

/* Where no line has a figure: the first of the summary are the headlines, the
 * others are rows. */
static void put_summary(struct shown *shown)
{
    const json_t *value;
    const char *figure;
    int rows = 0;

    fputs("<ul class=\"headlines\">\n", shown->out);
    json_object_foreach((json_t *)(uintptr_t)shown->summary, figure, value)
    {
        char *name = NULL;

        if (!json_is_number(value) || shown->cells >= MAX_CELLS)
            continue;
        if (shown->cells < PARIO_VIEW_CELLS) {
            put_number(shown, figure);
            continue;
        }
        if (rows++ == 0)
            fputs("</ul>\n<table class=\"further\"><tbody>\n", shown->out);
        name = pario_headline_name(shown->document, figure);
        fputs("<tr><th scope=\"row\">", shown->out);
        put(shown->out, name != NULL && name[0] != '\0' ? name : figure);
        fputs("</th><td>", shown->out);
        put_figure(shown, "", figure);
        fputs("</td></tr>\n", shown->out);
        free(name);
    }
    fputs(rows > 0 ? "</tbody></table>\n" : "</ul>\n", shown->out);
}

static void put_numbers(struct shown *shown, const json_t *lines)
{
    for (size_t i = 0; i < json_array_size(lines); i++)
        if (figures_in(shown, json_array_get(lines, i)) > 0) {
            put_lines(shown, lines, i);
            return;
        }
    put_summary(shown);
}

/* All but the one that is the title (NULL: none is). */
static void put_texts(FILE *out, const json_t *texts, const char *title,
                      const char *tag)
{
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const json_t *text = json_array_get(texts, i);

        if (title != NULL && json_is_string(text) &&
            strcmp(json_string_value(text), title) == 0)
            continue;
        fprintf(out, "<%s>", tag);
        put(out, json_is_string(text) ? json_string_value(text) : "?");
        fprintf(out, "</%s>\n", tag);
    }
}

static void put_status(FILE *out, const json_t *document)
{
    const char *status = pario_document_status(document);

    if (strcmp(status, "VALID") == 0)
        return;
    fprintf(out, "<p class=\"status status-%s\">%s%s</p>\n", status, status,
            strcmp(status, "PRELIMINARY") == 0
                ? ": not an official figure by the suite's rules"
            : strcmp(status, "UNFINISHED") == 0 ? ": the run did not finish"
                                                : "");
}

/* Why each flag is there, once, and the warnings of the run. */
static void put_warnings(const struct shown *shown)
{
    const json_t *warnings = json_object_get(shown->document, "warnings");
    const char *why, *word;
    size_t i = 0;

    if (shown->flags == 0 && json_array_size(warnings) == 0)
        return;
    fputs("<ul class=\"warnings\">\n", shown->out);
    while ((why = pario_answer_reason(shown->flags, &i, &word)) != NULL)
        fprintf(shown->out, "<li>%s: %s</li>\n", word, why);
    put_texts(shown->out, warnings, NULL, "li");
    fputs("</ul>\n", shown->out);
}

void pario_page_put_answer(FILE *out, const struct pario_run_shown *run)
{
    const json_t *view = json_object_get(run->document, "view");
    const json_t *lines = json_object_get(view, "answer");
    const json_t *sentences = json_object_get(view, "sentences");
    const char *title = pario_text_of(view, "headline", NULL);
    struct shown shown = {.out = out,
                          .document = run->document,
                          .summary = json_object_get(run->document, "summary")};
    char where[PARIO_WHERE_LEN];
    int said = title != NULL;

    fputs("<article class=\"run\">\n<p class=\"note\">", out);
    put(out, pario_text_of(view, "title",
                           pario_text_of(run->document, "suite", "")));
    fputs(": ", out);
    put(out, run->label);
    fputs("</p>\n<h2 class=\"answer\">", out);
    for (size_t i = 0; !said && i < json_array_size(lines); i++)
        said = put_sentence(&shown, json_array_get(lines, i));
    if (!said)
        title = json_string_value(json_array_get(sentences, 0));
    if (title != NULL)
        put(out, title);
    else if (!said)
        put(out, pario_text_of(view, "question",
                               pario_text_of(run->document, "suite", "")));
    fputs("</h2>\n<p class=\"where\">", out);
    pario_answer_where(run->document, where);
    put(out, where);
    fputs("</p>\n", out);
    put_texts(out, sentences, title, "p");
    put_status(out, run->document);
    put_numbers(&shown, lines);
    put_warnings(&shown);
    fputs("</article>\n", out);
}
