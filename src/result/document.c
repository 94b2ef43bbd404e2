/* result/document.c - the file of a result: its name, and how it is replaced.
 */
#include "result/document.h"
#include "core/beneath.h"
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

static void drop(const char *path)
{
    unlink(path);
    pario_cleanup_forget(path);
}

/* The file is new and open. */
static int take(int fd, const char *path, struct pario_claim *place)
{
    char *copy = strdup(path);
    int code = 0;

    close(fd);
    /* Best effort: an empty file would be left by a kill right now. */
    (void)!pario_cleanup_add_file(path);
    code = copy == NULL ? -ENOMEM : pario_output_hold(path, &place->held);
    if (code != 0) {
        free(copy);
        drop(path);
        return code;
    }
    free(place->path);
    place->path = copy;
    place->claimed = 1;
    return 0;
}

static int claim(const char *path, struct pario_claim *place)
{
    int fd = pario_output_create(path);

    return fd < 0 ? fd : take(fd, path, place);
}

void pario_document_leave(struct pario_claim *place)
{
    if (place->claimed && !pario_output_is_taken(place->path, place->held))
        drop(place->path);
    else if (place->claimed)
        pario_cleanup_forget(place->path);
    if (place->held >= 0)
        close(place->held);
    free(place->path);
    *place = PARIO_CLAIM_NONE;
}

static int claim_default(const char *suite, struct pario_claim *place)
{
    char utc[PARIO_UTC_LEN], name[NAME_MAX + 1];
    int code = -EEXIST;

    pario_clock_utc(utc, 1);
    for (int i = 1; i <= MAX_SUFFIX && code == -EEXIST; i++) {
        if (i == 1)
            snprintf(name, sizeof(name), "pario-%s-%s.json", suite, utc);
        else
            snprintf(name, sizeof(name), "pario-%s-%s-%d.json", suite, utc, i);
        code = claim(name, place);
    }
    return code == 0 ? 0
                     : pario_fail(code,
                                  "cannot create the result file %s: %s "
                                  "(choose another with --output FILE)",
                                  name, strerror(-code));
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

/* Can path, which exists, be replaced by a new document? The place gets the
 * name with symbolic links followed. */
static int find_replaceable(const char *path, struct pario_claim *place)
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
    drop(temporary);
    free(temporary);
    place->path = real;
    return 0;
}

int pario_document_reclaim(const char *path, struct pario_claim *place)
{
    int code = find_replaceable(path, place);

    if (code == 0) {
        code = pario_output_hold(place->path, &place->held);
        if (code != 0)
            return pario_fail_errno(code, "cannot write %s", path);
    }
    return code;
}

int pario_document_claim(const char *suite, const char *path, int force,
                         struct pario_claim *place)
{
    int code;

    if (path == NULL)
        return claim_default(suite, place);
    code = claim(path, place);
    if (code == -EEXIST && force)
        return find_replaceable(path, place);
    if (code == -EEXIST)
        return pario_fail(code,
                          "the result file %s exists and is kept: give "
                          "another name with --output, go on from it with "
                          "--resume, or replace it with --force",
                          path);
    if (code != 0)
        return pario_fail_errno(code, "cannot create the result file %s", path);
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

static int fill(int fd, const struct pario_claim *place, const char *text,
                int durable)
{
    int code = pario_output_keep_mode(fd, place->path);

    if (code == 0)
        code = pario_write_all(fd, text, strlen(text));
    if (code == 0)
        code = pario_write_all(fd, "\n", 1);
    if (code == 0 && durable && fsync(fd) != 0)
        code = -errno;
    if (close(fd) != 0 && code == 0)
        code = -errno;
    return code;
}

/* -ESTALE: the name is somebody else's now. */
static int replace(struct pario_claim *place, const char *text, int durable)
{
    char *temporary = NULL;
    int fd = -1, held = -1, code;

    code = open_temporary(place->path, &temporary, &fd);
    if (code != 0)
        return code;
    code = fill(fd, place, text, durable);
    if (code == 0)
        code = pario_output_hold(temporary, &held);
    if (code == 0 && pario_output_is_taken(place->path, place->held))
        code = -ESTALE;
    /* From here on the name is no longer the janitor's to remove. */
    if (code == 0)
        pario_cleanup_forget(place->path);
    if (code == 0 && rename(temporary, place->path) != 0)
        code = -errno;
    if (code == 0) {
        pario_cleanup_forget(temporary);
        if (durable)
            sync_directory(place->path);
    } else {
        drop(temporary);
    }
    free(temporary);
    if (code == 0 && place->held >= 0) {
        close(place->held);
        place->held = held;
    } else if (held >= 0) {
        close(held);
    }
    return code;
}

/* The document goes to a new name beside the one that was taken. */
static int move_aside(struct pario_claim *place)
{
    char *taken = strdup(place->path), name[PATH_MAX];
    int fd = taken == NULL ? -ENOMEM
                           : pario_output_temporary(taken, name, sizeof(name));
    int code = fd < 0 ? fd : take(fd, name, place);

    if (code == 0)
        code = pario_fail(-ESTALE,
                          "cannot write %s: something else has come to its "
                          "place during the run, and is kept; the results so "
                          "far are in %s",
                          taken, name);
    else
        code = pario_fail(-ESTALE,
                          "cannot write %s: something else has come to its "
                          "place during the run, and is kept",
                          place->path);
    free(taken);
    return code;
}

int pario_document_write(struct pario_claim *place, const json_t *document,
                         int durable)
{
    char *text = json_dumps(document, JSON_INDENT(1));
    struct stat st;
    void (*json_free)(void *);
    int code;

    json_get_alloc_funcs(NULL, &json_free);
    if (text == NULL)
        return pario_fail_errno(-ENOMEM, "cannot write %s", place->path);
    code = replace(place, text, durable);
    json_free(text);
    if (code == -ESTALE && pario_output_is_taken(place->path, place->held))
        return move_aside(place);
    if (code != 0)
        return pario_fail(code, "cannot write %s: %s%s", place->path,
                          strerror(-code),
                          stat(place->path, &st) == 0 && st.st_size > 0
                              ? " (the document before it is kept)"
                              : "");
    place->claimed = 0;
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
    json_t *list = json_object_get(document, name), *value;

    if (list == NULL) {
        list = json_array();
        if (json_object_set_new(document, name, list) != 0)
            return pario_fail_errno(-ENOMEM, "result document");
    }
    value = pario_json_text(text);
    if (value != NULL && pario_json_contains(list, value)) {
        json_decref(value);
        return 0;
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
