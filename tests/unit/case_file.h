/* tests/unit/case_file.h - a file of cases, as --script and --fio name one. The
 * caller removes it. */
#ifndef PARIO_TEST_CASE_FILE_H
#define PARIO_TEST_CASE_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline const char *file_with(const char *text)
{
    static char path[] = "/tmp/test_pattern.XXXXXX";
    int fd;

    strcpy(path + sizeof(path) - 7, "XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

#endif
