/* The page of a build without uPlot: static, with SVG, without a script. The
 * embedded files are replaced by these. */
#include "analysis/inputs.h"
#include "report/compare.h"
#include "report/embedded.h"
#include "report/page.h"
#include "report/page_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const unsigned char pario_web_page_js[] = "", pario_web_page_css[] = "";
const unsigned char pario_web_uplot_js[] = "", pario_web_uplot_css[] = "";
const size_t pario_web_page_js_len = 0, pario_web_page_css_len = 0;
const size_t pario_web_uplot_js_len = 0, pario_web_uplot_css_len = 0;

static json_t *document(void)
{
    json_t *measures = json_array();

    for (int i = 1; i <= 3; i++)
        assert_int_equal(
            json_array_append_new(
                measures,
                json_pack("{s:s, s:{s:i, s:s}, s:s, s:i, s:i, s:f, s:f, s:i, "
                          "s:{s:i, s:i, s:b}, s:s, s:n}",
                          "test", "a<b>", "parameters", "request_bytes",
                          1024 * i, "odd", "<i>&\"'", "access", "write",
                          "partition", 1, "bytes", 1000, "seconds", 1.0,
                          "bandwidth_mbps", 10.0 * i, "operations", 1, "verify",
                          "checked_bytes", 1, "errors", 0, "off", 0, "cache",
                          "disk", "error")),
            0);
    return json_pack("{s:s, s:s, s:b, s:[s], s:[s], s:s, s:s, s:{}, s:{}, s:o}",
                     "schema", "pario-result/1", "suite", "quick", "valid", 1,
                     "warnings", "<script>alert(1)</script>", "command",
                     "pario", "started_utc", "t", "finished_utc", "t", "system",
                     "summary", "measures", measures);
}

static void test_page_without_uplot_is_static_and_escaped(void **state)
{
    json_t *doc = document();
    struct pario_run_shown run = {.document = doc, .label = "<u>label</u>"};
    struct pario_figure_list figures = {.count = 0};
    struct pario_page page = {.runs = &run, .nruns = 1, .figures = &figures};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_non_null(doc);
    assert_non_null(out);
    assert_int_equal(pario_measures_figures(&run, 1, &figures), 0);
    assert_int_equal(figures.count, 1);
    assert_int_equal(pario_page_print(out, &page), 0);
    assert_int_equal(fclose(out), 0);
    assert_false(pario_page_is_interactive());
    assert_non_null(strstr(text, "<svg "));
    assert_non_null(strstr(text, "</html>"));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "<u>"));
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "<i>"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    free(text);
    pario_figure_list_fini(&figures);
    json_decref(doc);
}

/* A page without figures at its top has a sentence there. */
static void test_page_without_figures_begins_with_its_sentence(void **state)
{
    json_t *document =
        json_pack("{s:s, s:b, s:{}, s:{s:s, s:[s, s]}}", "suite", "made-up",
                  "valid", 1, "summary", "view", "question", "Which?",
                  "sentences", "This <one>.", "And so on.");
    struct pario_run_shown run = {.document = document, .label = "r"};
    char text[8192];
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void)state;
    assert_non_null(out);
    pario_page_put_answer(out, &run);
    assert_int_equal(fclose(out), 0);
    assert_non_null(
        strstr(text, "<h2 class=\"answer\">This &lt;one&gt;.</h2>"));
    assert_non_null(strstr(text, "<p>And so on.</p>"));
    assert_null(strstr(text, "<p>This"));
    json_decref(document);
}

static char *answer_of(json_t *document, char *text, size_t len)
{
    struct pario_run_shown run = {.document = document, .label = "r"};
    FILE *out = fmemopen(text, len, "w");

    assert_non_null(document);
    assert_non_null(out);
    pario_page_put_answer(out, &run);
    assert_int_equal(fclose(out), 0);
    json_decref(document);
    return text;
}

