/* result/io500_read.c - a published result of IO500 as a document. All of its
 * forms are pairs of a name and a value; what they have in common is here. */
#include "result/document.h"
#include "result/io500.h"
#include "result/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 65536 /* of the list: a line has a hundred columns */
#define MAX_COLUMNS 512
#define MAX_WORDS 32
#define NAME_LEN 64
#define TEXT_LEN 128
#define SAME_SCORE 0.005 /* a score and that of its own figures */

enum { SCORE, BANDWIDTH, NAMES, SCORES };

/* What was found. */
struct published {
    const char *path;
    double value[PARIO_IO500_FIGURES];
    int invalid[PARIO_IO500_FIGURES]; /* IO500 itself says so */
    double score[SCORES];             /* 0: not there */
    int score_invalid;
    int64_t processes, nodes;
    char filesystem[TEXT_LEN], version[TEXT_LEN], where[TEXT_LEN];
    int figures;
};

/* Letters that look alike are the same: "io500__bw", "Bandwidth". */
static const struct {
    const char *name;
    int score;
} score_names[] = {
    {"score", SCORE},        {"io500-score", SCORE},   {"bw", BANDWIDTH},
    {"io500-bw", BANDWIDTH}, {"bandwidth", BANDWIDTH}, {"md", NAMES},
    {"io500-md", NAMES},     {"iops", NAMES},          {"total", SCORE},
};

/* "ior__easy_write" -> "ior-easy-write". */
static void normalise(const char *name, size_t len, char text[NAME_LEN])
{
    size_t used = 0;

    for (size_t i = 0; i < len && used + 1 < NAME_LEN; i++) {
        char letter = name[i];

        if (letter == '_' || letter == '.')
            letter = '-';
        if (letter == '-' && (used == 0 || text[used - 1] == '-'))
            continue;
        text[used++] = (char)tolower((unsigned char)letter);
    }
    text[used] = '\0';
}

/* 1: a finite number that is not negative. */
static int read_number(const char *text, double *value_p)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || !isfinite(value) || value < 0 ||
        (*end != '\0' && !isspace((unsigned char)*end)))
        return 0;
    *value_p = value;
    return 1;
}

static void take_figure(struct published *found, int number, double value,
                        int invalid)
{
    found->figures += found->value[number] <= 0 && value > 0;
    found->value[number] = value;
    found->invalid[number] = invalid;
}

static void take_count(int64_t *count, double value)
{
    if (value >= 1 && value < 1e9)
        *count = (int64_t)value;
}

static void take_text(char into[TEXT_LEN], const char *text)
{
    if (into[0] == '\0')
        snprintf(into, TEXT_LEN, "%s", text);
}

/* One pair; names that nobody knows are passed over: lists have a hundred. */
static void take(struct published *found, const char *name, const char *text)
{
    char plain[NAME_LEN];
    double value = 0;
    int number, known = read_number(text, &value);
    int invalid = strstr(text, "INVALID") != NULL;

    normalise(name, strlen(name), plain);
    if (strcmp(plain, "find-easy") == 0 && strstr(name, "__") != NULL)
        snprintf(plain, sizeof(plain), "find"); /* the list's word for it */
    number = pario_io500_find(plain, strlen(plain));
    if (number >= 0 && known)
        take_figure(found, number, value, invalid);
    for (size_t i = 0; i < sizeof(score_names) / sizeof(score_names[0]); i++)
        if (strcmp(plain, score_names[i].name) == 0 && known) {
            found->score[score_names[i].score] = value;
            found->score_invalid |= invalid;
        }
    if (strcmp(plain, "procs") == 0 ||
        strcmp(plain, "information-client-total-procs") == 0)
        take_count(&found->processes, value);
    if (strcmp(plain, "information-client-nodes") == 0)
        take_count(&found->nodes, value);
    if (strcmp(plain, "information-filesystem-type") == 0)
        take_text(found->filesystem, text);
    if (strcmp(plain, "version") == 0)
        take_text(found->version, text);
    if (strcmp(plain, "information-system") == 0 ||
        strcmp(plain, "information-institution") == 0)
        take_text(found->where, text);
}

