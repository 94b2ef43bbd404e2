/* suites/iot/params.c - from the text of iotparams.in to tests. */
#include "suites/iot/params.h"

#include "core/nearest.h"
#include "core/text.h"
#include "suites/iot/keywords.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\v\f"

const char *const iot_class_names[] = {
    [0] = "", [IOT_LOWLEVEL] = "Lowlevel", [IOT_KERNEL] = "Kernel"};

#define SIZES (IOT_ARRAY | IOT_ORDER)

const struct iot_keyword_info iot_keyword_table[IOT_KW_COUNT] = {
    [IOT_KW_FILENAME] = {"filename", IOT_TYPE_TEXT, 0},
    [IOT_KW_NUMRUNS] = {"numruns", IOT_TYPE_COUNT, IOT_STREAMS},
    [IOT_KW_NUMFILESIZE] = {"numfilesize", IOT_TYPE_COUNT, IOT_BYTES},
    [IOT_KW_FILESIZE] = {"filesize", IOT_TYPE_REALS, IOT_BYTES},
    [IOT_KW_NUMBLOCKSIZE] = {"numblocksize", IOT_TYPE_COUNT, IOT_BYTES},
    [IOT_KW_BLOCKSIZE] = {"blocksize", IOT_TYPE_REALS, IOT_BLOCKS},
    [IOT_KW_FUZZY] = {"fuzzy", IOT_TYPE_REALS, IOT_FUZZY},
    [IOT_KW_PREALLOCATE] = {"preallocate", IOT_TYPE_BOOL, 0},
    [IOT_KW_COLLECTIVE] = {"collective", IOT_TYPE_BOOL, IOT_COLLECTIVE},
    [IOT_KW_TASKLENGTH] = {"tasklength", IOT_TYPE_INTS, IOT_TASKS},
    [IOT_KW_NUMSIZES] = {"numsizes", IOT_TYPE_COUNT, SIZES},
    [IOT_KW_PROBLEMSIZE] = {"problemsize", IOT_TYPE_INTS, SIZES},
    [IOT_KW_XSIZE] = {"xsize", IOT_TYPE_INTS, IOT_ARRAY},
    [IOT_KW_YSIZE] = {"ysize", IOT_TYPE_INTS, IOT_ARRAY},
    [IOT_KW_ZSIZE] = {"zsize", IOT_TYPE_INTS, IOT_SPACE},
    [IOT_KW_TSIZE] = {"tsize", IOT_TYPE_INTS, IOT_LATTICE},
    [IOT_KW_NUMPROCGRIDS] = {"numprocgrids", IOT_TYPE_COUNT, IOT_GRID},
    [IOT_KW_XPROC] = {"xproc", IOT_TYPE_INTS, IOT_GRID | IOT_TRANSPOSES},
    [IOT_KW_YPROC] = {"yproc", IOT_TYPE_INTS, IOT_GRID | IOT_TRANSPOSES},
    [IOT_KW_ZPROC] = {"zproc", IOT_TYPE_INTS, IOT_SPACE},
    [IOT_KW_TPROC] = {"tproc", IOT_TYPE_INTS, IOT_LATTICE},
    [IOT_KW_GHOST] = {"ghost", IOT_TYPE_INTS, IOT_LATTICE},
    [IOT_KW_NUMUPDATE] = {"numupdate", IOT_TYPE_COUNT, IOT_UPDATES},
    [IOT_KW_UPDATE_FRAC] = {"updatefrac", IOT_TYPE_REALS, IOT_UPDATES},
    [IOT_KW_BLOCKMIN] = {"blockmin", IOT_TYPE_REALS, IOT_RECORDS},
    [IOT_KW_BLOCKMAX] = {"blockmax", IOT_TYPE_REALS, IOT_RECORDS},
    [IOT_KW_MEMORY] = {"memory", IOT_TYPE_REALS, IOT_FACTORS},
    [IOT_KW_PANEL] = {"panel", IOT_TYPE_INTS, IOT_FACTORS},
    [IOT_KW_VARIANT] = {"variant", IOT_TYPE_TEXT, IOT_FACTORS},
    [IOT_KW_NODALVARS] = {"nodalvars", IOT_TYPE_COUNT, IOT_MESH},
    [IOT_KW_ELEMENTVARS] = {"elementvars", IOT_TYPE_COUNT, IOT_MESH},
    [IOT_KW_SCRAMBLE] = {"scramble", IOT_TYPE_COUNT, IOT_MESH},
    [IOT_KW_FILE_PER_PROCESS] = {"fileperprocess", IOT_TYPE_BOOL, IOT_ALONE},
    [IOT_KW_REPEAT] = {"repeat", IOT_TYPE_COUNT, 0},
};

