/* core/fields.c - the parameters of a test as one table. */
#include "core/fields.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int pario_field_applies(const struct pario_field *field, unsigned abilities)
{
    return (abilities & field->needs) == field->needs &&
           (abilities & field->unless) == 0;
}

/* `problem_size`, `ProblemSize` and `problemsize` are one word. */
static int same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '_')
            a++;
        while (*b == '_')
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return 0;
        if (*a == '\0')
            return 1;
    }
}

const struct pario_field *pario_field_find(const struct pario_field *fields,
                                           const char *name)
{
    for (; fields->name != NULL; fields++) {
        if (same_word(fields->name, name))
            return fields;
        for (int i = 0; i < 2 && fields->aliases[i] != NULL; i++)
            if (same_word(fields->aliases[i], name))
                return fields;
    }
    return NULL;
}

static struct pario_option option_of(const struct pario_field *field)
{
    return (struct pario_option){
        .name = field->name,
        .letter = field->letter,
        .type = field->type,
        .offset = field->offset,
        .argument = field->argument,
        .help = field->help,
        .min = field->min,
        .max = field->max,
        .choices = field->choices,
    };
}

int pario_field_set(const struct pario_field *field, void *values,
                    const char *text, const char *where)
{
    struct pario_option option = option_of(field);

    return pario_option_set_value(&option, values, text, where);
}

int pario_fields_options(const struct pario_field *fields, unsigned abilities,
                         struct pario_option *options, size_t count)
{
    size_t n = 0;

    for (; fields->name != NULL; fields++) {
        if (!pario_field_applies(fields, abilities))
            continue;
        if (n + 1 >= count)
            return pario_fail_errno(-ENOSPC, "more than %zu options", count);
        options[n++] = option_of(fields);
    }
    if (count > 0)
        options[n] = (struct pario_option){.name = NULL};
    return 0;
}

const char *pario_field_member(const struct pario_field *field)
{
    return field->member != NULL ? field->member : field->name;
}

int pario_field_value(const struct pario_field *field, const void *values,
                      int64_t *whole_p, double *real_p, const char **text_p)
{
    const void *place = (const char *)values + field->offset;

    *whole_p = 0;
    *real_p = 0;
    *text_p = NULL;
    switch (field->type) {
    case PARIO_OPT_STRING:
        *text_p = *(const char *const *)place;
        return -1;
    case PARIO_OPT_STRINGS: /* no parameter: the first of them */
        *text_p = ((const struct pario_strings *)place)->item[0];
        return -1;
    case PARIO_OPT_CHOICE:
        *whole_p = *(const int *)place;
        *text_p = field->choices[*whole_p];
        return -1;
    case PARIO_OPT_TIME:
    case PARIO_OPT_REAL:
        *real_p = *(const double *)place;
        return 1;
    case PARIO_OPT_FLAG:
        *whole_p = *(const int *)place;
        break;
    case PARIO_OPT_INT:
    case PARIO_OPT_SIZE:
        *whole_p = *(const int64_t *)place;
        break;
    }
    *real_p = (double)*whole_p;
    return 0;
}

int pario_field_is_written(const struct pario_field *field, unsigned abilities,
                           const void *values)
{
    const char *text;
    int64_t whole;
    double real;
    int kind = pario_field_value(field, values, &whole, &real, &text);

    if (!pario_field_applies(field, abilities) ||
        field->rules & PARIO_FIELD_SAID)
        return 0;
    if (!(field->rules & PARIO_FIELD_IF_SET))
        return kind != -1 || text != NULL;
    return field->type == PARIO_OPT_STRING ? text != NULL
           : kind == 1                     ? real != 0
                                           : whole != 0;
}

/* One field of a label; nothing for a flag that is not set. */
static int print_label(const struct pario_field *field, const void *values,
                       char *text, size_t len)
{
    const char *label = field->label != NULL ? field->label : field->name;
    const char *unit = field->unit != NULL ? field->unit : "";
    const char *blank = label[0] != '\0' ? " " : "", *word;
    double real, scale = field->scale > 0 ? field->scale : 1;
    int64_t whole;

    if (pario_field_value(field, values, &whole, &real, &word) == -1)
        return snprintf(text, len, "%s%s%s", label, blank, word);
    if (field->type == PARIO_OPT_FLAG)
        return snprintf(text, len, "%s", whole ? label : "");
    return snprintf(text, len, "%s%s%g%s", label, blank, real / scale, unit);
}

char *pario_fields_label(const struct pario_field *fields, unsigned abilities,
                         const void *values, char *text, size_t len)
{
    size_t used = 0;

    if (len == 0)
        return text;
    text[0] = '\0';
    for (; fields->name != NULL && used < len; fields++) {
        char one[128];

        if ((fields->rules & PARIO_FIELD_QUIET) ||
            !pario_field_is_written(fields, abilities, values) ||
            print_label(fields, values, one, sizeof(one)) <= 0)
            continue;
        used += (size_t)snprintf(text + used, len - used, "%s%s",
                                 used > 0 ? ", " : "", one);
    }
    return text;
}

void pario_fields_print(const struct pario_field *fields, unsigned abilities,
                        const void *values, const char *prefix, FILE *out)
{
    for (; fields->name != NULL; fields++) {
        const char *text;
        int64_t whole;
        double real;

        if (!pario_field_is_written(fields, abilities, values))
            continue;
        fprintf(out, "%s%s ", fields->member == NULL ? prefix : "",
                pario_field_member(fields));
        switch (pario_field_value(fields, values, &whole, &real, &text)) {
        case -1:
            fprintf(out, "%s\n", text);
            break;
        case 1:
            fprintf(out, "%g\n", real);
            break;
        default:
            fprintf(out, "%lld\n", (long long)whole);
        }
    }
}

static int same_value(const struct pario_field *field, const void *a,
                      const void *b)
{
    const char *texts[2];
    int64_t wholes[2];
    double reals[2];
    int kind = pario_field_value(field, a, &wholes[0], &reals[0], &texts[0]);

    (void)pario_field_value(field, b, &wholes[1], &reals[1], &texts[1]);
    if (kind == 1)
        return reals[0] == reals[1];
    if (field->type == PARIO_OPT_STRING)
        return texts[0] == texts[1] || (texts[0] != NULL && texts[1] != NULL &&
                                        strcmp(texts[0], texts[1]) == 0);
    return wholes[0] == wholes[1];
}

int pario_fields_equal(const struct pario_field *fields, const void *a,
                       const void *b)
{
    for (; fields->name != NULL; fields++)
        if (!(fields->rules & PARIO_FIELD_FREE) && !same_value(fields, a, b))
            return 0;
    return 1;
}

int pario_fields_refuse(const struct pario_field *fields, unsigned abilities,
                        const void *values, const void *defaults,
                        const char *test)
{
    for (; fields->name != NULL; fields++)
        if (!pario_field_applies(fields, abilities) &&
            !same_value(fields, values, defaults))
            return pario_fail(PARIO_EUSAGE, "--%s means nothing to %s",
                              fields->name, test);
    return 0;
}
