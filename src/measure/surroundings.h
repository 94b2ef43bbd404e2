/* measure/surroundings.h - what else went on while a run measured: load, steal,
 * swapping, limits, other traffic on the device. It is looked at before and
 * after a run and said beside the figures. */
#ifndef PARIO_MEASURE_SURROUNDINGS_H
#define PARIO_MEASURE_SURROUNDINGS_H

#include "core/clock.h"
#include "par/group.h"
#include "sys/device.h"
#include "sys/noise.h"

struct pario_run;

/* Of this process's node; what the device says, of rank 0's. */
struct pario_surroundings {
    struct pario_noise begin;
    struct pario_clocks clocks;         /* at the beginning */
    struct pario_noise_findings before; /* reported at the beginning */
    struct pario_device_set *devices;   /* rank 0, below the run's directory */
    struct pario_device_traffic traffic;
    struct pario_device_traffic own; /* of this process: bytes it asked for */
    struct pario_noise_findings others; /* traffic beside the run, so far */
    int watched;                        /* a directory, since this run began */
};

/* Collective. Before the run: warnings about what is known already. */
int pario_surroundings_begin(struct pario_run *run) PARIO_MUST_USE;
/* Collective. From here on the device of the run's directory is watched; what
 * others did to that of the directory before is kept for the end. */
int pario_surroundings_watch(struct pario_run *run) PARIO_MUST_USE;
/* Collective. At the end: warnings, and `surroundings` in the document. */
int pario_surroundings_end(struct pario_run *run) PARIO_MUST_USE;

#endif
