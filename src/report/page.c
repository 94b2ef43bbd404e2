/* report/page.c - the HTML page. Text from files reaches it only through
 * pario_cell_put (escaped) and pario_page_put_string (JSON in a script). */
#include "report/page.h"
#include "core/beneath.h"
#include "pario_config.h"
#include "report/embedded.h"
#include "report/page_parts.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONCE_LEN 25    /* 24 letters */
#define TABLE_ROWS 2000 /* behind a plot */

int pario_page_is_interactive(void)
{
    return pario_web_uplot_js_len > 0;
}

static void put(FILE *out, const char *text)
{
    pario_cell_put(out, text, PARIO_FORMAT_HTML);
}

static void put_bytes(FILE *out, const unsigned char *bytes, size_t len)
{
    fwrite(bytes, 1, len, out);
}

/* Only what carries this page's own number is run: text of a file that came to
 * be taken for a script could not know it. */
static void make_nonce(char nonce[NONCE_LEN])
{
    for (int i = 0; i + 6 < NONCE_LEN; i += 6)
        pario_random_letters(nonce + i);
}

static void put_head(FILE *out, const char *nonce)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n",
          out);
    fprintf(out,
            "<meta http-equiv=\"Content-Security-Policy\" "
            "content=\"default-src 'none'; style-src 'nonce-%s'; "
            "script-src 'nonce-%s'; img-src data: blob:; base-uri 'none'; "
            "form-action 'none'\">\n"
            "<title>pario report</title>\n<style nonce=\"%s\">\n",
            nonce, nonce, nonce);
    put_bytes(out, pario_web_uplot_css, pario_web_uplot_css_len);
    putc('\n', out);
    put_bytes(out, pario_web_page_css, pario_web_page_css_len);
    fputs("</style>\n</head>\n<body>\n<header>\n<h1>pario report</h1>\n"
          "<p class=\"note\">made by pario " PARIO_VERSION
          ". MB/s is 10<sup>6</sup> bytes per second; a number that came from "
          "a cache, is not verified or is of an invalid run says so beside "
          "itself.</p>\n</header>\n",
          out);
}

static void put_navigation(FILE *out, const struct pario_page *page)
{
    const struct {
        int there;
        const char *id, *title;
    } sections[] = {
        {page->lead != NULL, "lead", page->lead_title},
        {page->nruns > 0, "answer", "Answer"},
        {page->figures->count > (page->nruns > 0), "figures", "Figures"},
        {page->put_raw != NULL, "raw", "Raw timings"},
        {page->nruns > 0, "runs", "Runs"},
        {page->nruns > 0, "measures", "All measures"},
    };

    fputs("<nav aria-label=\"sections\"><ul>", out);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (sections[i].there)
            fprintf(out, "<li><a href=\"#%s\">%s</a></li>", sections[i].id,
                    sections[i].title);
    fputs("</ul></nav>\n<main>\n", out);
}

