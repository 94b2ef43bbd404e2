/* suites/beffio/options.c - what the suite understands. */
#include "suites/beffio/beffio.h"
#include "suites/shared_fields.h"

#include <stddef.h>

static const char *const schedules[] = {
    [BEFFIO_15MIN] = "15min",
    [BEFFIO_TOP500] = "top500",
    [BEFFIO_FULL] = "full",
    [BEFFIO_QUICK] = "quick",
    NULL,
};

static const char *const rewrites[] = {"scatter", "all", NULL};

#define AT(field) offsetof(struct beffio_options, field)

const struct pario_option beffio_option_table[] = {
    {PARIO_OPTION("schedule", CHOICE, AT(schedule), "NAME"),
     .choices = schedules,
     .help = "15min: all processes, T = 15 min; top500: three partitions in 30 "
             "min; full: with all rewrites in 45 min; quick: T = 1 min"},
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(0, 1e6),
     .letter = 'T',
     .help = "T, the time of one partition (default: from the schedule)"},
    {PARIO_OPTION("release", INT, AT(release), "1|2"), PARIO_RANGE(1, 2),
     .help = "definition of the value: 1.x or 2.0"},
    {PARIO_SHARED_PARTITIONS(AT(partitions)), .letter = 'N',
     .help = "numbers of processes, e.g. 2,4,8 (default: from the schedule)"},
    {PARIO_OPTION("repeat", INT, AT(repeat), "N"),
     PARIO_RANGE(1, BEFFIO_MAX_EXPERIMENTS),
     .help = "the whole benchmark so many times: the value is the maximum"},
    {PARIO_OPTION("rewrite", CHOICE, AT(rewrite_all), "WHICH"),
     .choices = rewrites,
     .help = "which types are rewritten: scatter (release 2.0) or all"},
    {PARIO_FLAG("no-shared", AT(no_shared)),
     .help = "type 1 with individual instead of shared file pointers"},
    {PARIO_OPTION("mpart", SIZE, AT(mpart), "SIZE"), PARIO_RANGE(0, 1e13),
     .help = "M_PART, the largest chunk (default: memory / 128, at least 2M)"},
    {PARIO_OPTION("memory", SIZE, AT(memory_bytes), "SIZE"),
     PARIO_RANGE(0, 1e15),
     .help = "memory of one process, for M_PART (default: as found)"},
    {PARIO_OPTION("segment", SIZE, AT(segment), "SIZE"), PARIO_RANGE(0, 1e15),
     .help = "least segment size L_SEG of types 3 and 4"},
    {PARIO_OPTION("hints", STRING, AT(hints), "FILE"),
     .help = "hints by type, access and chunk size (docs/beffio.md)"},
    {PARIO_FLAG("any-hint", AT(any_hint)),
     .help = "pass hints that pario does not know"},
    {PARIO_FLAG("fit", AT(fit)),
     .help = "let patterns end early where the disk is too small for T"},
    {PARIO_OPTION("extra", STRING, AT(extra), "LIST"),
     .help = "types beside the value: random, same-data"},
    {PARIO_OPTION("prefix", STRING, AT(prefix), "PREFIX"), .letter = 'f',
     .help = "write PREFIX.sum and the diagrams PREFIX-*.png and .svg"},
    {PARIO_OPTION("export", STRING, AT(export), "FORMAT:FILE"),
     .help = "write the figures for others: skampi:FILE or csv:FILE"},
    {.name = NULL},
};

const struct beffio_options beffio_defaults = {
    .schedule = BEFFIO_15MIN,
    .release = 2,
    .repeat = 1,
};
