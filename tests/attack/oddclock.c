/* oddclock.c - preloaded: a clock that is not what it should be, by ODD_CLOCK:
 *   fast      CLOCK_MONOTONIC runs a thousand times too fast
 *   slow      CLOCK_MONOTONIC runs ten times too slowly
 *   past      the calendar stands in 1960
 *   future    the calendar stands in 2300
 *   backward  the calendar goes backward
 * Timeouts of the kernel keep their own time. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

typedef int clock_gettime_fn(clockid_t clock, struct timespec *time_p);

int clock_gettime(clockid_t clock, struct timespec *time_p);
time_t time(time_t *time_p);
int gettimeofday(struct timeval *restrict time_p, void *restrict zone);

static const char *wish(void)
{
    const char *text = getenv("ODD_CLOCK");

    return text != NULL ? text : "";
}

static int real_clock(clockid_t clock, struct timespec *time_p)
{
    union {
        void *found;
        clock_gettime_fn *call;
    } next = {.found = dlsym(RTLD_NEXT, "clock_gettime")};

    return next.found != NULL ? next.call(clock, time_p) : -1;
}

static void scale(struct timespec *time_p, int up)
{
    static struct timespec first;
    long long ns;

    if (first.tv_sec == 0)
        first = *time_p;
    ns = (time_p->tv_sec - first.tv_sec) * 1000000000LL +
         (time_p->tv_nsec - first.tv_nsec);
    ns = up ? ns * 1000 : ns / 10;
    time_p->tv_sec = first.tv_sec + ns / 1000000000LL;
    time_p->tv_nsec = ns % 1000000000LL;
}

static time_t odd_seconds(time_t now)
{
    static time_t first;

    if (first == 0)
        first = now;
    if (strcmp(wish(), "past") == 0)
        return now - 66LL * 365 * 86400;
    if (strcmp(wish(), "future") == 0)
        return now + 274LL * 365 * 86400;
    if (strcmp(wish(), "backward") == 0)
        return first - 10 * (now - first);
    return now;
}

int clock_gettime(clockid_t clock, struct timespec *time_p)
{
    int code = real_clock(clock, time_p);

    if (code == 0 && clock == CLOCK_MONOTONIC && strcmp(wish(), "fast") == 0)
        scale(time_p, 1);
    if (code == 0 && clock == CLOCK_MONOTONIC && strcmp(wish(), "slow") == 0)
        scale(time_p, 0);
    if (code == 0 && clock == CLOCK_REALTIME)
        time_p->tv_sec = odd_seconds(time_p->tv_sec);
    return code;
}

time_t time(time_t *time_p)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (time_p != NULL)
        *time_p = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict time_p, void *restrict zone)
{
    struct timespec now = {0};

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    time_p->tv_sec = now.tv_sec;
    time_p->tv_usec = now.tv_nsec / 1000;
    return 0;
}
