/* suites/iot/schedule.h - how long work may take on slow machines and disks:
 * the watchdog's deadlines are made from it. Local. */
#ifndef PARIO_IOT_SCHEDULE_H
#define PARIO_IOT_SCHEDULE_H

#include "suites/iot/params.h"

#define IOT_SEEK_S 0.02  /* a call anywhere in a file on a slow disk */
#define IOT_CALL_S 0.002 /* a call next to the one before */
#define IOT_PIECE_S 2e-5 /* a value alone in a view */

/* One application of the task of singleI and multipleI. */
double iot_schedule_task_s(int64_t order, int64_t repeat);

/* A decomposition of order n in panels of `width` columns by `size` processes,
 * `slab` panels in the memory of all of them at a time. */
struct iot_lu_work {
    int64_t n, width, slab;
    int size;
    enum iot_variant variant;
};

struct iot_lu_volume {
    int64_t read, written, broadcast; /* bytes of all processes */
};

struct iot_lu_volume iot_lu_volume_of(const struct iot_lu_work *work);

/* Its time besides that of its I/O: arithmetic and broadcasts. */
double iot_schedule_lu_s(const struct iot_lu_work *work);

#endif
