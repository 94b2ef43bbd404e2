/* suites/tune/answer.c - what came of the race, in words. */
#include "suites/tune/tune.h"

#include "core/units.h"
#include "result/view.h"

#include <stdio.h>

static void say_gain(struct pario_result *result, const char *over,
                     const struct tune_ratio *ratio)
{
    if (ratio->jobs < 2)
        pario_view_say(result, "against %s: not compared", over);
    else
        pario_view_say(
            result, "%.2f times %s (95 %% interval %.2f to %.2f, %d jobs)",
            ratio->ratio, over, ratio->low, ratio->high, ratio->jobs);
}

/* Is there a default between the leader and doing nothing? */
static int has_own(const struct tune_outcome *outcome)
{
    return outcome->own >= 0 && outcome->own != outcome->leader &&
           outcome->own != outcome->nothing;
}

/* What became of a leader that did not win. */
static void say_leader(struct pario_result *result,
                       const struct tune_outcome *outcome)
{
    const struct tune_race *race = &outcome->race;

    pario_view_say(
        result, "The leader of the race, %s:", race->one[outcome->leader].name);
    if (race->one[outcome->nothing].state != TUNE_STRUCK)
        say_gain(result, "the default", &outcome->leader_over_nothing);
    if (has_own(outcome))
        say_gain(result, race->one[outcome->own].name,
                 &outcome->leader_over_own);
}

static void say_verdict(struct pario_result *result,
                        const struct tune_outcome *outcome)
{
    const struct tune_race *race = &outcome->race;

    if (outcome->winner < 0) {
        pario_view_say(result, "No setting is better than the default%s.",
                       outcome->leader != outcome->nothing ? " for sure" : "");
        if (outcome->leader != outcome->nothing)
            say_leader(result, outcome);
        return;
    }
    if (race->one[outcome->nothing].state == TUNE_STRUCK)
        pario_view_say(result, "The default fails here.");
    else
        say_gain(result, "the default", &outcome->over_nothing);
    if (outcome->winner != outcome->leader)
        say_leader(result, outcome);
    else if (has_own(outcome))
        say_gain(result, race->one[outcome->own].name,
                 &outcome->leader_over_own);
}

/* Of a mere measurement: who is ahead. */
static void say_fastest(struct pario_result *result,
                        const struct tune_outcome *outcome)
{
    const struct tune_contender *one = outcome->race.one;
    int first = outcome->leader, nothing = outcome->nothing;
    char rate[2][PARIO_UNITS_LEN];

    pario_view_say(
        result, "Fastest: %s, %s; the default: %s (medians of %d %s).",
        one[first].name,
        pario_rate_print(tune_median(&one[first].race), rate[0]),
        nothing >= 0 && tune_jobs(&one[nothing].race) > 0
            ? pario_rate_print(tune_median(&one[nothing].race), rate[1])
            : "failed",
        outcome->rounds, outcome->rounds == 1 ? "job" : "jobs");
}

/* Who failed is no detail: an application would have failed, too. */
static void say_excluded(struct pario_result *result,
                         const struct tune_race *race)
{
    int count = 0, first = 0;

    for (int i = race->count - 1; i >= 0; i--)
        if (race->one[i].state == TUNE_STRUCK) {
            first = i;
            count++;
        }
    if (count > 0)
        pario_view_say(result, "Failed: %d of %d settings. %s: %s", count,
                       race->count, race->one[first].name,
                       race->one[first].reason);
}

void tune_answer(struct pario_result *result,
                 const struct tune_outcome *outcome)
{
    const struct tune_pattern *pattern = &outcome->race.pattern;
    char chunk[PARIO_UNITS_LEN];

    pario_view_text(result, "conditions", "type %d, chunks of %s",
                    pattern->type, pario_size_print_short(pattern->l, chunk));
    if (outcome->leader >= 0 && outcome->rounds > 0)
        say_fastest(result, outcome);
    else if (outcome->leader >= 0)
        say_verdict(result, outcome);
    say_excluded(result, &outcome->race);
    pario_view_say(result, "The data was %s.", tune_place(&outcome->race));
}

void tune_all_answer(struct pario_result *result, const struct tune_all *all)
{
    const struct tune_contender *one = tune_all_contenders(all);

    pario_view_text(result, "conditions", "all types");
    if (!all->won)
        pario_view_say(result, "No setting is better than the default%s.",
                       all->own == all->nothing ? "" : " for sure");
    if (!all->won && all->own == all->nothing)
        return;
    if (!all->won)
        pario_view_say(result, "The leader, %s%s:", one[all->own].name,
                       tune_all_has_hints(all) ? " and its hints" : "");
    else if (tune_all_has_hints(all))
        pario_view_say(result, "The hints of each type are in the hints file.");
    say_gain(result, "the default", &all->over_nothing);
}
