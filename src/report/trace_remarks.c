/* report/trace_remarks.c - patterns by name, and what is noteworthy. */
#include "core/path.h"
#include "core/units.h"
#include "report/trace.h"

#include <string.h>

#define SMALL 65536 /* bytes: below, calls cost more than their data */

static int64_t most_common(const struct pario_profile_line *line)
{
    int64_t how = PARIO_FOLLOW_END;

    for (int i = PARIO_FOLLOW_END; i < PARIO_FOLLOWS; i++)
        if (line->follows[i] > line->follows[how])
            how = i;
    return how;
}

static int is_data(const struct pario_profile_line *line)
{
    return pario_trace_op_table[line->op].data != PARIO_DATA_NONE;
}

char *pario_trace_describe(const struct pario_profile_line *line, char *text,
                           size_t len)
{
    static const char *const words[PARIO_FOLLOWS] = {
        [PARIO_FOLLOW_FIRST] = "once",
        [PARIO_FOLLOW_END] = "contiguous",
        [PARIO_FOLLOW_STRIDE] = "strided",
        [PARIO_FOLLOW_ELSEWHERE] = "scattered",
        [PARIO_FOLLOW_UNKNOWN] = "shared pointer",
    };
    char size[PARIO_UNITS_LEN];
    int64_t how = most_common(line);
    int n;

    text[0] = '\0';
    if (!is_data(line) || line->calls == 0)
        return text;
    if (line->follows[how] == 0)
        how = PARIO_FOLLOW_FIRST;
    n = snprintf(text, len, "%s %s", words[how],
                 pario_size_print_short(line->bytes / line->calls, size));
    if (line->pieces > line->calls && n > 0 && (size_t)n < len)
        snprintf(text + n, len - (size_t)n, " in pieces of %s",
                 pario_size_print_short(line->bytes / line->pieces, size));
    return text;
}

static const struct pario_profile_line *
worst(const struct pario_profile *profile,
      int (*is)(const struct pario_profile_line *line))
{
    int64_t busy =
        profile->busy_ns[0] + profile->busy_ns[1] + profile->busy_ns[2];

    for (size_t i = 0; i < profile->nlines; i++) {
        const struct pario_profile_line *line = &profile->lines[i];

        /* What takes no time is not worth a word, unless it failed. */
        if (is(line) && (line->errors > 0 || line->busy_ns > busy / 50))
            return line;
    }
    return NULL;
}

static int is_small_shared(const struct pario_profile_line *line)
{
    return is_data(line) && line->processes > 1 && line->calls > 100 &&
           !pario_trace_is_collective(line->op) && line->pieces > 0 &&
           line->bytes / line->pieces < SMALL;
}

static int is_small(const struct pario_profile_line *line)
{
    return is_data(line) && line->processes == 1 && line->calls > 1000 &&
           line->bytes / line->calls < 4096;
}

static int is_shared_pointer(const struct pario_profile_line *line)
{
    const char *name = pario_trace_op_table[line->op].name;

    return line->calls > 10 && strstr(name, "_shared") != NULL && is_data(line);
}

static int is_failing(const struct pario_profile_line *line)
{
    return line->errors > 0;
}

static int is_sync(const struct pario_profile_line *line)
{
    return line->calls > 100 &&
           (line->op == PARIO_OP_fsync || line->op == PARIO_OP_fdatasync ||
            line->op == PARIO_OP_File_sync);
}

/* What the sentences are made of. */
struct words {
    const char *file, *call, *size; /* size: of a piece, on average */
    long long calls;
    int processes;
    double seconds;
};

typedef void say_fn(const struct words *w, char *text, size_t len);

static void say_small_shared(const struct words *w, char *text, size_t len)
{
    snprintf(text, len,
             "%s: %d processes write or read small pieces of one file (%s on "
             "average, %lld calls of %s, %.3g s): collective calls or shipio "
             "put them together",
             w->file, w->processes, w->size, w->calls, w->call, w->seconds);
}

static void say_small(const struct words *w, char *text, size_t len)
{
    snprintf(text, len,
             "%s: %lld calls of %s with %s each take %.3g s: a larger buffer "
             "in the program would save most of it",
             w->file, w->calls, w->call, w->size, w->seconds);
}

