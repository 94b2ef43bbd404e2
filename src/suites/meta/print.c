/* suites/meta/print.c - the figures of `pario meta`: the answer, and with
 * --verbose a line for each operation and a column for each case. */
#include "suites/meta/print.h"

#include "core/units.h"
#include "report/grid.h"
#include "report/table.h"
#include "result/repetitions.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/meta/ops.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 80       /* of the screen */
#define MAX_ANSWERED 8 /* cases in the answer */

static double rate_of(const json_t *measure)
{
    double seconds = pario_number_of(measure, "seconds");

    return seconds > 0
               ? (double)pario_integer_of(measure, "operations") / seconds
               : 0;
}

/* Measures that differ in nothing but the operation are a case. */
static int cases_init(struct pario_result *result,
                      struct pario_repetitions *cases)
{
    static const char *const but_for[] = {"access", NULL};

    return pario_repetitions_init(pario_result_document(result), but_for,
                                  cases);
}

static size_t count_of(const struct pario_repetitions *cases)
{
    return json_array_size(cases->works);
}

/* The first measure of a case. */
static const json_t *first_of(const struct pario_repetitions *cases, size_t c)
{
    return json_array_get(json_array_get(cases->works, c), 0);
}

/* Of the case that was taken last; NULL: it was not measured. */
static const json_t *measure_of(const struct pario_repetitions *cases,
                                const char *op)
{
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(pario_text_of(cases->measures[i], "access", ""), op) == 0)
            return cases->measures[i];
    return NULL;
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
static int is_common(const struct pario_repetitions *cases, const char *name)
{
    char first[64], text[64];

    detail_of(first_of(cases, 0), name, first, sizeof(first));
    for (size_t c = 1; c < count_of(cases); c++)
        if (strcmp(detail_of(first_of(cases, c), name, text, sizeof(text)),
                   first) != 0)
            return 0;
    return 1;
}

static char *label_of(const struct pario_repetitions *cases, size_t c,
                      char *text, size_t len)
{
    char detail[64];

    heading_of(first_of(cases, c), text, len);
    for (size_t d = 0; d < NDETAILS; d++) {
        size_t used = strlen(text);

        if (!is_common(cases, details[d].name))
            snprintf(text + used, len - used, ", %s %s", details[d].label,
                     detail_of(first_of(cases, c), details[d].name, detail,
                               sizeof(detail)));
    }
    return text;
}

/* The rates of a case as a column; what something speaks against has a *. */
static void put_case(struct pario_repetitions *cases, size_t c,
                     struct pario_grid *grid, unsigned *flags)
{
    char label[160], rate[PARIO_UNITS_LEN];

    label_of(cases, c, label, sizeof(label));
    (void)pario_repetitions_take(cases, c);
    for (int i = 0; meta_ops[i].name != NULL; i++) {
        const json_t *measure = measure_of(cases, meta_ops[i].name);
        unsigned marks = pario_flags_of_measure(measure);

        if (measure != NULL)
            pario_grid_put(grid, meta_ops[i].name, label, "%s/s%s",
                           pario_count_print(rate_of(measure), rate),
                           marks == 0 ? "" : "*");
        *flags |= measure != NULL ? marks : 0;
    }
}

/* As many cases as fit side by side, then the next. */
static int print_cases(struct pario_repetitions *cases, FILE *out,
                       unsigned *flags)
{
    char label[160];
    size_t width = strlen(label_of(cases, 0, label, sizeof(label))) + 2;
    size_t beside = WIDTH / width > 1 ? WIDTH / width - 1 : 1;
    int code = 0;

    for (size_t c = 0; code == 0 && c < count_of(cases);) {
        struct pario_grid grid;
        size_t end = c + beside;

        pario_grid_init(&grid);
        for (; c < end && c < count_of(cases); c++)
            put_case(cases, c, &grid, flags);
        fputc('\n', out);
        code = pario_grid_print(&grid, "", out);
        pario_grid_fini(&grid);
    }
    return code;
}

