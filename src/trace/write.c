/* trace/write.c - the parts of a recording as one file. */
#include "core/output.h"
#include "trace/reader_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put_chunk(FILE *out, uint32_t type, uint64_t process,
                     const void *contents, size_t len)
{
    uint8_t head[PARIO_CHUNK_HEAD];

    pario_chunk_put(head, type, process, contents, len);
    return fwrite(head, 1, sizeof(head), out) == sizeof(head) &&
                   fwrite(contents, 1, len, out) == len
               ? 0
               : -errno;
}

static int put_parts(const struct pario_trace *trace, FILE *out)
{
    for (size_t i = 0; i < trace->nparts; i++) {
        const struct pario_trace_part *part = &trace->parts[i];
        uint8_t *contents;
        int code;

        if (part->chunk.type == 0 || part->chunk.type == PARIO_CHUNK_JOB)
            continue;
        code = pario_trace_load(trace, part, &contents);
        if (code != 0)
            return code;
        code = put_chunk(out, part->chunk.type, part->chunk.process, contents,
                         (size_t)part->chunk.len);
        free(contents);
        if (code != 0)
            return pario_fail_errno(code, "cannot write the trace");
    }
    return 0;
}

static int put_job(const struct pario_trace *trace, const char *job, FILE *out)
{
    char *lines = NULL;
    int code = 0;

    if (asprintf(&lines, "%s%s", job != NULL ? job : "",
                 trace->job != NULL ? trace->job : "") < 0)
        return pario_fail_errno(-ENOMEM, "cannot write the trace");
    if (lines[0] != '\0')
        code = put_chunk(out, PARIO_CHUNK_JOB, 0, lines, strlen(lines));
    free(lines);
    return code == 0 ? 0 : pario_fail_errno(code, "cannot write the trace");
}

struct written {
    const struct pario_trace *trace;
    const char *job;
};

static int put_trace(void *context, FILE *out, const char *path)
{
    const struct written *written = context;
    uint8_t head[PARIO_TRACE_HEAD];
    int code;

    pario_trace_put_head(head);
    code = fwrite(head, 1, sizeof(head), out) == sizeof(head)
               ? put_job(written->trace, written->job, out)
               : pario_fail_errno(-errno, "cannot write %s", path);
    if (code == 0)
        code = put_parts(written->trace, out);
    if (code == 0 && (fflush(out) != 0 || fsync(fileno(out)) != 0))
        code = pario_fail_errno(-errno, "cannot write %s", path);
    return code;
}

int pario_trace_write(const struct pario_trace *trace, const char *path,
                      int force, const char *job)
{
    struct written written = {trace, job};

    return pario_output_write(path, force, put_trace, &written);
}
