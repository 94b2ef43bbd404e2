/* trace/export.c - traces for other tools. */
#include "trace/export.h"
#include "core/text.h"
#include "trace/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Where the calls go, and which file's and process's were the last. */
struct export
{
    const struct pario_trace *trace;
    FILE *out;
    const char *path;
    size_t process;
};

typedef void event_fn(struct export *to, size_t process, size_t stream,
                      const struct pario_event *event,
                      const struct pario_place *place);

/* Times count from the first process's beginning. */
static double seconds(const struct pario_trace *trace, size_t process,
                      int64_t ns)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);
    const struct pario_trace_process *first = pario_trace_process_of(trace, 0);

    return (double)(ns - facts->clock_ns + facts->utc_ns - first->utc_ns) *
           1e-9;
}

static int for_each(const struct pario_trace *trace, event_fn *each, FILE *out)
{
    struct pario_places_budget budget = pario_places_budget_of(trace);
    struct export to = {.trace = trace, .out = out};
    int code = 0;

    for (size_t p = 0; p < pario_trace_processes(trace) && code == 0; p++) {
        struct pario_places *places = NULL;

        code = pario_places_create(trace, p, &budget, &places);
        for (size_t s = 0;
             code == 0 && s < pario_trace_process_of(trace, p)->nstreams; s++) {
            struct pario_cursor *cursor = NULL;
            struct pario_event event;
            struct pario_place place;

            code = pario_cursor_open(trace, p, s, &cursor);
            while (code == 0 &&
                   (code = pario_cursor_next(cursor, &event)) > 0) {
                code = pario_places_next(places, &event, &place);
                if (code == 0)
                    each(&to, p, s, &event, &place);
                if (code == 0 && ferror(out))
                    code = pario_fail_errno(-errno, "cannot write the trace");
            }
            pario_cursor_close(cursor);
        }
        pario_places_destroy(places);
    }
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = pario_fail_errno(-EIO, "cannot write the trace");
    return code;
}

/* As a file's part of a rank begins. */
static void put_dxt_head(struct export *to, size_t process, int rank,
                         const char *path)
{
    uint64_t id = 0xcbf29ce484222325u;

    if (to->path != NULL && to->process == process &&
        strcmp(to->path, path) == 0)
        return;
    to->path = path;
    to->process = process;
    for (const char *c = path; *c != '\0'; c++)
        id = (id ^ (unsigned char)*c) * 0x100000001b3u;
    fprintf(to->out, "\n# DXT, file_id: %" PRIu64 ", file_name: ", id);
    pario_text_put(to->out, path);
    fprintf(to->out, "\n# DXT, rank: %d, hostname: ", rank);
    pario_text_put(to->out, pario_trace_process_of(to->trace, process)->host);
    fputs("\n# Module    Rank  Wt/Rd  Segment          Offset       Length    "
          "Start(s)      End(s)\n",
          to->out);
}

static void put_dxt(struct export *to, size_t process, size_t stream,
                    const struct pario_event *event,
                    const struct pario_place *place)
{
    enum pario_trace_data way = pario_trace_op_table[event->op].data;
    const struct pario_trace_process *facts =
        pario_trace_process_of(to->trace, process);
    int mpi = strncmp(pario_trace_op_table[event->op].name, "File_", 5) == 0;
    int rank = facts->rank >= 0 ? facts->rank : (int)process;

    (void)stream;
    if (way == PARIO_DATA_NONE || place->offset < 0 || event->result < 0)
        return;
    put_dxt_head(to, process, rank, place->path);
    fprintf(to->out,
            " %s %7d %6s %8d %15" PRId64 " %15" PRId64 " %11.4f %11.4f\n",
            mpi ? "X_MPIIO" : "X_POSIX", rank,
            way == PARIO_DATA_WRITE ? "write" : "read", 0, place->offset,
            event->result > 0 ? event->result - 1 : place->bytes,
            seconds(to->trace, process, event->begin_ns),
            seconds(to->trace, process, event->end_ns));
}

int pario_trace_to_dxt(const struct pario_trace *trace, FILE *out)
{
    return for_each(trace, put_dxt, out);
}

/* A JSON string; a byte that is no UTF-8 is the replacement character. */
static void put_string(const char *text, FILE *out)
{
    int length;

    putc('"', out);
    for (; *text != '\0'; text += length) {
        if (pario_text_shown(text, &length) == 0)
            fprintf(out, "\\u%04x",
                    pario_utf8_length(text) > 0
                        ? (unsigned char)text[length - 1]
                        : 0xfffd);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, (size_t)length, out);
    }
    putc('"', out);
}

static void put_json(struct export *to, size_t process, size_t stream,
                     const struct pario_event *event,
                     const struct pario_place *place)
{
    const struct pario_trace *trace = to->trace;
    FILE *out = to->out;
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];

    fprintf(out,
            "{\"process\":%zu,\"rank\":%d,\"thread\":%zu,\"call\":\"%s\","
            "\"begin_s\":%.9f,\"end_s\":%.9f,\"exact\":%s,\"result\":%" PRId64,
            process, pario_trace_process_of(trace, process)->rank, stream,
            facts->name, seconds(trace, process, event->begin_ns),
            seconds(trace, process, event->end_ns),
            event->exact ? "true" : "false", event->result);
    for (int i = 0; i < PARIO_TRACE_ARGS && facts->args[i] != PARIO_ARG_NONE;
         i++) {
        fprintf(out, ",\"%s\":", pario_trace_arg_names[facts->args[i]]);
        if (pario_trace_arg_is_string(facts->args[i]))
            put_string(pario_trace_string(trace, process, event->args[i]), out);
        else
            fprintf(out, "%" PRId64, event->args[i]);
    }
    if (facts->data != PARIO_DATA_NONE)
        fprintf(out,
                ",\"first_byte\":%" PRId64 ",\"bytes\":%" PRId64
                ",\"pieces\":%" PRId64,
                place->offset, place->bytes, place->pieces);
    fputs("}\n", out);
}

int pario_trace_to_json(const struct pario_trace *trace, FILE *out)
{
    return for_each(trace, put_json, out);
}
