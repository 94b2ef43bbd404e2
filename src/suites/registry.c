/* suites/registry.c - the registry: a new suite is one folder and one line. */
#include "pario_config.h"
#include "suites/suite.h"

extern const struct pario_suite pario_suite_quick;
extern const struct pario_suite pario_suite_beffio;
extern const struct pario_suite pario_suite_iot;
extern const struct pario_suite pario_suite_nht;
extern const struct pario_suite pario_suite_prio;
extern const struct pario_suite pario_suite_meta;
extern const struct pario_suite pario_suite_io500;
extern const struct pario_suite pario_suite_shipbench;
extern const struct pario_suite pario_suite_replay;
extern const struct pario_suite pario_suite_pattern;
extern const struct pario_suite pario_suite_doctor;
extern const struct pario_suite pario_suite_honesty;
extern const struct pario_suite pario_suite_tune;

/* One line for each. */
/* clang-format off */
const struct pario_suite *const pario_suites[] = {
    &pario_suite_quick,
    &pario_suite_pattern,
    &pario_suite_meta,
    &pario_suite_io500,
#if PARIO_HAVE_MPIIO
    &pario_suite_beffio,
    &pario_suite_iot,
    &pario_suite_shipbench,
#endif
    &pario_suite_nht,
    &pario_suite_prio,
    &pario_suite_replay,
#if PARIO_HAVE_MPIIO
    &pario_suite_tune,
    &pario_suite_honesty,
#endif
    &pario_suite_doctor,
    NULL,
};
/* clang-format on */
