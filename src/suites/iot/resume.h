/* suites/iot/resume.h - what a run that goes on with --resume takes over from
 * its document, and what it does again. */
#ifndef PARIO_IOT_RESUME_H
#define PARIO_IOT_RESUME_H

#include "suites/iot/iot.h"

/* Local, acts on rank 0. The document tells which parameters it is of; going
 * on from one of other parameters fails with PARIO_EUSAGE. */
int iot_resume_check(struct pario_run *run, const char *text) PARIO_MUST_USE;

/* Collective. Has the resumed run done this set: is the measure that ends it
 * there, and did none of the set fail? */
int iot_resume_done(const struct iot_context *context, const char *last);

/* Local, acts on rank 0. The set is run again: the resumed document's measures
 * of it go. */
void iot_resume_forget(const struct iot_context *context);

#endif
