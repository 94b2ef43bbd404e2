/* par/residency.c - the page caches of all nodes, before a file is read. */
#include "par/residency.h"

#include "sys/cache.h"

int pario_residency(const struct pario_group *group, const char *path, int cold,
                    int64_t *bytes_p)
{
    int speaks = pario_group_node_rank(group) == 0; /* for its node */
    int64_t facts[2] = {0, 0};                      /* resident, unknown */
    int64_t left = 0;
    int code = 0;

    if (cold && speaks)
        code = pario_cache_evict(path, &left);
    code = pario_agree(group, code);
    if (code != 0)
        return code;
    if (speaks && pario_cache_resident(path, 0, 0, &facts[0]) != 0)
        facts[1] = 1;
    code = pario_reduce_i64(group, PARIO_MAX, facts, 2);
    *bytes_p = facts[1] ? -1 : facts[0];
    return code;
}
