/* NHT-1's figures as the report defines them, for people. */
#include "suites/nht/nht.h"

#include "report/table.h"
#include "result/value.h"

#include <string.h>

static int has(const json_t *summary, const char *name)
{
    return json_object_get(summary, name) != NULL;
}

static void print_app(const json_t *summary, FILE *out)
{
    fprintf(out, "application I/O (NHT-1, 2.4)\n");
    if (has(summary, "t_t_s"))
        fprintf(out,
                "  T_T    %12.3f s\n"
                "  R_IO   %12.3f MB/s   bytes written / T_T\n"
                "  zeta   %12.4f        T_T / T_C - 1\n",
                pario_number_of(summary, "t_t_s"),
                pario_number_of(summary, "r_io_bytes_per_s") * 1e-6,
                pario_number_of(summary, "io_overhead"));
    fprintf(out, "  T_C    %12.3f s      %s\n",
            pario_number_of(summary, "t_c_s"),
            json_is_true(json_object_get(summary, "t_c_given"))
                ? "as given: not NHT-1's"
                : "the same without I/O, the best time of this run");
    fprintf(out, "  speed  %12.0f Mop/s  %s\n",
            pario_number_of(summary,
                            has(summary, "mops") ? "mops" : "compute_mops"),
            has(summary, "mops") ? "I/O included" : "without I/O");
    if (has(summary, "btio_mbps"))
        fprintf(out,
                "  BTIO   %12.3f MB/s   bytes written / time in I/O alone: "
                "another measure than R_IO\n",
                pario_number_of(summary, "btio_mbps"));
}

static void print_peak(const json_t *summary, FILE *out)
{
    fprintf(out,
            "peak disk I/O (NHT-1, 3.3)\n"
            "  R_PEAK   %10.3f MB/s   2 x bytes / (T_PREAD + T_PWRITE)\n"
            "  T_PWRITE %10.3f s      T_PREAD %.3f s\n",
            pario_number_of(summary, "r_peak_bytes_per_s") * 1e-6,
            pario_number_of(summary, "t_pwrite_s"),
            pario_number_of(summary, "t_pread_s"));
}

static void print_network(const json_t *summary, FILE *out)
{
    fprintf(out,
            "network I/O (NHT-1, 4.3)\n"
            "  R_THROUGHPUT %10.3f MB/s   bytes / T_TRANSFER\n"
            "  T_TRANSFER   %10.3f s      %s\n"
            "  sent by      %s\n",
            pario_number_of(summary, "r_throughput_bytes_per_s") * 1e-6,
            pario_number_of(summary, "t_transfer_s"),
            json_is_true(json_object_get(summary, "over_loopback"))
                ? "over the loopback connection"
                : "not over a loopback connection",
            pario_text_of(summary, "client", NULL));
}

int pario_nht_print(const struct pario_run *run, FILE *out)
{
    const json_t *document = pario_result_document(run->result);
    const json_t *summary = json_object_get(document, "summary");
    int code = pario_table_print(out, document, PARIO_FORMAT_TEXT);

    if (code != 0 || !pario_result_is_valid(run->result))
        return code;
    fputc('\n', out);
    if (has(summary, "t_c_s"))
        print_app(summary, out);
    else if (has(summary, "r_peak_bytes_per_s"))
        print_peak(summary, out);
    else if (has(summary, "r_throughput_bytes_per_s"))
        print_network(summary, out);
    return ferror(out) ? -1 : 0;
}
