/* analysis/timings_index.c - finds the blocks of a timings file and says with
 * file and line what is wrong with those that cannot be used. */
#include "analysis/lines.h"
#include "analysis/timings.h"
#include "analysis/timings_parts.h"
#include "result/timings.h"
#include "result/value.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 40 /* characters of a bad line in a message */

enum state {
    OUTSIDE,
    HEADER,
    SECTIONS, /* between the sections of a block */
    SECTION,  /* after rank: count, lost, ... */
    DATA,
    ORIGINAL, /* a block of the original suite: header, then data */
    SKIP,     /* to the next block */
};

struct indexer {
    struct pario_timings *timings;
    struct pario_lines lines;
    enum state state;
    int skip_original; /* classname does not begin a block while skipping */
    struct pario_timings_block block;
    int is_sizes; /* the block under way has bytes of calls, not times */
    int64_t left; /* data lines still to come in this section */
    char keyword[PARIO_TIMINGS_KEYWORD_MAX + 1];
    size_t key_len;
    const char *line; /* the current one */
    size_t len;
};

static const struct {
    const char *name;
    double ns;
} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

static int no_memory(const struct indexer *in)
{
    return pario_fail_errno(-ENOMEM, "cannot read %s", in->timings->path);
}

static int grow(void **array, size_t count, size_t element)
{
    void *more;

    if (count != 0 && (count & (count - 1)) != 0)
        return 0; /* doubled at powers of two */
    more = realloc(*array, (count == 0 ? 1 : count * 2) * element);
    if (more == NULL)
        return -ENOMEM;
    *array = more;
    return 0;
}

/* Keeps a message with file and line. */
static int complain(struct indexer *in, int64_t line, const char *text)
{
    struct pario_timings *timings = in->timings;
    char *all;

    if (timings->ncomplaints == PARIO_TIMINGS_MAX_COMPLAINTS) {
        timings->nunreported++;
        return 0;
    }
    if (asprintf(&all, "%s:%" PRId64 ": %s", timings->path, line, text) < 0)
        return no_memory(in);
    timings->complaints[timings->ncomplaints++] = all;
    return 0;
}

/* The current block cannot be used. */
static int drop(struct indexer *in, const char *why)
{
    int64_t begin = in->block.line;
    char shown[SHOWN + 1], text[256];
    size_t n = 0;

    for (; n < SHOWN && n < in->len; n++)
        shown[n] =
            (char)(in->line[n] >= ' ' && in->line[n] < 127 ? in->line[n] : '?');
    shown[n] = '\0';
    in->state = SKIP;
    in->skip_original = in->block.original;
    pario_timings_block_fini(&in->block);
    snprintf(text, sizeof(text),
             "'%s' %s; the block from line %" PRId64 " is left out", shown, why,
             begin);
    return complain(in, in->lines.number, text);
}

static int commit(struct indexer *in)
{
    struct pario_timings *timings = in->timings;

    if (grow((void **)&timings->blocks, timings->nblocks,
             sizeof(*timings->blocks)) != 0)
        return no_memory(in);
    timings->blocks[timings->nblocks++] = in->block;
    in->block = (struct pario_timings_block){.line = 0};
    return 0;
}

/* Sizes of calls belong to the times before them. */
static int attach_sizes(struct indexer *in)
{
    struct pario_timings *timings = in->timings;
    struct pario_timings_block *times =
        timings->nblocks > 0 ? &timings->blocks[timings->nblocks - 1] : NULL;
    int fits = times != NULL && times->sizes == NULL &&
               times->nsections == in->block.nsections;

    for (size_t i = 0; fits && i < in->block.nsections; i++)
        fits = times->sections[i].count == in->block.sections[i].count;
    if (!fits)
        return drop(in, "ends sizes of calls without as many times before "
                        "them");
    times->sizes = in->block.sections;
    in->block.sections = NULL;
    in->block.nsections = 0;
    pario_timings_block_fini(&in->block);
    return 0;
}

