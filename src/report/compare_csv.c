/* report/compare_csv.c - a comparison for programs: CSV and JUnit. */
#include "report/compare.h"
#include "report/table_parts.h"
#include <string.h>

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static void put_number(struct pario_table *table, const json_t *value)
{
    if (json_is_integer(value))
        (void)pario_table_cell(table, "%lld",
                               (long long)json_integer_value(value));
    else if (json_is_number(value))
        (void)pario_table_cell(table, "%.15g", json_number_value(value));
    else
        (void)pario_table_cell(table, "%s", "");
}

/* The labels of a side, separated by blanks. */
static void put_side(struct pario_table *table, const json_t *runs)
{
    const json_t *run;
    char text[1024] = "";
    size_t i, used = 0;

    json_array_foreach(runs, i, run)
    {
        if (used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     i > 0 ? " " : "", text_of(run, "label"));
    }
    (void)pario_table_cell(table, "%s", text);
}

static void put_flags(struct pario_table *table, const json_t *flags)
{
    char words[PARIO_FLAGS_LEN];

    (void)pario_table_cell(
        table, "%s", pario_flags_print(pario_flags_from_json(flags), words));
}

static void put_rows(struct pario_table *table, const json_t *comparison,
                     const char *kind, const json_t *rows)
{
    static const char *const numbers[] = {"base",  "new", "base_n", "new_n",
                                          "ratio", "low", "high"};
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        put_side(table, json_object_get(comparison, "base"));
        put_side(table, json_object_get(comparison, "new"));
        (void)pario_table_cell(table, "%s", kind);
        (void)pario_table_cell(table, "%s", text_of(row, "name"));
        (void)pario_table_cell(table, "%s", text_of(row, "figure"));
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            put_number(table, json_object_get(row, numbers[k]));
        (void)pario_table_cell(table, "%s", text_of(row, "verdict"));
        put_flags(table, json_object_get(row, "base_flags"));
        put_flags(table, json_object_get(row, "new_flags"));
    }
}

int pario_comparison_csv(const json_t *comparison, FILE *out, int header)
{
    static const char *const headers[] = {
        "base_runs", "new_runs", "kind",    "name",       "figure",
        "base",      "new",      "base_n",  "new_n",      "ratio",
        "low",       "high",     "verdict", "base_flags", "new_flags"};
    struct pario_table *table;
    int code = pario_table_create(sizeof(headers) / sizeof(headers[0]), headers,
                                  &table);

    if (code != 0)
        return code;
    put_rows(table, comparison, "headline",
             json_object_get(comparison, "headlines"));
    put_rows(table, comparison, "measure",
             json_object_get(comparison, "measures"));
    code = pario_table_render_csv(table, out, header);
    pario_table_destroy(table);
    return code;
}

/* Text of an attribute or element. XML 1.0 has no U+FFFE and U+FFFF, in no
 * spelling. */
static void put_xml(FILE *out, const char *text)
{
    char part[512];

    while (*text != '\0') {
        size_t used = 0;

        while (*text != '\0' && used + 4 < sizeof(part)) {
            if (strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
                strncmp(text, "\xef\xbf\xbf", 3) == 0) {
                part[used++] = '?';
                text += 3;
                continue;
            }
            part[used++] = *text++;
        }
        part[used] = '\0';
        pario_cell_put(out, part, PARIO_FORMAT_HTML);
    }
}

/* flags: of the row; what speaks against it stands beside the verdict. */
static void put_case(const json_t *comparison, const char *name,
                     const char *reason, unsigned flags, FILE *out)
{
    char words[PARIO_FLAGS_LEN];

    fputs("<testcase classname=\"pario.", out);
    put_xml(out, text_of(comparison, "suite"));
    fputs("\" name=\"", out);
    put_xml(out, name);
    if (reason == NULL && flags == 0) {
        fputs("\" time=\"0\"/>\n", out);
        return;
    }
    fputs("\" time=\"0\">", out);
    if (reason != NULL) {
        fputs("<failure message=\"", out);
        put_xml(out, reason);
        fputs("\"/>", out);
    }
    if (flags != 0)
        fprintf(out, "<system-out>flags: %s</system-out>",
                pario_flags_print(flags, words));
    fputs("</testcase>\n", out);
}

/* The first that failed is the overall ratio, where it did. */
static const char *overall_reason(const json_t *comparison)
{
    const json_t *first =
        json_array_get(json_object_get(comparison, "failed"), 0);

    return strcmp(text_of(first, "name"), "overall") == 0
               ? text_of(first, "reason")
               : NULL;
}

void pario_comparison_junit(const json_t *comparison, FILE *out)
{
    static const char *const lists[] = {"headlines", "measures"};
    const json_t *missing = json_object_get(comparison, "only_base"), *row;
    int gated = json_is_array(json_object_get(comparison, "failed"));
    size_t cases = 1 + json_array_size(missing), i;

    for (size_t k = 0; k < 2; k++)
        cases += json_array_size(json_object_get(comparison, lists[k]));
    fputs("<testsuite name=\"pario compare: ", out);
    put_xml(out, text_of(comparison, "suite"));
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", cases,
            json_array_size(json_object_get(comparison, "failed")));
    put_case(comparison, "overall", overall_reason(comparison),
             pario_flags_from_json(json_object_get(
                 json_object_get(comparison, "overall"), "flags")),
             out);
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(json_object_get(comparison, lists[k]), i, row)
        {
            put_case(comparison, text_of(row, "name"),
                     json_string_value(json_object_get(row, "failed")),
                     pario_comparison_flags(row), out);
        }
    json_array_foreach(missing, i, row)
    {
        put_case(comparison, json_string_value(row),
                 gated ? "missing in the new" : NULL, 0, out);
    }
    fputs("</testsuite>\n", out);
}
