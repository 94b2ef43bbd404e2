/* suites/prio/record.c - what the processes measured becomes one measure. */
#include "core/units.h"
#include "result/parameters.h"
#include "result/value.h"
#include "suites/prio/keys.h"
#include "suites/prio/prio.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parameters of a measure, in the words of the document. */
struct parameters {
    const char *directory, *section, *mix, *ratio, *device;
    char ratio_text[48];
    int64_t data_bytes, data_low, data_high;
    int64_t request_bytes, request_most_bytes;
    int64_t queue_depth, blocks, prefetch, repetition;
    double think_s, time_s;
    int method, sync, direct, buffer;
};

/* Beside the abilities of bench.h. */
enum { HAS_METHODS = 1 << 16 };

#define AT(member) offsetof(struct parameters, member)
#define IF_SET .rules = PARIO_FIELD_IF_SET

const struct pario_field prio_parameters[] = {
    {PARIO_FIELD("directory", STRING, AT(directory))},
    {PARIO_FIELD("section", STRING, AT(section))},
    {.name = "mix", .type = PARIO_OPT_STRING, .offset = AT(mix), IF_SET},
    {PARIO_FIELD("method", CHOICE, AT(method)), .choices = prio_method_names,
     .needs = HAS_METHODS},
    {.name = "data_bytes",
     .type = PARIO_OPT_SIZE,
     .offset = AT(data_bytes),
     .unless = PRIO_NO_DATA,
     IF_SET},
    /* Repetitions may draw their size between these: it stands beside. */
    {.name = "data_least_bytes",
     .type = PARIO_OPT_SIZE,
     .offset = AT(data_low),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {.name = "data_most_bytes",
     .type = PARIO_OPT_SIZE,
     .offset = AT(data_high),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {PARIO_FIELD("request_bytes", SIZE, AT(request_bytes)),
     .unless = PRIO_NO_DATA},
    {.name = "request_most_bytes",
     .type = PARIO_OPT_SIZE,
     .offset = AT(request_most_bytes),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {PARIO_FIELD("ratio", STRING, AT(ratio)), .unless = PRIO_NO_DATA},
    {PARIO_FLAG("direct", AT(direct)), .unless = PRIO_NO_DATA},
    {PARIO_FIELD("sync", CHOICE, AT(sync)), .choices = prio_sync_names,
     .unless = PRIO_NO_DATA},
    {.name = "queue_depth",
     .type = PARIO_OPT_INT,
     .offset = AT(queue_depth),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {PARIO_FIELD("blocks", INT, AT(blocks)), .needs = PRIO_STRIDES},
    {PARIO_FIELD("device", STRING, AT(device)), .needs = PRIO_ON_DEVICE},
    {.name = "think_s",
     .type = PARIO_OPT_TIME,
     .offset = AT(think_s),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {.name = "prefetch",
     .type = PARIO_OPT_INT,
     .offset = AT(prefetch),
     .unless = PRIO_NO_DATA,
     IF_SET},
    {.name = "time_s",
     .type = PARIO_OPT_TIME,
     .offset = AT(time_s),
     .needs = PRIO_CAN_TIME,
     IF_SET},
    {.name = "buffer",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(buffer),
     .choices = prio_buffer_names,
     .unless = PRIO_NO_DATA,
     IF_SET},
    {PARIO_FIELD("repetition", INT, AT(repetition)), .rules = PARIO_FIELD_FREE},
    {.name = NULL},
};

static int is_drawn(const struct prio_case *what)
{
    return what->data_low != what->data_high;
}

/* Fills in *values, which stays where it is. */
static void set_values(const struct prio *prio, const struct prio_bench *bench,
                       const struct prio_case *what, const struct prio_mix *mix,
                       struct parameters *values)
{
    int queued = what->depth > 1 && what->method == PRIO_URING;
    int drawn = what->request_high != what->request_low;

    *values = (struct parameters){
        .directory = prio->directory[prio->present],
        .section = what->label,
        .mix = mix != NULL ? mix->label : NULL,
        .method = what->method,
        .data_bytes = is_drawn(what) ? 0 : what->data_bytes,
        .data_low = is_drawn(what) ? what->data_low : 0,
        .data_high = is_drawn(what) ? what->data_high : 0,
        .request_bytes = what->request_low,
        .request_most_bytes = drawn ? what->request_high : 0,
        .ratio = values->ratio_text,
        .direct = what->direct,
        /* async times the request alone. */
        .sync = bench->abilities & PRIO_WHOLE ? PRIO_SYNC_NONE : what->sync,
        .queue_depth = queued ? what->depth : 0,
        .blocks = what->blocks,
        .device = what->device,
        .think_s = what->think_s,
        .prefetch = what->prefetch,
        .time_s = what->time_s,
        .buffer = what->reuse_buffer,
        .repetition = what->repetition,
    };
    snprintf(values->ratio_text, sizeof(values->ratio_text), "%lld:%lld",
             (long long)what->reads, (long long)what->writes);
}

/* The keywords of a plug-in are parameters, too. */
static int add_own(json_t *object, const struct prio_bench *bench,
                   const struct prio_case *what)
{
    const struct pario_option *word = bench->keywords;
    int code = 0;

    for (; code == 0 && word != NULL && word->name != NULL; word++) {
        const struct pario_field own[] = {{.name = word->name,
                                           .type = word->type,
                                           .offset = word->offset,
                                           .choices = word->choices},
                                          {.name = NULL}};

        code = pario_parameters_set(object, own, 0, what->own);
    }
    return code;
}

static json_t *describe(const struct prio *prio, const struct prio_bench *bench,
                        const struct prio_case *what,
                        const struct prio_mix *mix)
{
    struct parameters values;
    json_t *object;

    set_values(prio, bench, what, mix, &values);
    object = pario_parameters(
        prio_parameters,
        bench->abilities | (bench->methods != 0 ? HAS_METHODS : 0), &values);
    if (object != NULL && add_own(object, bench, what) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static struct pario_measure measure_of(const struct prio *prio,
                                       const struct prio_bench *bench,
                                       const struct prio_case *what,
                                       const struct prio_mix *mix)
{
    return (struct pario_measure){
        .test = bench->test.name,
        .access = bench->patterns != 0 ? prio_pattern_names[what->pattern]
                                       : bench->test.name,
        .partition = what->processes,
        .parameters = describe(prio, bench, what, mix),
        .first_done_s = -1,
        .last_done_s = -1,
    };
}

/* All but the repetition. */
static int same_case(const struct prio *prio,
                     const struct prio_outcome *outcome,
                     const struct prio_bench *bench,
                     const struct prio_case *what, int in_mix)
{
    struct parameters mine, others;

    if (outcome->bench != bench || outcome->directory != prio->present ||
        outcome->in_mix != in_mix || outcome->what.pattern != what->pattern ||
        outcome->what.processes != what->processes)
        return 0;
    set_values(prio, bench, &outcome->what, NULL, &mine);
    set_values(prio, bench, what, NULL, &others);
    return pario_fields_equal(prio_parameters, &mine, &others);
}

/* The repetitions of a case are one outcome. */
static struct prio_outcome *outcome_of(struct prio *prio,
                                       const struct prio_bench *bench,
                                       const struct prio_case *what, int in_mix)
{
    struct prio_outcomes *outcomes = &prio->outcomes;
    struct prio_outcome *grown;

    for (size_t i = 0; i < outcomes->count; i++)
        if (same_case(prio, &outcomes->outcome[i], bench, what, in_mix))
            return &outcomes->outcome[i];
    grown = realloc(outcomes->outcome, (outcomes->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return NULL;
    outcomes->outcome = grown;
    grown += outcomes->count++;
    *grown = (struct prio_outcome){.bench = bench,
                                   .what = *what,
                                   .directory = prio->present,
                                   .in_mix = in_mix,
                                   .losses = {NAN, NAN}};
    return grown;
}

/* Of one repetition. */
struct repetition {
    double mbps, losses[2];
    unsigned flags;
};

static int is_cached(unsigned flags)
{
    return (flags &
            (PARIO_FLAG_CACHE | PARIO_FLAG_MIXED | PARIO_FLAG_UNKNOWN)) != 0;
}

static int keep_outcome(struct prio *prio, const struct prio_bench *bench,
                        const struct prio_case *what, int in_mix,
                        const struct repetition *one)
{
    struct prio_outcome *outcome = outcome_of(prio, bench, what, in_mix);
    double *grown =
        outcome != NULL
            ? realloc(outcome->mbps, (outcome->count + 1) * sizeof(*grown))
            : NULL;

    if (grown == NULL)
        return pario_fail_errno(-ENOMEM, "cannot keep a figure");
    outcome->mbps = grown;
    for (int i = 0; i < 2; i++) {
        double n = (double)outcome->count;

        outcome->losses[i] =
            outcome->count == 0
                ? one->losses[i]
                : (outcome->losses[i] * n + one->losses[i]) / (n + 1);
    }
    outcome->nshort += (one->flags & PARIO_FLAG_SHORT) != 0;
    outcome->ncached += (size_t)is_cached(one->flags);
    pario_flag_sum_add(&outcome->flags, one->flags);
    grown[outcome->count++] = one->mbps;
    return 0;
}

/* A measure of the resumed document counts as if it were made now. */
static void keep_recorded(struct prio *prio, const struct prio_bench *bench,
                          const struct prio_case *what, int in_mix,
                          const json_t *found)
{
    const json_t *acl = json_object_get(found, "acl");
    const json_t *abl = json_object_get(found, "abl");
    struct repetition one = {
        .mbps = pario_number_of(found, "bandwidth_mbps"),
        .losses = {acl != NULL ? json_number_value(acl) : NAN,
                   abl != NULL ? json_number_value(abl) : NAN},
        .flags = pario_flags_of_measure(found),
    };

    if (keep_outcome(prio, bench, what, in_mix, &one) != 0)
        pario_run_warn(prio->run, "%s", pario_error_message());
}

int prio_is_recorded(struct prio *prio, const struct prio_bench *bench,
                     const struct prio_case *what, const struct prio_mix *mix)
{
    struct pario_measure like = measure_of(prio, bench, what, mix);
    const json_t *found = prio->run->result != NULL
                              ? pario_result_find(prio->run->result, &like)
                              : NULL;
    int64_t done = found != NULL;

    if (found != NULL)
        keep_recorded(prio, bench, what, mix != NULL, found);
    json_decref(like.parameters);
    if (pario_bcast(prio->run->world, &done, sizeof(done)) != 0)
        return 0;
    return (int)done;
}

void prio_outcomes_fini(struct prio_outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++)
        free(outcomes->outcome[i].mbps);
    free(outcomes->outcome);
    *outcomes = (struct prio_outcomes){0};
}

/* Collective. Reads and writes are two blocks: each says what it holds. */
static int append_samples(struct prio *prio, const struct prio_bench *bench,
                          const struct prio_case *what)
{
    static const char *const kinds[] = {"read", "write"};
    static const char *const keywords[] = {"r", "w"};
    const int64_t wanted[] = {what->reads, what->writes};
    char header[512];
    int code = 0;

    for (int i = 0; prio->run->common.samples != NULL && i < 2 && code == 0;
         i++) {
        if (wanted[i] == 0)
            continue;
        snprintf(header, sizeof(header),
                 "suite prio\ntestname %s\nsection %s\npattern %s\n"
                 "method %s\nblocksize %lld\nratio %lld:%lld\naccess %s\n",
                 bench->test.name, what->label,
                 prio_pattern_names[what->pattern],
                 prio_method_names[what->method], (long long)what->request_high,
                 (long long)what->reads, (long long)what->writes, kinds[i]);
        code = pario_samples_append(prio->run->world, prio->run->common.samples,
                                    header, keywords[i], &prio->samples[i]);
    }
    return code;
}

static json_t *describe_further(const struct prio_case *what,
                                const struct prio_figures *figures)
{
    const struct pario_figures *made = &figures->phase->figures;
    json_t *extra = figures->extra != NULL ? figures->extra : json_object();
    double seconds = made->seconds > 0 ? made->seconds : INFINITY;

    json_object_set_new(extra, "operations_per_s",
                        json_real((double)made->operations / seconds));
    json_object_set_new(extra, "written_bytes",
                        json_integer(made->written_bytes));
    if (is_drawn(what))
        json_object_set_new(extra, "data_bytes",
                            json_integer(what->data_bytes));
    if (!isnan(figures->losses[0])) {
        json_object_set_new(extra, "acl", json_real(figures->losses[0]));
        json_object_set_new(extra, "abl", json_real(figures->losses[1]));
    }
    return extra;
}

int prio_record(struct prio *prio, const struct prio_bench *bench,
                const struct prio_case *what, const struct prio_mix *mix,
                struct prio_figures *figures)
{
    struct pario_run *run = prio->run;
    const struct pario_figures *made = &figures->phase->figures;
    struct pario_measure measure = measure_of(prio, bench, what, mix);
    struct repetition one = {
        .mbps = pario_mbps(made->bytes, made->seconds),
        .losses = {figures->losses[0], figures->losses[1]},
        .flags = made->flags,
    };
    int code = append_samples(prio, bench, what);

    measure.extra = describe_further(what, figures);
    if (code == 0)
        code = keep_outcome(prio, bench, what, mix != NULL, &one);
    code = pario_agree(run->world, code);
    /* Those outside the group have nothing to write down. */
    if (code != 0 || figures->phase->group == NULL) {
        json_decref(measure.parameters);
        json_decref(measure.extra);
    } else {
        code = pario_phase_record(figures->phase, &measure);
    }
    return pario_agree(run->world, code);
}
