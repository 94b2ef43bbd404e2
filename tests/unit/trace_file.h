/* trace_file.h - a trace made of given calls, for tests. */
#ifndef PARIO_TEST_TRACE_FILE_H
#define PARIO_TEST_TRACE_FILE_H

#include "trace/bytes.h"
#include "trace/chunk.h"
#include "trace/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_file {
    FILE *out;
    struct pario_live live;
    uint64_t now;
    uint64_t strings;
};

static inline void trace_file_chunk(struct trace_file *file, uint32_t type,
                                    const void *contents, size_t len)
{
    uint8_t head[PARIO_CHUNK_HEAD];

    pario_chunk_put(head, type, file->live.process, contents, len);
    fwrite(head, 1, sizeof(head), file->out);
    fwrite(contents, 1, len, file->out);
}

/* resolution_ns 0: exact times. Clocks tick in ns. */
static inline struct trace_file *trace_file_open(const char *path, int rank,
                                                 uint64_t resolution_ns)
{
    struct trace_file *file = calloc(1, sizeof(*file));
    uint8_t head[PARIO_TRACE_HEAD];
    char text[100];

    file->out = fopen(path, "wb");
    pario_trace_put_head(head);
    fwrite(head, 1, sizeof(head), file->out);
    pario_live_init(&file->live, 77 + (uint64_t)rank, 0, resolution_ns, 1.0);
    snprintf(text, sizeof(text), "rank %d\nsize 1\nhost here\npid 5\n", rank);
    trace_file_chunk(file, PARIO_CHUNK_PROCESS, text, strlen(text));
    return file;
}

static inline int64_t trace_file_string(struct trace_file *file,
                                        const char *text)
{
    uint8_t bytes[600], *at = pario_put_uint(bytes, ++file->strings);

    at = pario_put_uint(at, strlen(text));
    memcpy(at, text, strlen(text));
    trace_file_chunk(file, PARIO_CHUNK_STRINGS, bytes,
                     (size_t)(at - bytes) + strlen(text));
    return (int64_t)file->strings;
}

static inline void trace_file_flush(struct trace_file *file)
{
    uint8_t *block = malloc(PARIO_BLOCK_MAX);

    trace_file_chunk(file, PARIO_CHUNK_BLOCK, block,
                     pario_live_encode(&file->live, block));
    pario_live_clear(&file->live);
    free(block);
}

/* A call that takes busy_ns, gap_ns after the last one. */
static inline void trace_file_add(struct trace_file *file,
                                  const struct pario_call *call,
                                  uint64_t gap_ns, uint64_t busy_ns)
{
    uint64_t begin = file->now + gap_ns;

    file->now = begin + busy_ns;
    if (pario_live_add(&file->live, call, begin, file->now))
        trace_file_flush(file);
}

static inline void trace_file_close(struct trace_file *file)
{
    if (file->live.ncalls > 0)
        trace_file_flush(file);
    trace_file_chunk(file, PARIO_CHUNK_END, "calls 0\n", 8);
    fclose(file->out);
    free(file);
}

#endif
