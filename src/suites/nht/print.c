/* NHT-1's figures as the report defines them, for people. */
#include "suites/nht/nht.h"

#include "report/table.h"
#include "result/value.h"

#include <string.h>

/* A figure of the summary: a line where it is there. */
struct line {
    const char *label, *member;
    double scale;
    int digits;
    const char *unit, *words;
};

static const struct line app_lines[] = {
    {"T_T", "t_t_s", 1, 3, "s", "with I/O"},
    {"R_IO", "r_io_bytes_per_s", 1e-6, 3, "MB/s", "bytes written / T_T"},
    {"zeta", "io_overhead", 1, 4, "", "T_T / T_C - 1"},
    {"T_C", "t_c_s", 1, 3, "s", NULL},
    {"speed", "mops", 1, 0, "Mop/s", "I/O included"},
    {"speed", "compute_mops", 1, 0, "Mop/s", "without I/O"},
    {"BTIO", "btio_mbps", 1, 3, "MB/s",
     "bytes written / time in I/O alone: another measure than R_IO"},
    {.label = NULL},
};

static const struct line peak_lines[] = {
    {"R_PEAK", "r_peak_bytes_per_s", 1e-6, 3, "MB/s",
     "2 x bytes / (T_PREAD + T_PWRITE)"},
    {"T_PWRITE", "t_pwrite_s", 1, 3, "s", ""},
    {"T_PREAD", "t_pread_s", 1, 3, "s", ""},
    {.label = NULL},
};

static const struct line network_lines[] = {
    {"R_THROUGHPUT", "r_throughput_bytes_per_s", 1e-6, 3, "MB/s",
     "bytes / T_TRANSFER"},
    {"T_TRANSFER", "t_transfer_s", 1, 3, "s", NULL},
    {.label = NULL},
};

/* What the summary says of T_C, and of the way of a transfer. */
static const char *words_of(const struct line *line, const json_t *summary)
{
    if (line->words != NULL)
        return line->words;
    if (strcmp(line->member, "t_c_s") == 0)
        return json_is_true(json_object_get(summary, "t_c_given"))
                   ? "as given: not NHT-1's"
                   : "the same without I/O, the best time of this run";
    return json_is_true(json_object_get(summary, "over_loopback"))
               ? "over the loopback connection"
               : "not over a loopback connection";
}

/* Each with what speaks against it. */
static void print_lines(const json_t *document, const char *title,
                        const struct line *lines, FILE *out)
{
    const json_t *summary = json_object_get(document, "summary");
    const json_t *flags = json_object_get(document, "summary_flags");

    fprintf(out, "%s\n", title);
    for (const struct line *l = lines; l->label != NULL; l++) {
        char marks[PARIO_FLAGS_LEN];
        unsigned mark =
            pario_flags_from_json(json_object_get(flags, l->member));

        if (json_object_get(summary, l->member) == NULL)
            continue;
        fprintf(out, "  %-12s %12.*f %-5s  %s%s\n", l->label, l->digits,
                pario_number_of(summary, l->member) * l->scale, l->unit,
                words_of(l, summary), pario_flags_beside(mark, marks));
    }
}

int pario_nht_print(const struct pario_run *run, FILE *out)
{
    const json_t *document = pario_result_document(run->result);
    const json_t *summary = json_object_get(document, "summary");
    const char *client = pario_text_of(summary, "client", NULL);
    int code = pario_table_print(out, document, PARIO_FORMAT_TEXT);

    if (code != 0 || !pario_result_is_valid(run->result))
        return code;
    fputc('\n', out);
    if (json_object_get(summary, "t_c_s") != NULL)
        print_lines(document, "application I/O (NHT-1, 2.4)", app_lines, out);
    else if (json_object_get(summary, "r_peak_bytes_per_s") != NULL)
        print_lines(document, "peak disk I/O (NHT-1, 3.3)", peak_lines, out);
    else if (client != NULL)
        print_lines(document, "network I/O (NHT-1, 4.3)", network_lines, out);
    if (client != NULL)
        fprintf(out, "  sent by      %s\n", client);
    return ferror(out) ? -1 : 0;
}
