/* core/options.c - option tables: values, command lines, keyword files. */
#include "core/options.h"

#include "core/nearest.h"
#include "core/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HELP_COLUMN 26
#define HELP_WIDTH 80

static int int_parse(const char *text, int64_t *value_p)
{
    size_t sign = text[0] == '-' ? 1 : 0;
    size_t digits = strspn(text + sign, "0123456789");
    long long value;

    if (digits == 0 || text[sign + digits] != '\0')
        return pario_fail(PARIO_EUSAGE, "\"%.64s\" is no whole number", text);
    errno = 0;
    value = strtoll(text, NULL, 10);
    if (errno != 0)
        return pario_fail(PARIO_EUSAGE, "\"%.64s\" is too large", text);
    *value_p = value;
    return 0;
}

static int real_parse(const char *text, double *value_p)
{
    char *end;
    double value;

    /* strtod would take blanks, 0x10, inf and nan. */
    if (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text))
        return pario_fail(PARIO_EUSAGE, "\"%.64s\" is no number", text);
    value = strtod(text, &end);
    if (end == text || *end != '\0')
        return pario_fail(PARIO_EUSAGE, "\"%.64s\" is no number", text);
    if (!isfinite(value))
        return pario_fail(PARIO_EUSAGE, "\"%.64s\" is too large", text);
    *value_p = value;
    return 0;
}

static int flag_parse(const char *text, int *value_p)
{
    static const char *const words[] = {"no", "yes",   "0",    "1", "off",
                                        "on", "false", "true", NULL};

    for (int i = 0; words[i] != NULL; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *value_p = i % 2;
            return 0;
        }
    }
    return pario_fail(PARIO_EUSAGE, "\"%.64s\" is neither yes nor no", text);
}

static int choice_parse(const char *text, const char *const *choices,
                        int *value_p)
{
    struct pario_nearest nearest = pario_nearest_of(text, choices);
    char list[1024] = "";
    size_t len = 0;

    for (int i = 0; choices[i] != NULL; i++) {
        if (strcasecmp(text, choices[i]) == 0) {
            *value_p = i;
            return 0;
        }
        if (len < sizeof(list))
            len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
                                    i > 0 ? ", " : "", choices[i]);
    }
    return pario_fail(PARIO_EUSAGE, "unknown value \"%.64s\"%s (one of %s)",
                      text, pario_nearest_say(&nearest, ""), list);
}

/* The shortest text that reads back as the same number. */
static void print_exact(double value, const char *unit, char *text, size_t len)
{
    for (int figures = 6; figures <= 17; figures++) {
        snprintf(text, len, "%.*g%s", figures, value, unit);
        if (strtod(text, NULL) == value)
            break;
    }
}

static void print_bound(const struct pario_option *option, double bound,
                        char *text, size_t len)
{
    char size[PARIO_UNITS_LEN];

    if (option->type == PARIO_OPT_SIZE && fabs(bound) < 0x1p63)
        snprintf(text, len, "%s", pario_size_print((int64_t)bound, size));
    else
        print_exact(bound, option->type == PARIO_OPT_TIME ? "s" : "", text,
                    len);
}

static int check_range(const struct pario_option *option, const char *text,
                       double value)
{
    char low[PARIO_UNITS_LEN], high[PARIO_UNITS_LEN];

    if (option->min == option->max ||
        (value >= option->min && value <= option->max))
        return 0;
    print_bound(option, option->min, low, sizeof(low));
    print_bound(option, option->max, high, sizeof(high));
    if (isinf(option->max) || option->max >= 0x1p63)
        return pario_fail(PARIO_EUSAGE, "%.64s is too small (at least %s)",
                          text, low);
    return pario_fail(PARIO_EUSAGE, "%.64s is out of range (%s to %s)", text,
                      low, high);
}

static int set_int(const struct pario_option *option, int64_t *field,
                   const char *text)
{
    int64_t value;
    int err = option->type == PARIO_OPT_SIZE ? pario_size_parse(text, &value)
                                             : int_parse(text, &value);

    if (err == 0)
        err = check_range(option, text, (double)value);
    if (err == 0)
        *field = value;
    return err;
}

