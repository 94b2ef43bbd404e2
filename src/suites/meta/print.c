/* suites/meta/print.c - the figures of `pario meta`: the answer, and with
 * --verbose a line for each operation and a column for each case. */
#include "suites/meta/print.h"

#include "core/units.h"
#include "report/table.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/meta/ops.h"

#include <stdio.h>
#include <string.h>

#define MAX_COLUMNS 4 /* that fit on 80 columns */
#define MAX_CASES 1024
#define MAX_ANSWERED 8 /* cases in the answer */
#define COLUMN_WIDTH 15

static double rate_of(const json_t *measure)
{
    double seconds = pario_number_of(measure, "seconds");

    return seconds > 0
               ? (double)pario_integer_of(measure, "operations") / seconds
               : 0;
}

/* Measures of one case stand together in the document. */
static int same_case(const json_t *a, const json_t *b)
{
    return strcmp(pario_text_of(a, "test", ""), pario_text_of(b, "test", "")) ==
               0 &&
           pario_integer_of(a, "partition") ==
               pario_integer_of(b, "partition") &&
           json_equal(json_object_get(a, "parameters"),
                      json_object_get(b, "parameters"));
}

static const json_t *measure_of(const json_t *measures, const json_t *like,
                                const char *op)
{
    const json_t *measure;
    size_t i;

    json_array_foreach(measures, i,
                       measure) if (same_case(measure, like) &&
                                    strcmp(pario_text_of(measure, "access", ""),
                                           op) == 0) return measure;
    return NULL;
}

/* The first measures of the cases, in order. */
static size_t find_cases(const json_t *measures, const json_t **cases,
                         size_t room)
{
    const json_t *measure;
    size_t i, n = 0;

    json_array_foreach(measures, i, measure)
    {
        size_t c = 0;

        while (c < n && !same_case(measure, cases[c]))
            c++;
        if (c == n && n < room)
            cases[n++] = measure;
    }
    return n;
}

/* "own, 3901 B". */
static char *heading_of(const json_t *measure, char *text, size_t len)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    char size[PARIO_UNITS_LEN];

    snprintf(
        text, len, "%s, %s", pario_text_of(measure, "test", ""),
        pario_size_print(pario_integer_of(parameters, "size_bytes"), size));
    return text;
}

/* What else tells the cases apart, in the words of the document. */
static char *detail_of(const json_t *measure, const char *name, char *text,
                       size_t len)
{
    const json_t *value =
        json_object_get(json_object_get(measure, "parameters"), name);

    if (value == NULL)
        value = json_object_get(measure, name);
    if (json_is_string(value))
        snprintf(text, len, "%s", json_string_value(value));
    else
        snprintf(text, len, "%lld", (long long)json_integer_value(value));
    return text;
}

static const struct {
    const char *name, *label;
} details[] = {
    {"interface", "interface"},
    {"partition", "processes"},
    {"entries", "entries there"},
};

#define NDETAILS (sizeof(details) / sizeof(details[0]))

/* Is it the same in all cases? */
static int is_common(const json_t **cases, size_t n, const char *name)
{
    char first[64], text[64];

    detail_of(cases[0], name, first, sizeof(first));
    for (size_t c = 1; c < n; c++)
        if (strcmp(detail_of(cases[c], name, text, sizeof(text)), first) != 0)
            return 0;
    return 1;
}

static void print_detail(FILE *out, const json_t **cases, size_t n, size_t d)
{
    char text[64];

    if (is_common(cases, n, details[d].name))
        return;
    fprintf(out, "  %-13s", details[d].label);
    for (size_t c = 0; c < n; c++)
        fprintf(out, " %*s", COLUMN_WIDTH,
                detail_of(cases[c], details[d].name, text, sizeof(text)));
    fputc('\n', out);
}

static void print_op(FILE *out, const json_t *measures, const json_t **cases,
                     size_t n, const char *op)
{
    int any = 0;

    for (size_t c = 0; c < n; c++)
        any = any || measure_of(measures, cases[c], op) != NULL;
    if (!any)
        return;
    fprintf(out, "  %-13s", op);
    for (size_t c = 0; c < n; c++) {
        const json_t *measure = measure_of(measures, cases[c], op);
        char rate[PARIO_UNITS_LEN], cell[64] = "";

        if (measure != NULL)
            snprintf(cell, sizeof(cell), "%s/s%s",
                     pario_count_print(rate_of(measure), rate),
                     pario_flags_of_measure(measure) == 0 ? " " : "*");
        fprintf(out, " %*s", COLUMN_WIDTH, cell);
    }
    fputc('\n', out);
}

/* In words, once each. */
static void print_flags(FILE *out, const json_t *measures)
{
    const json_t *measure;
    unsigned flags = 0;
    size_t i;

    json_array_foreach(measures, i, measure) flags |=
        pario_flags_of_measure(measure);
    if (flags & PARIO_FLAG_CACHE)
        fprintf(out, "  * from the kernel's memory, not from the device (as "
                     "root: --cold)\n");
    if (flags & PARIO_FLAG_MIXED)
        fprintf(out, "  * partly from the kernel's memory\n");
    if (flags & PARIO_FLAG_UNKNOWN)
        fprintf(out,
                "  * whether the device was reached cannot be seen here\n");
    if (flags & PARIO_FLAG_SHORT)
        fprintf(out, "  * shorter than 0.1 s: make more --files\n");
    if (flags & PARIO_FLAG_UNVERIFIED)
        fprintf(out, "  * not verified\n");
}

