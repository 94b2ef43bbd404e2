/* trace/profile_files.c - sums over the files of a trace, and over moments of
 * its time. */
#include "trace/profile_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b)
{
    const struct pario_profile_line *const *x = a, *const *y = b;

    return strcmp((*x)->path, (*y)->path);
}

static int by_time(const void *a, const void *b)
{
    const struct pario_profile_file *x = a, *y = b;

    if (x->busy_ns != y->busy_ns)
        return x->busy_ns > y->busy_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void add_line(struct pario_profile_file *file,
                     const struct pario_profile_line *line)
{
    enum pario_trace_data way = pario_trace_op_table[line->op].data;

    file->path = line->path;
    file->busy_ns = pario_trace_sum(file->busy_ns, line->busy_ns);
    file->calls += line->calls;
    file->bytes[way] = pario_trace_sum(file->bytes[way], line->bytes);
    if (line->begin >= 0 && (file->begin < 0 || line->begin < file->begin))
        file->begin = line->begin;
    if (line->end > file->end)
        file->end = line->end;
    if (line->processes > file->processes)
        file->processes = line->processes;
}

int pario_profile_add_files(struct pario_profile *profile)
{
    const struct pario_profile_line **lines =
        calloc(profile->nlines + 1, sizeof(struct pario_profile_line *));
    size_t n = 0;

    profile->files = calloc(profile->nlines + 1, sizeof(*profile->files));
    if (lines == NULL || profile->files == NULL) {
        free(lines);
        return pario_fail_errno(-ENOMEM, "cannot read a trace");
    }
    for (size_t i = 0; i < profile->nlines; i++)
        if (profile->lines[i].path[0] != '\0')
            lines[n++] = &profile->lines[i];
    if (n > 0)
        qsort(lines, n, sizeof(struct pario_profile_line *), by_path);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(lines[i]->path, lines[i - 1]->path) != 0)
            profile->files[profile->nfiles++].begin = -1;
        add_line(&profile->files[profile->nfiles - 1], lines[i]);
    }
    if (profile->nfiles > 0)
        qsort(profile->files, profile->nfiles, sizeof(profile->files[0]),
              by_time);
    free(lines);
    return 0;
}

/* The number of moments before this time. */
static int32_t moments_before(const struct pario_profile *profile, int64_t ns)
{
    double span = (double)pario_trace_less(profile->end_ns, profile->begin_ns);
    double at = (double)pario_trace_less(ns, profile->begin_ns) / span *
                    PARIO_PROFILE_MOMENTS +
                0.5;

    if (!(at > 0))
        return 0;
    return at < PARIO_PROFILE_MOMENTS ? (int32_t)at : PARIO_PROFILE_MOMENTS;
}

void pario_under_way_add(struct pario_under_way *moments,
                         const struct pario_profile *profile, int64_t begin_ns,
                         int64_t end_ns)
{
    int32_t first = moments_before(profile, begin_ns);
    int32_t last = moments_before(profile, end_ns);

    if (first < last) {
        moments->change[first]++;
        moments->change[last]--;
    }
}

struct pario_concurrency
pario_under_way_sum(const struct pario_under_way *moments)
{
    struct pario_concurrency result = {0};
    int64_t sum = 0, busy = 0;
    int32_t now = 0;

    for (int i = 0; i < PARIO_PROFILE_MOMENTS; i++) {
        now += moments->change[i];
        sum += now;
        busy += now > 0;
        if (now > result.most)
            result.most = now;
    }
    result.any = (double)busy / PARIO_PROFILE_MOMENTS;
    result.mean = busy > 0 ? (double)sum / (double)busy : 0;
    return result;
}
