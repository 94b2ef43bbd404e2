/* result/document.c - the file of a result: its name, and how it is replaced.
 */
#include "result/document.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/output.h"
#include "core/storage.h"
#include "result/value.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SUFFIX 999

void pario_document_drop(const char *path)
{
    if (path == NULL)
        return;
    unlink(path);
    pario_cleanup_forget(path);
}

static int claim(const char *path)
{
    int fd = pario_output_create(path);

    if (fd < 0)
        return fd;
    close(fd);
    /* Best effort: an empty file would be left by a kill right now. */
    (void)!pario_cleanup_add_file(path);
    return 0;
}

static int claim_default(const char *suite, char **path_p)
{
    char utc[PARIO_UTC_LEN], name[NAME_MAX + 1];
    int code = -EEXIST;

    pario_clock_utc(utc, 1);
    for (int i = 1; i <= MAX_SUFFIX && code == -EEXIST; i++) {
        if (i == 1)
            snprintf(name, sizeof(name), "pario-%s-%s.json", suite, utc);
        else
            snprintf(name, sizeof(name), "pario-%s-%s-%d.json", suite, utc, i);
        code = claim(name);
    }
    if (code != 0)
        return pario_fail(code,
                          "cannot create the result file %s: %s (choose "
                          "another with --output FILE)",
                          name, strerror(-code));
    *path_p = strdup(name);
    if (*path_p == NULL) {
        pario_document_drop(name);
        return pario_fail_errno(-ENOMEM, "result file %s", name);
    }
    return 0;
}

/* The temporary lies beside the document: rename works within one file
 * system only. The caller frees *name_p. */
static int open_temporary(const char *path, char **name_p, int *fd_p)
{
    char prefix[PATH_MAX];
    char *name = malloc(PATH_MAX);
    int fd;

    if (name == NULL)
        return -ENOMEM;
    if (snprintf(prefix, sizeof(prefix), "%s.tmp", path) >= PATH_MAX)
        fd = -ENAMETOOLONG;
    else
        fd = pario_output_temporary(prefix, name, PATH_MAX);
    if (fd < 0) {
        free(name);
        return fd;
    }
    (void)!pario_cleanup_add_file(name); /* best effort, as above */
    *name_p = name;
    *fd_p = fd;
    return 0;
}

int pario_document_replaceable(const char *path, char **path_p)
{
    char *real, *temporary = NULL;
    int fd = -1, code = pario_output_resolve(path, &real);

    if (code != 0)
        return code;
    /* Now rather than after an hour of measuring. */
    code = open_temporary(real, &temporary, &fd);
    if (code != 0) {
        free(real);
        return pario_fail_errno(code, "cannot write beside the result file %s",
                                path);
    }
    close(fd);
    pario_document_drop(temporary);
    free(temporary);
    *path_p = real;
    return 0;
}

int pario_document_claim(const char *suite, const char *path, int force,
                         char **path_p, int *claimed_p)
{
    char *copy;
    int code;

    if (path == NULL) {
        code = claim_default(suite, path_p);
        *claimed_p = code == 0;
        return code;
    }
    code = claim(path);
    if (code == -EEXIST && force) {
        *claimed_p = 0;
        return pario_document_replaceable(path, path_p);
    }
    if (code == -EEXIST)
        return pario_fail(code,
                          "the result file %s exists and is kept: give "
                          "another name with --output, go on from it with "
                          "--resume, or replace it with --force",
                          path);
    if (code != 0)
        return pario_fail_errno(code, "cannot create the result file %s", path);
    copy = strdup(path);
    if (copy == NULL) {
        pario_document_drop(path);
        return pario_fail_errno(-ENOMEM, "result file %s", path);
    }
    *path_p = copy;
    *claimed_p = 1;
    return 0;
}

/* The new document gets the mode that the old one had. */
static int keep_mode(int fd, const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return 0;
    /* Some network file systems have no modes: the data matters. */
    if (fchmod(fd, st.st_mode & 07777) != 0 && errno != EPERM &&
        errno != ENOTSUP)
        return -errno;
    return 0;
}

/* The rename itself must survive a crash too; a file system that cannot sync
 * a directory is no reason to fail. */
static void sync_directory(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd;

    if (slash == NULL)
        snprintf(directory, sizeof(directory), ".");
    else
        snprintf(directory, sizeof(directory), "%.*s",
                 (int)(slash == path ? 1 : slash - path), path);
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static int replace(const char *path, const char *text, int durable)
{
    char *temporary = NULL;
    int fd = -1, code;

    code = open_temporary(path, &temporary, &fd);
    if (code != 0)
        return code;
    code = keep_mode(fd, path);
    if (code == 0)
        code = pario_write_all(fd, text, strlen(text));
    if (code == 0)
        code = pario_write_all(fd, "\n", 1);
    if (code == 0 && durable && fsync(fd) != 0)
        code = -errno;
    if (close(fd) != 0 && code == 0)
        code = -errno;
    /* From here on the name is no longer the janitor's to remove. */
    if (code == 0)
        pario_cleanup_forget(path);
    if (code == 0 && rename(temporary, path) != 0)
        code = -errno;
    if (code == 0) {
        pario_cleanup_forget(temporary);
        if (durable)
            sync_directory(path);
    } else {
        pario_document_drop(temporary);
    }
    free(temporary);
    return code;
}

int pario_document_write(const char *path, const json_t *document, int durable)
{
    char *text = json_dumps(document, JSON_INDENT(1));
    struct stat st;
    void (*json_free)(void *);
    int code;

    json_get_alloc_funcs(NULL, &json_free);
    if (text == NULL)
        return pario_fail_errno(-ENOMEM, "cannot write %s", path);
    code = replace(path, text, durable);
    json_free(text);
    if (code != 0)
        return pario_fail(code, "cannot write %s: %s%s", path, strerror(-code),
                          stat(path, &st) == 0 && st.st_size > 0
                              ? " (the document before it is kept)"
                              : "");
    return 0;
}

const char *pario_document_begun(const json_t *document)
{
    const json_t *resumed = json_object_get(document, "resumed");
    size_t count = json_array_size(resumed);
    const json_t *run =
        count > 0 ? json_array_get(resumed, count - 1) : document;

    return pario_text_of(run, "started_utc", NULL);
}

/* To the list of that name, which may be missing in a document of old. */
static int append_once(json_t *document, const char *name, const char *text)
{
    json_t *list = json_object_get(document, name), *value, *old;
    size_t i;

    if (list == NULL) {
        list = json_array();
        if (json_object_set_new(document, name, list) != 0)
            return pario_fail_errno(-ENOMEM, "result document");
    }
    value = pario_json_text(text);
    json_array_foreach(list, i, old)
    {
        if (value != NULL && json_equal(old, value)) {
            json_decref(value);
            return 0;
        }
    }
    return json_array_append_new(list, value) != 0
               ? pario_fail_errno(-ENOMEM, "result document")
               : 0;
}

int pario_document_warn(json_t *document, const char *text)
{
    return append_once(document, "warnings", text);
}

int pario_document_invalidate(json_t *document, const char *reason)
{
    int code = append_once(document, "invalid_reasons", reason);

    return code != 0 ? code : pario_document_warn(document, reason);
}
