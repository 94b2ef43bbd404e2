/* suites/honesty/honesty.c - the suite honesty: which cases, for which
 * library, in which order. */
#include "suites/honesty/honesty.h"

#include "core/lists.h"
#include "core/units.h"
#include "launch/library.h"
#include "suites/jobs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of the suite. */
struct honesty {
    struct pario_run *run;
    struct honesty_driver driver;
    int native, shipio; /* whose MPI-IO */
    int wanted[HONESTY_MAX_CASES];
    struct honesty_results results;
};

/* All, or those of --cases. */
static int choose_cases(struct honesty *honesty)
{
    const char *text = honesty->driver.options->cases;
    const char *names[HONESTY_MAX_CASES + 1] = {NULL};
    const struct pario_option kase = {
        .name = "cases", .type = PARIO_OPT_CHOICE, .choices = names};
    struct pario_list list = {.count = 0};
    int code;

    for (size_t i = 0; honesty_cases[i].test.name != NULL; i++) {
        assert(i < HONESTY_MAX_CASES);
        names[i] = honesty_cases[i].test.name;
        honesty->wanted[i] = text == NULL;
    }
    code = text == NULL ? 0 : pario_list_parse(&kase, text, &list);
    for (size_t i = 0; i < list.count; i++)
        honesty->wanted[list.value[i]] = 1;
    return code;
}

static int is_examined(const struct honesty *honesty,
                       const struct honesty_case *kase, const char *library)
{
    int shipio = strcmp(library, "shipio") == 0;

    return (shipio ? honesty->shipio : honesty->native && !kase->mapped) &&
           honesty->wanted[kase - honesty_cases];
}

/* In the document that is resumed. */
static int is_known(const struct honesty_results *results,
                    const struct honesty_case *kase, const char *library)
{
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(results->one[i].kase->test.name, kase->test.name) == 0 &&
            strcmp(results->one[i].library, library) == 0)
            return 1;
    return 0;
}

/* The cases' files stay until the end. */
static int64_t need_bytes(const struct honesty *honesty)
{
    int64_t sum = 1 << 20, processes = honesty->driver.options->processes;

    for (const struct honesty_case *c = honesty_cases; c->test.name != NULL;
         c++) {
        struct honesty_case sized = honesty_case_sized(c, (int)processes, 1);

        for (int l = 0; honesty_libraries[l] != NULL; l++)
            if (is_examined(honesty, c, honesty_libraries[l]))
                sum += honesty_rank_bytes(&sized) * processes;
    }
    return sum;
}

static void print_plan(const struct honesty *honesty)
{
    const struct honesty_options *options = honesty->driver.options;
    char size[PARIO_UNITS_LEN];
    int cases = 0;

    for (const struct honesty_case *c = honesty_cases; c->test.name != NULL;
         c++)
        for (int l = 0; honesty_libraries[l] != NULL; l++) {
            if (!is_examined(honesty, c, honesty_libraries[l]))
                continue;
            printf("  %-22s %-7s %s\n", c->test.name, honesty_libraries[l],
                   c->test.summary);
            cases++;
        }
    printf("honesty: %d jobs of %lld processes, %s on disk, at most %g s "
           "each\n",
           cases, (long long)options->processes,
           pario_size_print_short(need_bytes(honesty), size),
           options->timeout_s);
}

static int load_findings(struct honesty *honesty)
{
    struct honesty_results *results = &honesty->results;
    const json_t *finding;
    size_t i;
    int code = 0;

    json_array_foreach(
        json_object_get(pario_result_document(honesty->run->result),
                        "findings"),
        i, finding)
    {
        if (results->count == HONESTY_MAX_RESULTS)
            return pario_fail(PARIO_EFORMAT, "too many findings");
        code = honesty_from_finding(finding, &results->one[results->count]);
        if (code != 0)
            return code;
        results->count++;
    }
    return 0;
}

static int prepare(struct honesty *honesty)
{
    struct pario_run *run = honesty->run;
    struct honesty_driver *driver = &honesty->driver;
    int code = pario_library_fault(driver->fault, sizeof(driver->fault));

    if (code == 0)
        code = load_findings(honesty);
    if (code == 0)
        code = pario_run_directory(
            run, run->noperands == 1 ? run->operands[0] : NULL,
            need_bytes(honesty));
    if (code != 0)
        return code;
    driver->base = run->directory;
    driver->key = run->data_key;
    snprintf(honesty->results.filesystem, sizeof(honesty->results.filesystem),
             "%.63s", run->fs.type);
    snprintf(honesty->results.library, sizeof(honesty->results.library),
             "%.63s", pario_par_library());
    return 0;
}

