/* suites/shipbench/gains.c - what each optimisation is worth: with over
 * without, pass by pass. The two passes of a repetition are neighbours in
 * time, so that each of their ratios met the same noise. */
#include "suites/shipbench/gains.h"

#include "core/stats.h"
#include "report/compare.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/shipbench/shipbench.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 96

/* The paper's optimisations; of prefetching any max_acc but 0 is "with". */
static const struct pair {
    const char *name, *with, *without;
    enum ship_test test;
    int paper;
} pairs[] = {
    {"double buffering", "ship, two buffers", "ship, one buffer",
     SHIP_DISCONTIGUOUS, 1},
    {"shipio over native", "shipio", "native", SHIP_DISCONTIGUOUS, 0},
    {"data shipping", "with shipping", "without shipping", SHIP_SHIPPING, 1},
    {"shipio over native", "without shipping", "native", SHIP_SHIPPING, 0},
    {"prefetching", "max_acc ", "max_acc 0", SHIP_RANGES, 1},
    {"shipio over native", "shipio", "native", SHIP_RANGES, 0},
    {"sparse access", "ship, sparse", "ship, dense", SHIP_SPARSE, 1},
    {"shipio over native", "shipio", "native", SHIP_SPARSE, 0},
    {"shipio over native", "shipio", "native", SHIP_TASKS_PER_NODE, 0},
    {"shipio over native", "shipio", "native", SHIP_ONESHOT, 0},
    {"shipio over native", "shipio", "native", SHIP_LATTICE, 0},
    {"shipio over native, tuned", "shipio", "native, tuned", SHIP_LATTICE, 0},
    {"shipio over hand-written", "shipio", "hand-written", SHIP_LATTICE, 0},
    {"hand-written over native", "hand-written", "native", SHIP_LATTICE, 0},
};

#define NPAIRS (sizeof(pairs) / sizeof(pairs[0]))

const char *ship_text_of(const json_t *object, const char *name)
{
    return pario_text_of(object, name, "");
}

int ship_paper_figure(enum ship_test test, const char *access)
{
    static const int writes[SHIP_TESTS] = {
        [SHIP_DISCONTIGUOUS] = 8, [SHIP_SHIPPING] = 2,        [SHIP_RANGES] = 4,
        [SHIP_SPARSE] = 6,        [SHIP_TASKS_PER_NODE] = 10,
    };

    if (writes[test] == 0)
        return 0;
    return writes[test] + (strcmp(access, "read") == 0);
}

int ship_gain_of(double *ratios, size_t n, struct ship_gain *gain_p)
{
    struct pario_interval interval;
    struct pario_moments logs;
    double half;
    int code = pario_median_interval(ratios, n, &interval);

    if (code != 0)
        return code;
    *gain_p = (struct ship_gain){.ratio = interval.median,
                                 .low = interval.low,
                                 .high = interval.high,
                                 .kind = SHIP_GAIN_MEDIAN};
    if (interval.exact)
        return 0;
    gain_p->kind = n > 1 ? SHIP_GAIN_STUDENT : SHIP_GAIN_NONE;
    pario_moments_init(&logs);
    for (size_t i = 0; i < n; i++) {
        if (!(ratios[i] > 0))
            return -EDOM;
        pario_moments_add(&logs, log(ratios[i]));
    }
    if (n < 2)
        return 0;
    half = pario_student((double)(n - 1)) * pario_moments_stddev(&logs) /
           sqrt((double)n);
    gain_p->low = exp(logs.mean - half);
    gain_p->high = exp(logs.mean + half);
    return 0;
}

/* What a series' name begins with in cases of several kinds. */
static void prefix_of(const json_t *measure, char *prefix, size_t len)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    struct ship_kind kind = {
        .tasks_per_node = pario_integer_of(parameters, "tasks_per_node"),
        .sparsity = pario_integer_of(parameters, "sparsity_percent"),
        .shot_bytes = pario_integer_of(parameters, "task_bytes"),
    };

    ship_prefix(&kind, prefix, len);
}

static const char *series_of(const json_t *measure)
{
    return ship_text_of(json_object_get(measure, "parameters"), "series");
}

