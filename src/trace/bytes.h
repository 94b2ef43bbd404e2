/* trace/bytes.h - numbers as bytes, the same on every machine.
 *
 * Fixed ones are little-endian; the others have 7 bits per byte, the lowest
 * first, with the top bit set in all bytes but the last; signed ones fold the
 * sign into the lowest bit.
 */
#ifndef PARIO_TRACE_BYTES_H
#define PARIO_TRACE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define PARIO_VARINT_MAX 10 /* bytes */

/* Each returns the place behind what it put: there must be room. */
uint8_t *pario_put_u32(uint8_t *at, uint32_t value);
uint8_t *pario_put_u64(uint8_t *at, uint64_t value);
uint8_t *pario_put_uint(uint8_t *at, uint64_t value);
uint8_t *pario_put_int(uint8_t *at, int64_t value);

uint32_t pario_get_u32(const uint8_t *at);
uint64_t pario_get_u64(const uint8_t *at);

/* Bytes being read. Past the end, or where a number is none, every further
 * one is 0 and bad is set: asking once at the end is enough, as long as no
 * count is believed before. */
struct pario_bytes {
    const uint8_t *at, *end;
    int bad;
};

uint64_t pario_get_uint(struct pario_bytes *bytes);
int64_t pario_get_int(struct pario_bytes *bytes);
/* A number of things that take at least one byte each: more than there are
 * bytes left is bad. */
size_t pario_get_count(struct pario_bytes *bytes);
/* len bytes in place; NULL when there are fewer. */
const uint8_t *pario_get_bytes(struct pario_bytes *bytes, size_t len);

/* CRC-32 as in zlib, PNG and Ethernet. */
uint32_t pario_crc32(uint32_t crc, const void *data, size_t len);

#endif
