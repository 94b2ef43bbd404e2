/* measure/marks.c - facts of the suites, as flags. */
#include "measure/marks.h"

#include "result/value.h"

/* Less of the time than this in the calls, and the device worked on unseen. */
#define CALLS_SHARE 0.99

void pario_figures_read_back(struct pario_figures *wrote,
                             const struct pario_figures *did_read)
{
    wrote->checked_bytes = did_read->checked_bytes;
    if (did_read->checked_bytes > 0)
        wrote->flags &= ~(unsigned)PARIO_FLAG_UNVERIFIED;
}

void pario_figures_answer(struct pario_figures *figures)
{
    if (figures->seconds < PARIO_HEADLINE_S)
        figures->flags |= PARIO_FLAG_SHORT;
}

void pario_figures_one_piece(struct pario_figures *sum)
{
    if (sum->seconds >= PARIO_SHORT_S)
        sum->flags &= ~(unsigned)PARIO_FLAG_SHORT;
}

void pario_figures_unofficial(struct pario_figures *figures)
{
    figures->flags = pario_flags_unofficial(figures->flags);
}

unsigned pario_flags_with_failures(const struct pario_figures *figures,
                                   int64_t failures)
{
    return figures->flags | (failures > 0 ? PARIO_FLAG_FAILED : 0);
}

unsigned pario_flags_of_calls(const struct pario_figures *figures,
                              double calls_s)
{
    return figures->flags |
           (calls_s < CALLS_SHARE * figures->seconds ? PARIO_FLAG_PAUSED : 0);
}

unsigned pario_flags_unofficial(unsigned flags)
{
    return flags | PARIO_FLAG_PRELIMINARY;
}

unsigned pario_flags_of_headline(const json_t *measure)
{
    return pario_flags_of_measure(measure) |
           (pario_number_of(measure, "seconds") < PARIO_HEADLINE_S
                ? PARIO_FLAG_SHORT
                : 0);
}

unsigned pario_work_flags(const struct pario_work *work)
{
    return (work->unchecked ? PARIO_FLAG_UNVERIFIED : 0) |
           (work->seconds < PARIO_SHORT_S ? PARIO_FLAG_SHORT : 0);
}

int pario_work_record(struct pario_run *run, const struct pario_work *work,
                      struct pario_measure *measure)
{
    measure->bytes = work->bytes;
    measure->operations = work->operations;
    measure->seconds = work->seconds;
    measure->first_done_s = work->first_s;
    measure->last_done_s = work->first_s < 0 ? -1 : work->seconds;
    measure->checked_bytes = work->checked_bytes;
    measure->verify_off = work->unchecked;
    measure->flags |= pario_work_flags(work);
    return pario_run_add(run, measure);
}

int pario_failure_record(struct pario_run *run, const char *message,
                         struct pario_measure *measure)
{
    measure->error = message;
    return pario_run_add(run, measure);
}
