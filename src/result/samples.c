/* result/samples.c - raw samples as blocks of keyword/value lines
 * (docs/timings-format.md; the test suite's output file, Sect. 4.4.2).
 *
 * A sample's line has a fixed length, so every rank knows how many bytes it
 * will write before it formats any. Their prefix sum gives each its place in
 * the file, and all write at once.
 */
#include "result/samples.h"
#include "core/clock.h"
#include "core/output.h"
#include "core/storage.h"
#include "result/timings.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_LEN ((size_t)1 << 18)
#define TWO_THREADS 200000 /* samples */
#define FRONT 128          /* a line and more */
#define TENTH_NS 100000000u
#define SECTION_LEN 256 /* the lines of a rank before its samples */
#define WINDOW 1024     /* ranks that one reduction of the prefix sum covers */
#define FIRST_BYTES 65536 /* of a file that may hold timings */
#define OPEN_TRIES 50     /* x 100 ms, for a file that another node made */

int pario_samples_init(struct pario_samples *samples, size_t capacity)
{
    uint32_t *ns = NULL;

    if (capacity > 0) {
        ns = calloc(capacity, sizeof(*ns));
        if (ns == NULL)
            return pario_fail_errno(-ENOMEM, "no memory for %zu samples",
                                    capacity);
    }
    *samples = (struct pario_samples){.ns = ns, .capacity = capacity};
    return 0;
}

void pario_samples_fini(struct pario_samples *samples)
{
    free(samples->ns);
    *samples = (struct pario_samples){.ns = NULL};
}

void pario_samples_fold(const struct pario_samples *samples,
                        struct pario_hist *hist)
{
    for (size_t i = 0; i < samples->count; i++)
        if (samples->ns[i] < UINT32_MAX)
            pario_hist_add(hist, samples->ns[i]);
}

/* "0000" to "9999": four digits with one copy. */
static char digits[10000][4];
static pthread_once_t digits_made = PTHREAD_ONCE_INIT;

static void make_digits(void)
{
    for (int i = 0; i < 10000; i++) {
        digits[i][0] = (char)('0' + i / 1000);
        digits[i][1] = (char)('0' + i / 100 % 10);
        digits[i][2] = (char)('0' + i / 10 % 10);
        digits[i][3] = (char)('0' + i % 10);
    }
}

/* The last eight digits of a time: all there is below 0.1 s. */
static inline void put_digits(uint32_t below_tenth, char *out)
{
    memcpy(out, digits[below_tenth / 10000], 4);
    memcpy(out + 4, digits[below_tenth % 10000], 4);
}

void pario_timings_seconds(uint32_t ns, char out[PARIO_TIMINGS_SECONDS_LEN])
{
    uint32_t tenths = ns / TENTH_NS;

    pthread_once(&digits_made, make_digits);
    out[0] = (char)('0' + tenths / 10);
    out[1] = '.';
    out[2] = (char)('0' + tenths % 10);
    put_digits(ns % TENTH_NS, out + 3);
}

/* The data of one rank: ns of a loop, or a few values of any length. */
struct column {
    const char *keyword, *unit;
    const uint32_t *ns;
    const int64_t *values; /* used where ns is NULL; ns or whole numbers */
    size_t count;
    int64_t lost;
};

static size_t line_length(const char *keyword)
{
    return strlen(keyword) + 1 + PARIO_TIMINGS_SECONDS_LEN + 1;
}

/* One line of a value; the number of its bytes. */
static size_t format_value(const struct column *column, int64_t value,
                           char *line, size_t len)
{
    int n;

    if (strcmp(column->unit, "s") == 0)
        n = snprintf(line, len, "%s %lld.%09lld\n", column->keyword,
                     (long long)(value / 1000000000),
                     (long long)(value % 1000000000));
    else
        n = snprintf(line, len, "%s %lld\n", column->keyword, (long long)value);
    return (size_t)n;
}

