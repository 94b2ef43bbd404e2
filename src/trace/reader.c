/* trace/reader.c - finds the chunks of a trace, or of a recording that was not
 * ended, and puts them in order. */
#include "core/storage.h"
#include "core/text.h"
#include "trace/bytes.h"
#include "trace/reader_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NOTES 16384 /* bytes: what is damaged throughout is said often */

void *pario_trace_grow(void *array_p, size_t *count_p, size_t size)
{
    void *array;
    size_t count = *count_p;

    memcpy(&array, array_p, sizeof(array));
    if ((count & (count - 1)) == 0) { /* room for a power of two */
        array = realloc(array, (count > 0 ? 2 * count : 1) * size);
        if (array == NULL)
            return NULL;
        memcpy(array_p, &array, sizeof(array));
    }
    *count_p = count + 1;
    return memset((char *)array + count * size, 0, size);
}

void pario_trace_note(struct pario_trace *trace, const char *fmt, ...)
{
    char line[512];
    char *notes = NULL;
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    pario_text_tame(line); /* names and texts of the file may be in it */
    if (trace->notes != NULL && (strlen(trace->notes) > MAX_NOTES ||
                                 strstr(trace->notes, line) != NULL))
        return;
    if (asprintf(&notes, "%s%s\n", trace->notes != NULL ? trace->notes : "",
                 line) < 0)
        return;
    free(trace->notes);
    trace->notes = notes;
}

int pario_trace_line(const char *lines, const char *key, char *text, size_t len)
{
    size_t key_len = strlen(key);

    while (lines != NULL && *lines != '\0') {
        const char *end = strchrnul(lines, '\n');

        if (strncmp(lines, key, key_len) == 0 && lines[key_len] == ' ') {
            size_t n = (size_t)(end - lines) - key_len - 1;

            n = n < len ? n : len - 1;
            memcpy(text, lines + key_len + 1, n);
            text[n] = '\0';
            return 1;
        }
        lines = *end != '\0' ? end + 1 : end;
    }
    text[0] = '\0';
    return 0;
}