/* One block of one section, with the header of the whole. */
static int commit_section(struct indexer *in,
                          const struct pario_timings_block *whole,
                          struct pario_timings_section section,
                          struct pario_timings_section *sizes)
{
    size_t room = whole->nheader > 0 ? whole->nheader : 1;

    in->block = *whole;
    in->block.sections = malloc(sizeof(section));
    in->block.sizes = sizes;
    in->block.header = malloc(room * sizeof(*in->block.header));
    if (in->block.sections == NULL || in->block.header == NULL) {
        in->block.nsections = 0;
        return no_memory(in);
    }
    in->block.nsections = 1;
    in->block.sections[0] = section;
    if (whole->nheader > 0)
        memcpy(in->block.header, whole->header,
               whole->nheader * sizeof(*whole->header));
    return commit(in);
}

/* Writes and reads of the original suite stand in one block; they are two
 * measurements. Its sizes (b) belong to the writes. */
static int commit_original(struct indexer *in)
{
    struct pario_timings_block whole = in->block;
    struct pario_timings_section *sizes = NULL;
    size_t n = 0;
    int code = 0;

    in->block = (struct pario_timings_block){.line = 0};
    for (size_t i = 0; i < whole.nsections; i++) {
        if (strcmp(whole.sections[i].keyword, "b") != 0) {
            whole.sections[n++] = whole.sections[i];
            continue;
        }
        if (sizes == NULL)
            sizes = calloc(1, sizeof(*sizes));
        if (sizes == NULL || sizes->keyword != NULL)
            free(whole.sections[i].keyword);
        else
            *sizes = whole.sections[i];
    }
    for (size_t i = 0; i < n; i++) {
        int own = code == 0 && sizes != NULL &&
                  strcmp(whole.sections[i].keyword, "w") == 0 &&
                  whole.sections[i].count == sizes->count;

        if (code != 0) {
            free(whole.sections[i].keyword);
            continue;
        }
        code =
            commit_section(in, &whole, whole.sections[i], own ? sizes : NULL);
        if (own)
            sizes = NULL;
    }
    if (sizes != NULL)
        free(sizes->keyword);
    free(sizes);
    free(whole.sections);
    free(whole.header);
    return code;
}

static int is(const struct indexer *in, const char *word)
{
    return pario_timings_is_word(in->line, in->len, word, strlen(word));
}

/* What stands after the first word; not ended by NUL. */
static const char *value_of(const struct indexer *in, size_t *len_p)
{
    const char *blank = memchr(in->line, ' ', in->len);
    size_t used = blank != NULL ? (size_t)(blank - in->line) + 1 : in->len;
    size_t len = in->len - used;

    while (len > 0 && (in->line[used + len - 1] == '\r' ||
                       in->line[used + len - 1] == ' '))
        len--;
    *len_p = len;
    return in->line + used;
}

/* A natural number that is the whole value. */
static int natural(const struct indexer *in, int64_t *number_p)
{
    size_t len;
    const char *text = value_of(in, &len);
    int64_t number = 0;

    if (len == 0 || len > 18)
        return 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        number = number * 10 + (text[i] - '0');
    }
    *number_p = number;
    return 1;
}

/* Text of a file as it can go in any document; kept until it is closed. */
static const char *text_copy(struct pario_timings *timings, const char *text,
                             size_t len)
{
    char *raw, *copy = NULL;
    json_t *clean;

    if (grow((void **)&timings->texts, timings->ntexts,
             sizeof(*timings->texts)) != 0)
        return NULL;
    raw = strndup(text, len);
    clean = raw != NULL ? pario_json_text(raw) : NULL;
    if (clean != NULL)
        copy = strdup(json_string_value(clean));
    json_decref(clean);
    free(raw);
    if (copy != NULL)
        timings->texts[timings->ntexts++] = copy;
    return copy;
}

