/* suites/honesty/gap.c - what a read that claims too much has given. */
#include "suites/honesty/honesty.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define WORD 8
#define FILES 2 /* what stood in the file before a write, and what then */

/* Words of data keep their 8-byte alignment in the buffer, since blocks are
 * whole words. */
_Static_assert(HONESTY_BLOCK % WORD == 0, "blocks are whole words");

static int kind_of(const struct pario_data *data, const char *at)
{
    static const char zeros[WORD] = {0};
    char untouched[WORD];
    uint64_t word, file;
    int64_t offset;

    memset(untouched, HONESTY_UNTOUCHED, sizeof(untouched));
    memcpy(&word, at, sizeof(word));
    if (memcmp(at, zeros, sizeof(zeros)) == 0)
        return HONESTY_GAP_ZEROS;
    if (memcmp(at, untouched, sizeof(untouched)) == 0)
        return HONESTY_GAP_UNTOUCHED;
    if (pario_data_locate(data->key, FILES, le64toh(word), &file, &offset))
        return HONESTY_GAP_STALE;
    return HONESTY_GAP_OTHER;
}

int honesty_gap_of(const struct pario_data *data, const char *buf, int64_t from,
                   int64_t to)
{
    int gap = 0;

    for (int64_t i = (from + WORD - 1) / WORD * WORD; i + WORD <= to; i += WORD)
        gap |= kind_of(data, buf + i);
    return gap;
}

void honesty_gap_text(int gap, char *text)
{
    static const struct {
        int kind;
        const char *name;
    } kinds[] = {
        {HONESTY_GAP_STALE, "stale data"},
        {HONESTY_GAP_OTHER, "garbage"},
        {HONESTY_GAP_UNTOUCHED, "what was there before"},
        {HONESTY_GAP_ZEROS, "zeros"},
    };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t used = strlen(text);

        if (gap & kinds[i].kind)
            snprintf(text + used, 80 - used, "%s%s", used > 0 ? " and " : "",
                     kinds[i].name);
    }
}
