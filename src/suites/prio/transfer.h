/* suites/prio/transfer.h - what common_file, strided, single_file and raw
 * share: the data of a process is moved block by block. */
#ifndef PARIO_PRIO_TRANSFER_H
#define PARIO_PRIO_TRANSFER_H

#include "core/data.h"
#include "suites/prio/plan.h"

#define PRIO_PATH_LEN 4300

/* Where the data of a process lies. */
struct prio_layout {
    char path[PRIO_PATH_LEN];
    int shared;            /* one file of all processes of the group */
    int device;            /* never created, sized or removed */
    int64_t base;          /* file offset of the process's first byte */
    int64_t block, stride; /* > 0: every stride bytes a block of it */
    int64_t data_base;     /* separate files hold the bytes that one shared
                              file would: what to add to the file offset */
};

/* The file that is there already, so that it need not be written anew. */
struct prio_prepared {
    char path[PRIO_PATH_LEN];
    int64_t data_bytes, block;
    int processes;
    int exact;  /* its bytes are the data pattern */
    int device; /* no file: never removed */
    int shared; /* by all processes of the group */
};

/* Local. Notes that the file holds the data of this case; exact: its bytes
 * are the data pattern. */
void prio_prepared_note(struct prio_prepared *prepared,
                        const struct prio_case *what,
                        const struct prio_layout *layout, int exact);

/* Local. Sets path to env->directory/LABEL, with .RANK unless shared. */
void prio_layout_file(struct prio_layout *layout, const struct prio_env *env,
                      const struct prio_case *what, int shared);

/* Collective over env->group (prio_measure: env->all). The whole of a case:
 * prepares, moves, checks. */
int prio_transfer(struct prio_env *env, const struct prio_case *what,
                  const struct prio_layout *layout,
                  struct prio_figures *figures) PARIO_MUST_USE;

/* Collective. Removes the prepared file, if any. */
int prio_prepared_remove(struct prio_env *env,
                         const struct prio_layout *layout) PARIO_MUST_USE;

/* Collective over env->group. The file holds the data pattern of all
 * processes afterwards, durably; it is written only if it does not yet. */
int prio_prepare(struct prio_env *env, const struct prio_case *what,
                 const struct prio_layout *layout) PARIO_MUST_USE;

/* Local. Fills len bytes at `at` of the process's data; checks them. */
void prio_fill(const struct prio_env *env, const struct prio_case *what,
               const struct prio_layout *layout, int64_t at, char *buffer,
               size_t len);
void prio_check(const struct prio_env *env, const struct prio_case *what,
                const struct prio_layout *layout, int64_t at,
                const char *buffer, size_t len, struct pario_figures *figures);

/* Local. The case with other data: what rewrites a file must not write what
 * is there already, or a write that never happened would not be seen.
 * generation: 0 is that of the prepared file, below PRIO_GENERATIONS. */
#define PRIO_GENERATIONS 3
struct prio_case prio_generation(const struct prio_case *what, int generation);
/* Local. What a pass over the same requests stamps into them, by the place in
 * the data of all processes: that of a process begins at prio_data_offset. */
struct pario_data prio_stamps_of_pass(const struct pario_data *data,
                                      int64_t pass);
int64_t prio_data_offset(const struct prio_env *env,
                         const struct prio_case *what);

/* The requests of a process, and how many of them were done, pass after pass.
 */
struct prio_done {
    const struct prio_request *request;
    int64_t count, done;
};

/* Local. Reads back what the writes among them wrote, a sample of it or all,
 * and checks it and the size of the file. */
int prio_read_back(const struct prio_env *env, const struct prio_case *what,
                   const struct prio_layout *layout,
                   const struct prio_done *done,
                   struct pario_figures *figures) PARIO_MUST_USE;

#endif
