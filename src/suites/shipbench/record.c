/* suites/shipbench/record.c - what a case has measured goes to the document
 * after every repetition, and is taken over from there by --resume. */
#include "suites/shipbench/turn.h"

#include "result/parameters.h"
#include "suites/shipbench/gains.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ship_turn_access(const struct ship_turn *turn, int access)
{
    if (turn->test == SHIP_ONESHOT)
        return access == SHIP_WRITE ? "write" : "rewrite";
    if (access == SHIP_READ)
        return "read";
    return turn->job->plan.options->fresh ? "write" : "rewrite";
}

int64_t ship_turn_repetitions(const struct ship_turn *turn)
{
    return turn->job->plan.options->repetitions;
}

int64_t ship_turn_bytes(const struct ship_turn *turn)
{
    return ship_layout_bytes(&turn->kase.layout) *
           pario_group_size(turn->kase.group);
}

/* What tells the measures of a case apart, in the words of the document. */
struct parameters {
    const char *series, *library;
    int64_t block_bytes, blocks, file_bytes;
    struct ship_kind kind;
};

#define AT(member) offsetof(struct parameters, member)
#define IF_SET .rules = PARIO_FIELD_IF_SET

static const struct pario_field fields[] = {
    {PARIO_FIELD("series", STRING, AT(series))},
    {PARIO_FIELD("library", STRING, AT(library))},
    {PARIO_FIELD("block_bytes", SIZE, AT(block_bytes))},
    {PARIO_FIELD("blocks_per_task", INT, AT(blocks))},
    {PARIO_FIELD("file_bytes", SIZE, AT(file_bytes))},
    {.name = "tasks_per_node",
     .type = PARIO_OPT_INT,
     .offset = AT(kind.tasks_per_node),
     IF_SET},
    {.name = "sparsity_percent",
     .type = PARIO_OPT_INT,
     .offset = AT(kind.sparsity),
     IF_SET},
    {.name = "task_bytes",
     .type = PARIO_OPT_SIZE,
     .offset = AT(kind.shot_bytes),
     IF_SET},
    {.name = NULL},
};

static json_t *parameters_of(const struct ship_turn *turn, size_t c)
{
    const struct ship_contender *one = &turn->contenders.one[c];
    const struct ship_layout *layout = &turn->kase.layout;
    struct parameters values = {
        .series = one->series,
        .library = one->calls->name,
        .block_bytes = layout->block_bytes,
        .blocks = layout->calls * layout->per_call,
        .file_bytes = layout->file_bytes,
        .kind = turn->kind,
    };
    struct pario_hints hints = {.count = 0};
    json_t *parameters = pario_parameters(fields, 0, &values);

    /* Without memory some are missing; taking the turn fails then. */
    (void)!ship_contender_hints(&turn->job->plan, one, &hints);
    (void)json_object_set_new(parameters, "hints",
                              pario_parameters_hints(&hints));
    pario_hints_fini(&hints);
    return parameters;
}

static struct pario_measure describe(const struct ship_turn *turn, size_t c,
                                     int access)
{
    return (struct pario_measure){
        .test = ship_test_names[turn->test].name,
        .access = ship_turn_access(turn, access),
        .partition = pario_group_size(turn->kase.group),
        .parameters = parameters_of(turn, c),
        .first_done_s = -1,
        .last_done_s = -1,
    };
}

/* What stands beside the median: all passes, and what they span. */
static json_t *extra_of(const struct ship_turn *turn, size_t c, int access,
                        double *median_p)
{
    size_t n = (size_t)turn->passes[c];
    double *sorted = calloc(n + 1, sizeof(*sorted));
    json_t *passes = json_array(), *numbers = json_array(), *extra;
    json_t *range = json_null();
    struct pario_interval interval = {.median = 0};
    const struct ship_contender *one = &turn->contenders.one[c];
    const char *kind = "";

    for (size_t i = 0; sorted != NULL && i < n; i++) {
        sorted[i] = turn->mbps[c][access][i];
        json_array_append_new(passes, json_real(sorted[i]));
        json_array_append_new(numbers, json_integer(turn->number[c][i]));
    }
    if (sorted != NULL && n > 0 &&
        pario_median_interval(sorted, n, &interval) == 0 && n > 1) {
        range = json_pack("[f, f]", interval.low, interval.high);
        kind = interval.exact ? "95 % interval" : "least..greatest";
    }
    free(sorted);
    *median_p = interval.median;
    extra = json_pack("{s:s, s:o, s:o, s:o, s:s, s:o}", "series",
                      one->series + one->prefix, "passes_mbps", passes,
                      "pass_turns", numbers, "interval_mbps", range, "interval",
                      kind, "hints_in_force",
                      pario_parameters_hints(&turn->in_force[c]));
    if (turn->not_in_force[c].count > 0)
        json_object_set_new(extra, "not_in_force",
                            pario_parameters_hints(&turn->not_in_force[c]));
    return extra;
}

