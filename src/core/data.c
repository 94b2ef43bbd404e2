/* core/data.c - the data pattern: fill, check, and find out what was found. */
#include "core/data.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD 8
#define BLOCK_WORDS 512 /* compared at once, before anybody looks closer */
#define ODD 0x9e3779b97f4a7c15u
#define ODD_INVERSE 0xf1de83e19937733du /* ODD * ODD_INVERSE = 1 mod 2^64 */
#define MIX_ODD 0xd6e8feb86659fd93u
#define MIX_ODD_INVERSE 0xcfee444d8b59a89bu

/* The loops over words are memory-bound only when vectorised; the wide forms
 * are chosen when the program starts. Sanitizers run before that choice is
 * made and cannot bear it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLONES
#elif defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&       \
    defined(__linux__) && defined(__GLIBC__)
#define CLONES                                                                 \
    __attribute__((target_clones("arch=x86-64-v4", "avx2", "default"),         \
                   optimize("O3")))
#else
#define CLONES
#endif

/* Spreads the high bits, where files differ, over all bytes of the word, and
 * leaves nothing that a compressor could foretell from the words before. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * MIX_ODD;
    return x ^ (x >> 32);
}

static uint64_t unmix(uint64_t y)
{
    y = (y ^ (y >> 32)) * MIX_ODD_INVERSE;
    return y ^ (y >> 32);
}

/* The word before mixing; that of the next word is larger by ODD. */
static uint64_t word_counter(const struct pario_data *data, uint64_t index)
{
    return data->key + (data->file << PARIO_DATA_WORD_BITS | index) * ODD;
}

static uint64_t word_at(const struct pario_data *data, uint64_t index)
{
    return mix(word_counter(data, index));
}

CLONES static void fill_words(unsigned char *buf, size_t count, uint64_t x)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = htole64(mix(x));

        memcpy(buf + i * WORD, &word, WORD);
        x += ODD;
    }
}

/* Zero when all words are as they should be. */
CLONES static uint64_t compare_words(const unsigned char *buf, size_t count,
                                     uint64_t x)
{
    uint64_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t word;

        memcpy(&word, buf + i * WORD, WORD);
        wrong |= word ^ htole64(mix(x));
        x += ODD;
    }
    return wrong;
}

/* Bytes first .. first + len - 1 of one word, in the order of the file. */
static void word_bytes(const struct pario_data *data, uint64_t index,
                       size_t first, unsigned char *bytes, size_t len)
{
    uint64_t word = htole64(word_at(data, index));

    memcpy(bytes, (const unsigned char *)&word + first, len);
}

/* A region of a file: a head below the first whole word, whole words, and a
 * tail. The head is the whole region where it ends within its word. */
struct span {
    uint64_t index; /* of the word that holds the first byte */
    size_t skip;    /* bytes of that word before the region */
    size_t head, words, tail;
};

static struct span span_of(int64_t offset, size_t len)
{
    struct span span = {.index = (uint64_t)offset / WORD,
                        .skip = (size_t)((uint64_t)offset % WORD)};

    if (span.skip != 0)
        span.head = WORD - span.skip < len ? WORD - span.skip : len;
    span.words = (len - span.head) / WORD;
    span.tail = (len - span.head) % WORD;
    return span;
}

void pario_data_fill(const struct pario_data *data, int64_t offset, void *buf,
                     size_t len)
{
    struct span span = span_of(offset, len);
    unsigned char *pos = buf;

    if (span.head > 0) {
        word_bytes(data, span.index++, span.skip, pos, span.head);
        pos += span.head;
    }
    fill_words(pos, span.words, word_counter(data, span.index));
    if (span.tail > 0)
        word_bytes(data, span.index + span.words, 0, pos + span.words * WORD,
                   span.tail);
}

/* Adds the wrong ones of len bytes of one word to *err and, where they are
 * the first, notes what is known of them. */
static void note_wrong(const struct pario_data *data, uint64_t index,
                       size_t first, const unsigned char *found, size_t len,
                       struct pario_data_error *err)
{
    unsigned char expected[WORD], whole[WORD] = {0};
    uint64_t word;

    word_bytes(data, index, first, expected, len);
    for (size_t i = 0; i < len; i++) {
        if (found[i] == expected[i])
            continue;
        if (err->wrong_bytes++ > 0)
            continue;
        err->offset = (int64_t)(index * WORD + first + i);
        err->expected = expected[i];
        err->found = found[i];
        memcpy(whole + first, found, len);
        memcpy(&word, whole, WORD);
        err->found_word = le64toh(word);
        err->word_is_whole = len == WORD;
    }
}

int pario_data_check(const struct pario_data *data, int64_t offset,
                     const void *buf, size_t len,
                     struct pario_data_error *err_p)
{
    struct span span = span_of(offset, len);
    struct pario_data_error err = {0};
    const unsigned char *pos = buf;

