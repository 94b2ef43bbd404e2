/* report/trace_text.c - a recorded program on a terminal, and as a table. */
#include "core/path.h"
#include "core/text.h"
#include "core/units.h"
#include "report/table.h"
#include "report/trace.h"

#include <string.h>

#define MAX_LINES 8
#define MAX_FILES 4

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void print_head(const struct pario_trace *trace,
                       const struct pario_profile *profile, FILE *out)
{
    const struct pario_trace_process *first = pario_trace_process_of(trace, 0);
    int64_t span = 0, busy = 0, waiting = 0, most = 0;
    char time[PARIO_UNITS_LEN];
    size_t who = 0;

    for (size_t p = 0; p < profile->nprocesses; p++) {
        const struct pario_profile_process *sums = &profile->processes[p];
        int64_t mine = sums->data_ns[0] + sums->data_ns[1] + sums->data_ns[2];

        span += sums->end_ns - sums->begin_ns;
        busy += mine;
        waiting += sums->collective_ns + sums->waiting_ns;
        if (mine > most) {
            most = mine;
            who = p;
        }
    }
    pario_text_put(out, pario_base_name(first->program));
    fprintf(out, ": %zu process%s, %s, %.3g %% of it in I/O",
            profile->nprocesses, profile->nprocesses == 1 ? "" : "es",
            pario_time_print(
                (double)(profile->end_ns - profile->begin_ns) * 1e-9, time),
            share(busy, span));
    if (profile->nprocesses > 1)
        fprintf(out, " (process %zu: %.3g %%), %.3g %% waiting in MPI", who,
                share(most, profile->processes[who].end_ns -
                                profile->processes[who].begin_ns),
                share(waiting, span));
    fputs("\n", out);
    if (profile->nprocesses > 1 && profile->concurrency.any > 0)
        fprintf(out,
                "  %.3g calls of I/O at a time while any is under way, "
                "at most %d\n",
                profile->concurrency.mean, profile->concurrency.most);
    fputs("\n", out);
}

static void print_way(const struct pario_profile *profile, int way,
                      const char *word, FILE *out)
{
    char size[2][PARIO_UNITS_LEN], time[PARIO_UNITS_LEN];
    char rate[PARIO_UNITS_LEN];
    double seconds = (double)profile->busy_ns[way] * 1e-9;
    int more; /* bytes than columns */

    if (profile->calls[way] == 0)
        return;
    pario_time_print(seconds, time);
    more = (int)(strlen(time) - pario_text_columns(time));
    if (way == PARIO_DATA_NONE) {
        fprintf(out, "  %-8s %10lld calls  %*s\n", word,
                (long long)profile->calls[way], 24 + more, time);
        return;
    }
    fprintf(out, "  %-8s %10lld calls  %10s  %*s  %s each, %s\n", word,
            (long long)profile->calls[way],
            pario_size_print_short(profile->bytes[way], size[0]), 12 + more,
            time,
            pario_size_print_short(profile->bytes[way] / profile->calls[way],
                                   size[1]),
            pario_rate_print(pario_mbps(profile->bytes[way],
                                        seconds / (double)profile->nprocesses),
                             rate));
}

/* Where there are several. */
static void print_files(const struct pario_profile *profile, FILE *out)
{
    int64_t busy =
        profile->busy_ns[0] + profile->busy_ns[1] + profile->busy_ns[2];
    char size[2][PARIO_UNITS_LEN];

    if (profile->nfiles < 2)
        return;
    fputs("\n  by file\n", out);
    for (size_t i = 0; i < profile->nfiles && i < MAX_FILES; i++) {
        const struct pario_profile_file *file = &profile->files[i];
        char name[21];

        snprintf(name, sizeof(name), "%s", pario_base_name(file->path));
        pario_text_tame(name);
        fprintf(out, "  %5.1f %%  %-20s %10s written %10s read, %d process%s\n",
                share(file->busy_ns, busy), name,
                pario_size_print_short(file->bytes[PARIO_DATA_WRITE], size[0]),
                pario_size_print_short(file->bytes[PARIO_DATA_READ], size[1]),
                file->processes, file->processes == 1 ? "" : "es");
    }
    if (profile->nfiles > MAX_FILES)
        fprintf(out, "  %zu files in all\n", profile->nfiles);
}

