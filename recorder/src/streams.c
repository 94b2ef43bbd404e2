/* streams.c - the C library's streams. What they move is recorded as bytes,
 * whichever call it was: fread or fgets, fwrite or fprintf. */
#include "streams.h"

#include <fcntl.h>
#include <string.h>

struct rec_file *rec_begin_stream(FILE *stream, struct rec_span *span)
{
    int saved = errno; /* a stream without a descriptor is no error */
    int fd = stream != NULL ? fileno(stream) : -1;

    errno = saved;
    return rec_begin_file(fd, span);
}

static int64_t mode_flags(const char *mode)
{
    int64_t flags = mode[0] == 'r' ? PARIO_TRACE_READ : PARIO_TRACE_WRITE;

    if (strchr(mode, '+') != NULL)
        flags |= PARIO_TRACE_READ | PARIO_TRACE_WRITE;
    if (mode[0] == 'w')
        flags |= PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC;
    if (mode[0] == 'a')
        flags |= PARIO_TRACE_CREATE | PARIO_TRACE_APPEND;
    if (strchr(mode, 'x') != NULL)
        flags |= PARIO_TRACE_EXCL;
    return flags;
}

/* Names and lists of parameters cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
/* Ends the call that opened the stream, or did not. */
static FILE *opened(const struct rec_span *span, FILE *stream, int64_t number,
                    const char *mode)
{
    struct rec_file *file = NULL;

    if (stream != NULL &&
        (file = rec_file_new(number, mode_flags(mode))) != NULL)
        rec_fd_set(fileno(stream), file);
    REC_END(span, PARIO_OP_fopen, stream != NULL ? 0 : -errno, number,
            file != NULL ? rec_file_arg(file) : -1, mode_flags(mode));
    return stream;
}

#define FOPEN(name)                                                            \
    REC_PUBLIC FILE *name(const char *path, const char *mode)                  \
    {                                                                          \
        int64_t number = rec_is_on() ? rec_path(AT_FDCWD, path) : -1;          \
        struct rec_span span;                                                  \
                                                                               \
        if (number < 0 || !rec_begin(&span))                                   \
            return NEXT(name)(path, mode);                                     \
        return opened(&span, NEXT(name)(path, mode), number, mode);            \
    }

FOPEN(fopen)
FOPEN(fopen64)

/* The file that the stream had is closed, and so is the stream when the other
 * cannot be opened. Without a path it is the same in another mode. */
static struct rec_file *displaced(int fd, const char *path, int64_t *number_p)
{
    struct rec_file *file = rec_fd(fd);

    *number_p = !rec_is_on()   ? -1
                : path != NULL ? rec_path(AT_FDCWD, path)
                : file != NULL ? file->path
                               : -1;
    return file;
}

#define FREOPEN(name)                                                          \
    REC_PUBLIC FILE *name(const char *path, const char *mode, FILE *stream)    \
    {                                                                          \
        int fd = fileno(stream);                                               \
        int64_t number;                                                        \
        struct rec_file *last = displaced(fd, path, &number);                  \
        struct rec_span span;                                                  \
                                                                               \
        if ((last == NULL && number < 0) || !rec_begin(&span))                 \
            return NEXT(name)(path, mode, stream);                             \
        if (last != NULL) {                                                    \
            rec_note_inherited(last, &span);                                   \
            last = rec_fd_clear(fd);                                           \
        }                                                                      \
        stream = NEXT(name)(path, mode, stream);                               \
        if (last != NULL) {                                                    \
            REC_END(&span, PARIO_OP_fclose, 0, rec_file_arg(last));            \
            rec_file_free(last, true);                                         \
            (void)rec_begin(&span);                                            \
        }                                                                      \
        if (number >= 0)                                                       \
            return opened(&span, stream, number, mode);                        \
        rec_cancel();                                                          \
        return stream;                                                         \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

REC_PUBLIC int fclose(FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_stream(stream, &span), *last;
    int rc;

    if (file == NULL)
        return NEXT(fclose)(stream);
    last = rec_fd_clear(fileno(stream));
    rc = NEXT(fclose)(stream);
    rec_end_close(&span, PARIO_OP_fclose, rc, last);
    return rc;
}

/* A call that moved so many bytes of those wanted. */
static void moved(const struct rec_span *span, enum pario_trace_op op,
                  const struct rec_file *file, int64_t len, int64_t wanted)
{
    REC_END(span, op, len == wanted ? 0 : len + 1, rec_file_arg(file), wanted);
}

#define ITEMS(name, op, QUAL)                                                  \
    REC_PUBLIC size_t name(QUAL void *buf, size_t size, size_t count,          \
                           FILE *stream)                                       \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        size_t n;                                                              \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(buf, size, count, stream);                       \
        n = NEXT(name)(buf, size, count, stream);                              \
        moved(&span, op, file, (int64_t)(n * size), (int64_t)(count * size));  \
        return n;                                                              \
    }

#undef fread_unlocked
#undef fwrite_unlocked
#define NOTHING
ITEMS(fread, PARIO_OP_fread, NOTHING)
ITEMS(fread_unlocked, PARIO_OP_fread, NOTHING)
ITEMS(fwrite, PARIO_OP_fwrite, const)
ITEMS(fwrite_unlocked, PARIO_OP_fwrite, const)

