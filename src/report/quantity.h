/* report/quantity.h - a figure of a document as a person would write it. The
 * end of its name says what it is in. Local. */
#ifndef PARIO_REPORT_QUANTITY_H
#define PARIO_REPORT_QUANTITY_H

#include <jansson.h>

#define PARIO_QUANTITY_LEN 64

/* "shared_write_mbps": 812.4 -> "812 MB/s"; _iops -> "18.2 k IOPS"; _per_s ->
 * "9.10 k/s"; _gibps -> "1.81 GiB/s"; _kiops -> "9.10 kIOPS"; _ns and _s ->
 * "1.90 ms"; _bytes -> "64 MiB"; _share -> "12 %"; _ratio -> "15.0 x". Returns
 * buf. */
char *pario_quantity_print(const char *name, const json_t *value,
                           char buf[PARIO_QUANTITY_LEN]);

/* "2.11", "15.3", "0.0043": a ratio without its sign. Returns buf. */
char *pario_quantity_ratio(double value, char buf[PARIO_QUANTITY_LEN]);

/* What belongs to "gain_ratio": ending "_low" gives the value of "gain_low".
 * NAN: it is not there. */
double pario_quantity_bound(const json_t *summary, const char *name,
                            const char *ending);

/* "shared_write_mbps" -> "shared write": the name without its unit, for figures
 * that nobody has named. Returns buf. */
char *pario_quantity_name(const char *name, char *buf, size_t len);

/* The unit that the end of a name says, as it stands in the document: "MB/s",
 * "ns"; "" for none. */
const char *pario_quantity_unit(const char *name);

/* What the document's view calls a figure of its summary, "large files, write,
 * one shared file"; of a figure that it does not speak of the name above. The
 * caller frees it; NULL: no memory. */
char *pario_headline_name(const json_t *document, const char *figure);

#endif