static int add_header(struct indexer *in)
{
    struct pario_timings_block *block = &in->block;
    size_t name_len = 0, len;
    const char *value = value_of(in, &len);
    struct pario_timings_word word;

    while (name_len < in->len && in->line[name_len] != ' ')
        name_len++;
    if (name_len == 0 || name_len > PARIO_TIMINGS_KEYWORD_MAX)
        return drop(in, "is no line of a keyword and a value");
    if (block->nheader == PARIO_TIMINGS_MAX_HEADER)
        return drop(in, "is one line too many: a header has at most 128");
    if (grow((void **)&block->header, block->nheader, sizeof(*block->header)))
        return no_memory(in);
    word.name = text_copy(in->timings, in->line, name_len);
    word.value = text_copy(in->timings, value, len);
    if (word.name == NULL || word.value == NULL)
        return no_memory(in);
    block->header[block->nheader++] = word;
    return 0;
}

static int add_section(struct indexer *in, int rank, const char *keyword)
{
    struct pario_timings_block *block = &in->block;
    struct pario_timings_section *section;
    char *copy;

    if (grow((void **)&block->sections, block->nsections,
             sizeof(*block->sections)))
        return no_memory(in);
    copy = strdup(keyword);
    if (copy == NULL)
        return no_memory(in);
    section = &block->sections[block->nsections++];
    *section = (struct pario_timings_section){.rank = rank, .keyword = copy};
    return 0;
}

static int begin_block(struct indexer *in)
{
    size_t len;
    const char *value = value_of(in, &len);

    in->block =
        (struct pario_timings_block){.line = in->lines.number, .unit_ns = 1e9};
    in->state = HEADER;
    if (len == strlen(PARIO_TIMINGS_FORMAT) &&
        memcmp(value, PARIO_TIMINGS_FORMAT, len) == 0)
        return 0;
    return drop(in, "is a format that this pario does not read "
                    "(it reads " PARIO_TIMINGS_FORMAT ")");
}

static int begin_original(struct indexer *in)
{
    in->block = (struct pario_timings_block){
        .line = in->lines.number, .unit_ns = 1e9, .original = 1, .nprocs = 1};
    in->state = ORIGINAL;
    return add_header(in);
}

static int is_original_begin(const struct indexer *in)
{
    return is(in, "classname") || is(in, "class");
}

static int take_outside(struct indexer *in)
{
    if (is(in, "block"))
        return begin_block(in);
    if (is_original_begin(in))
        return begin_original(in);
    in->state = SKIP;
    in->skip_original = 1;
    return complain(in, in->lines.number,
                    "no block of timings begins here; left out up to the next "
                    "one (docs/timings-format.md)");
}

/* "data w s" */
static int take_data(struct indexer *in)
{
    size_t len, key_len = 0;
    const char *value = value_of(in, &len);
    int64_t nprocs = 0;
    const char *text = pario_timings_value(&in->block, "nprocs");

    while (key_len < len && value[key_len] != ' ')
        key_len++;
    if (key_len == 0 || key_len > PARIO_TIMINGS_KEYWORD_MAX || key_len == len)
        return drop(in, "must be: data KEYWORD UNIT");
    memcpy(in->keyword, value, key_len);
    in->keyword[key_len] = '\0';
    in->key_len = key_len;
    in->block.unit_ns = 0;
    in->is_sizes = 0;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].name) == len - key_len - 1 &&
            memcmp(units[i].name, value + key_len + 1, len - key_len - 1) == 0)
            in->block.unit_ns = units[i].ns;
    if (len - key_len - 1 == 5 &&
        memcmp(value + key_len + 1, "bytes", 5) == 0) {
        in->block.unit_ns = 1;
        in->is_sizes = 1;
    }
    if (in->block.unit_ns == 0)
        return drop(in, "has a unit other than s, ms, us, ns");
    if (text != NULL)
        nprocs = strtoll(text, NULL, 10);
    if (nprocs <= 0 || nprocs > INT_MAX)
        return drop(in, "comes without a good nprocs line before it");
    in->block.nprocs = nprocs;
    in->state = SECTIONS;
    return 0;
}

static int take_header(struct indexer *in)
{
    if (is(in, "data"))
        return take_data(in);
    if (is(in, "end") || is(in, "rank") || is(in, "count"))
        return drop(in, "comes before the line `data`");
    return add_header(in);
}