static int64_t column_length(const struct column *column)
{
    char line[PARIO_TIMINGS_KEYWORD_MAX + 32];
    size_t len = 0;

    if (column->ns != NULL)
        return (int64_t)(column->count * line_length(column->keyword));
    for (size_t i = 0; i < column->count; i++)
        len += format_value(column, column->values[i], line, sizeof(line));
    return (int64_t)len;
}

static size_t format_section(const struct pario_group *group,
                             const struct column *column,
                             char section[SECTION_LEN])
{
    size_t saturated = 0;
    int n;

    for (size_t i = 0; column->ns != NULL && i < column->count; i++)
        saturated += column->ns[i] == UINT32_MAX;
    n = snprintf(section, SECTION_LEN, "rank %d\ncount %zu\n",
                 pario_group_rank(group), column->count);
    if (column->lost > 0)
        n += snprintf(section + n, SECTION_LEN - (size_t)n, "lost %lld\n",
                      (long long)column->lost);
    if (saturated > 0)
        n += snprintf(section + n, SECTION_LEN - (size_t)n, "saturated %zu\n",
                      saturated);
    return (size_t)n;
}

/* Collective. Bytes of all ranks before this one, and of all ranks. In windows
 * of ranks, so that no rank holds an array as long as the group. */
static int prefix_sum(const struct pario_group *group, int64_t mine,
                      int64_t *before_p, int64_t *total_p)
{
    int64_t window[WINDOW];
    int rank = pario_group_rank(group), size = pario_group_size(group);
    int code = 0;

    *before_p = *total_p = 0;
    for (int first = 0; code == 0 && first < size; first += WINDOW) {
        int count = size - first < WINDOW ? size - first : WINDOW;

        memset(window, 0, (size_t)count * sizeof(*window));
        if (rank >= first && rank < first + count)
            window[rank - first] = mine;
        code = pario_reduce_i64(group, PARIO_SUM, window, (size_t)count);
        for (int i = 0; code == 0 && i < count; i++) {
            *total_p += window[i];
            if (first + i < rank)
                *before_p += window[i];
        }
    }
    return code;
}

/* Moves the offset on. */
static int write_all(int fd, const char *pos, size_t len, int64_t *offset)
{
    int code = pario_pwrite_all(fd, pos, len, *offset);

    if (code == 0)
        *offset += (int64_t)len;
    return code;
}

/* Lines are equally long and, below 0.1 s, differ in eight digits only: the
 * rest is put in the buffer once. */
static void prepare_lines(const char *keyword, size_t count, char *buffer)
{
    size_t key_len = strlen(keyword), line = line_length(keyword);

    for (size_t i = 0; i < count; i++, buffer += line) {
        for (size_t c = 0; c < key_len; c++)
            buffer[c] = keyword[c];
        buffer[key_len] = ' ';
        buffer[key_len + 1] = '0';
        buffer[key_len + 2] = '.';
        buffer[key_len + 3] = '0';
        buffer[line - 1] = '\n';
    }
}

/* 1 if all are below 0.1 s and so the buffer can be used again as it is. */
static int format_samples(const uint32_t *ns, size_t count, size_t line,
                          char *seconds)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        most = ns[i] > most ? ns[i] : most;
    if (most >= TENTH_NS) {
        for (size_t i = 0; i < count; i++)
            pario_timings_seconds(ns[i], seconds + i * line);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        put_digits(ns[i], seconds + i * line + 3);
    return 1;
}

static int write_values(int fd, const struct column *column, int64_t offset,
                        char *buffer)
{
    size_t longest = PARIO_TIMINGS_KEYWORD_MAX + 32, used = 0;
    int code = 0;

    for (size_t i = 0; code == 0 && i < column->count; i++) {
        used += format_value(column, column->values[i], buffer + used, longest);
        if (used + longest > BUFFER_LEN) {
            code = write_all(fd, buffer, used, &offset);
            used = 0;
        }
    }
    return code != 0 ? code : write_all(fd, buffer, used, &offset);
}

