/* measure/striping.h - is a file spread over the targets as was asked for? */
#ifndef PARIO_MEASURE_STRIPING_H
#define PARIO_MEASURE_STRIPING_H

#include "io/hints.h"
#include "measure/run.h"

/* Local, acts on rank 0, after the file was made with these hints: a warning
 * where striping_factor or striping_unit was asked for and the file system says
 * that the file is spread otherwise. One that does not say it is believed. */
void pario_striping_check(struct pario_run *run,
                          const struct pario_hints *asked, const char *path);

#endif
