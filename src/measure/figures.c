/* measure/figures.c - what was measured, until it is in the document. */
#include "measure/figures.h"

#include "core/units.h"
#include "measure/phase.h"
#include "result/value.h"

#include <stdio.h>
#include <string.h>

static int64_t add_seen(int64_t sum, int64_t more)
{
    return sum < 0 || more < 0 ? -1 : sum + more;
}

static void add_what_was_seen(struct pario_seen *sum,
                              const struct pario_seen *seen)
{
    sum->pause_s += seen->pause_s;
    sum->unseen_s += seen->unseen_s;
    sum->device_read_bytes =
        add_seen(sum->device_read_bytes, seen->device_read_bytes);
    sum->device_written_bytes =
        add_seen(sum->device_written_bytes, seen->device_written_bytes);
    sum->device_busy_ms = add_seen(sum->device_busy_ms, seen->device_busy_ms);
    sum->resident_bytes = add_seen(sum->resident_bytes, seen->resident_bytes);
    sum->unsynced |= seen->unsynced;
    sum->scattered |= seen->scattered;
}

void pario_figures_add(struct pario_figures *sum,
                       const struct pario_figures *figures)
{
    struct pario_flag_sum flags = {0};

    if (sum->passes == 0) {
        *sum = *figures;
        sum->passes = 1;
        return;
    }
    if (sum->wrong_bytes == 0)
        memcpy(sum->wrong, figures->wrong, sizeof(sum->wrong));
    sum->bytes += figures->bytes;
    sum->written_bytes += figures->written_bytes;
    sum->operations += figures->operations;
    sum->checked_bytes += figures->checked_bytes;
    sum->wrong_bytes += figures->wrong_bytes;
    sum->seconds += figures->seconds;
    sum->first_s += figures->first_s;
    sum->loop_s += figures->loop_s;
    sum->wall_s += figures->wall_s;
    add_what_was_seen(&sum->seen, &figures->seen);
    sum->cache = pario_verdict_join(sum->cache, figures->cache);
    pario_flag_sum_add(&flags, sum->flags);
    pario_flag_sum_add(&flags, figures->flags);
    sum->flags = pario_flag_sum_get(&flags);
    sum->passes++;
}

static int64_t share_of(int64_t seen, int64_t n)
{
    return seen > 0 ? seen / n : seen;
}

struct pario_figures pario_figures_one_of(const struct pario_figures *sum,
                                          double seconds)
{
    struct pario_figures one = *sum;
    int64_t n = sum->passes > 0 ? sum->passes : 1;

    one.bytes /= n;
    one.written_bytes /= n;
    one.operations /= n;
    one.first_s = one.loop_s = one.seconds = seconds;
    one.wall_s /= (double)n;
    one.seen.pause_s /= (double)n;
    one.seen.unseen_s /= (double)n;
    one.seen.device_read_bytes = share_of(sum->seen.device_read_bytes, n);
    one.seen.device_written_bytes = share_of(sum->seen.device_written_bytes, n);
    one.seen.device_busy_ms = share_of(sum->seen.device_busy_ms, n);
    one.seen.resident_bytes = share_of(sum->seen.resident_bytes, n);
    return one;
}

static int64_t member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static int64_t count(const json_t *object, const char *name)
{
    int64_t number = member(object, name);

    return number > 0 ? number : 0;
}

static enum pario_cache cache_named(const char *name)
{
    for (int i = PARIO_CACHE_UNKNOWN; i <= PARIO_CACHE_CACHE; i++)
        if (name != NULL && strcmp(name, pario_cache_names[i]) == 0)
            return (enum pario_cache)i;
    return PARIO_CACHE_UNKNOWN;
}

static int64_t times(int64_t seen, int64_t n)
{
    return seen < 0 ? -1 : seen * n;
}

/* Of so many passes, each with the time that stands in the measure. */
static double length(const json_t *measure, const char *name, int64_t passes)
{
    return pario_number_of(measure, name) * (double)passes;
}

static int is_read(const json_t *measure)
{
    const char *access = pario_text_of(measure, "access", NULL);

    return access != NULL && strcmp(access, "read") == 0;
}

