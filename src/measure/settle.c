/* measure/settle.c - from what the processes did to one figure with its verdict
 * and its flags. */
#include "measure/devices.h"
#include "measure/phase.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Time in which the device may have worked unseen: more of it than this share
 * of the time marks the figure. */
#define UNSEEN_SHARE 0.01

static int reduce_sums(struct pario_phase *phase)
{
    struct pario_figures *figures = &phase->figures;
    int64_t sums[] = {figures->bytes,
                      figures->written_bytes,
                      figures->operations,
                      figures->data_bytes,
                      figures->checked_bytes,
                      figures->wrong_bytes,
                      figures->written_data_bytes};
    int code = pario_reduce_i64(phase->group, PARIO_SUM, sums, 7);

    figures->bytes = sums[0];
    figures->written_bytes = sums[1];
    figures->operations = sums[2];
    figures->data_bytes = sums[3];
    figures->checked_bytes = sums[4];
    figures->written_data_bytes = sums[6];
    /* Every process learns the first wrong place through the agreement. */
    if (code == 0 && figures->wrong_bytes > 0)
        code = pario_fail(PARIO_EVERIFY, "%s", figures->wrong);
    figures->wrong_bytes = sums[5];
    code = pario_agree(phase->group, code);
    if (code == PARIO_EVERIFY) {
        snprintf(figures->wrong, sizeof(figures->wrong), "%s",
                 pario_error_message());
        code = 0;
    }
    return code;
}

/* What was read ahead between the parts of a phase, as a part of this process's
 * time; all of the gaps, where the devices cannot be seen. */
static double gaps_unseen_s(const struct pario_phase *phase, double worked_s)
{
    double bytes = (double)phase->figures.bytes;

    if (!phase->has_parts || !pario_phase_reads_ahead(phase))
        return 0;
    if (phase->hidden_bytes < 0)
        return (double)phase->gaps_ns * 1e-9;
    return bytes > 0 ? worked_s * (double)phase->hidden_bytes / bytes : 0;
}

/* Where all have one clock, the time begins with the first process: one that
 * left the barrier late was late within the time. The outer clock went on with
 * the first, too. Nobody leaves a barrier before the last has come to it: where
 * the clock says so it is not one (virtual machines from one snapshot have the
 * same name of their kernel). */
static int begin_together(struct pario_phase *phase)
{
    int64_t ends[2] = {phase->idle ? INT64_MAX : phase->begin_ns,
                       -phase->ready_ns};
    int64_t late_ns;
    int code;

    if (!phase->run->kernels.one_clock)
        return 0;
    code = pario_reduce_i64(phase->group, PARIO_MIN, ends, 2);
    late_ns = phase->begin_ns - ends[0];
    if (code != 0 || phase->idle || late_ns <= 0 || ends[0] < -ends[1])
        return code;
    phase->begin_ns = ends[0];
    if (phase->resumed_outer)
        phase->outer->pause_ns -= late_ns;
    return 0;
}

/* A fact that one process knows is one of the figure. */
static int reduce_facts(struct pario_phase *phase)
{
    int64_t facts[] = {phase->unsynced, phase->unchecked, phase->unread,
                       phase->repeats_data, phase->scattered};
    int code = pario_reduce_i64(phase->group, PARIO_MAX, facts, 5);

    phase->unsynced = (int)facts[0];
    phase->unchecked = (int)facts[1];
    phase->unread = (int)facts[2];
    phase->repeats_data = (int)facts[3];
    phase->scattered = (int)facts[4];
    return code;
}

/* The slowest process counts; those who only waited have no time. */
static int reduce_times(struct pario_phase *phase)
{
    struct pario_figures *figures = &phase->figures;
    int64_t worked_ns = phase->end_ns - phase->begin_ns - phase->pause_ns;
    int64_t looped_ns =
        phase->looped_ns > 0
            ? phase->looped_ns - phase->begin_ns - phase->pause_ns
            : worked_ns;
    double most[] = {(double)worked_ns * 1e-9,
                     -(double)worked_ns * 1e-9,
                     (double)looped_ns * 1e-9,
                     (double)phase->unseen_ns * 1e-9,
                     (double)phase->pause_ns * 1e-9,
                     (double)(phase->end_ns - phase->begin_ns) * 1e-9};
    int code;

    most[3] += gaps_unseen_s(phase, most[0]);
    if (phase->idle) {
        most[0] = most[2] = most[3] = most[4] = most[5] = 0;
        most[1] = -INFINITY;
    }
    code = pario_reduce_f64(phase->group, PARIO_MAX, most, 6);
    figures->seconds = most[0];
    figures->first_s = isinf(most[1]) ? most[0] : -most[1];
    figures->loop_s = most[2];
    figures->seen.unseen_s = most[3];
    figures->seen.pause_s = most[4];
    figures->wall_s = most[5];
    return code;
}

