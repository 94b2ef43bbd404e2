/* diff_buffer.h - user buffers with a known content around the data. */
#ifndef SHIPIO_DIFF_BUFFER_H
#define SHIPIO_DIFF_BUFFER_H

#include "diff_type.h"

struct diff_buffer {
    unsigned char *memory;
    unsigned char *image; /* what memory must hold afterwards */
    size_t len;
    void *address; /* to give to MPI */
    int64_t data_len;
    int64_t low; /* offset of memory[0] from address */
    const struct diff_type *type;
    int count;
};

void diff_buffer_init(struct diff_buffer *b, const struct diff_type *type,
                      int count, int misalign);
void diff_buffer_fini(struct diff_buffer *b);
/* Puts the stream of data in its places, as a writer does. */
void diff_buffer_scatter(struct diff_buffer *b, const unsigned char *data);
/*
 * After a read of got bytes of `expected` (where known says so, unless NULL):
 * -1 when all is as it must be (bytes of the type after the first `got` are not
 * looked at), -2 when a byte between the data was touched, else the first wrong
 * byte of the stream.
 */
int64_t diff_buffer_check(struct diff_buffer *b, const unsigned char *expected,
                          const uint8_t *known, int64_t got);

#endif
