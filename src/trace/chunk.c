/* trace/chunk.c - heads of files and chunks. */
#include "trace/chunk.h"
#include "trace/bytes.h"

#include <errno.h>
#include <string.h>

void pario_trace_put_head(uint8_t head[PARIO_TRACE_HEAD])
{
    /* Eight letters without an end.
     * NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
    memcpy(head, PARIO_TRACE_MAGIC, 8);
    pario_put_u32(head + 8, PARIO_TRACE_VERSION);
    pario_put_u32(head + 12, 0);
}

int pario_trace_get_head(const uint8_t head[PARIO_TRACE_HEAD])
{
    if (memcmp(head, PARIO_TRACE_MAGIC, 8) != 0)
        return -EINVAL;
    return pario_get_u32(head + 8) == PARIO_TRACE_VERSION ? 0 : -ENOTSUP;
}

void pario_chunk_put(uint8_t head[PARIO_CHUNK_HEAD], uint32_t type,
                     uint64_t process, const void *contents, size_t len)
{
    uint8_t *at = pario_put_u32(head, PARIO_CHUNK_MAGIC);

    at = pario_put_u32(at, type);
    at = pario_put_u64(at, process);
    at = pario_put_u64(at, len);
    at = pario_put_u32(at, pario_crc32(0, contents, len));
    pario_put_u32(at, pario_crc32(0, head, PARIO_CHUNK_HEAD - 4));
}

int pario_chunk_get(const uint8_t head[PARIO_CHUNK_HEAD],
                    struct pario_chunk *chunk_p)
{
    if (pario_get_u32(head) != PARIO_CHUNK_MAGIC ||
        pario_get_u32(head + 28) != pario_crc32(0, head, PARIO_CHUNK_HEAD - 4))
        return -EINVAL;
    chunk_p->type = pario_get_u32(head + 4);
    chunk_p->process = pario_get_u64(head + 8);
    chunk_p->len = pario_get_u64(head + 16);
    chunk_p->crc = pario_get_u32(head + 24);
    return chunk_p->len <= PARIO_CHUNK_MAX ? 0 : -EINVAL;
}
