/* measure/residency.c - the page caches of all nodes, before a file is read. */
#include "measure/residency.h"

#include "sys/cache.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int pario_residency(const struct pario_group *group, const char *path, int cold,
                    int64_t *bytes_p)
{
    /* One speaks for its node, if the node has the file. */
    int speaks = pario_group_node_rank(group) == 0 && access(path, F_OK) == 0;
    int64_t facts[2] = {0, 0}; /* resident, unknown */
    int64_t left = 0, size = 0;
    struct stat st;
    int code = 0;

    if (cold && speaks)
        code = pario_cache_evict(path, &left);
    code = pario_agree(group, code);
    if (code != 0)
        return code;
    if (speaks && pario_cache_resident(path, 0, 0, &facts[0]) != 0)
        facts[1] = 1;
    if (speaks && stat(path, &st) == 0)
        size = st.st_size;
    code = pario_reduce_i64(group, PARIO_SUM, facts, 2);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_MAX, &size, 1);
    *bytes_p = facts[1] > 0 ? -1 : facts[0] < size ? facts[0] : size;
    return code;
}

/* *bytes_p is added to. */
static int count_parts(const char *path, const struct pario_range *ranges,
                       size_t nranges, int64_t *bytes_p)
{
    int64_t bytes = 0;
    int code = nranges == 0 ? pario_cache_resident(path, 0, 0, bytes_p) : 0;

    for (size_t i = 0; code == 0 && i < nranges; i++) {
        code =
            pario_cache_resident(path, ranges[i].offset, ranges[i].len, &bytes);
        *bytes_p += bytes;
    }
    return code;
}

int pario_residency_of_parts(const struct pario_group *group, const char *path,
                             int shared, const struct pario_range *ranges,
                             size_t nranges, int cold, int64_t *bytes_p)
{
    int evicts = !shared || pario_group_node_rank(group) == 0;
    int64_t facts[2] = {0, 0}; /* resident, unknown */
    int64_t left = 0;
    int code = 0;

    if (cold && evicts && path != NULL && access(path, F_OK) == 0)
        code = pario_cache_evict(path, &left);
    code = pario_agree(group, code);
    if (code != 0)
        return code;
    if (path != NULL)
        facts[1] = count_parts(path, ranges, nranges, &facts[0]) != 0;
    code = pario_reduce_i64(group, PARIO_SUM, facts, 2);
    *bytes_p = facts[1] > 0 ? -1 : facts[0];
    return code;
}

int pario_residency_unwritten(const struct pario_group *group, const char *path,
                              int shared, int64_t *bytes_p)
{
    int speaks = !shared || pario_group_node_rank(group) == 0;
    int64_t facts[2] = {0, 0}; /* bytes, unknown */
    int code =
        speaks && path != NULL ? pario_cache_unwritten(path, &facts[0]) : 0;

    facts[1] = code != 0 && code != -ENOENT;
    code = pario_reduce_i64(group, PARIO_SUM, facts, 2);
    *bytes_p = facts[1] > 0 ? -1 : facts[0];
    return code;
}
