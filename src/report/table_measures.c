/* report/table_measures.c - one row a measure. */
#include "report/data.h"
#include "report/measures_parts.h"
#include "report/table_parts.h"
#include "result/identity.h"
#include "result/value.h"
#include "result/view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MB 1e6
#define MIB 1048576.0

struct row {
    const json_t *measure;
    const char *status; /* of the run */
    json_t *shared;     /* parameters that all measures have; may be NULL */
    const json_t *view; /* of the document */
};

struct column {
    const char *header;
    /* Does any measure need this column? NULL: always there. */
    int (*wanted)(const struct row *row);
    void (*put)(struct pario_table *table, const struct row *row);
};

static json_t *member(const struct row *row, const char *name)
{
    return json_object_get(row->measure, name);
}

static void put_figure(struct pario_table *table, const json_t *value,
                       double scale)
{
    char figure[PARIO_FIGURE_LEN];

    (void)pario_table_cell(
        table, "%s",
        json_is_number(value)
            ? pario_number_print(json_number_value(value) * scale, figure)
            : "n/a");
}

static void put_test(struct pario_table *table, const struct row *row)
{
    const char *test = json_string_value(member(row, "test"));
    const char *plain =
        test != NULL ? pario_view_find(row->view, "tests", test, "name") : NULL;

    (void)pario_table_cell(table, "%s", plain != NULL ? plain : test);
}

/* Parameters that are the same in all measures: said once, above the table. A
 * new reference; NULL: no memory, or there are none to speak of. */
static json_t *shared_parameters(const json_t *measures)
{
    json_t *shared =
        json_copy(json_object_get(json_array_get(measures, 0), "parameters"));
    const json_t *measure;
    size_t i;

    if (json_array_size(measures) < 2 || shared == NULL) {
        json_decref(shared);
        return NULL;
    }
    json_array_foreach(measures, i, measure)
    {
        pario_identity_share(shared, json_object_get(measure, "parameters"));
    }
    return shared;
}

static int has_pattern(const struct row *row)
{
    return member(row, "pattern") != NULL ||
           json_object_size(member(row, "parameters")) >
               json_object_size(row->shared);
}

static void put_pattern(struct pario_table *table, const struct row *row)
{
    char *pattern =
        pario_members_plain(row->view, member(row, "pattern"), NULL);
    char *parameters =
        pario_members_plain(row->view, member(row, "parameters"), row->shared);

    if (pattern == NULL || parameters == NULL)
        (void)pario_table_cell(table, "?");
    else
        (void)pario_table_cell(
            table, "%s%s%s", pattern,
            pattern[0] != '\0' && parameters[0] != '\0' ? ", " : "",
            parameters);
    free(pattern);
    free(parameters);
}

static void print_shared(FILE *out, const struct row *row,
                         enum pario_format format)
{
    char *text = pario_members_plain(row->view, row->shared, NULL);

    if (text != NULL && text[0] != '\0') {
        fputs("\nall measures: ", out);
        pario_cell_put(out, text, format);
        fputs("\n", out);
    }
    free(text);
}

static int has_access(const struct row *row)
{
    return json_is_string(member(row, "access"));
}

static void put_access(struct pario_table *table, const struct row *row)
{
    const char *access = json_string_value(member(row, "access"));

    (void)pario_table_cell(table, "%s", access != NULL ? access : "");
}

static void put_partition(struct pario_table *table, const struct row *row)
{
    (void)pario_table_cell(
        table, "%lld", (long long)json_integer_value(member(row, "partition")));
}

static int has_bytes(const struct row *row)
{
    return json_integer_value(member(row, "bytes")) > 0;
}

static void put_mbps(struct pario_table *table, const struct row *row)
{
    put_figure(table, member(row, "bandwidth_mbps"), 1);
}

static void put_mibps(struct pario_table *table, const struct row *row)
{
    put_figure(table, member(row, "bandwidth_mbps"), MB / MIB);
}

static int has_operations(const struct row *row)
{
    return json_integer_value(member(row, "operations")) > 0;
}

double pario_operation_rate(const json_t *measure)
{
    double seconds = pario_number_of(measure, "seconds");

    return seconds > 0
               ? (double)pario_integer_of(measure, "operations") / seconds
               : -1;
}

static void put_rate(struct pario_table *table, const struct row *row)
{
    double rate = pario_operation_rate(row->measure);
    char figure[PARIO_FIGURE_LEN];

    (void)pario_table_cell(
        table, "%s", rate >= 0 ? pario_number_print(rate, figure) : "n/a");
}

static int has_latency(const struct row *row)
{
    return json_is_object(member(row, "latency_ns"));
}

static void put_p50(struct pario_table *table, const struct row *row)
{
    put_figure(table, json_object_get(member(row, "latency_ns"), "p50"), 1e-3);
}

static void put_p99(struct pario_table *table, const struct row *row)
{
    put_figure(table, json_object_get(member(row, "latency_ns"), "p99"), 1e-3);
}

static void put_max(struct pario_table *table, const struct row *row)
{
    put_figure(table, json_object_get(member(row, "latency_ns"), "max"), 1e-3);
}

static void put_cache(struct pario_table *table, const struct row *row)
{
    (void)pario_table_cell(table, "%s",
                           json_string_value(member(row, "cache")));
}