static int count_in(const char *text, const char *word)
{
    int count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

/* The first line of the answer is what a reader sees first, large. */
static void test_page_has_few_headlines_and_rows_below(void **state)
{
    char text[8192];

    (void)state;
    (void)answer_of(
        json_pack("{s:s, s:b, s:{s:i, s:i, s:i}, s:{s:[{s:s, s:[{s:s, s:s}]},"
                  "{s:s, s:[{s:s, s:s}, {s:s, s:s}]},"
                  "{s:s, s:s, s:[{s:s, s:s}]}]}}",
                  "suite", "made-up", "valid", 1, "summary", "b_mbps", 2,
                  "c_mbps", 3, "d_mbps", 4, "view", "answer", "label", "none",
                  "figures", "name", "gone", "figure", "a_mbps", "label",
                  "tank", "figures", "name", "put", "figure", "b_mbps", "name",
                  "get", "figure", "c_mbps", "label", "", "note", "<i>late</i>",
                  "figures", "name", "wait", "figure", "d_mbps"),
        text, sizeof(text));
    assert_int_equal(count_in(text, "class=\"value\""), 2);
    assert_int_equal(count_in(text, "class=\"more\""), 1);
    assert_non_null(strstr(text,
                           "<tr><th scope=\"row\">tank</th><td><span "
                           "class=\"more\">wait <strong>4.00 MB/s</strong>"));
    assert_non_null(strstr(text, "<td>&lt;i&gt;late&lt;/i&gt;</td>"));
}

static void test_page_without_lines_has_few_headlines(void **state)
{
    char text[8192];

    (void)state;
    (void)answer_of(json_pack("{s:s, s:b, s:{s:i, s:i, s:i, s:i, s:s, s:i}}",
                              "suite", "made-up", "valid", 1, "summary",
                              "a_mbps", 1, "b_mbps", 2, "c_mbps", 3, "<i>d</i>",
                              4, "words", "none", "e_mbps", 5),
                    text, sizeof(text));
    assert_int_equal(count_in(text, "class=\"value\""), 3);
    assert_int_equal(count_in(text, "class=\"more\""), 2);
    assert_int_equal(count_in(text, "<ul"), count_in(text, "</ul>"));
    assert_int_equal(count_in(text, "<table"), count_in(text, "</table>"));
    assert_null(strstr(text, "<i>"));
}

static void test_svg_of_flagged_numbers_says_so(void **state)
{
    struct pario_point good = {.x = 1, .y = 2, .low = NAN, .high = NAN};
    struct pario_point bad = good;
    struct pario_figure *figure;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    bad.x = 2;
    bad.flags = PARIO_FLAG_SHORT | PARIO_FLAG_UNKNOWN;
    assert_non_null(out);
    assert_int_equal(
        pario_figure_create(PARIO_FIGURE_LINES, "f", "t", "x", "y", &figure),
        0);
    assert_int_equal(pario_curve_add(pario_figure_curve(figure, "s"), good), 0);
    assert_int_equal(pario_figure_note_flags(figure), 0);
    assert_null(figure->note);
    assert_int_equal(pario_curve_add(pario_figure_curve(figure, "s"), bad), 0);
    assert_int_equal(pario_figure_note_flags(figure), 0);
    pario_figure_svg(figure, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "short (1 of 2), cache? (1 of 2)"));
    assert_non_null(strstr(text, "<title>short cache-unknown</title>"));
    free(text);
    pario_figure_destroy(figure);
}

static void test_heat_map_colours_by_value(void **state)
{
    static const double values[] = {0, 5, 10, NAN};
    struct pario_figure *figure;
    char *text = NULL, colour[PARIO_COLOUR_LEN];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_non_null(out);
    assert_int_equal(
        pario_figure_create(PARIO_FIGURE_HEAT, "f", "t", "x", "y", &figure), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            pario_curve_add(
                pario_figure_curve(figure, "process 0"),
                (struct pario_point){
                    .x = i, .y = values[i], .low = NAN, .high = NAN}),
            0);
    pario_figure_svg(figure, out);
    assert_int_equal(pario_figure_gnuplot(figure, out, NULL), 0);
    assert_int_equal(pario_figure_terminal(figure, out, 60), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, ">process 0</text>"));
    assert_non_null(strstr(text, "fill=\"#440154\"/>"));
    assert_non_null(strstr(text, "fill=\"#21918c\"/>"));
    assert_non_null(strstr(text, "fill=\"#fde725\"/>"));
    assert_non_null(strstr(text, "\n2 3 0 10\nEOD\n"));
    assert_non_null(strstr(text, "|..........++++++++++@@@@@@@@@@|\n"));
    assert_string_equal(pario_heat_colour(0.125, colour), "#402a70");
    free(text);
    pario_figure_destroy(figure);
}

static void test_lines_break_at_blanks(void **state)
{
    const char *at = "one two  three";
    char line[PARIO_LINE_LEN];

    (void)state;
    at = pario_next_line(at, 7, line);
    assert_string_equal(line, "one two");
    at = pario_next_line(at, 3, line);
    assert_string_equal(line, "thr");
    at = pario_next_line(at, 3, line);
    assert_string_equal(line, "ee");
    assert_null(pario_next_line(at, 3, line));
}

static void test_ratio_has_students_interval(void **state)
{
    static const double base[] = {1, M_E}, now[] = {M_E, M_E * M_E};
    static const double same[] = {5, 5, 5};
    struct pario_ratio ratio;

    (void)state;
    /* Means of the logs 0.5 and 1.5, both errors 0.5; 2 degrees: t = 4.303. */
    assert_int_equal(pario_ratio_of(base, 2, now, 2, &ratio), 0);
    assert_true(fabs(log(ratio.ratio) - 1) < 1e-12);
    assert_true(fabs(log(ratio.high) - 1 - 4.303 * sqrt(0.5)) < 1e-9);
    assert_true(fabs(log(ratio.low) - 1 + 4.303 * sqrt(0.5)) < 1e-9);
    assert_string_equal(pario_ratio_verdict(&ratio), "too noisy");
    assert_int_equal(pario_ratio_of(same, 3, same, 3, &ratio), 0);
    assert_string_equal(pario_ratio_verdict(&ratio), "the same");
    assert_int_equal(pario_ratio_of(same, 1, same, 3, &ratio), 0);
    assert_false(ratio.known);
    assert_int_not_equal(pario_ratio_of(same, 0, same, 3, &ratio), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_without_uplot_is_static_and_escaped),
        cmocka_unit_test(test_page_has_few_headlines_and_rows_below),
        cmocka_unit_test(test_page_without_lines_has_few_headlines),
        cmocka_unit_test(test_page_without_figures_begins_with_its_sentence),
        cmocka_unit_test(test_svg_of_flagged_numbers_says_so),
        cmocka_unit_test(test_heat_map_colours_by_value),
        cmocka_unit_test(test_lines_break_at_blanks),
        cmocka_unit_test(test_ratio_has_students_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
