/* suites/iot/record.c - from what the ranks did to measures of the result. */
#include "suites/iot/iot.h"

#include "core/units.h"
#include "sys/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_MBPS                                                              \
    5 /* a phase slower than this is taken to hang, in the end                 \
       */

double iot_max(const struct iot_context *context, double value)
{
    return pario_reduce_f64(context->run->world, PARIO_MAX, &value, 1) == 0
               ? value
               : -1;
}

double iot_mean(const struct iot_context *context, double value)
{
    return pario_reduce_f64(context->run->world, PARIO_SUM, &value, 1) == 0
               ? value / context->size
               : -1;
}

int64_t iot_sum(const struct iot_context *context, int64_t value)
{
    return pario_reduce_i64(context->run->world, PARIO_SUM, &value, 1) == 0
               ? value
               : -1;
}

void iot_describe(const struct iot_test *test, const struct iot_set *set,
                  int number, char *text, size_t len)
{
    char more[IOT_TEXT] = "";
    size_t used = 0;

    if (set->block_bytes > 0)
        snprintf(more, sizeof(more), "filesize %g MB, blocksize %g MB",
                 (double)set->file_bytes / 1e6, (double)set->block_bytes / 1e6);
    else if (set->block_max > 0)
        snprintf(more, sizeof(more), "filesize %g MB, blocks %g to %g MB",
                 (double)set->file_bytes / 1e6, (double)set->block_min / 1e6,
                 (double)set->block_max / 1e6);
    for (int d = 0; d < set->ndims; d++)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "%s%lld",
                                 d > 0 ? " x " : "", (long long)set->size[d]);
    for (int d = 0; d < set->ndims && set->grid[0] > 0; d++)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "%s%d",
                                 d > 0 ? " x " : " on ", set->grid[d]);
    if (test->kind == IOT_NONSEQ)
        snprintf(more + strlen(more), sizeof(more) - strlen(more),
                 ", update_frac %g", set->update_frac);
    if (test->kind == IOT_OUTOFCORE)
        snprintf(more + used, sizeof(more) - used, ", memory %g MB, %s-looking",
                 (double)set->memory_bytes / 1e6,
                 set->variant == IOT_LEFT ? "left" : "right");
    snprintf(text, len, "%s, set %d (%s)", iot_names[test->kind].name, number,
             more);
}

void iot_phase(struct iot_context *context, int64_t bytes, double more_s,
               const char *what)
{
    char text[IOT_TEXT];

    iot_describe(context->test, context->set, context->number, text,
                 sizeof(text));
    pario_run_phase(context->run, (double)bytes / (SLOW_MBPS * 1e6) + more_s,
                    "%s %s", text, what);
}

static void set_int(json_t *object, const char *name, int64_t value)
{
    if (value > 0)
        json_object_set_new(object, name, json_integer(value));
}

/* What tells this set from every other of the run. */
static json_t *parameters(const struct iot_context *context)
{
    const struct iot_set *set = context->set;
    json_t *object = json_object();
    char name[16];

    set_int(object, "set", context->number);
    set_int(object, "line", context->test->line);
    set_int(object, "file_bytes", set->file_bytes);
    set_int(object, "block_bytes", set->block_bytes);
    if (set->block_max > 0) {
        json_object_set_new(object, "blockmin_bytes",
                            json_integer(set->block_min));
        set_int(object, "blockmax_bytes", set->block_max);
    }
    for (int d = 0; d < set->ndims; d++) {
        snprintf(name, sizeof(name), "%csize", 'x' + d);
        set_int(object, name, set->size[d]);
        snprintf(name, sizeof(name), "%cproc", 'x' + d);
        set_int(object, name, set->grid[d]);
    }
    if (iot_has_collective(context->test->kind))
        json_object_set_new(object, "collective",
                            json_boolean(set->collective));
    json_object_set_new(object, "preallocate", json_boolean(set->preallocate));
    if (set->fuzzy > 0)
        json_object_set_new(object, "fuzzy", json_real(set->fuzzy));
    if (context->test->kind == IOT_NONSEQ)
        json_object_set_new(object, "update_frac", json_real(set->update_frac));
    set_int(object, "task_order", set->task_order);
    set_int(object, "task_repeat", set->task_repeat);
    set_int(object, "memory_bytes", set->memory_bytes);
    set_int(object, "panel", set->panel);
    if (context->test->kind == IOT_OUTOFCORE)
        json_object_set_new(
            object, "variant",
            json_string(set->variant == IOT_LEFT ? "left" : "right"));
    set_int(object, "nodal_variables", set->nodal);
    set_int(object, "element_variables", set->elemental);
    set_int(object, "scramble", set->scramble);
    return object;
}

/* Which of the hints asked for the library took (B.2). */
static json_t *hints_taken(const struct iot_context *context)
{
    const struct pario_hints *asked = &context->test->hints;
    json_t *object = json_object();

    for (size_t i = 0; i < asked->count; i++) {
        const char *value =
            pario_hints_get(&context->in_force, asked->hint[i].key);

        json_object_set_new(
            object, asked->hint[i].key,
            json_pack("{s:s, s:s?, s:b}", "requested", asked->hint[i].value,
                      "in_force", value, "taken",
                      value != NULL &&
                          strcmp(value, asked->hint[i].value) == 0));
    }
    return object;
}

