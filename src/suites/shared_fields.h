/* suites/shared_fields.h - what several suites ask for and write into their
 * documents, described once: name, type, bounds, member. A suite adds where it
 * is stored and what it means there.
 *
 *   {PARIO_SHARED_QUEUE_DEPTH, .offset = AT(queue_depth), .help = "..."},
 */
#ifndef PARIO_SUITES_SHARED_FIELDS_H
#define PARIO_SUITES_SHARED_FIELDS_H

#include "core/fields.h"
#include "core/lists.h"
#include "par/group.h"

#define PARIO_SHARED_INTERFACE                                                 \
    .name = "interface", .type = PARIO_OPT_CHOICE,                             \
    .choices = pario_interface_names
#define PARIO_SHARED_INTERFACES                                                \
    .name = "interfaces", .letter = 'i', .type = PARIO_OPT_STRING,             \
    .argument = "LIST"
#define PARIO_SHARED_QUEUE_DEPTH                                               \
    .name = "queue-depth", .type = PARIO_OPT_INT, .argument = "N", .min = 1,   \
    .max = 256, .member = "queue_depth", .label = "queue depth"
#define PARIO_SHARED_DIRECT .name = "direct", .type = PARIO_OPT_FLAG
#define PARIO_SHARED_REQUEST_BYTES                                             \
    .name = "request_bytes", .type = PARIO_OPT_SIZE
#define PARIO_SHARED_PARTITIONS                                                \
    .name = "partitions", .type = PARIO_OPT_STRING, .argument = "LIST"
#define PARIO_SHARED_SCALE                                                     \
    .name = "scale", .type = PARIO_OPT_REAL, .argument = "FACTOR",             \
    .min = 1e-6, .max = 1e6

/* Local. --partitions: numbers of processes of this group. */
int pario_shared_partitions(const struct pario_group *world, const char *text,
                            struct pario_list *list_p) PARIO_MUST_USE;

#endif
