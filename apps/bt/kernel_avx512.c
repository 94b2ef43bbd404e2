/* BT kernels for x86-64 with AVX-512. */
#include "apps/bt/kernel.h"

#if PARIO_BT_X86
#define BT_LANES 8
#define BT_TARGET __attribute__((target("avx512f")))
#define BT_TABLE pario_bt_kernel_avx512
#define BT_TABLE_NAME "avx512"
#include "apps/bt/kernel_body.h"
#endif