int iot_keyword_applies(int keyword, const struct iot_bench *bench)
{
    unsigned any = iot_keyword_table[keyword].any;

    return any == 0 || (bench->abilities & any) != 0;
}

int iot_partition(const struct iot_bench *bench, const struct iot_set *set,
                  int nprocs)
{
    int one = (bench->abilities & (IOT_ALONE | IOT_GATHERS)) != 0;

    return one && !set->separate ? 1 : nprocs;
}

char *iot_path(const struct iot_test *test, const struct iot_set *set, int rank,
               char *path, size_t len)
{
    if (set->separate)
        snprintf(path, len, "%s.%d", test->filename, rank);
    else
        snprintf(path, len, "%s", test->filename);
    return path;
}

/* B.2: the hints of MPI-2 and the form of their values. */
static const struct {
    const char *name;
    char form; /* i integer, l list of integers, b boolean, s text */
} hint_table[] = {
    {"access_style", 's'},    {"collective_buffering", 'b'},
    {"cb_block_size", 'i'},   {"cb_buffer_size", 'i'},
    {"cb_nodes", 'i'},        {"chunked", 'l'},
    {"chunked_item", 'l'},    {"chunked_size", 'l'},
    {"file_perm", 's'},       {"io_node_list", 's'},
    {"nb_proc", 'i'},         {"num_io_nodes", 'i'},
    {"striping_factor", 'i'}, {"striping_unit", 'i'},
};
#define MAX_ERRORS 100 /* that are shown */
#define HINTS (sizeof(hint_table) / sizeof(hint_table[0]))

static void append(char **text, const char *path, int line, const char *message)
{
    char *old = *text, *grown = NULL;
    int n = line > 0
                ? asprintf(&grown, "%s%s:%d: %s\n", old ? old : "", path, line,
                           message)
                : asprintf(&grown, "%s%s: %s\n", old ? old : "", path, message);

    if (n < 0)
        return; /* the count still tells that something is wrong */
    free(old);
    *text = grown;
}

