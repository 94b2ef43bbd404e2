/* measure/devices.h - what the devices below a phase's file see, over all
 * nodes. One process speaks for its node. */
#ifndef PARIO_MEASURE_DEVICES_H
#define PARIO_MEASURE_DEVICES_H

#include "measure/phase.h"

/* Collective over the phase's processes. Finds the devices; before a phase that
 * writes, what others left to be written is written. A device that cannot be
 * found is no error: it is not visible. */
int pario_devices_find(struct pario_phase *phase) PARIO_MUST_USE;
/* Local. The counters before the time. */
void pario_devices_begin(struct pario_phase *phase);
/* Local. What the devices do between these is not counted. */
void pario_devices_pause(struct pario_phase *phase);
void pario_devices_resume(struct pario_phase *phase);
/* Collective. After the time: what was seen, in phase->figures.seen. */
int pario_devices_end(struct pario_phase *phase) PARIO_MUST_USE;

/* Collective. The kind of device below the file, of all nodes. */
int pario_devices_kind(const struct pario_phase *phase,
                       enum pario_device_kind *kind_p) PARIO_MUST_USE;

/* Those who begin and end together. */
const struct pario_group *pario_phase_all(const struct pario_phase *phase);
/* Of these, those who have the same devices below their files. */
const struct pario_group *pario_devices_users(const struct pario_phase *phase);

#endif
