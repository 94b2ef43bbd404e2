/* tests/unit/result_file.h - an example of a document, in a directory that is
 * empty when a test begins. */
#ifndef PARIO_TESTS_RESULT_FILE_H
#define PARIO_TESTS_RESULT_FILE_H

#include "result/result.h"
#include "result/value.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char program[] = "pario", command[] = "quick";
static char *words[] = {program, command, NULL};
static char directory[] = "/tmp/pario-test-result-XXXXXX";

/* Every test begins in an empty current directory. */
static inline int files_in_directory(int remove_them)
{
    DIR *dir = opendir(".");
    const struct dirent *entry;
    int count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them)
            assert_int_equal(remove(entry->d_name), 0);
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

static inline int set_up(void **state)
{
    (void)state;
    return files_in_directory(1) < 0;
}

static inline void assert_message_has(const char *part)
{
    if (strstr(pario_error_message(), part) == NULL)
        fail_msg("\"%s\" is not in the message \"%s\"", part,
                 pario_error_message());
}

static inline void write_text(const char *path, const char *text, size_t len)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

static inline char *read_text(const char *path)
{
    static char text[65536];
    FILE *in = fopen(path, "r");
    size_t len;

    assert_non_null(in);
    len = fread(text, 1, sizeof(text) - 1, in);
    text[len] = '\0';
    fclose(in);
    return text;
}

static inline void keep(char *copy, size_t len, const char *original)
{
    assert_true(strlen(original) < len);
    memcpy(copy, original, strlen(original) + 1);
}

static inline struct pario_measure example(int l_bytes)
{
    struct pario_measure measure = {
        .test = "type0",
        .access = "write",
        .partition = 4,
        .pattern = json_pack("{s:i, s:i}", "type", 0, "l_bytes", l_bytes),
        .bytes = 2000000,
        .operations = 20,
        .seconds = 0.5,
        .first_done_s = 0.25,
        .last_done_s = 0.5,
        .checked_bytes = 4096,
        .cache = PARIO_CACHE_DISK,
    };
    return measure;
}

static inline struct pario_result *create(const char *path, int force)
{
    struct pario_result *result = NULL;

    if (pario_result_create("quick", 2, words, path, force, &result) != 0)
        fail_msg("%s", pario_error_message());
    return result;
}

static inline json_t *load(const char *path)
{
    json_t *document = NULL;

    if (pario_result_load(path, &document) != 0)
        fail_msg("%s", pario_error_message());
    return document;
}

static inline json_t *measure_at(const json_t *document, size_t index)
{
    return json_array_get(json_object_get(document, "measures"), index);
}

static inline int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static inline int remove_directory(void **state)
{
    (void)state;
    files_in_directory(1);
    return chdir("/") != 0 || rmdir(directory) != 0;
}

#define RESULT_TEST(name) cmocka_unit_test_setup(name, set_up)

#endif