void iot_error(struct iot_errors *errors, int line, const char *fmt, ...)
{
    char message[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    pario_text_tame(message);
    /* Every line of a file that is none may be wrong. */
    if (errors->count < MAX_ERRORS)
        append(&errors->text, errors->path, line, message);
    else if (errors->count == MAX_ERRORS)
        append(&errors->text, errors->path, 0, "there are more errors");
    errors->count++;
}

void iot_warning(struct iot_errors *errors, int line, const char *fmt, ...)
{
    char message[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    append(&errors->warnings, errors->path, line, message);
    errors->nwarnings++;
}

void iot_errors_fini(struct iot_errors *errors)
{
    free(errors->text);
    free(errors->warnings);
    *errors = (struct iot_errors){.path = errors->path};
}

/* `problem_size`, `ProblemSize` and `problemsize` are one keyword. */
static int same_word(const char *text, const char *name)
{
    for (;; text++) {
        while (*text == '_')
            text++;
        if (tolower((unsigned char)*text) != tolower((unsigned char)*name))
            return 0;
        if (*text == '\0')
            return 1;
        name++;
    }
}

static int find_keyword(const char *word)
{
    if (same_word(word, "numproblemsizes") || same_word(word, "numproblemsize"))
        return IOT_KW_NUMSIZES;
    for (int k = 0; k < IOT_KW_COUNT; k++)
        if (same_word(word, iot_keyword_table[k].name))
            return k;
    return -1;
}

static int find_hint(const char *word)
{
    for (size_t i = 0; i < HINTS; i++)
        if (strcmp(word, hint_table[i].name) == 0)
            return (int)i;
    return -1;
}

/* All that a file is made of while it is read. */
struct reader {
    struct iot_errors *errors;
    struct iot_params *params;
    struct iot_raw *raw;  /* one a test */
    enum iot_class class; /* given, its test not yet */
    int class_line;
    int nprocs;
    int wanted;        /* enum iot_class; 0: all */
    int after_comment; /* the line before was a comment */
};

static int is_one_of(const char *word, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(word, *names) == 0)
            return 1;
    return 0;
}

static int is_integer(const char *text)
{
    size_t len = strspn(text, "0123456789");

    return len > 0 && len < 19 && text[len] == '\0';
}

/* Splits value at blanks and commas and asks of each word what ok says. */
static int all_words(const char *value, int (*ok)(const char *))
{
    char *copy = strdup(value), *rest = copy, *word;
    int good = copy != NULL && value[0] != '\0';

    while (good && (word = strsep(&rest, BLANKS ",")) != NULL)
        if (word[0] != '\0')
            good = ok(word);
    free(copy);
    return good;
}

static int is_access_style(const char *word)
{
    static const char *const styles[] = {
        "read_once",  "write_once",         "read_mostly", "write_mostly",
        "sequential", "reverse_sequential", "random",      NULL};

    return is_one_of(word, styles);
}

static int parse_bool(const char *text, int *flag_p)
{
    static const char *const yes[] = {"true", ".true.", "yes", "1", "on", NULL};
    static const char *const no[] = {"false", ".false.", "no",
                                     "0",     "off",     NULL};
    char lower[16] = "";

    for (size_t i = 0; i < sizeof(lower) - 1 && text[i] != '\0'; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    *flag_p = is_one_of(lower, yes);
    return *flag_p || is_one_of(lower, no);
}

static void hint_again(struct reader *reader, const char *name, int line)
{
    iot_error(reader->errors, line, "the hint %s was given already", name);
}

static int set_hint(struct reader *reader, struct iot_test *test, int hint,
                    const char *value, int line)
{
    const char *name = hint_table[hint].name;
    char form = hint_table[hint].form;
    int flag = 0;

    if (value[0] == '\0')
        iot_error(reader->errors, line, "%s needs a value", name);
    else if (form == 'i' && !is_integer(value))
        iot_error(reader->errors, line, "%s: '%s' is no whole number", name,
                  value);
    else if (form == 'l' && !all_words(value, is_integer))
        iot_error(reader->errors, line, "%s: '%s' is no list of whole numbers",
                  name, value);
    else if (form == 'b' && !parse_bool(value, &flag))
        iot_error(reader->errors, line, "%s: '%s' is neither true nor false",
                  name, value);
    else if (strcmp(name, "access_style") == 0 &&
             !all_words(value, is_access_style))
        iot_error(reader->errors, line,
                  "access_style: '%s' is no list of read_once, write_once, "
                  "read_mostly, write_mostly, sequential, "
                  "reverse_sequential, random",
                  value);
    else if (pario_hints_get(&test->hints, name) != NULL)
        hint_again(reader, name, line);
    else
        return pario_hints_set(&test->hints, name, value);
    return 0;
}

/* `hint key=value;key=value`: any that B.2 does not name. */
static int set_other_hints(struct reader *reader, struct iot_test *test,
                           const char *value, int line)
{
    struct pario_hints hints = {0};
    int code = pario_hints_parse(&hints, value);

    if (code == PARIO_EUSAGE) {
        iot_error(reader->errors, line, "%s", pario_error_message());
        code = 0;
    } else if (code == 0 && hints.count == 0) {
        iot_error(reader->errors, line, "hint needs a value");
    }
    for (size_t i = 0; code == 0 && i < hints.count; i++) {
        if (pario_hints_get(&test->hints, hints.hint[i].key) != NULL)
            hint_again(reader, hints.hint[i].key, line);
        else
            code = pario_hints_set(&test->hints, hints.hint[i].key,
                                   hints.hint[i].value);
    }
    pario_hints_fini(&hints);
    return code;
}

/* "1 2,3" -> numbers; there is a list also where there are none. */
static int parse_list(struct reader *reader, int keyword,
                      struct iot_value *value)
{
    const char *name = iot_keyword_table[keyword].name;
    enum iot_type type = iot_keyword_table[keyword].type;
    char *copy = strdup(value->text), *rest = copy, *word;

    value->list = calloc(strlen(value->text) / 2 + 1, sizeof(double));
    if (copy == NULL || value->list == NULL) {
        free(copy);
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    }
    while ((word = strsep(&rest, BLANKS ",")) != NULL) {
        char *end = word;
        double number = 0;

        if (word[0] == '\0')
            continue;
        if (strspn(word, "0123456789.eE+-") == strlen(word))
            number = strtod(word, &end);
        if (end == word || *end != '\0' || number < 0 || number > 1e15) {
            iot_error(reader->errors, value->line, "%s: '%s' is no %s", name,
                      word,
                      type == IOT_TYPE_REALS ? "number >= 0" : "whole number");
        } else if (type != IOT_TYPE_REALS &&
                   number != (double)(int64_t)number) {
            iot_error(reader->errors, value->line,
                      "%s: '%s' is no whole number", name, word);
        } else {
            value->list[value->count++] = number;
            continue;
        }
        value->list[value->count++] = 1; /* one error, not also `too few` */
    }
    free(copy);
    if (value->count == 0)
        iot_error(reader->errors, value->line, "%s needs a value", name);
    else if (type == IOT_TYPE_COUNT && value->count > 1)
        iot_error(reader->errors, value->line, "%s takes one number, not %zu",
                  name, value->count);
    return 0;
}

static int set_value(struct reader *reader, struct iot_raw *raw, int keyword,
                     const char *text, int line)
{
    const struct iot_keyword_info *info = &iot_keyword_table[keyword];
    struct iot_value *value = &raw->value[keyword];

    if (!iot_keyword_applies(keyword, raw->test->bench)) {
        iot_error(reader->errors, line, "%s is no keyword of the test %s",
                  info->name, raw->test->bench->test.name);
        return 0;
    }
    if (value->line > 0) {
        iot_error(reader->errors, line, "%s was given on line %d already",
                  info->name, value->line);
        return 0;
    }
    value->line = line;
    value->text = strdup(text);
    if (value->text == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    if (info->type != IOT_TYPE_TEXT && info->type != IOT_TYPE_BOOL)
        return parse_list(reader, keyword, value);
    if (text[0] == '\0')
        iot_error(reader->errors, line, "%s needs a value", info->name);
    else if (info->type == IOT_TYPE_BOOL && !parse_bool(text, &value->flag))
        iot_error(reader->errors, line, "%s: '%s' is neither true nor false",
                  info->name, text);
    return 0;
}

static void unknown_keyword(struct reader *reader, const char *word, int line)
{
    static const char *const others[] = {"classname", "testname",
                                         "timingsfilename", "hint", NULL};
    struct pario_nearest nearest = pario_nearest_of(word, others);

    for (int k = 0; k < IOT_KW_COUNT; k++)
        pario_nearest_try(&nearest, iot_keyword_table[k].name);
    for (size_t i = 0; i < HINTS; i++)
        pario_nearest_try(&nearest, hint_table[i].name);
    iot_error(reader->errors, line, "unknown keyword '%s'%s", word,
              pario_nearest_say(&nearest, ""));
}

static void begin_class(struct reader *reader, const char *value, int line)
{
    if (reader->class_line > 0)
        iot_error(reader->errors, reader->class_line,
                  "classname without a testname after it");
    reader->class_line = line;
    reader->class = 0;
    for (int c = IOT_LOWLEVEL; c <= IOT_KERNEL; c++)
        if (strcasecmp(value, iot_class_names[c]) == 0 ||
            (c == IOT_LOWLEVEL && strcasecmp(value, "Low-Level") == 0))
            reader->class = (enum iot_class)c;
    if (reader->class == 0)
        iot_error(reader->errors, line,
                  "classname '%s' is neither Lowlevel nor Kernel", value);
}

static int grow_tests(struct reader *reader)
{
    struct iot_params *params = reader->params;
    uintptr_t before = (uintptr_t)params->test;
    size_t n = params->ntests + 1;
    struct iot_test *test = realloc(params->test, n * sizeof(*test));
    struct iot_raw *raw;

    if (test != NULL)
        params->test = test;
    raw = realloc(reader->raw, n * sizeof(*raw));
    if (raw != NULL) {
        reader->raw = raw;
        memset(&raw[n - 1], 0, sizeof(*raw));
    }
    if (test == NULL || raw == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    memset(&test[n - 1], 0, sizeof(*test));
    params->ntests = n;
    raw[n - 1].test = &test[n - 1];
    for (size_t i = 0; i < n && (uintptr_t)test != before; i++)
        raw[i].test = &test[i]; /* they have moved */
    return 0;
}

static void unknown_test(struct reader *reader, const char *name, int line)
{
    struct pario_nearest nearest = {.word = name};

    for (size_t i = 0; iot_benches[i].test.name != NULL; i++)
        pario_nearest_try(&nearest, iot_benches[i].test.name);
    iot_error(reader->errors, line, "unknown testname '%s'%s", name,
              pario_nearest_say(&nearest, ""));
}

static int begin_test(struct reader *reader, const char *value, int line)
{
    const struct iot_bench *bench = iot_bench_find(value);
    int code;

    if (bench == NULL) { /* its keywords are not looked at */
        unknown_test(reader, value, line);
    } else if (reader->class_line == 0) {
        iot_error(reader->errors, line,
                  "classname must come before testname (Lowlevel or Kernel)");
    } else if (reader->class != 0 && reader->class != bench->class) {
        iot_error(reader->errors, line, "%s is a test of the class %s, not %s",
                  bench->test.name, iot_class_names[bench->class],
                  iot_class_names[reader->class]);
    }
    reader->class_line = 0;
    code = grow_tests(reader);
    if (code != 0)
        return code;
    reader->params->test[reader->params->ntests - 1].bench = bench;
    reader->params->test[reader->params->ntests - 1].line = line;
    return 0;
}

static int add_input(struct iot_test *test, const char *word, const char *value)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s %s\n", test->input ? test->input : "", word,
                 value) < 0)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    free(test->input);
    test->input = text;
    return 0;
}

/* What `hint` lines gave, in one line: a header has each keyword once. */
static int add_other_hints(struct iot_test *test)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code = 0;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    for (size_t i = 0; i < test->hints.count; i++)
        if (find_hint(test->hints.hint[i].key) < 0)
            fprintf(out, "%s%s=%s", ftell(out) > 0 ? ";" : "",
                    test->hints.hint[i].key, test->hints.hint[i].value);
    if (fclose(out) != 0)
        code = pario_fail_errno(-ENOMEM, "cannot read the parameters");
    else if (len > 0)
        code = add_input(test, "hint", text);
    free(text);
    return code;
}

