/* suites/pattern/ior.c - IOR's command lines and scripts: each of its options
 * is taken with the same meaning, or is refused with the reason. */
#include "suites/pattern/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One option of IOR. `ours` is the option it becomes; `refused` says why
 * there is none; with neither nothing is to be done: pario does so anyway, or
 * it changes no figure. */
struct ior_option {
    char letter;           /* 0: none */
    const char *directive; /* in -O and scripts, and --directive; NULL: none */
    const char *ours;
    const char *value;  /* instead of the user's: -Y is --fsync-every 1 */
    const char *suffix; /* the unit IOR means */
    const char *none;   /* this value says what is so anyway, as 0 of a flag */
    const char *twice;  /* why it may not be said twice; NULL: it may */
    const char *const *second; /* what it is when said twice: options of ours
                                  and their values; NULL: the same */
    const char *const *first;  /* what undoes that */
    const char *refused;
    short flag;   /* takes no value */
    short common; /* without a value it is pario's own option of that name */
    short lower;  /* upper and lower case are the same */
    short size;   /* bytes, with IOR's units */
};

#define NO_HOG "pario hogs no memory; --cold evicts the file before reading"
#define NO_GPU "pario has no buffers on a GPU"
#define NO_STRIPES                                                             \
    "set stripes for the directory beforehand (lfs setstripe, beegfs-ctl)"
#define DOCUMENT "results go to one document (--output) and `pario report`"

static const char *const drawn_blocks[] = {
    "shuffle", "0", "order", "uniform", "whole-blocks", "1", NULL};

static const char *const dealt_out[] = {"reorder-random", "1", NULL};

static const char *const no_blocks[] = {"order", "sequential", "whole-blocks",
                                        "0", NULL};

