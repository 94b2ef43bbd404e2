/* core/ticks.c - how long a tick of the processor's counter is. */
#include "core/ticks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SOURCE                                                                 \
    "/sys/devices/system/clocksource/clocksource0/current_clocksource"
/* A reading of both is good to some 50 ns: 5 ppm of this. */
#define MIN_NS 10000000
#define TRIES 5
/* Counters of 0.5 to 10 GHz; any other is bent, or the clock is. */
#define MIN_SCALE 0.1
#define MAX_SCALE 2.0

struct pair {
    uint64_t ticks;
    int64_t ns;
};

static struct pair begun; /* 0 ns: not begun, or no counter to rely on */

/* The kernel gives a counter up that differs between processors, or stops. */
static int is_reliable(void)
{
    char name[16] = "";
    int fd = -1;
    ssize_t n = -1;

#ifdef __x86_64__
    fd = open(SOURCE, O_RDONLY | O_CLOEXEC);
#endif
    if (fd >= 0) {
        n = read(fd, name, sizeof(name) - 1);
        close(fd);
    }
    return n > 0 && strcmp(name, "tsc\n") == 0;
}

/* The one of a few between whose two readings of the clock the least passed. */
static struct pair read_both(void)
{
    struct pair best = {0, 0};
    int64_t least = INT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        int64_t before = pario_clock_ns();
        uint64_t ticks = pario_ticks_read();
        int64_t after = pario_clock_ns();

        if (after - before >= least)
            continue;
        least = after - before;
        best = (struct pair){ticks, before + (after - before) / 2};
    }
    return best;
}

void pario_ticks_begin(void)
{
    if (is_reliable())
        begun = read_both();
}

struct pario_ticks pario_ticks_start(void)
{
    struct pario_ticks ticks = {.scale = 0};
    struct pair now;
    double scale;

    if (begun.ns == 0 || !is_reliable())
        return ticks;
    now = read_both();
    if (now.ns - begun.ns < MIN_NS || now.ticks <= begun.ticks)
        return ticks;
    scale = (double)(now.ns - begun.ns) / (double)(now.ticks - begun.ticks);
    if (scale < MIN_SCALE || scale > MAX_SCALE)
        return ticks;
    return (struct pario_ticks){now.ticks, now.ns, (int64_t)(scale * 0x1p32)};
}