/* Splits a line of words in place; returns how many. */
static int split_words(char *line, char *words[MAX_WORDS])
{
    char *save = NULL;
    int n = 0;

    for (char *word = strtok_r(line, " \t\r", &save);
         word != NULL && n < MAX_WORDS; word = strtok_r(NULL, " \t\r", &save))
        words[n++] = word;
    return n;
}

/* "[RESULT] ior-easy-write 352.8 GiB/s : time 386.7 seconds": the first word
 * that names a phase or a score, and the number after it. */
static void take_summary_line(struct published *found, char *line)
{
    int invalid = strstr(line, "[INVALID]") != NULL;
    char *words[MAX_WORDS];
    int n = split_words(line, words);
    double value;

    if (n > 2 && strcmp(words[0], "IO500") == 0)
        take(found, words[1], words[2]);
    if (n < 2 || strncmp(words[0], "[RESULT", 7) != 0) {
        for (int i = 1; i + 1 < n && strncmp(words[0], "[SCORE", 6) == 0; i++)
            take(found, words[i], words[i + 1]);
        found->score_invalid |= n > 0 && words[0][0] == '[' && invalid;
        return;
    }
    for (int i = 1; i + 1 < n; i++) {
        char plain[NAME_LEN];
        int number;

        normalise(words[i], strlen(words[i]), plain);
        number = pario_io500_find(plain, strlen(plain));
        if (number >= 0 && read_number(words[i + 1], &value)) {
            take_figure(found, number, value, invalid);
            return;
        }
    }
}

/* "[ior-easy-write]", then "score = 352.8". */
static void take_ini_line(struct published *found, char section[NAME_LEN],
                          char *line)
{
    char *equals = strchr(line, '='), *end = strchr(line, ']');
    char name[NAME_LEN];

    if (line[0] == '[' && end != NULL) {
        normalise(line + 1, (size_t)(end - line - 1), section);
        return;
    }
    if (line[0] == ';' || equals == NULL)
        return;
    normalise(line, (size_t)(equals - line), name);
    for (size_t len = strlen(name);
         len > 0 && isspace((unsigned char)name[len - 1]); len--)
        name[len - 1] = '\0';
    equals += 1 + strspn(equals + 1, " \t");
    if (strcmp(name, "score") == 0 &&
        pario_io500_find(section, strlen(section)) >= 0)
        take(found, section, equals);
    else if (strcmp(section, "run") == 0 || strcmp(section, "score") == 0)
        take(found, name, equals);
}

/* Calls take_line for each line of the text; a copy of each. */
static int each_line(const char *text, size_t len,
                     void (*take_line)(void *arg, char *line), void *arg)
{
    char *line = malloc(MAX_LINE);

    if (line == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read a result of IO500");
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t used = end != NULL ? (size_t)(end - text) : len;
        size_t kept = used < MAX_LINE - 1 ? used : MAX_LINE - 1;

        memcpy(line, text, kept);
        line[kept] = '\0';
        take_line(arg, line);
        used += end != NULL;
        text += used;
        len -= used;
    }
    free(line);
    return 0;
}

struct text_reader {
    struct published *found;
    char section[NAME_LEN];
};

/* The summary and the long form do not look alike: a file has one of them. */
static void take_text_line(void *arg, char *line)
{
    struct text_reader *reader = arg;

    take_ini_line(reader->found, reader->section, line);
    take_summary_line(reader->found, line);
}

/* The columns of a line, in place: "a","b ""c""",d. */
static int split_columns(char *line, char *columns[MAX_COLUMNS])
{
    char *to = line, *from = line;
    int n = 0, quoted = 0;

    columns[n++] = to;
    for (; *from != '\0' && *from != '\r'; from++) {
        if (*from == '"' && quoted && from[1] == '"')
            *to++ = *++from;
        else if (*from == '"')
            quoted = !quoted;
        else if (*from == ',' && !quoted && n < MAX_COLUMNS) {
            *to++ = '\0';
            columns[n++] = to;
        } else
            *to++ = *from;
    }
    *to = '\0';
    return n;
}

struct csv_reader {
    struct published *found;
    char *heading, *names[MAX_COLUMNS];
    int count;
    int rows;
};

static void take_csv_line(void *arg, char *line)
{
    struct csv_reader *reader = arg;
    char *values[MAX_COLUMNS];
    int n;

    if (line[0] == '\0' || line[0] == '\r')
        return;
    if (reader->heading == NULL) {
        reader->heading = strdup(line);
        if (reader->heading != NULL)
            reader->count = split_columns(reader->heading, reader->names);
        return;
    }
    reader->rows++;
    n = split_columns(line, values);
    for (int i = 0; reader->rows == 1 && i < n && i < reader->count; i++)
        take(reader->found, reader->names[i], values[i]);
}

