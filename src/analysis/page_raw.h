/* analysis/page_raw.h - the page's section of raw timings. Local. */
#ifndef PARIO_ANALYSIS_PAGE_RAW_H
#define PARIO_ANALYSIS_PAGE_RAW_H

#include "analysis/analysis.h"

#include <stdio.h>

/* Samples of all lanes together that the page holds one by one; lanes beyond
 * are shown as bands: PARIO_PAGE_EXACT of report/page.h. */
struct pario_page_raw {
    struct pario_timings *const *timings; /* borrowed */
    size_t ntimings;
    int64_t first, last; /* range of calls; last < 0: all */
};

/* HTML to out, its data (members of the array "raw") to data. */
int pario_page_put_raw(FILE *out, FILE *data,
                       const struct pario_page_raw *raw) PARIO_MUST_USE;

/* Members of a block: its title and its lanes. */
int pario_page_put_lanes(FILE *out, const char *title,
                         const struct pario_lanes *lanes) PARIO_MUST_USE;

#endif