/* In words, once each. */
static void print_flags(FILE *out, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *words;
    } said[] = {
        {PARIO_FLAG_CACHE, "from the kernel's memory, not from the device (as "
                           "root: --cold)"},
        {PARIO_FLAG_MIXED, "partly from the kernel's memory"},
        {PARIO_FLAG_UNKNOWN, "whether the device was reached cannot be seen "
                             "here"},
        {PARIO_FLAG_SHORT, "shorter than 0.1 s: make more --files"},
        {PARIO_FLAG_UNVERIFIED, "not verified"},
    };

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        if (flags & said[i].flag)
            fprintf(out, "* %s\n", said[i].words);
}

int meta_print(const struct pario_run *run, FILE *out)
{
    struct pario_repetitions cases;
    unsigned flags = 0;
    int64_t processes;
    int code = cases_init(run->result, &cases);

    if (code == 0)
        code = pario_table_print(out, pario_result_document(run->result),
                                 PARIO_FORMAT_TEXT);
    if (code == 0 && count_of(&cases) > 0) {
        processes = pario_integer_of(first_of(&cases, 0), "partition");
        fprintf(out, "\noperations per second of %lld process%s in %s (%s)\n",
                (long long)processes, processes == 1 ? "" : "es",
                run->noperands > 0 ? run->operands[0] : ".", run->fs.type);
        code = print_cases(&cases, out, &flags);
        print_flags(out, flags);
    }
    pario_repetitions_fini(&cases);
    return code;
}

/* "own" of the first case of a layout, "case3" of further ones. */
static char *prefix_of(const struct pario_repetitions *cases, size_t c,
                       char *text, size_t len)
{
    const char *layout = pario_text_of(first_of(cases, c), "test", "");
    size_t first = 0;

    while (first < c &&
           strcmp(pario_text_of(first_of(cases, first), "test", ""), layout) !=
               0)
        first++;
    if (first == c)
        snprintf(text, len, "%s", layout);
    else
        snprintf(text, len, "case%zu", c + 1);
    return text;
}

/* Of several cases only a few operations are in the answer. */
static int is_shown(const struct pario_repetitions *cases, const char *op)
{
    static const char *const headlines[] = {"create", "stat", "unlink"};

    for (size_t h = 0; h < sizeof(headlines) / sizeof(headlines[0]); h++)
        if (strcmp(op, headlines[h]) == 0)
            return 1;
    return count_of(cases) == 1;
}

/* The rates of one case: lines of three. */
static void add_case(struct pario_result *result,
                     struct pario_repetitions *cases, size_t c)
{
    char label[160], prefix[32], names[PARIO_VIEW_CELLS][80];
    struct pario_view_line line = {
        .label = label_of(cases, c, label, sizeof(label))};
    int n = 0;

    prefix_of(cases, c, prefix, sizeof(prefix));
    (void)pario_repetitions_take(cases, c);
    for (int i = 0; meta_ops[i].name != NULL; i++) {
        const char *op = meta_ops[i].name;
        const json_t *measure = measure_of(cases, op);

        if (measure == NULL || !is_shown(cases, op))
            continue;
        snprintf(names[n], sizeof(names[n]), "%s_%s_per_s", prefix, op);
        pario_result_summary(result, names[n], json_real(rate_of(measure)),
                             pario_flags_of_measure(measure));
        line.cells[n] =
            (struct pario_view_cell){.name = op, .figure = names[n]};
        if (++n < PARIO_VIEW_CELLS)
            continue;
        pario_view_add(result, &line);
        line = (struct pario_view_line){.label = ""};
        n = 0;
    }
    if (n > 0)
        pario_view_add(result, &line);
}

int meta_summarise(struct pario_result *result)
{
    struct pario_repetitions cases;
    int code = cases_init(result, &cases);
    size_t count = count_of(&cases);

    for (size_t c = 0; code == 0 && c < count && c < MAX_ANSWERED; c++)
        add_case(result, &cases, c);
    if (code == 0 && count > MAX_ANSWERED)
        pario_view_say(result, "%zu more cases: the report has them.",
                       count - MAX_ANSWERED);
    pario_repetitions_fini(&cases);
    return code;
}
