/* suites/pattern/contents.c - the bytes of a pattern's files.
 *
 * Every `grid` bytes stands an exact word that tells generation and place (see
 * core/data.h); between them stand the words of the base, which come again
 * after `period` bytes. So a transfer costs a store per grid point and not a
 * fill, any transfer of at least `grid` bytes holds such a word, and what
 * overlapping transfers leave behind is known all the same. */
#include "suites/pattern/pattern.h"

#include <string.h>

static const uint64_t base_file = (uint64_t)1 << 19; /* docs/measuring.md */

static struct pario_data exact(const struct pattern_contents *contents)
{
    return (struct pario_data){contents->key, contents->generation};
}

static struct pario_data base(const struct pattern_contents *contents)
{
    return (struct pario_data){contents->key, base_file};
}

void pattern_contents_base(const struct pattern_contents *contents,
                           char *buffer, size_t len)
{
    struct pario_data data = base(contents);

    for (size_t at = 0; at < len; at += (size_t)contents->period) {
        size_t rest = len - at;

        pario_data_fill(
            &data, 0, buffer + at,
            rest < (size_t)contents->period ? rest : (size_t)contents->period);
    }
}

void pattern_contents_stamp(const struct pattern_contents *contents,
                            int64_t offset, char *buffer, size_t len)
{
    struct pario_data data = exact(contents);
    int64_t grid = contents->grid, at = pattern_word_at(grid, offset);

    if (grid == PARIO_DATA_STAMP) {
        if (at < (int64_t)len)
            pario_data_stamp(&data, contents->data_base + offset + at,
                             buffer + at, len - (size_t)at);
        return;
    }
    for (; at < (int64_t)len; at += grid)
        pario_data_stamp(&data, contents->data_base + offset + at, buffer + at,
                         sizeof(uint64_t));
}

uint64_t pattern_contents_word(const struct pattern_contents *contents,
                               int64_t offset)
{
    struct pario_data data = exact(contents);
    uint64_t word = 0;

    pario_data_fill(&data,
                    contents->data_base + offset +
                        pattern_word_at(contents->grid, offset),
                    &word, sizeof(word));
    return word;
}

static void note(const struct pattern_contents *contents,
                 const struct pario_data_error *error,
                 struct pario_figures *figures)
{
    struct pario_data data = exact(contents);

    if (figures->wrong_bytes == 0)
        pario_data_describe(&data, data.file + 1, error, figures->wrong,
                            sizeof(figures->wrong));
    figures->wrong_bytes += error->wrong_bytes;
}

int pattern_contents_check(const struct pattern_contents *contents,
                           int64_t offset, const char *buffer, size_t len,
                           struct pario_figures *figures)
{
    struct pario_data between = base(contents);
    int64_t end = offset + (int64_t)len, wrong = figures->wrong_bytes;
    int64_t unit =
        contents->grid < PARIO_DATA_STAMP ? contents->grid : contents->period;

    figures->checked_bytes += (int64_t)len;
    while (offset < end) {
        int64_t lead = pattern_word_at(contents->grid, offset);
        int64_t piece = lead > 0 ? lead : unit - (offset & (unit - 1));
        int64_t base_offset = offset & (contents->period - 1);
        struct pario_data_error error;
        int64_t shift;
        int code;

        if (piece > end - offset)
            piece = end - offset;
        if (lead > 0) {
            code = pario_data_check(&between, base_offset, buffer,
                                    (size_t)piece, &error);
            shift = offset - base_offset;
        } else {
            struct pario_data_chunk chunk = {
                .data = exact(contents),
                .offset = contents->data_base + offset,
                .base = between,
                .base_offset = base_offset,
            };

            code =
                pario_data_check_stamped(&chunk, buffer, (size_t)piece, &error);
            shift = -contents->data_base;
        }
        if (code != 0) {
            error.offset += shift; /* as it is in this file */
            note(contents, &error, figures);
        }
        offset += piece;
        buffer += piece;
    }
    return figures->wrong_bytes == wrong ? 0 : PARIO_EVERIFY;
}
