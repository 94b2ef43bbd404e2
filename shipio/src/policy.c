/* policy.c - the steps of controlled prefetching. */
#include "policy.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void shipio_policy_init(struct shipio_policy *policy, int64_t n,
                        int64_t max_acc)
{
    policy->max_acc = max_acc;
    policy->n = n;
    policy->scheduled = 0;
    policy->accessed = 0;
}

int64_t shipio_policy_ask(const struct shipio_policy *policy)
{
    int64_t actual_pre = policy->scheduled - policy->accessed;

    return min64(2 * policy->max_acc - actual_pre,
                 policy->n - policy->scheduled);
}

void shipio_policy_granted(struct shipio_policy *policy, int64_t granted)
{
    policy->scheduled += min64(granted, shipio_policy_ask(policy));
}

int64_t shipio_policy_take(const struct shipio_policy *policy)
{
    int64_t actual_pre = policy->scheduled - policy->accessed;
    int64_t take = actual_pre > 0 ? min64(actual_pre, policy->max_acc) : 1;

    return min64(take, policy->n - policy->accessed);
}

void shipio_policy_accessed(struct shipio_policy *policy, int64_t count)
{
    policy->accessed += count;
    if (policy->scheduled < policy->accessed)
        policy->scheduled = policy->accessed;
}