#define ITEMS_CHECKED(name)                                                    \
    REC_PUBLIC size_t name(void *buf, size_t room, size_t size, size_t count,  \
                           FILE *stream);                                      \
    size_t name(void *buf, size_t room, size_t size, size_t count,             \
                FILE *stream)                                                  \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        size_t n;                                                              \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(buf, room, size, count, stream);                 \
        n = NEXT(name)(buf, room, size, count, stream);                        \
        moved(&span, PARIO_OP_fread, file, (int64_t)(n * size),                \
              (int64_t)(count * size));                                        \
        return n;                                                              \
    }

ITEMS_CHECKED(__fread_chk)
ITEMS_CHECKED(__fread_unlocked_chk)

#define LINE(name, params, args)                                               \
    REC_PUBLIC char *name params;                                              \
    char *name params                                                          \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        char *got;                                                             \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name) args;                                            \
        got = NEXT(name) args;                                                 \
        REC_END(&span, PARIO_OP_fread, got != NULL ? 0 : 1,                    \
                rec_file_arg(file), got != NULL ? (int64_t)strlen(got) : 1);   \
        return got;                                                            \
    }

LINE(fgets, (char *text, int room, FILE *stream), (text, room, stream))
LINE(fgets_unlocked, (char *text, int room, FILE *stream), (text, room, stream))
LINE(__fgets_chk, (char *text, size_t size, int room, FILE *stream),
     (text, size, room, stream))
LINE(__fgets_unlocked_chk, (char *text, size_t size, int room, FILE *stream),
     (text, size, room, stream))

#define GETLINE(name, params, args)                                            \
    REC_PUBLIC ssize_t name params;                                            \
    ssize_t name params                                                        \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        ssize_t n;                                                             \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name) args;                                            \
        n = NEXT(name) args;                                                   \
        REC_END(&span, PARIO_OP_fread, n >= 0 ? 0 : 1, rec_file_arg(file),     \
                n >= 0 ? (int64_t)n : 1);                                      \
        return n;                                                              \
    }

GETLINE(getline, (char **line, size_t *room, FILE *stream),
        (line, room, stream))
GETLINE(getdelim, (char **line, size_t *room, int end, FILE *stream),
        (line, room, end, stream))
/* What getline is with optimisation. */
GETLINE(__getdelim, (char **line, size_t *room, int end, FILE *stream),
        (line, room, end, stream))

#define TEXT(name)                                                             \
    REC_PUBLIC int name(const char *text, FILE *stream)                        \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        int64_t len;                                                           \
        int rc;                                                                \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(text, stream);                                   \
        len = (int64_t)strlen(text);                                           \
        rc = NEXT(name)(text, stream);                                         \
        moved(&span, PARIO_OP_fwrite, file, rc >= 0 ? len : 0, len);           \
        return rc;                                                             \
    }

TEXT(fputs)
TEXT(fputs_unlocked)

#define CHARACTER(name, op, params, args)                                      \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        int c;                                                                 \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name) args;                                            \
        c = NEXT(name) args;                                                   \
        moved(&span, op, file, c != EOF, 1);                                   \
        return c;                                                              \
    }

#undef putc
#undef getc
#undef putc_unlocked
#undef getc_unlocked
#undef fputc_unlocked
#undef fgetc_unlocked
CHARACTER(fgetc, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(getc, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(fputc, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))
CHARACTER(putc, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))
/* Where they are not taken from the buffer by the program itself. */
CHARACTER(fgetc_unlocked, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(getc_unlocked, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(fputc_unlocked, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))
CHARACTER(putc_unlocked, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))

#define FLUSH(name)                                                            \
    REC_PUBLIC int name(FILE *stream)                                          \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        int rc;                                                                \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(stream);                                         \
        rc = NEXT(name)(stream);                                               \
        REC_END(&span, PARIO_OP_fflush, rec_status(rc), rec_file_arg(file));   \
        return rc;                                                             \
    }

FLUSH(fflush)
FLUSH(fflush_unlocked)

static enum pario_trace_op seek_op(int whence)
{
    return whence == SEEK_SET   ? PARIO_OP_fseek_set
           : whence == SEEK_CUR ? PARIO_OP_fseek_cur
                                : PARIO_OP_fseek_end;
}

#define FSEEK(name, type)                                                      \
    REC_PUBLIC int name(FILE *stream, type offset, int whence)                 \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        int rc;                                                                \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(stream, offset, whence);                         \
        rc = NEXT(name)(stream, offset, whence);                               \
        REC_END(&span, seek_op(whence), rec_status(rc), rec_file_arg(file),    \
                (int64_t)offset);                                              \
        return rc;                                                             \
    }

FSEEK(fseek, long)
FSEEK(fseeko, off_t)
FSEEK(fseeko64, off64_t)

#define FSETPOS(name, type)                                                    \
    REC_PUBLIC int name(FILE *stream, const type *place)                       \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_stream(stream, &span);               \
        int rc;                                                                \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(stream, place);                                  \
        rc = NEXT(name)(stream, place);                                        \
        REC_END(&span, PARIO_OP_fseek_set, rec_status(rc), rec_file_arg(file), \
                (int64_t)place->__pos);                                        \
        return rc;                                                             \
    }

FSETPOS(fsetpos, fpos_t)
FSETPOS(fsetpos64, fpos64_t)

REC_PUBLIC void rewind(FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_stream(stream, &span);

    NEXT(rewind)(stream);
    if (file != NULL)
        REC_END(&span, PARIO_OP_fseek_set, 0, rec_file_arg(file), 0);
}
/* NOLINTEND(bugprone-macro-parentheses) */
