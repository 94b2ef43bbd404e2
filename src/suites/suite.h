/* suites/suite.h - a suite is one const descriptor, registered in registry.c.
 */
#ifndef PARIO_SUITES_SUITE_H
#define PARIO_SUITES_SUITE_H

#include "core/fields.h"
#include "measure/run.h"
#include "result/view.h"

struct pario_test {
    const char *name, *summary;
};

struct pario_suite {
    const char *name;                   /* as the user types it */
    const char *operands;               /* for the usage line; "[DIR]": there
                                           is at most one */
    const char *summary;                /* one line */
    const char *help;                   /* a paragraph or two; NULL: none */
    const struct pario_view *view;      /* what its documents show; NULL */
    const struct pario_option *options; /* own ones; NULL: none */
    const struct pario_field *fields;   /* or these, as options */
    size_t options_size;                /* of the struct they fill */
    const void *defaults;               /* its initial value */
    const struct pario_test *tests;     /* ended by a NULL name; NULL: none */
    size_t test_size; /* of an element that begins so; 0: of that alone */
    const struct pario_test *const *listed; /* or these, ended by NULL */
    const char *const *links; /* argv[0] names that mean this suite; NULL */
    const char *no_resume;    /* why --resume is refused; NULL: it is not */
    /* Common options that mean nothing to it, ended by NULL; NULL: none. */
    const char *const *without;
    /* It is one process without MPI that starts jobs of this program itself,
     * each of so many processes; NULL: it is what -n or mpirun starts. Its own
     * first option is --processes, which `pario -n N` sets. */
    int64_t (*processes)(const void *options);
    int on_request; /* a document only where --output asks for one */
    int prints;     /* run prints its findings itself: they are not the answer
                       of a document */
    int shipio; /* wants shipio loaded where there is one and --mpiio auto */
    /* The same for some command lines only, without threads; NULL: none. */
    int (*wants_shipio)(int argc, char **argv);
    /* Only what it does between pario_recorder_pause(0) and (1) is recorded. */
    int pauses_recorder;
    /* Local, before MPI is started: will several threads call it? NULL: no. */
    int (*mpi_threads)(int argc, char **argv);
    /* Local, rewrites an original's command line before parsing; NULL. The
     * new argv is malloc'ed. link is the name it was called by. */
    int (*translate)(const char *link, int *argc, char ***argv);
    /* Local, before parsing: letters of another program become options of this
     * suite; NULL: none do. *block_p holds all of the new argv; free it. */
    int (*rewrite)(int *argc, char ***argv, void **block_p);
    /* Collective. run->options points to the filled struct. With
     * run->common.dry_run it prints the plan and does nothing else. */
    int (*run)(struct pario_run *run);
    /* Local, rank 0: with --verbose, above the answer; NULL: the table of
     * measures. */
    int (*print)(const struct pario_run *run, FILE *out);
};

/* Local. Its i-th test; NULL: there are no more. */
static inline const struct pario_test *
pario_suite_test(const struct pario_suite *suite, size_t i)
{
    size_t size =
        suite->test_size > 0 ? suite->test_size : sizeof(struct pario_test);
    const struct pario_test *test;

    if (suite->listed != NULL)
        return suite->listed[i];
    if (suite->tests == NULL)
        return NULL;
    test = (const void *)((const char *)suite->tests + i * size);
    return test->name != NULL ? test : NULL;
}

extern const struct pario_suite *const pario_suites[]; /* NULL at the end */

/* Local. Usage, summary, options with their defaults. */
void pario_suite_help(const struct pario_suite *suite, FILE *out);

/* Collective. Parses, prepares the run, calls suite->run, ends the run. */
int pario_suite_main(const struct pario_suite *suite,
                     const struct pario_group *world, int argc, char **argv);

#endif
