/* suites/prio/prio.c - `pario prio WORKLOAD [DIR ...]`: PRIOmark. */
#include "suites/prio/prio.h"

#include "core/cleanup.h"
#include "core/units.h"
#include "io/backend.h"
#include "result/workload.h"
#include "suites/common.h"
#include "suites/shared_fields.h"
#include "suites/suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For deadlines: a slow disk, shared. */
#define SLOWEST_MBPS 5.0
#define SLOWEST_REQUEST_S 0.02
#define SAMPLES_KEPT ((size_t)1 << 20)

#define SCALE_STEP 4096 /* so that O_DIRECT and random sizes still fit */
#define AT(field) offsetof(struct prio_options, field)

static const struct pario_option prio_table[] = {
    {PARIO_FLAG("explain", AT(explain)),
     .help = "say in plain words what the workload does and needs, and stop"},
    {PARIO_SHARED_SCALE(AT(scale)),
     .help = "so many times the workload's data, e.g. 0.1 or 64"},
    {PARIO_OPTION("plugin", STRING, AT(plugin), "FILE.so"), .command_only = 1,
     .help = "load a further sub-benchmark (several: separated by commas)"},
    {PARIO_OPTION("device", STRING, AT(device), "DEVICE"),
     .help = "block device of raw, where the workload names none"},
    {PARIO_OPTION("destroy-data", STRING, AT(destroy), "DEVICE"),
     .help = "raw may write to this device: all that is on it is lost"},
    {.name = NULL},
};

static const struct prio_options prio_defaults = {.scale = 1};

static const char *const prio_links[] = {"priomark", NULL};

/* An eighth of the free memory for all processes of a node together, so that
 * the tool does not push the page cache out. */
static int64_t memory_budget(const struct prio *prio)
{
    const struct pario_run *run = prio->run;
    int64_t memory = run->node.memory_free_bytes > 0
                         ? run->node.memory_free_bytes
                         : run->node.memory_bytes;
    int64_t budget = memory / 8 / pario_group_node_size(run->world);

    if (prio->workload->memory_bytes > 0)
        budget = prio->workload->memory_bytes;
    /* All processes take the same, or their windows would not match. */
    if (pario_reduce_i64(run->world, PARIO_MIN, &budget, 1) != 0)
        return 0;
    return budget;
}

static int read_operands(struct prio *prio)
{
    struct pario_run *run = prio->run;

    if (run->noperands < 1)
        return pario_fail(PARIO_EUSAGE,
                          "which workload? `pario prio WORKLOAD [DIR ...]`; "
                          "examples/workloads has some");
    if (run->noperands - 1 > PRIO_MAX_DIRECTORIES)
        return pario_fail(PARIO_EUSAGE, "more than %d directories",
                          PRIO_MAX_DIRECTORIES);
    for (int i = 1; i < run->noperands; i++)
        prio->directory[prio->ndirectories++] = run->operands[i];
    if (prio->ndirectories == 0)
        prio->directory[prio->ndirectories++] = ".";
    return prio_workload_read(run->operands[0], prio->bench,
                              (uint64_t)run->common.seed, prio->options->device,
                              &prio->workload);
}

/* Whole requests of whole pages, at least one. */
static int64_t scaled(int64_t bytes, int64_t request, double factor)
{
    int64_t step = request > SCALE_STEP ? request : SCALE_STEP;
    double wanted = (double)bytes * factor / (double)step;

    return wanted < 1 ? step
                      : (int64_t)(wanted < 0x1p62 / (double)step
                                      ? wanted
                                      : 0x1p62 / (double)step) *
                            step;
}

static void scale_data(struct prio *prio)
{
    double factor = prio->options->scale;

    for (int i = 0; factor != 1 && i < prio->workload->nsections; i++) {
        struct prio_section *section = &prio->workload->section[i];
        int64_t request = 0;

        if (section->bench->scale != NULL)
            section->bench->scale(section->own, factor);
        for (size_t j = 0; j < section->request.count; j++)
            if (section->request.item[j].high > request)
                request = section->request.item[j].high;
        for (size_t j = 0; j < section->data.count; j++) {
            struct prio_size *data = &section->data.item[j];

            data->low = scaled(data->low, request, factor);
            data->high = scaled(data->high, request, factor);
        }
    }
}

/* Rank 0. What the workload says is part of what was measured: a run that is
 * resumed with another one is refused. */
