/* suites/iot/record.c - from what the ranks did to measures of the result. */
#include "suites/iot/iot.h"

#include "core/units.h"

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
    if (set->separate)
        snprintf(more + strlen(more), sizeof(more) - strlen(more),
                 ", a file per process");
    if (set->repetition > 0)
        snprintf(more + strlen(more), sizeof(more) - strlen(more),
                 ", repetition %d", set->repetition);
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
    if (set->separate)
        json_object_set_new(object, "file_per_process", json_true());
    set_int(object, "repetition", set->repetition);
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

struct pario_measure iot_measure(const struct iot_context *context,
                                 const char *access)
{
    return (struct pario_measure){
        .test = iot_names[context->test->kind].name,
        .access = access,
        .partition = context->partition,
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

static json_t *add_extra(const struct iot_context *context, json_t *extra)
{
    if (extra == NULL)
        extra = json_object();
    json_object_set_new(extra, "filename",
                        json_string(context->test->filename));
    if (context->test->hints.count > 0)
        json_object_set_new(extra, "hints", hints_taken(context));
    return extra;
}

struct pario_phase iot_phase_of(struct iot_context *context, int writing)
{
    return (struct pario_phase){
        .run = context->run,
        .group = context->run->world,
        .path = context->path,
        .shared = !context->set->separate,
        .writing = writing,
        .reading = !writing,
    };
}

void iot_phase_moved(struct pario_phase *phase, int64_t bytes,
                     int64_t operations)
{
    phase->figures.bytes = bytes;
    phase->figures.written_bytes = phase->writing ? bytes : 0;
    phase->figures.operations = operations;
}

/* The place alone does not tell which of many sets it was. */
static void name_set(struct iot_context *context, struct pario_figures *figures)
{
    char what[IOT_TEXT], text[2 * IOT_TEXT];
    size_t name = strlen(iot_names[context->test->kind].name) + 2;

    iot_describe(context->test, context->set, context->number, what,
                 sizeof(what));
    snprintf(text, sizeof(text), "%s: %s", what + name, figures->wrong);
    if (context->wrong[0] == '\0')
        snprintf(context->wrong, sizeof(context->wrong), "wrong data: %.*s",
                 IOT_TEXT - 16, figures->wrong);
    snprintf(figures->wrong, sizeof(figures->wrong), "%.*s",
             (int)sizeof(figures->wrong) - 1, text);
}

int iot_record(struct iot_context *context, struct pario_phase *phase,
               const char *access, json_t *extra)
{
    struct pario_figures *figures = &phase->figures;
    struct pario_measure measure = iot_measure(context, access);

    measure.extra = add_extra(context, extra);
    if (figures->wrong_bytes > 0)
        name_set(context, figures);
    context->mbps = pario_mbps(figures->bytes, figures->seconds);
    return pario_phase_record(phase, &measure);
}

int iot_record_messages(struct iot_context *context, const char *access,
                        int64_t bytes, double seconds)
{
    struct pario_measure measure = iot_measure(context, access);

    measure.extra = add_extra(context, NULL);
    measure.partition = context->size;
    measure.bytes = iot_sum(context, bytes);
    measure.operations = context->size;
    measure.seconds = measure.last_done_s = iot_max(context, seconds);
    measure.first_done_s = -iot_max(context, -seconds);
    measure.verify_off = context->run->common.verify == PARIO_VERIFY_OFF;
    return pario_agree(context->run->world,
                       pario_run_add(context->run, &measure));
}
