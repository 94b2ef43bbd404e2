/* suites/tune/print.c - the race as a table. */
#include "suites/tune/tune.h"

#include "report/table.h"

#include <stdio.h>
#include <string.h>

const char *tune_place(const struct tune_race *race)
{
    struct pario_figures all = {.passes = 0};

    for (int i = 0; i < race->count; i++)
        if (race->one[i].done.passes > 0)
            pario_figures_add(&all, &race->one[i].done);
    switch (all.cache) {
    case PARIO_CACHE_CACHE:
        return "in the page cache: the library is compared, not the disk";
    case PARIO_CACHE_MIXED:
        return "partly in the page cache";
    case PARIO_CACHE_DISK:
        return "on disk";
    default:
        return "somewhere, in the page cache or not";
    }
}

static void add_row(struct pario_table *table,
                    const struct tune_outcome *outcome, int i)
{
    const struct tune_contender *one = &outcome->race.one[i];
    int best = i == outcome->winner, jobs = tune_jobs(&one->race);
    const char *reason = best ? "" : one->reason;

    pario_table_cell(table, "%s", one->name);
    if (jobs > 0) {
        pario_table_cell(table, "%.1f", tune_median(&one->race));
        pario_table_cell(table, "%d", jobs);
    } else {
        pario_table_cell(table, "-");
        pario_table_cell(table, "-");
    }
    if (tune_jobs(&one->confirm) > 0)
        pario_table_cell(table, "%.1f", tune_median(&one->confirm));
    else
        pario_table_cell(table, "-");
    pario_table_cell(
        table, "%s%s%s%s%s%s", best ? "BEST" : "",
        best && one->unknown[0] != '\0' ? "; " : "",
        one->unknown[0] != '\0' ? "the library does not know " : "",
        one->unknown, one->unknown[0] != '\0' && reason[0] != '\0' ? "; " : "",
        best || one->unknown[0] != '\0' || reason[0] != '\0' ? reason : "-");
}

int tune_print(FILE *out, const struct tune_outcome *outcome)
{
    static const char *const headers[] = {"contender", "median MB/s", "jobs",
                                          "confirmed MB/s", "remark"};
    const struct tune_race *race = &outcome->race;
    struct pario_table *table = NULL;
    int code = pario_table_create(5, headers, &table);

    fprintf(out,
            "\ntype %d, chunks of %lld bytes, %lld bytes a call, %lld "
            "processes, rounds: %d; the data is %s\n\n",
            race->pattern.type, (long long)race->pattern.l,
            (long long)race->pattern.L, (long long)outcome->processes,
            outcome->rounds > 0 ? outcome->rounds : outcome->race_rounds,
            tune_place(race));
    for (int i = 0; code == 0 && i < race->count; i++)
        add_row(table, outcome, i);
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    if (code == 0 && outcome->leader < 0)
        code = pario_fail(PARIO_EVERIFY,
                          "no contender came through; the first, %s: %s",
                          race->one[0].name, race->one[0].reason);
    return code;
}

static void add_ratio(struct pario_table *table, const struct tune_ratio *ratio)
{
    if (ratio->jobs < 2)
        pario_table_cell(table, "-");
    else
        pario_table_cell(table, "%.2f (%.2f to %.2f)", ratio->ratio, ratio->low,
                         ratio->high);
}

/* Who led, and what is left of it. */
static void add_choice(struct pario_table *table, const char *type,
                       const struct tune_all *all, const int *which,
                       const struct tune_ratio *const *ratios)
{
    const struct tune_contender *one = tune_all_contenders(all);

    pario_table_cell(table, "%s", type);
    pario_table_cell(table, "%s", which[0] < 0 ? "failed" : one[which[0]].name);
    add_ratio(table, ratios[0]);
    pario_table_cell(table, "%s", which[1] < 0 ? "-" : one[which[1]].name);
    add_ratio(table, ratios[1]);
}

static int print_choices(FILE *out, const struct tune_all *all)
{
    static const char *const headers[] = {"type", "leader", "times its default",
                                          "so", "times the default"};
    struct pario_table *table = NULL;
    int code = pario_table_create(5, headers, &table);

    for (int type = 0; code == 0 && type <= TUNE_TYPES; type++) {
        int one = type < TUNE_TYPES;
        const int which[] = {one ? all->leader[type] : all->plain_leader,
                             one ? all->choice[type] : all->plain};
        const struct tune_ratio *const ratios[] = {
            one ? &all->type_over_own[type] : &all->plain_over_own,
            one ? &all->type_over_nothing[type] : &all->plain_over_nothing};
        char name[16] = "one for all";

        if (one)
            snprintf(name, sizeof(name), "%d", type);
        add_choice(table, name, all, which, ratios);
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    return code;
}

int tune_all_print(FILE *out, const struct tune_all *all)
{
    fprintf(out,
            "\nAll types, the hints of each given at open; confirmed, with "
            "95 %% intervals:\n\n");
    return print_choices(out, all);
}
