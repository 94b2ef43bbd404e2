/* BT kernels for the instruction set every machine of the family has. */
#define BT_LANES 2
#define BT_TARGET
#define BT_TABLE pario_bt_kernel_base
#define BT_TABLE_NAME "base"
#include "apps/bt/kernel_body.h"