/* Calls end at multiples of BUFFER_LEN in the file: aligned writes are a
 * third cheaper on ext4. The piece of a line that is left over goes before
 * the next lines, for which the buffer has room in front. */
static int write_samples(int fd, const struct column *column, int64_t offset,
                         char *buffer)
{
    size_t line = line_length(column->keyword), left = 0;
    char *lines = buffer + FRONT;
    char *seconds = lines + strlen(column->keyword) + 1;
    int code = 0, prepared = 0;

    pthread_once(&digits_made, make_digits);
    for (size_t i = 0; code == 0 && i < column->count;) {
        size_t room = BUFFER_LEN - (size_t)offset % BUFFER_LEN;
        size_t n = (room - left + line - 1) / line, len;

        if (n > column->count - i)
            n = column->count - i;
        if (!prepared)
            prepare_lines(column->keyword, BUFFER_LEN / line + 1, lines);
        prepared = format_samples(column->ns + i, n, line, seconds);
        i += n;
        len = left + n * line;
        if (len > room)
            len = room;
        code = write_all(fd, lines - left, len, &offset);
        len -= left; /* of the lines */
        left = n * line - len;
        memmove(lines - left, lines + len, left);
    }
    return code != 0 ? code : write_all(fd, lines - left, left, &offset);
}

/* A part of a column and its place. */
struct stretch {
    int fd;
    struct column column;
    int64_t offset;
    int code;
};

static void *write_stretch(void *arg)
{
    struct stretch *stretch = arg;
    char *buffer = malloc(FRONT + BUFFER_LEN + FRONT);

    stretch->code = -ENOMEM;
    if (buffer != NULL)
        stretch->code = stretch->column.ns != NULL
                            ? write_samples(stretch->fd, &stretch->column,
                                            stretch->offset, buffer)
                            : write_values(stretch->fd, &stretch->column,
                                           stretch->offset, buffer);
    free(buffer);
    return NULL;
}

/* Many samples are written by two threads, half each: while one formats, the
 * other is in the file system. */
static int write_column(int fd, const struct column *column, int64_t offset)
{
    struct stretch first = {.fd = fd, .column = *column, .offset = offset};
    struct stretch second = first;
    pthread_t thread;
    int helped = 0;

    if (column->ns != NULL && column->count >= TWO_THREADS) {
        size_t half = column->count / 2;

        second.column.ns += half;
        second.column.count -= half;
        second.offset += (int64_t)(half * line_length(column->keyword));
        helped = pthread_create(&thread, NULL, write_stretch, &second) == 0;
        first.column.count = helped ? half : column->count;
    }
    write_stretch(&first);
    if (helped)
        pthread_join(thread, NULL);
    return first.code != 0 || !helped ? first.code : second.code;
}

static int is_keyword(const char *word)
{
    static const char *const ours[] = {"block", "end", "rank", "count"};
    size_t len = strcspn(word, " \t\n");

    if (len == 0 || len > PARIO_TIMINGS_KEYWORD_MAX)
        return 0;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strlen(ours[i]) == len && strncmp(ours[i], word, len) == 0)
            return 0;
    return 1;
}

/* A header line that looked like the block's own would break the file. */
static int check_words(const char *header, const char *keyword)
{
    if (!is_keyword(keyword) || strpbrk(keyword, " \t\n") != NULL)
        return pario_fail(-EINVAL, "timings: bad keyword '%s'", keyword);
    while (*header != '\0') {
        if (*header != '#' && !is_keyword(header))
            return pario_fail(-EINVAL, "timings: bad header line '%.*s'",
                              (int)strcspn(header, "\n"), header);
        header += strcspn(header, "\n");
        header += *header == '\n';
    }
    return 0;
}

/* Is this file, which has contents, one of timings? It may begin with comments,
 * as many other files do: the first line that is none decides. */
