/* diff_buffer.c - user buffers with a known content around the data. */
#include "diff_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return memory;
}

void diff_buffer_init(struct diff_buffer *b, const struct diff_type *type,
                      int count, int misalign)
{
    int64_t low = 0, high = 1;

    for (int s = 0; s < type->nsegs && count > 0; s++) {
        int64_t last = (count - 1) * diff_extent(type);
        int64_t begin = type->segs[s].off;
        int64_t end = begin + type->segs[s].len + last;

        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    b->type = type;
    b->count = count;
    b->data_len = count * type->size;
    b->low = low - misalign;
    b->len = (size_t)(high - b->low) + 16;
    b->memory = need(malloc(b->len));
    b->image = need(malloc(b->len));
    for (size_t i = 0; i < b->len; i++)
        b->image[i] = (unsigned char)(0xa5 ^ i);
    memcpy(b->memory, b->image, b->len);
    b->address = b->memory - b->low;
}

void diff_buffer_fini(struct diff_buffer *b)
{
    free(b->memory);
    free(b->image);
    b->memory = b->image = NULL;
}

struct scatter {
    struct diff_buffer *b;
    const unsigned char *data;
};

static void scatter_piece(void *arg, int64_t off, int64_t len)
{
    struct scatter *s = arg;
    size_t at = (size_t)(off - s->b->low);

    memcpy(s->b->memory + at, s->data, (size_t)len);
    memcpy(s->b->image + at, s->data, (size_t)len);
    s->data += len;
}

void diff_buffer_scatter(struct diff_buffer *b, const unsigned char *data)
{
    struct scatter s = {.b = b, .data = data};

    diff_type_each(b->type, b->count, scatter_piece, &s);
}

struct gather {
    struct diff_buffer *b;
    const unsigned char *expected;
    const uint8_t *known;
    int64_t pos;
    int64_t got;
    int64_t wrong;
};

static void check_piece(void *arg, int64_t off, int64_t len)
{
    struct gather *g = arg;

    for (int64_t i = 0; i < len; i++, g->pos++) {
        size_t at = (size_t)(off - g->b->low + i);

        if (g->pos < g->got && g->wrong < 0 &&
            (!g->known || g->known[g->pos]) &&
            g->b->memory[at] != g->expected[g->pos])
            g->wrong = g->pos;
        g->b->image[at] = g->b->memory[at];
    }
}

int64_t diff_buffer_check(struct diff_buffer *b, const unsigned char *expected,
                          const uint8_t *known, int64_t got)
{
    struct gather g = {
        .b = b, .expected = expected, .known = known, .got = got, .wrong = -1};

    diff_type_each(b->type, b->count, check_piece, &g);
    if (g.wrong >= 0)
        return g.wrong;
    return memcmp(b->memory, b->image, b->len) ? -2 : -1;
}