static int set_real(const struct pario_option *option, double *field,
                    const char *text)
{
    double value;
    int err = option->type == PARIO_OPT_TIME ? pario_time_parse(text, &value)
                                             : real_parse(text, &value);

    if (err == 0)
        err = check_range(option, text, value);
    if (err == 0)
        *field = value;
    return err;
}

static int add_string(struct pario_strings *strings, const char *text)
{
    for (int i = 0; i < PARIO_MAX_STRINGS; i++)
        if (strings->item[i] == NULL) {
            strings->item[i] = text;
            return 0;
        }
    return pario_fail(PARIO_EUSAGE, "at most %d", PARIO_MAX_STRINGS);
}

/* One after the other, separated by blanks. */
static void print_strings(const struct pario_strings *strings, char *text,
                          size_t len)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; strings->item[i] != NULL && used < len; i++)
        used += (size_t)snprintf(text + used, len - used, "%s%s",
                                 i > 0 ? " " : "", strings->item[i]);
}

static int set_field(const struct pario_option *option, void *field,
                     const char *text)
{
    switch (option->type) {
    case PARIO_OPT_FLAG:
        return flag_parse(text, field);
    case PARIO_OPT_INT:
    case PARIO_OPT_SIZE:
        return set_int(option, field, text);
    case PARIO_OPT_TIME:
    case PARIO_OPT_REAL:
        return set_real(option, field, text);
    case PARIO_OPT_STRING:
        *(const char **)field = text;
        return 0;
    case PARIO_OPT_CHOICE:
        return choice_parse(text, option->choices, field);
    case PARIO_OPT_STRINGS:
        return add_string(field, text);
    }
    return pario_fail(-EINVAL, "option --%s has no type", option->name);
}

int pario_option_set_value(const struct pario_option *option, void *values,
                           const char *text, const char *where)
{
    int err = set_field(option, (char *)values + option->offset, text);

    if (err == 0)
        return 0;
    return pario_fail(err, "%s: %s", where, pario_error_message());
}

void pario_option_print(const struct pario_option *option, const void *values,
                        char *text, size_t len)
{
    const void *field = (const char *)values + option->offset;
    const char *string;
    char size[PARIO_UNITS_LEN];

    switch (option->type) {
    case PARIO_OPT_FLAG:
        snprintf(text, len, "%s", *(const int *)field ? "yes" : "no");
        break;
    case PARIO_OPT_INT:
        snprintf(text, len, "%" PRId64, *(const int64_t *)field);
        break;
    case PARIO_OPT_SIZE:
        pario_size_print(*(const int64_t *)field, size);
        snprintf(text, len, "%s", size);
        break;
    case PARIO_OPT_TIME:
        print_exact(*(const double *)field, "s", text, len);
        break;
    case PARIO_OPT_REAL:
        print_exact(*(const double *)field, "", text, len);
        break;
    case PARIO_OPT_STRING:
        string = *(const char *const *)field;
        snprintf(text, len, "%s", string != NULL ? string : "");
        break;
    case PARIO_OPT_CHOICE:
        snprintf(text, len, "%s", option->choices[*(const int *)field]);
        break;
    case PARIO_OPT_STRINGS:
        print_strings(field, text, len);
        break;
    }
}

/* What a name or letter on the command line or in a file stands for. */
struct match {
    const struct pario_option *option;
    void *values;
    int negated;
};

static int find_name(const struct pario_option_set *sets, const char *name,
                     size_t len, struct match *match_p)
{
    for (; sets->table != NULL; sets++) {
        for (const struct pario_option *o = sets->table; o->name != NULL; o++) {
            if (strncmp(o->name, name, len) == 0 && o->name[len] == '\0') {
                *match_p = (struct match){o, sets->values, 0};
                return 1;
            }
        }
    }
    return 0;
}

static int find_option(const struct pario_option_set *sets, const char *name,
                       size_t len, struct match *match_p)
{
    if (find_name(sets, name, len, match_p))
        return 1;
    if (len <= 3 || strncmp(name, "no-", 3) != 0 ||
        !find_name(sets, name + 3, len - 3, match_p))
        return 0;
    match_p->negated = 1;
    return match_p->option->type == PARIO_OPT_FLAG;
}

static int find_letter(const struct pario_option_set *sets, char letter,
                       struct match *match_p)
{
    for (; sets->table != NULL; sets++) {
        for (const struct pario_option *o = sets->table; o->name != NULL; o++) {
            if (o->letter != 0 && o->letter == letter) {
                *match_p = (struct match){o, sets->values, 0};
                return 1;
            }
        }
    }
    return 0;
}

