/* hide.c - names as numbers (--anonymous): SipHash-2-4 with a key that is not
 * kept, so that knowing some names does not tell the others. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hidden;
static uint64_t key[2];

/* The key as 32 hexadecimal digits. */
void rec_hide_init(void)
{
    const char *text = getenv("PARIO_RECORD_ANONYMOUS");
    char half[17] = "";

    hidden = text != NULL && text[0] != '\0';
    if (!hidden)
        return;
    memcpy(half, text, strnlen(text, 16));
    key[0] = strtoull(half, NULL, 16);
    key[1] = strlen(text) > 16 ? strtoull(text + 16, NULL, 16) : key[0];
}

bool rec_hides(void)
{
    return hidden;
}

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

static uint64_t hash(const char *text, size_t len)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u,
                     key[1] ^ 0x7465646279746573u};
    size_t left = len;

    for (;; text += 8, left -= 8) {
        uint64_t word = left < 8 ? (uint64_t)len << 56 : 0;

        for (size_t i = 0; i < (left < 8 ? left : 8); i++)
            word |= (uint64_t)(unsigned char)text[i] << (8 * i);
        v[3] ^= word;
        mix(v, 2);
        v[0] ^= word;
        if (left < 8)
            break;
    }
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void rec_hide(const char *path, char *to, size_t len)
{
    size_t used = 0;

    to[0] = '\0';
    while (*path != '\0' && used + 20 < len) {
        size_t n = strcspn(path + 1, "/");

        used += (size_t)snprintf(to + used, len - used, "/%012llx",
                                 (unsigned long long)(hash(path + 1, n) >> 16));
        path += n + 1;
    }
}

const char *rec_hide_name(const char *name, char *to, size_t len)
{
    if (!hidden)
        return name;
    snprintf(to, len, "%012llx",
             (unsigned long long)(hash(name, strlen(name)) >> 16));
    return to;
}