/* Does it speak for its series? */
static int counts(const json_t *measure)
{
    return json_is_null(json_object_get(measure, "error")) &&
           json_object_size(json_object_get(measure, "not_in_force")) == 0;
}

static const json_t *find(const json_t *measures, const json_t *like,
                          const char *series)
{
    const json_t *measure;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        if (counts(measure) && strcmp(series_of(measure), series) == 0 &&
            strcmp(ship_text_of(measure, "test"), ship_text_of(like, "test")) ==
                0 &&
            strcmp(ship_text_of(measure, "access"),
                   ship_text_of(like, "access")) == 0 &&
            json_equal(json_object_get(measure, "partition"),
                       json_object_get(like, "partition")))
            return measure;
    }
    return NULL;
}

/* The ratios of the passes that both have. */
static json_t *gain_value(const json_t *with, const json_t *without)
{
    const json_t *a = json_object_get(with, "passes_mbps");
    const json_t *b = json_object_get(without, "passes_mbps");
    size_t most = json_array_size(a), n = 0;
    double *ratio = calloc(most + 1, sizeof(*ratio));
    json_t *all = json_array(), *range = json_null(), *value = NULL;
    struct ship_gain gain;

    for (size_t i = 0; ratio != NULL && i < most; i++) {
        double x = json_number_value(json_array_get(a, i));
        double y = json_number_value(json_array_get(b, i));

        if (!(x > 0 && y > 0))
            continue;
        ratio[n++] = x / y;
        json_array_append_new(all, json_real(x / y));
    }
    if (n > 0 && ship_gain_of(ratio, n, &gain) == 0) {
        if (gain.kind != SHIP_GAIN_NONE)
            range = json_pack("[f, f]", gain.low, gain.high);
        value = json_pack("{s:f, s:O, s:s, s:O}", "ratio", gain.ratio,
                          "interval", range, "interval_kind",
                          ship_gain_kinds[gain.kind], "ratios", all);
    }
    free(ratio);
    json_decref(all);
    json_decref(range);
    return value;
}

const char *const ship_gain_kinds[] = {
    [SHIP_GAIN_NONE] = "one pass",
    [SHIP_GAIN_STUDENT] = "95 % interval by Student's t",
    [SHIP_GAIN_MEDIAN] = "95 % interval of the median",
};

/* With which base name is this measure the "with" of the pair? */
static int is_with(const struct pair *pair, const char *base)
{
    if (pair->test != SHIP_RANGES || !pair->paper)
        return strcmp(base, pair->with) == 0;
    return strncmp(base, pair->with, strlen(pair->with)) == 0 &&
           strcmp(base, pair->without) != 0;
}

/* Of both measures that a ratio is made of. */
static json_t *flags_of(const json_t *with, const json_t *without)
{
    struct pario_flag_sum flags = {0};

    pario_flag_sum_add(&flags, pario_flags_of_measure(with));
    pario_flag_sum_add(&flags, pario_flags_of_measure(without));
    return pario_flags_json(pario_flag_sum_get(&flags));
}

static int add_gain(const struct pair *pair, const json_t *measures,
                    const json_t *measure, json_t *gains)
{
    char prefix[NAME_LEN], without[NAME_LEN], name[NAME_LEN];
    const char *series = series_of(measure), *base = series;
    const char *access = ship_text_of(measure, "access");
    int ranges = pair->test == SHIP_RANGES && pair->paper;
    int figure = ship_paper_figure(pair->test, access);
    const json_t *other;
    json_t *gain;

    prefix_of(measure, prefix, sizeof(prefix));
    if (strncmp(series, prefix, strlen(prefix)) == 0)
        base = series + strlen(prefix);
    if (strcmp(ship_text_of(measure, "test"),
               ship_test_names[pair->test].name) != 0 ||
        !is_with(pair, base) || !counts(measure))
        return 0;
    snprintf(without, sizeof(without), "%s%s", prefix, pair->without);
    snprintf(name, sizeof(name), "%s%s%s%s", prefix, pair->name,
             ranges ? ", " : "", ranges ? base : "");
    other = find(measures, measure, without);
    gain = other != NULL ? gain_value(measure, other) : NULL;
    if (gain == NULL)
        return 0;
    if (json_object_set_new(gain, "optimisation", json_string(name)) != 0 ||
        json_object_set_new(gain, "figure",
                            figure != 0 ? json_integer(figure) : json_null()) !=
            0 ||
        json_object_set_new(gain, "with_and_without",
                            json_boolean(pair->paper)) != 0 ||
        json_object_set_new(gain, "with", json_string(series)) != 0 ||
        json_object_set_new(gain, "without", json_string(without)) != 0 ||
        json_object_set(gain, "test", json_object_get(measure, "test")) != 0 ||
        json_object_set(gain, "access", json_object_get(measure, "access")) !=
            0 ||
        json_object_set_new(gain, "flags", flags_of(measure, other)) != 0 ||
        json_object_set(gain, "partition",
                        json_object_get(measure, "partition")) != 0 ||
        json_array_append(gains, gain) != 0) {
        json_decref(gain);
        return pario_fail_errno(-ENOMEM, "the gains");
    }
    json_decref(gain);
    return 0;
}

