/* trace/chunk.h - a trace file is a head and chunks, each with its length and
 * its checksum: files can be cut off, and joined chunk by chunk. */
#ifndef PARIO_TRACE_CHUNK_H
#define PARIO_TRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#define PARIO_TRACE_MAGIC "PARIOTRC"
#define PARIO_TRACE_VERSION 1
#define PARIO_TRACE_HEAD 16 /* bytes: magic, version, 0 */
#define PARIO_CHUNK_HEAD 32
#define PARIO_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define PARIO_CHUNK_MAX ((uint64_t)64 << 20)

enum pario_chunk_type {
    PARIO_CHUNK_JOB = 1,     /* lines of text: key value */
    PARIO_CHUNK_PROCESS = 2, /* lines of text; a later one replaces it */
    PARIO_CHUNK_STRINGS = 3, /* number, length, bytes; any number of them */
    PARIO_CHUNK_BLOCK = 4,   /* calls of a thread */
    PARIO_CHUNK_END = 5,     /* the process ended in order: lines of text */
};

struct pario_chunk {
    uint32_t type;
    uint32_t crc; /* of the contents */
    uint64_t process;
    uint64_t len; /* of the contents */
};

/* Local. The head of a file. */
void pario_trace_put_head(uint8_t head[PARIO_TRACE_HEAD]);
/* Local. 0, -EINVAL: no trace, -ENOTSUP: of a later version. */
int pario_trace_get_head(const uint8_t head[PARIO_TRACE_HEAD]);

/* Local. The head of a chunk with these contents. */
void pario_chunk_put(uint8_t head[PARIO_CHUNK_HEAD], uint32_t type,
                     uint64_t process, const void *contents, size_t len);
/* Local. 0 or -EINVAL. */
int pario_chunk_get(const uint8_t head[PARIO_CHUNK_HEAD],
                    struct pario_chunk *chunk_p);

#endif
