/* suites/tune/record.c - the race in the result document. */
#include "suites/tune/tune.h"

#include "result/parameters.h"
#include "result/result.h"
#include "result/value.h"
#include "result/view.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *values_json(const struct tune_values *values)
{
    json_t *array = json_array();

    for (int r = 0; r < values->rounds; r++)
        if (values->mbps[r] > 0)
            json_array_append_new(array, pario_json_real(values->mbps[r]));
    return array;
}

static void put_hint(void *object, const char *key, const char *value)
{
    json_object_set_new(object, key, pario_json_text(value));
}

static json_t *hints_json(const struct tune_contender *one)
{
    json_t *object = json_object();

    pario_hints_each(one->hints, put_hint, object);
    return object;
}

static json_t *unknown_json(const struct tune_contender *one)
{
    json_t *array = json_array();
    char copy[sizeof(one->unknown)], *rest = copy, *key;

    snprintf(copy, sizeof(copy), "%s", one->unknown);
    while (one->unknown[0] != '\0' && (key = strsep(&rest, ",")) != NULL)
        json_array_append_new(array, pario_json_text(key + (*key == ' ')));
    return array;
}

static json_t *pattern_json(const struct tune_pattern *p)
{
    struct values {
        int64_t type, l, L;
    } values = {p->type, p->l, p->L};
    static const struct pario_field fields[] = {
        {PARIO_FIELD("type", INT, offsetof(struct values, type))},
        {PARIO_FIELD("l_bytes", SIZE, offsetof(struct values, l))},
        {PARIO_FIELD("L_bytes", SIZE, offsetof(struct values, L))},
        {.name = NULL},
    };

    return pario_parameters(fields, 0, &values);
}

/* What tells the measures of a race apart, in the words of the document. */
struct parameters {
    const char *contender, *environment;
    int library;
};

static json_t *parameters_json(const struct tune_contender *one)
{
    static const char *const libraries[] = {"native", "shipio", NULL};
    static const struct pario_field fields[] = {
        {PARIO_FIELD("contender", STRING,
                     offsetof(struct parameters, contender))},
        {PARIO_FIELD("library", CHOICE, offsetof(struct parameters, library)),
         .choices = libraries},
        {PARIO_FIELD("environment", STRING,
                     offsetof(struct parameters, environment))},
        {.name = NULL},
    };
    struct parameters values = {
        .contender = one->name,
        .environment = one->variable,
        .library = one->shipio,
    };
    json_t *object = pario_parameters(fields, 0, &values);

    (void)json_object_set_new(object, "hints", hints_json(one));
    return object;
}

/* Beside the measures: a search is valid although a contender failed, or the
 * time was over before its turn. */
static void record_beside(struct pario_result *result, const char *name,
                          const struct tune_outcome *outcome,
                          const struct tune_contender *one)
{
    json_t *document = pario_result_document(result);
    json_t *list = json_object_get(document, name);

    if (list == NULL) {
        list = json_array();
        pario_result_set(result, "", name, list);
    }
    json_array_append_new(list,
                          json_pack("{s:o, s:o, s:o, s:o}", "pattern",
                                    pattern_json(&outcome->race.pattern),
                                    "parameters", parameters_json(one),
                                    "reason", pario_json_text(one->reason),
                                    "jobs_mbps", values_json(&one->race)));
}

