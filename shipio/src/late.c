/* late.c - errors posted in shared memory with the number of their call. */
#include "late.h"

#include "errors.h"
#include "file.h"

/* A call and its error in one word, so that the latest call wins. */
#define ERROR_BITS 20

static uint64_t word_of(uint64_t call, int error)
{
    return call << ERROR_BITS | (uint64_t)-error;
}

static uint64_t call_in(uint64_t word)
{
    return word >> ERROR_BITS;
}

static int error_in(uint64_t word)
{
    return -(int)(word & ((1 << ERROR_BITS) - 1));
}

void shipio_late_post(struct shipio_file *file, int error)
{
    struct shipio_late *late = &file->late;
    uint64_t word = word_of(late->calls, error);
    struct shipio_shm_head *head;
    uint64_t present;

    if (file->shm == NULL) {
        if (error > SHIPIO_ECLASS(0) && late->own == 0)
            late->own = error;
        return;
    }
    head = file->shm->head;
    present = atomic_load(&head->trouble);
    atomic_store(&head->ranks[file->team->rank].trouble[late->calls & 3], word);
    late->seen = late->calls;
    /* Wrong use of a call is its caller's own business. */
    if (error <= SHIPIO_ECLASS(0))
        return;
    while (word > present &&
           !atomic_compare_exchange_weak(&head->trouble, &present, word))
        continue;
}

int shipio_late_take(struct shipio_file *file)
{
    struct shipio_late *late = &file->late;
    uint64_t word;
    int error = late->own;

    if (file->shm == NULL) {
        late->own = 0;
        return error;
    }
    word = atomic_load(&file->shm->head->trouble);
    /* Others may be in later calls already; theirs is for then. */
    if (call_in(word) <= late->seen || call_in(word) > late->calls)
        return 0;
    late->seen = call_in(word);
    return error_in(word);
}

int shipio_late_common(struct shipio_file *file)
{
    struct shipio_late *late = &file->late;

    for (int r = 0; r < file->team->size; r++) {
        uint64_t word =
            atomic_load(&file->shm->head->ranks[r].trouble[late->calls & 3]);

        if (call_in(word) != late->calls)
            continue;
        late->seen = late->calls;
        return error_in(word);
    }
    return 0;
}
