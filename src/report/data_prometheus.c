/* report/data_prometheus.c - headline figures as a Prometheus textfile. */
#include "core/text.h"
#include "report/data.h"
#include "report/table_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* A family for each unit; the longest ending of a figure's name first, the
 * last for what has none. */
static const struct family {
    const char *ending, *name, *help;
    double scale; /* to base units */
} families[] = {
    {"_bytes_per_s", "pario_bandwidth_bytes_per_second",
     "Bandwidth of a headline figure.", 1},
    {"_mbps", "pario_bandwidth_bytes_per_second",
     "Bandwidth of a headline figure.", 1e6},
    {"_gibps", "pario_bandwidth_bytes_per_second",
     "Bandwidth of a headline figure.", 0x1p30},
    {"_kiops", "pario_operations_per_second",
     "Operations per second of a headline figure.", 1e3},
    {"_iops", "pario_operations_per_second",
     "Operations per second of a headline figure.", 1},
    {"_per_s", "pario_operations_per_second",
     "Operations per second of a headline figure.", 1},
    {"_ns", "pario_duration_seconds", "Time of a headline figure.", 1e-9},
    {"_s", "pario_duration_seconds", "Time of a headline figure.", 1},
    {"_bytes", "pario_data_bytes", "Size of a headline figure.", 1},
    {"", "pario_value", "A headline figure that has no unit, or a ratio.", 1},
};

#define NFAMILIES (sizeof(families) / sizeof(families[0]))

struct export
{
    FILE *out;
    const struct pario_run_shown *runs;
    size_t count;
};

/* The family of a figure, and the length of its name without the unit. */
static size_t family_of(const char *figure, size_t *len_p)
{
    size_t len = strlen(figure), i;

    for (i = 0; i < NFAMILIES - 1; i++) {
        size_t end = strlen(families[i].ending);

        if (len > end && strcmp(figure + len - end, families[i].ending) == 0)
            break;
    }
    *len_p = len - strlen(families[i].ending);
    return i;
}

/* A label's value: its three escapes, and no other control character. */
static void put_label(FILE *out, const char *name, const char *text, size_t len,
                      int first)
{
    fprintf(out, "%s%s=\"", first ? "" : ",", name);
    for (size_t i = 0; i < len && text[i] != '\0';) {
        int length, shown = pario_text_shown(text + i, &length);

        if (text[i] == '\\' || text[i] == '"')
            putc('\\', out);
        if (shown > 0)
            fwrite(text + i, 1, (size_t)shown, out);
        else
            putc(' ', out);
        i += (size_t)length;
    }
    putc('"', out);
}

static void put_member(FILE *out, const char *name, const json_t *value)
{
    char number[32];

    if (json_is_string(value))
        put_label(out, name, json_string_value(value),
                  json_string_length(value), 0);
    else if (json_is_integer(value)) {
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        put_label(out, name, number, strlen(number), 0);
    }
}

/* What a run is and where it ran; of several files also which. */
static void put_labels(const struct export *export,
                       const struct pario_run_shown *run)
{
    static const char *const facts[] = {"host", "filesystem", "mpi",
                                        "processes"};
    const json_t *system = json_object_get(run->document, "system");
    const char *suite =
        json_string_value(json_object_get(run->document, "suite"));

    put_label(export->out, "suite", suite, strlen(suite), 1);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        put_member(export->out, facts[i], json_object_get(system, facts[i]));
    put_member(export->out, "target",
               json_object_get(json_object_get(system, "filesystem_details"),
                               "target"));
    if (export->count > 1)
        put_label(export->out, "result", run->label, strlen(run->label), 0);
}

static void put_figure(const struct export *export,
                       const struct pario_run_shown *run, const char *figure,
                       const json_t *value)
{
    char words[PARIO_FLAGS_LEN];
    size_t len, family = family_of(figure, &len);

    fprintf(export->out, "%s{", families[family].name);
    put_labels(export, run);
    put_label(export->out, "figure", figure, len, 0);
    (void)pario_flags_print(pario_summary_flags(run->document, figure), words);
    put_label(export->out, "flags", words, strlen(words), 0);
    fprintf(export->out, "} %.15g\n",
            json_number_value(value) * families[family].scale);
}

static int is_of(const char *figure, const char *family)
{
    size_t len;

    return strcmp(families[family_of(figure, &len)].name, family) == 0;
}

static void put_head(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* All lines of a family stand together. */
static void put_family(const struct export *export, const struct family *family)
{
    const json_t *value;
    const char *figure;
    int begun = 0;

    for (size_t i = 0; i < export->count; i++)
        json_object_foreach(
            json_object_get(export->runs[i].document, "summary"), figure, value)
        {
            if (!json_is_number(value) || !is_of(figure, family->name))
                continue;
            if (!begun)
                put_head(export->out, family->name, family->help);
            begun = 1;
            put_figure(export, &export->runs[i], figure, value);
        }
}

static double time_of(const json_t *document)
{
    const char *text =
        json_string_value(json_object_get(document, "finished_utc"));
    struct tm tm = {0};

    if (text == NULL)
        text = json_string_value(json_object_get(document, "started_utc"));
    if (text == NULL || strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) == NULL)
        return 0;
    return (double)timegm(&tm);
}

static int is_valid(const json_t *document)
{
    return json_is_true(json_object_get(document, "valid"));
}

static void put_runs(const struct export *export, const char *name,
                     const char *help, int times)
{
    put_head(export->out, name, help);
    for (size_t i = 0; i < export->count; i++) {
        const json_t *document = export->runs[i].document;

        fprintf(export->out, "%s{", name);
        put_labels(export, &export->runs[i]);
        fprintf(export->out, "} %.15g\n",
                times ? time_of(document) : is_valid(document));
    }
}

int pario_data_prometheus(FILE *out, const struct pario_run_shown *runs,
                          size_t count)
{
    const struct export export = {out, runs, count};

    put_runs(&export, "pario_run_valid",
             "Whether the figures of the run may be used (1) or not (0).", 0);
    put_runs(&export, "pario_run_timestamp_seconds",
             "When the run ended, in seconds since 1970.", 1);
    for (size_t i = 0; i < NFAMILIES; i++)
        if (i == 0 || strcmp(families[i].name, families[i - 1].name) != 0)
            put_family(&export, &families[i]);
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write the figures") : 0;
}
