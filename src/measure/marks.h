/* measure/marks.h - what a suite knows of a figure and the engine cannot see.
 * The suite states the fact, the flag is made here. Local. */
#ifndef PARIO_MEASURE_MARKS_H
#define PARIO_MEASURE_MARKS_H

#include "measure/figures.h"

/* What was written was read and compared by another phase. */
void pario_figures_read_back(struct pario_figures *wrote,
                             const struct pario_figures *did_read);
/* The figure is an answer by itself: below PARIO_HEADLINE_S it is short. */
void pario_figures_answer(struct pario_figures *figures);
/* Phases that were added up are one piece of work: short is what all of them
 * took. */
void pario_figures_one_piece(struct pario_figures *sum);

/* The run is not official. */
void pario_figures_unofficial(struct pario_figures *figures);

/* The flags of a figure ... */
/* ... of which so many parts failed; */
unsigned pario_flags_with_failures(const struct pario_figures *figures,
                                   int64_t failures);
/* ... over the time in the calls alone: in the rest of its time the device
 * works on unseen; */
unsigned pario_flags_of_calls(const struct pario_figures *figures,
                              double calls_s);
/* ... of a run that is not official; */
unsigned pario_flags_unofficial(unsigned flags);
/* ... that is a headline, made of a measure of the document. */
unsigned pario_flags_of_headline(const json_t *measure);

/* Work that is no I/O: computing, messages between the processes. */
struct pario_work {
    int64_t bytes, operations;
    double seconds;        /* of the slowest process */
    double first_s;        /* of the fastest; < 0: not measured */
    int64_t checked_bytes; /* of the outcome */
    int unchecked;
};
unsigned pario_work_flags(const struct pario_work *work);
/* Acts on rank 0. The measure has its name, as for pario_figures_record. */
int pario_work_record(struct pario_run *run, const struct pario_work *work,
                      struct pario_measure *measure) PARIO_MUST_USE;

/* Acts on rank 0. What failed stands in the place of its measure. */
int pario_failure_record(struct pario_run *run, const char *message,
                         struct pario_measure *measure) PARIO_MUST_USE;

#endif
