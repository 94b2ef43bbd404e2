/* copies.c - what the system copies between two descriptors: a read of the one
 * and a write to the other, as far as they are files that are recorded. */
#include "recorder.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

struct end {
    struct rec_file *file;    /* NULL: a pipe, or not recorded */
    const int64_t *offset_at; /* the program's; NULL: where the file is */
};

static struct end end_of(int fd, const int64_t *offset_at)
{
    return (struct end){.file = rec_fd(fd), .offset_at = offset_at};
}

static bool begin(const struct end *from, const struct end *to,
                  struct rec_span *span)
{
    if ((from->file == NULL && to->file == NULL) || !rec_begin(span))
        return false;
    if (from->file != NULL)
        rec_note_inherited(from->file, span);
    if (to->file != NULL)
        rec_note_inherited(to->file, span);
    return true;
}

/* After a call that moved bytes, or none: a pointer that it did not refuse. */
static void note(const struct rec_span *span, const struct end *end, bool reads,
                 int64_t moved, int64_t len, int64_t result)
{
    if (end->offset_at != NULL)
        REC_END(span, reads ? PARIO_OP_pread : PARIO_OP_pwrite, result,
                rec_file_arg(end->file), *end->offset_at - moved, len);
    else
        REC_END(span, reads ? PARIO_OP_read : PARIO_OP_write, result,
                rec_file_arg(end->file), len);
}

/* As much as was moved is what was asked for: callers ask for all that may
 * come. What failed is tried in another way by them. */
static void copied(const struct rec_span *span, const struct end *from,
                   const struct end *to, int64_t moved, int64_t wanted)
{
    struct rec_span rest = *span;

    if (moved > 0) {
        if (from->file != NULL)
            note(span, from, true, moved, moved, 0);
        if (to->file != NULL && (from->file == NULL || rec_begin(&rest)))
            note(&rest, to, false, moved, moved, 0);
    } else if (moved == 0 && wanted > 0 && from->file != NULL) {
        note(span, from, true, 0, 1, 1); /* the end of the file */
    } else {
        rec_cancel();
    }
}

#define COPY(name)                                                             \
    REC_PUBLIC ssize_t name(int in, off64_t *in_at, int out, off64_t *out_at,  \
                            size_t len, unsigned flags)                        \
    {                                                                          \
        struct end from = end_of(in, in_at), to = end_of(out, out_at);         \
        struct rec_span span;                                                  \
        ssize_t n;                                                             \
                                                                               \
        if (!begin(&from, &to, &span))                                         \
            return NEXT(name)(in, in_at, out, out_at, len, flags);             \
        n = NEXT(name)(in, in_at, out, out_at, len, flags);                    \
        copied(&span, &from, &to, n, (int64_t)len);                            \
        return n;                                                              \
    }

COPY(copy_file_range)
COPY(splice)

/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define SENDFILE(name, type)                                                   \
    REC_PUBLIC ssize_t name(int out, int in, type *at, size_t len)             \
    {                                                                          \
        struct end from = end_of(in, at), to = end_of(out, NULL);              \
        struct rec_span span;                                                  \
        ssize_t n;                                                             \
                                                                               \
        if (!begin(&from, &to, &span))                                         \
            return NEXT(name)(out, in, at, len);                               \
        n = NEXT(name)(out, in, at, len);                                      \
        copied(&span, &from, &to, n, (int64_t)len);                            \
        return n;                                                              \
    }

/* NOLINTEND(bugprone-macro-parentheses) */
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)
