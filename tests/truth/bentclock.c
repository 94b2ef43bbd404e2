/* bentclock.c - libbentclock.so: CLOCK_MONOTONIC runs a tenth too fast. */
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
    int code = (int)syscall(SYS_clock_gettime, id, ts);

    if (code == 0 && id == CLOCK_MONOTONIC) {
        int64_t ns = (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;

        ns += ns / 10;
        ts->tv_sec = (time_t)(ns / 1000000000);
        ts->tv_nsec = (long)(ns % 1000000000);
    }
    return code;
}
