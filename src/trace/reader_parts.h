/* trace/reader_parts.h - what the reader's files share. */
#ifndef PARIO_TRACE_READER_PARTS_H
#define PARIO_TRACE_READER_PARTS_H

#include "trace/chunk.h"
#include "trace/trace.h"

struct pario_trace_file {
    int fd;        /* -1: the contents are in memory */
    uint8_t *data; /* owned; a chunk's contents */
};

/* A chunk that was found, and where. */
struct pario_trace_part {
    struct pario_chunk chunk;
    size_t file;
    int64_t offset;         /* of its contents */
    uint64_t thread, block; /* of calls */
};

struct pario_trace_stream {
    uint64_t thread;
    size_t *parts; /* its blocks in order */
    size_t nparts;
};

struct pario_trace_member {
    struct pario_trace_process facts;
    char *text; /* owns the facts' strings */
    char **strings;
    size_t nstrings;
    struct pario_trace_stream *streams;
};

struct pario_trace {
    char *path;
    struct pario_trace_file *files;
    size_t nfiles;
    struct pario_trace_part *parts;
    size_t nparts;
    struct pario_trace_member *members;
    size_t nmembers;
    uint64_t holes; /* in the numbers of strings, of all processes */
    char *job;      /* lines */
    char *notes;
};

/* Local. One more element of an array, zeroed; NULL: no memory. */
void *pario_trace_grow(void *array_p, size_t *count_p, size_t size);

/* Local. Adds a line to the notes; a note that finds no memory is lost. */
void pario_trace_note(struct pario_trace *trace, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* Local. The contents of a chunk, checked; the caller frees them. */
int pario_trace_load(const struct pario_trace *trace,
                     const struct pario_trace_part *part,
                     uint8_t **contents_p) PARIO_MUST_USE;

/* Local. Processes, strings and streams, from the parts. */
int pario_trace_index(struct pario_trace *trace) PARIO_MUST_USE;

/* Local. The value of a key in lines of "key value", copied to text; 0 when
 * it is not there. */
int pario_trace_line(const char *lines, const char *key, char *text,
                     size_t len);

#endif
