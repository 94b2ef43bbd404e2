/* suites/iot/semaphore.h - what OMPIO leaves in /dev/shm. Local. */
#ifndef PARIO_IOT_SEMAPHORE_H
#define PARIO_IOT_SEMAPHORE_H

#include "core/error.h"

/* OMPIO guards the shared pointer of a file with a semaphore named by the
 * file's name alone, and waits for ever for one that a killed program left
 * locked. Removes it if no process has it open; -EBUSY with a message if one
 * has. */
int iot_semaphore_clear(const char *path) PARIO_MUST_USE;

#endif
