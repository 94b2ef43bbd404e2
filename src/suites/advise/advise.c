/* suites/advise/advise.c - who runs, how often, and who is faster. */
#include "suites/advise/advise.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "launch/library.h"
#include "suites/advise/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_TIMEOUT_S 3600.0
#define MIN_ROUNDS 5
#define MAX_ROUNDS 24
#define SCREEN_SHARE 0.4 /* of the time, for the settings' first runs */
#define FINALISTS 2      /* settings that are run again */
#define PROMISING 0.9    /* of the best default's time in the first run */

struct advising {
    const struct advise_options *options;
    struct advise_outcome *outcome;
    int ndefaults;                       /* the first contenders */
    double end_s, native_s;              /* the clock; the longest run so far */
    double first_s[TUNE_MAX_CONTENDERS]; /* I/O of the first run; 0: none */
};

/* What the environment can say: hints of OMPIO's it cannot. */
static int can_be_set(const struct tune_contender *one, const char *mpi)
{
    return one->shipio || one->hints[0] == '\0' ||
           strstr(mpi, "Open MPI") == NULL ||
           strstr(one->variable, "romio") != NULL;
}

/* The native library and shipio as they come, then the settings. */
static int add_contenders(struct advising *advising)
{
    static const char *const none[] = {NULL};
    const struct advise_options *options = advising->options;
    struct advise_outcome *outcome = advising->outcome;
    struct tune_field field = {.mpi = options->mpi,
                               .processes = outcome->facts.processes,
                               .native = options->settings,
                               .extra = none};
    struct tune_race race;
    char library[PATH_MAX];
    int code;

    field.shipio = pario_library_shipio(library, sizeof(library)) == 0;
    code = tune_race_init(&race, &field);

    if (code != 0)
        return code;
    outcome->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < race.count; i++) {
            const struct tune_contender *from = &race.one[i];
            struct advise_contender *to = &outcome->contender[outcome->count];
            int plain = from->hints[0] == '\0' && from->variable[0] == '\0';

            if (plain != (pass == 0) || (!plain && !options->settings) ||
                !can_be_set(from, options->mpi))
                continue;
            memset(to, 0, sizeof(*to));
            snprintf(to->name, sizeof(to->name), "%s",
                     plain && from->shipio ? "shipio" : from->name);
            snprintf(to->variable, sizeof(to->variable), "%s", from->variable);
            snprintf(to->hints, sizeof(to->hints), "%s", from->hints);
            to->shipio = from->shipio;
            outcome->count++;
            advising->ndefaults += plain;
        }
    tune_race_fini(&race);
    return 0;
}

static void say(const struct advising *advising, const char *name,
                const struct advise_facts *facts, const char *why)
{
    if (advising->options->quiet)
        return;
    if (why[0] != '\0')
        fprintf(stderr, "%-28s %s\n", name, why);
    else
        fprintf(stderr, "%-28s I/O %.3g s, the program %.3g s\n", name,
                facts->io_s, facts->whole_s);
}

/* One run of a contender; one that fails is out. */
static int run_contender(struct advising *advising, int i,
                         struct advise_facts *facts)
{
    struct advise_contender *one = &advising->outcome->contender[i];
    double timeout_s =
        advising->native_s > 0 ? 30 + 20 * advising->native_s : FIRST_TIMEOUT_S;
    enum advise_end end = ADVISE_FAILED;
    int code = advise_run_once(advising->options, one, timeout_s, facts, &end,
                               one->reason);

    if (code == 0)
        say(advising, one->name, facts, one->reason);
    if (code == 0 && end == ADVISE_FAILED)
        one->out = 1;
    return code;
}

/* The first run shows what there is to gain, and warms up. */
static int run_first(struct advising *advising)
{
    struct advise_outcome *outcome = advising->outcome;
    struct advise_contender *native = &outcome->contender[ADVISE_NATIVE];
    int code;

    outcome->count = 1;
    snprintf(native->name, sizeof(native->name), "native default");
    code = run_contender(advising, ADVISE_NATIVE, &outcome->facts);
    if (code == 0 && native->out)
        code = pario_fail(PARIO_EUSAGE, "the program by itself %s",
                          native->reason);
    advising->native_s = outcome->facts.whole_s;
    return code;
}

static int by_first(const struct advising *advising, int a, int b)
{
    return advising->first_s[a] < advising->first_s[b];
}