static void put_problems(FILE *out, const struct pario_page *page)
{
    if (page->nproblems == 0)
        return;
    fputs("<ul class=\"warnings problems\">\n", out);
    for (size_t i = 0; i < page->nproblems; i++) {
        fputs("<li>", out);
        put(out, page->problems[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void put_options(FILE *out, const json_t *document)
{
    json_t *options = json_object_get(document, "options");
    const char *name;
    const json_t *value;

    if (json_object_size(options) == 0)
        return;
    fputs("<details><summary>Options in force</summary><dl>\n", out);
    json_object_foreach(options, name, value)
    {
        char *text = pario_value_short(value);

        fputs("<dt>", out);
        put(out, name);
        fputs("</dt><dd>", out);
        put(out, text != NULL ? text : "?");
        fputs("</dd>\n", out);
        free(text);
    }
    fputs("</dl></details>\n", out);
}

static int put_run(FILE *out, const struct pario_run_shown *run)
{
    const char *suite = pario_text_of(run->document, "suite", NULL);
    int code;

    fputs("<article>\n<h3>", out);
    put(out, suite);
    fputs(": ", out);
    put(out, run->label);
    fputs("</h3>\n<div class=\"scroll\" tabindex=\"0\">", out);
    code = pario_summary_print(out, run->document, PARIO_FORMAT_HTML);
    fputs("</div>\n<dl>\n", out);
    pario_facts_print(out, run->document, PARIO_FORMAT_HTML);
    fputs("</dl>\n", out);
    put_options(out, run->document);
    fputs("</article>\n", out);
    return code;
}

static int put_runs(FILE *out, const struct pario_page *page)
{
    int code = 0;

    if (page->nruns == 0)
        return 0;
    fputs("<section id=\"runs\">\n<h2>What was run, and where</h2>\n", out);
    for (size_t i = 0; code == 0 && i < page->nruns; i++)
        code = put_run(out, &page->runs[i]);
    fputs("</section>\n", out);
    return code;
}

static size_t points_of(const struct pario_figure *figure)
{
    size_t count = 0;

    for (size_t i = 0; i < figure->nseries; i++)
        count += figure->series[i].count;
    return count;
}

int pario_page_put_box(FILE *out, const struct pario_figure *figure,
                       const char *key, int table)
{
    int code = 0;

    fprintf(out,
            "<figure id=\"figure-%s\" data-figure=\"%s\">\n"
            "<figcaption><h3>",
            key, key);
    put(out, figure->title);
    fputs("</h3></figcaption>\n<div class=\"stage\">", out);
    if (!pario_page_is_interactive())
        pario_figure_svg(figure, out);
    fputs("</div>\n", out);
    if (figure->note != NULL && pario_page_is_interactive()) {
        fputs("<p class=\"note\">", out);
        put(out, figure->note);
        fputs("</p>\n", out);
    }
    if (table && points_of(figure) <= TABLE_ROWS) {
        fputs("<details><summary>Table</summary><div class=\"scroll\" "
              "tabindex=\"0\">",
              out);
        code = pario_figure_table(figure, out, PARIO_FORMAT_HTML);
        fputs("</div></details>\n", out);
    }
    fputs("</figure>\n", out);
    return code;
}

static int put_figure(FILE *out, const struct pario_figure *figure, size_t n)
{
    char key[24];

    snprintf(key, sizeof(key), "%zu", n);
    return pario_page_put_box(out, figure, key, 1);
}

/* The answers, and below them the one picture that carries the result. */
static int put_answers(FILE *out, const struct pario_page *page)
{
    int code = 0;

    if (page->nruns == 0)
        return 0;
    fputs("<section id=\"answer\">\n", out);
    for (size_t i = 0; i < page->nruns; i++)
        pario_page_put_answer(out, &page->runs[i]);
    if (page->figures->count > 0)
        code = put_figure(out, page->figures->items[0], 0);
    fputs("</section>\n", out);
    return code;
}

static int put_figures(FILE *out, const struct pario_page *page)
{
    static const char *const questions[] = {
        [PARIO_ASKS_ANSWER] = "How fast is it?",
        [PARIO_ASKS_SIZE] = "What does it depend on?",
        [PARIO_ASKS_TIME] = "How long do single calls take?",
        [PARIO_ASKS_COURSE] = "How does it change over time?",
        [PARIO_ASKS_PROCESSES] = "What do more processes bring?",
        [PARIO_ASKS_OTHER] = "What else was seen?",
    };
    size_t first = page->nruns > 0 ? 1 : 0; /* the other is at the top */
    int code = 0;

    if (page->figures->count <= first)
        return 0;
    fputs("<section id=\"figures\">\n", out);
    if (pario_page_is_interactive())
        fputs("<p class=\"note keys\">Drag over a plot to zoom, double-click "
              "to see "
              "all; with the keyboard: arrows, +, -, 0. Click on a series to "
              "hide it.</p>\n<noscript><p>The plots need JavaScript; the "
              "tables do not.</p></noscript>\n",
              out);
    for (size_t i = first; code == 0 && i < page->figures->count; i++) {
        const struct pario_figure *figure = page->figures->items[i];

        if (i == first ||
            figure->question != page->figures->items[i - 1]->question)
            fprintf(out, "<h2>%s</h2>\n", questions[figure->question]);
        code = put_figure(out, figure, i);
    }
    fputs("</section>\n", out);
    return code;
}

static int put_measures(FILE *out, const struct pario_page *page)
{
    int code = 0;

    if (page->nruns == 0)
        return 0;
    fputs("<section id=\"measures\">\n<h2>All measures</h2>\n", out);
    for (size_t i = 0; code == 0 && i < page->nruns; i++) {
        size_t count = json_array_size(
            json_object_get(page->runs[i].document, "measures"));

        fputs("<details><summary>", out);
        put(out, page->runs[i].label);
        fprintf(out,
                ": %zu measure%s</summary><div class=\"scroll\" "
                "tabindex=\"0\">",
                count, count == 1 ? "" : "s");
        code = pario_measures_print(out, page->runs[i].document,
                                    PARIO_FORMAT_HTML);
        fputs("</div></details>\n", out);
    }
    fputs("</section>\n", out);
    return code;
}

static void put_scripts(FILE *out, const struct pario_page *page,
                        const char *raw, const char *nonce)
{
    fputs("<script type=\"application/json\" id=\"pario-data\">{\"figures\":[",
          out);
    for (size_t i = 0; i < page->figures->count; i++) {
        if (i > 0)
            fputs(",\n", out);
        pario_page_put_figure(out, page->figures->items[i]);
    }
    fprintf(out,
            "],\n\"limit\":%" PRId64 ",\"raw\":[%s]}</script>\n"
            "<script nonce=\"%s\">\n",
            PARIO_PAGE_EXACT, raw, nonce);
    put_bytes(out, pario_web_uplot_js, pario_web_uplot_js_len);
    fprintf(out, "\n</script>\n<script nonce=\"%s\">\n", nonce);
    put_bytes(out, pario_web_page_js, pario_web_page_js_len);
    fputs("</script>\n", out);
}

static void put_own(FILE *out, const char *id, const char *title,
                    const char *html)
{
    fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n%s</section>\n", id, title,
            html);
}

int pario_page_print(FILE *out, const struct pario_page *page)
{
    char *raw = NULL, nonce[NONCE_LEN];
    size_t len = 0;
    FILE *data = open_memstream(&raw, &len);
    int code;

    if (data == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    make_nonce(nonce);
    put_head(out, nonce);
    put_navigation(out, page);
    put_problems(out, page);
    if (page->lead != NULL)
        put_own(out, "lead", page->lead_title, page->lead);
    code = put_answers(out, page);
    if (code == 0)
        code = put_figures(out, page);
    if (page->rest != NULL)
        put_own(out, "rest", page->rest_title, page->rest);
    if (code == 0 && page->put_raw != NULL)
        code = page->put_raw(out, data, page->raw);
    if (code == 0)
        code = put_runs(out, page);
    if (code == 0)
        code = put_measures(out, page);
    fputs("</main>\n", out);
    if (fclose(data) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "report");
    if (code == 0 && pario_page_is_interactive())
        put_scripts(out, page, raw, nonce);
    fputs("</body>\n</html>\n", out);
    free(raw);
    if (code == 0 && ferror(out))
        code = pario_fail_errno(-ENOMEM, "report");
    return code;
}
