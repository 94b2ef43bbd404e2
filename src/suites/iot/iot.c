/* suites/iot/iot.c - the Parallel I/O Test Suite: reads iotparams.in, loops
 * over its tests and their parameter sets, goes on after a failed one. */
#include "suites/iot/iot.h"

#include "core/cleanup.h"
#include "core/units.h"
#include "measure/marks.h"
#include "result/value.h"
#include "suites/iot/plan.h"
#include "suites/iot/resume.h"
#include "suites/iot/suggest.h"
#include "suites/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_STEP 0x9e3779b97f4a7c15u

#define AT(field) offsetof(struct iot_options, field)

static const char *const class_choices[] = {"all", "lowlevel", "kernel", NULL};

static const struct pario_option iot_table[] = {
    {PARIO_OPTION("class", CHOICE, AT(class), "CLASS"),
     .choices = class_choices,
     .help = "run the tests of this class only: all, lowlevel or kernel"},
    {PARIO_OPTION("params", STRING, AT(params), "FILE"),
     .help = "where `suggest` writes (default iotparams.in)"},
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(1, 3600),
     .letter = 't',
     .help = "time that `suggest` may take for its preliminary tests"},
    {.name = NULL},
};

static const struct iot_options iot_defaults = {.params = "iotparams.in",
                                                .time_s = 20};

/* What failed, for the list at the end. Rank 0. */
struct failures {
    char *text;
    int count;
};

static void note_failure(struct failures *failures, const char *what,
                         const char *message)
{
    char *text = NULL;

    failures->count++;
    if (asprintf(&text, "%s  %s: %s\n", failures->text ? failures->text : "",
                 what, message) < 0)
        return;
    free(failures->text);
    failures->text = text;
}

/* The result says which set failed and why; the suite goes on. It stands in
 * the place of the set's last measure. */
static int record_failure(struct iot_context *context,
                          struct failures *failures)
{
    struct pario_measure measure =
        iot_measure(context, context->test->bench->last);
    char message[1024], what[IOT_TEXT];

    snprintf(message, sizeof(message), "%s", pario_error_message());
    iot_describe(context->test, context->set, context->number, what,
                 sizeof(what));
    note_failure(failures, what, message);
    pario_run_invalidate(context->run, "%s failed: %s", what, message);
    return pario_agree(context->run->world,
                       pario_failure_record(context->run, message, &measure));
}

/* The file of the last set that uses a name stays with --keep. */
static int is_last_use(const struct iot_params *params, size_t test, size_t set)
{
    if (set + 1 < params->test[test].nsets)
        return 0;
    for (size_t t = test + 1; t < params->ntests; t++)
        if (params->test[t].nsets > 0 &&
            strcmp(params->test[t].filename, params->test[test].filename) == 0)
            return 0;
    return 1;
}

/* Collective. Removes the file of the set, if this set made it. */
static int remove_file(struct iot_context *context, int keep)
{
    const char *path = context->path;
    int mine = context->rank == 0 || context->set->separate, code = 0;

    if (iot_max(context, context->created) <= 0) /* waits for all, too */
        return 0;
    if (keep) {
        if (mine)
            pario_progress_note(&context->run->progress, "%s is kept", path);
        pario_cleanup_forget(path);
        return 0;
    }
    if (mine)
        code = pario_cleanup_remove(path);
    pario_cleanup_forget(path);
    return pario_agree(context->run->world, code);
}

static int run_set(struct iot_context *context, struct failures *failures,
                   int keep)
{
    char message[1024], what[IOT_TEXT];
    int removal, code = context->test->bench->run(context);

    snprintf(message, sizeof(message), "%s", pario_error_message());
    removal = remove_file(context, keep);
    if (code == 0 && context->wrong[0] != '\0') {
        iot_describe(context->test, context->set, context->number, what,
                     sizeof(what));
        note_failure(failures, what, context->wrong);
    }
    if (code == 0)
        return removal;
    if (code == PARIO_EINTR)
        return code;
    pario_error_replace(message);
    return record_failure(context, failures);
}

