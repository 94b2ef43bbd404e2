/* suites/beffio/hintset.h - the hints file of Sect. 7.1: hints by pattern
 * type, access method and chunk size. */
#ifndef PARIO_BEFFIO_HINTSET_H
#define PARIO_BEFFIO_HINTSET_H

#include "core/error.h"
#include "io/hints.h"
#include "suites/beffio/patterns.h"

struct beffio_hintset; /* opaque */

/*
 * Local. Reads a keyword file. Hints before the first section hold for all;
 * a section narrows them down by any of: `type 0` or the type's name, an
 * access (write, rewrite, read), `chunk 32k` (1k+8, M_PART ...):
 *     [type 0 chunk 1k]
 * Later sections win. Unknown hints are errors with line and nearest name
 * unless any_hint. The caller owns *set_p.
 */
int beffio_hintset_read(const char *path, int any_hint,
                        struct beffio_hintset **set_p) PARIO_MUST_USE;
/* Local. The empty set, named "defaults". */
int beffio_hintset_empty(struct beffio_hintset **set_p) PARIO_MUST_USE;
/* Local. These hints for everything. */
int beffio_hintset_of(const struct pario_hints *hints,
                      struct beffio_hintset **set_p) PARIO_MUST_USE;
void beffio_hintset_destroy(struct beffio_hintset *set);
const char *beffio_hintset_name(const struct beffio_hintset *set);

/* Local. What `pario tune` wrote in the file's comments as needed beside the
 * hints and this run does not have: "NAME=VALUE and --mpiio=shipio"; NULL. */
const char *beffio_hintset_unmet(const struct beffio_hintset *set);

/* Local. Adds the hints for opening a file of this type and access. */
int beffio_hintset_open(const struct beffio_hintset *set, enum beffio_type type,
                        enum beffio_access access,
                        struct pario_hints *hints) PARIO_MUST_USE;
/* Local. Adds the hints that also name this chunk size (for set_view);
 * *found_p: whether any section does so. */
int beffio_hintset_chunk(const struct beffio_hintset *set,
                         enum beffio_type type, enum beffio_access access,
                         int64_t l, struct pario_hints *hints,
                         int *found_p) PARIO_MUST_USE;
/* Local. Does any section for this type and access name a chunk size? */
int beffio_hintset_has_chunks(const struct beffio_hintset *set,
                              enum beffio_type type, enum beffio_access access);
/* Local. Everything, as "section: key=value" lines, for reports. */
int beffio_hintset_list(const struct beffio_hintset *set,
                        struct pario_hints *all) PARIO_MUST_USE;

#endif
