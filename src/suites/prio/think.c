/* suites/prio/think.c - see think.h. */
#include "suites/prio/think.h"

#include "core/clock.h"

#include <errno.h>

/* Returns the clock. */
static int64_t sleep_until(struct prio_think *think, int64_t due_ns,
                           int64_t now_ns)
{
    struct timespec due = {.tv_sec = due_ns / 1000000000,
                           .tv_nsec = due_ns % 1000000000};
    int64_t after_ns;

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
        continue;
    after_ns = pario_clock_ns();
    think->slept_ns += after_ns - now_ns;
    return after_ns;
}

int64_t prio_think_after(struct prio_think *think, int64_t now_ns)
{
    int64_t begin_ns =
        think->busy_until_ns > now_ns ? think->busy_until_ns : now_ns;
    int64_t due_ns = begin_ns + think->think_ns, *oldest;

    if (think->requests++ == 0)
        think->first_ns = now_ns;
    think->busy_until_ns = due_ns;
    if (think->prefetch == 0)
        return sleep_until(think, due_ns, now_ns);
    think->begins_ns[(think->requests - 1) % think->prefetch] = begin_ns;
    oldest = &think->begins_ns[think->requests % think->prefetch];
    /* There is room once it has taken up the one so many before. */
    if (think->requests < think->prefetch || *oldest <= now_ns)
        return now_ns;
    return sleep_until(think, *oldest, now_ns);
}

void prio_think_end(struct prio_think *think, int64_t stop_ns)
{
    int64_t now_ns = pario_clock_ns();
    int64_t end_ns =
        think->busy_until_ns < stop_ns ? think->busy_until_ns : stop_ns;

    if (end_ns > now_ns)
        now_ns = sleep_until(think, end_ns, now_ns);
    /* It would have been busy all that time. */
    if (think->busy_until_ns > now_ns)
        think->left_ns = think->busy_until_ns - now_ns;
}

void prio_think_paused(struct prio_think *think, int64_t length_ns)
{
    think->busy_until_ns += length_ns;
    for (int64_t i = 0; i < think->prefetch; i++)
        think->begins_ns[i] += length_ns;
}
