/* A program with the suite of examples/suite in place of ours. */
#include "suites/suite.h"

extern const struct pario_suite pario_suite_ledger;
const struct pario_suite *const pario_suites[] = {&pario_suite_ledger, NULL};
