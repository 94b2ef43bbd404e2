/* result/samples.h - raw samples (`--samples FILE`) in the test suite's
 * keyword/value timings format (docs/timings-format.md). Bounded memory: a
 * rank keeps at most its buffer and writes it between timed phases. */
#ifndef PARIO_RESULT_SAMPLES_H
#define PARIO_RESULT_SAMPLES_H

#include "core/error.h"
#include "par/group.h"
#include <stddef.h>
#include <stdint.h>

/* Times of successive calls of one phase on one rank. Embedded. When full,
 * further samples are counted in `lost` and reported, never silently. */
struct pario_samples {
    uint32_t *ns; /* one per call; saturates at 4.29 s -> UINT32_MAX */
    size_t count, capacity;
    int64_t lost;
};

int pario_samples_init(struct pario_samples *samples,
                       size_t capacity) PARIO_MUST_USE;
void pario_samples_fini(struct pario_samples *samples);

/* In the timed loop. */
static inline void pario_samples_add(struct pario_samples *samples,
                                     int64_t elapsed_ns)
{
    if (samples->count < samples->capacity)
        samples->ns[samples->count++] =
            elapsed_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)elapsed_ns;
    else
        samples->lost++;
}

/* In the timed loop, where a histogram is wanted, too: one store a call, the
 * histogram is made afterwards by _fold. What does not fit, by number or size,
 * goes there at once. */
static inline void pario_samples_take(struct pario_samples *samples,
                                      struct pario_hist *hist,
                                      int64_t elapsed_ns)
{
    if (samples->count == samples->capacity || elapsed_ns >= UINT32_MAX)
        pario_hist_add(hist, elapsed_ns);
    pario_samples_add(samples, elapsed_ns);
}
/* Local. Once, before the samples are appended. */
void pario_samples_fold(const struct pario_samples *samples,
                        struct pario_hist *hist);

/* Collective. Appends one block (header keyword/value lines in `header`, then
 * the data of all ranks under `keyword`) to the timings file and empties
 * samples. header and keyword are those of rank 0. All ranks write at once,
 * each at its own offset: nothing is gathered. After an error on any rank the
 * file is as long as before, and samples are kept. A file that holds anything
 * but timings is refused with -EEXIST. */
int pario_samples_append(const struct pario_group *group, const char *path,
                         const char *header, const char *keyword,
                         struct pario_samples *samples) PARIO_MUST_USE;

/* Local. Can blocks be appended to this path? It need not exist; nothing is
 * changed. */
int pario_timings_check(const char *path) PARIO_MUST_USE;

/* Collective. The same for values that are no samples of a loop: unit "s"
 * takes nanoseconds of any size (pre_time, the time of a whole matrix), any
 * other unit whole numbers (the bytes of a call). None is negative. */
int pario_timings_append(const struct pario_group *group, const char *path,
                         const char *header, const char *keyword,
                         const char *unit, const int64_t *values,
                         size_t count) PARIO_MUST_USE;

#endif
