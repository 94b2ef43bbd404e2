/* suites/prio/keys.h - the keywords of a section. Local. */
#ifndef PARIO_PRIO_KEYS_H
#define PARIO_PRIO_KEYS_H

#include "core/fields.h"
#include "suites/prio/workload.h"

/* The values a section has before its keywords are read. */
int prio_keys_defaults(struct prio_section *section) PARIO_MUST_USE;

/* 0 if a section can have it; else PARIO_EUSAGE with the nearest name. */
int prio_key_known(const char *name) PARIO_MUST_USE;
/* Does this section's sub-benchmark use it? */
int prio_key_understood(const struct prio_section *section, const char *name);

/* global: a default, given before the first section. */
int prio_key_set(struct prio_section *section,
                 const struct pario_keyword *keyword,
                 int global) PARIO_MUST_USE;

extern const struct pario_field prio_keys[]; /* by enum prio_key */
extern const char *const prio_sync_names[];
extern const char *const prio_buffer_names[];

#endif
