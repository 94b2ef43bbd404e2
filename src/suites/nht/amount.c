/* The share of memory to move. */
#include "suites/nht/amount.h"

int nht_amount_get(const struct pario_run *run, struct nht_amount *amount_p)
{
    const struct nht_options *opt = run->options;
    int procs = pario_group_node_size(run->world);
    struct nht_amount amount = {.official = opt->fraction >= 0.8};
    int64_t want, sums[2], least = 0;
    int code = 0;

    amount.memory_bytes =
        opt->memory_bytes > 0 ? opt->memory_bytes : run->node.memory_bytes;
    if (opt->memory_bytes > 0 && opt->memory_bytes < run->node.memory_bytes)
        amount.official = 0;
    if (amount.memory_bytes <= 0)
        code = pario_fail(PARIO_EUNAVAIL,
                          "the size of this node's memory is not known: give "
                          "it with --memory");
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    /* At least the fraction: rounded up to whole blocks. */
    want = (int64_t)((double)amount.memory_bytes * opt->fraction) / procs;
    amount.share_bytes = (want + NHT_BLOCK - 1) / NHT_BLOCK * NHT_BLOCK;
    if (amount.share_bytes == 0)
        amount.share_bytes = NHT_BLOCK;
    /* Nodes may differ in memory: the largest share is everyone's offset, and
     * all must give their part for the whole to be NHT-1. */
    sums[0] = sums[1] = amount.share_bytes;
    least = amount.official;
    code = pario_reduce_i64(run->world, PARIO_SUM, &sums[0], 1);
    if (code == 0)
        code = pario_reduce_i64(run->world, PARIO_MAX, &sums[1], 1);
    if (code == 0)
        code = pario_reduce_i64(run->world, PARIO_MIN, &least, 1);
    if (code != 0)
        return code;
    amount.total_bytes = sums[0];
    amount.largest_bytes = sums[1];
    amount.official = least != 0;
    *amount_p = amount;
    return 0;
}