/* The less favourable of two: what is not known may not pass for disk. */
static enum pario_cache worse(enum pario_cache a, enum pario_cache b)
{
    if (a == PARIO_CACHE_UNKNOWN || b == PARIO_CACHE_UNKNOWN)
        return a == PARIO_CACHE_DISK || b == PARIO_CACHE_DISK
                   ? PARIO_CACHE_UNKNOWN
                   : (a > b ? a : b);
    return a > b ? a : b;
}

/* What is read more than once is in the file once: residency is a share of
 * the file, not of the bytes moved. */
static enum pario_cache verdict(const struct iot_context *context,
                                const struct iot_figures *figures,
                                int64_t bytes)
{
    struct pario_cache_evidence evidence = {
        .writing = !figures->reading,
        .synced = figures->synced,
        .memory_backed = context->fs.memory_backed,
        .bytes = bytes,
        .data_bytes = figures->reading ? context->set->file_bytes : 0,
        .resident_bytes = context->resident_bytes,
        .capacity_bytes = pario_node_cache_capacity(&context->run->node) *
                          pario_group_nodes(context->run->world),
    };

    enum pario_cache cache = PARIO_CACHE_UNKNOWN;

    if (figures->messages)
        return cache;
    cache = pario_cache_verdict(&evidence);
    for (int i = 0; i < figures->nparts; i++)
        cache = worse(cache, figures->parts[i]);
    return cache;
}

struct pario_measure iot_measure(const struct iot_context *context,
                                 const char *access, int partition)
{
    return (struct pario_measure){
        .test = iot_names[context->test->kind].name,
        .access = access,
        .partition = partition,
        .parameters = parameters(context),
        .first_done_s = -1,
        .last_done_s = -1,
    };
}

json_t *iot_write_extra(const struct iot_context *context, double call_s,
                        double sync_s)
{
    call_s = iot_max(context, call_s);
    sync_s = iot_max(context, sync_s);
    return json_pack("{s:f, s:f}", "call_seconds", call_s, "sync_seconds",
                     sync_s);
}

/* All ranks learn of the first wrong place. */
static int agree_on_wrong(struct iot_context *context,
                          const struct iot_figures *figures, int64_t wrong,
                          char text[IOT_TEXT])
{
    int code = 0;

    if (wrong == 0)
        return 0;
    if (figures->wrong_bytes > 0)
        code = pario_fail(PARIO_EVERIFY, "rank %d: %s", context->rank,
                          figures->wrong);
    code = pario_agree(context->run->world, code);
    if (code != PARIO_EVERIFY)
        return code;
    snprintf(text, IOT_TEXT, "%.*s", IOT_TEXT - 1, pario_error_message());
    return 0;
}

static void add_extra(struct iot_context *context,
                      const struct iot_figures *figures, json_t **extra_p)
{
    json_t *extra = figures->extra != NULL ? figures->extra : json_object();

    json_object_set_new(extra, "filename",
                        json_string(context->test->filename));
    if (context->test->hints.count > 0)
        json_object_set_new(extra, "hints", hints_taken(context));
    *extra_p = extra;
}

int iot_record(struct iot_context *context, const struct iot_figures *figures)
{
    struct pario_run *run = context->run;
    struct pario_measure measure;
    static struct pario_hist latency; /* 20 kB: not on the stack */
    int64_t sums[] = {figures->bytes, figures->operations,
                      figures->checked_bytes, figures->wrong_bytes};
    double slowest = figures->active ? figures->seconds : 0;
    double fastest = figures->active ? figures->seconds : 1e30;
    char wrong[IOT_TEXT] = "", what[IOT_TEXT];
    int code = pario_reduce_i64(run->world, PARIO_SUM, sums, 4);

    slowest = iot_max(context, slowest);
    fastest = -iot_max(context, -fastest);
    pario_hist_init(&latency);
    if (figures->latency != NULL)
        latency = *figures->latency;
    if (code == 0)
        code = pario_merge_hist(run->world, &latency);
    if (code == 0)
        code = agree_on_wrong(context, figures, sums[3], wrong);
    measure = iot_measure(context, figures->access, figures->partition);
    add_extra(context, figures, &measure.extra);
    measure.bytes = sums[0];
    measure.operations = sums[1];
    measure.seconds = fmax(slowest, figures->slowest_s);
    measure.first_done_s = fastest;
    measure.last_done_s = slowest;
    measure.latency = latency.count > 0 ? &latency : NULL;
    measure.checked_bytes = sums[2];
    measure.errors = sums[3];
    measure.verify_off = run->common.verify == PARIO_VERIFY_OFF;
    context->cache = measure.cache = verdict(context, figures, sums[0]);
    if (sums[3] > 0) {
        measure.error = wrong;
        iot_describe(context->test, context->set, context->number, what,
                     sizeof(what));
        pario_run_invalidate(run, "wrong data in %s: %s", what, wrong);
        if (context->wrong[0] == '\0')
            snprintf(context->wrong, sizeof(context->wrong), "wrong data: %.*s",
                     IOT_TEXT - 16, wrong);
    }
    context->mbps = pario_mbps(sums[0], measure.seconds);
    if (code == 0)
        pario_progress_figure(&run->progress, context->mbps);
    if (code == 0)
        code = pario_run_add(run, &measure);
    return pario_agree(run->world, code);
}
