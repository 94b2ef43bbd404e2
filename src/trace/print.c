/* trace/print.c - the requests of a trace as text that can be compared. */
#include "core/text.h"
#include "trace/reader_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_path(enum pario_trace_arg arg)
{
    return arg == PARIO_ARG_PATH || arg == PARIO_ARG_TO;
}

static void shorten(char *common, const char *path)
{
    size_t n = 0;

    while (common[n] != '\0' && common[n] == path[n])
        n++;
    common[n] = '\0';
}

/* Calls fn for every path of the trace, in any order. */
static int for_each_path(const struct pario_trace *trace, size_t process,
                         size_t stream, char **common_p)
{
    struct pario_cursor *cursor;
    struct pario_event event;
    int64_t seen = -1;
    int more, code = pario_cursor_open(trace, process, stream, &cursor);

    if (code != 0)
        return code;
    while ((more = pario_cursor_next(cursor, &event)) > 0) {
        for (int i = 0; i < PARIO_TRACE_ARGS; i++) {
            const char *path;

            if (!is_path(pario_trace_op_table[event.op].args[i]) ||
                event.args[i] == seen)
                continue;
            seen = event.args[i];
            path = pario_trace_string(trace, process, seen);
            if (path[0] == '\0')
                continue;
            if (*common_p == NULL && (*common_p = strdup(path)) == NULL) {
                more = pario_fail_errno(-ENOMEM, "cannot read a trace");
                goto done;
            }
            shorten(*common_p, path);
        }
    }
done:
    pario_cursor_close(cursor);
    return more;
}

int pario_trace_folder(const struct pario_trace *trace, char **folder_p)
{
    char *common = NULL;
    int code = 0;

    for (size_t p = 0; p < trace->nmembers && code == 0; p++)
        for (size_t s = 0; s < trace->members[p].facts.nstreams && code == 0;
             s++)
            code = for_each_path(trace, p, s, &common);
    if (code == 0 && common == NULL && (common = strdup("")) == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read a trace");
    if (code != 0) {
        free(common);
        return code;
    }
    /* Up to the last slash: a part of a name is no folder. */
    char *slash = strrchr(common, '/');

    if (slash != NULL)
        slash[1] = '\0';
    else
        common[0] = '\0';
    *folder_p = common;
    return 0;
}

static void print_flags(int64_t flags, FILE *out)
{
    const char *comma = "";

    if (flags == 0)
        putc('0', out);
    for (int i = 0; pario_trace_flag_names[i] != NULL; i++)
        if ((flags >> i & 1) != 0) {
            fprintf(out, "%s%s", comma, pario_trace_flag_names[i]);
            comma = ",";
        }
}

static void print_text(const char *text, FILE *out)
{
    int length;

    putc('"', out);
    for (; *text != '\0'; text += length) {
        int shown = pario_text_shown(text, &length);

        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text == '\n')
            fputs("\\n", out);
        else if (shown > 0)
            fwrite(text, 1, (size_t)shown, out);
        else
            for (int i = 0; i < length; i++)
                fprintf(out, "\\x%02x", (unsigned char)text[i]);
    }
    putc('"', out);
}

void pario_event_print_arg(const struct pario_trace *trace, size_t process,
                           const struct pario_event *event, int i,
                           const char *folder, FILE *out)
{
    enum pario_trace_arg arg = pario_trace_op_table[event->op].args[i];
    const char *text = pario_trace_string(trace, process, event->args[i]);
    size_t skip = strlen(folder);

    if (is_path(arg))
        print_text(strncmp(text, folder, skip) == 0 ? text + skip : text, out);
    else if (pario_trace_arg_is_string(arg))
        print_text(text, out);
    else if (arg == PARIO_ARG_FLAGS)
        print_flags(event->args[i], out);
    else if (arg == PARIO_ARG_FILE)
        fprintf(out, "%d",
                event->args[i] < 0 ? -1 : PARIO_FILE_SLOT(event->args[i]));
    else if (arg == PARIO_ARG_MODE)
        fprintf(out, "%llo", (unsigned long long)event->args[i]);
    else
        fprintf(out, "%lld", (long long)event->args[i]);
}

void pario_event_print_result(int64_t result, FILE *out)
{
    if (result > 0)
        fprintf(out, "%lld bytes", (long long)(result - 1));
    else if (result > PARIO_RESULT_MPI)
        fprintf(out, "%s",
                strerrorname_np((int)-result) != NULL
                    ? strerrorname_np((int)-result)
                    : "error");
    else {
        int64_t error = PARIO_RESULT_MPI - result, n = 0;

        while (n < error && pario_trace_mpi_errors[n] != NULL)
            n++;
        fprintf(out, "MPI_ERR_%s",
                pario_trace_mpi_errors[n] != NULL ? pario_trace_mpi_errors[n]
                                                  : "other");
    }
}

static void print_event(const struct pario_trace *trace, size_t process,
                        const struct pario_event *event, const char *folder,
                        FILE *out)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];

    fputs(facts->name, out);
    for (int i = 0; i < PARIO_TRACE_ARGS && facts->args[i] != PARIO_ARG_NONE;
         i++) {
        /* A collective call is an order of time, whichever it was. */
        if (facts->args[i] == PARIO_ARG_NAME)
            continue;
        fprintf(out, " %s=", pario_trace_arg_names[facts->args[i]]);
        pario_event_print_arg(trace, process, event, i, folder, out);
    }
    if (event->result != 0) {
        fputs(" -> ", out);
        pario_event_print_result(event->result, out);
    }
    putc('\n', out);
}

static int print_stream(const struct pario_trace *trace, size_t process,
                        size_t stream, const char *folder, FILE *out)
{
    struct pario_cursor *cursor;
    struct pario_event event;
    int more, code = pario_cursor_open(trace, process, stream, &cursor);

    if (code != 0)
        return code;
    fprintf(out, "process %zu thread %zu\n", process, stream);
    while ((more = pario_cursor_next(cursor, &event)) > 0) {
        print_event(trace, process, &event, folder, out);
        if (ferror(out)) {
            more = pario_fail_errno(-errno, "cannot write the text of a trace");
            break;
        }
    }
    pario_cursor_close(cursor);
    return more;
}

int pario_trace_print(const struct pario_trace *trace, FILE *out)
{
    char *folder = NULL;
    int code = pario_trace_folder(trace, &folder);

    for (size_t p = 0; p < trace->nmembers && code == 0; p++)
        for (size_t s = 0; s < trace->members[p].facts.nstreams && code == 0;
             s++)
            code = print_stream(trace, p, s, folder, out);
    free(folder);
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = pario_fail_errno(-EIO, "cannot write the text of a trace");
    return code;
}