/* Settings run once; those that look best go on. */
static int screen(struct advising *advising)
{
    struct advise_outcome *outcome = advising->outcome;
    double now_s = pario_clock_s();
    double end_s = now_s + (advising->end_s - now_s) * SCREEN_SHARE;
    double limit_s = 0;
    int code = 0;

    for (int i = 0; i < outcome->count && code == 0; i++) {
        struct advise_facts facts;

        if (i >= advising->ndefaults &&
            (pario_clock_s() > end_s || pario_cleanup_interrupted())) {
            outcome->contender[i].out = 1;
            continue;
        }
        code = run_contender(advising, i, &facts);
        advising->first_s[i] = facts.io_s;
        if (i < advising->ndefaults && !outcome->contender[i].out &&
            (limit_s == 0 || facts.io_s < limit_s))
            limit_s = facts.io_s;
    }
    for (int i = advising->ndefaults; i < outcome->count; i++) {
        int better = 0;

        for (int k = advising->ndefaults; k < outcome->count; k++)
            better += k != i && !outcome->contender[k].out &&
                      by_first(advising, k, i);
        if (better >= FINALISTS || advising->first_s[i] > PROMISING * limit_s)
            advising->first_s[i] = -1; /* is not run again */
    }
    for (int i = advising->ndefaults; i < outcome->count; i++)
        outcome->contender[i].out |= advising->first_s[i] < 0;
    return code;
}

static void keep(struct tune_values *values, int round, double seconds)
{
    values->mbps[round] = seconds > 0 ? 1 / seconds : 0;
    values->rounds = round + 1;
}

/* All that are in, forwards in even rounds and backwards in odd ones. */
static int run_round(struct advising *advising, int round)
{
    struct advise_outcome *outcome = advising->outcome;

    for (int n = 0; n < outcome->count; n++) {
        int i = round % 2 == 0 ? n : outcome->count - 1 - n;
        struct advise_contender *one = &outcome->contender[i];
        struct advise_facts facts;
        int code;

        if (one->out)
            continue;
        code = run_contender(advising, i, &facts);
        if (code != 0)
            return code;
        if (one->out && i == ADVISE_NATIVE)
            return pario_fail(PARIO_EUSAGE, "the program by itself %s",
                              one->reason);
        keep(&one->io, round, facts.io_s);
        keep(&one->reads, round, facts.read_s);
        keep(&one->writes, round, facts.write_s);
        keep(&one->whole, round, facts.whole_s);
    }
    outcome->rounds = round + 1;
    return 0;
}

static double faster(const struct tune_values *one,
                     const struct tune_values *native)
{
    struct tune_ratio ratio = tune_compare(one, native, TUNE_95);

    return ratio.jobs > 0 ? ratio.ratio : 0;
}

/* 1 when more rounds would tell nothing new. */
static int compare(struct advise_outcome *outcome, double gain)
{
    const struct advise_contender *native = &outcome->contender[ADVISE_NATIVE];
    int known = 1;

    for (int i = 1; i < outcome->count; i++) {
        struct advise_contender *one = &outcome->contender[i];

        if (one->out)
            continue;
        one->faster = tune_compare(&one->io, &native->io, TUNE_95);
        one->whole_faster = tune_compare(&one->whole, &native->whole, TUNE_95);
        one->reads_faster = faster(&one->reads, &native->reads);
        one->writes_faster = faster(&one->writes, &native->writes);
        known &= one->faster.low > gain || one->faster.high < gain;
    }
    return known;
}

/* Surely faster in I/O, and not surely slower as a whole. */
static void choose(struct advise_outcome *outcome, double gain)
{
    outcome->best = -1;
    for (int i = 1; i < outcome->count; i++) {
        const struct advise_contender *one = &outcome->contender[i];

        if (one->out || one->faster.low <= gain || one->whole_faster.high < 1)
            continue;
        if (outcome->best < 0 ||
            one->faster.ratio > outcome->contender[outcome->best].faster.ratio)
            outcome->best = i;
    }
}

static int race(struct advising *advising)
{
    struct advise_outcome *outcome = advising->outcome;
    double gain = advising->options->gain;
    int code = add_contenders(advising);

    if (code == 0 && outcome->count > advising->ndefaults)
        code = screen(advising);
    for (int round = 0; round < MAX_ROUNDS && code == 0; round++) {
        if (pario_cleanup_interrupted() ||
            (round >= MIN_ROUNDS && pario_clock_s() > advising->end_s))
            break;
        code = run_round(advising, round);
        if (compare(outcome, gain) && round + 1 >= MIN_ROUNDS)
            break;
    }
    if (code == 0)
        choose(outcome, gain);
    return code;
}

int advise_run(const struct advise_options *options,
               struct advise_outcome *outcome)
{
    struct advising advising = {.options = options, .outcome = outcome};
    int code;

    memset(outcome, 0, sizeof(*outcome));
    outcome->best = -1;
    advising.end_s = pario_clock_s() + options->time_s;
    code = run_first(&advising);
    if (code == 0 && outcome->facts.mpi_calls > 0)
        code = race(&advising);
    return code;
}
