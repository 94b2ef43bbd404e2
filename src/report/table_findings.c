/* report/table_findings.c - what an examination found, as a table. */
#include "report/table.h"
#include "report/table_parts.h"
#include "result/value.h"

static const char *text_of(const json_t *finding, const char *name,
                           const char *other)
{
    const char *text = pario_text_of(finding, name, NULL);

    if (text == NULL)
        text = pario_text_of(finding, other, NULL);
    return text != NULL && text[0] != '\0' ? text : "-";
}

int pario_findings_print(FILE *out, const json_t *document,
                         enum pario_format format)
{
    static const char *const headers[] = {"finding", "of", "verdict", "detail"};
    const json_t *findings = json_object_get(document, "findings"), *finding;
    struct pario_table *table = NULL;
    size_t i;
    int code;

    if (json_array_size(findings) == 0)
        return 0;
    code = pario_table_create(4, headers, &table);
    if (code != 0)
        return code;
    json_array_foreach(findings, i, finding)
    {
        pario_table_cell(table, "%s", text_of(finding, "title", "name"));
        pario_table_cell(table, "%s", text_of(finding, "library", ""));
        pario_table_cell(table, "%s", text_of(finding, "verdict", ""));
        pario_table_cell(table, "%s", text_of(finding, "detail", "fact"));
    }
    fputs("\n", out);
    code = pario_table_render(table, out, format);
    pario_table_destroy(table);
    return code;
}
