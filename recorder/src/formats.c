/* formats.c - formatted text, in streams and descriptors: the bytes that it
 * came to. */
#include "streams.h"

#include <stdarg.h>
#include <string.h>

#undef fprintf
#undef vfprintf
#undef printf
#undef vprintf
#undef dprintf
#undef vdprintf
#undef puts
#undef putchar

/* With _FORTIFY_SOURCE the C library looks closer at the format. */
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list args);
int __vdprintf_chk(int fd, int flag, const char *format, va_list args);

static int put(FILE *stream, int flag, const char *format, va_list args)
{
    return flag > 0 ? NEXT(__vfprintf_chk)(stream, flag, format, args)
                    : NEXT(vfprintf)(stream, format, args);
}

static int put_fd(int fd, int flag, const char *format, va_list args)
{
    return flag > 0 ? NEXT(__vdprintf_chk)(fd, flag, format, args)
                    : NEXT(vdprintf)(fd, format, args);
}

static int print(FILE *stream, int flag, const char *format, va_list args)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_stream(stream, &span);
    int n;

    if (file == NULL)
        return put(stream, flag, format, args);
    n = put(stream, flag, format, args);
    REC_END(&span, PARIO_OP_fwrite, n >= 0 ? 0 : -errno, rec_file_arg(file),
            n >= 0 ? n : 0);
    return n;
}

static int print_fd(int fd, int flag, const char *format, va_list args)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_file(fd, &span);
    int n;

    if (file == NULL)
        return put_fd(fd, flag, format, args);
    n = put_fd(fd, flag, format, args);
    REC_END(&span, PARIO_OP_write, n >= 0 ? 0 : -errno, rec_file_arg(file),
            n >= 0 ? n : 0);
    return n;
}

/* With _FORTIFY_SOURCE there is a flag before the format. */
#define PRINT(name, call, to, flag, ...)                                       \
    REC_PUBLIC int name(__VA_ARGS__, ...);                                     \
    int name(__VA_ARGS__, ...)                                                 \
    {                                                                          \
        va_list args;                                                          \
        int n;                                                                 \
                                                                               \
        va_start(args, format);                                                \
        n = call(to, flag, format, args);                                      \
        va_end(args);                                                          \
        return n;                                                              \
    }
#define PRINT_LIST(name, call, to, flag, ...)                                  \
    REC_PUBLIC int name(__VA_ARGS__, va_list args);                            \
    int name(__VA_ARGS__, va_list args)                                        \
    {                                                                          \
        return call(to, flag, format, args);                                   \
    }

PRINT(fprintf, print, stream, 0, FILE *stream, const char *format)
PRINT(__fprintf_chk, print, stream, level, FILE *stream, int level,
      const char *format)
PRINT_LIST(vfprintf, print, stream, 0, FILE *stream, const char *format)
PRINT_LIST(__vfprintf_chk, print, stream, level, FILE *stream, int level,
           const char *format)
PRINT(printf, print, stdout, 0, const char *format)
PRINT(__printf_chk, print, stdout, level, int level, const char *format)
PRINT_LIST(vprintf, print, stdout, 0, const char *format)
PRINT_LIST(__vprintf_chk, print, stdout, level, int level, const char *format)
PRINT(dprintf, print_fd, fd, 0, int fd, const char *format)
PRINT(__dprintf_chk, print_fd, fd, level, int fd, int level, const char *format)
PRINT_LIST(vdprintf, print_fd, fd, 0, int fd, const char *format)
PRINT_LIST(__vdprintf_chk, print_fd, fd, level, int fd, int level,
           const char *format)

REC_PUBLIC int puts(const char *text)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_stream(stdout, &span);
    int rc;

    if (file == NULL)
        return NEXT(puts)(text);
    rc = NEXT(puts)(text);
    REC_END(&span, PARIO_OP_fwrite, rc >= 0 ? 0 : -errno, rec_file_arg(file),
            (int64_t)strlen(text) + 1);
    return rc;
}

REC_PUBLIC int putchar(int c)
{
    return putc(c, stdout);
}

/* What was read is how far the stream came. */
typedef int scanner(FILE *stream, const char *format, va_list args);

static int scan(scanner *call, FILE *stream, const char *format, va_list args)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_stream(stream, &span);
    off64_t before, after;
    int n, saved = errno;

    if (file == NULL)
        return call(stream, format, args);
    before = ftello64(stream);
    errno = saved;
    n = call(stream, format, args);
    saved = errno;
    after = before >= 0 ? ftello64(stream) : -1;
    errno = saved;
    if (after > before)
        REC_END(&span, PARIO_OP_fread, 0, rec_file_arg(file), after - before);
    else if (after >= 0 && n == EOF)
        REC_END(&span, PARIO_OP_fread, 1, rec_file_arg(file), 1);
    else
        rec_cancel();
    return n;
}

/* The C standard and GNU read %a in two ways. */
scanner __isoc99_vfscanf, __isoc23_vfscanf;
#define SCAN(name, list, behind)                                               \
    REC_PUBLIC int list(FILE *stream, const char *format, va_list args);       \
    int list(FILE *stream, const char *format, va_list args)                   \
    {                                                                          \
        return scan((scanner *)NEXT(behind), stream, format, args);            \
    }                                                                          \
    REC_PUBLIC int name(FILE *stream, const char *format, ...);                \
    int name(FILE *stream, const char *format, ...)                            \
    {                                                                          \
        va_list args;                                                          \
        int n;                                                                 \
                                                                               \
        va_start(args, format);                                                \
        n = scan((scanner *)NEXT(behind), stream, format, args);               \
        va_end(args);                                                          \
        return n;                                                              \
    }

SCAN(__isoc99_fscanf, __isoc99_vfscanf, __isoc99_vfscanf)
SCAN(__isoc23_fscanf, __isoc23_vfscanf, __isoc23_vfscanf)