static int note_workload(const struct prio *prio)
{
    struct pario_result *result = prio->run->result;
    int code;

    if (result == NULL)
        return 0;
    code =
        pario_result_workload_file(result, "workload", prio->run->operands[0]);
    for (int i = 0; code == 0 && i < prio->workload->nsections; i++) {
        const struct prio_section *section = &prio->workload->section[i];
        const char *file = section->bench->file != NULL
                               ? section->bench->file(section->own)
                               : NULL;

        if (file != NULL)
            code = pario_result_workload_file(result, section->label, file);
    }
    return code;
}

/* Collective. What the command line says wins over the file, also when it
 * says what is the default. */
static int seed_given(const struct pario_run *run)
{
    int64_t given = run->common.seed != pario_common_defaults.seed;
    const json_t *words = NULL;

    if (run->result != NULL)
        words = json_object_get(pario_result_document(run->result), "command");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));

        if (word != NULL && strncmp(word, "--seed", 6) == 0)
            given = 1;
    }
    if (pario_bcast(run->world, &given, sizeof(given)) != 0)
        return 0;
    return (int)given;
}

/* Cases that run for a time keep their data in memory all along. */
static int check_memory(struct prio *prio)
{
    const struct prio_workload *workload = prio->workload;

    for (int i = 0; i < workload->nsections; i++) {
        const struct prio_section *section = &workload->section[i];
        int timed = section->in_mix || section->base.time_s > 0;

        for (size_t d = 0; timed && d < section->data.count; d++) {
            if (section->base.reuse_buffer ||
                section->data.item[d].high <= prio->env.memory_bytes)
                continue;
            (void)pario_fail(PARIO_EUSAGE,
                             "what runs for a time keeps its data in memory: "
                             "at most %lld bytes a process here (`memory` "
                             "allows more, `buffer reuse` needs none)",
                             (long long)prio->env.memory_bytes);
            return prio_workload_fail(workload,
                                      section->lines[PRIO_KEY_DATA] != 0
                                          ? abs(section->lines[PRIO_KEY_DATA])
                                          : section->line,
                                      "data");
        }
    }
    return 0;
}

/* Both ends of a range: what is drawn between them is aligned like them. */
static int check_aligned(const struct pario_backend *posix,
                         const char *directory, const struct prio_sizes *sizes)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < sizes->count; i++) {
        code = pario_backend_check(posix, directory, PARIO_OPEN_DIRECT,
                                   sizes->item[i].low);
        if (code == 0)
            code = pario_backend_check(posix, directory, PARIO_OPEN_DIRECT,
                                       sizes->item[i].high);
    }
    return code;
}

/* O_DIRECT asks each file system for its alignment. */
static int check_direct(const struct prio *prio)
{
    const struct prio_workload *workload = prio->workload;
    const struct pario_backend *posix;
    int code = pario_backend_find("posix", &posix);

    for (int i = 0; code == 0 && i < workload->nsections; i++) {
        const struct prio_section *section = &workload->section[i];

        if (!section->base.direct || section->bench->abilities & PRIO_ON_DEVICE)
            continue;
        for (int d = 0; code == 0 && d < prio->ndirectories; d++) {
            code = check_aligned(posix, prio->directory[d], &section->data);
            if (code == 0 && !(section->bench->abilities & PRIO_WHOLE))
                code =
                    check_aligned(posix, prio->directory[d], &section->request);
        }
        if (code != 0)
            return prio_workload_fail(
                workload, abs(section->lines[PRIO_KEY_DIRECT]), "direct");
    }
    return code;
}

/* Collective. io_uring is left out where it is forbidden. */
static int check_uring(struct pario_run *run)
{
    const struct pario_backend *uring;
    int allowed = 1, code;

    if (pario_backend_find("uring", &uring) != 0)
        return 0; /* not compiled in */
    code = pario_run_may_use(run, uring, &allowed);
    if (code == 0 && !allowed)
        prio_methods_forbid(PRIO_URING);
    return code;
}

