/* measure/stonewall.c - see stonewall.h. */
#include "measure/stonewall.h"

int pario_stonewall_most(const struct pario_group *group, int64_t done,
                         int64_t *most_p)
{
    *most_p = done;
    return pario_reduce_i64(group, PARIO_MAX, most_p, 1);
}

int pario_stonewall_count(const struct pario_group *group, int64_t done,
                          struct pario_stonewall *count_p)
{
    int64_t ends[] = {-done, done}, all = done;
    int code = pario_reduce_i64(group, PARIO_MAX, ends, 2);

    if (code == 0)
        code = pario_reduce_i64(group, PARIO_SUM, &all, 1);
    if (code == 0)
        *count_p = (struct pario_stonewall){
            .fewest = -ends[0], .most = ends[1], .all = all};
    return code;
}

json_t *pario_stonewall_json(const struct pario_stonewall *count)
{
    return json_pack("{s:I, s:I, s:I}", "fewest_operations",
                     (json_int_t)count->fewest, "most_operations",
                     (json_int_t)count->most, "operations",
                     (json_int_t)count->all);
}