static int examine(struct honesty *honesty, const struct honesty_case *kase,
                   const char *library)
{
    struct honesty_results *results = &honesty->results;
    struct honesty_result *result = &results->one[results->count];
    struct honesty_driver *driver = &honesty->driver;
    int code = 0;

    if (!is_examined(honesty, kase, library) ||
        is_known(results, kase, library))
        return 0;
    pario_run_wait(honesty->run, kase->test.summary);
    /* How much makes several rounds depends on the nodes: only a job knows
     * them. */
    if (kase->rounds && driver->nodes == 0)
        code = honesty_run_case(driver, &honesty_cases[0], library, result);
    if (code == 0)
        code = honesty_run_case(driver, kase, library, result);
    if (code != 0)
        return code;
    results->count++;
    pario_progress_note(
        &honesty->run->progress, "%s, %s: %s (%.1f s)", kase->test.summary,
        library, honesty_verdict_names[result->verdict], result->seconds);
    return pario_result_add_finding(honesty->run->result,
                                    honesty_finding(result));
}

static int print_json(const struct honesty_results *results)
{
    json_t *object = honesty_json(results);
    int code = 0;

    if (object == NULL ||
        json_dumpf(object, stdout,
                   JSON_INDENT(1) | JSON_SORT_KEYS | JSON_ENSURE_ASCII) != 0)
        code = pario_fail_errno(-EIO, "cannot print the result");
    puts("");
    json_decref(object);
    return code;
}

static int examine_all(struct honesty *honesty)
{
    struct pario_run *run = honesty->run;
    int code = prepare(honesty);

    for (const struct honesty_case *c = honesty_cases;
         code == 0 && c->test.name != NULL; c++)
        for (int l = 0; code == 0 && honesty_libraries[l] != NULL; l++)
            code = examine(honesty, c, honesty_libraries[l]);
    if (code != 0)
        return code;
    pario_progress_finish(&run->progress);
    if (honesty->driver.nodes > 0) /* of the jobs: this process is on one */
        pario_result_set(run->result, "system", "nodes",
                         json_integer(honesty->driver.nodes));
    if (honesty->driver.options->json)
        code = print_json(&honesty->results);
    honesty_answer(run->result, &honesty->results);
    return code != 0 ? code : honesty_outcome(&honesty->results);
}

static int run_honesty(struct pario_run *run)
{
    const struct honesty_options *options = run->options;
    struct honesty honesty = {.run = run, .driver.options = options};
    int code = pario_jobs_check(run, &honesty.native, &honesty.shipio);

    if (code == 0)
        code = choose_cases(&honesty);
    if (code != 0)
        return code;
    if (run->common.dry_run) {
        print_plan(&honesty);
        return 0;
    }
    if (options->json) /* and nothing else on that stream */
        run->common.quiet = 1;
    honesty.results.one =
        calloc(HONESTY_MAX_RESULTS, sizeof(*honesty.results.one));
    if (honesty.results.one == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    code = examine_all(&honesty);
    free(honesty.results.one);
    return code;
}

static int64_t processes_of(const void *options)
{
    return ((const struct honesty_options *)options)->processes;
}

#define AT(field) offsetof(struct honesty_options, field)

static const struct pario_option options_table[] = {
    {PARIO_OPTION("processes", INT, AT(processes), "N"),
     PARIO_RANGE(2, HONESTY_MAX_RANKS),
     .help = "processes of each job (also pario -n N honesty)"},
    {PARIO_OPTION("timeout", TIME, AT(timeout_s), "TIME"), PARIO_RANGE(1, 3600),
     .help = "a case that takes longer hangs"},
    {PARIO_OPTION("cases", STRING, AT(cases), "LIST"),
     .help = "names of tests, separated by commas (default: all)"},
    {PARIO_FLAG("json", AT(json)),
     .help = "print one JSON object (pario-honesty/1)"},
    {.name = NULL},
};

static const struct honesty_options defaults = {.processes = 4,
                                                .timeout_s = 15};

static const struct pario_view honesty_view = {
    .title = "what is reported when storage fails",
    .question = "Can the MPI-IO library be believed when storage fails?",
    .next = "pario report {file} -o honesty.html",
};

extern const struct pario_suite pario_suite_honesty;
const struct pario_suite pario_suite_honesty = {
    .name = "honesty",
    .operands = "[DIR]",
    .summary = "can the MPI-IO library be believed when storage fails?",
    .help = "Tells whether the MPI-IO library and the file system of DIR can "
            "be believed when storage fails: small collective and independent "
            "accesses meet injected faults, each in a job of its own with a "
            "time-out, for the native library and for shipio where it is "
            "there (--mpiio chooses). Exit status 0: every fault was met and "
            "every case reported as it should be, 1: not so, 2: usage.",
    .options = options_table,
    .options_size = sizeof(struct honesty_options),
    .defaults = &defaults,
    .tests = &honesty_cases[0].test,
    .test_size = sizeof(struct honesty_case),
    .without = pario_jobs_without,
    .processes = processes_of,
    .view = &honesty_view,
    .run = run_honesty,
};
