/* core/data.h - the bytes that pario writes, and how they are checked.
 *
 * Every aligned 8-byte word of every file of a run is different, and its
 * value tells where it belongs: word w of file f in the run with key k is
 *     mix(k + (f << PARIO_DATA_WORD_BITS | w) * odd constant)   (mod 2^64)
 * with an invertible mix. So a misplaced, stale, missing or duplicated block
 * is always seen, and pario_data_locate() says where it came from.
 * docs/measuring.md describes the formula. No allocation, no state.
 */
#ifndef PARIO_CORE_DATA_H
#define PARIO_CORE_DATA_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_DATA_WORD_BITS 44 /* 2^47 bytes a file, 2^20 files a run */
#define PARIO_DATA_FILES ((uint64_t)1 << (64 - PARIO_DATA_WORD_BITS))

struct pario_data {
    uint64_t key;  /* of the run */
    uint64_t file; /* number of the file in the run, < 2^20 */
};

struct pario_data_error {
    int64_t offset; /* of the first wrong byte in the file */
    unsigned char expected, found;
    int64_t wrong_bytes; /* in the region that was checked */
    uint64_t found_word; /* the aligned word around it, as far as known */
    int word_is_whole;   /* found_word is complete: it can be located */
};

/* Local. Fills buf with the bytes of the file at offset (any alignment). */
void pario_data_fill(const struct pario_data *data, int64_t offset, void *buf,
                     size_t len);

/* Local. 0, or PARIO_EVERIFY with *err_p set (no message: see describe). */
int pario_data_check(const struct pario_data *data, int64_t offset,
                     const void *buf, size_t len,
                     struct pario_data_error *err_p) PARIO_MUST_USE;

/*
 * For loops that may not spend time on filling: the buffer holds the bytes of
 * a base once, and each call only stamps its chunk: one exact word at the
 * chunk's begin and every PARIO_DATA_STAMP bytes from there on. So every
 * block still differs, and every block tells where it belongs. offset and
 * chunk sizes are multiples of 8.
 */
#define PARIO_DATA_STAMP 4096

struct pario_data_chunk {
    struct pario_data data; /* what the stamps say */
    int64_t offset;
    struct pario_data base; /* what is between the stamps */
    int64_t base_offset;
};

void pario_data_stamp(const struct pario_data *data, int64_t offset, void *buf,
                      size_t len);
int pario_data_check_stamped(const struct pario_data_chunk *chunk,
                             const void *buf, size_t len,
                             struct pario_data_error *err_p) PARIO_MUST_USE;

/*
 * Where passes go over the same places, each writes other data: the bytes of
 * the first stay, and its stamps are those of a file that is not among the
 * `files` of the run. A number comes again only after 2^20 / files passes.
 */
struct pario_data pario_data_of_pass(const struct pario_data *data,
                                     uint64_t files, int64_t pass);

/* Local. Adds to *err, which begins as zeros, where found is not as expected.
 * offset: of the first byte, where a word begins that tells its place. */
void pario_data_compare(const void *expected, const void *found, size_t len,
                        int64_t offset, struct pario_data_error *err);

/* Local. Where in the run with this key a word stands: 1 and file/offset set
 * if it is a word of one of the first nfiles files, 0 if of no such file. */
int pario_data_locate(uint64_t key, uint64_t nfiles, uint64_t word,
                      uint64_t *file_p, int64_t *offset_p);

/* Local. One sentence for people: offset, expected, found, and whether the
 * bytes belong elsewhere in this run, are zeros, or are strange. */
void pario_data_describe(const struct pario_data *data, uint64_t nfiles,
                         const struct pario_data_error *err, char *text,
                         size_t len);

#endif