/* clang-format off */
static const struct ior_option ior_options[] = {
    {'a', "api", .ours = "interface", .lower = 1},
    {'A', "refNum", .ours = NULL},
    {'b', "blockSize", .ours = "block", .size = 1},
    {'B', "useO_DIRECT", .ours = "direct", .flag = 1},
    {0, "posix.odirect", .ours = "direct", .flag = 1},
    {'c', "collective", .ours = "collective", .flag = 1},
    {'C', "reorderTasksConstant", .ours = "reorder", .flag = 1,
     .twice = "give the distance with -Q"},
    {0, "reorderTasks", .ours = "reorder", .flag = 1},
    {'d', "interTestDelay", .ours = "delay", .suffix = "s"},
    {'D', "deadlineForStonewalling", .ours = "stonewall", .suffix = "s"},
    {0, "stoneWallingWearOut", .ours = "wear-out", .flag = 1},
    {0, "stoneWallingWearOutIterations", .none = "0",
     .refused = "reads end where the writes of the same run ended; write and "
                "read in one run"},
    {0, "stoneWallingStatusFile",
     .refused = "reads end where the writes of the same run ended; write and "
                "read in one run"},
    {0, "minTimeDuration", .none = "0",
     .refused = "a pass is not repeated; choose more segments (-s) and -D"},
    {'e', "fsync", .ours = "fsync", .flag = 1},
    {'E', "useExistingTestFile", .flag = 1,
     .refused = "pario writes only to files that it has made"},
    {'f', "scriptFile", .ours = "script"},
    {'F', "filePerProc", .ours = "file-per-process", .flag = 1},
    {'g', "intraTestBarriers", .flag = 1},
    {'G', "setTimeStampSignature", .ours = NULL},
    {'H', "showHints", .flag = 1, .refused = "see the result document"},
    {'i', "repetitions", .ours = "repetitions"},
    {'I', "individualDataSets", .flag = 1, .refused = "pario has no HDF5"},
    {'j', "outlierThreshold", .none = "0",
     .refused = "first_done_s and last_done_s of each measure show outliers"},
    {'J', "setAlignment", .none = "1", .ours = "alignment", .size = 1},
    {'k', "keepFile", .ours = "keep-file", .flag = 1},
    {'K', "keepFileWithError", .flag = 1,
     .refused = "--keep keeps the files, also those with wrong data"},
    {'l', "dataPacketType", .ours = NULL},
    {'m', "multiFile", .ours = "multi-file", .flag = 1},
    {'M', "memoryPerNode", .none = "0", .refused = NO_HOG},
    {0, "memoryPerTask", .none = "0", .refused = NO_HOG},
    {'N', "numTasks", .none = "0", .ours = "tasks"},
    {0, "numNodes", .none = "0", .refused = "start the processes on that many nodes"},
    {0, "numTasksOnNode0", .none = "0", .refused = "the launcher says that"},
    {'o', "testFile", .ours = "file"},
    {'O', NULL, .ours = NULL},
    {'p', "preallocate", .flag = 1,
     .refused = "pario pattern does not allocate beforehand"},
    {'P', "useSharedFilePointer", .flag = 1,
     .refused = "shared pointers are measured by beffio and iot"},
    {0, "quitOnError", .flag = 1},
    {'Q', "taskPerNodeOffset", .ours = "task-offset"},
    {'r', "readFile", .ours = "read", .flag = 1},
    {'R', "checkRead", .ours = "verify", .value = "full", .flag = 1},
    {'s', "segmentCount", .ours = "segments"},
    {'S', "useStridedDatatype", .flag = 1,
     .refused = "strided datatypes are measured by prio and beffio; -V gives "
                "a view"},
    {'t', "transferSize", .ours = "transfer", .size = 1},
    {'T', "maxTimeDuration", .none = "0", .refused = "use -D for each phase"},
    {'u', "uniqueDir", .flag = 1,
     .refused = "all files stand in one directory of the run"},
    {'U', "hintsFileName",
     .refused = "hints are for beffio (--hints) and tune"},
    {'V', "useFileView", .ours = "view", .flag = 1},
    {0, "mpiio.useFileView", .ours = "view", .flag = 1},
    {0, "mpiio.hintsFileName",
     .refused = "hints are for beffio (--hints) and tune"},
    {0, "mpiio.showHints", .flag = 1, .refused = "see the result document"},
    {0, "mpiio.preallocate", .flag = 1,
     .refused = "pario pattern does not allocate beforehand"},
    {0, "mpiio.useStridedDatatype", .flag = 1,
     .refused = "strided datatypes are measured by prio and beffio"},
    {0, "posix.rangelocks", .flag = 1,
     .refused = "pario locks no ranges of its files"},
    {0, "posix.lustre.", .refused = NO_STRIPES},
    {0, "posix.beegfs.", .refused = NO_STRIPES},
    {0, "posix.gpfs.", .refused = "pario gives GPFS no hints of its own"},
    {'w', "writeFile", .ours = "write", .flag = 1},
    {'W', "checkWrite", .ours = "verify", .value = "full", .flag = 1},
    {'x', "singleXferAttempt", .flag = 1,
     .refused = "what is left of a short transfer is moved within its time"},
    {'X', "reorderTasksRandomSeed", .ours = "reorder-seed"},
    {'y', "dualMount", .flag = 1, .refused = "one run measures one mount"},
    {'Y', "fsyncPerWrite", .ours = "fsync-every", .value = "1", .flag = 1},
    {'z', "randomOffset", .ours = "shuffle", .flag = 1,
     .second = drawn_blocks, .first = no_blocks},
    {0, "randomPrefill", .none = "0",
     .refused = "each place is written once; with -z -z the file is prepared"},
    {0, "random-offset-seed", .ours = "seed"},
    {'Z', "reorderTasksRandom", .ours = "reorder-random", .flag = 1,
     .second = dealt_out},
    {0, "interIODelay", .ours = "think", .suffix = "us"},
    {0, "dryRun", .ours = "dry-run", .flag = 1},
    {0, "verbose", .flag = 1, .common = 1},
    {0, "warningAsErrors", .flag = 1,
     .refused = "warnings stand in the document"},
    {0, "summaryFile", .refused = DOCUMENT},
    {0, "summaryFormat", .refused = DOCUMENT},
    {0, "summaryAlways", .flag = 1},
    {0, "storeFileOffset", .flag = 1},
    {0, "showHelp", .flag = 1, .refused = "say --help on the command line"},
    {0, "debug", .refused = "see --verbose"},
    {0, "platform", .refused = "the document names the system"},
    {0, "saveRankPerformanceDetailsCSV", .refused = DOCUMENT},
    {0, "savePerOpDataCSV",
     .refused = "--samples FILE writes the time of every call"},
    {0, "allocateBufferOnGPU", .none = "0", .refused = NO_GPU},
    {0, "GPUid", .none = "0", .refused = NO_GPU},
    {0, "GPUDirect", .refused = NO_GPU},
};
/* clang-format on */

#define COUNT (sizeof(ior_options) / sizeof(ior_options[0]))
#define MAX_WORD 64 /* "--" and the longest name, with '=' */

static const struct ior_option *by_letter(char letter)
{
    for (size_t i = 0; i < COUNT; i++)
        if (ior_options[i].letter == letter)
            return &ior_options[i];
    return NULL;
}