static int record_one(struct pario_result *result, const char *test,
                      const struct tune_outcome *outcome, int i)
{
    static const char *const states[] = {"in", "slower", "not ahead",
                                         "excluded"};
    const struct tune_pattern *p = &outcome->race.pattern;
    const struct tune_contender *one = &outcome->race.one[i];
    struct pario_measure measure = {
        .test = test,
        .access = p->reads && p->writes ? "write and read"
                  : p->reads            ? "read"
                                        : "write",
        .partition = (int)outcome->processes,
    };

    if (one->state == TUNE_STRUCK) {
        record_beside(result, "excluded", outcome, one);
        return 0;
    }
    if (one->done.passes == 0) {
        record_beside(result, "not_run", outcome, one);
        return 0;
    }
    pario_figures_measure(&one->done, &measure);
    measure.pattern = pattern_json(p);
    measure.parameters = parameters_json(one);
    measure.extra = json_pack(
        "{s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "jobs_mbps",
        values_json(&one->race), "confirmation_mbps",
        values_json(&one->confirm), "median_mbps",
        pario_json_real(tune_median(&one->race)), "state", states[one->state],
        "best", i == outcome->winner, "reason", pario_json_text(one->reason),
        "unknown_hints", unknown_json(one));
    return pario_result_add(result, &measure);
}

static void set_summary(struct pario_result *result, const char *name,
                        json_t *value)
{
    pario_result_set(result, "summary", name, value);
}

/* Of two contenders whose ratio it is; below 0: none. */
static void add_flags(struct pario_flag_sum *flags,
                      const struct tune_race *race, int a, int b)
{
    if (race->one == NULL || a < 0 || b < 0)
        return;
    pario_flag_sum_add(flags, race->one[a].done.flags);
    pario_flag_sum_add(flags, race->one[b].done.flags);
}

/* NAME, NAME_low and NAME_high; null: not compared, or with itself. */
static void set_gain(struct pario_result *result, const char *name,
                     const struct tune_ratio *ratio,
                     const struct pario_flag_sum *flags)
{
    const double values[] = {ratio->ratio, ratio->low, ratio->high};
    static const char *const ends[] = {"", "_low", "_high"};

    for (int i = 0; i < 3; i++) {
        char full[64];

        snprintf(full, sizeof(full), "%s%s", name, ends[i]);
        pario_result_summary(result, full,
                             ratio->jobs > 1 ? pario_json_real(values[i])
                                             : json_null(),
                             ratio->jobs > 1 ? pario_flag_sum_get(flags) : 0);
    }
}

/* The same of one race: contender a against b. */
static void set_race_gain(struct pario_result *result, const char *name,
                          const struct tune_ratio *ratio,
                          const struct tune_race *race, const int pair[2])
{
    struct pario_flag_sum flags = {0};

    add_flags(&flags, race, pair[0], pair[1]);
    set_gain(result, name, ratio, &flags);
}

static void summarise(struct pario_result *result,
                      const struct tune_outcome *outcome)
{
    static const struct tune_ratio none = {.jobs = 0};
    const struct tune_contender *one = outcome->race.one;
    int won = outcome->winner >= 0, own = outcome->own;
    int leads = outcome->leader != outcome->nothing;

    set_summary(
        result, "best",
        pario_json_text(one[won ? outcome->winner : outcome->nothing].name));
    set_race_gain(result, "gain", won ? &outcome->over_nothing : &none,
                  &outcome->race, (int[]){outcome->winner, outcome->nothing});
    set_summary(result, "leader", pario_json_text(one[outcome->leader].name));
    set_race_gain(result, "leader_gain",
                  leads ? &outcome->leader_over_nothing : &none, &outcome->race,
                  (int[]){outcome->leader, outcome->nothing});
    set_summary(result, "leader_default",
                own >= 0 ? pario_json_text(one[own].name) : json_null());
    set_race_gain(result, "leader_gain_over_its_default",
                  own >= 0 && own != outcome->leader ? &outcome->leader_over_own
                                                     : &none,
                  &outcome->race, (int[]){outcome->leader, own});
}