/* Collective. Everything that can be known to be impossible. */
static int plan(struct prio *prio)
{
    struct pario_run *run = prio->run;
    int code = check_uring(run);

    if (code == 0)
        code = prio_benches_load(prio);
    if (prio->options->destroy != NULL)
        prio_raw_allow(prio->options->destroy);
    if (prio->options->explain || run->common.dry_run)
        prio_raw_only_explain();
    if (code == 0)
        code = read_operands(prio);
    if (code == 0)
        code = note_workload(prio);
    code = pario_agree(run->world, code);
    if (code != 0 || prio->workload == NULL)
        return code;
    scale_data(prio);
    /* Random sizes are drawn from it, and checked. */
    if (seed_given(run))
        prio->workload->seed = (uint64_t)run->common.seed;
    code = prio_workload_check(prio->workload, pario_group_size(run->world));
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    prio->env.memory_bytes = memory_budget(prio);
    code = check_memory(prio);
    if (code == 0 && pario_group_rank(run->world) == 0)
        code = check_direct(prio);
    if (code == 0 && pario_group_rank(run->world) == 0 &&
        !prio->options->explain && !run->common.dry_run)
        code = prio_raw_confirm(prio->workload);
    return pario_agree(run->world, code);
}

/* Collective. A group of the first `processes`, kept until another number is
 * wanted; NULL for those outside. */
static int use_group(struct prio *prio, int processes)
{
    int code;

    if (prio->group_size == processes)
        return 0;
    pario_group_destroy(prio->group);
    prio->group = NULL;
    prio->group_size = 0;
    code = pario_group_first(prio->run->world, processes, &prio->group);
    if (code == 0)
        prio->group_size = processes;
    return pario_agree(prio->run->world, code);
}

static double schedule_s(const struct prio_bench *bench,
                         const struct prio_case *what)
{
    double data = bench->abilities & PRIO_NO_DATA
                      ? 0
                      : (double)what->data_bytes * what->processes;
    double own = bench->schedule_s != NULL ? bench->schedule_s(what) : 0;
    double requests =
        data > 0 ? (double)what->data_bytes / (double)what->request_low : 0;

    return 3 * data / (SLOWEST_MBPS * 1e6) + what->time_s + own +
           (what->think_s + SLOWEST_REQUEST_S * what->processes) * requests;
}

/* The phase that a case is to describe further and to take through. */
static struct prio_figures new_figures(struct prio *prio,
                                       struct pario_phase *phase)
{
    int wanted = prio->run->common.samples != NULL;

    pario_hist_init(&prio->latency);
    *phase = (struct pario_phase){
        .run = prio->run,
        .group = prio->env.group,
        .beside = prio->env.all != prio->env.group ? prio->env.all : NULL,
        .latency = &prio->latency,
    };
    return (struct prio_figures){
        .phase = phase,
        .samples = {wanted ? &prio->samples[0] : NULL,
                    wanted ? &prio->samples[1] : NULL},
        .losses = {NAN, NAN},
    };
}

/* Local. The file goes; a shared one only if this process may remove it. */
static void forget_file(struct prio *prio, int member)
{
    const char *path = prio->prepared.path;
    size_t len = strlen(prio->run->directory);

    /* Only below the run's own directory, whatever happened. */
    if (!prio->prepared.device && (member || !prio->prepared.shared) &&
        !prio->run->common.keep && len > 0 &&
        strncmp(path, prio->run->directory, len) == 0 && path[len] == '/')
        (void)pario_own_unlink(path); /* the directory goes at the end anyway */
    prio->prepared = (struct prio_prepared){0};
}

/* Collective. The files of a section are in the way of the next. */
static int remove_files(struct prio *prio)
{
    forget_file(prio, 1);
    return pario_barrier(prio->run->world);
}

static int run_case(void *context, const struct prio_section *section,
                    const struct prio_case *what)
{
    struct prio *prio = context;
    struct pario_run *run = prio->run;
    struct prio_figures figures;
    struct pario_phase phase;
    char size[PARIO_UNITS_LEN];
    int code, member;

    if (prio_is_recorded(prio, section->bench, what, NULL))
        return 0;
    code = use_group(prio, what->processes);
    if (code != 0)
        return code;
    member = prio->group != NULL;
    prio->env.group = prio->env.all = prio->group;
    figures = new_figures(prio, &phase);
    if (section->bench->abilities & PRIO_NO_DATA)
        pario_run_phase(run, schedule_s(section->bench, what), "%s %d",
                        section->label, what->processes);
    else
        pario_run_phase(run, schedule_s(section->bench, what), "%s %s %s %s %d",
                        section->label, prio_pattern_names[what->pattern],
                        prio_method_names[what->method],
                        pario_size_print(what->request_high, size),
                        what->processes);
    if (member)
        code = section->bench->run(&prio->env, what, &figures);
    else
        forget_file(prio, 0); /* others change it */
    /* Those outside sleep meanwhile. */
    if (what->processes < pario_group_size(run->world)) {
        int idle_code = pario_barrier_idle(run->world);

        code = code != 0 ? code : idle_code;
    }
    code = pario_agree(run->world, code);
    if (code != 0) {
        json_decref(figures.extra);
        return code;
    }
    return prio_record(prio, section->bench, what, NULL, &figures);
}