static struct pario_nearest nearest_option(const struct pario_option_set *sets,
                                           const char *name)
{
    struct pario_nearest nearest = {.word = name};

    for (; sets->table != NULL; sets++)
        for (const struct pario_option *o = sets->table; o->name != NULL; o++)
            pario_nearest_try(&nearest, o->name);
    return nearest;
}

static int unknown_option(const struct pario_option_set *sets, const char *name,
                          size_t len)
{
    struct pario_nearest nearest;
    char word[64];

    snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
    nearest = nearest_option(sets, word);
    return pario_fail(PARIO_EUSAGE, "unknown option --%s%s", word,
                      nearest.name != NULL ? pario_nearest_say(&nearest, "--")
                                           : " (see --help)");
}

/* Where the parser stands in argv. */
struct cursor {
    int argc, index, noperands;
    char **argv;
};

/* The next argument as the value of an option, or NULL: another option is no
 * value (--name=--value is the way to give such a one). */
static const char *take_value(struct cursor *cursor)
{
    if (cursor->index + 1 >= cursor->argc ||
        strncmp(cursor->argv[cursor->index + 1], "--", 2) == 0)
        return NULL;
    return cursor->argv[++cursor->index];
}

static int missing_value(const struct pario_option *option)
{
    return pario_fail(PARIO_EUSAGE, "--%s needs a value: --%s %s", option->name,
                      option->name,
                      option->argument != NULL ? option->argument : "VALUE");
}

static int parse_long(const struct pario_option_set *sets,
                      struct cursor *cursor)
{
    const char *name = cursor->argv[cursor->index] + 2;
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    struct match match;
    char where[80];

    if (!find_option(sets, name, len, &match))
        return unknown_option(sets, name, len);
    if (match.negated && value != NULL)
        return pario_fail(PARIO_EUSAGE, "--no-%s takes no value",
                          match.option->name);
    if (match.option->type == PARIO_OPT_FLAG && value == NULL)
        value = match.negated ? "no" : "yes";
    if (value == NULL)
        value = take_value(cursor);
    if (value == NULL)
        return missing_value(match.option);
    snprintf(where, sizeof(where), "--%s", match.option->name);
    return pario_option_set_value(match.option, match.values, value, where);
}

/* -v, -vq, -t 5, -t5 */
static int parse_letters(const struct pario_option_set *sets,
                         struct cursor *cursor)
{
    const char *letter = cursor->argv[cursor->index] + 1;
    const char *value;
    struct match match;
    char where[80];
    int err = 0;

    for (; *letter != '\0' && err == 0; letter++) {
        if (!find_letter(sets, *letter, &match))
            return pario_fail(PARIO_EUSAGE, "unknown option -%c (see --help)",
                              *letter);
        snprintf(where, sizeof(where), "--%s", match.option->name);
        if (match.option->type != PARIO_OPT_FLAG)
            break;
        err = pario_option_set_value(match.option, match.values, "yes", where);
    }
    if (*letter == '\0' || err != 0)
        return err;
    value = letter[1] != '\0' ? letter + 1 : take_value(cursor);
    if (value == NULL)
        return missing_value(match.option);
    return pario_option_set_value(match.option, match.values, value, where);
}

static void move_operand(struct cursor *cursor)
{
    char **place = &cursor->argv[1 + cursor->noperands];
    char *operand = cursor->argv[cursor->index];

    memmove(place + 1, place,
            (size_t)(cursor->index - 1 - cursor->noperands) * sizeof(*place));
    *place = operand;
    cursor->noperands++;
}

int pario_options_parse(const struct pario_option_set *sets, int argc,
                        char **argv, int *noperands_p)
{
    struct cursor cursor = {.argc = argc, .argv = argv};
    int only_operands = 0;

    for (cursor.index = 1; cursor.index < argc; cursor.index++) {
        const char *arg = argv[cursor.index];
        int err = 0;

        if (only_operands || arg[0] != '-' || arg[1] == '\0')
            move_operand(&cursor);
        else if (strcmp(arg, "--") == 0)
            only_operands = 1;
        else if (arg[1] == '-')
            err = parse_long(sets, &cursor);
        else
            err = parse_letters(sets, &cursor);
        if (err != 0)
            return err;
    }
    *noperands_p = cursor.noperands;
    return 0;
}

