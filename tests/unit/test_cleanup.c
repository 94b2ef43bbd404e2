/* What a run registered is removed, and nothing else. */
#include "core/owned.h"
#include "made_dir.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

static void test_remove_in_replaced_tree_stays_in_our_own(void **state)
{
    char tree[128], path[128], to[128];

    (void)state;
    make("stranger");
    make("tree");
    touch("stranger/data");
    touch("tree/data");
    at("tree", tree);
    at("tree/data", path);
    assert_int_equal(pario_cleanup_hold_tree(tree), 0);
    move("tree", "away");
    assert_int_equal(symlink("stranger", tree), 0);
    assert_int_equal(pario_own_unlink(path), 0);
    assert_false(exists("away/data"));
    assert_true(exists("stranger/data"));
    assert_int_equal(pario_own_mkdir(path, 0700), 0);
    at("tree/data/more", path);
    assert_int_equal(pario_own_mkdir(path, 0700), 0);
    assert_true(exists("away/data/more"));
    at("tree/../stranger/data", path);
    assert_int_equal(pario_own_unlink(path), -1);
    assert_true(exists("stranger/data"));
    touch("away/file");
    touch("stranger/file");
    touch("taken");
    at("tree/file", path);
    at("taken", to);
    assert_int_equal(pario_own_rename(path, to, RENAME_NOREPLACE), -1);
    assert_int_equal(errno, EEXIST);
    at("kept", to);
    assert_int_equal(pario_own_rename(path, to, RENAME_NOREPLACE), 0);
    assert_false(exists("away/file"));
    assert_true(exists("stranger/file"));
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

static int touch_segment(char path[128], unsigned long user, unsigned job)
{
    int fd;

    snprintf(path, 128, "/dev/shm/vader_segment.pario-test-%d.%lu.%x.0",
             (int)getpid(), user, job);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return fd < 0 ? -1 : close(fd);
}

/* Open MPI's shared memory of this job goes, that of other jobs stays. */
static void test_leftovers_of_this_job_only_are_removed(void **state)
{
    char mine[128], other[128], foreign[128], text[16];
    const unsigned job = 0x7f000000u + (unsigned)getpid();

    (void)state;
    if (touch_segment(mine, geteuid(), job) != 0)
        skip();
    assert_int_equal(touch_segment(other, geteuid(), job + 1), 0);
    assert_int_equal(touch_segment(foreign, geteuid() + 1ul, job), 0);
    pario_leftovers_remove(); /* of no job */
    assert_int_equal(access(mine, F_OK), 0);
    snprintf(text, sizeof(text), "%u", job);
    setenv("OMPI_MCA_ess_base_jobid", text, 1);
    pario_leftovers_remove();
    unsetenv("OMPI_MCA_ess_base_jobid");
    assert_int_not_equal(access(mine, F_OK), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(unlink(foreign), 0);
    sweep();
}

/* What somebody does in the moment after a directory was made. */
static void (*meanwhile)(const char *name);
static char made[64]; /* its name */

int mkdirat(int parent, const char *name, mode_t mode)
{
    long rc = syscall(SYS_mkdirat, parent, name, mode);
    void (*act)(const char *name) = meanwhile;

    meanwhile = NULL;
    if (rc == 0 && act != NULL) {
        snprintf(made, sizeof(made), "%s", name);
        move(made, "away");
        act(made);
    }
    return (int)rc;
}

static void put_full_directory(const char *name)
{
    char inside[56];

    make(name);
    snprintf(inside, sizeof(inside), "%.40s/stranger", name);
    touch(inside);
}

static void put_directory_of_another_user(const char *name)
{
    char path[128];

    make(name);
    at(name, path);
    assert_int_equal(chown(path, 12345, 12345), 0);
}

static void put_link(const char *name)
{
    char path[128];

    make("stranger");
    at(name, path);
    assert_int_equal(symlink("stranger", path), 0);
}

static void put_nothing(const char *name)
{
    (void)name;
}

/* The directory is exchanged before it is held: refused, and left alone. */
static void test_tree_exchanged_at_its_making_is_refused(void **state)
{
    void (*const acts[])(const char *) = {put_full_directory, put_link,
                                          put_nothing,
                                          put_directory_of_another_user};
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (acts[i] == put_directory_of_another_user && geteuid() != 0)
            continue;
        meanwhile = acts[i];
        assert_int_equal(
            pario_cleanup_make_tree(dir, "run", 0, path, sizeof(path)),
            -ESTALE);
        assert_true(exists("away"));
        assert_int_equal(exists(made), acts[i] != put_nothing);
        assert_int_equal(pario_cleanup_remove(path), -ESTALE);
        at("away", path);
        assert_int_equal(rmdir(path), 0);
    }
    sweep();
}

/* Where new files belong to another user, so does a new directory. */
static void test_tree_of_new_files_owner_is_taken(void **state)
{
    char path[128];
    struct stat st;
    int status = 0;
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(dir, 0777), 0);
    pid = fork();
    if (pid == 0) { /* the file system's user is another one */
        if (syscall(SYS_setfsuid, 12345) < 0)
            _exit(77);
        _exit(pario_cleanup_make_tree(dir, "run", 1, path, sizeof(path)) != 0 ||
              stat(path, &st) != 0 || st.st_uid != 12345);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    sweep();
}

static void test_folder_that_exists_is_not_taken(void **state)
{
    char path[128];

    (void)state;
    make("folder");
    at("folder", path);
    assert_int_equal(pario_cleanup_make_folder(path), -EEXIST);
    assert_true(exists("folder"));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(pario_cleanup_make_folder(path), 0);
    assert_int_equal(pario_cleanup_remove(path), 0);
    assert_false(exists("folder"));
    sweep();
}

/* Outside of the trees that are held nothing is emptied or taken for new. */
static void test_registered_file_is_told_from_another(void **state)
{
    char path[128], old[128];

    (void)state;
    touch("file");
    at("file", path);
    at("old", old);
    assert_int_equal(pario_own_check(path), 0);
    assert_int_equal(pario_cleanup_add_file(path), 0);
    assert_int_equal(pario_own_check(path), 0);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(pario_own_check(path), -ESTALE);
    touch("file");
    assert_int_equal(pario_own_check(path), -ESTALE);
    pario_cleanup_forget(path);
    sweep();
}

static void test_own_open_elsewhere_changes_nothing(void **state)
{
    static const int refused[] = {O_WRONLY | O_TRUNC, O_WRONLY | O_CREAT,
                                  O_RDWR | O_CREAT | O_TRUNC,
                                  O_WRONLY | O_CREAT | O_EXCL | O_TRUNC};
    char path[128], tree[128];
    int fd;

    (void)state;
    touch("file");
    at("file", path);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        errno = 0;
        assert_int_equal(pario_own_open(path, refused[i], 0600), -1);
        assert_int_equal(errno, EPERM);
    }
    fd = pario_own_open(path, O_WRONLY, 0);
    assert_true(fd >= 0);
    close(fd);
    at("new", path);
    fd = pario_own_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "12345", 5), 5);
    close(fd);
    assert_int_equal(pario_own_truncate(path, 3), 0);
    at("tree", tree);
    make("tree");
    assert_int_equal(pario_cleanup_hold_tree(tree), 0);
    at("tree/file", path);
    fd = pario_own_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    close(fd);
    pario_cleanup_forget(tree);
    sweep();
}

