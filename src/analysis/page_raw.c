/* analysis/page_raw.c - the page's section of raw timings: which blocks and how
 * much of each fits in a page of bounded size. */
#include "analysis/page_raw.h"

#include "analysis/analysis.h"
#include "report/page_parts.h"
#include "report/table_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 500
#define MAX_LANES 1024 /* of all blocks */
#define MAX_SHOWN 32   /* of one block */
#define COLUMNS 512    /* of the coarsest bands */
#define FINER 16
#define MAX_COURSE 1024 /* processes of a block over time */
#define COURSE_COLUMNS 128
#define COURSE_CELLS 50000 /* of all of them */

/* What the raw timings may add to the page, in bytes, of which the bands take
 * at least the second. Base64 makes 16 bytes of 3 values of 32 bits; the others
 * take twice as much. */
#define ALL_BYTES 7800000.0
#define BAND_BYTES 2100000.0
#define VALUE_BYTES (16.0 / 3)
#define SPREAD_BYTES 3000.0 /* the distribution of a lane that is not exact */
#define LANE_BYTES 200.0    /* its name and numbers */

/* How the lanes share the page. */
struct share {
    double exact_limit; /* a lane that costs less is exact */
    size_t equal;       /* and so many of those that cost as much */
    size_t columns;
    int levels;
    size_t course_columns; /* of bandwidth over time */
};

struct cost {
    double bytes; /* of all samples of a lane */
    int wide;
};

struct costs {
    struct cost *items; /* of each lane that is shown */
    size_t count;
};

