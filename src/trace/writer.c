/* trace/writer.c - a trace made of calls that come from elsewhere. */
#include "trace/writer.h"
#include "trace/bytes.h"
#include "trace/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct member {
    struct pario_live *live;
    char **strings;
    size_t nstrings;
};

struct pario_trace_writer {
    FILE *out;
    struct member *members;
    size_t nmembers;
    uint8_t *block;
};

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot make a trace");
}

static int put(struct pario_trace_writer *writer, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, writer->out) == len
               ? 0
               : pario_fail_errno(-EIO, "cannot write the trace");
}

static int put_chunk(struct pario_trace_writer *writer, size_t process,
                     uint32_t type, const void *contents, size_t len)
{
    uint8_t head[PARIO_CHUNK_HEAD];
    int code;

    pario_chunk_put(head, type, process + 1, contents, len);
    code = put(writer, head, sizeof(head));
    return code == 0 ? put(writer, contents, len) : code;
}

int pario_trace_writer_create(FILE *out, struct pario_trace_writer **writer_p)
{
    struct pario_trace_writer *writer = calloc(1, sizeof(*writer));
    uint8_t head[PARIO_TRACE_HEAD];
    int code;

    if (writer == NULL || (writer->block = malloc(PARIO_BLOCK_MAX)) == NULL) {
        free(writer);
        return no_memory();
    }
    writer->out = out;
    pario_trace_put_head(head);
    code = put(writer, head, sizeof(head));
    if (code == 0) {
        *writer_p = writer;
        return 0;
    }
    free(writer->block);
    free(writer);
    return code;
}

int pario_trace_writer_process(struct pario_trace_writer *writer,
                               const char *lines, size_t *process_p)
{
    size_t n = writer->nmembers;
    struct member *members =
        realloc(writer->members, (n + 1) * sizeof(*members));
    struct pario_live *live = calloc(1, sizeof(*live));

    if (members != NULL)
        writer->members = members;
    if (members == NULL || live == NULL) {
        free(live);
        return no_memory();
    }
    members[n] = (struct member){.live = live};
    writer->nmembers = n + 1;
    pario_live_init(live, n + 1, 0, 0, 1.0);
    *process_p = n;
    return put_chunk(writer, n, PARIO_CHUNK_PROCESS, lines, strlen(lines));
}

static int put_string(struct pario_trace_writer *writer, size_t process,
                      size_t number, const char *text)
{
    size_t len = strlen(text);
    uint8_t *bytes = malloc(len + (size_t)2 * PARIO_VARINT_MAX), *at;
    int code;

    if (bytes == NULL)
        return no_memory();
    at = pario_put_uint(bytes, number);
    at = pario_put_uint(at, len);
    memcpy(at, text, len);
    code = put_chunk(writer, process, PARIO_CHUNK_STRINGS, bytes,
                     (size_t)(at - bytes) + len);
    free(bytes);
    return code;
}

int pario_trace_writer_string(struct pario_trace_writer *writer, size_t process,
                              const char *text, int64_t *number_p)
{
    struct member *member = &writer->members[process];
    char **strings;

    *number_p = 0;
    if (text[0] == '\0')
        return 0;
    for (size_t i = member->nstrings; i > 0; i--)
        if (strcmp(member->strings[i - 1], text) == 0) {
            *number_p = (int64_t)i;
            return 0;
        }
    strings =
        realloc(member->strings, (member->nstrings + 1) * sizeof(*strings));
    if (strings == NULL)
        return no_memory();
    member->strings = strings;
    strings[member->nstrings] = strdup(text);
    if (strings[member->nstrings] == NULL)
        return no_memory();
    member->nstrings++;
    *number_p = (int64_t)member->nstrings;
    return put_string(writer, process, member->nstrings, text);
}

static int flush(struct pario_trace_writer *writer, size_t process)
{
    struct pario_live *live = writer->members[process].live;
    int code = 0;

    if (live->ncalls > 0)
        code = put_chunk(writer, process, PARIO_CHUNK_BLOCK, writer->block,
                         pario_live_encode(live, writer->block));
    pario_live_clear(live);
    return code;
}

int pario_trace_writer_add(struct pario_trace_writer *writer, size_t process,
                           const struct pario_call *call, uint64_t begin_ns,
                           uint64_t end_ns)
{
    struct pario_live *live = writer->members[process].live;

    if (live->block == 0 && live->calls_added == 0)
        live->start = live->last = begin_ns;
    return pario_live_add(live, call, begin_ns, end_ns) ? flush(writer, process)
                                                        : 0;
}

int pario_trace_writer_finish(struct pario_trace_writer *writer)
{
    int code = 0;

    for (size_t i = 0; i < writer->nmembers; i++) {
        if (code == 0)
            code = flush(writer, i);
        if (code == 0)
            code = put_chunk(writer, i, PARIO_CHUNK_END, "ended\n", 6);
        for (size_t k = 0; k < writer->members[i].nstrings; k++)
            free(writer->members[i].strings[k]);
        free(writer->members[i].strings);
        free(writer->members[i].live);
    }
    if (code == 0 && fflush(writer->out) != 0)
        code = pario_fail_errno(-errno, "cannot write the trace");
    free(writer->members);
    free(writer->block);
    free(writer);
    return code;
}
