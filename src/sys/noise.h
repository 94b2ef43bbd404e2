/* sys/noise.h - what else goes on at this node: other programs, the
 * hypervisor, swapping, limits. Local, no MPI. */
#ifndef PARIO_SYS_NOISE_H
#define PARIO_SYS_NOISE_H

#include "sys/device.h"
#include <stdint.h>

/* Counters since boot, or what they grew by; -1: not visible. */
struct pario_noise {
    int64_t time_ns;     /* of pario's clock */
    int cpus;            /* of the node */
    double load;         /* average of the last minute; -1: not visible */
    int64_t cpu_ns;      /* of all CPUs, whatever they did */
    int64_t user_ns;     /* in programs: kernel threads never are */
    int64_t steal_ns;    /* the hypervisor ran others */
    int64_t own_user_ns; /* of this process in its own code */
    int64_t cpu_stall_ns, io_stall_ns, memory_stall_ns; /* some task waited */
    int64_t swapped_in_bytes, swapped_out_bytes;
    int64_t throttles, throttled_ns; /* by a CPU quota, all groups above */
    int64_t memory_limit_hits;       /* of groups' limits */
    int64_t oom_kills;
};

void pario_noise_now(struct pario_noise *now_p);

/* Bytes that this process asked for at block devices (/proc/self/io): what it
 * read from there and the pages it made dirty, whether they were written or
 * not. At most so much of a device's traffic is its own; -1: not visible. */
void pario_noise_own_io(struct pario_device_traffic *own_p);

/* The same from the /proc and /sys below root. */
void pario_noise_now_from(const char *root, struct pario_noise *now_p);

/* end - begin; -1 where either is not visible. cpus and load are end's. */
void pario_noise_since(const struct pario_noise *begin,
                       const struct pario_noise *end,
                       struct pario_noise *delta_p);

/* Who we are at this node. */
struct pario_noise_share {
    int processes;       /* of this run */
    int cores;           /* they may use; <= 0: not known */
    int64_t own_user_ns; /* of all of them, during the run; -1: not known */
};

#define PARIO_NOISE_MAX 12
#define PARIO_NOISE_LEN 120
struct pario_noise_findings {
    int count;
    char text[PARIO_NOISE_MAX][PARIO_NOISE_LEN];
};

/* Plain sentences about what speaks against figures of this time, without a
 * full stop; none: quiet. delta NULL: only what is known before a run. Waits
 * for I/O are none: that is what a benchmark makes. */
void pario_noise_describe(const struct pario_noise *begin,
                          const struct pario_noise *delta,
                          const struct pario_noise_share *share,
                          struct pario_noise_findings *findings_p);

#endif
