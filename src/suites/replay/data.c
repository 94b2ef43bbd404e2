/* suites/replay/data.c - the data of writes, and what is read. */
#include "suites/replay/play.h"

#include <endian.h>
#include <string.h>

/* The buffer holds no stamps of calls before. */
static void clear_stamps(struct replay_stream *stream)
{
    struct pario_data base = {.key = stream->replay->key, .file = REPLAY_BASE};

    pario_data_stamp(&base, 0, stream->buffer, stream->stamped);
    stream->stamped = 0;
}

/* Before a write: words that say where they belong, and that none of the
 * stream's last writes had. What lies in pieces, or anywhere, has at most one:
 * a device that finds duplicates may write less of it. */
static void stamp(struct replay_stream *stream, const struct replay_file *file,
                  const struct pario_place *place)
{
    struct pario_data stamps =
        pario_data_of_pass(&file->data, REPLAY_FILES,
                           1 + stream->nstamped++ % (REPLAY_PASSES - 1));
    int whole = place->piece >= place->bytes;
    int exact = place->offset >= 0 && place->offset % 8 == 0;
    size_t len = whole ? (size_t)place->bytes : 8;

    if (!exact || !whole || place->bytes < 8) {
        clear_stamps(stream);
        stream->sums.unstamped++;
    }
    if (!exact || place->piece < 8 || len > stream->room)
        return;
    pario_data_stamp(&stamps, place->offset, stream->buffer, len);
    stream->stamped = len > stream->stamped ? len : stream->stamped;
}

/* file NULL: the library has its memory to itself for a while. */
void replay_data_write(struct replay_stream *stream,
                       const struct replay_file *file,
                       const struct pario_place *place)
{
    if (file != NULL && file->checked) {
        stamp(stream, file, place);
        return;
    }
    clear_stamps(stream);
    stream->sums.unstamped++;
}

void replay_data_read(struct replay_stream *stream, struct replay_file *file,
                      const struct pario_place *place)
{
    int64_t next = __atomic_exchange_n(
        &file->next_read, place->offset + place->bytes, __ATOMIC_RELAXED);

    stream->sums.jumps += place->offset >= 0 && place->offset != next;
}

int replay_word_fits(uint64_t key, uint64_t file, int64_t offset, uint64_t word,
                     int64_t least)
{
    uint64_t number;
    int64_t belongs;

    if (!pario_data_locate(key, REPLAY_BASE + 1, word, &number, &belongs))
        return 0;
    return number == REPLAY_BASE ||
           (number % REPLAY_FILES == file && belongs == offset &&
            (int64_t)(number / REPLAY_FILES) >= least);
}

/* A word of another place of any file is wrong; one that is between stamps, or
 * was never written, cannot be known. */
void replay_data_check(struct replay_stream *stream,
                       const struct replay_file *file,
                       const struct pario_place *place)
{
    uint64_t word;

    if (place->offset < 0 || place->offset % 8 != 0 || place->piece < 8)
        return;
    stream->sums.checked += 8;
    memcpy(&word, stream->buffer, 8);
    word = le64toh(word);
    if (word == 0 || replay_word_fits(stream->replay->key, file->data.file,
                                      place->offset, word, 0))
        return;
    if (stream->sums.wrong == 0)
        snprintf(stream->sums.wrong_place, sizeof(stream->sums.wrong_place),
                 "%s at offset %lld: not the bytes that belong there",
                 place->path, (long long)place->offset);
    stream->sums.wrong += 8;
}
