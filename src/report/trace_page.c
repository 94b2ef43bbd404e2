/* report/trace_page.c - a recorded program as one HTML file. */
#include "core/text.h"
#include "core/units.h"
#include "report/trace.h"

#include <string.h>

#define MAX_ROWS 64 /* of the time line: more processes share rows */
#define CELL 8
#define ROW 10

void pario_trace_html_text(const char *text, FILE *out)
{
    int length;

    for (; *text != '\0'; text += length) {
        int shown = pario_text_shown(text, &length);

        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\n':
            putc('\n', out);
            break;
        default:
            fwrite(shown > 0 ? text : " ", 1, shown > 0 ? (size_t)shown : 1,
                   out);
        }
    }
}

/* The largest share of the processes that share a row. */
static float cell(const struct pario_profile *profile, size_t first,
                  size_t last, int column)
{
    float most = 0;

    for (size_t p = first; p < last; p++)
        if (profile->processes[p].column[column] > most)
            most = profile->processes[p].column[column];
    return most < 1 ? most : 1;
}

static void put_time_line(const struct pario_profile *profile, FILE *out)
{
    size_t rows =
        profile->nprocesses < MAX_ROWS ? profile->nprocesses : MAX_ROWS;

    fprintf(out,
            "<h2>When was each process in I/O?</h2>\n<svg role=\"img\" "
            "viewBox=\"0 0 %d %zu\" class=\"wide\"><title>Share of time in "
            "I/O, by process and time</title>\n",
            60 + PARIO_PROFILE_COLUMNS * CELL, rows * ROW + 20);
    for (size_t r = 0; r < rows; r++) {
        size_t first = r * profile->nprocesses / rows;
        size_t last = (r + 1) * profile->nprocesses / rows;

        fprintf(out, "<text x=\"50\" y=\"%zu\" class=\"l\">%zu</text>\n",
                r * ROW + ROW - 2, first);
        for (int c = 0; c < PARIO_PROFILE_COLUMNS; c++) {
            float share = cell(profile, first, last, c);

            if (share > 0.002F)
                fprintf(out,
                        "<rect x=\"%d\" y=\"%zu\" width=\"%d\" height=\"%d\" "
                        "fill=\"#0072b2\" fill-opacity=\"%.2f\"/>\n",
                        60 + c * CELL, r * ROW, CELL, ROW - 1,
                        0.15 + 0.85 * (double)share);
        }
    }
    fprintf(out,
            "<text x=\"60\" y=\"%zu\">0 s</text><text x=\"%d\" y=\"%zu\" "
            "class=\"l\">%.3g s</text></svg>\n",
            rows * ROW + 15, 60 + PARIO_PROFILE_COLUMNS * CELL, rows * ROW + 15,
            (double)(profile->end_ns - profile->begin_ns) * 1e-9);
}

static void put_sizes(const struct pario_profile *profile, FILE *out)
{
    static const char *const colours[] = {"", "#009e73", "#d55e00"};
    static const char *const words[] = {"", "reads", "writes"};
    char size[PARIO_UNITS_LEN];
    int64_t most = 1;
    int first = PARIO_PROFILE_SIZES, last = 0;

    for (int i = 0; i < PARIO_PROFILE_SIZES; i++)
        for (int way = PARIO_DATA_READ; way <= PARIO_DATA_WRITE; way++)
            if (profile->sizes[way][i] > 0) {
                most = profile->sizes[way][i] > most ? profile->sizes[way][i]
                                                     : most;
                first = i < first ? i : first;
                last = i;
            }
    if (first > last)
        return;
    fprintf(out,
            "<h2>How large are the requests?</h2>\n<svg role=\"img\" "
            "viewBox=\"0 0 600 %d\"><title>Number of requests by "
            "size</title>\n",
            (last - first + 1) * 24 + 20);
    for (int i = first; i <= last; i++) {
        int y = (i - first) * 24;

        fprintf(out, "<text x=\"100\" y=\"%d\" class=\"l\">below %s</text>\n",
                y + 15, pario_size_print_short((int64_t)1 << i, size));
        for (int way = PARIO_DATA_READ; way <= PARIO_DATA_WRITE; way++)
            if (profile->sizes[way][i] > 0)
                fprintf(
                    out,
                    "<rect x=\"110\" y=\"%d\" width=\"%.1f\" height=\"9\" "
                    "fill=\"%s\"/><text x=\"%.1f\" y=\"%d\">%lld "
                    "%s</text>\n",
                    y + (way - 1) * 11,
                    1 + 360.0 * (double)profile->sizes[way][i] / (double)most,
                    colours[way],
                    116 + 360.0 * (double)profile->sizes[way][i] / (double)most,
                    y + (way - 1) * 11 + 9, (long long)profile->sizes[way][i],
                    words[way]);
    }
    fputs("</svg>\n", out);
}