void pario_figures_load(const json_t *measure, int64_t all, int64_t passes,
                        struct pario_figures *sum_p)
{
    const json_t *device = json_object_get(measure, "device");
    const json_t *verify = json_object_get(measure, "verify");
    const char *error = pario_text_of(measure, "error", NULL);
    int64_t bytes = times(member(measure, "bytes"), passes);
    double seconds = length(measure, "seconds", passes);
    double pause_s = length(measure, "pause_s", passes);

    *sum_p = (struct pario_figures){
        .bytes = bytes,
        .written_bytes = is_read(measure) ? 0 : bytes,
        .operations = times(member(measure, "operations"), passes),
        .checked_bytes = count(verify, "checked_bytes") / all * passes,
        .wrong_bytes = count(verify, "errors"), /* one is enough */
        .seconds = seconds,
        .first_s = length(measure, "first_done_s", passes),
        .loop_s = seconds, /* a document has it as one time */
        .wall_s = seconds + pause_s,
        .seen = {.device_read_bytes =
                     times(member(device, "read_bytes"), passes),
                 .device_written_bytes =
                     times(member(device, "written_bytes"), passes),
                 .device_busy_ms = times(member(device, "busy_ms"), passes),
                 .resident_bytes =
                     times(member(measure, "resident_before_bytes"), passes),
                 .pause_s = pause_s,
                 .unseen_s = length(measure, "unseen_s", passes),
                 .unsynced = json_is_true(json_object_get(measure, "unsynced")),
                 .scattered =
                     json_is_true(json_object_get(measure, "scattered"))},
        .cache = cache_named(pario_text_of(measure, "cache", NULL)),
        .flags = pario_flags_of_measure(measure),
        .passes = (int)passes,
    };
    if (error != NULL)
        snprintf(sum_p->wrong, sizeof(sum_p->wrong), "%s", error);
}

void pario_figures_measure(const struct pario_figures *figures,
                           struct pario_measure *measure)
{
    measure->bytes = figures->bytes;
    measure->operations = figures->operations;
    measure->seconds = figures->seconds;
    measure->first_done_s = figures->first_s;
    measure->last_done_s = figures->seconds;
    measure->checked_bytes = figures->checked_bytes;
    measure->errors = figures->wrong_bytes;
    measure->verify_off = (figures->flags & PARIO_FLAG_UNVERIFIED) != 0;
    measure->cache = figures->cache;
    measure->seen = &figures->seen;
    measure->flags |= figures->flags;
    if (figures->wrong_bytes > 0)
        measure->error = figures->wrong;
}

int pario_figures_record(struct pario_run *run,
                         const struct pario_figures *figures,
                         const struct pario_hist *latency,
                         struct pario_measure *measure)
{
    pario_figures_measure(figures, measure);
    measure->latency = latency;
    if (figures->wrong_bytes > 0)
        pario_run_invalidate(run, "wrong data, %s %s: %s", measure->test,
                             measure->access != NULL ? measure->access : "",
                             figures->wrong);
    return pario_run_add(run, measure);
}

/* Calls that move no data have a rate, too. */
static char *rate_text(const struct pario_figures *figures,
                       char text[PARIO_UNITS_LEN])
{
    char count[PARIO_UNITS_LEN];

    if (figures->bytes > 0 || figures->operations == 0)
        return pario_rate_print(pario_mbps(figures->bytes, figures->seconds),
                                text);
    (void)pario_count_print(figures->seconds > 0
                                ? (double)figures->operations / figures->seconds
                                : 0,
                            count);
    snprintf(text, PARIO_UNITS_LEN, "%.24s/s", count);
    return text;
}

int pario_phase_record(struct pario_phase *phase, struct pario_measure *measure)
{
    char rate[PARIO_UNITS_LEN];
    int code = pario_figures_record(phase->run, &phase->figures, phase->latency,
                                    measure);

    pario_progress_figure(&phase->run->progress,
                          rate_text(&phase->figures, rate));
    return pario_agree(phase->group, code);
}
