/* report/output.c - text to a stream or a file. */
#include "report/output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int pario_output_stream(FILE *out, const char *name, const char *text,
                        size_t len)
{
    errno = 0;
    if (fwrite(text, 1, len, out) != len || fflush(out) != 0)
        return pario_fail_errno(errno != 0 ? -errno : -EIO, "cannot write %s",
                                name);
    return 0;
}

int pario_output_write(const char *path, int force, pario_output_writer *write,
                       void *context)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int created = fd >= 0, code;
    FILE *out;

    if (fd < 0 && errno == EEXIST && force)
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 && errno == EEXIST)
        return pario_fail(-EEXIST,
                          "%s exists and is kept: give another name with -o, "
                          "or replace it with --force",
                          path);
    if (fd < 0)
        return pario_fail_errno(-errno, "cannot write %s", path);
    out = fdopen(fd, "w");
    if (out == NULL) {
        code = pario_fail_errno(-errno, "cannot write %s", path);
        close(fd);
    } else {
        code = write(context, out, path);
        if (fclose(out) != 0 && code == 0)
            code = pario_fail_errno(-errno, "cannot write %s", path);
    }
    if (code != 0 && created)
        unlink(path);
    return code;
}

struct text {
    const char *text;
    size_t len;
};

static int write_text(void *context, FILE *out, const char *path)
{
    const struct text *text = context;

    return pario_output_stream(out, path, text->text, text->len);
}

int pario_output_file(const char *path, int force, const char *text, size_t len)
{
    struct text all = {text, len};

    return pario_output_write(path, force, write_text, &all);
}
