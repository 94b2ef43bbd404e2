/* analysis/timings.c - timings files: what a block says, and its samples. */
#include "analysis/timings.h"
#include "analysis/lines.h"
#include "analysis/timings_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 8192
#define TIME_LEN 64
#define LONGEST_S 1e9 /* longer than that is no time of a call */

/* "0.000412345", as pario writes it: digits at known places. */
static int parse_fixed(const char *text, int64_t *ns_p)
{
    static const int place[] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int64_t ns = 0;

    if (text[1] != '.')
        return 0;
    for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
        unsigned digit = (unsigned)text[place[i]] - '0';

        if (digit > 9)
            return 0;
        ns = ns * 10 + (int64_t)digit;
    }
    *ns_p = ns;
    return 1;
}

const char *pario_timings_parse(const char *text, size_t len, double unit_ns,
                                int64_t *ns_p)
{
    char copy[TIME_LEN], *end;
    double value;

    if (len == 11 && unit_ns == 1e9 && parse_fixed(text, ns_p))
        return NULL;
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\r'))
        len--;
    if (len == 0 || len >= sizeof(copy) || memchr(text, '\0', len) != NULL)
        return "is not a time";
    memcpy(copy, text, len);
    copy[len] = '\0';
    value = strtod(copy, &end);
    if (*end != '\0' || strpbrk(copy, "xX") != NULL)
        return "is not a time";
    if (isnan(value) || isinf(value))
        return "is not a finite time";
    if (value < 0)
        return "is a negative time";
    if (value * unit_ns > LONGEST_S * 1e9)
        return "is too long for the time of a call";
    *ns_p = (int64_t)(value * unit_ns + 0.5);
    return NULL;
}

int pario_timings_is_word(const char *line, size_t len, const char *word,
                          size_t word_len)
{
    return len >= word_len && memcmp(line, word, word_len) == 0 &&
           (len == word_len || line[word_len] == ' ');
}

int pario_timings_looks_so(const char *path)
{
    static const char *const begins[] = {"block ", "classname ", "class ", "#"};
    char bytes[4096] = "";
    const char *first = bytes;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), yes = 0;

    if (fd < 0)
        return 0;
    if (pread(fd, bytes, sizeof(bytes) - 1, 0) > 0)
        first += strspn(bytes, " \t\r\n");
    if (*first != '\0')
        for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
            yes |= strncmp(first, begins[i], strlen(begins[i])) == 0;
    close(fd);
    return yes;
}

static int open_file(const char *path, int *fd_p)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return pario_fail(-EINVAL,
                          "cannot read %s: it is not a regular file (timings "
                          "are read twice)",
                          path);
    }
    *fd_p = fd;
    return 0;
}

int pario_timings_open(const char *path, struct pario_timings **timings_p)
{
    struct pario_timings *timings = calloc(1, sizeof(*timings));
    int code;

    if (timings == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", path);
    timings->fd = -1;
    timings->path = strdup(path);
    if (timings->path == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    else
        code = open_file(path, &timings->fd);
    if (code == 0)
        code = pario_timings_index(timings);
    if (code == 0 && timings->nblocks == 0)
        code = timings->ncomplaints > 0
                   ? pario_fail(PARIO_EFORMAT, "%s", timings->complaints[0])
                   : pario_fail(PARIO_EFORMAT, "%s:1: the file has no timings",
                                path);
    if (code != 0) {
        pario_timings_close(timings);
        return code;
    }
    *timings_p = timings;
    return 0;
}

void pario_timings_block_fini(struct pario_timings_block *block)
{
    for (size_t i = 0; i < block->nsections; i++) {
        free(block->sections[i].keyword);
        if (block->sizes != NULL)
            free(block->sizes[i].keyword);
    }
    free(block->header);
    free(block->sections);
    free(block->sizes);
    *block = (struct pario_timings_block){.line = 0};
}

void pario_timings_close(struct pario_timings *timings)
{
    if (timings == NULL)
        return;
    for (size_t i = 0; i < timings->nblocks; i++)
        pario_timings_block_fini(&timings->blocks[i]);
    for (size_t i = 0; i < timings->ncomplaints; i++)
        free(timings->complaints[i]);
    for (size_t i = 0; i < timings->ntexts; i++)
        free(timings->texts[i]);
    free(timings->texts);
    if (timings->fd >= 0)
        close(timings->fd);
    free(timings->blocks);
    free(timings->path);
    free(timings);
}

const char *pario_timings_value(const struct pario_timings_block *block,
                                const char *name)
{
    for (size_t i = 0; i < block->nheader; i++)
        if (strcmp(block->header[i].name, name) == 0)
            return block->header[i].value;
    return NULL;
}

/* A finite positive number at the start of a value, times factor, or 0. */
static double positive(const char *text, double factor)
{
    double value = text != NULL ? strtod(text, NULL) * factor : 0;

    return isfinite(value) && value > 0 ? value : 0;
}

/* The test suite's sizes are in 10^6 bytes; the other suites' are in bytes. */
static double size_of(const struct pario_timings_block *block,
                      const char *bytes_name, const char *name)
{
    const char *suite = pario_timings_value(block, "suite");
    double bytes = positive(pario_timings_value(block, bytes_name), 1);

    if (bytes > 0)
        return bytes;
    return positive(pario_timings_value(block, name),
                    suite == NULL || strcmp(suite, "iot") == 0 ? 1e6 : 1);
}

/* Are these times of I/O calls? Others are of computing, opening, closing. */
static int moves_blocks(const struct pario_timings_block *block)
{
    static const char *const words[] = {"w", "r", "u", "wI", "rI"};
    const char *word = block->nsections > 0 ? block->sections[0].keyword : "";

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i]) == 0)
            return 1;
    return 0;
}