static void print_lines(const struct pario_profile *profile, FILE *out)
{
    int64_t busy =
        profile->busy_ns[0] + profile->busy_ns[1] + profile->busy_ns[2];
    int shown = 0;

    fputs("\n  share of the time in I/O\n", out);
    for (size_t i = 0; i < profile->nlines && shown < MAX_LINES; i++) {
        const struct pario_profile_line *line = &profile->lines[i];
        char like[100], file[21];

        if (line->op == PARIO_OP_collective || pario_trace_is_message(line->op))
            continue;
        snprintf(file, sizeof(file), "%s", pario_base_name(line->path));
        pario_text_tame(file);
        fprintf(out, "  %5.1f %%  %-20s %-19s %9lld  %s\n",
                share(line->busy_ns, busy), file,
                pario_trace_op_table[line->op].name, (long long)line->calls,
                pario_trace_describe(line, like, sizeof(like)));
        shown++;
    }
    if ((size_t)shown < profile->nlines)
        fprintf(out, "  %zu lines in all: --format csv\n", profile->nlines);
}

void pario_trace_text_report(const struct pario_trace *trace,
                             const struct pario_profile *profile,
                             const struct pario_heat *heat, FILE *out)
{
    char text[400];

    if (profile->nprocesses == 0) {
        fputs("no calls are recorded\n", out);
        fputs(pario_trace_notes(trace), out);
        return;
    }
    print_head(trace, profile, out);
    print_way(profile, PARIO_DATA_WRITE, "written", out);
    print_way(profile, PARIO_DATA_READ, "read", out);
    print_way(profile, PARIO_DATA_NONE, "other", out);
    print_lines(profile, out);
    print_files(profile, out);
    for (int i = 0; pario_trace_remark(profile, heat, i, text, sizeof(text));
         i++) {
        fputs(i == 0 ? "\n  " : "  ", out);
        pario_text_put(out, text);
        putc('\n', out);
    }
    if (pario_trace_notes(trace)[0] != '\0')
        fprintf(out, "\n! %s", pario_trace_notes(trace));
}

void pario_trace_csv_report(const struct pario_profile *profile, FILE *out)
{
    fputs("file,call,processes,calls,bytes,seconds,longest_s,smallest_bytes,"
          "largest_bytes,pieces,contiguous,strided,scattered,errors,short,"
          "first_byte,end_byte\n",
          out);
    for (size_t i = 0; i < profile->nlines; i++) {
        const struct pario_profile_line *line = &profile->lines[i];

        pario_cell_put(out, line->path, PARIO_FORMAT_CSV);
        fprintf(out,
                ",%s,%d,%lld,%lld,%.9f,%.9f,%lld,%lld,%lld,%lld,%lld,%lld,%lld,"
                "%lld,%lld,%lld\n",
                pario_trace_op_table[line->op].name, line->processes,
                (long long)line->calls, (long long)line->bytes,
                (double)line->busy_ns * 1e-9, (double)line->longest_ns * 1e-9,
                line->smallest == INT64_MAX ? 0LL : (long long)line->smallest,
                (long long)line->largest, (long long)line->pieces,
                (long long)line->follows[PARIO_FOLLOW_END],
                (long long)line->follows[PARIO_FOLLOW_STRIDE],
                (long long)line->follows[PARIO_FOLLOW_ELSEWHERE],
                (long long)line->errors, (long long)line->short_ones,
                (long long)line->begin, (long long)line->end);
    }
}