static void say_shared_pointer(const struct words *w, char *text, size_t len)
{
    snprintf(text, len,
             "%s: the shared pointer is used for %lld calls (%s, %.3g s): each "
             "waits for the one before",
             w->file, w->calls, w->call, w->seconds);
}

static void say_sync(const struct words *w, char *text, size_t len)
{
    snprintf(text, len, "%s: %lld calls of %s take %.3g s", w->file, w->calls,
             w->call, w->seconds);
}

static void say_failing(const struct words *w, char *text, size_t len)
{
    snprintf(text, len, "%s: calls of %s failed (of %lld)", w->file, w->call,
             w->calls);
}

static const struct {
    int (*is)(const struct pario_profile_line *line);
    say_fn *say;
} remarks[] = {
    {is_small_shared, say_small_shared},
    {is_small, say_small},
    {is_shared_pointer, say_shared_pointer},
    {is_sync, say_sync},
    {is_failing, say_failing},
};

/* Processes that do much more than the others. */
static int imbalance(const struct pario_profile *profile, char *text,
                     size_t len)
{
    int64_t sum = 0, most = 0;
    size_t who = 0, n = profile->nprocesses;

    for (size_t p = 0; p < n; p++) {
        int64_t busy = 0;

        for (int i = 0; i < 3; i++)
            busy += profile->processes[p].data_ns[i];
        sum += busy;
        if (busy > most) {
            most = busy;
            who = p;
        }
    }
    if (n < 2 || (double)most * (double)n < 1.5 * (double)sum ||
        most < 10000000)
        return 0;
    snprintf(text, len,
             "process %zu is in I/O for %.3g s, the average for %.3g s", who,
             (double)most * 1e-9, (double)sum * 1e-9 / (double)n);
    return 1;
}

/* Is the I/O of several processes done by one at a time? */
static int one_at_a_time(const struct pario_profile *profile, char *text,
                         size_t len)
{
    const struct pario_concurrency *at_once = &profile->concurrency;
    int64_t busy =
        profile->busy_ns[0] + profile->busy_ns[1] + profile->busy_ns[2];

    if (profile->nprocesses < 2 || at_once->any <= 0 || at_once->mean >= 1.1 ||
        busy < 10000000)
        return 0;
    snprintf(text, len,
             "%zu processes take turns: %.3g calls are under way at a time on "
             "average while any is",
             profile->nprocesses, at_once->mean);
    return 1;
}

/* The file of which most is read that the program wrote itself. */
static int rereads(const struct pario_heat *heat, char *text, size_t len)
{
    const struct pario_heat_file *most = NULL;
    char size[PARIO_UNITS_LEN];

    for (size_t i = 0; i < heat->nfiles; i++)
        if (heat->files[i].reread_bytes > 0.05 * heat->files[i].read_bytes &&
            (most == NULL || heat->files[i].reread_bytes > most->reread_bytes))
            most = &heat->files[i];
    if (most == NULL)
        return 0;
    snprintf(text, len,
             "%s: %.3g %% of what is read there (%s) was written by this "
             "program before: memory could have kept it",
             pario_base_name(most->path),
             100 * most->reread_bytes / most->read_bytes,
             pario_size_print_short((int64_t)most->read_bytes, size));
    return 1;
}

static int remark_of_line(const struct pario_profile *profile, int *i,
                          char *text, size_t len)
{
    char size[PARIO_UNITS_LEN];

    for (size_t k = 0; k < sizeof(remarks) / sizeof(remarks[0]); k++) {
        const struct pario_profile_line *line = worst(profile, remarks[k].is);

        if (line == NULL || (*i)-- > 0)
            continue;
        remarks[k].say(
            &(struct words){
                .file = pario_base_name(line->path),
                .call = pario_trace_op_table[line->op].name,
                .size = pario_size_print_short(
                    line->pieces > 0 ? line->bytes / line->pieces : 0, size),
                .calls = line->calls,
                .processes = line->processes,
                .seconds = (double)line->busy_ns * 1e-9},
            text, len);
        return 1;
    }
    return 0;
}

int pario_trace_remark(const struct pario_profile *profile,
                       const struct pario_heat *heat, int i, char *text,
                       size_t len)
{
    if (remark_of_line(profile, &i, text, len))
        return 1;
    if (imbalance(profile, text, len) && i-- == 0)
        return 1;
    if (one_at_a_time(profile, text, len) && i-- == 0)
        return 1;
    return rereads(heat, text, len) && i == 0;
}
