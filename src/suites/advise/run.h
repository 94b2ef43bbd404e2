/* suites/advise/run.h - one run of the program. */
#ifndef PARIO_ADVISE_RUN_H
#define PARIO_ADVISE_RUN_H

#include "suites/advise/advise.h"

enum advise_end { ADVISE_RAN, ADVISE_FAILED };

/* Local. Runs the program as the contender says and reads its recording, in
 * options->folder, which is emptied again; longer than timeout_s is a failure,
 * whose reason is in why. An error where nothing can be run at all. */
int advise_run_once(const struct advise_options *options,
                    const struct advise_contender *one, double timeout_s,
                    struct advise_facts *facts_p, enum advise_end *end_p,
                    char why[200]) PARIO_MUST_USE;

#endif
