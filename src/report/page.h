/* report/page.h - one HTML file that shows results and timings: no network,
 * opens from disk. Local. */
#ifndef PARIO_REPORT_PAGE_H
#define PARIO_REPORT_PAGE_H

#include "report/figure.h"
#include "report/measures.h"

/* Samples of all lanes together that the page holds one by one; lanes beyond
 * are shown as bands. */
#define PARIO_PAGE_EXACT ((int64_t)1 << 20)

struct pario_page_raw;

/* All borrowed. */
struct pario_page {
    const struct pario_run_shown *runs;
    size_t nruns;
    const struct pario_figure_list *figures;
    const char *const *problems; /* files that could not be read */
    size_t nproblems;
    /* The section of raw timings (analysis/page_raw.h): HTML to out, its data
     * to data. put_raw NULL: there is none. */
    int (*put_raw)(FILE *out, FILE *data, const struct pario_page_raw *raw);
    const struct pario_page_raw *raw;
    /* What the page begins with: HTML made by us, or NULL. */
    const char *lead_title, *lead;
    /* The same, below the figures. */
    const char *rest_title, *rest;
};

/* Is the page interactive, or was the program built without uPlot? */
int pario_page_is_interactive(void);

int pario_page_print(FILE *out, const struct pario_page *page) PARIO_MUST_USE;

#endif
