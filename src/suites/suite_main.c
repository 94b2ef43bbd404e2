/* suites/suite_main.c - from a command line to a finished result document. */
#include "suites/suite.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/command.h"
#include "core/text.h"
#include "launch/library.h"
#include "par/watchdog.h"
#include "pario_config.h"
#include "report/answer.h"
#include "report/table.h"
#include "result/samples.h"
#include "result/value.h"
#include "suites/common.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MAX_COMMON 24
#define MAX_OWN 48

static int is_without(const struct pario_suite *suite, const char *name)
{
    for (int i = 0; suite->without != NULL && suite->without[i] != NULL; i++)
        if (strcmp(suite->without[i], name) == 0)
            return 1;
    return 0;
}

/* A letter of the suite's own means that: the common option keeps its name. */
static int has_letter(const struct pario_option *own, char letter)
{
    for (const struct pario_option *o = own; o != NULL && o->name != NULL; o++)
        if (letter != 0 && o->letter == letter)
            return 1;
    return 0;
}

/* An option that is understood only to say why it cannot be had. */
static int is_refused(const struct pario_suite *suite, const char *name)
{
    return suite->no_resume != NULL && strcmp(name, "resume") == 0;
}

/* Of the common options those that the suite has, or for its help those that
 * it offers; table: MAX_COMMON. */
static const struct pario_option *common_of(const struct pario_suite *suite,
                                            const struct pario_option *own,
                                            int offered,
                                            struct pario_option *table)
{
    size_t n = 0;

    for (const struct pario_option *o = pario_common_options;
         o->name != NULL && n + 1 < MAX_COMMON; o++) {
        if (is_without(suite, o->name) ||
            (offered && is_refused(suite, o->name)))
            continue;
        table[n] = *o;
        if (has_letter(own, o->letter))
            table[n].letter = 0;
        n++;
    }
    table[n] = (struct pario_option){.name = NULL};
    return table;
}

/* Its own options; table: MAX_OWN. */
static const struct pario_option *own_of(const struct pario_suite *suite,
                                         struct pario_option *table)
{
    int code = 0;

    if (suite->fields == NULL)
        return suite->options;
    code = pario_fields_options(suite->fields, ~0u, table, MAX_OWN);
    assert(code == 0);
    return code == 0 ? table : NULL;
}

void pario_suite_help(const struct pario_suite *suite, FILE *out)
{
    struct pario_option common[MAX_COMMON], table[MAX_OWN];
    const struct pario_option *own = own_of(suite, table);
    const struct pario_test *test;

    fprintf(out, "usage: pario [-n N] %s [options] %s\n\n%s\n", suite->name,
            suite->operands, suite->summary);
    if (suite->help != NULL) {
        putc('\n', out);
        (void)pario_text_wrap(out, "", 0, suite->help);
    }
    for (size_t i = 0; (test = pario_suite_test(suite, i)) != NULL; i++) {
        char name[64];

        snprintf(name, sizeof(name), "  %-16s ", test->name);
        fputs(i == 0 ? "\ntests:\n" : "", out);
        (void)pario_text_wrap(out, name, 19, test->summary);
    }
    if (own != NULL) {
        fprintf(out, "\noptions of %s:\n", suite->name);
        pario_options_help(out, own, suite->defaults);
    }
    fprintf(out, "\noptions of every suite:\n");
    pario_options_help(out, common_of(suite, own, 1, common),
                       &pario_common_defaults);
    fprintf(out, "\n  -n N before the command starts N processes with mpirun.\n"
                 "  Sizes: k M G (Ki Mi Gi) are powers of 1024, kB MB GB of "
                 "1000.\n");
}

