/* report/trace_json.c - a recorded program as JSON. */
#include "report/trace.h"
#include "result/value.h"

#include <errno.h>
#include <jansson.h>

static json_t *line_json(const struct pario_profile_line *line)
{
    return json_pack(
        "{s:o, s:s, s:i, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I}",
        "file", pario_json_text(line->path), "call",
        pario_trace_op_table[line->op].name, "processes", line->processes,
        "calls", (json_int_t)line->calls, "bytes", (json_int_t)line->bytes,
        "seconds", (double)line->busy_ns * 1e-9, "longest_s",
        (double)line->longest_ns * 1e-9, "pieces", (json_int_t)line->pieces,
        "contiguous", (json_int_t)line->follows[PARIO_FOLLOW_END], "strided",
        (json_int_t)line->follows[PARIO_FOLLOW_STRIDE], "scattered",
        (json_int_t)line->follows[PARIO_FOLLOW_ELSEWHERE], "errors",
        (json_int_t)line->errors, "short", (json_int_t)line->short_ones);
}

static json_t *process_json(const struct pario_trace_process *facts,
                            const struct pario_profile_process *sums)
{
    return json_pack(
        "{s:i, s:o, s:o, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "rank",
        facts->rank, "host", pario_json_text(facts->host), "program",
        pario_json_text(facts->program), "pid", (json_int_t)facts->pid,
        "seconds", (double)(sums->end_ns - sums->begin_ns) * 1e-9, "reading_s",
        (double)sums->data_ns[PARIO_DATA_READ] * 1e-9, "writing_s",
        (double)sums->data_ns[PARIO_DATA_WRITE] * 1e-9, "other_s",
        (double)sums->data_ns[PARIO_DATA_NONE] * 1e-9, "collective_s",
        (double)sums->collective_ns * 1e-9, "waiting_s",
        (double)sums->waiting_ns * 1e-9, "read_bytes",
        (json_int_t)sums->bytes[PARIO_DATA_READ], "written_bytes",
        (json_int_t)sums->bytes[PARIO_DATA_WRITE]);
}

/* reread_share: of what was read, where it is one of the files looked at. */
static json_t *file_json(const struct pario_profile_file *file,
                         const struct pario_heat *heat)
{
    json_t *all = json_pack(
        "{s:o, s:f, s:I, s:I, s:I, s:I, s:I, s:i}", "file",
        pario_json_text(file->path), "seconds", (double)file->busy_ns * 1e-9,
        "calls", (json_int_t)file->calls, "read_bytes",
        (json_int_t)file->bytes[PARIO_DATA_READ], "written_bytes",
        (json_int_t)file->bytes[PARIO_DATA_WRITE], "first_byte",
        (json_int_t)file->begin, "end_byte", (json_int_t)file->end, "processes",
        file->processes);

    for (size_t i = 0; i < heat->nfiles; i++)
        if (heat->files[i].path == file->path && heat->files[i].read_bytes > 0)
            json_object_set_new(all, "reread_share",
                                json_real(heat->files[i].reread_bytes /
                                          heat->files[i].read_bytes));
    return all;
}

int pario_trace_json_report(const struct pario_trace *trace,
                            const struct pario_profile *profile,
                            const struct pario_heat *heat, FILE *out)
{
    json_t *processes = json_array(), *lines = json_array();
    json_t *sizes = json_array(), *remarks = json_array(), *all;
    json_t *files = json_array();
    char text[400];
    int rc;

    for (size_t p = 0; p < profile->nprocesses; p++)
        json_array_append_new(processes,
                              process_json(pario_trace_process_of(trace, p),
                                           &profile->processes[p]));
    for (size_t i = 0; i < profile->nlines; i++)
        json_array_append_new(lines, line_json(&profile->lines[i]));
    for (size_t i = 0; i < profile->nfiles; i++)
        json_array_append_new(files, file_json(&profile->files[i], heat));
    for (int i = 0; i < PARIO_PROFILE_SIZES; i++)
        if (profile->sizes[PARIO_DATA_READ][i] +
                profile->sizes[PARIO_DATA_WRITE][i] >
            0)
            json_array_append_new(
                sizes,
                json_pack(
                    "{s:I, s:I, s:I}", "below_bytes", (json_int_t)1 << i,
                    "reads", (json_int_t)profile->sizes[PARIO_DATA_READ][i],
                    "writes", (json_int_t)profile->sizes[PARIO_DATA_WRITE][i]));
    for (int i = 0; pario_trace_remark(profile, heat, i, text, sizeof(text));
         i++)
        json_array_append_new(remarks, pario_json_text(text));
    all = json_pack(
        "{s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:i}}", "schema",
        "pario-profile/1", "seconds",
        (double)(profile->end_ns - profile->begin_ns) * 1e-9, "notes",
        pario_json_text(pario_trace_notes(trace)), "remarks", remarks,
        "processes", processes, "lines", lines, "sizes", sizes, "files", files,
        "concurrency", "any_share", profile->concurrency.any, "mean",
        profile->concurrency.mean, "most", profile->concurrency.most);
    rc = all != NULL ? json_dumpf(all, out, JSON_INDENT(1) | JSON_ENSURE_ASCII)
                     : -1;
    json_decref(all);
    if (rc != 0)
        return pario_fail_errno(-ENOMEM, "cannot write JSON");
    putc('\n', out);
    return 0;
}