static int looks_like_timings(int fd)
{
    static const char begin[] = "block " PARIO_TIMINGS_FORMAT "\n";
    char text[FIRST_BYTES + 1] = "";
    const char *line = text;

    if (pread(fd, text, FIRST_BYTES, 0) <= 0 || strncmp(text, "#!", 2) == 0)
        return 0;
    while (*line == '#' || *line == '\n') {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return strncmp(line, begin, strlen(begin)) == 0;
}

static int holds_other(const char *path)
{
    return pario_fail(-EEXIST,
                      "%s exists, holds no timings and is kept: name another "
                      "file with --samples",
                      path);
}

int pario_timings_check(const char *path)
{
    struct stat st;
    int fd = -1, code = 0;

    if (lstat(path, &st) != 0)
        return errno == ENOENT
                   ? 0
                   : pario_fail_errno(-errno, "cannot write %s", path);
    code = pario_output_append(path, &fd);
    if (code != 0)
        return code;
    if (fstat(fd, &st) == 0 && st.st_size > 0 && !looks_like_timings(fd))
        code = holds_other(path);
    close(fd);
    return code;
}

/* Rank 0. *base_p: where the block goes. No other run writes to the file until
 * the descriptor is closed. */
static int open_first(const char *path, int *fd_p, int64_t *base_p)
{
    struct stat st;
    char last = '\n';
    int fd = -1, code = pario_output_append(path, &fd);

    if (code != 0)
        return code;
    *fd_p = fd; /* closed by the caller also after an error */
    if (fstat(fd, &st) != 0)
        return pario_fail_errno(-errno, "cannot write the samples to %s", path);
    if (st.st_size > 0 && !looks_like_timings(fd))
        return holds_other(path);
    *base_p = st.st_size;
    /* After a block that was cut off. */
    if (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1 &&
        last != '\n' && write_all(fd, "\n", 1, base_p) != 0)
        return pario_fail_errno(-EIO, "cannot write the samples to %s", path);
    return 0;
}

/* What rank 0 tells the others of the file. */
enum fact { FACT_BASE, FACT_HEADER_LEN, FACT_DEVICE, FACT_INODE, FACTS };

static int note_file(int fd, int64_t facts[FACTS])
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -errno;
    facts[FACT_DEVICE] = (int64_t)st.st_dev;
    facts[FACT_INODE] = (int64_t)st.st_ino;
    return 0;
}

/* On the node of rank 0 it must be the very file that rank 0 has locked. */
static int open_other(const struct pario_group *group, const char *path,
                      const int64_t facts[FACTS], int *fd_p)
{
    struct timespec pause = {.tv_nsec = 100000000};
    int64_t mine[FACTS] = {0};
    int code = -ENOENT;

    for (int i = 0; i < OPEN_TRIES && code == -ENOENT; i++) {
        code = pario_output_join(path, fd_p);
        if (code == -ENOENT)
            nanosleep(&pause, NULL);
    }
    if (code == 0 && pario_group_node(group) == 0) {
        code = note_file(*fd_p, mine);
        if (code == 0 && (mine[FACT_DEVICE] != facts[FACT_DEVICE] ||
                          mine[FACT_INODE] != facts[FACT_INODE]))
            code = -ESTALE;
    }
    return code == 0
               ? 0
               : pario_fail_errno(code, "cannot write the samples to %s", path);
}

/* The lines before the first rank; malloc'ed. */
static int make_header(const struct pario_group *group, const char *header,
                       const struct column *column, char **text_p)
{
    char utc[PARIO_UTC_LEN];
    size_t len = strlen(header);
    int n;

    pario_clock_utc(utc, 0);
    n = asprintf(text_p, "block %s\ntimestamp %s\nnprocs %d\n%s%sdata %s %s\n",
                 PARIO_TIMINGS_FORMAT, utc, pario_group_size(group), header,
                 len > 0 && header[len - 1] != '\n' ? "\n" : "",
                 column->keyword, column->unit);
    return n < 0 ? pario_fail_errno(-ENOMEM, "samples") : 0;
}

/* What one rank knows of the block it helps to write. */
struct place {
    int fd;
    int64_t base, header_len; /* from rank 0 */
    int64_t before, total;    /* bytes of ranks before this one, of all */
    char *header;             /* rank 0 only */
};

