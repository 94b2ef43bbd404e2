/* suites/shipbench/turn.c - contenders take turns within one job, so that noise
 * hits all alike; what they did is recorded. */
#include "suites/shipbench/turn.h"

#include "core/units.h"
#include "io/hints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the watchdog only: the slowest that a working library was seen to be. */
#define SLOWEST_BYTES_PER_S 4e6

/* "64k" and "65536" are the same. */
static int is_same(const char *asked, const char *in_force)
{
    int64_t a, b;

    if (strcmp(asked, in_force) == 0)
        return 1;
    return pario_size_parse(asked, &a) == 0 &&
           pario_size_parse(in_force, &b) == 0 && a == b;
}

/* Rank 0 knows what is in force. A contender whose own hint is not in force
 * is not what its name says. */
static void compare_hints(struct ship_turn *turn, size_t c,
                          const struct pario_hints *asked)
{
    const struct ship_contender *one = &turn->contenders.one[c];
    const struct pario_hints *in_force = &turn->in_force[c];
    struct pario_run *run = turn->kase.run;

    pario_hints_fini(&turn->not_in_force[c]);
    turn->not_in_force[c] = (struct pario_hints){.count = 0};
    for (size_t i = 0; in_force->count > 0 && i < asked->count; i++) {
        const struct pario_hint *hint = &asked->hint[i];
        const char *value = pario_hints_get(in_force, hint->key);

        if (value != NULL && strcmp(value, PARIO_HINT_NOT_KNOWN) == 0)
            value = NULL;
        /* shipio does not tell the list, only the agents that it makes. */
        if ((value != NULL && is_same(hint->value, value)) ||
            strcmp(hint->key, "cb_config_list") == 0)
            continue;
        pario_run_warn(run, "%s, %d tasks, %s: %s=%s is not in force: %s%s",
                       ship_test_names[turn->test].name,
                       pario_group_size(turn->kase.group), one->series,
                       hint->key, hint->value,
                       value != NULL ? "it is "
                                     : "the library does not know the hint",
                       value != NULL ? value : "");
        if (ship_contender_owns(one, hint->key))
            (void)!pario_hints_set(&turn->not_in_force[c], hint->key,
                                   value != NULL ? value : "");
    }
}

static int take_turn(struct ship_turn *turn, size_t c, int64_t repetition)
{
    const struct ship_contender *one = &turn->contenders.one[c];
    struct pario_run *run = turn->kase.run;
    struct pario_hints hints = {.count = 0};
    int code = ship_contender_hints(&turn->job->plan, one, &hints);

    if (code == 0)
        code = ship_turn_announce(turn, c, repetition);
    code = pario_agree(turn->kase.group, code);
    for (int access = 0; code == 0 && access < SHIP_ACCESSES; access++) {
        struct pario_figures figures;
        double mbps;
        char rate[PARIO_UNITS_LEN];

        if (turn->test == SHIP_ONESHOT)
            turn->kase.fresh = access == SHIP_WRITE;
        pario_run_phase(
            run, (double)ship_turn_bytes(turn) / SLOWEST_BYTES_PER_S,
            "%s %d tasks %s %s %lld", ship_test_names[turn->test].name,
            pario_group_size(turn->kase.group), one->series,
            ship_turn_access(turn, access), (long long)repetition + 1);
        code = ship_phase(&turn->kase, one->calls, &hints,
                          turn->test == SHIP_ONESHOT ? SHIP_WRITE
                                                     : (enum ship_access)access,
                          turn->job->data_file,
                          turn->asked[c] ? NULL : &turn->in_force[c], &figures);
        if (code != 0)
            break;
        if (!turn->asked[c])
            compare_hints(turn, c, &hints);
        turn->asked[c] = 1;
        mbps = pario_mbps(ship_turn_bytes(turn), figures.seconds);
        turn->mbps[c][access][repetition] = mbps;
        pario_progress_figure(&run->progress, pario_rate_print(mbps, rate));
        pario_figures_add(&turn->sum[c][access], &figures);
        if (turn->test == SHIP_ONESHOT) /* a rewrite writes something else */
            turn->job->data_file++;
    }
    turn->job->data_file++;
    turn->number[c][repetition] = turn->turns++;
    pario_hints_fini(&hints);
    return code;
}

/* Collective. A contender that fails is excluded, the others go on: every
 * rank has the same code. */
static int take_turn_or_strike(struct ship_turn *turn, size_t c,
                               int64_t repetition)
{
    const char *series = turn->contenders.one[c].series;
    int code;

    if (turn->struck[c][0] != '\0')
        return 0;
    code = take_turn(turn, c, repetition);
    if (code != PARIO_EMPI && code != PARIO_ESHORT && code != PARIO_EREMOTE) {
        turn->passes[c] += code == 0;
        return code;
    }
    snprintf(turn->struck[c], sizeof(turn->struck[c]), "%s",
             pario_error_message());
    pario_run_invalidate(turn->kase.run, "%s, %s: excluded: %s",
                         ship_test_names[turn->test].name, series,
                         turn->struck[c]);
    return 0;
}

/* The first one of a case finds a file just made: it is another one in each
 * case. What a repetition has measured is recorded at its end. */
int ship_turn_run(struct ship_turn *turn)
{
    size_t n = turn->contenders.count;
    int code = 0;

    for (int64_t r = turn->begin; code == 0 && r < ship_turn_repetitions(turn);
         r++) {
        for (size_t i = 0; code == 0 && i < n; i++)
            code = take_turn_or_strike(
                turn, ship_order(n, r + turn->job->case_number, i), r);
        if (code == 0)
            code = pario_agree(turn->kase.group, ship_turn_record(turn));
    }
    return code;
}

int ship_turn_init(struct ship_turn *turn)
{
    size_t n = (size_t)ship_turn_repetitions(turn);

    for (size_t c = 0; c < turn->contenders.count; c++) {
        turn->number[c] = calloc(n, sizeof(*turn->number[c]));
        if (turn->number[c] == NULL)
            return pario_fail_errno(-ENOMEM, "the measures");
        for (int access = 0; access < SHIP_ACCESSES; access++) {
            turn->mbps[c][access] = calloc(n, sizeof(double));
            if (turn->mbps[c][access] == NULL)
                return pario_fail_errno(-ENOMEM, "the measures");
        }
    }
    return 0;
}

void ship_turn_fini(struct ship_turn *turn)
{
    for (size_t c = 0; c < SHIP_MAX_CONTENDERS; c++) {
        for (int access = 0; access < SHIP_ACCESSES; access++)
            free(turn->mbps[c][access]);
        free(turn->number[c]);
        pario_hints_fini(&turn->in_force[c]);
        pario_hints_fini(&turn->not_in_force[c]);
    }
    ship_case_fini(&turn->kase);
    ship_layout_fini(&turn->kase.layout);
    free(turn);
}

/* Was all of it done before the run was resumed? */
