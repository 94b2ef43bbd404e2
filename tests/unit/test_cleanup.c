/* The janitor: whatever ends the process, its files go. */
#include "core/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/pario-cleanup-XXXXXX");
    return mkdtemp(dir) == NULL;
}

static int exists(const char *name)
{
    char path[128];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return stat(path, &st) == 0;
}

static void touch(const char *name)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* In a child: a file, a kept file and a tree; then the end as given. */
static void die_with_files(int signo)
{
    char path[128];

    if (pario_cleanup_start() != 0)
        _exit(99);
    touch("file");
    touch("kept");
    snprintf(path, sizeof(path), "%s/tree", dir);
    mkdir(path, 0700);
    touch("tree/inside");
    if (pario_cleanup_add_tree(path) != 0)
        _exit(98);
    snprintf(path, sizeof(path), "%s/file", dir);
    if (pario_cleanup_add_file(path) != 0)
        _exit(98);
    snprintf(path, sizeof(path), "%s/kept", dir);
    if (pario_cleanup_add_file(path) != 0)
        _exit(98);
    pario_cleanup_forget(path);
    if (signo != 0)
        raise(signo);
    _exit(0);
}

static int run_child(int signo)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        die_with_files(signo);
    assert_true(pid > 0);
    waitpid(pid, &status, 0);
    /* After SIGKILL nobody waits for the janitor. */
    for (int i = 0; i < 200 && (exists("file") || exists("tree")); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return status;
}

static void check_removed(void)
{
    char path[128];

    assert_false(exists("file"));
    assert_false(exists("tree"));
    assert_true(exists("kept"));
    snprintf(path, sizeof(path), "%s/kept", dir);
    unlink(path);
    assert_int_equal(rmdir(dir), 0);
}

static void test_exit_removes_registered_files(void **state)
{
    (void)state;
    run_child(0);
    check_removed();
}

static void test_sigkill_removes_registered_files(void **state)
{
    int status;

    (void)state;
    status = run_child(SIGKILL);
    assert_true(WIFSIGNALED(status));
    check_removed();
}

static void test_sigint_exits_130_after_removal(void **state)
{
    int status;

    (void)state;
    status = run_child(SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    check_removed();
}

static void test_sigterm_exits_130_after_removal(void **state)
{
    int status;

    (void)state;
    status = run_child(SIGTERM);
    assert_int_equal(WEXITSTATUS(status), 130);
    check_removed();
}

static void test_path_with_newline_is_refused(void **state)
{
    (void)state;
    assert_int_equal(pario_cleanup_add_file("a\nb"), -EINVAL);
    rmdir(dir);
}

static int touch_semaphore(char *path, size_t len, const char *name)
{
    int fd;

    snprintf(path, len, "/dev/shm/sem.OMPIO_%s-%d", name, (int)getpid());
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    return fd < 0 ? -1 : close(fd);
}

/* OMPIO's semaphores of a run go with its tree; those of others stay, whatever
 * the number at the end of a tree that is not mkdtemp's. */
static void test_tree_takes_only_its_own_semaphores(void **state)
{
    char mine[128], other[128], tree[128];
    struct stat st;

    (void)state;
    if (touch_semaphore(mine, sizeof(mine), strrchr(dir, '-') + 1) != 0)
        skip();
    assert_int_equal(touch_semaphore(other, sizeof(other), "1"), 0);
    snprintf(tree, sizeof(tree), "%s/job-1", dir);
    assert_int_equal(mkdir(tree, 0700), 0);
    assert_int_equal(pario_cleanup_remove(tree), 0);
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(pario_cleanup_remove(dir), 0);
    assert_int_equal(stat(other, &st), 0);
    assert_int_not_equal(stat(mine, &st), 0);
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_exit_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigkill_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigint_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_sigterm_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_path_with_newline_is_refused, make_dir),
        cmocka_unit_test_setup(test_tree_takes_only_its_own_semaphores,
                               make_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