static int take_sections(struct indexer *in)
{
    int64_t rank;

    if (is(in, "end")) {
        if ((int64_t)in->block.nsections != in->block.nprocs)
            return drop(in, "comes before the samples of all nprocs processes");
        in->block.end = pario_lines_offset(&in->lines);
        in->state = OUTSIDE;
        return in->is_sizes ? attach_sizes(in) : commit(in);
    }
    if (!is(in, "rank"))
        return drop(in, "is neither `rank` nor `end` where one must be");
    if (!natural(in, &rank) || rank != (int64_t)in->block.nsections ||
        rank >= in->block.nprocs)
        return drop(in, "is not the next rank");
    in->state = SECTION;
    in->left = -1;
    return add_section(in, (int)rank, in->keyword);
}

static int check_sample(struct indexer *in,
                        struct pario_timings_section *section)
{
    int64_t ns = 0;
    const char *wrong = in->len <= in->key_len + 1
                            ? "is not a time"
                            : pario_timings_parse(in->line + in->key_len + 1,
                                                  in->len - in->key_len - 1,
                                                  in->block.unit_ns, &ns);

    if (wrong != NULL)
        return drop(in, wrong);
    if (ns > section->longest_ns)
        section->longest_ns = ns;
    return 0;
}

static int is_sample(const struct indexer *in)
{
    return pario_timings_is_word(in->line, in->len, in->keyword, in->key_len);
}

static int take_sample(struct indexer *in)
{
    if (!is_sample(in))
        return drop(in, "comes before all samples that `count` announced");
    if (--in->left == 0)
        in->state = SECTIONS;
    return check_sample(in, &in->block.sections[in->block.nsections - 1]);
}

static int take_section(struct indexer *in, int64_t offset)
{
    struct pario_timings_section *section =
        &in->block.sections[in->block.nsections - 1];
    int64_t *number = NULL;

    if (in->left < 0) {
        if (!is(in, "count") || !natural(in, &section->count))
            return drop(in, "must be: count NUMBER");
        in->left = section->count;
        return 0;
    }
    if (in->left == 0 && (is(in, "rank") || is(in, "end")))
        return take_sections(in);
    if (is_sample(in)) {
        if (in->left == 0)
            return drop(in, "is more than `count` announced");
        section->offset = offset;
        section->line = in->lines.number;
        in->state = DATA;
        return take_sample(in);
    }
    if (is(in, "lost"))
        number = &section->lost;
    else if (is(in, "saturated"))
        number = &section->saturated;
    else if (is(in, "count") || is(in, "rank") || is(in, "end"))
        return drop(in, "comes before all samples that `count` announced");
    if (number != NULL && !natural(in, number))
        return drop(in, "must have a number");
    return 0;
}

/* The section of a data keyword of the original suite, or NULL. */
static int original_section(struct indexer *in, int64_t offset,
                            struct pario_timings_section **section_p)
{
    static const char *const words[] = {"w",   "r",  "u",   "wI", "t",
                                        "wtI", "rI", "rtI", "b"};
    struct pario_timings_block *block = &in->block;

    *section_p = NULL;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!is(in, words[i]))
            continue;
        snprintf(in->keyword, sizeof(in->keyword), "%s", words[i]);
        in->key_len = strlen(words[i]);
        for (size_t k = 0; k < block->nsections; k++)
            if (strcmp(block->sections[k].keyword, words[i]) == 0)
                *section_p = &block->sections[k];
        if (*section_p != NULL)
            return 0;
        if (add_section(in, 0, words[i]) != 0)
            return no_memory(in);
        *section_p = &block->sections[block->nsections - 1];
        (*section_p)->offset = offset;
        (*section_p)->line = in->lines.number;
        return 0;
    }
    return 0;
}

/* A sub-header: the next block has the header of this one and what it says
 * differently (4.4.2). The texts are shared. */