/* The keywords of others are not looked at. */
static int is_wanted(const struct reader *reader, const struct iot_test *test)
{
    return test->bench != NULL &&
           (reader->wanted == 0 || (int)test->bench->class == reader->wanted);
}

static int test_keyword(struct reader *reader, const char *word,
                        const char *value, int line)
{
    struct iot_raw *raw;
    int keyword = find_keyword(word), hint = find_hint(word), code;
    int before = reader->errors->count;

    if (keyword < 0 && hint < 0 && strcmp(word, "hint") != 0) {
        unknown_keyword(reader, word, line);
        return 0;
    }
    if (reader->raw == NULL || reader->params->ntests == 0 ||
        reader->class_line > 0) {
        iot_error(reader->errors, line,
                  "%s must come after the classname and testname of its test",
                  word);
        return 0;
    }
    raw = &reader->raw[reader->params->ntests - 1];
    if (!is_wanted(reader, raw->test))
        return 0;
    if (keyword >= 0)
        code = set_value(reader, raw, keyword, value, line);
    else if (hint >= 0)
        code = set_hint(reader, raw->test, hint, value, line);
    else
        code = set_other_hints(reader, raw->test, value, line);
    raw->wrong |= reader->errors->count > before;
    /* Each keyword once: one that comes again is an error. */
    if (code == 0 && reader->errors->count == before &&
        strcmp(word, "hint") != 0)
        code = add_input(raw->test, word, value);
    return code;
}

