/* result/value.c - JSON values that jansson would otherwise refuse. */
#include "result/value.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *pario_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Lead bytes and the range of the byte after them; the rest is 80..BF
 * (RFC 3629, Sect. 4). */
static const struct {
    unsigned char first, last, low, high;
    int length;
} sequences[] = {
    {0x01, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4},
};

int pario_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
        if (p[0] < sequences[i].first || p[0] > sequences[i].last)
            continue;
        for (int k = 1; k < sequences[i].length; k++) {
            unsigned char low = k == 1 ? sequences[i].low : 0x80;
            unsigned char high = k == 1 ? sequences[i].high : 0xbf;

            if (p[k] < low || p[k] > high)
                return 0;
        }
        return sequences[i].length;
    }
    return 0;
}

int pario_utf8_valid(const char *text)
{
    while (*text != '\0') {
        int length = pario_utf8_length(text);

        if (length == 0)
            return 0;
        text += length;
    }
    return 1;
}

json_t *pario_json_text(const char *text)
{
    char *copy, *to;
    json_t *value;

    if (text == NULL)
        return json_null();
    if (pario_utf8_valid(text))
        return json_string(text);
    copy = to = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
    if (copy == NULL)
        return NULL;
    while (*text != '\0') {
        int length = pario_utf8_length(text);

        if (length > 0) {
            memcpy(to, text, (size_t)length);
            to += length;
            text += length;
        } else {
            memcpy(to, REPLACEMENT, strlen(REPLACEMENT));
            to += strlen(REPLACEMENT);
            text++;
        }
    }
    *to = '\0';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *pario_json_words(int argc, char *const *argv)
{
    json_t *words = json_array();

    if (words == NULL)
        return NULL;
    for (int i = 0; i < argc; i++) {
        if (json_array_append_new(words, pario_json_text(argv[i])) != 0) {
            json_decref(words);
            return NULL;
        }
    }
    return words;
}