    if (span.head > 0) {
        note_wrong(data, span.index++, span.skip, pos, span.head, &err);
        pos += span.head;
    }
    while (span.words > 0) {
        size_t n = span.words < BLOCK_WORDS ? span.words : BLOCK_WORDS;

        if (compare_words(pos, n, word_counter(data, span.index)) != 0) {
            for (size_t i = 0; i < n; i++)
                note_wrong(data, span.index + i, 0, pos + i * WORD, WORD, &err);
        }
        pos += n * WORD;
        span.index += n;
        span.words -= n;
    }
    if (span.tail > 0)
        note_wrong(data, span.index, 0, pos, span.tail, &err);
    if (err.wrong_bytes == 0)
        return 0;
    *err_p = err;
    return PARIO_EVERIFY;
}

void pario_data_stamp(const struct pario_data *data, int64_t offset, void *buf,
                      size_t len)
{
    uint64_t x = word_counter(data, (uint64_t)offset / WORD);
    unsigned char *pos = buf;

    for (size_t at = 0; at + WORD <= len; at += PARIO_DATA_STAMP) {
        uint64_t word = htole64(mix(x));

        memcpy(pos + at, &word, WORD);
        x += ODD * (PARIO_DATA_STAMP / WORD);
    }
}

struct pario_data pario_data_of_pass(const struct pario_data *data,
                                     uint64_t files, int64_t pass)
{
    struct pario_data stamps = *data;

    stamps.file += files * ((uint64_t)pass % (PARIO_DATA_FILES / files));
    return stamps;
}

void pario_data_compare(const void *expected, const void *found, size_t len,
                        int64_t offset, struct pario_data_error *err)
{
    const unsigned char *wanted = expected, *pos = found;

    if (memcmp(expected, found, len) == 0)
        return;
    for (size_t i = 0; i < len; i++) {
        if (wanted[i] == pos[i] || err->wrong_bytes++ > 0)
            continue;
        err->offset = offset + (int64_t)i;
        err->expected = wanted[i];
        err->found = pos[i];
        /* Only a stamp tells its place. */
        err->word_is_whole = i < WORD && len >= WORD;
        memcpy(&err->found_word, pos, len < WORD ? len : WORD);
        err->found_word = le64toh(err->found_word);
    }
}

int pario_data_check_stamped(const struct pario_data_chunk *chunk,
                             const void *buf, size_t len,
                             struct pario_data_error *err_p)
{
    const unsigned char *pos = buf;
    unsigned char expected[PARIO_DATA_STAMP] = {0};
    struct pario_data_error error = {.wrong_bytes = 0};

    for (size_t at = 0; at < len; at += PARIO_DATA_STAMP) {
        size_t piece =
            len - at < PARIO_DATA_STAMP ? len - at : PARIO_DATA_STAMP;
        int64_t offset = chunk->offset + (int64_t)at;

        pario_data_fill(&chunk->base, chunk->base_offset + (int64_t)at,
                        expected, piece);
        pario_data_stamp(&chunk->data, offset, expected, piece);
        pario_data_compare(expected, pos + at, piece, offset, &error);
    }
    if (error.wrong_bytes == 0)
        return 0;
    *err_p = error;
    return PARIO_EVERIFY;
}

int pario_data_locate(uint64_t key, uint64_t nfiles, uint64_t word,
                      uint64_t *file_p, int64_t *offset_p)
{
    uint64_t place = (unmix(word) - key) * ODD_INVERSE;
    uint64_t file = place >> PARIO_DATA_WORD_BITS;

    if (file >= nfiles)
        return 0;
    *file_p = file;
    *offset_p = (int64_t)((place ^ file << PARIO_DATA_WORD_BITS) * WORD);
    return 1;
}

static void describe_origin(const struct pario_data *data, uint64_t nfiles,
                            const struct pario_data_error *err, char *text,
                            size_t len)
{
    uint64_t expected = word_at(data, (uint64_t)err->offset / WORD);
    uint64_t file;
    int64_t offset;

    if (!err->word_is_whole)
        snprintf(text, len, "too few bytes were read to tell their origin");
    else if (err->found_word == 0)
        snprintf(text, len, "the bytes are zeros: never written, or lost");
    else if (__builtin_popcountll(expected ^ err->found_word) == 1)
        snprintf(text, len, "one bit is flipped");
    else if (!pario_data_locate(data->key, nfiles, err->found_word, &file,
                                &offset))
        snprintf(text, len,
                 "the bytes belong nowhere in this run: foreign, stale or "
                 "damaged");
    else if (file == data->file)
        snprintf(text, len, "the bytes belong at offset %" PRId64, offset);
    else
        snprintf(text, len,
                 "the bytes belong to file %" PRIu64 " at offset %" PRId64,
                 file, offset);
}

void pario_data_describe(const struct pario_data *data, uint64_t nfiles,
                         const struct pario_data_error *err, char *text,
                         size_t len)
{
    char origin[128];

    describe_origin(data, nfiles, err, origin, sizeof(origin));
    snprintf(text, len,
             "wrong data at offset %" PRId64 " of file %" PRIu64
             ": expected 0x%02x, found 0x%02x, %" PRId64 " byte%s wrong; %s",
             err->offset, data->file, err->expected, err->found,
             err->wrong_bytes, err->wrong_bytes == 1 ? "" : "s", origin);
}