static int by_size(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;

    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int64_t in_range(const struct pario_page_raw *page, int64_t count)
{
    int64_t last = page->last >= 0 && page->last < count ? page->last : count;

    return last > page->first ? last - page->first : 0;
}

static struct cost cost_of(const struct pario_page_raw *page,
                           const struct pario_timings_section *section)
{
    int wide = section->longest_ns > (int64_t)UINT32_MAX;

    return (struct cost){.bytes = LANE_BYTES +
                                  (double)in_range(page, section->count) *
                                      VALUE_BYTES * (wide ? 2 : 1),
                         .wide = wide};
}

static size_t lanes_of(const struct pario_timings_block *block)
{
    return block->nsections < MAX_SHOWN ? block->nsections : MAX_SHOWN;
}

/* The blocks that are shown: the first so many. */
static int is_shown(size_t nblocks, size_t nlanes)
{
    return nblocks < MAX_BLOCKS && nlanes < MAX_LANES;
}

static int count_lanes(const struct pario_page_raw *page, struct costs *costs)
{
    size_t nblocks = 0;

    costs->items = calloc(MAX_LANES + MAX_SHOWN, sizeof(*costs->items));
    if (costs->items == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    for (size_t t = 0; t < page->ntimings; t++)
        for (size_t b = 0; b < page->timings[t]->nblocks; b++) {
            const struct pario_timings_block *block =
                &page->timings[t]->blocks[b];

            if (!is_shown(nblocks++, costs->count))
                return 0;
            for (size_t i = 0; i < lanes_of(block); i++)
                costs->items[costs->count++] =
                    cost_of(page, &block->sections[i]);
        }
    return 0;
}

/* Small lanes first: the more of them are exact, the better. Returns how many
 * are, and in *left_p the bytes that the bands of the others may take. */
static size_t choose_exact(const struct costs *costs, struct share *share,
                           double *left_p)
{
    const double most = (double)PARIO_PAGE_EXACT * VALUE_BYTES;
    double used = 0;
    size_t n = 0;

    for (; n < costs->count; n++) {
        double more = costs->items[n].bytes;
        double others = (double)(costs->count - n - 1) * SPREAD_BYTES;

        if (used + more > most + LANE_BYTES * (double)(n + 1) ||
            used + more + others + BAND_BYTES > ALL_BYTES)
            break;
        share->equal = more > share->exact_limit ? 1 : share->equal + 1;
        share->exact_limit = more;
        used += more;
    }
    *left_p = ALL_BYTES - used - (double)(costs->count - n) * SPREAD_BYTES;
    return n;
}

static int divide(const struct pario_page_raw *page, struct share *share)
{
    struct costs costs = {.count = 0};
    size_t bands = 1, columns, i;
    double left;
    int code = count_lanes(page, &costs);

    if (code != 0)
        return code;
    qsort(costs.items, costs.count, sizeof(*costs.items), by_size);
    *share = (struct share){.exact_limit = 0};
    for (i = choose_exact(&costs, share, &left); i < costs.count; i++)
        bands += costs.items[i].wide ? 2 : 1;
    columns = (size_t)(left / VALUE_BYTES / 3) / bands;
    share->levels = columns >= (size_t)COLUMNS * (1 + FINER * (1 + FINER)) ? 3
                    : columns >= (size_t)COLUMNS * (1 + FINER)             ? 2
                                                                           : 1;
    share->columns = columns < COLUMNS ? columns : COLUMNS;
    columns = COURSE_CELLS / (2 * costs.count + 1);
    share->course_columns = columns < COURSE_COLUMNS ? columns : COURSE_COLUMNS;
    free(costs.items);
    return 0;
}

static int is_exact(struct share *share, double bytes)
{
    if (bytes < share->exact_limit)
        return 1;
    if (bytes > share->exact_limit || share->equal == 0)
        return 0;
    share->equal--;
    return 1;
}

/* As pario_lanes_init, each lane by what it may cost. */
static int read_lanes(const struct pario_page_raw *page,
                      const struct pario_timings *timings,
                      const struct pario_timings_block *block,
                      struct share *share, struct pario_lanes *lanes_p)
{
    struct pario_lane_plan plan = {.first = page->first,
                                   .last = page->last,
                                   .columns = share->columns,
                                   .levels = share->levels};
    struct pario_lanes lanes = {
        .items = calloc(block->nsections + 1, sizeof(*lanes.items))};
    int code = lanes.items != NULL ? 0 : pario_fail_errno(-ENOMEM, "report");

    for (size_t i = 0; code == 0 && i < block->nsections; i++) {
        const struct pario_timings_section *section = &block->sections[i];
        int exact = is_exact(share, cost_of(page, section).bytes);

        plan.exact_limit = exact ? INT64_MAX : -1;
        plan.columns = exact ? COLUMNS : share->columns;
        code = pario_lane_init(timings, block, section, &plan, &lanes.items[i]);
        lanes.count += code == 0;
    }
    if (code != 0) {
        pario_lanes_fini(&lanes);
        return code;
    }
    *lanes_p = lanes;
    return 0;
}

static int64_t startup_of(const struct pario_lanes *lanes)
{
    struct pario_regimes regimes;
    int64_t cut = 0;

    for (size_t i = 0; i < lanes->count; i++)
        if (pario_lane_regimes(&lanes->items[i], &regimes) && regimes.at > cut)
            cut = regimes.at;
    return cut;
}

/* Of more processes than have lanes in the page. */
static int read_course(const struct pario_page_raw *page,
                       const struct pario_timings *timings,
                       const struct pario_timings_block *block, size_t columns,
                       struct pario_figure_list *figures)
{
    struct pario_lane_plan plan = {.first = page->first,
                                   .last = page->last,
                                   .columns = columns,
                                   .levels = 1,
                                   .exact_limit = -1};
    struct pario_timings_block many = *block;
    struct pario_lanes lanes;
    int code;

    if (many.nsections > MAX_COURSE)
        many.nsections = MAX_COURSE;
    code = pario_lanes_init(timings, &many, -1, &plan, &lanes);
    if (code != 0)
        return code;
    code = pario_course_figures(&many, &lanes, columns, figures);
    pario_lanes_fini(&lanes);
    return code;
}

/* The places of a block's figures; the script finds them by the key. */
static int put_boxes(FILE *out, size_t number,
                     const struct pario_figure_list *figures)
{
    char key[48];
    int code = 0;

    for (size_t i = 0; code == 0 && i < figures->count; i++) {
        snprintf(key, sizeof(key), "%zu.%zu", number, i);
        code = pario_page_put_box(out, figures->items[i], key, 0);
    }
    return code;
}

static int put_block(FILE *out, FILE *data, size_t number, const char *title,
                     const struct pario_timings_block *block,
                     const struct pario_lanes *lanes,
                     const struct pario_figure_list *course)
{
    struct pario_figure *figure = NULL;
    struct pario_table *table = NULL;
    int code = pario_rawdata_figure(block, lanes, &figure);

    if (code == 0)
        code = pario_lanes_table(block, lanes, &table);
    if (code != 0)
        goto out;
    fprintf(out, "<div data-block=\"%zu\"%s>\n<h3>", number,
            number > 0 && pario_page_is_interactive() ? " hidden" : "");
    pario_cell_put(out, title, PARIO_FORMAT_HTML);
    fputs("</h3>\n", out);
    if (figure->note != NULL && pario_page_is_interactive()) {
        fputs("<p class=\"note\">", out);
        pario_cell_put(out, figure->note, PARIO_FORMAT_HTML);
        fputs("</p>\n", out);
    }
    if (!pario_page_is_interactive())
        pario_figure_svg(figure, out);
    fputs("<div class=\"scroll\" tabindex=\"0\">", out);
    code = pario_table_render(table, out, PARIO_FORMAT_HTML);
    fputs("</div>\n", out);
    if (code == 0)
        code = put_boxes(out, number, course);
    fputs("</div>\n", out);
    if (code == 0 && pario_page_is_interactive()) {
        fprintf(data, "%s{\"cut\":%" PRId64 ",\"ylog\":%s,\"figures\":[",
                number > 0 ? "," : "", startup_of(lanes),
                figure->y_log ? "true" : "false");
        for (size_t i = 0; i < course->count; i++) {
            fputs(i > 0 ? "," : "", data);
            pario_page_put_figure(data, course->items[i]);
        }
        fputs("],", data);
        code = pario_page_put_lanes(data, title, lanes);
        fputs("}", data);
    }

out:
    pario_table_destroy(table);
    pario_figure_destroy(figure);
    return code;
}

static int read_block(FILE *out, FILE *data, const struct pario_page_raw *page,
                      const struct pario_timings *timings, size_t index,
                      size_t number, struct share *share)
{
    struct pario_timings_block block = timings->blocks[index];
    struct pario_figure_list course = {.count = 0};
    struct pario_lanes lanes;
    char *about, *title = NULL;
    int code;

    block.nsections = lanes_of(&block);
    code = read_lanes(page, timings, &block, share, &lanes);
    if (code != 0)
        return code;
    if (block.nsections < timings->blocks[index].nsections)
        code = read_course(page, timings, &timings->blocks[index],
                           share->course_columns, &course);
    else
        code = pario_course_figures(&block, &lanes, share->course_columns,
                                    &course);
    about = pario_block_title(&timings->blocks[index]);
    if (about == NULL || asprintf(&title, "%s (block %zu, line %" PRId64 ")",
                                  about, index + 1, block.line) < 0) {
        title = NULL;
        code = pario_fail_errno(-ENOMEM, "report");
    }
    if (code == 0)
        code = put_block(out, data, number, title, &block, &lanes, &course);
    free(title);
    free(about);
    pario_figure_list_fini(&course);
    pario_lanes_fini(&lanes);
    return code;
}

static void put_choice(FILE *out, const struct pario_page_raw *page)
{
    size_t number = 0, nlanes = 0;

    fputs("<p><label>Block <select>", out);
    for (size_t t = 0; t < page->ntimings; t++)
        for (size_t b = 0; b < page->timings[t]->nblocks; b++) {
            const struct pario_timings_block *block =
                &page->timings[t]->blocks[b];
            char *title;

            if (!is_shown(number, nlanes))
                continue;
            title = pario_block_title(block);
            fprintf(out, "<option value=\"%zu\">%zu: ", number, number + 1);
            pario_cell_put(out, title != NULL ? title : "?", PARIO_FORMAT_HTML);
            fputs("</option>\n", out);
            free(title);
            number++;
            nlanes += lanes_of(block);
        }
    fputs("</select></label></p>\n", out);
}

static void put_omitted(FILE *out, size_t blocks, size_t processes)
{
    if (blocks > 0)
        fprintf(out,
                "<p class=\"note\">%zu more blocks are not in this page: "
                "<code>pario rawdata --block N</code> shows them.</p>\n",
                blocks);
    if (processes > 0)
        fprintf(out,
                "<p class=\"note\">Of each block at most %d processes are "
                "shown: <code>pario rawdata --proc N</code> shows the "
                "others.</p>\n",
                MAX_SHOWN);
}

int pario_page_put_raw(FILE *out, FILE *data, const struct pario_page_raw *page)
{
    struct share share;
    size_t number = 0, nlanes = 0, blocks = 0, processes = 0;
    int code = divide(page, &share);

    if (code != 0)
        return code;
    fputs("<section id=\"raw\" data-raw=\"1\">\n<h2>Raw timings</h2>\n"
          "<p>The time of every call, before any average. Drag to zoom, "
          "double-click to see all.</p>\n<div class=\"card\">",
          out);
    if (pario_page_is_interactive())
        put_choice(out, page);
    fputs("<div class=\"stage\"></div>\n", out);
    for (size_t t = 0; t < page->ntimings; t++)
        for (size_t b = 0; code == 0 && b < page->timings[t]->nblocks; b++) {
            const struct pario_timings_block *block =
                &page->timings[t]->blocks[b];

            if (!is_shown(number, nlanes)) {
                blocks++;
                continue;
            }
            code = read_block(out, data, page, page->timings[t], b, number,
                              &share);
            number++;
            nlanes += lanes_of(block);
            processes += block->nsections - lanes_of(block);
        }
    put_omitted(out, blocks, processes);
    fputs("</div></section>\n", out);
    return code;
}
