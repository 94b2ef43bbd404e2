/* suites/tune/print.c - the race as a table, and the hints file. */
#include "suites/tune/tune.h"

#include "report/table.h"

#include <stdio.h>
#include <string.h>

static void print_gain(FILE *out, const char *over,
                       const struct tune_ratio *ratio)
{
    fprintf(out, "  %.2f times %s (95 %% interval %.2f to %.2f, %d passes)\n",
            ratio->ratio, over, ratio->low, ratio->high, ratio->passes);
}

int tune_print(FILE *out, const struct tune_outcome *outcome)
{
    static const char *const headers[] = {"contender", "median MB/s", "passes",
                                          "remark"};
    const struct tune_race *race = &outcome->race;
    struct pario_table *table = NULL;
    int code = pario_table_create(4, headers, &table);

    fprintf(out, "\ntype %d, chunks of %lld bytes, %lld bytes a call\n\n",
            race->pattern.type, (long long)race->pattern.l,
            (long long)race->pattern.L);
    for (int i = 0; code == 0 && i < race->count; i++) {
        const struct tune_contender *one = &race->one[i];

        pario_table_cell(table, "%s", one->name);
        pario_table_cell(table, "%.1f", tune_median(one));
        pario_table_cell(table, "%d", one->passes);
        pario_table_cell(
            table, "%s%s%s%s", i == outcome->winner ? "BEST " : "",
            one->unknown[0] != '\0' ? "the library does not know the hint "
                                    : "",
            one->unknown[0] != '\0' ? one->unknown : one->reason,
            one->unknown[0] == '\0' && one->reason[0] == '\0' ? "-" : "");
    }
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    if (outcome->winner < 0) {
        fputs("\nNo setting is better than the default.\n", out);
        return code;
    }
    fprintf(out, "\nbest: %s, confirmed:\n", race->one[outcome->winner].name);
    if (race->one[outcome->nothing].out)
        fputs("  doing nothing fails here\n", out);
    else
        print_gain(out, "doing nothing", &outcome->over_nothing);
    if (outcome->own >= 0 && outcome->own != outcome->winner &&
        outcome->own != outcome->nothing)
        print_gain(out, "its library's default", &outcome->over_own);
    return code;
}

void tune_write_hints(FILE *out, const char *section,
                      const struct tune_outcome *outcome)
{
    const struct tune_contender *best;
    char copy[sizeof(best->hints)], *rest = copy, *pair;

    if (outcome->winner < 0) {
        fprintf(out, "# %s%sno setting is better than the default\n", section,
                section[0] != '\0' ? ": " : "");
        return;
    }
    best = &outcome->race.one[outcome->winner];
    fprintf(out, "# %s: %.2f (%.2f to %.2f) times doing nothing\n", best->name,
            outcome->over_nothing.ratio, outcome->over_nothing.low,
            outcome->over_nothing.high);
    if (best->variable[0] != '\0')
        fprintf(out, "# needs in the environment: %s\n", best->variable);
    if (best->shipio)
        fputs("# needs shipio: pario --mpiio shipio, or LD_PRELOAD="
              "libshipio.so\n",
              out);
    if (section[0] != '\0')
        fprintf(out, "%s\n", section);
    snprintf(copy, sizeof(copy), "%s", best->hints);
    while ((pair = strsep(&rest, ";")) != NULL) {
        char *value = strchr(pair, '=');

        if (value == NULL)
            continue;
        *value++ = '\0';
        fprintf(out, "%s %s\n", pair, value);
    }
}
