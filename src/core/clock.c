/* core/clock.c - what the inline readings of clock.h do not give. */
#include "core/clock.h"
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READINGS 1000
/* NTP may slew a clock by 0.05 %. */
#define MAX_DRIFT 0.01
#define MAX_APART_NS 10000000
#define CLOSE_NS 100000
#define TRIES 20

int64_t pario_clock_resolution_ns(void)
{
    int64_t smallest = INT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        int64_t before = pario_clock_ns();
        int64_t after;

        do
            after = pario_clock_ns();
        while (after == before);
        if (after - before < smallest)
            smallest = after - before;
    }
    return smallest;
}

/* Not by the C library: a library may stand before it. */
static int64_t kernel_clock_ns(clockid_t id)
{
    struct timespec ts;

    if (syscall(SYS_clock_gettime, id, &ts) != 0)
        return -1;
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static struct pario_clocks read_all(int64_t (*mpi_ns)(void))
{
    struct pario_clocks now = {
        .raw_ns = kernel_clock_ns(CLOCK_MONOTONIC_RAW),
    };

    now.used_ns = pario_clock_ns();
    now.boot_ns = kernel_clock_ns(CLOCK_BOOTTIME);
    now.mpi_ns = mpi_ns != NULL ? mpi_ns() : -1;
    now.width_ns = kernel_clock_ns(CLOCK_MONOTONIC_RAW) - now.raw_ns;
    return now;
}

/* The closest of a few: a process may lose its core between two readings. */
void pario_clocks_now(int64_t (*mpi_ns)(void), struct pario_clocks *now_p)
{
    *now_p = read_all(mpi_ns);
    for (int i = 0; i < TRIES && now_p->width_ns > CLOSE_NS; i++) {
        struct pario_clocks again = read_all(mpi_ns);

        if (again.width_ns < now_p->width_ns)
            *now_p = again;
    }
}

static int is_apart(int64_t used, int64_t other, int64_t width)
{
    double apart = (double)used - (double)other;
    double longer = (double)(used > other ? used : other);

    if (apart < 0)
        apart = -apart;
    apart -= (double)width;
    return apart > MAX_APART_NS && apart > MAX_DRIFT * longer;
}

int pario_clocks_compare(const struct pario_clocks *begin,
                         const struct pario_clocks *end, char *text, size_t len)
{
    int64_t used = end->used_ns - begin->used_ns;
    const struct {
        const char *name;
        int64_t begin, end;
    } others[] = {
        {"CLOCK_MONOTONIC_RAW", begin->raw_ns, end->raw_ns},
        {"CLOCK_BOOTTIME", begin->boot_ns, end->boot_ns},
        {"MPI_Wtime", begin->mpi_ns, end->mpi_ns},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int64_t passed = others[i].end - others[i].begin;

        if (others[i].begin < 0 || others[i].end < 0 ||
            !is_apart(used, passed, begin->width_ns + end->width_ns))
            continue;
        snprintf(text, len,
                 "the clocks disagree: %.3f s passed by CLOCK_MONOTONIC, "
                 "%.3f s by %s",
                 (double)used * 1e-9, (double)passed * 1e-9, others[i].name);
        return 1;
    }
    return 0;
}

void pario_clock_utc(char text[PARIO_UTC_LEN], int compact)
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    if (strftime(text, PARIO_UTC_LEN,
                 compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
}
