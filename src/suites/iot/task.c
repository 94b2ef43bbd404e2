/* suites/iot/task.c - matrix times vector, plainly. */
#include "suites/iot/task.h"

#include "core/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int iot_task_init(struct iot_task *task, int64_t order, int64_t repeat)
{
    size_t n = (size_t)order;
    struct pario_rng rng;

    *task = (struct iot_task){.order = order, .repeat = repeat};
    task->matrix = malloc(n * n * sizeof(double));
    task->vector[0] = malloc(n * sizeof(double));
    task->vector[1] = malloc(n * sizeof(double));
    if (task->matrix == NULL || task->vector[0] == NULL ||
        task->vector[1] == NULL) {
        iot_task_fini(task);
        return pario_fail_errno(-ENOMEM, "no memory for a matrix of order %lld",
                                (long long)order);
    }
    pario_rng_init(&rng, 1);
    for (size_t i = 0; i < n * n; i++)
        task->matrix[i] = pario_rng_unit(&rng) * 2 / (double)order;
    return 0;
}

void iot_task_fini(struct iot_task *task)
{
    free(task->matrix);
    free(task->vector[0]);
    free(task->vector[1]);
    *task = (struct iot_task){0};
}

void iot_task_apply(struct iot_task *task, const double *block, double *out,
                    int64_t count)
{
    int64_t n = task->order;
    double *x = task->vector[0], *y = task->vector[1];

    for (int64_t i = 0; i < n && count > 0; i++)
        x[i] = block[i % count];
    for (int64_t k = 0; k < task->repeat; k++) {
        double *swap = x;

        for (int64_t i = 0; i < n; i++) {
            const double *row = task->matrix + i * n;
            double sum = 0;

            for (int64_t j = 0; j < n; j++)
                sum += row[j] * x[j];
            y[i] = sum;
        }
        x = y;
        y = swap;
    }
    memcpy(out, x, (size_t)(n < count ? n : count) * sizeof(double));
}
