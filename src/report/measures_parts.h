/* report/measures_parts.h - what the files of measures.h share. Private to
 * src/report. Local. */
#ifndef PARIO_REPORT_MEASURES_PARTS_H
#define PARIO_REPORT_MEASURES_PARTS_H

#include "report/measures.h"

#define PARIO_NAME_LEN 200

/* Adds a point to the bar of this category and series. */
int pario_figure_bar(struct pario_figure *figure, const char *category,
                     const char *name, struct pario_point point) PARIO_MUST_USE;

/* Repetitions of a point become one, with their interval. Sorts. */
int pario_figure_merge(struct pario_figure *figure) PARIO_MUST_USE;

/* Has a series points at more than one x? A parameter that only goes along
 * with another one makes no curve. */
int pario_figure_is_curve(const struct pario_figure *figure);

/* What to call the run's points in a curve over the number of processes: runs
 * of one suite on one system make one curve; where two of them measured the
 * same number of processes, each makes its own under its label. "" for a
 * single system. Returns name. */
char *pario_run_curve(const struct pario_run_shown *runs, size_t count,
                      size_t i, char name[PARIO_NAME_LEN]);

/* The headline figures side by side, and over the number of processes. */
int pario_headline_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures) PARIO_MUST_USE;

/* A measure of a run. */
struct pario_row {
    const json_t *measure;
    const json_t *view; /* of its document; NULL: none */
    json_t *identity;
    const char *label;
    char curve[PARIO_NAME_LEN]; /* instead of the label, over processes */
    char group[PARIO_NAME_LEN];
    unsigned flags;
};

/* Appends a word to a name, after the gap where there is one before it. */
void pario_series_word(char name[PARIO_NAME_LEN], const char *gap,
                       const char *word);
/* The same with a member of the row's identity, as a person would say it. */
void pario_series_member(char name[PARIO_NAME_LEN], const char *gap,
                         const struct pario_row *row, const char *member);
/* The plain name of a parameter; returns name. */
char *pario_series_plain(const struct pario_row *row, const char *member,
                         char name[PARIO_NAME_LEN]);

/* What a title says of an access method, "read write, "; "" for NULL. Returns
 * text. */
char *pario_access_words(const char *access, char text[PARIO_NAME_LEN]);

#endif
