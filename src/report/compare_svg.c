/* report/compare_svg.c - the ratios of a comparison as a picture: worst first,
 * a line for the interval, a dot for the ratio, filled where it was judged. */
#include "report/compare.h"
#include "report/table_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 400.0
#define LEFT 8.0
#define RIGHT 8.0
#define ROW 30.0
#define TOP 24.0
#define MAX_ROWS 24    /* the worst and the best of more */
#define MAX_NAME 64    /* letters; all of it is in the title */
#define LEAST_SPAN 1.1 /* of the axis: up to 10 % to either side of 1 */

struct ranking {
    const json_t *rows[MAX_ROWS];
    size_t count, left_out;
    double low, high; /* of the axis */
};

static double number_of(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

static int is_judged(const json_t *row)
{
    return json_is_number(json_object_get(row, "low"));
}

static int by_ratio(const void *a, const void *b)
{
    double first = number_of(*(const json_t *const *)a, "ratio");
    double second = number_of(*(const json_t *const *)b, "ratio");

    return (first > second) - (first < second);
}

/* Half of the rows from either end where there are too many. */
static int choose_rows(const json_t *list, struct ranking *r)
{
    size_t all = json_array_size(list), i;
    const json_t **sorted = calloc(all + 1, sizeof(const json_t *)), *row;

    *r = (struct ranking){.low = 1 / LEAST_SPAN, .high = LEAST_SPAN};
    if (sorted == NULL)
        return -ENOMEM;
    json_array_foreach(list, i, row)
    {
        sorted[i] = row;
    }
    qsort(sorted, all, sizeof(const json_t *), by_ratio);
    r->count = all < MAX_ROWS ? all : MAX_ROWS;
    r->left_out = all - r->count;
    for (i = 0; i < r->count; i++)
        r->rows[i] = i < MAX_ROWS / 2 ? sorted[i] : sorted[i + r->left_out];
    free(sorted);
    return 0;
}

/* Intervals of two values reach anywhere: the axis ends at a factor of 100. */
static void span_axis(struct ranking *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const json_t *row = r->rows[i];

        r->low = fmin(r->low, number_of(row, "ratio"));
        r->high = fmax(r->high, number_of(row, "ratio"));
        if (is_judged(row)) {
            r->low = fmin(r->low, number_of(row, "low"));
            r->high = fmax(r->high, number_of(row, "high"));
        }
    }
    r->low = fmax(r->low, 0.01);
    r->high = fmin(r->high, 100);
}

static double at(const struct ranking *r, double ratio)
{
    double clipped = fmin(fmax(ratio, r->low), r->high);

    return LEFT + (WIDTH - LEFT - RIGHT) * log(clipped / r->low) /
                      log(r->high / r->low);
}

static void put_tick(const struct ranking *r, double ratio, double bottom,
                     const char *anchor, FILE *out)
{
    fprintf(out,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
            "y2=\"%.1f\"/>\n<text x=\"%.1f\" y=\"14\" "
            "text-anchor=\"%s\">%.3g</text>\n",
            at(r, ratio), at(r, ratio), TOP - 6, bottom, at(r, ratio), anchor,
            ratio);
}

static void put_row(const struct ranking *r, size_t i, FILE *out)
{
    const json_t *row = r->rows[i];
    const char *name = json_string_value(json_object_get(row, "name"));
    const char *verdict = json_string_value(json_object_get(row, "verdict"));
    double y = TOP + ROW * (double)i;
    size_t len = strlen(name) < MAX_NAME ? strlen(name) : MAX_NAME;
    char text[MAX_NAME + 1], flags[PARIO_FLAGS_LEN];
    unsigned against = pario_comparison_flags(row);

    while (len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80)
        len--; /* a letter stays whole */
    snprintf(text, sizeof(text), "%.*s", (int)len, name);
    fprintf(out, "<g class=\"ratio ratio-%s\"><title>",
            strcmp(verdict, "faster") == 0   ? "faster"
            : strcmp(verdict, "slower") == 0 ? "slower"
                                             : "same");
    pario_cell_put(out, name, PARIO_FORMAT_HTML);
    fprintf(out, ": %.3g, ", number_of(row, "ratio"));
    pario_cell_put(out, verdict, PARIO_FORMAT_HTML);
    fputs(pario_flags_beside(against, flags), out);
    fprintf(out, "</title><text x=\"%.1f\" y=\"%.1f\">", LEFT, y + 10);
    pario_cell_put(out, text, PARIO_FORMAT_HTML);
    fprintf(out, "%s%s</text>", name[len] != '\0' ? "…" : "", flags);
    if (is_judged(row))
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                at(r, number_of(row, "low")), at(r, number_of(row, "high")),
                y + 19, y + 19);
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"%s/></g>\n",
            at(r, number_of(row, "ratio")), y + 19,
            is_judged(row) ? "" : " class=\"open\"");
}

void pario_comparison_svg(const json_t *comparison, FILE *out)
{
    struct ranking r;
    double bottom;

    if (choose_rows(json_object_get(comparison, "measures"), &r) != 0 ||
        r.count == 0)
        return;
    span_axis(&r);
    bottom = TOP + ROW * (double)r.count;
    fprintf(out,
            "<figure class=\"ranking\"><figcaption><h3>New compared with base: "
            "ratio of the rates</h3></figcaption>\n<svg viewBox=\"0 0 %.0f "
            "%.0f\" role=\"img\" aria-label=\"ratios with their intervals\">\n",
            WIDTH, bottom + 4);
    put_tick(&r, r.low, bottom, "start", out);
    put_tick(&r, 1, bottom, "middle", out);
    put_tick(&r, r.high, bottom, "end", out);
    for (size_t i = 0; i < r.count; i++)
        put_row(&r, i, out);
    fputs("</svg>\n<p class=\"note\">Right of 1 is faster. The line is the "
          "95 % interval; a ring is a single value, which is not judged.",
          out);
    if (r.left_out > 0)
        fprintf(out, " %zu between the worst and the best are in the table.",
                r.left_out);
    fputs("</p></figure>\n", out);
}
