/* report/table_headline.c - what was run on what, and whether to believe it. */
#include "report/hints.h"
#include "report/measures.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 78
#define LABEL_WIDTH 13

const char *pario_document_status(const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");

    if (json_is_null(json_object_get(document, "finished_utc")))
        return "UNFINISHED";
    if (!json_is_true(json_object_get(document, "valid")))
        return "INVALID";
    return json_is_false(json_object_get(summary, "official")) ? "PRELIMINARY"
                                                               : "VALID";
}

static void put_label(FILE *out, enum pario_format format, const char *label)
{
    if (format == PARIO_FORMAT_MD)
        fprintf(out, "- **%s**: ", label);
    else if (format == PARIO_FORMAT_HTML)
        fprintf(out, "<dt>%s</dt><dd>", label);
    else
        fprintf(out, "%-*s", LABEL_WIDTH, label);
}

static void end_line(FILE *out, enum pario_format format)
{
    fputs(format == PARIO_FORMAT_HTML ? "</dd>\n" : "\n", out);
}

static void put_line(FILE *out, enum pario_format format, const char *label,
                     const char *text)
{
    put_label(out, format, label);
    pario_cell_put(out, text, format);
    end_line(out, format);
}

/* Words separated by blanks, on as many lines as it takes. */
static void put_words(FILE *out, enum pario_format format, const char *label,
                      const json_t *words)
{
    size_t used = LABEL_WIDTH, i;
    const json_t *word;

    put_label(out, format, label);
    json_array_foreach(words, i, word)
    {
        const char *text = json_string_value(word);
        size_t len = strlen(text);

        if (format == PARIO_FORMAT_TEXT && i > 0 &&
            used + 1 + len > LINE_WIDTH) {
            fprintf(out, "\n%*s", LABEL_WIDTH, "");
            used = LABEL_WIDTH;
        } else if (i > 0) {
            putc(' ', out);
            used++;
        }
        pario_cell_put(out, text, format);
        used += len;
    }
    end_line(out, format);
}

static void put_host(FILE *out, enum pario_format format, const json_t *system)
{
    static const char *const names[] = {"host", "kernel", "cpu"};
    char text[512] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *fact = pario_text_of(system, names[i], NULL);

        if (fact == NULL || used >= sizeof(text))
            continue;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                 used > 0 ? ", " : "", fact);
    }
    if (used > 0)
        put_line(out, format, "host", text);
}

static void put_processes(FILE *out, enum pario_format format,
                          const json_t *system)
{
    long long nodes = pario_integer_of(system, "nodes");
    long long processes = pario_integer_of(system, "processes");
    const char *mpi = pario_text_of(system, "mpi", NULL);
    char text[256], layout[128];

    if (processes == 0)
        return;
    if (nodes <= 0)
        snprintf(layout, sizeof(layout), "%lld", processes);
    else if (processes % nodes == 0)
        snprintf(layout, sizeof(layout), "%lld node%s × %lld process%s", nodes,
                 nodes == 1 ? "" : "s", processes / nodes,
                 processes == nodes ? "" : "es");
    else
        snprintf(layout, sizeof(layout), "%lld on %lld nodes", processes,
                 nodes);
    /* A published result does not say which. */
    snprintf(text, sizeof(text), "%s%s%s", layout, mpi != NULL ? ", MPI: " : "",
             mpi != NULL ? mpi : "");
    put_line(out, format, "processes", text);
}

static void put_filesystem(FILE *out, enum pario_format format,
                           const json_t *system)
{
    const json_t *details = json_object_get(system, "filesystem_details");
    const char *type = pario_text_of(system, "filesystem", NULL);
    const char *source = pario_text_of(details, "source", NULL);
    const char *mount = pario_text_of(details, "mount", NULL);
    const char *options = pario_text_of(details, "mount_options", NULL);
    char text[1024];

    if (type == NULL)
        return;
    snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", type,
             source != NULL ? ", " : "", source != NULL ? source : "",
             mount != NULL ? " on " : "", mount != NULL ? mount : "",
             options != NULL ? " (" : "", options != NULL ? options : "",
             options != NULL ? ")" : "");
    put_line(out, format, "file system", text);
}

static json_t *in_force_words(const json_t *document)
{
    json_t *in_force = pario_hints_in_force(document), *words = json_array();
    const char *name;
    json_t *value;

    json_object_foreach(in_force, name, value)
    {
        (void)json_array_append_new(
            words, json_sprintf("%s=%s", name, json_string_value(value)));
    }
    json_decref(in_force);
    return words;
}