static int set_from_keyword(const struct pario_option_set *sets,
                            const char *path,
                            const struct pario_keyword *keyword)
{
    const char *value = keyword->value;
    struct match match;
    char where[512];

    snprintf(where, sizeof(where), "%.400s:%d: %.64s", path, keyword->line,
             keyword->name);
    if (!find_option(sets, keyword->name, strlen(keyword->name), &match)) {
        struct pario_nearest nearest = nearest_option(sets, keyword->name);

        return pario_fail(PARIO_EUSAGE, "%s: unknown keyword%s", where,
                          pario_nearest_say(&nearest, ""));
    }
    if (match.option->command_only)
        return pario_fail(PARIO_EUSAGE,
                          "%s: only the command line may say this (--%s)",
                          where, match.option->name);
    if (match.negated && value[0] != '\0')
        return pario_fail(PARIO_EUSAGE, "%s takes no value", where);
    if (match.option->type == PARIO_OPT_FLAG && value[0] == '\0')
        value = match.negated ? "no" : "yes";
    return pario_option_set_value(match.option, match.values, value, where);
}

int pario_options_from_keyfile(const struct pario_option_set *sets,
                               const struct pario_keyfile *file,
                               const char *section)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct pario_keyword *keyword = &file->keywords[i];
        int err;

        if (keyword->section[0] != '\0' &&
            strcmp(keyword->section, section) != 0)
            return pario_fail(
                PARIO_EUSAGE,
                "%s:%d: section [%s] is not understood here%s%s%s", file->path,
                keyword->line, keyword->section,
                section[0] != '\0' ? " (only [" : "", section,
                section[0] != '\0' ? "])" : "");
        err = set_from_keyword(sets, file->path, keyword);
        if (err != 0)
            return err;
    }
    return 0;
}

/* text in lines up to HELP_WIDTH, from HELP_COLUMN on; column says where the
 * cursor stands now. */
static void print_wrapped(FILE *out, const char *text, int column)
{
    while (*text != '\0') {
        int len = (int)strcspn(text, " ");

        if (column > HELP_COLUMN && column + 1 + len > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", len, text);
        column += len;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_choices(const struct pario_option *option, char *text,
                          size_t len)
{
    size_t used = 0;

    for (int i = 0; option->choices[i] != NULL && used < len; i++)
        used += (size_t)snprintf(text + used, len - used, "%s%s",
                                 i > 0 ? "|" : "", option->choices[i]);
}

static void print_option(FILE *out, const struct pario_option *option,
                         const void *defaults)
{
    char left[320], argument[256] = "VALUE", value[256] = "", right[1024];
    int column;

    if (option->type == PARIO_OPT_CHOICE)
        print_choices(option, argument, sizeof(argument));
    else if (option->argument != NULL)
        snprintf(argument, sizeof(argument), "%s", option->argument);
    if (option->type == PARIO_OPT_FLAG)
        argument[0] = '\0';
    snprintf(left, sizeof(left), "  %c%c%c --%s%s%s",
             option->letter != 0 ? '-' : ' ',
             option->letter != 0 ? option->letter : ' ',
             option->letter != 0 ? ',' : ' ', option->name,
             argument[0] != '\0' ? " " : "", argument);
    if (defaults != NULL)
        pario_option_print(option, defaults, value, sizeof(value));
    if (option->type == PARIO_OPT_FLAG)
        snprintf(value, sizeof(value), "%s",
                 strcmp(value, "yes") == 0 ? "yes; see --no-" : "");
    if (strstr(option->help, "default") != NULL)
        value[0] = '\0'; /* it is said already */
    if (value[0] != '\0')
        snprintf(right, sizeof(right), "%s (default: %s%s)", option->help,
                 value, option->type == PARIO_OPT_FLAG ? option->name : "");
    else
        snprintf(right, sizeof(right), "%s", option->help);
    column = fprintf(out, "%s", left);
    if (column >= HELP_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - column, "");
    print_wrapped(out, right, HELP_COLUMN);
}

void pario_options_help(FILE *out, const struct pario_option *table,
                        const void *defaults)
{
    for (; table->name != NULL; table++)
        print_option(out, table, defaults);
}