/* The median pass is the measure; all passes stand beside it. */
static int record(struct ship_turn *turn, size_t c, int access)
{
    struct pario_figures figures = {.seen = {-1, -1, -1, -1, 0}};
    struct pario_measure measure = describe(turn, c, access);
    double median = 0;

    measure.replaces = 1; /* by one with more passes */
    measure.extra = extra_of(turn, c, access, &median);
    if (median > 0)
        figures = pario_figures_one_of(&turn->sum[c][access],
                                       (double)ship_turn_bytes(turn) /
                                           (median * 1e6));
    if (turn->struck[c][0] != '\0')
        measure.error = turn->struck[c];
    return pario_figures_record(turn->kase.run, &figures, NULL, &measure);
}

int ship_turn_record(struct ship_turn *turn)
{
    struct pario_result *result = turn->kase.run->result;
    int code = 0;

    if (result != NULL)
        (void)json_object_del(pario_result_document(result), "under_way");
    for (size_t c = 0; code == 0 && c < turn->contenders.count; c++)
        for (int access = 0; code == 0 && access < SHIP_ACCESSES; access++)
            code = record(turn, c, access);
    if (code == 0 && result != NULL)
        code = ship_gains_set(result);
    return code;
}

int ship_turn_announce(const struct ship_turn *turn, size_t c,
                       int64_t repetition)
{
    struct pario_result *result = turn->kase.run->result;
    int code;

    if (result == NULL)
        return 0;
    code = pario_result_set(result, "", "under_way",
                            json_pack("{s:s, s:i, s:s, s:I}", "test",
                                      ship_test_names[turn->test].name,
                                      "partition",
                                      pario_group_size(turn->kase.group),
                                      "series", turn->contenders.one[c].series,
                                      "pass", (json_int_t)repetition + 1));
    return code == 0 ? pario_result_write(result) : code;
}

/* Rank 0: what a resumed document has of it, whole and without an error. */
static const json_t *recorded(const struct ship_turn *turn, size_t c,
                              int access)
{
    struct pario_measure like = describe(turn, c, access);
    const json_t *found = turn->kase.run->result != NULL
                              ? pario_result_find(turn->kase.run->result, &like)
                              : NULL;

    json_decref(like.parameters);
    return found;
}

static size_t passes_of(const json_t *measure)
{
    return json_array_size(json_object_get(measure, "passes_mbps"));
}

/* The repetitions that everybody has; who is excluded does not count. */
static int64_t common_passes(const struct ship_turn *turn)
{
    int64_t least = ship_turn_repetitions(turn);

    for (size_t c = 0; c < turn->contenders.count; c++)
        for (int access = 0;
             turn->struck[c][0] == '\0' && access < SHIP_ACCESSES; access++) {
            int64_t n = (int64_t)passes_of(recorded(turn, c, access));

            least = n < least ? n : least;
        }
    return least;
}

/* Takes over the first so many passes, and what was checked in them. */
static void take_over(struct ship_turn *turn, size_t c, int access,
                      int64_t most)
{
    const json_t *measure = recorded(turn, c, access);
    const json_t *turns = json_object_get(measure, "pass_turns");
    const json_t *passes = json_object_get(measure, "passes_mbps");
    int64_t all = (int64_t)passes_of(measure), n = all < most ? all : most;
    const char *key;
    json_t *hint;

    if (n == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        json_int_t number =
            json_integer_value(json_array_get(turns, (size_t)i));

        turn->mbps[c][access][i] =
            json_number_value(json_array_get(passes, (size_t)i));
        turn->number[c][i] = number;
        if (number >= turn->turns)
            turn->turns = number + 1;
    }
    turn->passes[c] = n;
    pario_figures_load(measure, all, n, &turn->sum[c][access]);
    /* Asked for again in the next pass, if there is one. */
    json_object_foreach(json_object_get(measure, "not_in_force"), key, hint)
    {
        (void)!pario_hints_set(&turn->not_in_force[c], key,
                               json_string_value(hint));
    }
}

int ship_turn_load(struct ship_turn *turn)
{
    int64_t facts[2] = {common_passes(turn), 0}; /* passes, turns */

    for (size_t c = 0; c < turn->contenders.count; c++)
        for (int access = 0; access < SHIP_ACCESSES; access++)
            take_over(turn, c, access, facts[0]);
    facts[1] = turn->turns;
    if (pario_bcast(turn->kase.group, facts, sizeof(facts)) != 0)
        return 0;
    turn->begin = facts[0];
    turn->turns = facts[1];
    for (size_t c = 0; c < turn->contenders.count; c++)
        turn->passes[c] =
            turn->struck[c][0] == '\0' ? turn->begin : turn->passes[c];
    return turn->begin >= ship_turn_repetitions(turn);
}
