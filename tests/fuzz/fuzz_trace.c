/* Any bytes as a trace: read and printed without a fault, its datatypes laid
 * out, its replay planned; checksums are mended first, so that the contents are
 * reached. */
#include "fuzz/fuzz.h"
#include "suites/replay/prepare.h"
#include "trace/bytes.h"
#include "trace/chunk.h"
#include "trace/trace.h"
#include "trace/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 20000 /* a few bytes can stand for more than can be read */

static void mend(uint8_t *bytes, size_t len)
{
    size_t at = PARIO_TRACE_HEAD;

    while (len >= at + PARIO_CHUNK_HEAD) {
        uint8_t *head = bytes + at;
        size_t rest = len - at - PARIO_CHUNK_HEAD;
        uint64_t n = pario_get_u64(head + 16);

        if (n > rest)
            n = rest;
        pario_chunk_put(head, pario_get_u32(head + 4), pario_get_u64(head + 8),
                        head + PARIO_CHUNK_HEAD, (size_t)n);
        at += PARIO_CHUNK_HEAD + (size_t)n;
    }
}

static void lay_out(const char *text)
{
    struct pario_type *type = NULL;
    struct pario_layout layout = {0};
    int64_t work = 1 << 20;

    if (pario_type_parse(text, NULL, &type) != 0)
        return;
    (void)!pario_type_layout(type, &work, &layout);
    pario_layout_fini(&layout);
    pario_type_destroy(type);
}

static void read_stream(const struct pario_trace *trace, size_t process,
                        size_t stream, FILE *out)
{
    struct pario_cursor *cursor = NULL;
    struct pario_event event;

    if (pario_cursor_open(trace, process, stream, &cursor) != 0)
        return;
    for (int i = 0; i < MAX_EVENTS && pario_cursor_next(cursor, &event) == 1;
         i++)
        for (int k = 0;
             k < PARIO_TRACE_ARGS &&
             pario_trace_op_table[event.op].args[k] != PARIO_ARG_NONE;
             k++) {
            pario_event_print_arg(trace, process, &event, k, "/", out);
            if (i < 16 &&
                pario_trace_op_table[event.op].args[k] == PARIO_ARG_TYPE)
                lay_out(pario_trace_string(trace, process, event.args[k]));
        }
    pario_cursor_close(cursor);
}

/* What a replay would need, where the calls can be walked in a moment. */
static void plan(const struct pario_trace *trace)
{
    struct replay_plan plan;
    uint64_t calls = 0, more;

    for (size_t p = 0; p < pario_trace_processes(trace); p++)
        for (size_t s = 0; s < pario_trace_process_of(trace, p)->nstreams;
             s++) {
            if (pario_trace_count(trace, p, s, &more) != 0)
                return;
            calls += more;
        }
    if (calls > MAX_EVENTS || replay_plan_init(&plan, trace) != 0)
        return;
    for (size_t i = 0; i < plan.count; i++)
        (void)replay_plan_is_regular(&plan, plan.targets[i].path);
    replay_plan_fini(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pario_trace *trace = NULL;
    FILE *out = fopen("/dev/null", "w");
    uint8_t *copy = malloc(len + 1);

    if (out == NULL || copy == NULL)
        abort();
    memcpy(copy, data, len);
    if (len >= PARIO_TRACE_HEAD) {
        pario_trace_put_head(copy);
        mend(copy, len);
    }
    if (pario_trace_open(pario_fuzz_file(copy, len), &trace) == 0) {
        for (size_t p = 0; p < pario_trace_processes(trace); p++)
            for (size_t s = 0; s < pario_trace_process_of(trace, p)->nstreams;
                 s++)
                read_stream(trace, p, s, out);
        plan(trace);
        pario_trace_close(trace);
    }
    free(copy);
    fclose(out);
    return 0;
}
