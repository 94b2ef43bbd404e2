/* suites/rules.c - the broken rules in words. */
#include "suites/rules.h"

#include <stdio.h>

char *pario_rules_broken(const struct pario_rule *rules, size_t count,
                         char *buf, size_t len)
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (rules[i].broken && used < len)
            used += (size_t)snprintf(buf + used, len - used, "%s%s",
                                     used > 0 ? "; " : "", rules[i].needs);
    return buf;
}
