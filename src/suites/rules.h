/* suites/rules.h - what a figure to be published needs by the rules of its
 * suite's paper. Local. */
#ifndef PARIO_SUITES_RULES_H
#define PARIO_SUITES_RULES_H

#include <stddef.h>

struct pario_rule {
    int broken;
    const char *needs; /* "an official value needs ..." */
};

/* What is missing, "a disk; verification"; empty: nothing. Returns buf. */
char *pario_rules_broken(const struct pario_rule *rules, size_t count,
                         char *buf, size_t len);

#endif
