/* suites/beffio/summary.c - the tables b_eff_io's users know, made from a
 * result document only. */
#include "core/units.h"
#include "report/table.h"
#include "result/value.h"
#include "suites/beffio/beffio.h"
#include "suites/beffio/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_WIDTH 3

static void print_cell(FILE *out, const struct beffio_cell *cell)
{
    char mark[BEFFIO_MARK_LEN];

    if (cell->measured)
        fprintf(out, " %8.*f%-*s", cell->mbps < 10 ? 3 : 1, cell->mbps,
                MARK_WIDTH, beffio_mark(cell->flags, mark));
    else
        fprintf(out, " %8s%*s", "-", MARK_WIDTH, "");
}

static void print_header(FILE *out, const char *first)
{
    fprintf(out, "%-18s %-8s", first, "access");
    for (int type = 0; type < BEFFIO_TYPES; type++)
        fprintf(out, " %9s%*s", beffio_types[type].name, MARK_WIDTH - 1, "");
    fputc('\n', out);
}

static int has_row(const struct beffio_figures *figures, int access, int row)
{
    int any = 0;

    for (int type = 0; type < BEFFIO_TYPES; type++)
        any |= figures->cell[access][type][row].measured;
    return any;
}

static void print_chunks(FILE *out, const struct beffio_figures *figures)
{
    char name[48], chunk[24];

    print_header(out, "chunk");
    for (int row = 0; row < BEFFIO_CHUNKS; row++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++) {
            if (!has_row(figures, access, row))
                continue;
            snprintf(
                name, sizeof(name), "%s%s",
                beffio_chunk_name(beffio_chunks[row].l, chunk, sizeof(chunk)),
                beffio_chunks[row].L != 0 ? " (2 in L)" : "");
            fprintf(out, "%-18s %-8s", name, beffio_access_names[access]);
            for (int type = 0; type < BEFFIO_TYPES; type++)
                print_cell(out, &figures->cell[access][type][row]);
            fputc('\n', out);
        }
}

/* What speaks against a mean of these accesses: of what the release counts. */
static unsigned flags_of(const struct beffio_figures *figures, int first,
                         int last, int release)
{
    struct pario_flag_sum sum = {0};

    for (int access = first; access <= last; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++)
            if (figures->total[access][type].mbps > 0 &&
                beffio_counts((enum beffio_access)access,
                              (enum beffio_type)type, release))
                pario_flag_sum_add(&sum, figures->total[access][type].flags);
    return pario_flag_sum_get(&sum);
}

/* The bottom row of Table 2: ((write + rewrite) / 2 + read) / 2. */
static void print_type_averages(FILE *out, const struct beffio_figures *figures)
{
    const struct beffio_bandwidths *b = &figures->bandwidths;
    char flags[PARIO_FLAGS_LEN];

    if (beffio_value_1(b) <= 0)
        return;
    fprintf(out, "%-18s %-8s", figures->hints != NULL ? figures->hints : "",
            "average");
    for (int type = 0; type < BEFFIO_TYPES; type++) {
        struct pario_flag_sum sum = {0};
        struct beffio_cell cell = {
            .measured = 1,
            .mbps = beffio_type_average(b, (enum beffio_type)type)};

        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            pario_flag_sum_add(&sum, figures->total[access][type].flags);
        cell.flags = pario_flag_sum_get(&sum);
        print_cell(out, &cell);
    }
    fprintf(out, " release 1.x      %.1f%s\n", beffio_value_1(b),
            pario_flags_beside(flags_of(figures, 0, BEFFIO_ACCESSES - 1, 1),
                               flags));
}

/* Table 2 of the paper for one experiment. */
static void print_totals(FILE *out, const struct beffio_figures *figures)
{
    char flags[PARIO_FLAGS_LEN];

    print_header(out, "open to close");
    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        double average = beffio_access_average(&figures->bandwidths,
                                               (enum beffio_access)access);

        fprintf(out, "%-18s %-8s", figures->hints != NULL ? figures->hints : "",
                beffio_access_names[access]);
        for (int type = 0; type < BEFFIO_TYPES; type++)
            print_cell(out, &figures->total[access][type]);
        if (average > 0)
            fprintf(out, " weighted average %.1f%s", average,
                    pario_flags_beside(flags_of(figures, access, access, 1),
                                       flags));
        fputc('\n', out);
    }
    print_type_averages(out, figures);
    for (int type = BEFFIO_TYPES; type < BEFFIO_ALL_TYPES; type++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            if (figures->total[access][type].mbps > 0)
                fprintf(out, "beside the value: %-8s type %d %s: %.1f MB/s%s\n",
                        beffio_access_names[access], type,
                        beffio_types[type].name,
                        figures->total[access][type].mbps,
                        pario_flags_beside(figures->total[access][type].flags,
                                           flags));
}

