/* par/group.h - the processes of a run: over MPI, or one process alone.
 *
 * "Collective" means: over the members of the group, all must call. Every
 * function returns 0 or a negative error.
 */
#ifndef PARIO_PAR_GROUP_H
#define PARIO_PAR_GROUP_H

#include "core/error.h"
#include "core/stats.h"
#include <stddef.h>
#include <stdint.h>

struct pario_group; /* opaque; par/mpi.h gives its communicator */

/* Local, before pario_par_start: several threads will call MPI. Whether they
 * may, pario_par_thread_level says. */
void pario_par_want_threads(void);

/* Collective over all started processes. The caller owns *world_p. */
int pario_par_start(int *argc, char ***argv,
                    struct pario_group **world_p) PARIO_MUST_USE;
/* Local. This process alone, without MPI: it starts jobs itself. */
int pario_par_start_alone(struct pario_group **world_p) PARIO_MUST_USE;
void pario_par_finish(struct pario_group *world);

/* Local. Was this process started by mpirun or srun? Needs no MPI_Init. */
int pario_par_launched(void);
int pario_par_launched_rank(void); /* 0 when not launched */
/* Local. How many processes the launcher says that it has started; 0: it does
 * not say. */
int pario_par_launched_size(void);
/* Local. May files be large enough for the launcher and the MPI library? Open
 * MPI's hangs where its shared memory may not be made. */
int pario_par_check_limits(void) PARIO_MUST_USE;
/* Local. A process that finds itself alone: did the launcher start more? */
int pario_par_check_alone(void) PARIO_MUST_USE;

/* Local. Library and version, e.g. "Open MPI 4.1.4", "none"; thread level. */
const char *pario_par_library(void);
const char *pario_par_thread_level(void);
double pario_par_tick_s(void); /* MPI_Wtick, or the clock's resolution */
double pario_par_time_s(void); /* MPI_Wtime; -1: none */

int pario_group_rank(const struct pario_group *group);
int pario_group_size(const struct pario_group *group);
int pario_group_node(const struct pario_group *group); /* 0 .. nodes-1 */
int pario_group_nodes(const struct pario_group *group);
int pario_group_node_rank(const struct pario_group *group);
int pario_group_node_size(const struct pario_group *group);

/* Collective over parent. The first `members` ranks form the new group; the
 * others get NULL. A partition in b_eff_io's sense. */
int pario_group_first(const struct pario_group *parent, int members,
                      struct pario_group **group_p) PARIO_MUST_USE;
/* Collective over parent. One group per colour, in rank order. */
int pario_group_split(const struct pario_group *parent, int colour,
                      struct pario_group **group_p) PARIO_MUST_USE;
/* Local. A group of this process alone. */
int pario_group_self(struct pario_group **group_p) PARIO_MUST_USE;
void pario_group_destroy(struct pario_group *group);

/* Collective. They fail only when MPI itself does. */
int pario_barrier(const struct pario_group *group);
/* As pario_barrier, for ranks that wait long while others measure: sleeps
 * instead of spinning. */
int pario_barrier_idle(const struct pario_group *group);
int pario_bcast(const struct pario_group *group, void *buf, size_t len);
enum pario_op { PARIO_SUM, PARIO_MIN, PARIO_MAX };
int pario_reduce_i64(const struct pario_group *group, enum pario_op op,
                     int64_t *values, size_t count); /* all ranks get it */
int pario_reduce_f64(const struct pario_group *group, enum pario_op op,
                     double *values, size_t count);
int pario_merge_hist(const struct pario_group *group, struct pario_hist *hist);
/* Collective. len bytes of every rank to rank 0 in rank order (all: size*len
 * bytes, NULL elsewhere). For small facts only. */
int pario_gather(const struct pario_group *group, const void *mine, size_t len,
                 void *all);

/*
 * Collective: the agreement point of the collective rule. Every rank comes
 * with its own code; all leave with the same one: 0 if all had 0, else the
 * code of the lowest failing rank, whose message becomes everyone's
 * ("rank 3: ..."). The watchdog sees to it that ranks that never come end
 * the job rather than hang it.
 */
int pario_agree(const struct pario_group *group, int code) PARIO_MUST_USE;

#endif
