/* report/compare_print.c - a comparison for people: the answer first. */
#include "core/text.h"
#include "report/compare.h"
#include "report/measures_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORST 3 /* that the answer names */

/* Where it goes, and as what. */
struct printer {
    const json_t *comparison;
    FILE *out;
    enum pario_format format;
};

static json_t *member(const struct printer *p, const char *name)
{
    return json_object_get(p->comparison, name);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static json_int_t count_of(const struct printer *p, const char *name)
{
    return json_integer_value(member(p, name));
}

static void put(const struct printer *p, const char *text)
{
    pario_cell_put(p->out, text, p->format);
}

/* A paragraph of the answer, or of what else is said. */
static void begin_line(const struct printer *p, const char *class_name)
{
    if (p->format == PARIO_FORMAT_HTML)
        fprintf(p->out, "<p class=\"%s\">", class_name);
    else if (p->format == PARIO_FORMAT_MD && strcmp(class_name, "answer") == 0)
        fputs("**", p->out);
}

static void end_line(const struct printer *p, const char *class_name)
{
    if (p->format == PARIO_FORMAT_HTML)
        fputs("</p>\n", p->out);
    else if (p->format == PARIO_FORMAT_MD)
        fputs(strcmp(class_name, "answer") == 0 ? "**\n\n" : "\n\n", p->out);
    else
        fputs("\n", p->out);
}

/* The items of a list: "   ", "- " or <li>. */
static void begin_list(const struct printer *p, const char *class_name)
{
    if (p->format == PARIO_FORMAT_HTML)
        fprintf(p->out, "<ul class=\"%s\">\n", class_name);
}

static void put_item(const struct printer *p, const char *before,
                     const char *text)
{
    fputs(p->format == PARIO_FORMAT_HTML ? "<li>"
          : p->format == PARIO_FORMAT_MD ? "- "
                                         : "   ",
          p->out);
    fputs(before, p->out);
    put(p, text);
    fputs(p->format == PARIO_FORMAT_HTML ? "</li>\n" : "\n", p->out);
}

static void end_list(const struct printer *p)
{
    fputs(p->format == PARIO_FORMAT_HTML ? "</ul>\n"
          : p->format == PARIO_FORMAT_MD ? "\n"
                                         : "",
          p->out);
}

/* "(95 % intervals, 5 runs each)". */
static void put_basis(const struct printer *p)
{
    size_t base = json_array_size(member(p, "base"));
    size_t now = json_array_size(member(p, "new"));

    if (base > 1 && base == now)
        fprintf(p->out, "  (95 %% intervals, %zu runs each)", base);
    else if (base > 1 && now > 1)
        fprintf(p->out, "  (95 %% intervals, %zu and %zu runs)", base, now);
    else
        fputs("  (95 % intervals of the repetitions within a run)", p->out);
}

static void put_counts(const struct printer *p)
{
    json_int_t faster = count_of(p, "faster"), slower = count_of(p, "slower");
    json_int_t same = count_of(p, "same"), open = count_of(p, "not_judged");
    json_int_t noisy = count_of(p, "too_noisy");
    json_int_t all = faster + slower + same + noisy + open;
    const char *measures = all == 1 ? "measure" : "measures";

    begin_line(p, "answer");
    if (all == 0)
        fputs("no measure is in both", p->out);
    else if (open == all)
        fprintf(p->out,
                "%" JSON_INTEGER_FORMAT " %s compared, none judged: "
                "single values do not say what is noise",
                all, measures);
    else {
        fprintf(p->out,
                "new is faster in %" JSON_INTEGER_FORMAT
                " of %" JSON_INTEGER_FORMAT " %s, slower in "
                "%" JSON_INTEGER_FORMAT ", the same in %" JSON_INTEGER_FORMAT,
                faster, all, measures, slower, same);
        if (noisy > 0)
            fprintf(p->out, ", too noisy to say in %" JSON_INTEGER_FORMAT,
                    noisy);
        if (open > 0)
            fprintf(p->out, ", not judged in %" JSON_INTEGER_FORMAT, open);
        put_basis(p);
    }
    end_line(p, "answer");
}

/* "1.70 -> 1.41 GB/s"; "980 MB/s -> 1.10 GB/s". */
static void print_change(const json_t *row, char *text, size_t len)
{
    const char *figure = text_of(row, "figure");
    char was[PARIO_QUANTITY_LEN], is[PARIO_QUANTITY_LEN], *unit, *other;

    (void)pario_quantity_print(figure, json_object_get(row, "base"), was);
    (void)pario_quantity_print(figure, json_object_get(row, "new"), is);
    unit = strchr(was, ' ');
    other = strchr(is, ' ');
    if (unit != NULL && other != NULL && strcmp(unit, other) == 0)
        *unit = '\0';
    snprintf(text, len, "%s -> %s", was, is);
}

/* "0.83 (0.79 .. 0.87)". */
static void print_ratio(const json_t *row, char *text, size_t len)
{
    const json_t *low = json_object_get(row, "low");
    double ratio = json_number_value(json_object_get(row, "ratio"));

    if (json_is_number(low))
        snprintf(text, len, "%.3g (%.3g .. %.3g)", ratio,
                 json_number_value(low),
                 json_number_value(json_object_get(row, "high")));
    else
        snprintf(text, len, "%.3g", ratio);
}

static int by_ratio(const void *a, const void *b)
{
    double first =
        json_number_value(json_object_get(*(const json_t *const *)a, "ratio"));
    double second =
        json_number_value(json_object_get(*(const json_t *const *)b, "ratio"));

    return (first > second) - (first < second);
}

static void put_worst_row(const struct printer *p, const json_t *row)
{
    const char *verdict = text_of(row, "verdict");
    char change[2 * PARIO_QUANTITY_LEN + 8], ratio[128], text[1024];
    char flags[PARIO_FLAGS_LEN];

    print_change(row, change, sizeof(change));
    print_ratio(row, ratio, sizeof(ratio));
    snprintf(text, sizeof(text), "%.600s   %s   x %s%s", text_of(row, "name"),
             change, ratio,
             pario_flags_beside(pario_comparison_flags(row), flags));
    put_item(p, strcmp(verdict, "slower") == 0 ? "slower: " : "lowest ratio: ",
             text);
}

/* The worst by name: of those that are slower, or where none could be judged
 * of all. */
static int put_worst(const struct printer *p)
{
    const json_t *rows = member(p, "measures"), *row;
    json_int_t slower = count_of(p, "slower");
    int judged = slower + count_of(p, "faster") + count_of(p, "same") > 0;
    const json_t **sorted =
        calloc(json_array_size(rows) + 1, sizeof(const json_t *));
    size_t i, count = 0, shown;

    if (sorted == NULL)
        return pario_fail_errno(-ENOMEM, "compare");
    json_array_foreach(rows, i, row)
    {
        if (!judged || strcmp(text_of(row, "verdict"), "slower") == 0)
            sorted[count++] = row;
    }
    qsort(sorted, count, sizeof(const json_t *), by_ratio);
    shown = count < WORST ? count : WORST;
    if (shown > 0) {
        begin_list(p, "worst");
        for (i = 0; i < shown; i++)
            put_worst_row(p, sorted[i]);
        end_list(p);
    }
    free(sorted);
    return 0;
}

/* What would make the answer better. */
static void put_advice(const struct printer *p)
{
    json_int_t changed = count_of(p, "faster") + count_of(p, "slower");
    json_int_t judged = changed + count_of(p, "same");
    size_t base = json_array_size(member(p, "base"));
    size_t now = json_array_size(member(p, "new"));

    if (base < 2 || now < 2) {
        begin_line(p, "note");
        if (judged > 0)
            fputs("How much one run differs from the next is not in these "
                  "intervals. ",
                  p->out);
        fputs("Missing: several runs of each side: ", p->out);
        put(p, "pario compare old1.json old2.json ... -- new1.json new2.json "
               "...");
        end_line(p, "note");
    } else if (changed > 0 && changed <= judged / 20 + 1 && judged >= 20) {
        begin_line(p, "note");
        fprintf(p->out,
                "Of %" JSON_INTEGER_FORMAT " measures about "
                "%" JSON_INTEGER_FORMAT " would differ by chance.",
                judged, judged / 20);
        end_line(p, "note");
    }
}

static void put_failed(const struct printer *p)
{
    const json_t *failed = member(p, "failed"), *failure;
    char text[1024];
    size_t i;

    if (json_array_size(failed) == 0)
        return;
    begin_line(p, "status status-INVALID");
    fprintf(p->out, "Not good enough (--fail-below %g):",
            json_number_value(member(p, "fail_below")));
    end_line(p, "status status-INVALID");
    begin_list(p, "warnings problems");
    json_array_foreach(failed, i, failure)
    {
        snprintf(text, sizeof(text), "%.700s: %s", text_of(failure, "name"),
                 text_of(failure, "reason"));
        put_item(p, "", text);
    }
    end_list(p);
}

static void begin_status(const struct printer *p, const char *side,
                         const char *status)
{
    if (p->format == PARIO_FORMAT_HTML)
        fprintf(p->out, "<p class=\"status status-%s\">", status);
    fprintf(p->out, "%s%s: ", p->format == PARIO_FORMAT_MD ? "- " : "", side);
}

/* "base: LABEL: INVALID: why; why" */
static void put_unsound(const struct printer *p, const char *side,
                        const json_t *run)
{
    const char *status = text_of(run, "status");
    const json_t *text;
    size_t i;

    begin_status(p, side, status);
    put(p, text_of(run, "label"));
    fprintf(p->out, ": %s%s", status,
            strcmp(status, "PRELIMINARY") == 0
                ? ": not an official figure by the suite's rules"
            : strcmp(status, "UNFINISHED") == 0 ? ": the run did not finish"
                                                : "");
    json_array_foreach(json_object_get(run, "reasons"), i, text)
    {
        fputs(i == 0 ? ": " : "; ", p->out);
        put(p, json_string_value(text));
    }
    fputs(p->format == PARIO_FORMAT_HTML ? "</p>\n" : "\n", p->out);
}

/* The valid runs of a side on one line, "base: a, b: VALID", each other one on
 * its own. */
static void put_side(const struct printer *p, const char *side)
{
    const json_t *run;
    size_t i, valid = 0;

    json_array_foreach(member(p, side), i, run)
    {
        if (strcmp(text_of(run, "status"), "VALID") != 0)
            continue;
        if (valid++ == 0)
            begin_status(p, side, "VALID");
        else
            fputs(", ", p->out);
        put(p, text_of(run, "label"));
    }
    if (valid > 0)
        fputs(p->format == PARIO_FORMAT_HTML ? ": VALID</p>\n" : ": VALID\n",
              p->out);
    json_array_foreach(member(p, side), i, run)
    {
        if (strcmp(text_of(run, "status"), "VALID") != 0)
            put_unsound(p, side, run);
    }
}

static void put_runs(const struct printer *p)
{
    fputs(p->format == PARIO_FORMAT_TEXT ? "\n" : "", p->out);
    put_side(p, "base");
    put_side(p, "new");
    fputs(p->format == PARIO_FORMAT_MD ? "\n" : "", p->out);
}

static void put_differences(const struct printer *p)
{
    const json_t *list = member(p, "differences"), *text;
    size_t i;

    if (json_array_size(list) == 0)
        return;
    begin_list(p, "warnings");
    json_array_foreach(list, i, text)
    {
        if (p->format == PARIO_FORMAT_TEXT) {
            fputs("warning: ", p->out);
            put(p, json_string_value(text));
            fputs("\n", p->out);
        } else {
            put_item(p, "", json_string_value(text));
        }
    }
    end_list(p);
}

static void put_overall(const struct printer *p)
{
    const json_t *overall = member(p, "overall");
    size_t base = json_array_size(member(p, "only_base"));
    size_t now = json_array_size(member(p, "only_new"));
    char ratio[128], flags[PARIO_FLAGS_LEN];

    fputs(p->format == PARIO_FORMAT_TEXT ? "\n" : "", p->out);
    if (json_is_object(overall)) {
        print_ratio(overall, ratio, sizeof(ratio));
        begin_line(p, "note");
        fprintf(p->out,
                "overall: ratio %s, geometric mean of "
                "%" JSON_INTEGER_FORMAT " measure%s%s",
                ratio, json_integer_value(json_object_get(overall, "measures")),
                json_integer_value(json_object_get(overall, "measures")) == 1
                    ? ""
                    : "s",
                pario_flags_beside(
                    pario_flags_from_json(json_object_get(overall, "flags")),
                    flags));
        end_line(p, "note");
    }
    if (base + now == 0)
        return;
    begin_line(p, "note");
    fprintf(p->out, "not compared: %zu only in the base, %zu only in the new",
            base, now);
    end_line(p, "note");
}

/* One word where both sides have it, "base: x, new: y" where not. */
static void put_both(struct pario_table *table, const char *there,
                     const char *here)
{
    if (strcmp(there, here) == 0)
        (void)pario_table_cell(table, "%s", there);
    else
        (void)pario_table_cell(table, "base: %s, new: %s",
                               there[0] != '\0' ? there : "none",
                               here[0] != '\0' ? here : "none");
}

/* The cache has a column of its own where the row has it. */
static void put_flags(struct pario_table *table, const json_t *row)
{
    const unsigned cache =
        json_object_get(row, "base_cache") != NULL
            ? PARIO_FLAG_CACHE | PARIO_FLAG_MIXED | PARIO_FLAG_UNKNOWN
            : 0U;
    char was[PARIO_FLAGS_LEN], is[PARIO_FLAGS_LEN];
    unsigned there = pario_flags_from_json(json_object_get(row, "base_flags"));
    unsigned here = pario_flags_from_json(json_object_get(row, "new_flags"));

    put_both(table, pario_flags_words(there & ~cache, was),
             pario_flags_words(here & ~cache, is));
}

static void put_row(struct pario_table *table, const json_t *row)
{
    const char *figure = text_of(row, "figure");
    char quantity[PARIO_QUANTITY_LEN];
    const json_t *low = json_object_get(row, "low");

    (void)pario_table_cell(table, "%s", text_of(row, "name"));
    (void)pario_table_cell(
        table, "%s",
        pario_quantity_print(figure, json_object_get(row, "base"), quantity));
    (void)pario_table_cell(
        table, "%s",
        pario_quantity_print(figure, json_object_get(row, "new"), quantity));
    (void)pario_table_cell(
        table, "%d/%d", (int)json_integer_value(json_object_get(row, "base_n")),
        (int)json_integer_value(json_object_get(row, "new_n")));
    (void)pario_table_cell(table, "%.3f",
                           json_number_value(json_object_get(row, "ratio")));
    if (json_is_number(low))
        (void)pario_table_cell(table, "%.3f to %.3f", json_number_value(low),
                               json_number_value(json_object_get(row, "high")));
    else
        (void)pario_table_cell(table, "%s", "n/a");
    (void)pario_table_cell(table, "%s", text_of(row, "verdict"));
    if (json_object_get(row, "base_cache") != NULL)
        put_both(table, text_of(row, "base_cache"), text_of(row, "new_cache"));
    put_flags(table, row);
}

static int put_rows(const struct printer *p, const char *title,
                    const json_t *rows, int caches)
{
    const char *headers[] = {title,  "base",    "new",   "n",    "ratio",
                             "95 %", "verdict", "cache", "flags"};
    struct pario_table *table;
    const json_t *row;
    size_t i;
    int code;

    if (json_array_size(rows) == 0)
        return 0;
    if (!caches)
        headers[7] = headers[8];
    code = pario_table_create(caches ? 9 : 8, headers, &table);
    if (code != 0)
        return code;
    json_array_foreach(rows, i, row)
    {
        put_row(table, row);
    }
    fputs(p->format == PARIO_FORMAT_HTML
              ? "<div class=\"scroll\" tabindex=\"0\">\n"
              : "\n",
          p->out);
    code = pario_table_render(table, p->out, p->format);
    fputs(p->format == PARIO_FORMAT_HTML ? "</div>\n" : "", p->out);
    pario_table_destroy(table);
    return code;
}

/* What all measures have alike, once. */
static void put_shared(const struct printer *p)
{
    char *text = pario_members_plain(NULL, member(p, "all_measures"), NULL);

    if (text != NULL && text[0] != '\0') {
        fputs(p->format == PARIO_FORMAT_HTML ? "" : "\n", p->out);
        begin_line(p, "note");
        fputs("all measures: ", p->out);
        put(p, text);
        end_line(p, "note");
    }
    free(text);
}

/* Whose comparison it is: "b against a". */
static void put_title(const struct printer *p)
{
    const char *const sides[] = {"new", "base"};
    const json_t *run;
    size_t i;

    fputs(p->format == PARIO_FORMAT_HTML ? "<h3>"
          : p->format == PARIO_FORMAT_MD ? "## "
                                         : "",
          p->out);
    for (size_t side = 0; side < 2; side++) {
        fputs(side > 0 ? " against " : "", p->out);
        json_array_foreach(member(p, sides[side]), i, run)
        {
            fputs(i > 0 ? ", " : "", p->out);
            put(p, text_of(run, "label"));
        }
    }
    fputs(p->format == PARIO_FORMAT_HTML ? "</h3>\n"
          : p->format == PARIO_FORMAT_MD ? "\n\n"
                                         : "\n",
          p->out);
}

static size_t rows_of(const struct printer *p)
{
    return json_array_size(member(p, "headlines")) +
           json_array_size(member(p, "measures"));
}

/* All but the tables. */
static int put_answer(const struct printer *p)
{
    int code;

    put_title(p);
    put_counts(p);
    code = put_worst(p);
    put_advice(p);
    put_failed(p);
    if (p->format == PARIO_FORMAT_HTML)
        pario_comparison_svg(p->comparison, p->out);
    put_runs(p);
    put_differences(p);
    put_overall(p);
    return code;
}

/* The same on a terminal: lines that are too long are wrapped. */
static int put_answer_text(const struct printer *p)
{
    struct printer into = *p;
    char *text = NULL, *rest, *line;
    size_t len = 0;
    int code;

    into.out = open_memstream(&text, &len);
    if (into.out == NULL)
        return pario_fail_errno(-ENOMEM, "compare");
    code = put_answer(&into);
    if (fclose(into.out) != 0)
        code = pario_fail_errno(-ENOMEM, "compare");
    rest = text;
    while (code == 0 && (line = strsep(&rest, "\n")) != NULL) {
        int indent = (int)strspn(line, " ");
        char head[16];

        if (rest == NULL && line[0] == '\0')
            break; /* after the last line feed */
        snprintf(head, sizeof(head), "%.*s", indent, line);
        if (pario_text_columns(line) <= PARIO_TEXT_WIDTH)
            fprintf(p->out, "%s\n", line);
        else
            (void)pario_text_wrap(p->out, head, indent + 3, line + indent);
    }
    free(text);
    return code;
}

static int put_tables(const struct printer *p)
{
    int code = put_rows(p, "headline", member(p, "headlines"), 0);

    put_shared(p);
    return code == 0 ? put_rows(p, "measure", member(p, "measures"), 1) : code;
}

/* On a terminal the answer is last, with how to go on; headlines alone are a
 * part of it. */
static int print_text(const struct printer *p)
{
    int brief = json_is_true(member(p, "brief")) &&
                json_array_size(member(p, "measures")) > 0;
    int code = brief ? 0 : put_tables(p);

    fputs(brief ? "" : "\n", p->out);
    if (code == 0)
        code = put_answer_text(p);
    fputs("\n", p->out);
    if (brief)
        fprintf(p->out,
                "%zu figures: --verbose shows them here, -o FILE.csv or .md "
                "has them\n",
                rows_of(p));
    fputs("next: pario compare ... -o compare.html\n", p->out);
    return code;
}

int pario_comparison_print(const json_t *comparison, FILE *out,
                           enum pario_format format)
{
    const struct printer p = {comparison, out, format};
    int code;

    if (format == PARIO_FORMAT_TEXT)
        return print_text(&p);
    code = put_answer(&p);
    return code == 0 ? put_tables(&p) : code;
}