/* Which hints the library did not take, once a test (B.2: it may). */
static void report_hints(struct iot_context *context)
{
    const struct pario_hints *asked = &context->test->hints;

    for (size_t i = 0; context->hints_known && i < asked->count; i++) {
        const char *value =
            pario_hints_get(&context->in_force, asked->hint[i].key);

        if (value != NULL && strcmp(value, PARIO_HINT_NOT_KNOWN) == 0)
            pario_run_warn(context->run, "%s: hint %s is not known to %s",
                           context->test->bench->test.name, asked->hint[i].key,
                           pario_par_library());
        else if (value == NULL || strcmp(value, asked->hint[i].value) != 0)
            pario_run_warn(context->run,
                           "%s: hint %s %s was not taken by %s%s%s",
                           context->test->bench->test.name, asked->hint[i].key,
                           asked->hint[i].value, pario_par_library(),
                           value != NULL ? ", which uses " : "",
                           value != NULL ? value : "");
        if (context->run->result != NULL) {
            pario_result_set(context->run->result, "hints_requested",
                             asked->hint[i].key,
                             json_string(asked->hint[i].value));
        }
    }
    for (size_t i = 0;
         context->run->result != NULL && i < context->in_force.count; i++)
        pario_result_set(context->run->result, "hints_in_force",
                         context->in_force.hint[i].key,
                         json_string(context->in_force.hint[i].value));
}

/* iot_wrap of appendix A: all parameter sets of one test. */
static int run_test(struct pario_run *run, const struct iot_params *params,
                    size_t index, struct failures *failures)
{
    struct iot_context context = {
        .run = run,
        .test = &params->test[index],
        .comm = pario_group_comm(run->world),
        .rank = pario_group_rank(run->world),
        .size = pario_group_size(run->world),
        .data = {.key = run->data_key},
        .timings = iot_plan_timings(run, params),
    };
    int code;

    if (context.test->nsets == 0)
        return 0;
    code = iot_plan_facts(run, context.test->filename, &context.fs);
    for (size_t s = 0; code == 0 && s < context.test->nsets; s++) {
        context.set = &context.test->set[s];
        context.number = (int)s + 1;
        iot_path(context.test, context.set, context.rank, context.path,
                 sizeof(context.path));
        context.partition =
            iot_partition(context.test->bench, context.set, context.size);
        /* Files of several processes differ in every value, too. */
        context.data.key =
            run->data_key +
            (context.set->separate ? (uint64_t)context.rank * KEY_STEP : 0);
        context.created = 0;
        /* Data of its own for every set: what an earlier one left is seen. */
        context.data.file = index * 1000 + s;
        context.wrong[0] = '\0';
        if (iot_resume_done(&context, context.test->bench->last))
            continue;
        iot_resume_forget(&context);
        code = run_set(&context, failures,
                       run->common.keep && is_last_use(params, index, s));
    }
    report_hints(&context);
    pario_hints_fini(&context.in_force);
    return code;
}

static int is_headline(const json_t *measure)
{
    static const char *const accesses[] = {"write", "read", "update", "factor"};
    const char *access = pario_text_of(measure, "access", NULL);
    int wanted = 0;

    for (size_t a = 0; access != NULL && a < 4; a++)
        wanted |= strcmp(access, accesses[a]) == 0;
    return wanted && pario_text_of(measure, "test", NULL) != NULL &&
           json_is_number(json_object_get(measure, "bandwidth_mbps")) &&
           !json_is_string(json_object_get(measure, "error"));
}

/* The headline: the best bandwidth of each test. Rank 0. */
static int set_summary(struct pario_run *run)
{
    json_t *best = json_object(); /* measures by the name of their figure */
    const json_t *list;
    json_t *measure;
    const char *figure;
    char name[64];
    size_t i;

    if (run->result == NULL || best == NULL) {
        json_decref(best);
        return 0;
    }
    /* A resumed run may have measured again what stood there. */
    json_object_clear(
        json_object_get(pario_result_document(run->result), "summary"));
    json_object_clear(
        json_object_get(pario_result_document(run->result), "summary_flags"));
    list = json_object_get(pario_result_document(run->result), "measures");
    json_array_foreach(list, i, measure)
    {
        if (!is_headline(measure))
            continue;
        snprintf(name, sizeof(name), "%s_%s_mbps",
                 pario_text_of(measure, "test", ""),
                 pario_text_of(measure, "access", ""));
        if (pario_headline_better(measure, json_object_get(best, name)))
            json_object_set(best, name, measure);
    }
    json_object_foreach(best, figure, measure)
    {
        pario_result_summary(
            run->result, figure,
            json_real(pario_number_of(measure, "bandwidth_mbps")),
            pario_flags_of_measure(measure));
    }
    json_decref(best);
    return iot_say_cache_end(run->result);
}

