/* suites/beffio/ranking.c - compare-hints: the sets of hints as a ranking, each
 * against the first one that was named. */
#include "core/path.h"
#include "report/compare.h"
#include "result/view.h"
#include "suites/beffio/beffio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set of hints; its values by repetition. */
struct ranked {
    const char *name;
    const char *label; /* on the screen: without folders where that is enough */
    double value[BEFFIO_MAX_EXPERIMENTS];
    size_t count;
    int judged; /* against the first set */
    struct pario_ratio ratio;
    unsigned flags;
    unsigned ratio_flags; /* of the values of both sets */
};

static void set_labels(struct ranked *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sets[i].label = pario_base_name(sets[i].name);
        for (size_t k = 0; k < count; k++)
            if (k != i && strcmp(pario_base_name(sets[i].name),
                                 pario_base_name(sets[k].name)) == 0)
                sets[i].label = sets[i].name;
    }
}

/* All repetitions of the first block's i-th set. */
static void gather(const struct beffio *beffio, int i, struct ranked *set)
{
    struct pario_flag_sum flags = {0};

    set->name = beffio_hintset_name(beffio->experiment[i].hints);
    for (int e = i; e < beffio->nexperiments; e += beffio->block) {
        const struct beffio_experiment *one = &beffio->experiment[e];

        set->value[set->count++] =
            beffio_value(&one->bandwidths, (int)beffio->options->release);
        pario_flag_sum_add(&flags, beffio_value_flags(beffio, one));
    }
    set->flags = pario_flag_sum_get(&flags);
}

/* The sets took turns: each repetition gives one ratio, and these have an
 * interval (against as many ones). */
static void judge(const struct ranked *first, struct ranked *set)
{
    double ratios[BEFFIO_MAX_EXPERIMENTS], ones[BEFFIO_MAX_EXPERIMENTS];
    size_t n = 0;

    for (size_t i = 0; i < set->count && i < first->count; i++)
        if (set->value[i] > 0 && first->value[i] > 0) {
            ratios[n] = set->value[i] / first->value[i];
            ones[n++] = 1;
        }
    set->ratio_flags = set->flags | first->flags;
    set->judged = n > 0 && pario_ratio_of(ones, n, ratios, n, &set->ratio) == 0;
}

static int by_ratio(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    double left = x->judged ? x->ratio.ratio : 0;
    double right = y->judged ? y->ratio.ratio : 0;

    return left < right ? 1 : left > right ? -1 : 0;
}

static void set_figure(struct beffio *beffio, const struct ranked *set,
                       const char *ending, double value)
{
    char name[BEFFIO_FIGURE_LEN];

    snprintf(name, sizeof(name), "hints_%s_%s", set->name, ending);
    (void)pario_result_summary(beffio->run->result, name, json_real(value),
                               set->ratio_flags);
}

/* "a.hints   340 MB/s   1.09 x": its line; a sentence says what to make of it.
 */
static void answer(struct beffio *beffio, const struct ranked *set,
                   const struct ranked *first)
{
    struct pario_result *result = beffio->run->result;
    char mbps[BEFFIO_FIGURE_LEN], ratio[BEFFIO_FIGURE_LEN];
    struct pario_view_line line = {.label = set->label,
                                   .cells = {{"", mbps}, {"", ratio}}};

    snprintf(mbps, sizeof(mbps), "hints_%s%s_mbps", set->name,
             set->count > 1 ? "_median" : "");
    snprintf(ratio, sizeof(ratio), "hints_%s_ratio", set->name);
    if (set->judged && strcmp(set->name, first->name) != 0) {
        set_figure(beffio, set, "ratio", set->ratio.ratio);
        if (set->ratio.known) {
            set_figure(beffio, set, "low", set->ratio.low);
            set_figure(beffio, set, "high", set->ratio.high);
            pario_view_say(result,
                           "%s against %s: %s (95 %% interval %.2f to %.2f, "
                           "%zu repetitions).",
                           set->label, first->label,
                           pario_ratio_verdict(&set->ratio), set->ratio.low,
                           set->ratio.high, set->count);
        }
    }
    pario_view_add(result, &line);
}

static void draw(struct beffio *beffio, const struct ranked *sets, size_t count,
                 const struct ranked *first)
{
    struct pario_view_point points[BEFFIO_MAX_EXPERIMENTS];
    char title[256];
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (sets[i].judged && strcmp(sets[i].name, first->name) != 0)
            points[n++] = (struct pario_view_point){
                .series = "b_eff_io",
                .category = sets[i].label,
                .y = sets[i].ratio.ratio,
                .low = sets[i].ratio.known ? sets[i].ratio.low : NAN,
                .high = sets[i].ratio.known ? sets[i].ratio.high : NAN,
                .flags = sets[i].ratio_flags,
            };
    snprintf(title, sizeof(title),
             "how many times %.120s, with 95 %% intervals", first->label);
    pario_view_draw(beffio->run->result, title, "hints", "ratio", points, n);
}

/* With the set that won; `defaults` is no file of hints. */
static void say_next(struct beffio *beffio, const struct ranked *set)
{
    const struct pario_run *run = beffio->run;
    int named = strcmp(set->name, "defaults") != 0;

    pario_view_text(run->result, "next", "pario -n %d beffio %s%s%s%s",
                    beffio->experiment[0].processes, named ? "--hints " : "",
                    named ? set->name : "", named ? " " : "",
                    run->operands[run->noperands - 1]);
}

void beffio_rank_hints(struct beffio *beffio)
{
    struct pario_result *result = beffio->run->result;
    struct ranked *sets = calloc((size_t)beffio->block + 1, sizeof(*sets));
    size_t count = (size_t)beffio->block;

    if (sets == NULL)
        return; /* the values themselves are in the summary */
    for (size_t i = 0; i < count; i++) {
        gather(beffio, (int)i, &sets[i]);
        judge(&sets[0], &sets[i]);
    }
    set_labels(sets, count);
    sets[count] = sets[0]; /* stays where it is */
    qsort(sets, count, sizeof(*sets), by_ratio);
    pario_view_clear(result);
    for (size_t i = 0; i < count; i++)
        answer(beffio, &sets[i], &sets[count]);
    if (sets[count].count < 2)
        pario_view_say(result, "Of one repetition each: a ratio without an "
                               "interval proves nothing (--repeat 3).");
    draw(beffio, sets, count, &sets[count]);
    if (sets[0].judged && sets[0].ratio.known && sets[0].ratio.low > 1)
        say_next(beffio, &sets[0]);
    free(sets);
}
