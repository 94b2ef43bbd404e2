/* suites/prio/replay.c - [replay FILE]: the I/O of a recorded program as one
 * part of a workload (PRIOmark, Sect. 6: the wish for such workloads). It is
 * played once from its beginning to its end, however long that takes. */
#include "core/cleanup.h"
#include "suites/prio/prio.h"
#include "suites/replay/phase.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct own {
    const char *trace, *timing, *hints;
    int interface;
    int64_t amplify;
};

#define AT(field) offsetof(struct own, field)

static const struct pario_option keywords[] = {
    {PARIO_FIELD("trace", STRING, AT(trace))},
    {PARIO_FIELD("timing", STRING, AT(timing))},
    {PARIO_FIELD("hints", STRING, AT(hints))},
    {PARIO_FIELD("interface", CHOICE, AT(interface)),
     .choices = replay_interfaces},
    {PARIO_FIELD("amplify", INT, AT(amplify)), PARIO_RANGE(1, 100000)},
    {.name = NULL},
};

static const struct own defaults = {.timing = "asap", .amplify = 1};

static void take_name(void *values, const char *word)
{
    struct own *own = values;

    own->trace = word;
}

static const char *file_of(const void *values)
{
    const struct own *own = values;

    return own->trace;
}

static int open_trace(const struct prio_case *what,
                      struct replay_workload *work)
{
    const struct own *own = what->own;

    memset(work, 0, sizeof(*work));
    if (own->trace == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "which trace? [replay FILE], or the keyword trace");
    return replay_workload_open(
        work, &(struct replay_wishes){.path = own->trace,
                                      .timing = own->timing,
                                      .hints = own->hints,
                                      .interface = own->interface,
                                      .copies = own->amplify});
}

static int check(const struct prio_case *what)
{
    struct replay_workload work;
    int code = open_trace(what, &work);

    if (code == 0)
        code = replay_workload_check(&work, what->processes);
    replay_workload_fini(&work);
    return code == 0 ? 0 : PARIO_EUSAGE;
}

static int64_t disk_bytes(const struct prio_case *what)
{
    struct replay_workload work;
    int64_t bytes = 0;

    if (open_trace(what, &work) == 0)
        bytes = pario_trace_times(work.plan.need_bytes, work.copies);
    replay_workload_fini(&work);
    return bytes;
}

static double schedule_s(const struct prio_case *what)
{
    struct replay_workload work;
    double seconds = 0;

    if (open_trace(what, &work) == 0)
        seconds = replay_workload_schedule_s(&work);
    replay_workload_fini(&work);
    return seconds;
}

/* Collective. A folder of its own: its files have the program's names. */
static int make_folder(const struct prio_env *env, const struct prio_case *what,
                       char *path, size_t len)
{
    int code = 0;

    if (snprintf(path, len, "%s/%s-%d", env->directory, what->label,
                 what->repetition) >= (int)len)
        code = pario_fail_errno(-ENAMETOOLONG, "cannot replay below %s",
                                env->directory);
    if (code == 0 && pario_group_rank(env->group) == 0) {
        if (pario_own_mkdir(path, 0755) != 0)
            code = pario_fail_errno(-errno, "cannot make %s", path);
        else
            code = pario_cleanup_add_tree(path);
    }
    return pario_agree(env->group, code);
}

/* Collective. Nothing of it is in the way of the next. */
static int remove_folder(const struct prio_env *env, const char *path)
{
    int code = pario_barrier(env->group);

    if (code == 0 && pario_group_rank(env->group) == 0 &&
        !env->run->common.keep)
        code = pario_cleanup_remove(path);
    return pario_agree(env->group, code);
}

static int prepare(const struct prio_env *env, const struct prio_case *what,
                   struct replay_part *part, char *folder, size_t len)
{
    int code = open_trace(what, &part->work);

    part->verify = env->run->common.verify;
    code = pario_agree(env->group, code);
    if (code == 0)
        code = make_folder(env, what, folder, len);
    if (code != 0)
        return code;
    return replay_workload_prepare(
        &part->work,
        &(struct replay_site){.group = env->group,
                              .directory = folder,
                              .key = env->run->data_key,
                              .check = part->verify != PARIO_VERIFY_OFF});
}

/* Collective. A call that ended otherwise than recorded is a failure. */
static int judge(const struct replay_part *part, const struct prio_case *what,
                 struct prio_figures *figures)
{
    struct replay_outcome outcome;
    int code = replay_part_outcome(part, &outcome);

    if (code != 0)
        return code;
    figures->extra =
        json_pack("{s:I, s:f}", "calls", (json_int_t)outcome.calls,
                  "recorded_s", (double)part->work.plan.seconds_ns * 1e-9);
    if (outcome.otherwise > 0)
        return pario_fail(PARIO_EFORMAT,
                          "%s: %lld of %lld calls ended otherwise than "
                          "recorded (%s)",
                          what->label, (long long)outcome.otherwise,
                          (long long)outcome.calls, outcome.first);
    return 0;
}

static int run(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures)
{
    struct replay_part *part = calloc(1, sizeof(*part));
    char folder[sizeof(env->directory) + PRIO_LABEL_LEN + 16] = "";
    int code = part != NULL
                   ? 0
                   : pario_fail_errno(-ENOMEM, "cannot replay %s", what->label);

    code = pario_agree(env->group, code);
    if (code == 0 && part != NULL)
        code = prepare(env, what, part, folder, sizeof(folder));
    if (code == 0 && part != NULL)
        replay_part_describe(part, figures->phase);
    else
        figures->phase->path = env->directory;
    code = prio_measure(env, code, figures, &replay_part_calls, part);
    if (code == 0 && part != NULL)
        code = judge(part, what, figures);
    if (part != NULL)
        replay_workload_fini(&part->work);
    free(part);
    return code == 0 ? remove_folder(env, folder) : code;
}

const struct prio_bench prio_bench_replay = {
    .test = {"replay", "the I/O of a program that `pario record` ran"},
    .abilities = PRIO_NO_DATA | PRIO_ONCE,
    .keywords = keywords,
    .own_size = sizeof(struct own),
    .own_defaults = &defaults,
    .name = take_name,
    .file = file_of,
    .disk_bytes = disk_bytes,
    .schedule_s = schedule_s,
    .check = check,
    .run = run,
};
