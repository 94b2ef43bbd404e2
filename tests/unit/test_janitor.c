/* The janitor: whatever ends the process, its files go. */
#include "made_dir.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

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

/* The only child of this process; 0: the kernel does not say. */
static pid_t child_of_this(void)
{
    char path[64], text[32] = "";
    FILE *in;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/children",
             (long)getpid());
    in = fopen(path, "r");
    if (in == NULL || fgets(text, sizeof(text), in) == NULL)
        text[0] = '\0';
    if (in != NULL)
        fclose(in);
    return (pid_t)strtol(text, NULL, 10);
}

/* In a child: the janitor is stopped before the end. */
static void end_with_stopped_janitor(int signo)
{
    char path[128];
    pid_t janitor;
    int status;

    if (pario_cleanup_start() != 0)
        _exit(99);
    touch("file");
    snprintf(path, sizeof(path), "%s/file", dir);
    janitor = child_of_this();
    if (pario_cleanup_add_file(path) != 0 || janitor <= 0)
        _exit(77);
    while (getsid(janitor) != janitor) /* it has begun */
        usleep(1000);
    if (kill(janitor, SIGSTOP) != 0 ||
        waitpid(janitor, &status, WUNTRACED) != janitor)
        _exit(98);
    alarm(60);
    raise(signo);
    _exit(97);
}

static void test_stopped_janitor_is_not_waited_for_in_vain(void **state)
{
    int status = 0;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        end_with_stopped_janitor(SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_false(exists("file"));
}

/* Its process is killed and tells it nothing: it goes on all the same. */
static void test_stopped_janitor_goes_on_after_a_kill(void **state)
{
    int status = 0;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        end_with_stopped_janitor(SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFSIGNALED(status));
    for (int i = 0; i < 1000 && exists("file"); i++)
        usleep(10000);
    assert_false(exists("file"));
}

/* In a child: the janitor is stopped and takes no more messages. */
static void report_to_stopped_janitor(void)
{
    char path[128];
    pid_t janitor;

    if (pario_cleanup_start() != 0)
        _exit(99);
    janitor = child_of_this();
    if (janitor <= 0)
        _exit(77);
    if (kill(janitor, SIGSTOP) != 0)
        _exit(98);
    alarm(60);
    for (int i = 0; i < 2000; i++) {
        snprintf(path, sizeof(path), "%s/file%d", dir, i);
        pario_cleanup_forget(path);
    }
    pario_cleanup_finish();
    _exit(0);
}

static void test_stopped_janitor_takes_all_messages(void **state)
{
    int status = 0;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        report_to_stopped_janitor();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_exit_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigkill_removes_registered_files, make_dir),
        cmocka_unit_test_setup(test_sigint_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_sigterm_exits_130_after_removal, make_dir),
        cmocka_unit_test_setup(test_janitor_of_replaced_tree_takes_only_our_own,
                               make_dir),
        cmocka_unit_test_setup(test_stopped_janitor_is_not_waited_for_in_vain,
                               make_dir),
        cmocka_unit_test_setup(test_stopped_janitor_goes_on_after_a_kill,
                               make_dir),
        cmocka_unit_test_setup(test_stopped_janitor_takes_all_messages,
                               make_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
