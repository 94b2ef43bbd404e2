/* suites/beffio/summary.c - the tables b_eff_io's users know, made from a
 * result document only. */
#include "core/output.h"
#include "core/units.h"
#include "report/table.h"
#include "suites/beffio/beffio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of the summary: chunk sizes in Table 1's order. Only scatter has
 * the row with two chunks a region. */
static const struct {
    int64_t l, L; /* L only where it tells two rows apart */
} chunks[] = {
    {BEFFIO_MPART, 0},  {1 << 20, 2 << 20}, {1 << 20, 0},
    {32 << 10, 0},      {1 << 10, 0},       {(32 << 10) + 8, 0},
    {(1 << 10) + 8, 0}, {(1 << 20) + 8, 0},
};

#define CHUNKS ((int)(sizeof(chunks) / sizeof(chunks[0])))

/* The figures of one experiment: a partition, or a set of hints. */
struct figures {
    int partition;
    const char *hints; /* NULL when hints are not compared */
    double mbps[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES][CHUNKS];
    char mark[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES][CHUNKS];
    int64_t l[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES][CHUNKS];
    struct beffio_bandwidths total;
    char total_mark[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES];
    double extra[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES];
};

static int64_t integer(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static const char *hints_of(const json_t *measure)
{
    return json_string_value(
        json_object_get(json_object_get(measure, "parameters"), "hints"));
}

static int chunk_row(const json_t *measure, const json_t *pattern)
{
    int64_t l = integer(pattern, "l_bytes"), L = integer(pattern, "L_bytes");

    if (json_is_true(json_object_get(measure, "m_part")))
        return 0;
    for (int i = 1; i < CHUNKS; i++)
        if (chunks[i].l == l &&
            (chunks[i].L == L || (chunks[i].L == 0 && L != 2 * l)))
            return i;
    return -1;
}

static int access_of(const json_t *measure)
{
    const char *text = json_string_value(json_object_get(measure, "access"));

    for (int i = 0; text != NULL && i < BEFFIO_ACCESSES; i++)
        if (strcmp(beffio_access_names[i], text) == 0)
            return i;
    return -1;
}

/* '!' failed or wrong data, 'c' from a cache, '~' mixed, ' ' disk. */
static char mark_of(const json_t *measure)
{
    const char *cache = json_string_value(json_object_get(measure, "cache"));

    if (json_is_string(json_object_get(measure, "error")))
        return '!';
    if (cache != NULL && strcmp(cache, "cache") == 0)
        return 'c';
    return cache != NULL && strcmp(cache, "mixed") == 0 ? '~' : ' ';
}

static void take_measure(struct figures *figures, const json_t *measure)
{
    const char *test = json_string_value(json_object_get(measure, "test"));
    const json_t *pattern = json_object_get(measure, "pattern");
    double mbps = json_number_value(json_object_get(measure, "bandwidth_mbps"));
    int access = access_of(measure);
    int type = -1, row;

    if (test == NULL || access < 0 || strncmp(test, "type", 4) != 0)
        return;
    type = test[4] - '0';
    if (type < 0 || type >= BEFFIO_ALL_TYPES)
        return;
    if (!json_is_object(pattern)) {
        if (type < BEFFIO_TYPES)
            figures->total.mbps[access][type] = mbps;
        figures->extra[access][type] = mbps;
        figures->total_mark[access][type] = mark_of(measure);
        return;
    }
    row = chunk_row(measure, pattern);
    if (row >= 0) {
        figures->mbps[access][type][row] = mbps;
        figures->mark[access][type][row] = mark_of(measure);
        figures->l[access][type][row] = integer(pattern, "l_bytes");
    }
}

/* Collects the experiments of a document; the caller frees *list_p. */
static int collect(const json_t *document, struct figures **list_p,
                   int *count_p)
{
    const json_t *measures = json_object_get(document, "measures");
    struct figures *list = NULL;
    const json_t *measure;
    int count = 0;
    size_t index;

    json_array_foreach(measures, index, measure)
    {
        int partition = (int)integer(measure, "partition");
        const char *hints = hints_of(measure);
        int i = 0;

        while (i < count && (list[i].partition != partition ||
                             strcmp(list[i].hints != NULL ? list[i].hints : "",
                                    hints != NULL ? hints : "") != 0))
            i++;
        if (i == count) {
            struct figures *grown =
                realloc(list, (size_t)(count + 1) * sizeof(*list));

            if (grown == NULL) {
                free(list);
                return pario_fail_errno(-ENOMEM, "summary");
            }
            list = grown;
            memset(&list[count], 0, sizeof(*list));
            list[count].partition = partition;
            list[count++].hints = hints;
        }
        take_measure(&list[i], measure);
    }
    *list_p = list;
    *count_p = count;
    return 0;
}

static void print_cell(FILE *out, double mbps, char mark)
{
    if (mbps > 0 || mark == '!')
        fprintf(out, " %9.*f%c", mbps < 10 ? 3 : 1, mbps,
                mark != 0 ? mark : ' ');
    else
        fprintf(out, " %9s ", "-");
}

static void print_header(FILE *out, const char *first)
{
    fprintf(out, "%-18s %-8s", first, "access");
    for (int type = 0; type < BEFFIO_TYPES; type++)
        fprintf(out, " %9s ", beffio_type_names[type]);
    fputc('\n', out);
}

static void print_chunks(FILE *out, const struct figures *figures)
{
    char name[48], chunk[24];

    print_header(out, "chunk");
    for (int row = 0; row < CHUNKS; row++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++) {
            int any = 0;

            for (int type = 0; type < BEFFIO_TYPES; type++)
                any |= figures->mark[access][type][row] != 0;
            if (!any)
                continue;
            snprintf(name, sizeof(name), "%s%s",
                     beffio_chunk_name(chunks[row].l, chunk, sizeof(chunk)),
                     chunks[row].L != 0 ? " (2 in L)" : "");
            fprintf(out, "%-18s %-8s", name, beffio_access_names[access]);
            for (int type = 0; type < BEFFIO_TYPES; type++)
                print_cell(out, figures->mbps[access][type][row],
                           figures->mark[access][type][row]);
            fputc('\n', out);
        }
}

/* Table 2 of the paper for one experiment. */
static void print_totals(FILE *out, const struct figures *figures)
{
    const struct beffio_bandwidths *b = &figures->total;

    print_header(out, "open to close");
    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        double average = beffio_access_average(b, (enum beffio_access)access);

        fprintf(out, "%-18s %-8s", figures->hints != NULL ? figures->hints : "",
                beffio_access_names[access]);
        for (int type = 0; type < BEFFIO_TYPES; type++)
            print_cell(out, b->mbps[access][type],
                       figures->total_mark[access][type]);
        if (average > 0)
            fprintf(out, "  weighted average %.1f", average);
        fputc('\n', out);
    }
    /* The bottom row of Table 2: ((write + rewrite) / 2 + read) / 2. */
    if (beffio_value_1(b) > 0) {
        fprintf(out, "%-18s %-8s", figures->hints != NULL ? figures->hints : "",
                "average");
        for (int type = 0; type < BEFFIO_TYPES; type++)
            print_cell(out, beffio_type_average(b, (enum beffio_type)type),
                       ' ');
        fprintf(out, "  release 1.x      %.1f\n", beffio_value_1(b));
    }
    for (int type = BEFFIO_TYPES; type < BEFFIO_ALL_TYPES; type++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            if (figures->extra[access][type] > 0)
                fprintf(out, "beside the value: %-8s type %d %s: %.1f MB/s\n",
                        beffio_access_names[access], type,
                        beffio_type_names[type], figures->extra[access][type]);
}

static int is_cached(const struct figures *figures)
{
    for (int access = 0; access < BEFFIO_ACCESSES; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++)
            if (figures->total_mark[access][type] == 'c' ||
                figures->total_mark[access][type] == '~')
                return 1;
    return 0;
}

static void print_value(FILE *out, const struct figures *figures, int release,
                        const char *status)
{
    const struct beffio_bandwidths *b = &figures->total;

    if (release == 2)
        fprintf(out, "writing average %.1f, reading average %.1f\n",
                beffio_writing_average(b),
                beffio_access_average(b, BEFFIO_READ));
    fprintf(out, "b_eff_io (release %s, np %d%s%s) = %.1f MB/s%s%s\n",
            release == 2 ? "2.0" : "1.x", figures->partition,
            figures->hints != NULL ? ", " : "",
            figures->hints != NULL ? figures->hints : "",
            beffio_value(b, release), status,
            is_cached(figures) ? ", partly from cache" : "");
}

/* Sect. 2.1: any usage of non-default parameters must be reported. */
static void print_parameters(FILE *out, const json_t *options)
{
    char standard[256];

    fputs("parameters that are not defaults:", out);
    for (int i = 0; beffio_option_table[i].name != NULL; i++) {
        const char *value = json_string_value(
            json_object_get(options, beffio_option_table[i].name));

        pario_option_print(&beffio_option_table[i], &beffio_defaults, standard,
                           sizeof(standard));
        if (value != NULL && strcmp(value, standard) != 0)
            fprintf(out, " %s=%s", beffio_option_table[i].name, value);
    }
    fputc('\n', out);
}

static void print_device(FILE *out, const json_t *summary)
{
    char name[64], text[PARIO_UNITS_LEN];

    fputs("block devices saw:", out);
    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        const json_t *bytes;

        snprintf(name, sizeof(name), "%s_device_bytes",
                 beffio_access_names[access]);
        bytes = json_object_get(summary, name);
        fprintf(out, " %s %s", beffio_access_names[access],
                json_is_integer(bytes)
                    ? pario_size_print_short(json_integer_value(bytes), text)
                    : "unknown");
    }
    fputs(" (their counters, from open to close)\n", out);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "?";
}

