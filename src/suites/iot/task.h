/* suites/iot/task.h - the computation between I/O calls (5.4): a matrix is
 * applied to a vector, so many times. Local. */
#ifndef PARIO_IOT_TASK_H
#define PARIO_IOT_TASK_H

#include "core/error.h"
#include <stdint.h>

struct iot_task {
    int64_t order, repeat;
    double *matrix;    /* order x order, by rows */
    double *vector[2]; /* order each */
};

/* The entries are uniform in [0, 2/order): values stay around 1/2. */
int iot_task_init(struct iot_task *task, int64_t order,
                  int64_t repeat) PARIO_MUST_USE;
void iot_task_fini(struct iot_task *task);

/* The vector is the block, over and over if it is shorter; the result goes to
 * the first elements of out (which may be the block): what is written depends
 * on what was computed. The same block gives the same bits. */
void iot_task_apply(struct iot_task *task, const double *block, double *out,
                    int64_t count);

#endif
