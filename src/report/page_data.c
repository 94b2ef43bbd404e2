/* report/page_data.c - the data that the page's script draws, as JSON inside a
 * <script> element: no '<' is ever written as itself. */
#include "core/text.h"
#include "report/page_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pario_page_put_string(FILE *out, const char *text)
{
    putc('"', out);
    for (int length; *text != '\0'; text += length) {
        int shown = pario_text_shown(text, &length);
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f || strchr("\"\\<>&'", c) != NULL)
            fprintf(out, "\\u%04x", c);
        else if (shown > 0)
            fwrite(text, 1, (size_t)shown, out);
        else
            putc(' ', out);
    }
    putc('"', out);
}

/* As few digits as name the same number. */
static void put_number(FILE *out, double value)
{
    char text[40];

    for (int digits = 6; isfinite(value) && digits <= 17; digits += 11) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value)
            break;
    }
    if (isfinite(value))
        fputs(text, out);
    else
        fputs("null", out);
}

enum member { X, Y, LOW, HIGH, FLAGS };

static double member_of(const struct pario_point *p, enum member member)
{
    return member == X      ? p->x
           : member == Y    ? p->y
           : member == LOW  ? p->low
           : member == HIGH ? p->high
                            : (double)p->flags;
}

static void put_member(FILE *out, const char *name,
                       const struct pario_curve *series, enum member member)
{
    fprintf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < series->count; i++) {
        if (i > 0)
            putc(',', out);
        put_number(out, member_of(&series->points[i], member));
    }
    putc(']', out);
}

void pario_page_put_curve(FILE *out, const struct pario_curve *series)
{
    int intervals = 0;
    unsigned flags = 0;

    for (size_t i = 0; i < series->count; i++) {
        intervals |= isfinite(series->points[i].low);
        flags |= series->points[i].flags;
    }
    fputs("{\"name\":", out);
    pario_page_put_string(out, series->name);
    put_member(out, "x", series, X);
    put_member(out, "y", series, Y);
    if (intervals) {
        put_member(out, "low", series, LOW);
        put_member(out, "high", series, HIGH);
    }
    if (flags != 0)
        put_member(out, "flags", series, FLAGS);
    putc('}', out);
}

void pario_page_put_figure(FILE *out, const struct pario_figure *figure)
{
    static const char *const kinds[] = {"lines", "bands", "steps", "bars",
                                        "heat"};

    fputs("{\"id\":", out);
    pario_page_put_string(out, figure->id);
    fputs(",\"title\":", out);
    pario_page_put_string(out, figure->title);
    fputs(",\"x\":", out);
    pario_page_put_string(out, figure->x_label);
    fputs(",\"y\":", out);
    pario_page_put_string(out, figure->y_label);
    fprintf(out, ",\"kind\":\"%s\",\"xlog\":%s,\"ylog\":%s,\"categories\":[",
            kinds[figure->kind], figure->x_log ? "true" : "false",
            figure->y_log ? "true" : "false");
    for (size_t i = 0; i < figure->ncategories; i++) {
        if (i > 0)
            putc(',', out);
        pario_page_put_string(out, figure->categories[i]);
    }
    fputs("],\"series\":[", out);
    for (size_t i = 0; i < figure->nseries; i++) {
        if (i > 0)
            putc(',', out);
        pario_page_put_curve(out, &figure->series[i]);
    }
    fputs("]}", out);
}
