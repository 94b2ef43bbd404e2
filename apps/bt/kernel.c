/* Choosing among the BT kernels. */
#include "apps/bt/kernel.h"

int pario_bt_kernel_best(void)
{
#if PARIO_BT_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return 2;
    if (__builtin_cpu_supports("avx2"))
        return 1;
#endif
    return 0;
}

const struct pario_bt_kernel *pario_bt_kernel_get(int index)
{
#if PARIO_BT_X86
    if (index == 2)
        return &pario_bt_kernel_avx512;
    if (index == 1)
        return &pario_bt_kernel_avx2;
#endif
    (void)index;
    return &pario_bt_kernel_base;
}

/* Derived values of a tile in three planes, one line of halo on each side. */
size_t pario_bt_ring_size(const struct pario_bt_cell *cell)
{
    return (size_t)3 * (PARIO_BT_TILE + 2) * PARIO_BT_DERIVED *
           (size_t)cell->u_row;
}