/* Those of a file system of its own stand for all that begin so. */
static int is_named(const char *directive, const char *name, size_t len)
{
    size_t own = strlen(directive);

    if (len > 2 && strncmp(name, "--", 2) == 0) { /* in scripts, too */
        name += 2;
        len -= 2;
    }
    if (own > 0 && directive[own - 1] == '.' && len > own)
        len = own;
    return own == len && strncasecmp(directive, name, len) == 0;
}

static const struct ior_option *by_directive(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT; i++)
        if (ior_options[i].directive != NULL &&
            is_named(ior_options[i].directive, name, len))
            return &ior_options[i];
    return NULL;
}

/* IOR's flags in scripts are 0 or 1; what is not set need not be there. */
static int is_off(const struct ior_option *option, const char *value)
{
    const char *none = option->flag ? "0" : option->none;

    return none != NULL && value != NULL && strcmp(value, none) == 0;
}

/* A bare number is in IOR's unit; ours may have one: -D 200ms. */
static const char *unit_for(const struct ior_option *option, const char *value)
{
    size_t n = strlen(value);

    if (option->suffix == NULL || n == 0 ||
        !isdigit((unsigned char)value[n - 1]))
        return "";
    return option->suffix;
}

/* What IOR would read otherwise: for IOR kB and MB are powers of 1024, and '@'
 * stands between the names of several files. */
static int check_meaning(const struct ior_option *option, const char *value,
                         const char *where)
{
    size_t n = strlen(value);

    if (option->size && n > 1 && tolower((unsigned char)value[n - 1]) == 'b' &&
        isalpha((unsigned char)value[n - 2]) &&
        tolower((unsigned char)value[n - 2]) != 'i')
        return pario_fail(PARIO_EUSAGE,
                          "%s %s is not taken: IOR means a power of 1024, "
                          "pario of 1000; say %.*s, or --%s=%s",
                          where, value, (int)(n - 1), value, option->ours,
                          value);
    if (option->letter == 'o' && strchr(value, '@') != NULL)
        return pario_fail(PARIO_EUSAGE,
                          "%s %s is not taken: IOR means several files, and "
                          "pario pattern has one name; if the @ is part of "
                          "it say --%s=%s",
                          where, value, option->ours, value);
    return 0;
}