void pario_facts_print(FILE *out, const json_t *document,
                       enum pario_format format)
{
    const json_t *system = json_object_get(document, "system");
    const char *finished = pario_text_of(document, "finished_utc", NULL);
    const char *started = pario_text_of(document, "started_utc", "");
    json_t *requested = pario_hints_words(document);
    json_t *in_force = in_force_words(document);
    char dates[128];

    snprintf(dates, sizeof(dates), "%s to %s", started,
             finished != NULL ? finished : "(not finished)");
    if (started[0] != '\0') /* published results of IO500 have none */
        put_line(out, format, "date", dates);
    put_words(out, format, "command", json_object_get(document, "command"));
    put_host(out, format, system);
    put_processes(out, format, system);
    put_filesystem(out, format, system);
    if (json_array_size(requested) > 0)
        put_words(out, format, "hints asked", requested);
    if (json_array_size(in_force) > 0)
        put_words(out, format, "hints", in_force);
    json_decref(requested);
    json_decref(in_force);
}

static void put_status(FILE *out, enum pario_format format,
                       const json_t *document)
{
    const char *status = pario_document_status(document);
    const char *bold = format == PARIO_FORMAT_MD ? "**" : "";
    const json_t *list, *text;
    int unfinished;
    size_t i;

    unfinished = strcmp(status, "UNFINISHED") == 0;
    fprintf(out, "\n%s%s%s", bold, unfinished ? "INVALID" : status, bold);
    if (strcmp(status, "PRELIMINARY") == 0)
        fputs(": not an official figure by the suite's rules", out);
    list = json_object_get(document, "invalid_reasons");
    json_array_foreach(list, i, text)
    {
        fputs(i == 0 ? ": " : "; ", out);
        pario_cell_put(out, json_string_value(text), format);
    }
    fputs("\n", out);
    if (format == PARIO_FORMAT_MD)
        fputs("\n", out);
    if (unfinished)
        fprintf(out, "%swarning: the run did not finish\n",
                format == PARIO_FORMAT_MD ? "- " : "");
    json_array_foreach(json_object_get(document, "warnings"), i, text)
    {
        if (pario_json_contains(list, text))
            continue;
        fputs(format == PARIO_FORMAT_MD ? "- warning: " : "warning: ", out);
        pario_cell_put(out, json_string_value(text), format);
        fputs("\n", out);
    }
}

/* Official, valid, and not one figure with a flag? */
static int all_clean(const json_t *document)
{
    const json_t *value;
    const char *name;

    if (strcmp(pario_document_status(document), "VALID") != 0)
        return 0;
    json_object_foreach(json_object_get(document, "summary"), name, value)
    {
        if (pario_summary_flags(document, name) != 0)
            return 0;
    }
    return 1;
}

static void put_summary_row(struct pario_table *table, const json_t *document,
                            const char *name, const json_t *value, int clean)
{
    const unsigned of_run =
        (unsigned)PARIO_FLAG_INVALID | PARIO_FLAG_PRELIMINARY;
    unsigned flags = pario_summary_flags(document, name) & ~of_run;
    char *plain = pario_headline_name(document, name), words[PARIO_FLAGS_LEN];
    char text[PARIO_QUANTITY_LEN];

    (void)pario_table_cell(table, "%s", plain != NULL ? plain : "?");
    (void)pario_table_cell(table, "%s",
                           json_is_string(value)
                               ? json_string_value(value)
                               : pario_quantity_print(name, value, text));
    (void)pario_table_cell(table, "%s", name);
    if (!clean)
        (void)pario_table_cell(table, "%s%s%s", pario_document_status(document),
                               flags != 0 ? ", " : "",
                               pario_flags_words(flags, words));
    free(plain);
}

int pario_summary_print(FILE *out, const json_t *document,
                        enum pario_format format)
{
    static const char *const headers[] = {"figure", "value", "name", "run"};
    json_t *summary = json_object_get(document, "summary");
    struct pario_table *table;
    const json_t *value;
    const char *name;
    int code, clean;

    if (json_object_size(summary) == 0)
        return 0;
    clean = all_clean(document);
    code = pario_table_create(clean ? 3 : 4, headers, &table);
    if (code != 0)
        return code;
    json_object_foreach(summary, name, value)
    {
        put_summary_row(table, document, name, value, clean);
    }
    fputs("\n", out);
    code = pario_table_render(table, out, format);
    pario_table_destroy(table);
    return code;
}

int pario_headline_print(FILE *out, const json_t *document,
                         enum pario_format format)
{
    fputs(format == PARIO_FORMAT_MD ? "## pario " : "pario ", out);
    pario_cell_put(out, pario_text_of(document, "suite", NULL), format);
    fputs(format == PARIO_FORMAT_MD ? "\n\n" : "\n", out);
    pario_facts_print(out, document, format);
    put_status(out, format, document);
    return pario_summary_print(out, document, format);
}