static void print_value(FILE *out, const struct beffio_figures *figures,
                        int release, const char *status)
{
    const struct beffio_bandwidths *b = &figures->bandwidths;
    char flags[PARIO_FLAGS_LEN], reading[PARIO_FLAGS_LEN];

    if (release == 2)
        fprintf(out, "writing average %.1f%s, reading average %.1f%s\n",
                beffio_writing_average(b),
                pario_flags_beside(
                    flags_of(figures, BEFFIO_WRITE, BEFFIO_REWRITE, 2), flags),
                beffio_access_average(b, BEFFIO_READ),
                pario_flags_beside(
                    flags_of(figures, BEFFIO_READ, BEFFIO_READ, 2), reading));
    fprintf(out, "b_eff_io (release %s, np %d%s%s",
            release == 2 ? "2.0" : "1.x", figures->partition,
            figures->hints != NULL ? ", " : "",
            figures->hints != NULL ? figures->hints : "");
    if (figures->repetition > 0)
        fprintf(out, ", repetition %d", figures->repetition);
    fprintf(out, ") = %.1f MB/s%s%s\n", beffio_value(b, release), status,
            pario_flags_beside(
                flags_of(figures, 0, BEFFIO_ACCESSES - 1, release), flags));
}

/* Sect. 2.1: any usage of non-default parameters must be reported. */
static void print_parameters(FILE *out, const json_t *options)
{
    char standard[256];

    fputs("parameters that are not defaults:", out);
    for (int i = 0; beffio_option_table[i].name != NULL; i++) {
        const char *value =
            pario_text_of(options, beffio_option_table[i].name, NULL);

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
            (long long)pario_integer_of(system, "nodes"),
            (long long)pario_integer_of(system, "processes_per_node"),
            pario_text_of(system, "mpi", "?"),
            pario_text_of(system, "filesystem", "?"),
            pario_number_of(summary, "scheduled_time_s"));
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
            100 * pario_number_of(summary, "stop_decision_share"));
}

static void print_warnings(FILE *out, const json_t *document)
{
    const json_t *warnings = json_object_get(document, "warnings");
    const json_t *warning;
    size_t index;

    json_array_foreach(warnings, index, warning)
        fprintf(out, "warning: %s\n", json_string_value(warning));
}

static const char *status_of(const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int finished = json_is_string(json_object_get(document, "finished_utc"));

    if (pario_integer_of(summary, "failed_patterns") > 0 ||
        (finished && !json_is_true(json_object_get(document, "valid"))))
        return "  INVALID";
    return json_is_true(json_object_get(summary, "official")) ? "  official"
                                                              : "  preliminary";
}

static void print_experiment(FILE *out, const struct beffio_figures *figures)
{
    fprintf(out, "\nMB/s (10^6 bytes/s), partition of %d processes%s%s",
            figures->partition, figures->hints != NULL ? ", hints " : "",
            figures->hints != NULL ? figures->hints : "");
    if (figures->repetition > 0)
        fprintf(out, ", repetition %d", figures->repetition);
    fputs("\n(c: from cache, ~: partly, ?: not known, s: took less than 0.1 s, "
          "p: paused,\n u: not verified, !: failed)\n",
          out);
    print_chunks(out, figures);
    fputc('\n', out);
    print_totals(out, figures);
}

/* Sect. 5: the maximum is over repetitions of the whole benchmark. */
static void print_repetitions(FILE *out, const json_t *summary)
{
    static const char ending[] = "_median_mbps";
    const char *key;
    json_t *median;

    json_object_foreach((json_t *)(uintptr_t)summary, key, median)
    {
        size_t len = strlen(key), end = sizeof(ending) - 1;
        char name[640];
        double low, high;

        if (len <= end || len >= 600 || strcmp(key + len - end, ending) != 0)
            continue;
        snprintf(name, sizeof(name), "%.*s_low_mbps", (int)(len - end), key);
        low = pario_number_of(summary, name);
        snprintf(name, sizeof(name), "%.*s_high_mbps", (int)(len - end), key);
        high = pario_number_of(summary, name);
        snprintf(name, sizeof(name), "%.*s_mbps", (int)(len - end), key);
        fprintf(out,
                "%.*s: maximum %.1f, median %.1f (%.1f .. %.1f) MB/s of %lld "
                "repetitions\n",
                (int)(len - end), key, pario_number_of(summary, name),
                json_number_value(median), low, high,
                (long long)pario_integer_of(summary, "repetitions"));
    }
}

int beffio_summary_print(FILE *out, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int release = pario_integer_of(summary, "release") == 1 ? 1 : 2;
    const char *status = status_of(document);
    struct beffio_figures *list = NULL;
    int count = 0;
    int code = beffio_figures_collect(document, &list, &count);

    if (code != 0)
        return code;
    print_usage(out, document);
    for (int i = 0; i < count; i++)
        print_experiment(out, &list[i]);
    fputc('\n', out);
    print_warnings(out, document);
    for (int i = 0; i < count; i++)
        print_value(out, &list[i], release, status);
    print_repetitions(out, summary);
    if (count > 1 && list[0].hints == NULL)
        fprintf(out, "b_eff_io of the system = %.1f MB/s%s\n",
                pario_number_of(summary, "b_eff_io_mbps"), status);
    free(list);
    return 0;
}
