/* suites/meta/print.c - the answer of `pario meta`: a line for each operation,
 * a column for each case. */
#include "suites/meta/print.h"

#include "core/units.h"
#include "report/table.h"
#include "result/value.h"
#include "suites/meta/ops.h"

#include <stdio.h>
#include <string.h>

#define MAX_COLUMNS 4 /* that fit on 80 columns */
#define MAX_CASES 1024
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

void meta_summarise(struct pario_result *result)
{
    static const char *const headlines[] = {"create", "stat", "unlink"};
    const json_t *measures =
        json_object_get(pario_result_document(result), "measures");
    const json_t *cases[MAX_CASES];
    size_t n = find_cases(measures, cases, MAX_CASES);
    unsigned seen = 0;

    for (size_t c = 0; c < n; c++) {
        const char *layout = pario_text_of(cases[c], "test", "");
        unsigned bit = 1U << (layout[0] & 31);

        if (seen & bit)
            continue;
        seen |= bit;
        for (size_t h = 0; h < sizeof(headlines) / sizeof(headlines[0]); h++) {
            const json_t *measure =
                measure_of(measures, cases[c], headlines[h]);
            char name[64];

            snprintf(name, sizeof(name), "%s_%s_per_s", layout, headlines[h]);
            if (measure != NULL)
                pario_result_summary(result, name, json_real(rate_of(measure)),
                                     pario_flags_of_measure(measure));
        }
    }
}

static void print_heading(FILE *out, const json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    char size[PARIO_UNITS_LEN], text[64];

    snprintf(
        text, sizeof(text), "%s, %s", pario_text_of(measure, "test", ""),
        pario_size_print(pario_integer_of(parameters, "size_bytes"), size));
    fprintf(out, " %*s", COLUMN_WIDTH, text);
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

static void print_detail(FILE *out, const json_t **cases, size_t n,
                         const char *name, const char *label)
{
    char first[64], text[64];
    size_t c = 1;

    detail_of(cases[0], name, first, sizeof(first));
    while (c < n &&
           strcmp(detail_of(cases[c], name, text, sizeof(text)), first) == 0)
        c++;
    if (c == n)
        return; /* the same for all */
    fprintf(out, "  %-13s", label);
    for (c = 0; c < n; c++)
        fprintf(out, " %*s", COLUMN_WIDTH,
                detail_of(cases[c], name, text, sizeof(text)));
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
    fprintf(out, "\n  %-13s", "");
    for (size_t c = 0; c < n; c++)
        print_heading(out, cases[c]);
    fputc('\n', out);
    print_detail(out, cases, n, "interface", "interface");
    print_detail(out, cases, n, "partition", "processes");
    print_detail(out, cases, n, "entries", "entries there");
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
    int code = 0;

    if (run->common.verbose || !pario_result_is_valid(run->result))
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