static int has_device(const struct row *row)
{
    return json_is_integer(member(row, "device_bytes"));
}

/* What the devices saw, as a share of what was moved. */
static void put_device(struct pario_table *table, const struct row *row)
{
    double bytes = json_number_value(member(row, "bytes"));
    double seen = json_number_value(member(row, "device_bytes"));

    if (!has_device(row) || bytes <= 0)
        (void)pario_table_cell(table, "%s", "");
    else
        (void)pario_table_cell(table, "%.0f %%", 100 * seen / bytes);
}

static unsigned time_flags(const struct row *row)
{
    return pario_flags_of_measure(row->measure) &
           (PARIO_FLAG_SHORT | PARIO_FLAG_PAUSED | PARIO_FLAG_REPEATED);
}

static int has_time_flags(const struct row *row)
{
    return time_flags(row) != 0;
}

static void put_time_flags(struct pario_table *table, const struct row *row)
{
    char words[PARIO_FLAGS_LEN];

    (void)pario_table_cell(table, "%s",
                           pario_flags_print(time_flags(row), words));
}

const char *pario_verify_word(const json_t *measure)
{
    const json_t *verify = json_object_get(measure, "verify");
    const char *access = pario_text_of(measure, "access", NULL);

    if (pario_integer_of(verify, "errors") > 0)
        return "WRONG DATA";
    if (json_is_true(json_object_get(verify, "off")))
        return "off";
    if (pario_integer_of(verify, "checked_bytes") > 0)
        return "ok";
    if (pario_measure_is_sum(measure))
        return "in parts";
    return access != NULL && strstr(access, "write") != NULL ? "at read"
                                                             : "unverified";
}

static void put_verify(struct pario_table *table, const struct row *row)
{
    (void)pario_table_cell(table, "%s", pario_verify_word(row->measure));
}

static int has_status(const struct row *row)
{
    return strcmp(row->status, "VALID") != 0;
}

static void put_run(struct pario_table *table, const struct row *row)
{
    (void)pario_table_cell(table, "%s", row->status);
}

static int has_error(const struct row *row)
{
    return json_is_string(member(row, "error"));
}

static void put_error(struct pario_table *table, const struct row *row)
{
    const char *error = json_string_value(member(row, "error"));

    (void)pario_table_cell(table, "%s", error != NULL ? error : "");
}

static const struct column columns[] = {
    {"test", NULL, put_test},
    {"parameters", has_pattern, put_pattern},
    {"access", has_access, put_access},
    {"processes", NULL, put_partition},
    {"MB/s", has_bytes, put_mbps},
    {"MiB/s", has_bytes, put_mibps},
    {"op/s", has_operations, put_rate},
    {"p50 µs", has_latency, put_p50},
    {"p99 µs", has_latency, put_p99},
    {"max µs", has_latency, put_max},
    {"cache", NULL, put_cache},
    {"device", has_device, put_device},
    {"time", has_time_flags, put_time_flags},
    {"verify", NULL, put_verify},
    {"run", has_status, put_run},
    {"error", has_error, put_error},
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static int is_wanted(const struct column *column, const json_t *measures,
                     struct row row)
{
    size_t i;

    if (column->wanted == NULL)
        return 1;
    json_array_foreach(measures, i, row.measure)
    {
        if (column->wanted(&row))
            return 1;
    }
    return 0;
}

static int print_rows(FILE *out, const json_t *measures, struct row row,
                      enum pario_format format)
{
    const struct column *chosen[NCOLUMNS];
    const char *headers[NCOLUMNS];
    struct pario_table *table;
    size_t n = 0, i;
    int code;

    for (i = 0; i < NCOLUMNS; i++)
        if (is_wanted(&columns[i], measures, row)) {
            headers[n] = columns[i].header;
            chosen[n++] = &columns[i];
        }
    code = pario_table_create(n, headers, &table);
    if (code != 0)
        return code;
    json_array_foreach(measures, i, row.measure)
    {
        for (size_t c = 0; c < n; c++)
            chosen[c]->put(table, &row);
    }
    fputs("\n", out);
    code = pario_table_render(table, out, format);
    pario_table_destroy(table);
    return code;
}

int pario_measures_print(FILE *out, const json_t *document,
                         enum pario_format format)
{
    const json_t *measures = json_object_get(document, "measures");
    struct row row = {.status = pario_document_status(document),
                      .view = json_object_get(document, "view")};
    int code;

    if (json_array_size(measures) == 0) {
        if (json_array_size(json_object_get(document, "findings")) == 0)
            fputs("\nno measures\n", out);
        return 0;
    }
    row.shared = shared_parameters(measures);
    print_shared(out, &row, format);
    code = print_rows(out, measures, row, format);
    json_decref(row.shared);
    return code;
}

int pario_table_print(FILE *out, const json_t *document,
                      enum pario_format format)
{
    const struct pario_run_shown run = {.document = document, .label = ""};
    int code;

    if (format == PARIO_FORMAT_CSV)
        code = pario_data_csv(out, &run, 1);
    else
        code = pario_headline_print(out, document, format);
    if (code == 0 && format != PARIO_FORMAT_CSV)
        code = pario_measures_print(out, document, format);
    if (code == 0 && format != PARIO_FORMAT_CSV)
        code = pario_findings_print(out, document, format);
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = pario_fail_errno(-EIO, "cannot write the table");
    return code;
}