static int my_part(const int counts[], int nparts, int rank)
{
    for (int i = 0, end = 0; i < nparts; i++) {
        end += counts[i];
        if (rank < end)
            return i;
    }
    return nparts;
}

static int do_nothing(void *arg, struct pario_phase *phase)
{
    (void)arg;
    (void)phase;
    return 0;
}

/* A process that no part needs sleeps while the others work. */
static int run_part(struct prio *prio, const struct prio_mix *mix, int part,
                    const struct prio_case *what, struct prio_figures *figures)
{
    static const struct pario_phase_calls idle = {.loop = do_nothing};

    if (part < mix->nparts)
        return mix->part[part].section->bench->run(&prio->env, what, figures);
    figures->phase->idle = 1;
    return prio_measure(&prio->env, 0, figures, &idle, NULL);
}

/* Collective. Of each part in turn all learn what it did. */
static int record_parts(struct prio *prio, const struct prio_mix *mix, int part,
                        const int counts[], int repetition,
                        struct prio_figures *mine)
{
    struct pario_samples kept[2] = {prio->samples[0], prio->samples[1]};
    int code = 0;

    for (int i = 0; code == 0 && i < mix->nparts; i++) {
        struct pario_phase elsewhere = {.run = prio->run,
                                        .latency = &prio->other_latency};
        struct prio_figures other = {.phase = &elsewhere, .losses = {NAN, NAN}};
        struct prio_figures *figures = i == part ? mine : &other;
        struct prio_case what;

        prio_mix_case(prio->workload, mix, i, repetition, counts[i], &what);
        if (i != part)
            prio->samples[0] = prio->samples[1] = (struct pario_samples){0};
        code = pario_phase_share(figures->phase, prio->run->world);
        if (code == 0)
            code = prio_record(prio, mix->part[i].section->bench, &what, mix,
                               figures);
        if (i != part) {
            prio->samples[0] = kept[0];
            prio->samples[1] = kept[1];
        }
    }
    return code;
}

/* Collective. One repetition of a mix: every process does its part. */
static int run_mix_once(struct prio *prio, const struct prio_mix *mix,
                        const struct pario_group *group, int part,
                        const int counts[], int repetition)
{
    struct pario_run *run = prio->run;
    struct prio_figures figures;
    struct pario_phase phase;
    struct prio_case what;
    int code;

    prio->env.group = group;
    prio->env.all = run->world;
    figures = new_figures(prio, &phase);
    phase.idlers = my_part(counts, mix->nparts,
                           pario_group_size(run->world) - 1) == mix->nparts;
    if (part < mix->nparts)
        prio_mix_case(prio->workload, mix, part, repetition, counts[part],
                      &what);
    code = pario_agree(run->world, run_part(prio, mix, part, &what, &figures));
    if (code != 0) {
        json_decref(figures.extra);
        return code;
    }
    return record_parts(prio, mix, part, counts, repetition, &figures);
}

static int mix_is_recorded(struct prio *prio, const struct prio_mix *mix,
                           const int counts[], int repetition)
{
    int done = 1;

    for (int i = 0; i < mix->nparts; i++) {
        struct prio_case what;

        prio_mix_case(prio->workload, mix, i, repetition, counts[i], &what);
        done &= prio_is_recorded(prio, mix->part[i].section->bench, &what, mix);
    }
    return done;
}

/* Each part prepares its own, devices too. */
static double mix_schedule_s(const struct prio *prio,
                             const struct prio_mix *mix, const int counts[])
{
    double schedule = 0;

    for (int i = 0; i < mix->nparts; i++) {
        struct prio_case what;

        prio_mix_case(prio->workload, mix, i, 0, counts[i], &what);
        schedule += schedule_s(mix->part[i].section->bench, &what);
    }
    return schedule;
}

