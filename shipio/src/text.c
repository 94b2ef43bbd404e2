/* text.c - UTF-8 (RFC 3629, Sect. 4) without control characters. */
#include "text.h"

#include <string.h>

int shipio_text_shown(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int n = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;

    if (c[0] < 0x20 || c[0] == 0x7f || (c[0] >= 0x80 && c[0] < 0xc2) ||
        c[0] > 0xf4 || (c[0] == 0xc2 && c[1] < 0xa0))
        return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

const char *shipio_text_tame(char *copy, size_t len, const char *text)
{
    size_t used = 0;

    while (*text != '\0') {
        int n = shipio_text_shown(text);
        size_t bytes = n > 0 ? (size_t)n : 1;

        if (used + bytes >= len)
            break;
        memcpy(copy + used, n > 0 ? text : "?", bytes);
        used += bytes;
        text += bytes;
    }
    copy[used] = '\0';
    return copy;
}