static int64_t share_of(int64_t seen, int64_t mine, int64_t all)
{
    return seen > 0 && all > 0
               ? (int64_t)((double)seen * (double)mine / (double)all)
               : seen;
}

/* moved: bytes read and written by all who share the devices. */
static void credit_share(struct pario_evidence *evidence,
                         const int64_t moved[2])
{
    evidence->device_read_bytes =
        share_of(evidence->device_read_bytes, evidence->read_bytes, moved[0]);
    evidence->device_written_bytes = share_of(
        evidence->device_written_bytes, evidence->written_bytes, moved[1]);
}

/* Calls that each move a part of a page, in no order. */
static int is_scattered(const struct pario_phase *phase)
{
    const struct pario_figures *figures = &phase->figures;

    return phase->scattered &&
           figures->bytes < figures->operations * sysconf(_SC_PAGESIZE);
}

static int reads_data(const struct pario_phase *phase)
{
    return phase->figures.bytes > phase->figures.written_bytes;
}

/* Calls that take a page from the device where the cache has none. */
static int64_t calls_for_pages(const struct pario_phase *phase)
{
    return reads_data(phase) || is_scattered(phase) ? phase->figures.operations
                                                    : 0;
}

/* Groups side by side: each gets the share of their devices' bytes and requests
 * that its own are of all that was moved there. */
static int take_share(const struct pario_phase *phase,
                      struct pario_evidence *evidence)
{
    int speaks = pario_group_rank(phase->group) == 0;
    int64_t moved[] = {speaks ? evidence->read_bytes : 0,
                       speaks ? evidence->written_bytes : 0,
                       speaks ? calls_for_pages(phase) : 0};
    int code =
        pario_reduce_i64(pario_devices_users(phase), PARIO_SUM, moved, 3);

    credit_share(evidence, moved);
    evidence->device_reads =
        share_of(evidence->device_reads, calls_for_pages(phase), moved[2]);
    return code;
}

/* Parts that took turns: for which of them the device worked is not known. */
static int take_part(const struct pario_phase *phase,
                     struct pario_evidence *evidence)
{
    const struct pario_figures *outer = &phase->outer->figures;
    int64_t moved[] = {outer->bytes - outer->written_bytes,
                       outer->written_bytes};
    int code = pario_reduce_i64(phase->group, PARIO_SUM, moved, 2);

    credit_share(evidence, moved);
    return code;
}

/* -1: unknown. */
static int64_t bytes_of_share(double share, int64_t bytes)
{
    return share < 0 ? -1 : (int64_t)(share * (double)bytes);
}