static int run_mix(struct prio *prio, const struct prio_mix *mix)
{
    struct pario_run *run = prio->run;
    int counts[PRIO_MAX_PARTS] = {0};
    struct pario_group *group = NULL;
    int code = prio_mix_divide(prio->workload, mix,
                               pario_group_size(run->world), counts);
    int part = my_part(counts, mix->nparts, pario_group_rank(run->world));

    if (code == 0)
        code = pario_group_split(run->world, part, &group);
    code = pario_agree(run->world, code);
    for (int n = 0; code == 0 && n < mix->repetitions; n++) {
        if (mix_is_recorded(prio, mix, counts, n))
            continue;
        pario_run_phase(run, mix_schedule_s(prio, mix, counts), "mix %s",
                        mix->label);
        code = run_mix_once(prio, mix, group, part, counts, n);
    }
    pario_group_destroy(group);
    return code;
}

/* Collective. The run's own directory in the next target. */
static int enter_directory(struct prio *prio, int index)
{
    struct pario_run *run = prio->run;
    int code;

    if (index > 0) {
        code = pario_barrier(run->world);
        if (code == 0 && !run->common.keep) {
            if (pario_group_rank(run->world) == 0)
                code = pario_cleanup_remove(run->directory);
            code = pario_agree(run->world, code);
            if (code == 0)
                pario_cleanup_forget(run->directory);
        }
        if (code != 0)
            return code;
        if (run->common.keep)
            pario_progress_note(&run->progress, "test files are kept in %s",
                                run->directory);
    }
    code = pario_run_directory(run, prio->directory[index],
                               prio_disk_needed(prio));
    if (code != 0)
        return code;
    prio->present = index;
    memcpy(prio->env.directory, run->directory, sizeof(prio->env.directory));
    prio->env.fs = &run->fs;
    return 0;
}

/* Rank 0. What the document says of the file system belongs to the headline
 * and so to the first directory; each has its own in prio_directories. */
static int note_filesystem(struct prio *prio, int index)
{
    static const char *const names[] = {"filesystem", "filesystem_details"};
    struct pario_result *result = prio->run->result;
    const json_t *system;
    int code = 0;

    if (result == NULL)
        return 0;
    system = json_object_get(pario_result_document(result), "system");
    prio->filesystem[index] = json_object();
    for (int i = 0; i < 2; i++) {
        json_t *value = json_object_get(system, names[i]);

        json_object_set(prio->filesystem[index], names[i], value);
        if (code == 0 && index > 0)
            code = pario_result_set(
                result, "system", names[i],
                json_incref(json_object_get(prio->filesystem[0], names[i])));
    }
    return code;
}

/* Rank 0. Beside the totals of each directory. */
static void add_filesystems(struct prio *prio)
{
    json_t *document = pario_result_document(prio->run->result);
    json_t *directories = json_object_get(document, "prio_directories");

    for (int i = 0; i < prio->ndirectories; i++)
        if (prio->filesystem[i] != NULL)
            json_object_update(json_array_get(directories, (size_t)i),
                               prio->filesystem[i]);
}

static int run_directory(struct prio *prio, int index)
{
    const struct prio_workload *workload = prio->workload;
    int size = pario_group_size(prio->run->world);
    int code = enter_directory(prio, index);

    if (code == 0)
        code = pario_agree(prio->run->world, note_filesystem(prio, index));
    for (int i = 0; code == 0 && i < workload->nsections; i++) {
        if (!workload->section[i].alone)
            continue;
        code = prio_section_each(workload, &workload->section[i], size,
                                 run_case, prio);
        if (code == 0)
            code = remove_files(prio);
    }
    for (int i = 0; code == 0 && i < workload->nmixes; i++) {
        code = run_mix(prio, &workload->mix[i]);
        if (code == 0)
            code = remove_files(prio);
    }
    return code;
}

static int finish(struct prio *prio)
{
    int code = 0;

    prio->outcomes.directories = prio->ndirectories;
    prio->outcomes.names = prio->directory;
    if (prio->run->result == NULL)
        return 0;
    code = prio_answer(prio->run->result, prio->workload);
    prio_outcomes_settle(&prio->outcomes);
    for (int i = 0; code == 0 && i < prio->nbenches; i++)
        if (prio->bench[i]->finish != NULL)
            code = prio->bench[i]->finish(prio->run, &prio->outcomes);
    add_filesystems(prio);
    return code;
}

/* Nothing was measured: no document is written. */
static void drop_result(struct pario_run *run)
{
    pario_result_destroy(run->result);
    run->result = NULL;
}

