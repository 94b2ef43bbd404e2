/* report/data_csv.c - measures as tidy CSV. */
#include "core/units.h"
#include "report/data.h"
#include "report/table_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define MB 1e6
#define MAX_PARAMETERS 200 /* with a column of their own */

/* A row as it is printed. */
struct row {
    const struct pario_run_shown *run;
    const char *status; /* of the run */
    const json_t *measure;
};

/* Where a fixed column has its value from. */
enum source { DOCUMENT, SYSTEM, FILESYSTEM, MEASURE, LATENCY, VERIFY, MADE };

static const struct column {
    const char *name;
    enum source source;
    const char *member;
} columns[] = {
    {"suite", DOCUMENT, "suite"},
    {"started_utc", DOCUMENT, "started_utc"},
    {"test", MEASURE, "test"},
    {"pattern", MEASURE, "pattern"},
    {"parameters", MEASURE, "parameters"},
    {"access", MEASURE, "access"},
    {"partition", MEASURE, "partition"},
    {"bytes", MEASURE, "bytes"},
    {"seconds", MEASURE, "seconds"},
    {"operations", MEASURE, "operations"},
    {"bandwidth_mbps", MEASURE, "bandwidth_mbps"},
    {"bandwidth_mibps", MADE, NULL},
    {"operations_per_s", MADE, NULL},
    {"latency_p50_ns", LATENCY, "p50"},
    {"latency_p90_ns", LATENCY, "p90"},
    {"latency_p99_ns", LATENCY, "p99"},
    {"latency_p999_ns", LATENCY, "p999"},
    {"latency_max_ns", LATENCY, "max"},
    {"first_done_s", MEASURE, "first_done_s"},
    {"last_done_s", MEASURE, "last_done_s"},
    {"checked_bytes", VERIFY, "checked_bytes"},
    {"verify_errors", VERIFY, "errors"},
    {"verify", MADE, NULL},
    {"cache", MEASURE, "cache"},
    {"run", MADE, NULL},
    {"flags", MADE, NULL},
    {"error", MEASURE, "error"},
    {"device_bytes", MEASURE, "device_bytes"},
    {"pause_s", MEASURE, "pause_s"},
    {"unseen_s", MEASURE, "unseen_s"},
    {"result", MADE, NULL},
    {"host", SYSTEM, "host"},
    {"nodes", SYSTEM, "nodes"},
    {"processes", SYSTEM, "processes"},
    {"mpi", SYSTEM, "mpi"},
    {"filesystem", SYSTEM, "filesystem"},
    {"mount", FILESYSTEM, "mount"},
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static const json_t *object_of(const struct row *row, enum source source)
{
    const json_t *system = json_object_get(row->run->document, "system");

    switch (source) {
    case DOCUMENT:
        return row->run->document;
    case SYSTEM:
        return system;
    case FILESYSTEM:
        return json_object_get(system, "filesystem_details");
    case LATENCY:
        return json_object_get(row->measure, "latency_ns");
    case VERIFY:
        return json_object_get(row->measure, "verify");
    default:
        return row->measure;
    }
}

/* Numbers exactly, text as it is, all else as words. */
static void put_value(FILE *out, const json_t *value)
{
    char *text;

    if (value == NULL || json_is_null(value))
        return;
    if (json_is_real(value)) {
        fprintf(out, "%.15g", json_real_value(value));
    } else if (json_is_string(value)) {
        pario_cell_put(out, json_string_value(value), PARIO_FORMAT_CSV);
    } else {
        text = pario_value_short(value);
        pario_cell_put(out, text != NULL ? text : "?", PARIO_FORMAT_CSV);
        free(text);
    }
}

/* All that speaks against the row's numbers, in words separated by blanks. */
static void put_flags(FILE *out, const struct row *row)
{
    const char *cache =
        json_string_value(json_object_get(row->measure, "cache"));
    const char *verify = pario_verify_word(row->measure);
    unsigned flags = pario_flags_of_measure(row->measure);
    const char *const words[] = {
        strcmp(cache, "disk") == 0      ? NULL
        : strcmp(cache, "unknown") == 0 ? "cache-unknown"
        : strcmp(cache, "mixed") == 0   ? "cache-mixed"
                                        : "cache",
        strcmp(verify, "WRONG DATA") == 0 ? "wrong-data"
        : strcmp(verify, "unverified") == 0 || strcmp(verify, "off") == 0
            ? "unverified"
            : NULL,
        flags & PARIO_FLAG_SHORT ? "short" : NULL,
        flags & PARIO_FLAG_PAUSED ? "paused" : NULL,
        flags & PARIO_FLAG_REPEATED ? "repeated-data" : NULL,
        json_is_string(json_object_get(row->measure, "error")) ? "error" : NULL,
        strcmp(row->status, "PRELIMINARY") == 0 ? "preliminary" : NULL,
        strcmp(row->status, "INVALID") == 0 ||
                strcmp(row->status, "UNFINISHED") == 0
            ? "run-invalid"
            : NULL};
    const char *gap = "";

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i] != NULL) {
            fprintf(out, "%s%s", gap, words[i]);
            gap = " ";
        }
}

