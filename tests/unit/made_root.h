/* A folder that stands for / of another system: tests put files of /proc and
 * /sys there, each test in a fresh one. */
#ifndef PARIO_TESTS_MADE_ROOT_H
#define PARIO_TESTS_MADE_ROOT_H

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[PATH_MAX / 4];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/pario-test-root-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[PATH_MAX];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* root/path, after making the folders above it. */
static const char *below_root(const char *path)
{
    static char full[PATH_MAX];

    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1;
         (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(full, 0700) != 0)
            assert_int_equal(errno, EEXIST);
        *slash = '/';
    }
    return full;
}

/* Writes root/path. */
static void put(const char *path, const char *text)
{
    FILE *file = fopen(below_root(path), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define WITH_ROOT(test)                                                        \
    cmocka_unit_test_setup_teardown(test, make_root, remove_root)

#endif