static int begin_subsection(struct indexer *in)
{
    struct pario_timings_block old;
    const char *blank = memchr(in->line, ' ', in->len);
    size_t name_len = blank != NULL ? (size_t)(blank - in->line) : in->len;
    size_t before = in->timings->nblocks;
    int code = commit_original(in);

    if (code != 0)
        return code;
    if (in->timings->nblocks == before)
        return begin_original(in);
    old = in->timings->blocks[in->timings->nblocks - 1];
    in->block = (struct pario_timings_block){
        .line = in->lines.number, .unit_ns = 1e9, .original = 1, .nprocs = 1};
    code = add_header(in);
    for (size_t i = 0; code == 0 && in->state == ORIGINAL && i < old.nheader;
         i++) {
        if (strlen(old.header[i].name) == name_len &&
            memcmp(old.header[i].name, in->line, name_len) == 0)
            continue;
        if (in->block.nheader == PARIO_TIMINGS_MAX_HEADER)
            return drop(in, "is one line too many: a header has at most 128");
        if (grow((void **)&in->block.header, in->block.nheader,
                 sizeof(*in->block.header)))
            return no_memory(in);
        in->block.header[in->block.nheader++] = old.header[i];
    }
    return code;
}

static int end_original(struct indexer *in)
{
    in->block.end = pario_lines_offset(&in->lines);
    if (in->block.nsections > 0)
        return commit_original(in);
    pario_timings_block_fini(&in->block);
    return complain(in, in->lines.number,
                    "the block that ends here has no timings (is it an input "
                    "file?)");
}

static int take_original(struct indexer *in, int64_t offset)
{
    struct pario_timings_section *section;
    int code;

    if (is_original_begin(in)) {
        code = end_original(in);
        return code != 0 ? code : begin_original(in);
    }
    code = original_section(in, offset, &section);
    if (code != 0)
        return code;
    if (section != NULL) {
        section->count++;
        return check_sample(in, section);
    }
    return in->block.nsections > 0 ? begin_subsection(in) : add_header(in);
}

static int take_line(struct indexer *in, int64_t offset)
{
    if (in->state != DATA && (in->len == 0 || in->line[0] == '#'))
        return 0;
    if (in->len > PARIO_LINE_MAX) {
        in->len = 0; /* there is nothing to look at */
        return in->state == SKIP      ? 0
               : in->state == OUTSIDE ? take_outside(in)
                                      : drop(in, "is longer than 64 KiB");
    }
    if (in->state != OUTSIDE && in->state != SKIP && is(in, "block")) {
        int code = in->state == ORIGINAL
                       ? end_original(in)
                       : drop(in, "comes before the end of a block");

        return code != 0 ? code : begin_block(in);
    }
    switch (in->state) {
    case OUTSIDE:
        return take_outside(in);
    case HEADER:
        return take_header(in);
    case SECTIONS:
        return take_sections(in);
    case SECTION:
        return take_section(in, offset);
    case DATA:
        if (in->len == 0 || in->line[0] == '#')
            return 0;
        return take_sample(in);
    case ORIGINAL:
        return take_original(in, offset);
    case SKIP:
        if (is(in, "block"))
            return begin_block(in);
        if (in->skip_original && is_original_begin(in))
            return begin_original(in);
        return 0;
    }
    return 0;
}

static int finish(struct indexer *in)
{
    if (in->state == ORIGINAL)
        return end_original(in);
    if (in->state == OUTSIDE || in->state == SKIP)
        return 0;
    in->line = "end of file";
    in->len = strlen(in->line);
    return drop(in, "comes before the end of a block (it was cut off)");
}

int pario_timings_index(struct pario_timings *timings)
{
    struct indexer in = {.timings = timings, .state = OUTSIDE};
    int code = pario_lines_init(&in.lines, timings->fd, 0, 1), more = 0;

    while (code == 0) {
        int64_t offset = pario_lines_offset(&in.lines);

        more = pario_lines_next(&in.lines, &in.line, &in.len);
        if (more < 0)
            code = pario_fail_errno(more, "cannot read %s", timings->path);
        if (more <= 0)
            break;
        code = take_line(&in, offset);
    }
    if (code == 0)
        code = finish(&in);
    pario_timings_block_fini(&in.block);
    pario_lines_fini(&in.lines);
    return code;
}