/* Keyword file first, then the command line, which wins. */
static int parse(const struct pario_suite *suite, struct pario_run *run,
                 int argc, char **argv, struct pario_keyfile **config_p)
{
    struct pario_option common[MAX_COMMON], table[MAX_OWN];
    const struct pario_option *own = own_of(suite, table);
    struct pario_option_set sets[] = {
        {common_of(suite, own, 0, common), &run->common},
        {own, run->options},
        {NULL, NULL},
    };
    int code = pario_options_parse(sets, argc, argv, &run->noperands);

    if (code != 0 || run->common.config == NULL)
        return code;
    code = pario_keyfile_read(run->common.config, NULL, config_p);
    if (code != 0)
        return code;
    run->common = pario_common_defaults;
    if (suite->options_size > 0)
        memcpy(run->options, suite->defaults, suite->options_size);
    code = pario_options_from_keyfile(sets, *config_p, suite->name);
    if (code == 0)
        code = pario_options_parse(sets, argc, argv, &run->noperands);
    return code;
}

/* An unset variable in a script must not mean the current directory. */
static int check_operands(const struct pario_suite *suite,
                          const struct pario_run *run)
{
    if (run->noperands > 1 && strcmp(suite->operands, "[DIR]") == 0)
        return pario_fail(PARIO_EUSAGE, "%s takes one directory, not %d",
                          suite->name, run->noperands);
    for (int i = 0; i < run->noperands; i++)
        if (run->operands[i][0] == '\0')
            return pario_fail(PARIO_EUSAGE,
                              "operand %d is empty: the name of a directory "
                              "or file was expected",
                              i + 1);
    return 0;
}

/* The library is chosen before MPI starts, by the command line alone. */
static int check_mpiio(const struct pario_suite *suite,
                       const struct pario_common *common)
{
    if (common->mpiio == PARIO_MPIIO_SHIPIO && suite->processes == NULL &&
        !pario_shipio_loaded())
        return pario_fail(PARIO_EUNAVAIL,
                          "shipio is not loaded (--mpiio shipio belongs on "
                          "the command line, not in a file)");
    return 0;
}

/* In a resumed run this is where other options are refused. */
static int record_options(struct pario_result *result,
                          const struct pario_option *table, const void *values)
{
    char text[1024];
    int code = 0;

    for (int i = 0; code == 0 && table != NULL && table[i].name != NULL; i++) {
        pario_option_print(&table[i], values, text, sizeof(text));
        code = pario_result_set(result, "options", table[i].name,
                                pario_json_text(text));
    }
    return code;
}

static void record_system(const struct pario_suite *suite,
                          const struct pario_run *run)
{
    const struct pario_node_facts *node = &run->node;
    const struct pario_group *world = run->world;
    int64_t processes = suite->processes != NULL
                            ? suite->processes(run->options)
                            : pario_group_size(world);
    struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"nodes", json_integer(pario_group_nodes(world))},
        {"processes", json_integer(processes)},
        {"processes_per_node", json_integer(pario_group_node_size(world))},
        {"mpi", pario_json_text(pario_par_library())},
        {"mpi_io", json_string(pario_shipio_loaded() ? "shipio" : "native")},
        {"host", pario_json_text(node->host)},
        {"kernel", pario_json_text(node->kernel)},
        {"cpu", pario_json_text(node->cpu)},
        {"cores", json_integer(node->cores)},
        {"memory_per_node_bytes", json_integer(node->memory_bytes)},
        {"memory_limit_bytes", json_integer(node->memory_limit_bytes)},
        {"clock_resolution_ns", json_integer(pario_clock_resolution_ns())},
        {"mpi_wtick_s", json_real(pario_par_tick_s())},
        {"pario_version", pario_json_text(PARIO_VERSION)},
        {"pario_commit", pario_json_text(PARIO_COMMIT)},
    };

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        pario_result_set(run->result, "system", members[i].name,
                         members[i].value);
}

/* A new document, or one that is gone on with; argv: what was typed. */
static int begin_result(const struct pario_suite *suite, struct pario_run *run,
                        int argc, char *const *argv)
{
    const struct pario_common *common = &run->common;

    if (common->resume != NULL && suite->no_resume != NULL)
        return pario_fail(PARIO_EUSAGE, "%s cannot be resumed: %s", suite->name,
                          suite->no_resume);
    if (common->resume != NULL)
        return pario_result_resume(suite->name, argc, argv, common->resume,
                                   &run->result);
    return pario_result_create(suite->name, argc, argv, common->output,
                               common->force, &run->result);
}

