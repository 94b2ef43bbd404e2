/* A fresh directory for each test, and names in it. */
#ifndef PARIO_TESTS_MADE_DIR_H
#define PARIO_TESTS_MADE_DIR_H

#include "core/cleanup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static inline int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/pario-cleanup-XXXXXX");
    return mkdtemp(dir) == NULL;
}

static inline int exists(const char *name)
{
    char path[128];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return stat(path, &st) == 0;
}

static inline void touch(const char *name)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static inline void at(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", dir, name);
}

static inline void move(const char *from, const char *to)
{
    char a[128], b[128];

    at(from, a);
    at(to, b);
    assert_int_equal(rename(a, b), 0);
}

static inline void make(const char *name)
{
    char path[128];

    at(name, path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static inline void sweep(void)
{
    assert_int_equal(pario_cleanup_add_tree(dir), 0);
    assert_int_equal(pario_cleanup_remove(dir), 0);
    assert_int_not_equal(access(dir, F_OK), 0);
}

#endif