/* Best first; those that did not come through are last. */
static int by_ratio(const void *a, const void *b)
{
    double x = ((const struct pario_view_point *)a)->y,
           y = ((const struct pario_view_point *)b)->y;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* The race as a ranking: each contender against the default. */
static void draw_ranking(struct pario_result *result,
                         const struct tune_outcome *outcome)
{
    struct pario_view_point points[TUNE_MAX_CONTENDERS];
    const struct tune_race *race = &outcome->race;
    size_t count = 0;

    for (int i = 0; outcome->nothing >= 0 && i < race->count; i++) {
        struct tune_ratio ratio = tune_compare(
            &race->one[i].race, &race->one[outcome->nothing].race, TUNE_95);

        if (i != outcome->nothing && ratio.jobs > 1)
            points[count++] = (struct pario_view_point){
                .series = "against the default",
                .category = race->one[i].name,
                .y = ratio.ratio,
                .low = ratio.low,
                .high = ratio.high,
                .flags = race->one[i].done.flags,
            };
    }
    qsort(points, count, sizeof(points[0]), by_ratio);
    pario_view_draw(result, "how many times the default, with 95 % intervals",
                    "setting", "ratio", points, count);
}

int tune_record(struct pario_result *result, const struct tune_outcome *outcome)
{
    int code = 0;

    if (outcome->nodes > 0) /* of the jobs: this process is on one */
        pario_result_set(result, "system", "nodes",
                         json_integer(outcome->nodes));
    for (int i = 0; code == 0 && i < outcome->race.count; i++)
        code = record_one(result, "tune", outcome, i);
    draw_ranking(result, outcome);
    if (outcome->rounds == 0 && outcome->phases == TUNE_CONFIRMED &&
        outcome->leader >= 0)
        summarise(result, outcome);
    return code;
}

/* The same of the races of these types: their choices, or one contender,
 * against doing nothing. */
static void set_types_gain(struct pario_result *result, const char *name,
                           const struct tune_ratio *ratio,
                           const struct tune_all *all, int plain,
                           const int types[2])
{
    struct pario_flag_sum flags = {0};

    for (int type = types[0]; type <= types[1]; type++)
        for (int c = 0; c < TUNE_CHUNKS; c++)
            add_flags(&flags, &all->race[type * TUNE_CHUNKS + c].race,
                      plain ? all->plain : all->choice[type], all->nothing);
    set_gain(result, name, ratio, &flags);
}

static void summarise_all(struct pario_result *result,
                          const struct tune_all *all)
{
    static const struct tune_ratio none = {.jobs = 0};
    const struct tune_contender *one = tune_all_contenders(all);
    const int every[] = {0, TUNE_TYPES - 1};
    int best = all->won ? all->own : all->nothing;

    set_summary(result, "best", pario_json_text(one[best].name));
    set_types_gain(result, "gain", all->won ? &all->over_nothing : &none, all,
                   0, every);
    set_summary(result, "leader", pario_json_text(one[all->own].name));
    set_types_gain(result, "leader_gain", &all->over_nothing, all, 0, every);
    set_summary(result, "plain", pario_json_text(one[all->plain].name));
    set_types_gain(result, "plain_gain", &all->plain_over_nothing, all, 1,
                   every);
    for (int type = 0; type < TUNE_TYPES; type++) {
        char name[32];

        if (all->choice[type] < 0)
            continue;
        snprintf(name, sizeof(name), "type%d_setting", type);
        set_summary(result, name, pario_json_text(one[all->choice[type]].name));
        snprintf(name, sizeof(name), "type%d_gain", type);
        set_types_gain(result, name, &all->type_over_nothing[type], all, 0,
                       (int[]){type, type});
    }
}

int tune_all_record(struct pario_result *result, const struct tune_all *all)
{
    int code = 0;

    for (int p = 0; p < TUNE_ALL; p++) {
        const struct tune_race *race = &all->race[p].race;

        for (int i = 0; code == 0 && race->one != NULL && i < race->count; i++)
            if (tune_jobs(&race->one[i].confirm) > 0)
                code =
                    record_one(result, "tune confirmation", &all->race[p], i);
    }
    if (code == 0)
        summarise_all(result, all);
    return code;
}