static int open_result(const struct pario_suite *suite, struct pario_run *run,
                       int argc, char **argv)
{
    const struct pario_common *common = &run->common;
    struct pario_option table[MAX_COMMON], own_table[MAX_OWN];
    const struct pario_option *own;
    const char **typed;
    int code, count = 0;

    if (pario_group_rank(run->world) != 0 || common->dry_run)
        return 0;
    if (suite->on_request && common->output == NULL && common->resume == NULL)
        return 0;
    typed = pario_command_words(pario_group_size(run->world), &count);
    code = typed != NULL ? begin_result(suite, run, count,
                                        (char *const *)(uintptr_t)typed)
                         : begin_result(suite, run, argc, argv);
    free(typed);
    if (code != 0)
        return code;
    own = own_of(suite, own_table);
    code = record_options(run->result, common_of(suite, own, 0, table), common);
    if (code == 0)
        code = record_options(run->result, own, run->options);
    if (code != 0)
        return code;
    record_system(suite, run);
    pario_view_set(run->result, suite->view);
    return 0;
}

/* The same key on all ranks, another one for every run. */
static int make_data_key(struct pario_run *run)
{
    uint64_t key = 0;

    if (pario_group_rank(run->world) == 0 &&
        getrandom(&key, sizeof(key), 0) != (ssize_t)sizeof(key))
        key = (uint64_t)pario_clock_ns();
    run->data_key = key;
    return pario_bcast(run->world, &run->data_key, sizeof(run->data_key));
}

static int begin(const struct pario_suite *suite, struct pario_run *run,
                 int argc, char **argv)
{
    int first = pario_group_rank(run->world) == 0;
    int code = pario_node_facts_get(&run->node);

    if (code == 0 && first && run->common.samples != NULL)
        code = pario_timings_check(run->common.samples);
    if (code == 0)
        code = open_result(suite, run, argc, argv);
    code = pario_agree(run->world, code);
    if (code == 0 && !run->common.dry_run)
        pario_cleanup_about(
            pario_group_rank(run->world),
            run->result != NULL ? pario_result_path(run->result) : NULL,
            run->result != NULL ? pario_result_begun(run->result) : NULL);
    run->resumes = suite->no_resume == NULL;
    run->warns_at_once = suite->prints;
    if (code == 0 && first && !run->common.dry_run)
        pario_cleanup_last_words(
            "  nothing was measured yet: give the same command again, with "
            "--force\n  if it has --output\n");
    if (code == 0)
        code = make_data_key(run);
    /* The jobs of a suite that starts them have time-outs of their own. */
    if (code == 0 && !run->common.no_watchdog && suite->processes == NULL)
        code = pario_watchdog_start(run->world);
    pario_progress_start(&run->progress, first && !run->common.quiet, first,
                         run->common.verbose, 0);
    if (suite->processes != NULL) {
        int64_t jobs = suite->processes(run->options);

        run->jobs = jobs > 1 && jobs < INT_MAX ? (int)jobs : 1;
    }
    code = pario_agree(run->world, code);
    return code != 0 ? code : pario_run_survey(run);
}

static int remove_directory(struct pario_run *run)
{
    int code = pario_barrier(run->world);

    if (run->directory[0] == '\0')
        return code;
    if (run->common.keep) {
        if (pario_group_rank(run->world) == 0)
            pario_progress_note(&run->progress, "test files are kept in %s",
                                run->directory);
        return code;
    }
    if (code == 0 && pario_group_rank(run->world) == 0)
        code = pario_cleanup_remove(run->directory);
    code = pario_agree(run->world, code);
    if (code == 0)
        pario_cleanup_forget(run->directory);
    return code;
}

static int has_begun(const struct pario_run *run)
{
    const json_t *document = pario_result_document(run->result);

    return run->directory[0] != '\0' ||
           json_array_size(json_object_get(document, "measures")) > 0 ||
           json_array_size(json_object_get(document, "findings")) > 0;
}

