/* BT kernels for x86-64 with AVX2. */
#include "apps/bt/kernel.h"

#if PARIO_BT_X86
#define BT_LANES 4
#define BT_TARGET __attribute__((target("avx2")))
#define BT_TABLE pario_bt_kernel_avx2
#define BT_TABLE_NAME "avx2"
#include "apps/bt/kernel_body.h"
#endif
