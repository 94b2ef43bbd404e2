/* core/fields.h - the parameters of a test as one table: how a user says them
 * (options, keywords of a file), where they are stored, how they stand in the
 * document, in labels and in timings files, and which of them tell two
 * measurements apart. Nothing of these is written by hand a second time.
 *
 *   struct parameters { int64_t block_bytes; int collective; };
 *   static const struct pario_field fields[] = {
 *       {.name = "blocksize", .type = PARIO_OPT_SIZE,
 *        .offset = offsetof(struct parameters, block_bytes),
 *        .member = "block_bytes", .scale = 1e6, .unit = " MB", .min = 8},
 *       {.name = "collective", .type = PARIO_OPT_FLAG,
 *        .offset = offsetof(struct parameters, collective)},
 *       {.name = NULL},
 *   };
 *
 * Tables are const and end with a NULL name. All functions are local;
 * result/parameters.h makes the document's JSON of a table.
 */
#ifndef PARIO_CORE_FIELDS_H
#define PARIO_CORE_FIELDS_H

#include "core/options.h"

enum pario_field_rule {
    PARIO_FIELD_IF_SET = 1, /* written and shown only where it is not 0 */
    PARIO_FIELD_QUIET = 2,  /* not in labels */
    PARIO_FIELD_FREE = 4,   /* no part of the identity */
    PARIO_FIELD_SAID = 8,   /* an option, but no parameter of a measure */
};

struct pario_field {
    const char *name;       /* option and keyword: "update_frac" */
    char letter;            /* of the option; 0: none */
    const char *aliases[2]; /* keywords of the same meaning */
    size_t offset;          /* in the struct of parameters */
    const char *member;     /* in the document; NULL: the name */
    const char *label;      /* before the value; NULL: the name; "": nothing */
    double scale;           /* a label shows value / scale; 0: 1 */
    const char *unit;       /* after that, " MB"; NULL: nothing */
    const char *argument;   /* for --help, as the next four in options.h */
    const char *help;
    double min, max;
    const char *const *choices;
    enum pario_option_type type;
    unsigned rules;         /* enum pario_field_rule */
    unsigned needs, unless; /* abilities a test must have, must not have */
};

/* Does it mean anything to a test of these abilities? */
int pario_field_applies(const struct pario_field *field, unsigned abilities);

/* By name or alias; letter case and underscores do not matter. NULL: none. */
const struct pario_field *pario_field_find(const struct pario_field *fields,
                                           const char *name);

/* As from a keyword; where is "f.in:12" or "--name". PARIO_EUSAGE with a
 * message. */
int pario_field_set(const struct pario_field *field, void *values,
                    const char *text, const char *where) PARIO_MUST_USE;

/* The fields that apply as a table of options, ended by a NULL name; count:
 * room in it. -ENOSPC if they do not fit. */
int pario_fields_options(const struct pario_field *fields, unsigned abilities,
                         struct pario_option *options,
                         size_t count) PARIO_MUST_USE;

/* A field that means nothing to a test of these abilities must have its
 * default: PARIO_EUSAGE names the first that has not, and the test. */
int pario_fields_refuse(const struct pario_field *fields, unsigned abilities,
                        const void *values, const void *defaults,
                        const char *test) PARIO_MUST_USE;

/* Does it apply, and is it written and shown with these values? */
int pario_field_is_written(const struct pario_field *field, unsigned abilities,
                           const void *values);
const char *pario_field_member(const struct pario_field *field);
/* The value as the document has it: an exact number, or text. Returns 1 for a
 * number that is not whole, 0 for a whole one, -1 for text (in *text_p). */
int pario_field_value(const struct pario_field *field, const void *values,
                      int64_t *whole_p, double *real_p, const char **text_p);

/* "filesize 5 MB, blocksize 0.1 MB, collective"; returns text. */
char *pario_fields_label(const struct pario_field *fields, unsigned abilities,
                         const void *values, char *text, size_t len);
/* Lines `member value`, as the sub-header of a timings file; those whose member
 * is their keyword, which may stand in the header, too, begin with prefix. */
void pario_fields_print(const struct pario_field *fields, unsigned abilities,
                        const void *values, const char *prefix, FILE *out);
/* Same identity: all fields that are not free have the same values. */
int pario_fields_equal(const struct pario_field *fields, const void *a,
                       const void *b);

#endif