static int judge(struct pario_phase *phase)
{
    struct pario_figures *figures = &phase->figures;
    const struct pario_phase *whole =
        phase->outer != NULL ? phase->outer : phase;
    struct pario_evidence evidence = {
        .read_bytes = phase->copies ? figures->bytes
                                    : figures->bytes - figures->written_bytes,
        .written_bytes = figures->written_bytes,
        .data_bytes = figures->data_bytes,
        .names_made = phase->names && phase->writing ? figures->operations : 0,
        .names_asked =
            phase->names && !phase->writing ? figures->operations : 0,
        .names_kept = phase->names_kept,
        .direct = phase->direct,
        .device_read_bytes = figures->seen.device_read_bytes,
        .device_written_bytes = figures->seen.device_written_bytes,
        .scattered_calls =
            is_scattered(phase) && reads_data(phase) ? figures->operations : 0,
        .written_once_bytes = figures->written_data_bytes,
        .unsynced = phase->unsynced,
        .unwritten_bytes = whole->unwritten,
        .device_reads = phase->device_reads,
        .nodes = pario_group_nodes(phase->group),
        .own_read_bytes = phase->own_read_bytes,
    };
    int64_t different =
        figures->data_bytes > 0 && figures->data_bytes < evidence.read_bytes
            ? figures->data_bytes
            : evidence.read_bytes;
    int code = pario_devices_kind(phase, &evidence.device);

    /* What was read found the share that was there of all: a part of a longer
     * phase, or where a sample was looked at. */
    figures->seen.unsynced = phase->unsynced && figures->written_bytes > 0;
    figures->seen.scattered = phase->scattered;
    evidence.resident_bytes = bytes_of_share(whole->resident_share, different);
    evidence.kept_bytes = bytes_of_share(whole->kept_share, different);
    figures->seen.resident_bytes = evidence.resident_bytes;
    if (code == 0 && phase->beside != NULL)
        code = take_share(phase, &evidence);
    if (code == 0 && phase->spread && phase->outer != NULL)
        code = take_part(phase, &evidence);
    if (evidence.device == PARIO_DEVICE_NONE)
        figures->seen.unseen_s = 0; /* in memory nothing works on */
    figures->seen.device_read_bytes = evidence.device_read_bytes;
    figures->seen.device_written_bytes = evidence.device_written_bytes;
    figures->cache = pario_evidence_verdict(&evidence);
    return code;
}

/* The parts of a phase are checked each for itself. */
static int is_unverified(const struct pario_phase *phase)
{
    const struct pario_figures *figures = &phase->figures;
    int wrote = figures->written_bytes > 0;

    return phase->run->common.verify == PARIO_VERIFY_OFF ||
           (wrote && phase->unread) ||
           (figures->checked_bytes == 0 &&
            (phase->unchecked ||
             (wrote && !phase->has_parts && !phase->read_later)));
}

static unsigned flags_of(const struct pario_phase *phase)
{
    const struct pario_figures *figures = &phase->figures;
    unsigned flags = figures->cache == PARIO_CACHE_CACHE   ? PARIO_FLAG_CACHE
                     : figures->cache == PARIO_CACHE_MIXED ? PARIO_FLAG_MIXED
                     : figures->cache == PARIO_CACHE_UNKNOWN
                         ? PARIO_FLAG_UNKNOWN
                         : 0;

    if (figures->seconds < PARIO_SHORT_S)
        flags |= PARIO_FLAG_SHORT;
    if (figures->seen.unseen_s > UNSEEN_SHARE * figures->seconds)
        flags |= PARIO_FLAG_PAUSED;
    if (is_unverified(phase))
        flags |= PARIO_FLAG_UNVERIFIED;
    if (phase->repeats_data)
        flags |= PARIO_FLAG_REPEATED;
    if (figures->wrong_bytes > 0)
        flags |= PARIO_FLAG_FAILED;
    return flags;
}

int pario_phase_settle(struct pario_phase *phase)
{
    int code = reduce_sums(phase);

    if (code == 0)
        code = reduce_facts(phase);
    if (code == 0)
        code = begin_together(phase);
    if (code == 0)
        code = reduce_times(phase);
    if (code == 0 && phase->latency != NULL)
        code = pario_merge_hist(phase->group, phase->latency);
    if (code == 0)
        code = judge(phase);
    phase->figures.flags = flags_of(phase);
    pario_phase_drop(phase);
    return code;
}

/* Each word comes from the one process that has it: the sum is that word. */
#define FIGURE_WORDS (sizeof(struct pario_figures) / sizeof(int64_t))
_Static_assert(sizeof(struct pario_figures) % sizeof(int64_t) == 0,
               "figures are whole words");

int pario_phase_share(struct pario_phase *phase,
                      const struct pario_group *wider)
{
    int speaks = phase->group != NULL && pario_group_rank(phase->group) == 0;
    int64_t words[FIGURE_WORDS] = {0};
    int code;

    if (speaks)
        memcpy(words, &phase->figures, sizeof(words));
    else if (phase->latency != NULL)
        pario_hist_init(phase->latency);
    code = pario_reduce_i64(wider, PARIO_SUM, words, FIGURE_WORDS);
    memcpy(&phase->figures, words, sizeof(words));
    if (code == 0 && phase->latency != NULL)
        code = pario_merge_hist(wider, phase->latency);
    phase->group = wider;
    return code;
}