static int one_of(const char *path, long long results)
{
    return pario_fail(PARIO_EFORMAT,
                      "%s holds %lld results of IO500: keep one of them (and "
                      "the heading) in a file of its own",
                      path, results);
}

static int read_csv(struct published *found, const char *text, size_t len)
{
    struct csv_reader reader = {.found = found};
    int code = each_line(text, len, take_csv_line, &reader);

    free(reader.heading);
    return code == 0 && reader.rows > 1 ? one_of(found->path, reader.rows)
                                        : code;
}

static void take_member(struct published *found, const char *name,
                        const json_t *value)
{
    char text[TEXT_LEN];

    if (json_is_string(value))
        take(found, name, json_string_value(value));
    if (!json_is_number(value))
        return;
    snprintf(text, sizeof(text), "%.17g", json_number_value(value));
    take(found, name, text);
}

/* Flat, or grouped once: {"ior": {"easy_write": 1.2}}. */
static int read_json(struct published *found, const char *text, size_t len)
{
    json_t *document = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *entry = json_is_array(document) && json_array_size(document) == 1
                        ? json_array_get(document, 0)
                        : document;
    const char *name, *inner;
    json_t *value, *member;
    int code = 0;

    if (json_is_array(entry))
        code = one_of(found->path, (long long)json_array_size(entry));
    json_object_foreach(entry, name, value)
    {
        char joined[2 * NAME_LEN];

        take_member(found, name, value);
        json_object_foreach(value, inner, member)
        {
            snprintf(joined, sizeof(joined), "%.60s__%.60s", name, inner);
            take_member(found, joined, member);
        }
    }
    json_decref(document);
    return code;
}

/* Nobody can see from here what a cache gave, or whether data was right. */
static int put_figures(const struct published *found, json_t *document)
{
    json_t *summary = json_object_get(document, "summary");
    json_t *flags = json_object_get(document, "summary_flags");
    struct pario_io500_score own = pario_io500_scores(found->value);
    const struct {
        const char *figure;
        double said, own;
    } scores[] = {
        {"bandwidth_gibps", found->score[BANDWIDTH], own.bandwidth_gibps},
        {"metadata_kiops", found->score[NAMES], own.names_kiops},
        {"io500_score", found->score[SCORE], own.score},
    };
    unsigned unseen = PARIO_FLAG_UNKNOWN | PARIO_FLAG_UNVERIFIED;
    int code = 0;

    for (int i = 0; i < PARIO_IO500_FIGURES; i++)
        if (found->value[i] > 0) {
            const char *figure = pario_io500_figures[i].figure;

            json_object_set_new(summary, figure, json_real(found->value[i]));
            json_object_set_new(
                flags, figure,
                pario_flags_json(unseen |
                                 (found->invalid[i] ? PARIO_FLAG_FAILED : 0)));
        }
    for (size_t i = 0; code == 0 && i < 3; i++) {
        double value = scores[i].said > 0 ? scores[i].said : scores[i].own;
        char text[160];

        if (value <= 0)
            continue;
        json_object_set_new(summary, scores[i].figure, json_real(value));
        json_object_set_new(flags, scores[i].figure, pario_flags_json(unseen));
        if (scores[i].own <= 0 ||
            fabs(value - scores[i].own) <= SAME_SCORE * scores[i].own)
            continue;
        snprintf(text, sizeof(text),
                 "%s is %.4g here, and its own phases give %.4g",
                 scores[i].figure, value, scores[i].own);
        code = pario_document_warn(document, text);
    }
    return code;
}

/* A file that was cut, or a phase whose figure is no number: not all of the
 * result is here, and its score cannot be made again. */
static int warn_of_missing(const struct published *found, json_t *document)
{
    char text[512] = "", warning[640];
    size_t used = 0;
    int counted = 0, missing = 0;

    for (int i = 0; i < PARIO_IO500_FIGURES; i++) {
        counted += pario_io500_figures[i].scored;
        if (!pario_io500_figures[i].scored || found->value[i] > 0)
            continue;
        missing++;
        if (used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     used > 0 ? ", " : "",
                                     pario_io500_figures[i].phase);
    }
    if (missing == 0)
        return 0;
    snprintf(warning, sizeof(warning),
             "%d of the %d phases that count have no figure: %s", missing,
             counted, text);
    return pario_document_warn(document, warning);
}

