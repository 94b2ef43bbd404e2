/* report/before_view.h - documents of before they described themselves. Local.
 */
#ifndef PARIO_REPORT_BEFORE_VIEW_H
#define PARIO_REPORT_BEFORE_VIEW_H

#include <jansson.h>

/* Gives a document of one of the first suites that does not say how its
 * measures want to be seen what they say today. */
void pario_before_view(json_t *document);

#endif
