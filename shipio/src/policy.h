/* policy.h - how many byte ranges to prefetch, and to access, at once.
 *
 * MPI-IO/GPFS, Sect. 2.3: (1) try to prefetch 2 * max_acc ranges, or all;
 * (2) access as many as were scheduled but at most max_acc, or one; (3)
 * release them and try to prefetch the next 2 * max_acc - actual_pre ranges,
 * where actual_pre counts those scheduled and not yet accessed; (4) repeat.
 */
#ifndef SHIPIO_POLICY_H
#define SHIPIO_POLICY_H

#include <stdint.h>

struct shipio_policy {
    int64_t max_acc;
    int64_t n;         /* ranges in all */
    int64_t scheduled; /* ranges tried and granted, or accessed */
    int64_t accessed;
};

/* All local; max_acc > 0. */
void shipio_policy_init(struct shipio_policy *policy, int64_t n,
                        int64_t max_acc);
/* Steps 1 and 3: ranges to try to prefetch, from policy->scheduled on. */
int64_t shipio_policy_ask(const struct shipio_policy *policy);
/* What the file system granted of them. */
void shipio_policy_granted(struct shipio_policy *policy, int64_t granted);
/* Step 2: ranges to access now, from policy->accessed on; 0 at the end. */
int64_t shipio_policy_take(const struct shipio_policy *policy);
void shipio_policy_accessed(struct shipio_policy *policy, int64_t count);

#endif