static void put_made(FILE *out, const char *name, const struct row *row)
{
    const json_t *mbps = json_object_get(row->measure, "bandwidth_mbps");
    double rate = pario_operation_rate(row->measure);

    if (strcmp(name, "verify") == 0)
        fputs(pario_verify_word(row->measure), out);
    else if (strcmp(name, "run") == 0)
        fputs(row->status, out);
    else if (strcmp(name, "flags") == 0)
        put_flags(out, row);
    else if (strcmp(name, "result") == 0)
        pario_cell_put(out, row->run->label, PARIO_FORMAT_CSV);
    else if (strcmp(name, "operations_per_s") == 0 && rate >= 0)
        fprintf(out, "%.15g", rate);
    else if (strcmp(name, "bandwidth_mibps") == 0 && json_is_number(mbps))
        fprintf(out, "%.15g", json_number_value(mbps) * (MB / MIB));
}

static int is_fixed(const char *name)
{
    for (size_t i = 0; i < NCOLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return 1;
    return 0;
}

static json_t *parameter_of(const json_t *measure, const char *name)
{
    json_t *value =
        json_object_get(json_object_get(measure, "parameters"), name);

    return value != NULL
               ? value
               : json_object_get(json_object_get(measure, "pattern"), name);
}

/* The names of an object's members, up to the most that have a column. */
static int add_names(json_t *names, json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value)
    {
        if (json_object_get(names, name) == NULL &&
            json_object_size(names) < MAX_PARAMETERS &&
            json_object_set_new(names, name, json_true()) != 0)
            return -1;
    }
    return 0;
}

/* All parameters that any measure of any run has, as members; NULL: no
 * memory. */
static json_t *all_parameters(const struct pario_run_shown *runs, size_t count)
{
    json_t *names = json_object();
    const json_t *measure;
    size_t k;
    int bad = names == NULL;

    for (size_t i = 0; i < count; i++)
        json_array_foreach(json_object_get(runs[i].document, "measures"), k,
                           measure)
        {
            bad |=
                add_names(names, json_object_get(measure, "pattern")) != 0 ||
                add_names(names, json_object_get(measure, "parameters")) != 0;
        }
    if (!bad)
        return names;
    json_decref(names);
    return NULL;
}

static void put_header(FILE *out, json_t *names)
{
    const char *name;
    json_t *value;
    char *column;

    for (size_t i = 0; i < NCOLUMNS; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns[i].name);
    json_object_foreach(names, name, value)
    {
        putc(',', out);
        column = NULL;
        if (is_fixed(name) && asprintf(&column, "parameter_%s", name) < 0)
            column = NULL;
        pario_cell_put(out, column != NULL ? column : name, PARIO_FORMAT_CSV);
        free(column);
    }
    putc('\n', out);
}

static void put_row(FILE *out, const struct row *row, json_t *names)
{
    const char *name;
    json_t *value;

    for (size_t i = 0; i < NCOLUMNS; i++) {
        if (i > 0)
            putc(',', out);
        if (columns[i].source == MADE)
            put_made(out, columns[i].name, row);
        else
            put_value(out, json_object_get(object_of(row, columns[i].source),
                                           columns[i].member));
    }
    json_object_foreach(names, name, value)
    {
        putc(',', out);
        put_value(out, parameter_of(row->measure, name));
    }
    putc('\n', out);
}

int pario_data_csv(FILE *out, const struct pario_run_shown *runs, size_t count)
{
    json_t *names = all_parameters(runs, count);
    struct row row;
    size_t k;

    if (names == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    put_header(out, names);
    for (size_t i = 0; i < count; i++) {
        row.run = &runs[i];
        row.status = pario_document_status(runs[i].document);
        json_array_foreach(json_object_get(runs[i].document, "measures"), k,
                           row.measure)
        {
            put_row(out, &row, names);
        }
    }
    json_decref(names);
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write the table") : 0;
}
