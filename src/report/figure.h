/* report/figure.h - a plot as data: what it shows, not how. Made from results
 * or timings, drawn on a terminal, by gnuplot, as SVG, or in the page. Local.
 */
#ifndef PARIO_REPORT_FIGURE_H
#define PARIO_REPORT_FIGURE_H

#include "core/error.h"
#include "report/table.h"
#include "result/flags.h"
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum pario_figure_kind {
    PARIO_FIGURE_LINES, /* points joined, with error bars where there are */
    PARIO_FIGURE_BANDS, /* low to high with the median in it */
    PARIO_FIGURE_STEPS, /* a histogram: y holds up to the next x */
    PARIO_FIGURE_BARS,  /* x is the number of a category */
    PARIO_FIGURE_HEAT,  /* a series is a row; y is its colour up to the next x
                         */
};

/* Figures that answer one question stand together, in this order. */
enum pario_question {
    PARIO_ASKS_ANSWER,    /* how fast is it? */
    PARIO_ASKS_SIZE,      /* how does it depend on the size? */
    PARIO_ASKS_TIME,      /* how long do single calls take? */
    PARIO_ASKS_COURSE,    /* how does it change over time? */
    PARIO_ASKS_PROCESSES, /* what do more processes bring? */
    PARIO_ASKS_OTHER,
};

struct pario_point {
    double x, y;
    double low, high; /* NAN: not known */
    unsigned flags;   /* of enum pario_flag */
};

struct pario_lane; /* analysis/lane.h */

struct pario_curve {
    char *name;
    struct pario_point *points;
    size_t count;
    const struct pario_lane *lane; /* borrowed: more detail; NULL: none */
};

struct pario_figure {
    enum pario_figure_kind kind;
    enum pario_question question;
    char *id; /* a short name for files and links: letters, digits, - */
    char *title, *x_label, *y_label;
    char *note; /* NULL: none */
    int x_log, y_log;
    int lanes; /* each series has axes of its own, one above the other */
    struct pario_curve *series;
    size_t nseries;
    char **categories;
    size_t ncategories;
    json_t *series_index, *category_index; /* numbers by name */
};

/* The caller owns *figure_p. */
int pario_figure_create(enum pario_figure_kind kind, const char *id,
                        const char *title, const char *x_label,
                        const char *y_label,
                        struct pario_figure **figure_p) PARIO_MUST_USE;
void pario_figure_destroy(struct pario_figure *figure);
/* Appends a sentence to the note. */
int pario_figure_note(struct pario_figure *figure, const char *fmt, ...)
    PARIO_PRINTF(2, 3) PARIO_MUST_USE;
/* The series of this name, made where it is not there; NULL: no memory. */
struct pario_curve *pario_figure_curve(struct pario_figure *figure,
                                       const char *name);
int pario_curve_add(struct pario_curve *series,
                    struct pario_point point) PARIO_MUST_USE;
/* The number of the category, made where it is not there; negative: error. */
int pario_figure_category(struct pario_figure *figure, const char *name);
int pario_figure_has_category(const struct pario_figure *figure,
                              const char *name);
/* Sorts the points of each series by x. */
void pario_figure_sort(struct pario_figure *figure);

/* Appends to the note how many of the points have which flags; nothing where
 * none has. */
int pario_figure_note_flags(struct pario_figure *figure) PARIO_MUST_USE;

/* The next line of a text of at most width bytes, broken at blanks, in line.
 * Returns where to go on, NULL when there was nothing left. */
#define PARIO_LINE_LEN 256
const char *pario_next_line(const char *text, size_t width,
                            char line[PARIO_LINE_LEN]);

/* The least and greatest that is drawn; 0: there is nothing to draw. */
struct pario_extent {
    double x_low, x_high, y_low, y_high;
};
int pario_figure_extent(const struct pario_figure *figure,
                        struct pario_extent *extent_p);

/* The colour of the i-th series, one of seven that colour-blind people tell
 * apart (Okabe and Ito's); its dash is one of four. */
const char *pario_figure_colour(size_t i);

/* The colours of a heat map from the least to the greatest value, between which
 * it goes evenly; lightness rises, so that it is read without colours, too. */
#define PARIO_HEAT_COLOURS 5
extern const char *const pario_heat_colours[PARIO_HEAT_COLOURS];
/* That of a share from 0 to 1, as "#rrggbb". */
#define PARIO_COLOUR_LEN 8
char *pario_heat_colour(double share, char colour[PARIO_COLOUR_LEN]);

/* A list of figures, which it owns. */
struct pario_figure_list {
    struct pario_figure **items;
    size_t count;
};
/* figure is stolen, also after an error; NULL is skipped. */
int pario_figure_list_add(struct pario_figure_list *figures,
                          struct pario_figure *figure) PARIO_MUST_USE;
/* The same at the end of drawing: with a note on flags; a figure without
 * series, or whose drawing failed with code, is destroyed. */
int pario_figure_list_take(struct pario_figure_list *figures,
                           struct pario_figure *figure,
                           int code) PARIO_MUST_USE;
void pario_figure_list_fini(struct pario_figure_list *figures);

/* The numbers of a figure as a table of what is shown. */
int pario_figure_table(const struct pario_figure *figure, FILE *out,
                       enum pario_format format) PARIO_MUST_USE;
/* For a screen of so many columns (at least 40). */
int pario_figure_terminal(const struct pario_figure *figure, FILE *out,
                          int columns) PARIO_MUST_USE;
/* An <svg> element, all text in it escaped. */
void pario_figure_svg(const struct pario_figure *figure, FILE *out);
/* A script for gnuplot with the data in it, drawn to the standard output.
 * terminal NULL: shown as gnuplot's own default does. */
int pario_figure_gnuplot(const struct pario_figure *figure, FILE *out,
                         const char *terminal) PARIO_MUST_USE;

#endif