/* As many cases as fit side by side. */
static void print_block(FILE *out, const json_t *measures, const json_t **cases,
                        size_t n)
{
    char text[64];

    fprintf(out, "\n  %-13s", "");
    for (size_t c = 0; c < n; c++)
        fprintf(out, " %*s", COLUMN_WIDTH,
                heading_of(cases[c], text, sizeof(text)));
    fputc('\n', out);
    for (size_t d = 0; d < NDETAILS; d++)
        print_detail(out, cases, n, d);
    for (int i = 0; meta_ops[i].name != NULL; i++)
        print_op(out, measures, cases, n, meta_ops[i].name);
}

int meta_print(const struct pario_run *run, FILE *out)
{
    const json_t *document = pario_result_document(run->result);
    const json_t *measures = json_object_get(document, "measures");
    const json_t *cases[MAX_CASES];
    size_t n = find_cases(measures, cases, MAX_CASES);
    int64_t processes = n > 0 ? pario_integer_of(cases[0], "partition") : 0;
    int code;

    code = pario_table_print(out, document, PARIO_FORMAT_TEXT);
    if (code != 0 || n == 0)
        return code;
    fprintf(out, "\noperations per second of %lld process%s in %s (%s)\n",
            (long long)processes, processes == 1 ? "" : "es",
            run->noperands > 0 ? run->operands[0] : ".", run->fs.type);
    for (size_t c = 0; c < n; c += MAX_COLUMNS)
        print_block(out, measures, cases + c,
                    n - c < MAX_COLUMNS ? n - c : MAX_COLUMNS);
    print_flags(out, measures);
    return 0;
}

/* Cases one after another, of which only a few operations are in the answer
 * where there are several. */
struct answer {
    struct pario_result *result;
    const json_t *measures, **cases;
    size_t count;
};

/* "own" of the first case of a layout, "case3" of further ones. */
static char *prefix_of(const struct answer *answer, size_t c, char *text,
                       size_t len)
{
    const char *layout = pario_text_of(answer->cases[c], "test", "");
    size_t first = 0;

    while (first < c &&
           strcmp(pario_text_of(answer->cases[first], "test", ""), layout) != 0)
        first++;
    if (first == c)
        snprintf(text, len, "%s", layout);
    else
        snprintf(text, len, "case%zu", c + 1);
    return text;
}

static char *label_of(const struct answer *answer, size_t c, char *text,
                      size_t len)
{
    char detail[64];

    heading_of(answer->cases[c], text, len);
    for (size_t d = 0; d < NDETAILS; d++) {
        size_t used = strlen(text);

        if (!is_common(answer->cases, answer->count, details[d].name))
            snprintf(text + used, len - used, ", %s %s", details[d].label,
                     detail_of(answer->cases[c], details[d].name, detail,
                               sizeof(detail)));
    }
    return text;
}

static int is_shown(const struct answer *answer, const char *op)
{
    static const char *const headlines[] = {"create", "stat", "unlink"};

    for (size_t h = 0; h < sizeof(headlines) / sizeof(headlines[0]); h++)
        if (strcmp(op, headlines[h]) == 0)
            return 1;
    return answer->count == 1;
}

/* The rates of one case: lines of three. */
static void add_case(const struct answer *answer, size_t c)
{
    char label[160], prefix[32], names[PARIO_VIEW_CELLS][80];
    struct pario_view_line line = {
        .label = label_of(answer, c, label, sizeof(label))};
    int n = 0;

    prefix_of(answer, c, prefix, sizeof(prefix));
    for (int i = 0; meta_ops[i].name != NULL; i++) {
        const char *op = meta_ops[i].name;
        const json_t *measure =
            measure_of(answer->measures, answer->cases[c], op);

        if (measure == NULL || !is_shown(answer, op))
            continue;
        snprintf(names[n], sizeof(names[n]), "%s_%s_per_s", prefix, op);
        pario_result_summary(answer->result, names[n],
                             json_real(rate_of(measure)),
                             pario_flags_of_measure(measure));
        line.cells[n] =
            (struct pario_view_cell){.name = op, .figure = names[n]};
        if (++n < PARIO_VIEW_CELLS)
            continue;
        pario_view_add(answer->result, &line);
        line = (struct pario_view_line){.label = ""};
        n = 0;
    }
    if (n > 0)
        pario_view_add(answer->result, &line);
}

void meta_summarise(struct pario_result *result)
{
    const json_t *cases[MAX_CASES];
    struct answer answer = {.result = result, .cases = cases};

    answer.measures =
        json_object_get(pario_result_document(result), "measures");
    answer.count = find_cases(answer.measures, cases, MAX_CASES);
    for (size_t c = 0; c < answer.count && c < MAX_ANSWERED; c++)
        add_case(&answer, c);
    if (answer.count > MAX_ANSWERED)
        pario_view_say(result, "%zu more cases: the report has them.",
                       answer.count - MAX_ANSWERED);
}
