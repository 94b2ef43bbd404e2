/* sys/stripe.h - how a file system spreads a file, where it tells. Local. */
#ifndef PARIO_SYS_STRIPE_H
#define PARIO_SYS_STRIPE_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

struct pario_stripe {
    int64_t bytes; /* -1: not reported */
    int count;     /* -1: not reported, or all targets */
};

/* By the type of fs.h. What nothing is known of stays -1. */
void pario_stripe_get(const char *type, const char *path,
                      struct pario_stripe *stripe_p);

/* The value of Lustre's xattr lustre.lov: plain layouts, and of composite
 * ones the last component, where large files lie. 0 or PARIO_EFORMAT. */
int pario_stripe_parse_lov(const void *value, size_t len,
                           struct pario_stripe *stripe_p) PARIO_MUST_USE;

/* The value of CephFS's ceph.file.layout or ceph.dir.layout:
 * "stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data". */
int pario_stripe_parse_ceph(const char *value,
                            struct pario_stripe *stripe_p) PARIO_MUST_USE;

#endif