int pario_trace_load(const struct pario_trace *trace,
                     const struct pario_trace_part *part, uint8_t **contents_p)
{
    const struct pario_trace_file *file = &trace->files[part->file];
    size_t len = (size_t)part->chunk.len;
    uint8_t *contents = malloc(len + 1);
    int code = 0;

    if (contents == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    if (file->fd >= 0)
        code = pario_pread_all(file->fd, contents, len, part->offset);
    else
        memcpy(contents, file->data + part->offset, len);
    contents[len] = '\0';
    if (code == 0 && pario_crc32(0, contents, len) != part->chunk.crc)
        code = PARIO_EFORMAT;
    if (code == 0) {
        *contents_p = contents;
        return 0;
    }
    free(contents);
    return code == PARIO_EFORMAT
               ? pario_fail(code, "%s: a chunk is damaged at byte %lld",
                            trace->path, (long long)part->offset)
               : pario_fail_errno(code, "cannot read %s", trace->path);
}

static int add_part(struct pario_trace *trace, const struct pario_chunk *chunk,
                    size_t file, int64_t offset)
{
    struct pario_trace_part *part =
        pario_trace_grow(&trace->parts, &trace->nparts, sizeof(*part));

    if (part == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    part->chunk = *chunk;
    part->file = file;
    part->offset = offset;
    return 0;
}

static int add_chunks(struct pario_trace *trace, size_t file, int64_t size)
{
    uint8_t head[PARIO_CHUNK_HEAD];
    struct pario_chunk chunk;
    int64_t at = PARIO_TRACE_HEAD;

    while (at < size) {
        int code;

        if (size - at < PARIO_CHUNK_HEAD ||
            pario_pread_all(trace->files[file].fd, head, sizeof(head), at) !=
                0 ||
            pario_chunk_get(head, &chunk) != 0) {
            pario_trace_note(trace, "damaged or cut off at byte %lld of %lld",
                             (long long)at, (long long)size);
            return 0;
        }
        at += PARIO_CHUNK_HEAD;
        if ((int64_t)chunk.len > size - at) {
            pario_trace_note(trace,
                             "cut off at byte %lld: a chunk of %lld "
                             "bytes is not complete",
                             (long long)size, (long long)chunk.len);
            return 0;
        }
        code = add_part(trace, &chunk, file, at);
        if (code != 0)
            return code;
        at += (int64_t)chunk.len;
    }
    return 0;
}

/* Takes fd. */
static int add_trace_file(struct pario_trace *trace, int fd, const char *path)
{
    uint8_t head[PARIO_TRACE_HEAD];
    struct pario_trace_file *file;
    struct stat st;
    int code;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    file = pario_trace_grow(&trace->files, &trace->nfiles, sizeof(*file));
    if (file == NULL) {
        close(fd);
        return pario_fail_errno(-ENOMEM, "cannot read %s", path);
    }
    file->fd = fd;
    if (fstat(fd, &st) != 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    code = pario_pread_all(fd, head, sizeof(head), 0);
    if (code == PARIO_ESHORT && st.st_size == 0)
        return pario_fail(PARIO_EFORMAT, "%s is empty, no trace", path);
    if (code == 0)
        code = pario_trace_get_head(head);
    if (code == -ENOTSUP)
        return pario_fail(PARIO_EFORMAT,
                          "%s is a trace of version %u; this program reads "
                          "version %d",
                          path, pario_get_u32(head + 8), PARIO_TRACE_VERSION);
    if (code != 0)
        return pario_fail(PARIO_EFORMAT, "%s is no trace", path);
    return add_chunks(trace, trace->nfiles - 1, st.st_size);
}

/* What a process that was killed had recorded last. */
static int add_live_block(struct pario_trace *trace,
                          const struct pario_live *live)
{
    struct pario_trace_file *file;
    uint8_t head[PARIO_CHUNK_HEAD];
    struct pario_chunk chunk;
    uint8_t *block;

    if (live->ncalls == 0)
        return 0;
    block = malloc(PARIO_BLOCK_MAX);
    file = pario_trace_grow(&trace->files, &trace->nfiles, sizeof(*file));
    if (block == NULL || file == NULL) {
        free(block);
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    }
    file->fd = -1;
    file->data = block;
    pario_chunk_put(head, PARIO_CHUNK_BLOCK, live->process, block,
                    pario_live_encode(live, block));
    if (pario_chunk_get(head, &chunk) != 0)
        return pario_fail(PARIO_EFORMAT, "cannot read %s", trace->path);
    return add_part(trace, &chunk, trace->nfiles - 1, 0);
}

/* Takes fd. */
static int add_live(struct pario_trace *trace, int fd, const char *path)
{
    struct pario_live *live;
    int code = 0;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    live = malloc(sizeof(*live));
    if (live == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    else if (pario_pread_all(fd, live, sizeof(*live), 0) != 0 ||
             pario_live_check(live, sizeof(*live)) != 0)
        pario_trace_note(trace, "%s: the last calls of a thread are lost",
                         path);
    else
        code = add_live_block(trace, live);
    close(fd);
    free(live);
    return code;
}

static int has_end(const struct dirent *entry, const char *end)
{
    size_t len = strlen(entry->d_name), end_len = strlen(end);

    return len > end_len && strcmp(entry->d_name + len - end_len, end) == 0;
}

static int is_recorded(const struct dirent *entry)
{
    return has_end(entry, ".part") || has_end(entry, ".live");
}

/* A link or a pipe is no recorder's. */
static int add_entry(struct pario_trace *trace, int dir, const char *folder,
                     const struct dirent *entry)
{
    char *path = NULL;
    int code, fd;

    if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
        return pario_fail_errno(-ENOMEM, "cannot read %s", folder);
    fd = openat(dir, entry->d_name,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    code = has_end(entry, ".part") ? add_trace_file(trace, fd, path)
                                   : add_live(trace, fd, path);
    if (code == PARIO_EFORMAT) {
        pario_trace_note(trace, "%s", pario_error_message());
        code = 0;
    }
    free(path);
    return code;
}

static int add_folder(struct pario_trace *trace, int dir, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandirat(dir, ".", &entries, is_recorded, alphasort);
    int code =
        count < 0 ? pario_fail_errno(-errno, "cannot read %s", folder) : 0;

    for (int i = 0; i < count; i++) {
        if (code == 0)
            code = add_entry(trace, dir, folder, entries[i]);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static int add_folder_of(struct pario_trace *trace, const char *path)
{
    int code, dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    code = add_folder(trace, dir, path);
    close(dir);
    return code;
}

/* A recording that is under way, or was killed, has its folder beside the
 * trace; both belong together. */
static int add_all(struct pario_trace *trace)
{
    struct stat st;
    char *folder = NULL;
    int found = 0, code = 0;

    if (asprintf(&folder, "%s.spool", trace->path) < 0)
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) {
        found = 1;
        code = add_folder_of(trace, folder);
    }
    free(folder);
    if (code != 0)
        return code;
    if (stat(trace->path, &st) != 0)
        return found && errno == ENOENT
                   ? 0
                   : pario_fail_errno(-errno, "cannot read %s", trace->path);
    if (S_ISDIR(st.st_mode))
        return add_folder_of(trace, trace->path);
    return add_trace_file(trace, open(trace->path, O_RDONLY | O_CLOEXEC),
                          trace->path);
}

/* dir -1: by its path. */
static int open_any(int dir, const char *path, struct pario_trace **trace_p)
{
    struct pario_trace *trace = calloc(1, sizeof(*trace));
    int code = 0;

    if (trace == NULL || (trace->path = strdup(path)) == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    else
        code = dir >= 0 ? add_folder(trace, dir, path) : add_all(trace);
    if (code == 0)
        code = pario_trace_index(trace);
    if (code == 0)
        *trace_p = trace;
    else
        pario_trace_close(trace);
    return code;
}

int pario_trace_open(const char *path, struct pario_trace **trace_p)
{
    return open_any(-1, path, trace_p);
}

int pario_trace_open_folder(int dir, const char *path,
                            struct pario_trace **trace_p)
{
    return open_any(dir, path, trace_p);
}

static void free_member(struct pario_trace_member *member)
{
    for (size_t i = 0; i < member->nstrings; i++)
        free(member->strings[i]);
    for (size_t i = 0; i < member->facts.nstreams; i++)
        free(member->streams[i].parts);
    free(member->strings);
    free(member->streams);
    free(member->text);
}

void pario_trace_close(struct pario_trace *trace)
{
    if (trace == NULL)
        return;
    for (size_t i = 0; i < trace->nmembers; i++)
        free_member(&trace->members[i]);
    for (size_t i = 0; i < trace->nfiles; i++) {
        if (trace->files[i].fd >= 0)
            close(trace->files[i].fd);
        free(trace->files[i].data);
    }
    free(trace->members);
    free(trace->files);
    free(trace->parts);
    free(trace->job);
    free(trace->notes);
    free(trace->path);
    free(trace);
}
