/* core/options.h - one table says what a command understands: its long
 * options, its keyword-file keywords and its help text. */
#ifndef PARIO_CORE_OPTIONS_H
#define PARIO_CORE_OPTIONS_H

#include "core/error.h"
#include "core/keyfile.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum pario_option_type {
    PARIO_OPT_FLAG,    /* int, set to 1; --no-NAME sets 0 */
    PARIO_OPT_INT,     /* int64_t within [min, max] */
    PARIO_OPT_SIZE,    /* int64_t bytes within [min, max] */
    PARIO_OPT_TIME,    /* double seconds within [min, max] */
    PARIO_OPT_REAL,    /* double within [min, max] */
    PARIO_OPT_STRING,  /* const char *, borrowed from argv or the keyfile */
    PARIO_OPT_CHOICE,  /* int, index into choices */
    PARIO_OPT_STRINGS, /* struct pario_strings: may be said more than once */
};

#define PARIO_MAX_STRINGS 8
struct pario_strings {
    const char *item[PARIO_MAX_STRINGS + 1]; /* borrowed; ended by NULL */
};

/* Fields are set by offset in the caller's options struct; tables are const
 * and end with a NULL name. min == max means unbounded. */
struct pario_option {
    const char *name; /* without dashes, e.g. "time" */
    char letter;      /* short form, 0 if none */
    enum pario_option_type type;
    size_t offset;
    const char *argument; /* name of the value in the help, e.g. "SECONDS" */
    const char *help;
    double min, max;
    const char *const *choices; /* NULL-terminated, for PARIO_OPT_CHOICE */
    int command_only; /* never from a file, which may be somebody else's */
};

/*
 * Rows of tables of options, and of fields (core/fields.h):
 *
 *   {PARIO_OPTION("time", TIME, AT(time_s), "TIME"),
 *    PARIO_RANGE(0.1, 86400),
 *    .help = "time of all measures together"},
 */
#define PARIO_FIELD(option, form, at)                                          \
    .name = (option), .type = PARIO_OPT_##form, .offset = (at)
#define PARIO_FLAG(option, at) PARIO_FIELD(option, FLAG, at)
#define PARIO_OPTION(option, form, at, value)                                  \
    PARIO_FIELD(option, form, at), .argument = (value)
#define PARIO_RANGE(low, high) .min = (low), .max = (high)

/* Several tables (a suite's own, the common ones), each with its struct. */
struct pario_option_set {
    const struct pario_option *table;
    void *values;
};

/*
 * Local. Parses argv[1..] against sets (ended by a NULL table). Options may
 * stand anywhere; operands are moved to the front of argv[1..] and counted in
 * *noperands_p; "--" ends the options. Both `--name value` and `--name=value`.
 * Returns PARIO_EUSAGE with a message that names the nearest valid option.
 */
int pario_options_parse(const struct pario_option_set *sets, int argc,
                        char **argv, int *noperands_p) PARIO_MUST_USE;

/* Local. Sets the options named by the keywords before the first section and
 * of `section`; call before pario_options_parse, which wins. Unknown keywords
 * and sections are errors with line. */
int pario_options_from_keyfile(const struct pario_option_set *sets,
                               const struct pario_keyfile *file,
                               const char *section) PARIO_MUST_USE;

/* Local. One value, as from `--name text`; where is "--name" or "f.in:12". */
int pario_option_set_value(const struct pario_option *option, void *values,
                           const char *text, const char *where) PARIO_MUST_USE;

/* Local. The current value as text (exact), for results and --help. */
void pario_option_print(const struct pario_option *option, const void *values,
                        char *text, size_t len);

void pario_options_help(FILE *out, const struct pario_option *table,
                        const void *defaults);

#endif