static int set_timings(struct reader *reader, const char *value, int line)
{
    if (reader->params->timings != NULL)
        iot_error(reader->errors, line,
                  "timingsfilename appears only once in a file");
    else if (value[0] == '\0')
        iot_error(reader->errors, line, "timingsfilename needs a value");
    else if ((reader->params->timings = strdup(value)) == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    return 0;
}

static void unquote(char *value)
{
    size_t len = strlen(value);

    if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
        memmove(value, value + 1, len - 2);
        value[len - 2] = '\0';
    }
}

/* One line: `keyword value`, `keyword = value`, a comment or nothing. */
static int read_line(struct reader *reader, char *line, int number)
{
    char *word = line + strspn(line, BLANKS), *value, *end;
    int after_comment = reader->after_comment;

    reader->after_comment = word[0] == '#' || word[0] == '%';
    if (word[0] == '\0' || reader->after_comment)
        return 0;
    end = word + strcspn(word, BLANKS "=");
    value = end + strspn(end, BLANKS);
    if (*value == '=')
        value += 1 + strspn(value + 1, BLANKS);
    for (char *c = value + strlen(value);
         c > value && strchr(BLANKS, c[-1]) != NULL; c--)
        c[-1] = '\0';
    *end = '\0';
    unquote(value);
    if (same_word(word, "class") || same_word(word, "classname"))
        begin_class(reader, value, number);
    else if (same_word(word, "testname"))
        return begin_test(reader, value, number);
    else if (same_word(word, "timingsfilename"))
        return set_timings(reader, value, number);
    else if (after_comment && value[0] == '\0' && find_keyword(word) < 0 &&
             find_hint(word) < 0)
        /* Appendix C as printed: a comment broken over two lines. */
        iot_warning(reader->errors, number,
                    "'%s' is taken for the rest of the comment above it", word);
    else
        return test_keyword(reader, word, value, number);
    return 0;
}