/* What must be reported with a value (Sect. 2.1 and 3). */
static void print_usage(FILE *out, const json_t *document)
{
    const json_t *system = json_object_get(document, "system");
    const json_t *summary = json_object_get(document, "summary");
    const json_t *options = json_object_get(document, "options");
    const json_t *hints = json_object_get(document, "hints_requested");
    const char *key;
    json_t *set;

    fprintf(out, "nodes %lld x %lld processes, %s, file system %s, T = %g s\n",
            (long long)integer(system, "nodes"),
            (long long)integer(system, "processes_per_node"),
            text_of(system, "mpi"), text_of(system, "filesystem"),
            json_number_value(json_object_get(summary, "scheduled_time_s")));
    json_object_foreach((json_t *)(uintptr_t)hints, key, set)
    {
        char *text = json_dumps(set, JSON_COMPACT | JSON_SORT_KEYS);

        if (json_object_size(set) > 0 && text != NULL)
            fprintf(out, "hints of %s: %s\n", key, text);
        free(text);
    }
    print_parameters(out, options);
    print_device(out, summary);
    fprintf(out, "deciding when to stop took %.2f %% of the time\n",
            100 * json_number_value(
                      json_object_get(summary, "stop_decision_share")));
}

static void print_warnings(FILE *out, const json_t *document)
{
    const json_t *warnings = json_object_get(document, "warnings");
    const json_t *warning;
    size_t index;

    json_array_foreach(warnings, index, warning)
        fprintf(out, "warning: %s\n", json_string_value(warning));
}

