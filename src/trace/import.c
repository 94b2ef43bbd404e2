/* trace/import.c - text of other tools becomes a trace in memory. */
#include "trace/import.h"
#include "trace/import_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE (1 << 20)

static const struct {
    const char *name;
    pario_import_fn *read;
} kinds[] = {
    {"strace", pario_import_strace},
    {"darshan-dxt-text", pario_import_dxt},
    {"darshan", pario_import_dxt},
    {"recorder-text", pario_import_recorder},
};

int pario_import_lines(FILE *in, pario_import_line_fn *take, void *context)
{
    char *line = malloc(MAX_LINE);
    int code = 0;

    if (line == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    while (code == 0 && fgets(line, MAX_LINE, in) != NULL) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        if (end != NULL || feof(in))
            code = take(context, line);
        else
            code = pario_fail(PARIO_EFORMAT,
                              "this is no text: a line of more than %d bytes, "
                              "or a zero byte",
                              MAX_LINE);
    }
    if (code == 0 && ferror(in))
        code = pario_fail_errno(errno != 0 ? -errno : -EIO,
                                "cannot read the text");
    free(line);
    return code;
}

static int read_text(pario_import_fn *read, const char *path, int rank,
                     struct pario_trace_writer *writer)
{
    FILE *in = fopen(path, "re");
    int code;

    if (in == NULL)
        return pario_fail_errno(-errno, "cannot read %s", path);
    code = read(in, writer, rank);
    fclose(in);
    return code;
}

/* A folder with 0.txt, 1.txt ...: a file for each rank. */
static int read_folder(pario_import_fn *read, const char *path,
                       struct pario_trace_writer *writer)
{
    char name[4096];
    struct stat st;
    int code = 0, rank = 0;

    for (; code == 0; rank++) {
        if (snprintf(name, sizeof(name), "%s/%d.txt", path, rank) >=
            (int)sizeof(name))
            return pario_fail_errno(-ENAMETOOLONG, "cannot read %s", path);
        if (stat(name, &st) != 0)
            break;
        code = read_text(read, name, rank, writer);
    }
    if (code == 0 && rank == 0)
        code = pario_fail(PARIO_EFORMAT,
                          "%s has no 0.txt, as recorder2text makes it", path);
    return code;
}

static int read_log(const char *path, struct pario_trace_writer *writer)
{
    FILE *in = NULL;
    pid_t pid = -1;
    int code = pario_import_darshan_open(path, &in, &pid), last;

    if (code != 0)
        return code;
    code = pario_import_dxt(in, writer, -1);
    last = pario_import_darshan_close(in, pid);
    return code != 0 ? code : last;
}

static int convert(const char *kind, pario_import_fn *read, const char *path,
                   FILE *out)
{
    struct pario_trace_writer *writer = NULL;
    struct stat st;
    int code = pario_trace_writer_create(out, &writer), last;

    if (code != 0)
        return code;
    if (strcmp(kind, "darshan") == 0)
        code = read_log(path, writer);
    else if (strcmp(kind, "recorder-text") == 0 && stat(path, &st) == 0 &&
             S_ISDIR(st.st_mode))
        code = read_folder(read, path, writer);
    else
        code = read_text(read, path, -1, writer);
    last = pario_trace_writer_finish(writer);
    return code != 0 ? code : last;
}

int pario_trace_import(const char *kind, const char *path,
                       struct pario_trace **trace_p)
{
    pario_import_fn *read = NULL;
    struct pario_trace *trace = NULL;
    char name[64];
    FILE *out;
    int fd, code;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, kind) == 0)
            read = kinds[i].read;
    if (read == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "--from: strace, darshan, darshan-dxt-text or "
                          "recorder-text, not '%s'",
                          kind);
    fd = memfd_create("pario-import", MFD_CLOEXEC);
    out = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (out == NULL) {
        if (fd >= 0)
            close(fd);
        return pario_fail_errno(-errno, "cannot read %s", path);
    }
    code = convert(kind, read, path, out);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    if (code == 0)
        code = pario_trace_open(name, &trace);
    if (code == 0 && pario_trace_processes(trace) == 0) {
        pario_trace_close(trace);
        code = pario_fail(PARIO_EFORMAT, "%s has no calls of %s", path, kind);
    }
    if (code == 0)
        *trace_p = trace;
    fclose(out);
    return code;
}