static void free_raw(struct iot_raw *raw, size_t count)
{
    for (size_t i = 0; raw != NULL && i < count; i++)
        for (int k = 0; k < IOT_KW_COUNT; k++) {
            free(raw[i].value[k].text);
            free(raw[i].value[k].list);
        }
    free(raw);
}

static void require_keywords(const struct reader *reader,
                             const struct iot_raw *raw)
{
    for (int k = 0; k < IOT_KW_COUNT; k++)
        if ((raw->test->bench->required & (uint64_t)1 << k) &&
            raw->value[k].line == 0)
            iot_error(reader->errors, raw->test->line,
                      "the test %s needs the keyword %s",
                      raw->test->bench->test.name, iot_keyword_table[k].name);
}

static int finish_test(const struct reader *reader, struct iot_raw *raw)
{
    const char *name = raw->value[IOT_KW_FILENAME].text;
    int before = reader->errors->count, code = 0;

    require_keywords(reader, raw);
    if (name != NULL) {
        raw->test->filename = strdup(name);
        if (raw->test->filename == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    }
    code = add_other_hints(raw->test);
    if (code == 0 && reader->errors->count == before)
        code = iot_sets_make(raw, reader->nprocs, reader->errors);
    return code;
}

static int finish_tests(const struct reader *reader)
{
    size_t count = reader->raw != NULL ? reader->params->ntests : 0;
    int code = 0;

    for (size_t i = 0; code == 0 && i < count; i++)
        if (is_wanted(reader, reader->raw[i].test))
            code = finish_test(reader, &reader->raw[i]);
    return code;
}

int iot_params_read(const char *text, int nprocs, int class,
                    struct iot_errors *errors, struct iot_params *params_p)
{
    struct reader reader = {.errors = errors,
                            .params = params_p,
                            .nprocs = nprocs,
                            .wanted = class};
    char *copy = strdup(text), *rest = copy, *line;
    int number = 0, code = 0;

    *params_p = (struct iot_params){0};
    if (copy == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the parameters");
    while (code == 0 && (line = strsep(&rest, "\n")) != NULL)
        code = read_line(&reader, line, ++number);
    if (reader.class_line > 0)
        iot_error(errors, reader.class_line,
                  "classname without a testname after it");
    if (code == 0)
        code = finish_tests(&reader);
    if (code == 0)
        code = iot_tell_apart(params_p);
    if (code == 0 && params_p->ntests == 0 && errors->count == 0)
        iot_error(errors, 0, "holds no test");
    free_raw(reader.raw, params_p->ntests);
    free(copy);
    return code;
}

void iot_params_fini(struct iot_params *params)
{
    for (size_t i = 0; i < params->ntests; i++) {
        free(params->test[i].filename);
        free(params->test[i].input);
        free(params->test[i].hint_text);
        free(params->test[i].set);
        pario_hints_fini(&params->test[i].hints);
    }
    free(params->test);
    free(params->timings);
    *params = (struct iot_params){0};
}