static int begin_block(const struct pario_group *group, const char *path,
                       const char *header, const struct column *column,
                       struct place *place)
{
    int64_t facts[FACTS] = {0};
    int first = pario_group_rank(group) == 0, code = 0;

    if (first) {
        code = check_words(header, column->keyword);
        if (code == 0)
            code = open_first(path, &place->fd, &place->base);
        if (code == 0)
            code = make_header(group, header, column, &place->header);
        if (code == 0)
            place->header_len = (int64_t)strlen(place->header);
        if (code == 0 && note_file(place->fd, facts) != 0)
            code = pario_fail_errno(-errno, "cannot write the samples to %s",
                                    path);
        facts[FACT_BASE] = place->base;
        facts[FACT_HEADER_LEN] = place->header_len;
    }
    code = pario_agree(group, code);
    if (code == 0)
        code = pario_bcast(group, facts, sizeof(facts));
    if (code != 0)
        return code;
    place->base = facts[FACT_BASE];
    place->header_len = facts[FACT_HEADER_LEN];
    return pario_agree(group,
                       first ? 0 : open_other(group, path, facts, &place->fd));
}

static int write_part(const struct column *column, const char *section,
                      const struct place *place)
{
    int64_t offset = place->base + place->header_len + place->before;
    int code = write_all(place->fd, section, strlen(section), &offset);

    if (code == 0)
        code = write_column(place->fd, column, offset);
    if (code == 0 && place->header != NULL) {
        int64_t start = place->base;
        int64_t end = place->base + place->header_len + place->total;

        code =
            write_all(place->fd, place->header, strlen(place->header), &start);
        if (code == 0)
            code = write_all(place->fd, PARIO_TIMINGS_END,
                             strlen(PARIO_TIMINGS_END), &end);
    }
    return code;
}

static int append_block(const struct pario_group *group, const char *path,
                        const char *header, const struct column *column)
{
    struct place place = {.fd = -1};
    char section[SECTION_LEN];
    int64_t mine;
    int last, code = begin_block(group, path, header, column, &place);

    if (code != 0)
        goto out_close;
    mine =
        (int64_t)format_section(group, column, section) + column_length(column);
    code = prefix_sum(group, mine, &place.before, &place.total);
    if (code != 0)
        goto out_close;
    code = write_part(column, section, &place);
    /* Network file systems may report a full disk only when a descriptor is
     * closed; the last of rank 0 holds the lock until all have written. */
    last =
        place.header != NULL ? fcntl(place.fd, F_DUPFD_CLOEXEC, 0) : place.fd;
    if (close(last) != 0 && code == 0)
        code = -errno;
    if (place.header == NULL)
        place.fd = -1;
    if (code != 0)
        code = pario_fail_errno(code, "cannot write the samples to %s", path);
    code = pario_agree(group, code);
    /* All of a block or none of it. */
    if (code != 0 && place.header != NULL &&
        ftruncate(place.fd, place.base) != 0)
        goto out_close;

out_close:
    if (place.fd >= 0)
        close(place.fd);
    free(place.header);
    return code;
}

int pario_samples_append(const struct pario_group *group, const char *path,
                         const char *header, const char *keyword,
                         struct pario_samples *samples)
{
    static const uint32_t none;
    struct column column = {
        .keyword = keyword,
        .unit = "s",
        .ns = samples->ns != NULL ? samples->ns : &none,
        .count = samples->count,
        .lost = samples->lost,
    };
    int code = append_block(group, path, header, &column);

    if (code == 0) {
        samples->count = 0;
        samples->lost = 0;
    }
    return code;
}

int pario_timings_append(const struct pario_group *group, const char *path,
                         const char *header, const char *keyword,
                         const char *unit, const int64_t *values, size_t count)
{
    struct column column = {
        .keyword = keyword, .unit = unit, .values = values, .count = count};

    return append_block(group, path, header, &column);
}
