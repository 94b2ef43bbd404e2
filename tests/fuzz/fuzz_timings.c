/* Any bytes as a timings file: read, reduced and drawn without a fault. */
#include "analysis/analysis.h"
#include "analysis/timings.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static void draw_course(const struct pario_timings_block *block,
                        const struct pario_lanes *lanes, FILE *out)
{
    struct pario_figure_list figures = {.count = 0};

    (void)!pario_course_figures(block, lanes, 16, &figures);
    for (size_t i = 0; i < figures.count; i++) {
        pario_figure_svg(figures.items[i], out);
        (void)!pario_figure_terminal(figures.items[i], out, 60);
        (void)!pario_figure_gnuplot(figures.items[i], out, NULL);
    }
    pario_figure_list_fini(&figures);
}

static void draw(const struct pario_timings *timings,
                 const struct pario_timings_block *block, FILE *out)
{
    struct pario_lane_plan plan = {
        .last = -1, .columns = 8, .levels = 3, .exact_limit = 64};
    struct pario_figure *figure = NULL;
    struct pario_table *table = NULL;
    struct pario_lanes lanes;

    if (pario_lanes_init(timings, block, -1, &plan, &lanes) != 0)
        return;
    if (pario_rawdata_figure(block, &lanes, &figure) == 0)
        (void)!pario_figure_terminal(figure, out, 60);
    pario_figure_destroy(figure);
    figure = NULL;
    if (pario_distribution_figure(block, &lanes, &figure) == 0)
        pario_figure_svg(figure, out);
    pario_figure_destroy(figure);
    if (pario_lanes_table(block, &lanes, &table) == 0)
        (void)!pario_table_render(table, out, PARIO_FORMAT_HTML);
    pario_table_destroy(table);
    draw_course(block, &lanes, out);
    pario_lanes_fini(&lanes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pario_lane_plan plan = {.last = -1, .columns = 8, .levels = 1};
    struct pario_figure_list figures = {.count = 0};
    struct pario_timings *timings;
    const char *why, *path = pario_fuzz_file(data, len);
    FILE *out = fopen("/dev/null", "w");

    if (out == NULL)
        abort();
    if (pario_timings_open(path, &timings) == 0) {
        for (size_t i = 0; i < timings->nblocks && i < 16; i++)
            draw(timings, &timings->blocks[i], out);
        if (pario_allav_figures(timings, &plan, -1, &figures, &why) == 0)
            for (size_t i = 0; i < figures.count; i++)
                (void)!pario_figure_gnuplot(figures.items[i], out, NULL);
        pario_figure_list_fini(&figures);
        pario_timings_close(timings);
    }
    fclose(out);
    return 0;
}
