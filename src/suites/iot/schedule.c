/* suites/iot/schedule.c - estimates on the safe side. */
#include "suites/iot/schedule.h"

#define SLOW_FLOPS 2e8       /* a second, of one slow core */
#define SLOW_NETWORK_BPS 2e7 /* bytes a second of a broadcast */

double iot_schedule_task_s(int64_t order, int64_t repeat)
{
    return 2 * (double)order * (double)order * (double)repeat / SLOW_FLOPS;
}

/* Doubles of L in the first `count` panels. */
static int64_t low_parts(const struct iot_lu_work *work, int64_t count)
{
    int64_t w = work->width;

    return count * work->n * w - w * w * (count * (count - 1) / 2);
}

static void add_left(const struct iot_lu_work *work, int64_t begin, int64_t end,
                     struct iot_lu_volume *volume)
{
    int64_t slab = (end - begin) * work->n * work->width;

    volume->read += slab + low_parts(work, begin);
    volume->written += slab;
    volume->broadcast += low_parts(work, end);
}

static void add_right(const struct iot_lu_work *work, int64_t begin,
                      int64_t end, struct iot_lu_volume *volume)
{
    int64_t panels = work->n / work->width;
    int64_t below = (work->n - begin * work->width) * work->width;
    int64_t batches = (panels - end + work->size - 1) / work->size;
    int64_t low = low_parts(work, end) - low_parts(work, begin);

    volume->read += (panels - begin) * below;
    volume->written += (panels - begin) * below;
    volume->broadcast += (1 + batches) * low;
}

struct iot_lu_volume iot_lu_volume_of(const struct iot_lu_work *work)
{
    struct iot_lu_volume volume = {0};
    int64_t panels = work->n / work->width;

    for (int64_t begin = 0; begin < panels; begin += work->slab) {
        int64_t end = begin + work->slab < panels ? begin + work->slab : panels;

        if (work->variant == IOT_LEFT)
            add_left(work, begin, end, &volume);
        else
            add_right(work, begin, end, &volume);
    }
    volume.read *= 8;
    volume.written *= 8;
    volume.broadcast *= 8;
    return volume;
}

double iot_schedule_lu_s(const struct iot_lu_work *work)
{
    double n = (double)work->n;
    struct iot_lu_volume volume = iot_lu_volume_of(work);

    return 2 * n * n * n / 3 / SLOW_FLOPS +
           (work->size > 1 ? (double)volume.broadcast / SLOW_NETWORK_BPS : 0);
}
