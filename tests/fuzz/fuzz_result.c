/* Any bytes as a result document: read, tabled, drawn, paged and compared
 * with itself without a fault. */
#include "analysis/inputs.h"
#include "fuzz/fuzz.h"
#include "report/compare.h"
#include "report/page.h"
#include "report/table.h"
#include "result/result.h"

#include <stdio.h>
#include <stdlib.h>

static void show(const struct pario_run_shown *run, FILE *out)
{
    struct pario_figure_list figures = {.count = 0};
    struct pario_page page = {.runs = run, .nruns = 1, .figures = &figures};
    const struct pario_side side = {run, 1};
    json_t *comparison;

    (void)!pario_table_print(out, run->document, PARIO_FORMAT_TEXT);
    (void)!pario_table_print(out, run->document, PARIO_FORMAT_CSV);
    if (pario_measures_figures(run, 1, &figures) == 0)
        (void)!pario_page_print(out, &page);
    for (size_t i = 0; i < figures.count; i++) {
        (void)!pario_figure_gnuplot(figures.items[i], out, NULL);
        pario_figure_svg(figures.items[i], out);
        (void)!pario_figure_terminal(figures.items[i], out, 60);
    }
    pario_figure_list_fini(&figures);
    if (pario_compare(&side, &side, 1, &comparison) == 0) {
        (void)!pario_comparison_gate(comparison, 1.5);
        (void)!pario_comparison_print(comparison, out, PARIO_FORMAT_TEXT);
        (void)!pario_comparison_print(comparison, out, PARIO_FORMAT_HTML);
        (void)!pario_comparison_csv(comparison, out, 1);
        pario_comparison_junit(comparison, out);
        json_decref(comparison);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pario_run_shown run = {.label = "fuzz"};
    json_t *document;
    FILE *out = fopen("/dev/null", "w");

    if (out == NULL)
        abort();
    if (pario_result_load(pario_fuzz_file(data, len), &document) == 0) {
        run.document = document;
        show(&run, out);
        json_decref(document);
    }
    fclose(out);
    return 0;
}
