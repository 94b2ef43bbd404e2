/* suites/tune/print.c - the race as a table, the hints file, the measures. */
#include "suites/tune/tune.h"

#include "report/table.h"
#include "result/result.h"
#include "result/value.h"

#include <stdio.h>
#include <string.h>

static const char *place_of(enum pario_cache cache)
{
    switch (cache) {
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

static void print_gain(FILE *out, const char *over,
                       const struct tune_ratio *ratio)
{
    if (ratio->jobs < 2)
        fprintf(out, "  against %s: not compared\n", over);
    else
        fprintf(out, "  %.2f times %s (95 %% interval %.2f to %.2f, %d jobs)\n",
                ratio->ratio, over, ratio->low, ratio->high, ratio->jobs);
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
        one->unknown[0] != '\0' ? "the library does not know the hint " : "",
        one->unknown, one->unknown[0] != '\0' && reason[0] != '\0' ? "; " : "",
        best || one->unknown[0] != '\0' || reason[0] != '\0' ? reason : "-");
}

/* Is there a default between the leader and doing nothing? */
static int has_own(const struct tune_outcome *outcome)
{
    return outcome->own >= 0 && outcome->own != outcome->leader &&
           outcome->own != outcome->nothing;
}

/* What became of a leader that did not win. */
static void print_leader(FILE *out, const struct tune_outcome *outcome)
{
    const struct tune_race *race = &outcome->race;

    fprintf(out, "The leader of the race, %s:\n",
            race->one[outcome->leader].name);
    if (race->one[outcome->nothing].state != TUNE_STRUCK)
        print_gain(out, "doing nothing", &outcome->leader_over_nothing);
    if (has_own(outcome))
        print_gain(out, race->one[outcome->own].name,
                   &outcome->leader_over_own);
}

static void print_verdict(FILE *out, const struct tune_outcome *outcome)
{
    const struct tune_race *race = &outcome->race;

    if (outcome->winner < 0) {
        fprintf(out, "\nNo setting is better than the default%s.\n",
                outcome->leader != outcome->nothing ? " for sure" : "");
        if (outcome->leader != outcome->nothing)
            print_leader(out, outcome);
        return;
    }
    fprintf(out, "\nbest: %s, confirmed:\n", race->one[outcome->winner].name);
    if (race->one[outcome->nothing].state == TUNE_STRUCK)
        fputs("  doing nothing fails here\n", out);
    else
        print_gain(out, "doing nothing", &outcome->over_nothing);
    if (outcome->winner != outcome->leader)
        print_leader(out, outcome);
    else if (has_own(outcome))
        print_gain(out, race->one[outcome->own].name,
                   &outcome->leader_over_own);
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
            "processes; the data is %s\n\n",
            race->pattern.type, (long long)race->pattern.l,
            (long long)race->pattern.L, (long long)outcome->processes,
            place_of(outcome->cache));
    for (int i = 0; code == 0 && i < race->count; i++)
        add_row(table, outcome, i);
    if (code == 0)
        code = pario_table_render(table, out, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    if (code != 0)
        return code;
    if (outcome->leader < 0)
        return pario_fail(PARIO_EVERIFY, "no contender came through; the table "
                                         "says why");
    if (outcome->rounds == 0)
        print_verdict(out, outcome);
    return 0;
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
    fprintf(out, "# %s: ", best->name);
    if (outcome->over_nothing.jobs > 1)
        fprintf(out, "%.2f (%.2f to %.2f) times doing nothing",
                outcome->over_nothing.ratio, outcome->over_nothing.low,
                outcome->over_nothing.high);
    else
        fputs("doing nothing fails", out);
    fprintf(out, ", %lld processes, data %s\n", (long long)outcome->processes,
            place_of(outcome->cache));
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

static json_t *values_json(const struct tune_values *values)
{
    json_t *array = json_array();

    for (int r = 0; r < values->rounds; r++)
        if (values->mbps[r] > 0)
            json_array_append_new(array, pario_json_real(values->mbps[r]));
    return array;
}

static json_t *hints_json(const struct tune_contender *one)
{
    json_t *object = json_object();
    char copy[sizeof(one->hints)], *rest = copy, *pair;

    snprintf(copy, sizeof(copy), "%s", one->hints);
    while ((pair = strsep(&rest, ";")) != NULL) {
        char *value = strchr(pair, '=');

        if (value == NULL)
            continue;
        *value++ = '\0';
        json_object_set_new(object, pair, pario_json_text(value));
    }
    return object;
}

static int record_one(struct pario_result *result,
                      const struct tune_outcome *outcome, int i)
{
    static const char *const states[] = {"in", "slower", "not ahead",
                                         "struck out"};
    const struct tune_pattern *p = &outcome->race.pattern;
    const struct tune_contender *one = &outcome->race.one[i];
    struct pario_measure measure = {
        .test = "tune",
        .access = p->reads && p->writes ? "write and read"
                  : p->reads            ? "read"
                                        : "write",
        .partition = (int)outcome->processes,
        .bytes = one->bytes,
        .seconds = one->seconds,
        .operations = p->L > 0 ? one->bytes / p->L : 0,
        .first_done_s = -1,
        .last_done_s = -1,
        .cache = outcome->cache,
    };

    measure.pattern = json_pack("{s:i, s:I, s:I}", "type", p->type, "l_bytes",
                                (json_int_t)p->l, "L_bytes", (json_int_t)p->L);
    measure.parameters =
        json_pack("{s:s, s:s, s:o, s:o}", "contender", one->name, "library",
                  one->shipio ? "shipio" : "native", "environment",
                  pario_json_text(one->variable), "hints", hints_json(one));
    measure.extra = json_pack(
        "{s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "jobs_mbps",
        values_json(&one->race), "confirmation_mbps",
        values_json(&one->confirm), "median_mbps",
        pario_json_real(tune_median(&one->race)), "state", states[one->state],
        "best", i == outcome->winner, "reason", pario_json_text(one->reason),
        "unknown_hint", pario_json_text(one->unknown));
    return pario_result_add(result, &measure);
}

static void set_summary(struct pario_result *result, const char *prefix,
                        const char *name, json_t *value)
{
    char full[64];

    snprintf(full, sizeof(full), "%s%s", prefix, name);
    pario_result_set(result, "summary", full, value);
}

/* gain, gain_low and gain_high; null: not compared, or with itself. */
static void set_gain(struct pario_result *result, const char *prefix,
                     const char *name, const struct tune_ratio *ratio)
{
    const double values[] = {ratio->ratio, ratio->low, ratio->high};
    static const char *const ends[] = {"", "_low", "_high"};

    for (int i = 0; i < 3; i++) {
        char full[48];

        snprintf(full, sizeof(full), "%s%s", name, ends[i]);
        set_summary(result, prefix, full,
                    ratio->jobs > 1 ? pario_json_real(values[i]) : json_null());
    }
}

static void summarise(struct pario_result *result, const char *prefix,
                      const struct tune_outcome *outcome)
{
    static const struct tune_ratio none = {.jobs = 0};
    const struct tune_contender *one = outcome->race.one;
    int won = outcome->winner >= 0, own = outcome->own;
    int leads = outcome->leader != outcome->nothing;

    set_summary(
        result, prefix, "best",
        pario_json_text(one[won ? outcome->winner : outcome->nothing].name));
    set_gain(result, prefix, "gain", won ? &outcome->over_nothing : &none);
    set_summary(result, prefix, "leader",
                pario_json_text(one[outcome->leader].name));
    set_gain(result, prefix, "leader_gain",
             leads ? &outcome->leader_over_nothing : &none);
    set_summary(result, prefix, "leader_default",
                own >= 0 ? pario_json_text(one[own].name) : json_null());
    set_gain(result, prefix, "leader_gain_over_its_default",
             own >= 0 && own != outcome->leader ? &outcome->leader_over_own
                                                : &none);
}

int tune_record(struct pario_result *result, const char *prefix,
                const struct tune_outcome *outcome)
{
    int code = 0;

    for (int i = 0; code == 0 && i < outcome->race.count; i++)
        code = record_one(result, outcome, i);
    if (outcome->rounds == 0 && outcome->leader >= 0)
        summarise(result, prefix, outcome);
    return code;
}