/* The text of our option's value. */
static int convert(const struct ior_option *option, const char *value,
                   const char *where, char *text, size_t len)
{
    if (option->refused != NULL && !is_off(option, value))
        return pario_fail(PARIO_EUSAGE, "%s is not taken: %s", where,
                          option->refused);
    if (option->value != NULL)
        value = option->value;
    else if (option->flag && value == NULL)
        value = "1";
    if (value == NULL || (option->flag && option->twice != NULL &&
                          strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
        return pario_fail(PARIO_EUSAGE, "%s %s: %s", where,
                          value != NULL ? value : "needs a value",
                          value != NULL ? option->twice : "see --help");
    if (check_meaning(option, value, where) != 0)
        return PARIO_EUSAGE;
    if ((size_t)snprintf(text, len, "%s%s", value, unit_for(option, value)) >=
        len)
        return pario_fail(PARIO_EUSAGE, "%s: the value is too long", where);
    for (char *c = text; option->lower && *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return 0;
}

/* The command line that is being made. */
struct rewriting {
    int argc;
    char **argv;
    char *text, *end; /* where the next word goes */
    unsigned seen[COUNT];
};

static void put(struct rewriting *to, const char *name, const char *value)
{
    to->argv[to->argc++] = to->text;
    to->text += snprintf(to->text, (size_t)(to->end - to->text), "--%s=%s",
                         name, value) +
                1;
}

static void put_all(struct rewriting *to, const char *const *words)
{
    for (; *words != NULL; words += 2)
        put(to, words[0], words[1]);
}

/* IOR counts how often a flag is given; directives say it: randomOffset=2. */
static int is_second(const struct ior_option *option, const char *value)
{
    return option->second != NULL && value != NULL && strcmp(value, "2") == 0;
}

static int take(struct rewriting *to, const struct ior_option *option,
                const char *value, const char *where)
{
    char text[4300];
    unsigned *seen = &to->seen[option - ior_options], before = (*seen)++;
    int code;

    if (option->second != NULL && value != NULL)
        *seen = (unsigned)strtoul(value, NULL, 10);
    if (is_second(option, value) ||
        (before > 0 && value == NULL && option->second != NULL)) {
        put_all(to, option->second);
        return 0;
    }
    if (before > 0 && option->first != NULL) {
        put_all(to, option->first);
        put(to, option->ours, *seen > 0 ? "1" : "0");
        return 0;
    }
    code = convert(option, value, where, text, sizeof(text));
    if (code == 0 && option->twice != NULL && before > 0)
        code = pario_fail(PARIO_EUSAGE, "%s twice: %s", where, option->twice);
    if (code == 0 && option->ours != NULL && option->none != NULL &&
        is_off(option, value))
        put(to, option->ours, "0");
    else if (code == 0 && option->ours != NULL && !is_off(option, value))
        put(to, option->ours, text);
    return code;
}

/* -O name=value,name=value */
static int take_directives(struct rewriting *to, const char *list)
{
    while (*list != '\0') {
        size_t len = strcspn(list, ","), name = strcspn(list, "=,");
        const struct ior_option *option = by_directive(list, name);
        char where[128], value[4200] = "";
        int code;

        snprintf(where, sizeof(where), "-O %.*s",
                 (int)(name < 100 ? name : 100), list);
        if (option == NULL)
            return pario_fail(
                PARIO_EUSAGE,
                "%s: pario pattern knows no such directive of IOR", where);
        if (name < len)
            snprintf(value, sizeof(value), "%.*s", (int)(len - name - 1),
                     list + name + 1);
        code = take(to, option, name < len ? value : NULL, where);
        if (code != 0)
            return code;
        list += len + (list[len] == ',');
    }
    return 0;
}

/* -b 1m, -b1m, -b=1m, -we. Returns how many further words were used, or a
 * negative error. */
static int take_letters(struct rewriting *to, char *const *argv, int left)
{
    const char *letter = argv[0] + 1;

    for (; *letter != '\0'; letter++) {
        const struct ior_option *option = by_letter(*letter);
        char where[8];
        const char *value;
        int code;

        snprintf(where, sizeof(where), "-%c", *letter);
        if (option == NULL) { /* one of pario's own */
            char own[] = {'-', *letter, '\0'};

            to->argv[to->argc++] = to->text;
            to->text +=
                snprintf(to->text, (size_t)(to->end - to->text), "%s", own) + 1;
            continue;
        }
        if (option->flag) {
            code = take(to, option, NULL, where);
            if (code != 0)
                return code;
            continue;
        }
        value = letter[1] == '=' ? letter + 2 : letter + 1;
        if (*value == '\0' && left < 2)
            return pario_fail(PARIO_EUSAGE, "%s needs a value (see --help)",
                              where);
        code = *letter == 'O'
                   ? take_directives(to, *value ? value : argv[1])
                   : take(to, option, *value ? value : argv[1], where);
        return code != 0 ? code : *value == '\0';
    }
    return 0;
}

/* Long options of IOR that pario does not have by that name. Returns how many
 * further words were used, or a negative error. */
static int take_long(struct rewriting *to, char *const *argv, int left)
{
    char *word = argv[0], *value;
    size_t len = strcspn(word + 2, "=");
    const struct ior_option *option = by_directive(word + 2, len);
    char name[MAX_WORD];
    int code, next;

    snprintf(name, sizeof(name), "%.*s", (int)(len < 50 ? len : 50), word + 2);
    if (option == NULL || option->letter != 0 ||
        (option->common && word[2 + len] == '\0') ||
        pario_field_find(pattern_fields, name) != NULL) {
        to->argv[to->argc++] = word;
        return 0;
    }
    next = word[2 + len] == '\0' && !option->flag && left > 1;
    value = word[2 + len] == '=' ? word + len + 3 : next ? argv[1] : NULL;
    code = take(to, option, value, word);
    return code != 0 ? code : next;
}

int pattern_ior_rewrite(int *argc, char ***argv, void **block_p)
{
    size_t letters = 1, words;
    struct rewriting to = {.argc = 0};
    int code = 0, only_operands = 0;

    for (int i = 0; i < *argc; i++)
        letters += strlen((*argv)[i]) + 1;
    words = 3 * letters + 1; /* each letter may become three words */
    to.argv = calloc(1, words * (sizeof(char *) + MAX_WORD + 8) + letters * 2);
    if (to.argv == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    to.text = (char *)(to.argv + words);
    to.end = to.text + words * (MAX_WORD + 8) + letters * 2;
    for (int i = 0; code >= 0 && i < *argc; i++) {
        char *word = (*argv)[i];

        if (i == 0 || only_operands || word[0] != '-' || word[1] == '\0')
            to.argv[to.argc++] = word;
        else if (word[1] != '-')
            code = take_letters(&to, *argv + i, *argc - i);
        else if (word[2] != '\0')
            code = take_long(&to, *argv + i, *argc - i);
        else
            to.argv[to.argc++] = word;
        only_operands |= strcmp(word, "--") == 0;
        i += code > 0 ? code : 0;
    }
    if (code < 0) {
        free(to.argv);
        return code;
    }
    *argc = to.argc;
    *argv = to.argv;
    *block_p = to.argv;
    return 0;
}

static int set_all(struct pattern_options *options, const char *const *words,
                   const char *where)
{
    int code = 0;

    for (const char *const *word = words; code == 0 && *word != NULL; word += 2)
        code = pario_field_set(pario_field_find(pattern_fields, word[0]),
                               options, word[1], where);
    return code;
}

/* One name=value of a script. */
static int set(struct pattern_options *options, const char *name, size_t len,
               const char *value, const char *where)
{
    const struct ior_option *option = by_directive(name, len);
    const struct pario_field *ours;
    char text[4300];
    int code;

    if (option == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "%s: pario pattern knows no such directive of IOR",
                          where);
    if (is_second(option, value))
        return set_all(options, option->second, where);
    code = convert(option, value, where, text, sizeof(text));
    if (code == 0 && option->first != NULL && options->whole_blocks)
        code = set_all(options, option->first, where);
    if (code != 0 || option->ours == NULL)
        return code;
    ours = pario_field_find(pattern_fields, option->ours);
    if (ours == NULL) /* --verify, --seed, --dry-run: of the whole run */
        return is_off(option, value)
                   ? 0
                   : pario_fail(PARIO_EUSAGE,
                                "%s: say --%s on the command line, for all "
                                "cases",
                                where, option->ours);
    if (ours->type == PARIO_OPT_STRING) /* borrowed: that of the file */
        return pario_field_set(ours, options, value, where);
    if ((ours->type == PARIO_OPT_INT || option->none != NULL) &&
        is_off(option, value))
        snprintf(text, sizeof(text), "0");
    return pario_field_set(ours, options, text, where);
}

/* A line: name=value, name=value. The values are cut out of the file's text,
 * which is ours. */
static int set_line(struct pattern_options *options, const char *path,
                    const struct pario_keyword *keyword)
{
    const char *name = keyword->name;
    char *value = (char *)(uintptr_t)keyword->value; // NOLINT
    int code = 0;

    while (code == 0) {
        char *comma = strchr(value, ','), *next = comma, *end;
        char where[600];

        snprintf(where, sizeof(where), "%.400s:%d: %.64s", path, keyword->line,
                 name);
        if (comma != NULL) {
            *comma = '\0';
            for (end = comma; end > value && isspace((unsigned char)end[-1]);)
                *--end = '\0';
            next = comma + 1 + strspn(comma + 1, " \t");
        }
        code = set(options, name, strlen(name), value, where);
        if (comma == NULL)
            break;
        name = next;
        value = next + strcspn(next, "= \t");
        while (*value == '=' || *value == ' ' || *value == '\t')
            *value++ = '\0';
    }
    return code;
}

/* One more RUN, with what was set up to it. */
static int add_run(struct pattern_cases *cases, struct pattern_options options)
{
    int code;

    if (asprintf(&options.owned, "run%zu", cases->count + 1) < 0)
        return pario_fail_errno(-ENOMEM, "cannot list the cases");
    options.label = options.owned;
    code = pattern_cases_add(cases, &options);
    if (code != 0)
        free(options.owned);
    return code;
}

int pattern_ior_script(const struct pattern_options *base,
                       struct pattern_cases *cases)
{
    struct pattern_options options = *base;
    int started = 0, pending = 0;
    int code = pario_keyfile_read(base->script, NULL, &cases->file);

    for (size_t i = 0; code == 0 && i < cases->file->count; i++) {
        const struct pario_keyword *keyword = &cases->file->keywords[i];
        int mark = strcasecmp(keyword->name, "ior") == 0;

        if (!started) {
            started = mark && strcasecmp(keyword->value, "start") == 0;
        } else if (mark && strcasecmp(keyword->value, "stop") == 0) {
            break;
        } else if (strcasecmp(keyword->name, "run") == 0) {
            code = add_run(cases, options);
            pending = 0;
        } else {
            code = set_line(&options, base->script, keyword);
            pending = 1;
        }
    }
    if (code == 0 && !started)
        return pario_fail(PARIO_EUSAGE, "%s: there is no line IOR START",
                          base->script);
    /* As IOR: what stands after the last RUN is a case, too. */
    if (code == 0 && (pending || cases->count == 0))
        code = add_run(cases, options);
    return code;
}