int beffio_summary_print(FILE *out, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int release = integer(summary, "release") == 1 ? 1 : 2;
    int valid = json_is_true(json_object_get(document, "valid"));
    const char *status =
        json_integer_value(json_object_get(summary, "failed_patterns")) > 0
            ? "  INVALID"
        : json_is_true(json_object_get(summary, "official")) ? "  official"
                                                             : "  preliminary";
    struct figures *list = NULL;
    int count = 0;
    int code = collect(document, &list, &count);

    if (code != 0)
        return code;
    if (json_is_string(json_object_get(document, "finished_utc")) && !valid)
        status = "  INVALID";
    print_usage(out, document);
    for (int i = 0; i < count; i++) {
        fprintf(out,
                "\nMB/s (10^6 bytes/s), partition of %d processes%s%s "
                "(c: from cache, ~: partly, !: failed)\n",
                list[i].partition, list[i].hints != NULL ? ", hints " : "",
                list[i].hints != NULL ? list[i].hints : "");
        print_chunks(out, &list[i]);
        fputc('\n', out);
        print_totals(out, &list[i]);
    }
    fputc('\n', out);
    print_warnings(out, document);
    for (int i = 0; i < count; i++)
        print_value(out, &list[i], release, status);
    if (count > 1 && list[0].hints == NULL)
        fprintf(out, "b_eff_io of the system = %.1f MB/s%s\n",
                json_number_value(json_object_get(summary, "b_eff_io_mbps")),
                status);
    free(list);
    return 0;
}

