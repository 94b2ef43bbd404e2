/* suites/replay/phase.c - what the measuring engine asks of a replay. */
#include "suites/replay/phase.h"

#include <stdio.h>

static int loop(void *part, struct pario_phase *phase)
{
    struct replay_part *load = part;
    struct pario_figures *figures = &phase->figures;
    int code = replay_workload_run(&load->work);

    replay_workload_sums(&load->work, &load->sums);
    figures->written_bytes = load->sums.bytes[PARIO_DATA_WRITE];
    figures->bytes = figures->written_bytes + load->sums.bytes[PARIO_DATA_READ];
    /* What is read again was not in the page cache again. */
    figures->data_bytes =
        pario_trace_times(load->work.plan.data_bytes, load->work.copies) /
        pario_group_size(phase->group);
    figures->operations = load->sums.operations[PARIO_DATA_READ] +
                          load->sums.operations[PARIO_DATA_WRITE];
    figures->written_data_bytes =
        pario_trace_times(load->work.plan.once_bytes, load->work.copies) /
        pario_group_size(phase->group);
    phase->repeats_data = load->sums.unstamped > 0 ||
                          load->work.plan.count > (size_t)REPLAY_FILES;
    pario_hist_merge(phase->latency, &load->sums.latency);
    return code;
}

static int check(void *part, struct pario_phase *phase)
{
    struct replay_part *load = part;
    int64_t reads[2] = {load->sums.jumps,
                        load->sums.operations[PARIO_DATA_READ]};
    int code = pario_reduce_i64(phase->group, PARIO_SUM, reads, 2);

    phase->scattered = 2 * reads[0] > reads[1];
    if (code == 0 && load->verify != PARIO_VERIFY_OFF)
        code = replay_workload_verify(
            &load->work, load->verify == PARIO_VERIFY_FULL, &load->sums);
    phase->unread = load->sums.unread > 0;
    phase->figures.checked_bytes = load->sums.checked;
    phase->figures.wrong_bytes = load->sums.wrong;
    snprintf(phase->figures.wrong, sizeof(phase->figures.wrong), "%s",
             load->sums.wrong_place);
    return code;
}

const struct pario_phase_calls replay_part_calls = {.loop = loop,
                                                    .check = check};

/* Is the file that the engine asks about the only one that is written? */
static int asks_what_it_writes(const struct replay_plan *plan)
{
    size_t number = replay_plan_number(plan, plan->largest);

    return plan->nwritten == 1 && number < plan->count &&
           plan->targets[number].written_bytes > 0 &&
           !plan->targets[number].gone;
}

void replay_part_describe(struct replay_part *part, struct pario_phase *phase)
{
    const struct replay_plan *plan = &part->work.plan;

    phase->path = plan->largest[0] != '\0' && part->work.nunits > 0
                      ? replay_path(&part->work.units[0].replay, plan->largest,
                                    part->path, sizeof(part->path))
                      : part->work.site.directory;
    phase->shared = 1;
    phase->writing = plan->writes > 0;
    phase->reading = plan->reads > 0;
    phase->many = part->work.copies > 1 || !asks_what_it_writes(plan);
    phase->unsynced = plan->unsynced;
}

int replay_part_outcome(const struct replay_part *part,
                        struct replay_outcome *outcome_p)
{
    int64_t sums[2] = {part->sums.otherwise, part->sums.calls};
    int code = pario_reduce_i64(part->work.site.group, PARIO_SUM, sums, 2);

    if (code != 0)
        return code;
    *outcome_p =
        (struct replay_outcome){.otherwise = sums[0],
                                .calls = sums[1],
                                .first = part->sums.first_otherwise[0] != '\0'
                                             ? part->sums.first_otherwise
                                             : "none"};
    return 0;
}
