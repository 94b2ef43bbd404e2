/* suites/shared_fields.h - what several suites ask for and write into their
 * documents, described once: name, type, bounds, member. A suite adds where it
 * is stored and what it means there.
 *
 *   {PARIO_SHARED_QUEUE_DEPTH(AT(queue_depth), 256), .help = "..."},
 */
#ifndef PARIO_SUITES_SHARED_FIELDS_H
#define PARIO_SUITES_SHARED_FIELDS_H

#include "core/fields.h"
#include "core/lists.h"
#include "io/backend.h"
#include "par/group.h"

#define PARIO_SHARED_INTERFACE(at)                                             \
    PARIO_FIELD("interface", CHOICE, at), .choices = pario_interface_names
#define PARIO_SHARED_INTERFACES(at)                                            \
    PARIO_OPTION("interfaces", STRING, at, "LIST"), .letter = 'i'
#define PARIO_SHARED_QUEUE_DEPTH(at, most)                                     \
    PARIO_OPTION("queue-depth", INT, at, "N"), PARIO_RANGE(1, most),           \
        .member = "queue_depth", .label = "queue depth"
#define PARIO_SHARED_DIRECT(at) PARIO_FLAG("direct", at)
#define PARIO_SHARED_REQUEST_BYTES(at) PARIO_FIELD("request_bytes", SIZE, at)
#define PARIO_SHARED_PARTITIONS(at)                                            \
    PARIO_OPTION("partitions", STRING, at, "LIST")
#define PARIO_SHARED_SCALE(at)                                                 \
    PARIO_OPTION("scale", REAL, at, "FACTOR"), PARIO_RANGE(1e-6, 1e6)

/* Local. --partitions: numbers of processes of this group. */
int pario_shared_partitions(const struct pario_group *world, const char *text,
                            struct pario_list *list_p) PARIO_MUST_USE;

#endif
