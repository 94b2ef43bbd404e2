/* measure/striping.c - striping that is not as it was asked for. */
#include "measure/striping.h"

#include "sys/stripe.h"

#include <stdlib.h>

static void compare(struct pario_run *run, const struct pario_hints *asked,
                    const char *key, int64_t found, const char *path)
{
    const char *text = pario_hints_get(asked, key);
    char *end = NULL;
    long long wanted = text != NULL ? strtoll(text, &end, 10) : 0;

    /* 0 and -1 leave it to the file system. */
    if (found <= 0 || wanted <= 0 || *end != '\0' || wanted == found)
        return;
    pario_run_warn(run,
                   "striping is not as asked: %s of %s is %lld instead of %lld "
                   "(the figures are of this layout)",
                   key, path, (long long)found, wanted);
}

void pario_striping_check(struct pario_run *run,
                          const struct pario_hints *asked, const char *path)
{
    struct pario_stripe stripe;

    if (asked->count == 0 || pario_group_rank(run->world) != 0)
        return;
    pario_stripe_get(run->fs.type, path, &stripe);
    compare(run, asked, "striping_factor", stripe.count, path);
    compare(run, asked, "striping_unit", stripe.bytes, path);
}
