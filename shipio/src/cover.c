/* cover.c - marking and finding runs of bits. */
#include "cover.h"

#include <string.h>

static uint64_t from_bit(int64_t bit)
{
    return ~UINT64_C(0) << (bit & 63);
}

void shipio_cover_mark(uint64_t *bits, int64_t start, int64_t len)
{
    int64_t end = start + len;
    int64_t first = start >> 6;
    int64_t last = end >> 6;

    if (len <= 0)
        return;
    if (first == last) {
        bits[first] |= from_bit(start) & ~from_bit(end);
        return;
    }
    bits[first] |= from_bit(start);
    if (last > first + 1)
        memset(&bits[first + 1], 0xff,
               (size_t)(last - first - 1) * sizeof(*bits));
    if ((end & 63) != 0)
        bits[last] |= ~from_bit(end);
}

/* The first bit at or after start that equals value, at most end. */
static int64_t find_bit(const uint64_t *bits, int64_t start, int64_t end,
                        bool value)
{
    uint64_t flip = value ? 0 : ~UINT64_C(0);
    int64_t word = start >> 6;
    uint64_t bitsleft;

    if (start >= end)
        return end;
    bitsleft = (bits[word] ^ flip) & from_bit(start);
    while (bitsleft == 0) {
        word++;
        if ((word << 6) >= end)
            return end;
        bitsleft = bits[word] ^ flip;
    }
    start = (word << 6) + __builtin_ctzll(bitsleft);
    return start < end ? start : end;
}

bool shipio_cover_next(const uint64_t *bits, int64_t end, int64_t *start_p,
                       int64_t *len_p)
{
    int64_t start = find_bit(bits, *start_p, end, true);

    if (start >= end)
        return false;
    *len_p = find_bit(bits, start, end, false) - start;
    *start_p = start;
    return true;
}
