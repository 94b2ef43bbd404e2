/* trace/bytes.c - numbers as bytes. */
#include "trace/bytes.h"

uint8_t *pario_put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

uint8_t *pario_put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

uint8_t *pario_put_uint(uint8_t *at, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

uint8_t *pario_put_int(uint8_t *at, int64_t value)
{
    uint64_t folded = (uint64_t)value << 1;

    return pario_put_uint(at, value < 0 ? ~folded : folded);
}

uint32_t pario_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

uint64_t pario_get_u64(const uint8_t *at)
{
    return pario_get_u32(at) | (uint64_t)pario_get_u32(at + 4) << 32;
}

uint64_t pario_get_uint(struct pario_bytes *bytes)
{
    uint64_t value = 0;

    for (int shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
        uint8_t byte = *bytes->at++;

        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    bytes->bad = 1;
    bytes->at = bytes->end;
    return 0;
}

int64_t pario_get_int(struct pario_bytes *bytes)
{
    uint64_t folded = pario_get_uint(bytes);
    uint64_t value = folded >> 1;

    return (int64_t)((folded & 1) != 0 ? ~value : value);
}

size_t pario_get_count(struct pario_bytes *bytes)
{
    uint64_t count = pario_get_uint(bytes);

    if (count > (uint64_t)(bytes->end - bytes->at)) {
        bytes->bad = 1;
        bytes->at = bytes->end;
        return 0;
    }
    return (size_t)count;
}

const uint8_t *pario_get_bytes(struct pario_bytes *bytes, size_t len)
{
    const uint8_t *at = bytes->at;

    if (len > (size_t)(bytes->end - bytes->at)) {
        bytes->bad = 1;
        bytes->at = bytes->end;
        return NULL;
    }
    bytes->at += len;
    return at;
}

uint32_t pario_crc32(uint32_t crc, const void *data, size_t len)
{
    static const uint32_t nibbles[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *at = data;

    for (crc = ~crc; len > 0; len--) {
        crc ^= *at++;
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}
