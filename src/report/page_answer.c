/* report/page_answer.c - what a page begins with: for each run its answer in a
 * sentence, its headline figures, and what speaks against them. */
#include "report/answer.h"
#include "report/page_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
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

/* The figures of all lines; where there are none, those of the summary. */
static void put_numbers(struct shown *shown, const json_t *lines)
{
    const json_t *line, *cell, *value;
    const char *name;
    size_t i, k;

    fputs("<ul class=\"headlines\">\n", shown->out);
    json_array_foreach(lines, i, line)
    {
        json_array_foreach(json_object_get(line, "figures"), k, cell)
        {
            put_number(shown, pario_text_of(cell, "figure", ""));
        }
    }
    if (shown->cells == 0)
        json_object_foreach((json_t *)(uintptr_t)shown->summary, name, value)
        {
            if (json_is_number(value))
                put_number(shown, name);
        }
    fputs("</ul>\n", shown->out);
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
