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

static void test_path_with_newline_is_removed(void **state)
{
    char path[128];

    (void)state;
    touch("a\nb");
    snprintf(path, sizeof(path), "%s/a\nb", dir);
    assert_int_equal(pario_cleanup_add_file(path), 0);
    assert_int_equal(pario_cleanup_remove(path), 0);
    assert_int_equal(rmdir(dir), 0);
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
    assert_int_equal(pario_cleanup_add_tree(tree), 0);
    assert_int_equal(pario_cleanup_remove(tree), 0);
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(pario_cleanup_add_tree(dir), 0);
    assert_int_equal(pario_cleanup_remove(dir), 0);
    assert_int_equal(stat(other, &st), 0);
    assert_int_not_equal(stat(mine, &st), 0);
    unlink(other);
}

static void at(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", dir, name);
}

static void move(const char *from, const char *to)
{
    char a[128], b[128];

    at(from, a);
    at(to, b);
    assert_int_equal(rename(a, b), 0);
}

static void make(const char *name)
{
    char path[128];

    at(name, path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void sweep(void)
{
    assert_int_equal(pario_cleanup_add_tree(dir), 0);
    assert_int_equal(pario_cleanup_remove(dir), 0);
    assert_int_not_equal(access(dir, F_OK), 0);
}

/* A run directory is renamed away and another one put in its place: what the
 * run made goes, under its new name, and the stranger's files stay. */
static void test_remove_of_replaced_tree_takes_only_our_own(void **state)
{
    char tree[128];

    (void)state;
    make("tree");
    at("tree", tree);
    assert_int_equal(pario_cleanup_add_tree(tree), 0);
    touch("tree/ours");
    move("tree", "away");
    make("tree");
    touch("tree/stranger");
    assert_int_equal(pario_cleanup_remove(tree), 0);
    assert_false(exists("away"));
    assert_true(exists("tree/stranger"));
    sweep();
}

/* The same when the process is killed and its janitor removes. */
static void test_janitor_of_replaced_tree_takes_only_our_own(void **state)
{
    char tree[128];
    pid_t pid;

    (void)state;
    make("tree");
    at("tree", tree);
    pid = fork();
    if (pid == 0) {
        if (pario_cleanup_start() != 0 || pario_cleanup_add_tree(tree) != 0)
            _exit(99);
        touch("tree/ours");
        move("tree", "away");
        make("tree");
        touch("tree/stranger");
        raise(SIGKILL);
    }
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 200 && exists("away"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_false(exists("away"));
    assert_true(exists("tree/stranger"));
    sweep();
}

/* A symbolic link in the place of a directory, outside and inside. */
static void test_remove_follows_no_symbolic_link(void **state)
{
    char tree[128], link[128];

    (void)state;
    make("stranger");
    touch("stranger/file");
    make("tree");
    at("tree", tree);
    at("tree/link", link);
    assert_int_equal(pario_cleanup_add_tree(tree), 0);
    assert_int_equal(symlink("../stranger", link), 0);
    move("tree", "away");
    assert_int_equal(symlink("stranger", tree), 0);
    assert_int_equal(pario_cleanup_remove(tree), 0);
    assert_true(exists("stranger/file"));
    assert_true(exists("tree/file")); /* the link is not ours either */
    assert_false(exists("away"));
    assert_int_equal(pario_cleanup_add_tree(tree), -ENOTDIR);
    assert_int_equal(pario_cleanup_add_file(tree), -ELOOP);
    sweep();
}

static void test_remove_of_replaced_file_is_refused(void **state)
{
    char path[128];

    (void)state;
    touch("file");
    at("file", path);
    assert_int_equal(pario_cleanup_add_file(path), 0);
    touch("other");
    move("other", "file");
    assert_int_equal(pario_cleanup_remove(path), -ESTALE);
    assert_true(exists("file"));
    pario_cleanup_forget(path);
    assert_int_equal(pario_cleanup_remove(path), -ESTALE); /* not ours */
    assert_true(exists("file"));
    sweep();
}

/* A name that was free: an empty file may be what a library made before it
 * failed, one with data belongs to another run that came in between. */
static void test_file_registered_before_it_is_made_goes_if_empty(void **state)
{
    char path[128];
    FILE *out;

    (void)state;
    at("file", path);
    assert_int_equal(pario_cleanup_add_file(path), 0);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs("of another run", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(pario_cleanup_remove(path), -ESTALE);
    assert_true(exists("file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(pario_cleanup_add_file(path), 0);
    touch("file");
    assert_int_equal(pario_cleanup_remove(path), 0);
    assert_false(exists("file"));
    sweep();
}

/* Files are made in the directory that is held, not in what has its name. */
static void test_open_in_replaced_tree_stays_in_our_own(void **state)
{
    char tree[128], path[128];
    int fd;

    (void)state;
    make("stranger");
    make("tree");
    at("tree", tree);
    at("tree/data", path);
    assert_int_equal(pario_cleanup_hold_tree(tree), 0);
    move("tree", "away");
    assert_int_equal(symlink("stranger", tree), 0);
    fd = pario_own_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_true(exists("away/data"));
    assert_false(exists("stranger/data"));
    /* What another library opened by name is not the file in the tree. */
    assert_int_equal(pario_own_check(path), -ESTALE);
    touch("stranger/data");
    assert_int_equal(pario_own_check(path), -ESTALE);
    unlink(tree);
    move("away", "tree");
    assert_int_equal(pario_own_check(path), 0);
    unlink(path);
    assert_int_equal(symlink("../stranger/data", path), 0);
    assert_int_equal(pario_own_open(path, O_WRONLY, 0), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(pario_own_check(path), -ESTALE);
    at("tree/../stranger/data", path);
    assert_int_equal(pario_own_open(path, O_WRONLY, 0), -1);
    pario_cleanup_forget(tree);
    sweep();
}

static void test_new_tree_has_the_mode_that_umask_leaves(void **state)
{
    static const mode_t masks[] = {077, 022, 027};

    (void)state;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        mode_t before = umask(masks[i]);
        char path[128];
        struct stat st;

        assert_int_equal(
            pario_cleanup_make_tree(dir, "run", 0, path, sizeof(path)), 0);
        umask(before);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0777 & ~masks[i]);
        assert_int_equal(pario_cleanup_remove(path), 0);
        assert_int_equal(pario_cleanup_remove(path), -ESTALE);
    }
    sweep();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_exit_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigkill_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigint_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_sigterm_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_path_with_newline_is_removed, make_dir),
        cmocka_unit_test_setup(test_remove_of_replaced_tree_takes_only_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_janitor_of_replaced_tree_takes_only_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_remove_follows_no_symbolic_link, make_dir),
        cmocka_unit_test_setup(test_remove_of_replaced_file_is_refused,
                               make_dir),
        cmocka_unit_test_setup(
            test_file_registered_before_it_is_made_goes_if_empty, make_dir),
        cmocka_unit_test_setup(test_open_in_replaced_tree_stays_in_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_new_tree_has_the_mode_that_umask_leaves,
                               make_dir),
        cmocka_unit_test_setup(test_tree_takes_only_its_own_semaphores,
                               make_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