double pario_timings_block_bytes(const struct pario_timings_block *block)
{
    double bytes = size_of(block, "block_bytes", "blocksize");

    if (!moves_blocks(block))
        return 0;
    return bytes > 0 ? bytes
                     : positive(pario_timings_value(block, "request_bytes"), 1);
}

double pario_timings_file_bytes(const struct pario_timings_block *block)
{
    return size_of(block, "file_bytes", "filesize");
}

/* One reading of a section. */
struct reading {
    int64_t ns[PIECE];
    size_t used;
    int64_t left;
    pario_timings_take *take;
    void *context;
};

static int flush(struct reading *reading)
{
    int code = 0;

    if (reading->used > 0)
        code = reading->take(reading->context, reading->ns, reading->used);
    reading->used = 0;
    return code;
}

static int changed(const struct pario_timings *timings, int64_t line)
{
    return pario_fail(PARIO_EFORMAT,
                      "%s:%lld: the file changed while it was read",
                      timings->path, (long long)line);
}

static int read_lines(const struct pario_timings *timings,
                      const struct pario_timings_block *block,
                      const struct pario_timings_section *section,
                      struct pario_lines *lines, struct reading *reading)
{
    int is_size = strcmp(section->keyword, "b") == 0;
    double unit_ns = is_size ? 1 : block->unit_ns;
    size_t key_len = strlen(section->keyword), len;
    const char *line;
    int code = 0;

    while (code == 0 && reading->left > 0) {
        int more = pario_lines_next(lines, &line, &len);

        if (more <= 0)
            return more < 0
                       ? pario_fail_errno(more, "cannot read %s", timings->path)
                       : changed(timings, lines->number);
        if (len > PARIO_LINE_MAX ||
            !pario_timings_is_word(line, len, section->keyword, key_len))
            continue;
        if (len <= key_len + 1 ||
            pario_timings_parse(line + key_len + 1, len - key_len - 1, unit_ns,
                                &reading->ns[reading->used]) != NULL)
            return changed(timings, lines->number);
        reading->left--;
        if (++reading->used == PIECE)
            code = flush(reading);
    }
    return code != 0 ? code : flush(reading);
}

int pario_timings_read(const struct pario_timings *timings,
                       const struct pario_timings_block *block,
                       const struct pario_timings_section *section,
                       pario_timings_take *take, void *context)
{
    struct reading *reading = malloc(sizeof(*reading));
    struct pario_lines lines;
    int code;

    if (reading == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", timings->path);
    reading->used = 0;
    reading->left = section->count;
    reading->take = take;
    reading->context = context;
    code =
        pario_lines_init(&lines, timings->fd, section->offset, section->line);
    if (code == 0) {
        code = read_lines(timings, block, section, &lines, reading);
        pario_lines_fini(&lines);
    }
    free(reading);
    return code;
}