static int run_tests(struct pario_run *run, const struct iot_params *params)
{
    struct failures failures = {0};
    size_t sets = 0;
    int code = 0, summed;

    for (size_t t = 0; code == 0 && t < params->ntests; t++) {
        sets += params->test[t].nsets;
        code = run_test(run, params, t, &failures);
    }
    summed = set_summary(run);
    code = pario_agree(run->world, code != 0 ? code : summed);
    if (failures.count > 0 && pario_group_rank(run->world) == 0) {
        pario_progress_finish(&run->progress);
        fprintf(stderr, "pario: these parameter sets failed:\n%s",
                failures.text != NULL ? failures.text : "");
    }
    free(failures.text);
    if (code == 0 && failures.count > 0)
        code = pario_fail(-EIO, "%d of %zu parameter sets failed",
                          failures.count, sets);
    return code;
}

static int iot_run(struct pario_run *run)
{
    const struct iot_options *options = run->options;
    struct iot_params params = {0};
    int code = 0;

    if (run->noperands > 0 && strcmp(run->operands[0], "suggest") == 0)
        return iot_suggest(run, options);
    if (run->noperands > 1)
        code = pario_fail(PARIO_EUSAGE,
                          "iot takes one parameter file, or `suggest DIR`");
    if (code == 0)
        code = iot_plan(run, options, &params);
    if (code == 0 && run->common.dry_run)
        iot_plan_print(run, &params);
    else if (code == 0)
        code = run_tests(run, &params);
    iot_params_fini(&params);
    return code;
}

/* iot_lowlevel and iot_kernel are iot --class=...; iot_all runs all. */
static int iot_translate(const char *link, int *argc, char ***argv)
{
    char **words = calloc((size_t)*argc + 2, sizeof(*words));
    static char lowlevel[] = "--class=lowlevel", kernel[] = "--class=kernel";
    static char suite[] = "iot";
    int n = 0;

    if (words == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    words[n++] = suite;
    if (strstr(link, "low") != NULL)
        words[n++] = lowlevel;
    else if (strcmp(link, "iot_kernel") == 0)
        words[n++] = kernel;
    for (int i = 1; i < *argc; i++)
        words[n++] = (*argv)[i];
    *argc = n;
    *argv = words;
    return 0;
}

static const char *const iot_links[] = {"iot_all", "iot_lowlevel",
                                        "iot_low_level", "iot_kernel", NULL};

static const struct pario_view_name iot_axes[] = {
    {.key = "file_bytes", .name = "file size"},
    {.key = "block_bytes", .name = "block size"},
    {.key = "data_bytes", .name = "data size"},
    {.key = "proc", .name = "process grid"},
    {.key = "update_frac", .name = "share of blocks updated"},
    {.key = NULL},
};

static const struct pario_view_name iot_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "latency_ns.p99", .name = "time of a call, 99 % of them"},
    {.key = "seconds", .name = "time", .only = "proc"},
    {.key = NULL},
};

static const struct pario_view iot_view = {
    .title = "the Parallel I/O Test Suite",
    .question = "How does the rate depend on block and file size?",
    .lead = "measures",
    .axes = iot_axes,
    .values = iot_values,
    .details = "",
    .fields = iot_fields,
    .next = "pario report {file} -o iot.html",
};

const struct pario_suite pario_suite_iot = {
    .name = "iot",
    .operands = "[iotparams.in] | suggest DIR",
    .summary = "the Parallel I/O Test Suite: low-level and kernel tests",
    .help = "Runs the tests that a keyword file names (default "
            "./iotparams.in), over all their parameter sets, and appends the "
            "time of every call to the timings file (all.out). `suggest DIR` "
            "runs short preliminary tests in DIR and writes a keyword file "
            "that suits it.",
    .options = iot_table,
    .options_size = sizeof(struct iot_options),
    .defaults = &iot_defaults,
    .tests = &iot_benches[0].test,
    .test_size = sizeof(struct iot_bench),
    .links = iot_links,
    .translate = iot_translate,
    .view = &iot_view,
    .run = iot_run,
};