/* "sparse", "10 %, sparse access": sparse_10_sparse_access_read_ratio. */
static void figure_name(const json_t *gain, const char *end, char *text,
                        size_t len)
{
    char *to = text;

    snprintf(text, len, "%s %s %s %s", ship_text_of(gain, "test"),
             ship_text_of(gain, "optimisation"), ship_text_of(gain, "access"),
             end);
    for (const char *from = text; *from != '\0'; from++)
        if (isalnum((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != '_')
            *to++ = '_';
    *to = '\0';
}

static int same_text(const json_t *a, const json_t *b, const char *name)
{
    return strcmp(ship_text_of(a, name), ship_text_of(b, name)) == 0;
}

/* "double buffering   read 1.42 x (1.31 to 1.55)"; before: the line above. */
static void add_line(struct pario_result *result, const json_t *gain,
                     const json_t *before)
{
    char name[3 * NAME_LEN];
    struct pario_view_line line = {
        .label = before != NULL && same_text(gain, before, "optimisation")
                     ? ""
                     : ship_text_of(gain, "optimisation"),
        .cells = {{ship_text_of(gain, "access"), name}}};

    figure_name(gain, "ratio", name, sizeof(name));
    pario_view_add(result, &line);
}

static const struct pario_view_name ship_axes[] = {
    {.key = "tasks_per_node", .name = "tasks on a node"},
    {.key = "sparsity_percent", .name = "stripes accessed"},
    {.key = "task_bytes", .name = "data of a task"},
    {.key = "block_bytes", .name = "block size"},
    {.key = NULL},
};

const struct pario_view ship_view = {
    .title = "what the optimisations of MPI-IO/GPFS are worth",
    .question = "Is it faster with each optimisation than without?",
    .axes = ship_axes,
    .details = "series library hints blocks_per_task file_bytes",
    .next = "pario report {file} -o shipbench.html",
};

static int is_of_paper(const json_t *gain)
{
    return json_is_true(json_object_get(gain, "with_and_without"));
}

static int has_paper_gain(const json_t *gains)
{
    const json_t *gain;
    size_t i;

    json_array_foreach(gains, i, gain)
    {
        if (is_of_paper(gain))
            return 1;
    }
    return 0;
}

/* Headline: the paper's optimisations, where there is one, on the most tasks.
 */
static int is_headline(const json_t *gains, const json_t *gain)
{
    const json_t *other;
    size_t i;

    if (!is_of_paper(gain) && has_paper_gain(gains))
        return 0;
    json_array_foreach(gains, i, other)
    {
        if (same_text(other, gain, "with") && same_text(other, gain, "test") &&
            pario_integer_of(other, "partition") >
                pario_integer_of(gain, "partition"))
            return 0;
    }
    return 1;
}

static int summarise(struct pario_result *result, const json_t *gain)
{
    static const char *const ends[] = {"ratio", "low", "high"};
    const json_t *range = json_object_get(gain, "interval");
    const json_t *value[] = {json_object_get(gain, "ratio"),
                             json_array_get(range, 0),
                             json_array_get(range, 1)};
    char name[3 * NAME_LEN];
    int code = 0;

    for (size_t e = 0; code == 0 && e < 3; e++) {
        figure_name(gain, ends[e], name, sizeof(name));
        code = pario_result_summary(
            result, name,
            json_is_number(value[e]) ? json_real(json_number_value(value[e]))
                                     : json_null(), /* one pass */
            pario_flags_from_json(json_object_get(gain, "flags")));
    }
    return code;
}

/* The pair that a gain is a case of: what its name holds most of. */
static const struct pair *pair_of(const json_t *gain)
{
    const char *name = ship_text_of(gain, "optimisation");
    const struct pair *found = NULL;

    for (size_t p = 0; p < NPAIRS; p++)
        if (strcmp(ship_text_of(gain, "test"),
                   ship_test_names[pairs[p].test].name) == 0 &&
            strstr(name, pairs[p].name) != NULL &&
            (found == NULL || strlen(pairs[p].name) > strlen(found->name)))
            found = &pairs[p];
    return found;
}

/* Of the cases of an optimisation (five values of max_acc, five shares of the
 * stripes) the answer has the last one, which is the furthest from without. */
static int is_last_case(const json_t *headlines, size_t at)
{
    const json_t *gain = json_array_get(headlines, at);

    for (size_t i = at + 1; i < json_array_size(headlines); i++) {
        const json_t *other = json_array_get(headlines, i);

        if (pair_of(other) == pair_of(gain) && same_text(other, gain, "access"))
            return 0;
    }
    return 1;
}

/* All cases, where the answer has not all of them. */
static int draw(struct pario_result *result, const json_t *headlines)
{
    size_t i, count = json_array_size(headlines);
    struct pario_view_point *points = calloc(count, sizeof(*points));
    const json_t *gain;

    if (points == NULL)
        return pario_fail_errno(-ENOMEM, "the gains");
    json_array_foreach(headlines, i, gain)
    {
        const json_t *range = json_object_get(gain, "interval");

        points[i] = (struct pario_view_point){
            .series = ship_text_of(gain, "access"),
            .category = ship_text_of(gain, "optimisation"),
            .y = pario_number_of(gain, "ratio"),
            .low = NAN,
            .high = NAN,
            .flags = pario_flags_from_json(json_object_get(gain, "flags"))};
        if (json_array_size(range) == 2) {
            points[i].low = json_number_value(json_array_get(range, 0));
            points[i].high = json_number_value(json_array_get(range, 1));
        }
    }
    pario_view_draw(result, "all cases, with over without", "", "ratio", points,
                    count);
    free(points);
    return 0;
}

static int answer(struct pario_result *result, const json_t *headlines)
{
    const json_t *gain, *before = NULL;
    size_t i, shown = 0, alone = 0, all = json_array_size(headlines);
    int code = 0;

    json_array_foreach(headlines, i, gain)
    {
        if (code == 0)
            code = summarise(result, gain);
        alone += json_is_null(json_object_get(gain, "interval"));
        if (is_last_case(headlines, i)) {
            add_line(result, gain, before);
            before = gain;
            shown++;
        }
    }
    if (all > 0)
        pario_view_say(result, "%s",
                       alone == all
                           ? "Bandwidth with over without, of one pass each: "
                             "no intervals (--repetitions)."
                           : "Bandwidth with over without; the 95 % interval "
                             "with 1 in it: no difference seen.");
    if (all > shown)
        pario_view_say(result, "The report has all %zu cases.", all);
    return code == 0 && all > shown ? draw(result, headlines) : code;
}

int ship_gains_set(struct pario_result *result)
{
    const json_t *measures =
        json_object_get(pario_result_document(result), "measures");
    json_t *gains = json_array(), *headlines = json_array();
    json_t *item;
    int code = 0;
    size_t i;

    for (size_t p = 0; p < NPAIRS; p++)
        json_array_foreach(measures, i, item)
        {
            if (code == 0)
                code = add_gain(&pairs[p], measures, item, gains);
        }
    pario_view_set(result, &ship_view);
    json_array_foreach(gains, i, item)
    {
        if (code == 0 && is_headline(gains, item) &&
            json_array_append(headlines, item) != 0)
            code = pario_fail_errno(-ENOMEM, "the gains");
    }
    if (code == 0)
        code = answer(result, headlines);
    json_decref(headlines);
    if (code != 0) {
        json_decref(gains);
        return code;
    }
    return pario_result_set(result, "", "gains", gains);
}
