/* core/text.c - text of files and names that may hold anything. */
#include "core/text.h"

#include <string.h>

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

/* Marks that are not seen and reverse what stands after them, U+2028 to U+202E
 * with the line separators, U+2066 to U+2069, U+200E, U+200F and U+061C: a
 * number shown would not be the one of the document. */
static int turns(const unsigned char *p)
{
    if (p[0] == 0xd8)
        return p[1] == 0x9c;
    if (p[0] != 0xe2)
        return 0;
    if (p[1] == 0x80)
        return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
    return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

int pario_text_shown(const char *text, int *skip_p)
{
    const unsigned char *p = (const unsigned char *)text;
    int length = pario_utf8_length(text);
    int control = p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);

    if (skip_p != NULL)
        *skip_p = length > 0 ? length : 1;
    return control || turns(p) ? 0 : length;
}

void pario_text_tame(char *text)
{
    while (*text != '\0') {
        int skip, shown = pario_text_shown(text, &skip);

        if (shown == 0 && *text != '\n' && *text != '\t')
            for (int i = 0; i < skip; i++)
                text[i] = '?';
        text += skip;
    }
}

void pario_text_put(FILE *out, const char *text)
{
    while (*text != '\0') {
        int skip, shown = pario_text_shown(text, &skip);

        if (shown > 0)
            fwrite(text, 1, (size_t)shown, out);
        else
            putc('?', out);
        text += skip;
    }
}

size_t pario_text_columns(const char *text)
{
    size_t columns = 0;

    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

int pario_text_wrap(FILE *out, const char *head, int indent, const char *text)
{
    size_t used = 0, begin = pario_text_columns(head);
    int lines = 1;

    fputs(head, out);
    while (*text != '\0') {
        size_t len = strcspn(text, " \n"), columns;
        char word[512];

        snprintf(word, sizeof(word), "%.*s", (int)len, text);
        columns = pario_text_columns(word);
        if (used > 0 && begin + used + 1 + columns > PARIO_TEXT_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            begin = (size_t)indent;
            used = 0;
            lines++;
        } else if (used > 0) {
            putc(' ', out);
            used++;
        }
        pario_text_put(out, word);
        used += columns;
        text += len + strspn(text + len, " \n");
    }
    putc('\n', out);
    return lines;
}
