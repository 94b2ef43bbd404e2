#ifndef SHIPIO_PREFETCH_H
#define SHIPIO_PREFETCH_H
#include "direct.h"
static inline void shipio_prefetch_open(struct shipio_file *f)
{
    (void)f;
}
static inline void shipio_prefetch_close(struct shipio_file *f)
{
    (void)f;
}
#endif