static void put_table(const struct pario_profile *profile, FILE *out)
{
    char size[PARIO_UNITS_LEN], like[100];
    int shown = 0;

    fputs("<h2>What takes the time?</h2>\n<table><thead><tr><th>file<th>call"
          "<th>processes<th>calls<th>data<th>time<th>longest<th>pattern"
          "</thead><tbody>\n",
          out);
    for (size_t i = 0; i < profile->nlines && shown < 200; i++) {
        const struct pario_profile_line *line = &profile->lines[i];

        if (line->op == PARIO_OP_collective || pario_trace_is_message(line->op))
            continue;
        shown++;
        fputs("<tr><td>", out);
        pario_trace_html_text(line->path, out);
        fprintf(out, "<td>%s<td>%d<td>%lld<td>%s<td>%.3g s<td>%.3g ms<td>%s\n",
                pario_trace_op_table[line->op].name, line->processes,
                (long long)line->calls,
                pario_size_print_short(line->bytes, size),
                (double)line->busy_ns * 1e-9, (double)line->longest_ns * 1e-6,
                pario_trace_describe(line, like, sizeof(like)));
    }
    fputs("</tbody></table>\n", out);
}

static void put_files(const struct pario_profile *profile, FILE *out)
{
    int64_t busy =
        profile->busy_ns[0] + profile->busy_ns[1] + profile->busy_ns[2];
    char size[2][PARIO_UNITS_LEN];

    fputs("<h2>Which files take the time?</h2>\n<table><thead><tr><th>file"
          "<th>share of the time in I/O<th>time<th>calls<th>written<th>read"
          "<th>processes</thead><tbody>\n",
          out);
    for (size_t i = 0; i < profile->nfiles && i < 200; i++) {
        const struct pario_profile_file *file = &profile->files[i];

        fputs("<tr><td>", out);
        pario_trace_html_text(file->path, out);
        fprintf(out, "<td>%.1f %%<td>%.3g s<td>%lld<td>%s<td>%s<td>%d\n",
                busy > 0 ? 100.0 * (double)file->busy_ns / (double)busy : 0.0,
                (double)file->busy_ns * 1e-9, (long long)file->calls,
                pario_size_print_short(file->bytes[PARIO_DATA_WRITE], size[0]),
                pario_size_print_short(file->bytes[PARIO_DATA_READ], size[1]),
                file->processes);
    }
    fputs("</tbody></table>\n", out);
}

static const char style[] =
    "<style>body{font:16px/1.45 system-ui,sans-serif;margin:2em auto;"
    "max-width:70em;padding:0 1em;color:#222}h1{font-size:1.5em}"
    "svg{max-width:100%;height:auto;font:11px system-ui,sans-serif}"
    ".wide{width:100%}.l{text-anchor:end}table{border-collapse:collapse;"
    "display:block;overflow-x:auto}td,th{padding:.2em .7em;text-align:left;"
    "border-bottom:1px solid #ddd;white-space:nowrap}li{margin:.3em 0}"
    "</style>\n";

void pario_trace_page(const struct pario_trace *trace,
                      const struct pario_profile *profile,
                      const struct pario_heat *heat, FILE *out)
{
    char text[400];
    char size[2][PARIO_UNITS_LEN];

    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    pario_trace_html_text("What a program does with files", out);
    fprintf(out, "</title>\n%s</head><body>\n<h1>", style);
    fprintf(out, "%zu process%s, %.3g s: %s written, %s read",
            profile->nprocesses, profile->nprocesses == 1 ? "" : "es",
            (double)(profile->end_ns - profile->begin_ns) * 1e-9,
            pario_size_print_short(profile->bytes[PARIO_DATA_WRITE], size[0]),
            pario_size_print_short(profile->bytes[PARIO_DATA_READ], size[1]));
    fputs("</h1>\n<ul>\n", out);
    for (int i = 0; pario_trace_remark(profile, heat, i, text, sizeof(text));
         i++) {
        fputs("<li>", out);
        pario_trace_html_text(text, out);
        putc('\n', out);
    }
    fputs("</ul>\n", out);
    put_time_line(profile, out);
    pario_trace_heat_page(profile, heat, out);
    put_sizes(profile, out);
    put_files(profile, out);
    put_table(profile, out);
    fputs("<h2>What is not known?</h2><pre>", out);
    pario_trace_html_text(pario_trace_notes(trace)[0] != '\0'
                              ? pario_trace_notes(trace)
                              : "nothing is missing",
                          out);
    fprintf(out, "\n%lld calls share the time of a slice</pre></body></html>\n",
            (long long)profile->inexact);
}