/* Collective. All that is measured, and what is made of it. */
static int measure(struct prio *prio)
{
    struct pario_run *run = prio->run;
    int code = 0;

    if (run->common.samples != NULL)
        code = pario_samples_init(&prio->samples[0], SAMPLES_KEPT);
    if (run->common.samples != NULL && code == 0)
        code = pario_samples_init(&prio->samples[1], SAMPLES_KEPT);
    /* All of them before the first is measured. */
    for (int i = 0; code == 0 && i < prio->ndirectories &&
                    pario_group_rank(run->world) == 0;
         i++)
        code =
            pario_fs_check_writable(prio->directory[i], prio_disk_needed(prio));
    code = pario_agree(run->world, code);
    for (int i = 0; code == 0 && i < prio->ndirectories; i++)
        code = run_directory(prio, i);
    if (code == 0)
        code = finish(prio);
    if (run->common.samples != NULL)
        pario_samples_fini(&prio->samples[0]);
    if (run->common.samples != NULL)
        pario_samples_fini(&prio->samples[1]);
    return code;
}

static int prio_run(struct pario_run *run)
{
    struct prio *prio = calloc(1, sizeof(*prio));
    int code = prio != NULL ? 0 : pario_fail_errno(-ENOMEM, "cannot start");

    code = pario_agree(run->world, code);
    if (code != 0 || prio == NULL) {
        free(prio);
        return code;
    }
    prio->run = run;
    prio->options = run->options;
    prio->env.run = run;
    prio->env.prepared = &prio->prepared;
    code = plan(prio);
    if (code != 0) {
        drop_result(run);
    } else if (prio->options->explain || run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            prio_explain(prio, stdout);
        drop_result(run);
    } else {
        code = measure(prio);
    }
    pario_group_destroy(prio->group);
    prio_outcomes_fini(&prio->outcomes);
    for (int i = 0; i < prio->ndirectories; i++)
        json_decref(prio->filesystem[i]);
    prio_workload_destroy(prio->workload);
    free(prio);
    return code;
}

extern const struct pario_suite pario_suite_prio;
static const struct pario_view_line prio_lines[] = {
    {"priomark total", {{"", "priomark_total_mbps"}}, NULL},
    {"common file", {{"", "common_file_mbps"}}, NULL},
    {"strided", {{"", "strided_mbps"}}, NULL},
    {"asynchronous",
     {{"", "async_mbps"}, {"ACL", "async_acl"}, {"ABL", "async_abl"}},
     NULL},
    {"single file", {{"", "single_file_mbps"}}, NULL},
    {"raw device", {{"", "raw_mbps"}}, NULL},
    {.label = NULL},
};

static const struct pario_view_name prio_axes[] = {
    {.key = "request_bytes", .name = "request size"},
    {.key = "queue_depth", .name = "queue depth"},
    {.key = "stride", .name = "stride"},
    {.key = "file_bytes", .name = "file size"},
    {.key = NULL},
};

static const struct pario_view_name prio_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "operations_per_s", .name = "requests"},
    {.key = "latency_ns.p99", .name = "time of a request, 99 % of them"},
    {.key = "acl", .name = "asynchronous computing loss (ACL)"},
    {.key = "abl", .name = "asynchronous bandwidth loss (ABL)"},
    {.key = NULL},
};

static const struct pario_view_test prio_test_names[] = {
    {.test = "single_file", .name = "a file per process"},
    {.test = "common_file", .name = "one common file"},
    {.test = "async", .name = "asynchronous"},
    {.test = "raw", .name = "raw device"},
    {.test = NULL},
};

static const struct pario_view prio_view = {
    .title = "PRIOmark",
    .question = "How fast is the storage in the workloads that were described?",
    .lines = prio_lines,
    .axes = prio_axes,
    .values = prio_values,
    .tests = prio_test_names,
    .beside = "directory",
    .details = "parts processes_computing",
    .fields = prio_parameters,
    .next = "pario report {file} -o prio.html",
};

const struct pario_suite pario_suite_prio = {
    .name = "prio",
    .operands = "WORKLOAD [DIR ...]",
    .summary = "PRIOmark: workloads of your own, plug-ins, one value",
    .help = "The workload file says what is done: a section for each "
            "sub-benchmark with sizes, requests, ratios of reads to writes, "
            "access methods, processes (docs/prio.md). Several directories "
            "are compared by running the same workload in each.",
    .options = prio_table,
    .options_size = sizeof(struct prio_options),
    .defaults = &prio_defaults,
    .listed = prio_tests,
    .links = prio_links,
    .run = prio_run,
    .view = &prio_view,
    .print = prio_print,
};