/* In mounts of its own: 0, or what went wrong. */
static int empty_over_bind_mount(const char *tree)
{
    char stranger[128], inside[128];

    at("stranger", stranger);
    at("tree/inside", inside);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(stranger, inside, NULL, MS_BIND, NULL) != 0)
        return 77;
    return pario_cleanup_add_tree(tree) != 0 ||
           pario_cleanup_remove(tree) == 0 || !exists("stranger/file") ||
           exists("tree/ours");
}

/* Part of the same file system, mounted in the run's directory. */
static void test_remove_stops_at_a_bind_mount(void **state)
{
    char tree[128];
    int status = 0;
    pid_t pid;

    (void)state;
    make("stranger");
    touch("stranger/file");
    make("tree");
    make("tree/inside");
    touch("tree/ours");
    at("tree", tree);
    pid = fork();
    if (pid == 0)
        _exit(empty_over_bind_mount(tree));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(exists("stranger/file"));
    sweep();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_path_with_newline_is_removed, make_dir),
        cmocka_unit_test_setup(test_remove_of_replaced_tree_takes_only_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_remove_follows_no_symbolic_link, make_dir),
        cmocka_unit_test_setup(test_remove_of_replaced_file_is_refused,
                               make_dir),
        cmocka_unit_test_setup(
            test_file_registered_before_it_is_made_goes_if_empty, make_dir),
        cmocka_unit_test_setup(test_open_in_replaced_tree_stays_in_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_remove_in_replaced_tree_stays_in_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_new_tree_has_the_mode_that_umask_leaves,
                               make_dir),
        cmocka_unit_test_setup(test_tree_takes_only_its_own_semaphores,
                               make_dir),
        cmocka_unit_test_setup(test_tree_exchanged_at_its_making_is_refused,
                               make_dir),
        cmocka_unit_test_setup(test_tree_of_new_files_owner_is_taken, make_dir),
        cmocka_unit_test_setup(test_folder_that_exists_is_not_taken, make_dir),
        cmocka_unit_test_setup(test_registered_file_is_told_from_another,
                               make_dir),
        cmocka_unit_test_setup(test_own_open_elsewhere_changes_nothing,
                               make_dir),
        cmocka_unit_test_setup(test_remove_stops_at_a_bind_mount, make_dir),
        cmocka_unit_test_setup(test_leftovers_of_this_job_only_are_removed,
                               make_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
