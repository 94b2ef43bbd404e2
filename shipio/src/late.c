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

/* As many errors of waited calls has a rank place for. */
#define PLACES 4

/* No rank may still be about to read what this one's earlier error was. */
static void await_place(struct shipio_file *file, uint64_t call)
{
    struct shipio_shm *shm = file->shm;

    for (int r = 0; call > PLACES && r < shm->size; r++)
        shipio_gauge_await(shm, &shm->head->ranks[r].left, call - PLACES);
}

static void note_seen(struct shipio_late *late, uint64_t call)
{
    uint64_t seen = atomic_load(&late->seen);

    while (call > seen &&
           !atomic_compare_exchange_weak(&late->seen, &seen, call))
        continue;
}

void shipio_late_post(struct shipio_file *file, uint64_t call, int error,
                      bool waited)
{
    struct shipio_late *late = &file->late;
    uint64_t word = word_of(call, error);
    struct shipio_shm_head *head;
    uint64_t present;
    int none = 0;

    if (file->shm == NULL) {
        if (error > SHIPIO_ECLASS(0))
            atomic_compare_exchange_strong(&late->own, &none, error);
        return;
    }
    head = file->shm->head;
    present = atomic_load(&head->trouble);
    if (waited) {
        await_place(file, call);
        atomic_store(&head->ranks[file->team->rank].trouble[call % PLACES],
                     word);
    }
    note_seen(late, call);
    /* Wrong use of a call is its caller's own business. */
    if (error <= SHIPIO_ECLASS(0))
        return;
    while (word > present &&
           !atomic_compare_exchange_weak(&head->trouble, &present, word))
        continue;
}

void shipio_late_own(struct shipio_file *file, int error)
{
    int none = 0;

    atomic_compare_exchange_strong(&file->late.left_over, &none, error);
}

void shipio_late_left(struct shipio_file *file, uint64_t call)
{
    struct shipio_shm *shm = file->shm;

    shipio_gauge_advance(&shm->head->ranks[shm->rank].left, call);
}

int shipio_late_take(struct shipio_file *file)
{
    struct shipio_late *late = &file->late;
    uint64_t word;
    int error = 0;

    if (atomic_load(&late->left_over) != 0)
        error = atomic_exchange(&late->left_over, 0);
    if (error == 0 && file->shm == NULL)
        error = atomic_exchange(&late->own, 0);
    if (error != 0 || file->shm == NULL)
        return error;
    word = atomic_load(&file->shm->head->trouble);
    /* Others may be in later calls already; theirs is for then. */
    if (call_in(word) <= late->seen || call_in(word) > late->calls)
        return 0;
    note_seen(late, call_in(word));
    return error_in(word);
}

bool shipio_late_posted(const struct shipio_file *file)
{
    return file->shm != NULL && atomic_load(&file->shm->head->trouble) != 0;
}

int shipio_late_common(struct shipio_file *file)
{
    struct shipio_late *late = &file->late;

    for (int r = 0; r < file->team->size; r++) {
        uint64_t word = atomic_load(
            &file->shm->head->ranks[r].trouble[late->calls % PLACES]);

        if (call_in(word) != late->calls)
            continue;
        note_seen(late, late->calls);
        return error_in(word);
    }
    return 0;
}
