/* suites/common.c - the options every suite has. */
#include "suites/common.h"

#include <stddef.h>

static const char *const verify_choices[] = {
    [PARIO_VERIFY_SAMPLE] = "sample",
    [PARIO_VERIFY_FULL] = "full",
    [PARIO_VERIFY_OFF] = "off",
    NULL,
};

static const char *const mpiio_choices[] = {
    [PARIO_MPIIO_AUTO] = "auto",
    [PARIO_MPIIO_NATIVE] = "native",
    [PARIO_MPIIO_SHIPIO] = "shipio",
    NULL,
};

#define AT(field) offsetof(struct pario_common, field)

const struct pario_option pario_common_options[] = {
    {PARIO_OPTION("output", STRING, AT(output), "FILE"), .letter = 'o',
     .help = "result document (default: pario-SUITE-TIME.json here)"},
    {PARIO_FLAG("force", AT(force)),
     .help = "replace what is there: the result document and every other "
             "output file that is named; iot and pattern also delete or "
             "replace the test files that they are given (NAME, or NAME.RANK "
             "where each process has its own)"},
    {PARIO_OPTION("resume", STRING, AT(resume), "FILE"),
     .help = "go on with the run that wrote this result document"},
    {PARIO_OPTION("samples", STRING, AT(samples), "FILE"),
     .help = "append the time of every call to this timings file"},
    {PARIO_OPTION("config", STRING, AT(config), "FILE"),
     .help = "read options from a `keyword value` file; options here win"},
    {PARIO_OPTION("verify", CHOICE, AT(verify), "HOW"),
     .choices = verify_choices,
     .help = "check the data read: sample, full or off"},
    {PARIO_OPTION("mpiio", CHOICE, AT(mpiio), "WHOSE"),
     .choices = mpiio_choices,
     .help = "MPI-IO of the MPI library (native) or of shipio"},
    {PARIO_FLAG("cold", AT(cold)),
     .help = "evict the files from the page cache before reading"},
    {PARIO_FLAG("keep", AT(keep)),
     .help = "keep the test files and say where they are"},
    {PARIO_OPTION("seed", INT, AT(seed), "N"),
     .help = "seed of random orders and sizes"},
    {PARIO_OPTION("deadline", TIME, AT(deadline_s), "TIME"),
     PARIO_RANGE(0, 1e9),
     .help = "longest time of one phase (default: from its schedule)"},
    {PARIO_FLAG("no-watchdog", AT(no_watchdog)),
     .help = "do not end a run whose processes hang"},
    {PARIO_FLAG("dry-run", AT(dry_run)),
     .help = "print the plan: sizes, memory, disk space and time needed"},
    {PARIO_FLAG("quiet", AT(quiet)), .letter = 'q',
     .help = "no progress and no answer; errors and warnings only"},
    {PARIO_FLAG("verbose", AT(verbose)), .letter = 'v',
     .help = "keep every progress line, and print the long tables above the "
             "answer"},
    {.name = NULL},
};

const struct pario_common pario_common_defaults = {
    .verify = PARIO_VERIFY_SAMPLE,
    .seed = 1,
};
