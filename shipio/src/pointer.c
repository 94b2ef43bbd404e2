/* pointer.c - taking bytes from the shared pointer. */
#include "pointer.h"

#include "cell.h"
#include "means.h"

void shipio_pointer_open(struct shipio_file *file)
{
    file->means->pointer_open(file, (file->amode & MPI_MODE_APPEND) != 0
                                        ? file->storage.size_at_open
                                        : 0);
}

void shipio_pointer_close(struct shipio_file *file)
{
    shipio_cell_close(file->pointer.cell);
    file->pointer.cell = NULL;
}

int shipio_pointer_take(struct shipio_file *file, int64_t nbytes,
                        int64_t *pos_p)
{
    return file->means->pointer_take(file, nbytes, pos_p);
}

int shipio_pointer_take_ordered(struct shipio_file *file, int64_t nbytes,
                                int64_t *pos_p)
{
    return file->means->pointer_take_ordered(file, nbytes, pos_p);
}

int shipio_pointer_get(struct shipio_file *file, int64_t *pos_p)
{
    return shipio_pointer_take(file, 0, pos_p);
}

void shipio_pointer_set(struct shipio_file *file, int64_t pos)
{
    file->means->pointer_set(file, pos);
}

void shipio_pointer_reset(struct shipio_file *file)
{
    if (file->pointer.foreign)
        return;
    shipio_file_barrier(file);
    if (file->team->rank == 0)
        shipio_pointer_set(file, 0);
    shipio_file_barrier(file);
}
