/* tests/unit/backend_cases.h - what every back-end must do, as functions that
 * the test of each back-end calls. */
#ifndef PARIO_TESTS_BACKEND_CASES_H
#define PARIO_TESTS_BACKEND_CASES_H

#include "core/data.h"
#include "io/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A fresh directory shared by all ranks of group (NULL: alone). */
static inline void make_test_dir(const struct pario_group *group, char *dir,
                                 size_t len)
{
    if (group == NULL || pario_group_rank(group) == 0) {
        snprintf(dir, len, "/tmp/pario-test-XXXXXX");
        assert_non_null(mkdtemp(dir));
    }
    if (group != NULL)
        assert_int_equal(pario_bcast(group, dir, len), 0);
}

static inline void remove_test_file(const struct pario_group *group,
                                    const char *path, const char *dir)
{
    if (group != NULL)
        assert_int_equal(pario_barrier(group), 0);
    if (group == NULL || pario_group_rank(group) == 0) {
        unlink(path);
        rmdir(dir);
    }
}

#define CASE_LEN 8192

/* Each rank writes its block with one form and reads it back with another;
 * every byte is checked, and a read past the end is short. */
static inline void check_round_trip(const struct pario_backend *backend,
                                    const struct pario_group *group,
                                    enum pario_form form)
{
    int rank = group != NULL ? pario_group_rank(group) : 0;
    int size = group != NULL ? pario_group_size(group) : 1;
    struct pario_data data = {.key = 42, .file = 1};
    int64_t offset = (int64_t)rank * CASE_LEN, bytes = 0;
    char dir[64], path[128];
    struct pario_target target = {.path = path, .group = group};
    struct pario_data_error error;
    struct pario_file *file = NULL;
    void *buf = NULL;

    make_test_dir(group, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    assert_int_equal(pario_buffer_alloc(CASE_LEN, &buf), 0);
    pario_data_fill(&data, offset, buf, CASE_LEN);
    target.flags = PARIO_OPEN_CREATE | PARIO_OPEN_READ | PARIO_OPEN_WRITE;
    assert_int_equal(backend->open(&target, &file), 0);
    if (form == PARIO_FORM_POINTER || form == PARIO_FORM_POINTER_ALL)
        assert_int_equal(backend->seek(file, offset), 0);
    assert_int_equal(
        backend->io[PARIO_WRITE][form](file, buf, CASE_LEN, offset), 0);
    assert_int_equal(backend->sync(file), 0);
    /* Sync is collective but waits for nobody: another process may not have
     * written yet. */
    if (group != NULL)
        assert_int_equal(pario_barrier(group), 0);
    assert_int_equal(backend->size(file, &bytes), 0);
    assert_int_equal(bytes, (int64_t)size * CASE_LEN);
    memset(buf, 0, CASE_LEN);
    if (form == PARIO_FORM_POINTER || form == PARIO_FORM_POINTER_ALL)
        assert_int_equal(backend->seek(file, offset), 0);
    if (form == PARIO_FORM_ORDERED)
        assert_int_equal(backend->seek_shared(file, 0), 0);
    assert_int_equal(backend->io[PARIO_READ][form](file, buf, CASE_LEN, offset),
                     0);
    assert_int_equal(pario_data_check(&data, offset, buf, CASE_LEN, &error), 0);
    assert_int_equal(backend->close(file), 0);
    free(buf);
    remove_test_file(group, path, dir);
}

/* CREATE must not touch a file that is there. */
static inline void check_create_existing(const struct pario_backend *backend,
                                         const struct pario_group *group)
{
    char dir[64], path[128];
    struct pario_target target = {.path = path,
                                  .group = group,
                                  .flags =
                                      PARIO_OPEN_CREATE | PARIO_OPEN_WRITE};
    struct pario_file *file = NULL;
    struct stat st;

    make_test_dir(group, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    if (group == NULL || pario_group_rank(group) == 0) {
        FILE *existing = fopen(path, "w");

        assert_non_null(existing);
        fputs("precious", existing);
        fclose(existing);
    }
    if (group != NULL)
        assert_int_equal(pario_barrier(group), 0);
    assert_true(backend->open(&target, &file) < 0);
    assert_non_null(strstr(pario_error_message(), path));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 8);
    remove_test_file(group, path, dir);
}

/* Several requests under way; all complete with the right bytes. */
static inline void check_nonblocking(const struct pario_backend *backend)
{
    enum { REQUESTS = 8, LEN = 4096 };
    struct pario_data data = {.key = 43, .file = 2};
    struct pario_request request[REQUESTS];
    struct pario_data_error error;
    struct pario_file *file = NULL;
    char dir[64], path[128];
    struct pario_target target = {.path = path,
                                  .queue_depth = REQUESTS,
                                  .flags = PARIO_OPEN_CREATE | PARIO_OPEN_READ |
                                           PARIO_OPEN_WRITE};
    char *buf;
    void *memory = NULL;

    make_test_dir(NULL, dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/file", dir);
    assert_int_equal(pario_buffer_alloc(REQUESTS * LEN, &memory), 0);
    buf = memory;
    pario_data_fill(&data, 0, buf, REQUESTS * LEN);
    assert_int_equal(backend->open(&target, &file), 0);
    for (int direction = PARIO_WRITE; direction <= PARIO_READ; direction++) {
        if (direction == PARIO_READ)
            memset(buf, 0, REQUESTS * LEN);
        for (int i = 0; i < REQUESTS; i++)
            assert_int_equal(backend->start(file,
                                            (enum pario_direction)direction,
                                            buf + i * LEN, LEN,
                                            (int64_t)i * LEN, &request[i]),
                             0);
        for (int i = REQUESTS - 1; i >= 0; i--)
            assert_int_equal(backend->wait(file, &request[i]), 0);
    }
    assert_int_equal(pario_data_check(&data, 0, buf, REQUESTS * LEN, &error),
                     0);
    assert_int_equal(backend->close(file), 0);
    free(buf);
    remove_test_file(NULL, path, dir);
}

#endif
