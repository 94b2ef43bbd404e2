/* report/page.h - one HTML file that shows results and timings: no network,
 * opens from disk. Local. */
#ifndef PARIO_REPORT_PAGE_H
#define PARIO_REPORT_PAGE_H

#include "report/figure.h"
#include "report/measures.h"
#include "report/timings.h"

/* Samples of all lanes together that the page holds one by one; lanes beyond
 * are shown as bands. */
#define PARIO_PAGE_EXACT ((int64_t)1 << 20)

/* All borrowed. */
struct pario_page {
    const struct pario_run_shown *runs;
    size_t nruns;
    struct pario_timings *const *timings;
    size_t ntimings;
    const struct pario_figure_list *figures;
    const char *const *problems; /* files that could not be read */
    size_t nproblems;
    int64_t first, last; /* range of calls; last < 0: all */
    /* What the page begins with: HTML made by us, or NULL. */
    const char *lead_title, *lead;
};

/* Is the page interactive, or was the program built without uPlot? */
int pario_page_is_interactive(void);

int pario_page_print(FILE *out, const struct pario_page *page) PARIO_MUST_USE;

#endif
