/* streams.c - the C library's streams. What they move is recorded as bytes,
 * whichever call it was: fread or fgets, fwrite or fprintf. */
#include "recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef fprintf
#undef vfprintf

static struct rec_file *begin(FILE *stream, struct rec_span *span)
{
    int saved = errno; /* a stream without a descriptor is no error */
    struct rec_file *file = stream != NULL ? rec_fd(fileno(stream)) : NULL;

    errno = saved;
    return file != NULL && rec_begin(span) ? file : NULL;
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
#define FOPEN(name)                                                            \
    REC_PUBLIC FILE *name(const char *path, const char *mode)                  \
    {                                                                          \
        int64_t number = rec_is_on() ? rec_path(-100, path) : -1;              \
        struct rec_file *file = NULL;                                          \
        struct rec_span span;                                                  \
        FILE *stream;                                                          \
                                                                               \
        if (number < 0 || !rec_begin(&span))                                   \
            return NEXT(name)(path, mode);                                     \
        stream = NEXT(name)(path, mode);                                       \
        if (stream != NULL &&                                                  \
            (file = rec_file_new(number, mode_flags(mode))) != NULL)           \
            rec_fd_set(fileno(stream), file);                                  \
        REC_END(&span, PARIO_OP_fopen, stream != NULL ? 0 : -errno, number,    \
                file != NULL ? rec_file_arg(file) : -1, mode_flags(mode));     \
        return stream;                                                         \
    }

FOPEN(fopen)
FOPEN(fopen64)

REC_PUBLIC int fclose(FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span), *last;
    int rc;

    if (file == NULL)
        return NEXT(fclose)(stream);
    last = rec_fd_clear(fileno(stream));
    rc = NEXT(fclose)(stream);
    if (last == NULL) {
        rec_cancel();
        return rc;
    }
    REC_END(&span, PARIO_OP_fclose, rec_status(rc), rec_file_arg(last));
    rec_file_free(last);
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
        struct rec_file *file = begin(stream, &span);                          \
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

REC_PUBLIC size_t __fread_chk(void *buf, size_t room, size_t size, size_t count,
                              FILE *stream);
size_t __fread_chk(void *buf, size_t room, size_t size, size_t count,
                   FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);
    size_t n;

    if (file == NULL)
        return NEXT(__fread_chk)(buf, room, size, count, stream);
    n = NEXT(__fread_chk)(buf, room, size, count, stream);
    moved(&span, PARIO_OP_fread, file, (int64_t)(n * size),
          (int64_t)(count * size));
    return n;
}

REC_PUBLIC char *fgets(char *text, int room, FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);
    char *got;

    if (file == NULL)
        return NEXT(fgets)(text, room, stream);
    got = NEXT(fgets)(text, room, stream);
    REC_END(&span, PARIO_OP_fread, got != NULL ? 0 : 1, rec_file_arg(file),
            got != NULL ? (int64_t)strlen(got) : 1);
    return got;
}

#define GETLINE(name, params, args)                                            \
    REC_PUBLIC ssize_t name params                                             \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = begin(stream, &span);                          \
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

REC_PUBLIC int fputs(const char *text, FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);
    int64_t len;
    int rc;

    if (file == NULL)
        return NEXT(fputs)(text, stream);
    len = (int64_t)strlen(text);
    rc = NEXT(fputs)(text, stream);
    moved(&span, PARIO_OP_fwrite, file, rc >= 0 ? len : 0, len);
    return rc;
}

#define CHARACTER(name, op, params, args)                                      \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = begin(stream, &span);                          \
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
CHARACTER(fgetc, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(getc, PARIO_OP_fread, (FILE * stream), (stream))
CHARACTER(fputc, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))
CHARACTER(putc, PARIO_OP_fwrite, (int ch, FILE *stream), (ch, stream))

static int print(FILE *stream, const char *format, va_list args)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);
    int n;

    if (file == NULL)
        return NEXT(vfprintf)(stream, format, args);
    n = NEXT(vfprintf)(stream, format, args);
    REC_END(&span, PARIO_OP_fwrite, n >= 0 ? 0 : -errno, rec_file_arg(file),
            n >= 0 ? n : 0);
    return n;
}

REC_PUBLIC int vfprintf(FILE *stream, const char *format, va_list args)
{
    return print(stream, format, args);
}

REC_PUBLIC int fprintf(FILE *stream, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = print(stream, format, args);
    va_end(args);
    return n;
}

REC_PUBLIC int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    va_list args;
    int n;

    (void)flag;
    va_start(args, format);
    n = print(stream, format, args);
    va_end(args);
    return n;
}

REC_PUBLIC int __vfprintf_chk(FILE *stream, int flag, const char *format,
                              va_list args);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list args)
{
    (void)flag;
    return print(stream, format, args);
}

REC_PUBLIC int fflush(FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);
    int rc;

    if (file == NULL)
        return NEXT(fflush)(stream);
    rc = NEXT(fflush)(stream);
    REC_END(&span, PARIO_OP_fflush, rec_status(rc), rec_file_arg(file));
    return rc;
}

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
        struct rec_file *file = begin(stream, &span);                          \
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

REC_PUBLIC void rewind(FILE *stream)
{
    struct rec_span span;
    struct rec_file *file = begin(stream, &span);

    NEXT(rewind)(stream);
    if (file != NULL)
        REC_END(&span, PARIO_OP_fseek_set, 0, rec_file_arg(file), 0);
}
/* NOLINTEND(bugprone-macro-parentheses) */