static const char *flag_word(char mark)
{
    return mark == '!'   ? "failed"
           : mark == 'c' ? "cache"
           : mark == '~' ? "mixed"
                         : "";
}

static void export_csv(FILE *out, const struct figures *list, int count)
{
    fputs("partition,hints,access,type,l_bytes,chunks_in_L,mbps,flag\n", out);
    for (int i = 0; i < count; i++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            for (int type = 0; type < BEFFIO_ALL_TYPES; type++)
                for (int row = 0; row < CHUNKS; row++)
                    if (list[i].mark[access][type][row] != 0)
                        fprintf(out, "%d,%s,%s,%d,%lld,%d,%.6f,%s\n",
                                list[i].partition,
                                list[i].hints != NULL ? list[i].hints : "",
                                beffio_access_names[access], type,
                                (long long)list[i].l[access][type][row],
                                chunks[row].L != 0 ? 2 : 1,
                                list[i].mbps[access][type][row],
                                flag_word(list[i].mark[access][type][row]));
}

/* SKaMPI's comparison pages take blocks of `argument value` lines between
 * begin and end result lines. */
static void export_skampi(FILE *out, const struct figures *list, int count)
{
    for (int i = 0; i < count; i++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            for (int type = 0; type < BEFFIO_ALL_TYPES; type++) {
                if (list[i].extra[access][type] <= 0)
                    continue;
                fprintf(out, "/*@b_eff_io_%s_%s-np%d.ski*/\n",
                        beffio_access_names[access], beffio_type_names[type],
                        list[i].partition);
                fprintf(out, "begin result \"b_eff_io %s %s\"\n",
                        beffio_access_names[access], beffio_type_names[type]);
                for (int row = 0; row < CHUNKS; row++)
                    if (list[i].mark[access][type][row] != 0 &&
                        chunks[row].L == 0)
                        fprintf(out, "l= %lld %.6f\n",
                                (long long)list[i].l[access][type][row],
                                list[i].mbps[access][type][row]);
                fprintf(out, "end result\n");
            }
}

struct export
{
    struct figures *list;
    int count, skampi;
};

static int write_export(void *context, FILE *out, const char *path)
{
    const struct export *export = context;

    (void)path;
    if (export->skampi)
        export_skampi(out, export->list, export->count);
    else
        export_csv(out, export->list, export->count);
    return 0;
}

int beffio_export(const char *what, const json_t *document)
{
    const char *colon = strchr(what, ':');
    struct export export = {.skampi = strncmp(what, "skampi:", 7) == 0};
    int code;

    if (colon == NULL)
        return PARIO_EUSAGE; /* was checked before the run */
    code = collect(document, &export.list, &export.count);
    if (code != 0)
        return code;
    code = pario_output_write(colon + 1, 1, write_export, &export);
    free(export.list);
    return code;
}