static json_t *make_view(const struct published *found)
{
    json_t *view = pario_view_json(&pario_io500_view);
    char text[2 * TEXT_LEN];

    if (view == NULL)
        return NULL;
    snprintf(text, sizeof(text), "IO500, a published result%s%s",
             found->where[0] != '\0' ? ": " : "", found->where);
    json_object_set_new(view, "title", pario_json_text(text));
    json_object_set_new(
        view, "sentences",
        json_pack("[s]", "Read from a result of IO500: what a cache gave and "
                         "whether data was right cannot be seen from here."));
    return view;
}

static int make_document(const struct published *found, json_t **document_p)
{
    int invalid = found->score_invalid, code = 0;
    json_t *document, *system;

    for (int i = 0; i < PARIO_IO500_FIGURES; i++)
        invalid |= found->invalid[i];
    document = json_pack(
        "{s:s, s:s, s:b, s:[], s:[s], s:s, s:s, s:{}, s:{}, s:{}, s:[]}",
        "schema", PARIO_SCHEMA, "suite", "io500", "valid", !invalid, "warnings",
        "command", "io500", "started_utc", "", "finished_utc", "", "system",
        "summary", "summary_flags", "measures");
    if (document == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", found->path);
    system = json_object_get(document, "system");
    if (found->processes > 0)
        json_object_set_new(system, "processes",
                            json_integer(found->processes));
    if (found->nodes > 0)
        json_object_set_new(system, "nodes", json_integer(found->nodes));
    if (found->filesystem[0] != '\0')
        json_object_set_new(system, "filesystem",
                            pario_json_text(found->filesystem));
    json_object_set_new(document, "read_from",
                        json_pack("{s:s, s:o, s:o}", "program", "IO500",
                                  "version", pario_json_text(found->version),
                                  "system", pario_json_text(found->where)));
    json_object_set_new(document, "view", make_view(found));
    code = put_figures(found, document);
    if (code == 0)
        code = warn_of_missing(found, document);
    if (code == 0 && invalid)
        code = pario_document_invalidate(document,
                                         "IO500 itself calls it invalid");
    if (code != 0)
        json_decref(document);
    else
        *document_p = document;
    return code;
}

static int begins_with(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);

    return len >= n && memcmp(text, word, n) == 0;
}

/* Does the word stand in the first bytes? */
static int has(const char *text, size_t len, const char *word)
{
    return memmem(text, len < MAX_LINE ? len : MAX_LINE, word, strlen(word)) !=
           NULL;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
    while (at < len && isspace((unsigned char)text[at]))
        at++;
    return at;
}

/* An object, or an array of them: "[run]" is none. */
static int is_json(const char *text, size_t len)
{
    size_t at = skip_blanks(text, len, 0);

    if (at < len && text[at] == '[')
        at = skip_blanks(text, len, at + 1);
    return at < len && text[at] == '{';
}

int pario_io500_looks_so(const char *text, size_t len)
{
    if (is_json(text, len))
        return !has(text, len, "\"schema\"") &&
               (has(text, len, "io500") || has(text, len, "easy_write"));
    return begins_with(text, len, "IO500 version") ||
           has(text, len, "[RESULT") || has(text, len, "[ior-easy-write]") ||
           has(text, len, "ior__easy_write") || has(text, len, "io500__");
}

int pario_io500_read(const char *path, const char *text, size_t len,
                     json_t **document_p)
{
    struct published found = {.path = path};
    struct text_reader reader = {.found = &found};
    int code;

    if (is_json(text, len))
        code = read_json(&found, text, len);
    else if (has(text, len, "ior__easy_write") || has(text, len, "io500__"))
        code = read_csv(&found, text, len);
    else
        code = each_line(text, len, take_text_line, &reader);
    if (code == 0 && found.figures == 0)
        code = pario_fail(PARIO_EFORMAT,
                          "%s looks like a result of IO500 and has none of "
                          "its figures",
                          path);
    return code != 0 ? code : make_document(&found, document_p);
}
