/* suites/io500/rules.c - what the list asks for, and what nobody asks for and
 * is seen all the same. */
#include "suites/io500/io500.h"

#include "result/view.h"

#include <stdio.h>
#include <string.h>

const struct pario_stonewall *io500_stonewall(const struct io500 *io500,
                                              const struct io500_phase *what)
{
    if (!(what->rules & IO500_STONEWALLED))
        return NULL;
    if (what->transfer_bytes > 0)
        return &io500->random_stonewall;
    return what->op != NULL ? meta_case_stonewall(io500->worker[what->set])
                            : &io500->part[what->set].stonewall;
}

/* met: 1, 0; -1: nobody can know. */
static void add(json_t *rules, const char *name, int met, const char *fmt, ...)
    PARIO_PRINTF(4, 5);
static void add(json_t *rules, const char *name, int met, const char *fmt, ...)
{
    char reason[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    json_array_append_new(rules,
                          json_pack("{s:s, s:o, s:s}", "rule", name, "met",
                                    met < 0 ? json_null() : json_boolean(met),
                                    "reason", reason));
}

/* Has it ended by the clock, and has it done so after 300 s? */
static void add_time(json_t *rules, const struct io500 *io500,
                     const struct io500_phase *what,
                     const struct pario_figures *figures)
{
    const struct pario_stonewall *wall = io500_stonewall(io500, what);
    int64_t limit = what->transfer_bytes > 0 ? INT64_MAX
                    : what->op != NULL       ? io500->how[what->set].files
                                       : io500->part[what->set].plan.count;

    if (wall == NULL)
        return;
    add(rules, "300 s", figures->seconds >= IO500_LIST_S, "it took %.1f s%s",
        figures->seconds,
        wall->most >= limit
            ? ": all that it may write was written before the time was over"
            : "");
    add(rules, "wear-out",
        figures->operations == wall->most * pario_group_size(io500->run->world),
        "at the stonewall processes had done %lld to %lld, in the end %lld "
        "each",
        (long long)wall->fewest, (long long)wall->most, (long long)wall->most);
}

static void add_cache(json_t *rules, const struct pario_figures *figures)
{
    add(rules, "no cache",
        figures->cache == PARIO_CACHE_UNKNOWN
            ? -1
            : figures->cache == PARIO_CACHE_DISK,
        "the verdict is %s", pario_cache_names[figures->cache]);
}

static void add_device(json_t *rules, const struct pario_phase *phase)
{
    const struct pario_figures *figures = &phase->figures;
    int64_t seen = phase->writing ? figures->seen.device_written_bytes
                                  : figures->seen.device_read_bytes;

    if (seen < 0)
        add(rules, "device traffic", -1,
            "no device is visible below this directory");
    else if (phase->names)
        add(rules, "device traffic", figures->cache == PARIO_CACHE_DISK,
            "the device %s %lld bytes for %lld names",
            phase->writing ? "wrote" : "read", (long long)seen,
            (long long)figures->operations);
    else
        add(rules, "device traffic", seen >= figures->bytes / 100 * 95,
            "the device %s %lld of %lld bytes",
            phase->writing ? "wrote" : "read", (long long)seen,
            (long long)figures->bytes);
}

static void add_verified(json_t *rules, const struct io500 *io500,
                         const struct pario_figures *figures)
{
    if (io500->run->common.verify == PARIO_VERIFY_OFF)
        add(rules, "verified", 0, "nothing was checked (--verify off)");
    else if (figures->checked_bytes > 0)
        add(rules, "verified", figures->wrong_bytes == 0,
            "%lld bytes were checked, %lld are wrong",
            (long long)figures->checked_bytes, (long long)figures->wrong_bytes);
    else
        add(rules, "verified", 1, "number, names and sizes are what was made");
}

static void add_hints(json_t *rules, const struct io500 *io500,
                      const struct io500_phase *what)
{
    if (what->op != NULL || what->set < 0 || what->run == io500_find)
        return;
    if (io500->part[what->set].in_force.count > 0)
        add(rules, "hints", 1,
            "hints_in_force has those that the library "
            "reported");
    else
        add(rules, "hints", -1, "%s has no hints",
            pario_interface_names[io500->options->interface]);
}

json_t *io500_evidence(const struct io500 *io500,
                       const struct io500_phase *what,
                       const struct pario_phase *phase)
{
    json_t *list = json_array(), *beyond = json_array();

    add_time(list, io500, what, &phase->figures);
    add_cache(list, &phase->figures);
    add_device(beyond, phase);
    add_verified(beyond, io500, &phase->figures);
    add_hints(beyond, io500, what);
    return json_pack("{s:o, s:o}", "list_asks", list, "beyond_the_list",
                     beyond);
}

static unsigned flags_of(const struct io500 *io500, int names)
{
    struct pario_flag_sum sum = {.count = 0};

    for (int i = 0; i < PARIO_IO500_FIGURES; i++)
        if (pario_io500_figures[i].scored &&
            (names < 0 || pario_io500_figures[i].names == names))
            pario_flag_sum_add(&sum, io500->flags[i]);
    return pario_flag_sum_get(&sum);
}

void io500_summarise(struct io500 *io500)
{
    struct pario_result *result = io500->run->result;
    struct pario_io500_score score = pario_io500_scores(io500->values);

    if (result == NULL)
        return;
    for (int i = 0; i < PARIO_IO500_FIGURES; i++)
        if (io500->values[i] > 0)
            pario_result_summary(result, pario_io500_figures[i].figure,
                                 json_real(io500->values[i]), io500->flags[i]);
    pario_result_summary(result, "bandwidth_gibps",
                         json_real(score.bandwidth_gibps), flags_of(io500, 0));
    pario_result_summary(result, "metadata_kiops", json_real(score.names_kiops),
                         flags_of(io500, 1));
    pario_result_summary(result, "io500_score", json_real(score.score),
                         flags_of(io500, -1));
    pario_view_say(result, "IO500 pattern (not an IO500 submission: the list "
                           "demands its own code).");
    if (io500->short_phases > 0)
        pario_view_say(result,
                       "%d of 4 phases that write took less than the %.0f s "
                       "that the list asks for.",
                       io500->short_phases, IO500_LIST_S);
}