/* Rank 0. The long tables where they are asked for, and the answer last. */
static int print_end(const struct pario_suite *suite,
                     const struct pario_run *run)
{
    const json_t *document = pario_result_document(run->result);
    int code = 0;

    if (run->common.verbose) {
        code = suite->print != NULL
                   ? suite->print(run, stdout)
                   : pario_table_print(stdout, document, PARIO_FORMAT_TEXT);
        puts("");
    }
    return code != 0 ? code
                     : pario_answer_print(stdout, document,
                                          pario_result_path(run->result));
}

/* Rank 0: the last word on the document, and the figures. */
static int finish_result(const struct pario_suite *suite, struct pario_run *run,
                         int code)
{
    int finish_code;

    if (run->result == NULL)
        return code;
    if (code != 0 && !has_begun(run))
        return code; /* it never began: nothing is written */
    if (code != 0)
        pario_result_invalidate(run->result, "%s", pario_error_message());
    else if (!pario_result_is_valid(run->result))
        code = pario_fail(PARIO_EVERIFY,
                          "the run is not valid; %s above say%s why",
                          run->common.quiet ? "the warnings" : "the answer",
                          run->common.quiet ? "" : "s");
    pario_view_next(run->result, suite->view,
                    run->jobs > 0 ? run->jobs : pario_group_size(run->world));
    finish_code = pario_result_finish(run->result);
    if (finish_code != 0)
        return finish_code;
    if (!run->common.quiet && suite->prints)
        printf("\nresult: %s\n", pario_result_path(run->result));
    else if (!run->common.quiet)
        finish_code = print_end(suite, run);
    if (code == 0 && finish_code == 0 && run->unwritten > 0)
        return pario_fail(-EIO,
                          "the result is whole, but %d file%s that %s asked "
                          "for could not be written (see the warnings)",
                          run->unwritten, run->unwritten == 1 ? "" : "s",
                          run->unwritten == 1 ? "was" : "were");
    return code != 0 ? code : finish_code;
}

static int end(const struct pario_suite *suite, struct pario_run *run, int code)
{
    char message[1024];
    int removal;

    pario_progress_finish(&run->progress);
    pario_rate_fini(&run->rate);
    pario_cleanup_last_words("");
    pario_watchdog_phase(120, 30, "writing the result");
    code = pario_agree(run->world, finish_result(suite, run, code));
    snprintf(message, sizeof(message), "%s", pario_error_message());
    pario_watchdog_phase(0, 30, "removing the test files");
    removal = remove_directory(run);
    if (code == 0)
        code = removal;
    else
        pario_error_replace(message);
    pario_watchdog_stop();
    pario_result_destroy(run->result);
    return code;
}

int pario_suite_main(const struct pario_suite *suite,
                     const struct pario_group *world, int argc, char **argv)
{
    struct pario_run run = {.world = world,
                            .common = pario_common_defaults,
                            .unwatched = suite->on_request};
    struct pario_keyfile *config = NULL;
    char **original = calloc((size_t)argc + 2, sizeof(*original));
    static char program[] = "pario";
    int code = 0, parsed_argc = argc;
    void *block = NULL;

    run.options = malloc(suite->options_size > 0 ? suite->options_size : 1);
    if (run.options == NULL || original == NULL) {
        code = pario_fail_errno(-ENOMEM, "cannot start");
    } else {
        /* argv is permuted by the parser; the result keeps what was typed. */
        original[0] = program;
        memcpy(original + 1, argv, (size_t)argc * sizeof(*original));
        if (suite->options_size > 0)
            memcpy(run.options, suite->defaults, suite->options_size);
        if (suite->rewrite != NULL)
            code = suite->rewrite(&parsed_argc, &argv, &block);
        if (code == 0)
            code = parse(suite, &run, parsed_argc, argv, &config);
        if (code == 0)
            code = check_mpiio(suite, &run.common);
        run.operands = argv + 1;
        if (code == 0)
            code = check_operands(suite, &run);
    }
    code = pario_agree(world, code);
    if (code == 0) {
        code = begin(suite, &run, argc + 1, original);
        if (code == 0)
            code = pario_agree(world, suite->run(&run));
        if (code == 0)
            code = pario_surroundings_end(&run);
        code = end(suite, &run, code);
    }
    pario_keyfile_destroy(config);
    free(original);
    free(run.options);
    free(block);
    return code;
}
