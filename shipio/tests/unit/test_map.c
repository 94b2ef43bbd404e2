/* test_map.c - the guard of mappings: a page that cannot be had ends the copy,
 * not the process; where that cannot be promised nothing is mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "map.h"

#define LEN 65536

/* A file of LEN bytes without a name. */
static void open_file(struct shipio_file *file)
{
    char path[] = "/tmp/shipio-map-XXXXXX";

    memset(file, 0, sizeof(*file));
    file->fd = mkstemp(path);
    file->amode = MPI_MODE_RDWR;
    assert_true(file->fd >= 0);
    unlink(path);
    assert_int_equal(ftruncate(file->fd, LEN), 0);
}

static void close_file(struct shipio_file *file)
{
    shipio_map_close(&file->alone.map);
    close(file->fd);
}

static void touch(void *argument)
{
    volatile char *place = argument;

    *place = 1;
}

static void check_bad_page(void)
{
    struct shipio_file file;

    open_file(&file);
    assert_int_equal(shipio_map_prepare(&file, &file.alone.map, LEN, true), 0);
    assert_true(shipio_map_guarded(touch, file.alone.map.mem + LEN - 1));
    assert_int_equal(ftruncate(file.fd, 0), 0);
    assert_false(shipio_map_guarded(touch, file.alone.map.mem + LEN - 1));
    assert_false(shipio_map_guarded(touch, file.alone.map.mem));
    close_file(&file);
}

static void check_blocked_signal(void)
{
    struct shipio_file file;
    sigset_t set;

    open_file(&file);
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    assert_int_equal(shipio_map_prepare(&file, &file.alone.map, LEN, true),
                     -EOPNOTSUPP);
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    assert_int_equal(shipio_map_prepare(&file, &file.alone.map, LEN, true), 0);
    close_file(&file);
}

/* A language with small stacks gives its threads another one for signals. */
static void check_stack_for_signals(void)
{
    struct sigaction now;

    assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
    assert_true((now.sa_flags & SA_ONSTACK) != 0);
}

static void check_other_handler(void)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    struct shipio_file file;

    open_file(&file);
    assert_int_equal(sigaction(SIGBUS, &none, NULL), 0);
    assert_int_equal(shipio_map_prepare(&file, &file.alone.map, LEN, true),
                     -EOPNOTSUPP);
    close_file(&file);
}

/* One after the other: the test library has a handler of its own between
 * tests. */
static void test_guard_turns_bad_pages_into_errors(void **state)
{
    (void)state;
    check_bad_page();
    check_blocked_signal();
    check_stack_for_signals();
    check_other_handler();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard_turns_bad_pages_into_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
