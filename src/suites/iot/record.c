/* suites/iot/record.c - from what the ranks did to measures of the result. */
#include "suites/iot/iot.h"

#include "core/units.h"
#include "measure/marks.h"
#include "measure/striping.h"
#include "result/parameters.h"
#include "result/value.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXTRAS 8
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
    char more[IOT_TEXT];

    snprintf(text, len, "%s, set %d (%s)", test->bench->test.name, number,
             pario_fields_label(iot_fields, test->bench->abilities, set, more,
                                sizeof(more)));
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
        .test = context->test->bench->test.name,
        .access = access,
        .partition = context->partition,
        .parameters = pario_parameters(
            iot_fields, context->test->bench->abilities, context->set),
        .first_done_s = -1,
        .last_done_s = -1,
    };
}

json_t *iot_greatest(const struct iot_context *context,
                     const struct iot_extra *extras)
{
    double values[MAX_EXTRAS] = {0};
    json_t *object = json_object();
    size_t n;

    for (n = 0; extras[n].name != NULL; n++) {
        assert(n < MAX_EXTRAS);
        values[n] = extras[n].mine;
    }
    if (pario_reduce_f64(context->run->world, PARIO_MAX, values, n) != 0)
        return object;
    for (size_t i = 0; i < n; i++)
        json_object_set_new(object, extras[i].name, pario_json_real(values[i]));
    return object;
}

json_t *iot_write_extra(const struct iot_context *context, double call_s,
                        double sync_s)
{
    return iot_greatest(context,
                        (const struct iot_extra[]){{"call_seconds", call_s},
                                                   {"sync_seconds", sync_s},
                                                   {NULL, 0}});
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
    size_t name = strlen(context->test->bench->test.name) + 2;

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
    pario_striping_check(context->run, &context->test->hints, context->path);
    return pario_phase_record(phase, &measure);
}

int iot_record_messages(struct iot_context *context, const char *access,
                        int64_t bytes, double seconds)
{
    struct pario_measure measure = iot_measure(context, access);
    struct pario_work work = {
        .bytes = iot_sum(context, bytes),
        .operations = context->size,
        .seconds = iot_max(context, seconds),
        .first_s = -iot_max(context, -seconds),
        .unchecked = context->run->common.verify == PARIO_VERIFY_OFF,
    };

    measure.extra = add_extra(context, NULL);
    measure.partition = context->size;
    return pario_agree(context->run->world,
                       pario_work_record(context->run, &work, &measure));
}
