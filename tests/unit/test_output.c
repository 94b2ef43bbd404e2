/* Outputs: nothing that exists is changed unless --force, no link followed. */
#include "core/cleanup.h"
#include "core/output.h"
#include "report/plots.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/pario-output-XXXXXX";
static char text[4096];

static int enter(void **state)
{
    (void)state;
    strcpy(dir + strlen(dir) - 6, "XXXXXX");
    return mkdtemp(dir) == NULL || chdir(dir) != 0;
}

static int leave(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return chdir("/") != 0 || system(command) != 0;
}

static void put(const char *name, const char *contents)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs(contents, out);
    assert_int_equal(fclose(out), 0);
}

static const char *contents_of(const char *name)
{
    FILE *in = fopen(name, "r");
    size_t len;

    assert_non_null(in);
    len = fread(text, 1, sizeof(text) - 1, in);
    text[len] = '\0';
    fclose(in);
    return text;
}

static int count_files(void)
{
    FILE *list = popen("ls -A | wc -l", "r");
    int count = -1;

    assert_non_null(list);
    assert_int_equal(fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

static void test_existing_file_is_kept_without_force(void **state)
{
    (void)state;
    put("a", "old");
    assert_int_equal(pario_output_file("a", 0, "new", 3), -EEXIST);
    assert_int_equal(pario_output_claim("a", 0), -EEXIST);
    assert_string_equal(contents_of("a"), "old");
    assert_int_equal(pario_output_file("a", 1, "new", 3), 0);
    assert_string_equal(contents_of("a"), "new");
    assert_int_equal(count_files(), 1);
}

/* A name that was taken before a long run. */
static void test_file_that_took_a_claimed_name_is_kept(void **state)
{
    (void)state;
    assert_int_equal(pario_output_claim("claimed", 0), 0);
    assert_int_equal(rename("claimed", "ours"), 0);
    put("claimed", "precious");
    assert_int_equal(pario_output_file("claimed", 1, "new", 3), -ESTALE);
    assert_string_equal(contents_of("claimed"), "precious");
    /* Gone: the name is free. Then it is ours, however often. */
    assert_int_equal(unlink("claimed"), 0);
    assert_int_equal(rename("ours", "claimed"), 0);
    assert_int_equal(pario_output_file("claimed", 1, "new", 3), 0);
    assert_int_equal(pario_output_file("claimed", 1, "newer", 5), 0);
    assert_string_equal(contents_of("claimed"), "newer");
    /* Who said --force when the name was taken has said it. */
    assert_int_equal(pario_output_claim("forced", 1), 0);
    assert_int_equal(unlink("forced"), 0);
    put("forced", "old");
    assert_int_equal(pario_output_file("forced", 1, "new", 3), 0);
}

static void test_dangling_link_is_not_written_through(void **state)
{
    (void)state;
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(pario_output_file("link", 0, "new", 3), -EEXIST);
    assert_int_equal(pario_output_file("link", 1, "new", 3), -ENOENT);
    assert_int_not_equal(access("target", F_OK), 0);
}

/* One's own link with --force: the file behind it is replaced as a whole. */
static void test_own_link_with_force_replaces_its_file(void **state)
{
    struct stat st;

    (void)state;
    put("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(pario_output_file("link", 0, "new", 3), -EEXIST);
    assert_string_equal(contents_of("target"), "old");
    assert_int_equal(pario_output_file("link", 1, "new", 3), 0);
    assert_string_equal(contents_of("target"), "new");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void test_link_of_somebody_else_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    put("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(lchown("link", 12345, 12345), 0);
    assert_int_equal(pario_output_file("link", 1, "new", 3), -ELOOP);
    assert_string_equal(contents_of("target"), "old");
}

static mode_t mode_of(const char *name)
{
    struct stat st;

    assert_int_equal(lstat(name, &st), 0);
    return st.st_mode & 07777;
}

/* A new file is this user's: a mode that somebody else chose, or set-user-ID,
 * would give away what this user may do. */
static void test_replaced_file_keeps_only_a_harmless_mode(void **state)
{
    (void)state;
    umask(022);
    put("a", "old");
    assert_int_equal(chmod("a", 06640), 0);
    assert_int_equal(pario_output_file("a", 1, "new", 3), 0);
    assert_int_equal(mode_of("a"), 0640);
    if (geteuid() != 0)
        return;
    assert_int_equal(chown("a", 12345, 12345), 0);
    assert_int_equal(chmod("a", 06777), 0);
    assert_int_equal(pario_output_file("a", 1, "new", 3), 0);
    assert_int_equal(mode_of("a"), 0644);
}

static int fail_midway(void *context, FILE *out, const char *path)
{
    (void)context;
    (void)path;
    fputs("half", out);
    return pario_fail(-EIO, "no more");
}

static void test_failed_write_leaves_what_was_there(void **state)
{
    (void)state;
    assert_int_equal(pario_output_write("a", 0, fail_midway, NULL), -EIO);
    assert_int_equal(count_files(), 0);
    put("a", "old");
    assert_int_equal(pario_output_write("a", 1, fail_midway, NULL), -EIO);
    assert_string_equal(contents_of("a"), "old");
    assert_int_equal(count_files(), 1);
}

static int fail_after_exchange(void *context, FILE *out, const char *path)
{
    (void)context;
    fputs("half", out);
    put("other", "somebody's");
    return rename("other", path) == 0 ? -EIO : 0;
}

/* Only what was made goes, not what has its name by then. */
static void test_failed_write_leaves_what_took_its_name(void **state)
{
    (void)state;
    assert_int_equal(pario_output_write("a", 0, fail_after_exchange, NULL),
                     -EIO);
    assert_string_equal(contents_of("a"), "somebody's");
}

static void test_full_device_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(pario_output_file("/dev/full", 1, "x", 1), -ENOSPC);
    assert_int_equal(pario_output_file("/dev/null", 1, "x", 1), 0);
}

/* A pipe that somebody reads, behind a link of somebody else's. */
static void test_link_of_somebody_else_to_a_pipe_is_refused(void **state)
{
    int reader;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkfifo("pipe", 0600), 0);
    reader = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(symlink("pipe", "link"), 0);
    assert_int_equal(pario_output_file("link", 1, "mine", 4), 0);
    assert_int_equal(read(reader, text, sizeof(text)), 4);
    assert_int_equal(lchown("link", 12345, 12345), 0);
    assert_int_equal(pario_output_file("link", 1, "theirs", 6), -ELOOP);
    assert_int_equal(pario_output_claim("link", 1), -ELOOP);
    assert_int_equal(read(reader, text, sizeof(text)), 0);
    close(reader);
}

/* gnuplot draws into what is open: a planted NAME.part is nothing to it. */
static void test_drawing_follows_no_planted_link(void **state)
{
    struct pario_figure *figure;
    int code;

    (void)state;
    put("target", "old");
    assert_int_equal(symlink("target", "a.svg.part"), 0);
    assert_int_equal(
        pario_figure_create(PARIO_FIGURE_LINES, "f", "t", "x", "y", &figure),
        0);
    code = pario_output_figure(figure, "a.svg", 0);
    if (code == PARIO_EUNAVAIL) {
        pario_figure_destroy(figure);
        skip();
    }
    assert_int_equal(code, 0);
    assert_string_equal(contents_of("target"), "old");
    assert_non_null(strstr(contents_of("a.svg"), "<svg"));
    assert_int_equal(symlink("target", "b.svg"), 0);
    assert_int_equal(pario_output_figure(figure, "b.svg", 0), -EEXIST);
    pario_figure_destroy(figure);
    assert_string_equal(contents_of("target"), "old");
}

/* A pipe that nobody reads, or one in the place of the samples. */
static void test_pipe_without_reader_is_an_error(void **state)
{
    int fd = -1, reader;

    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(pario_output_append("pipe", &fd), -EINVAL);
    assert_int_equal(pario_output_join("pipe", &fd), -ENXIO);
    reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(pario_output_join("pipe", &fd), -ESTALE);
    assert_int_equal(pario_output_file("pipe", 1, "new", 3), 0);
    assert_int_equal(read(reader, text, sizeof(text)), 3);
    close(reader);
    assert_int_equal(pario_output_file("pipe", 1, "new", 3), -ENXIO);
}

static int die(void *context, FILE *out, const char *path)
{
    (void)context;
    (void)path;
    fputs("half", out);
    fflush(out);
    return raise(SIGKILL);
}

/* The janitor removes what was begun, and the old file is whole. */
static void test_kill_in_replacement_leaves_the_old_file_alone(void **state)
{
    pid_t pid;
    int status = 0;

    (void)state;
    put("a", "old");
    pid = fork();
    if (pid == 0) {
        if (pario_cleanup_start() == 0)
            (void)!pario_output_write("a", 1, die, NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    for (int i = 0; i < 200 && count_files() != 1; i++)
        usleep(50000);
    assert_int_equal(count_files(), 1);
    assert_string_equal(contents_of("a"), "old");
}

static void test_temporary_name_is_new_each_time(void **state)
{
    char a[64], b[64];
    int first, second;

    (void)state;
    first = pario_output_temporary("t", a, sizeof(a));
    second = pario_output_temporary("t", b, sizeof(b));
    assert_true(first >= 0 && second >= 0);
    assert_string_not_equal(a, b);
    assert_int_equal(pario_output_temporary("t", a, 4), -ENAMETOOLONG);
    close(first);
    close(second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_existing_file_is_kept_without_force),
        TEST(test_file_that_took_a_claimed_name_is_kept),
        TEST(test_dangling_link_is_not_written_through),
        TEST(test_own_link_with_force_replaces_its_file),
        TEST(test_link_of_somebody_else_is_refused),
        TEST(test_replaced_file_keeps_only_a_harmless_mode),
        TEST(test_failed_write_leaves_what_was_there),
        TEST(test_failed_write_leaves_what_took_its_name),
        TEST(test_full_device_is_an_error),
        TEST(test_pipe_without_reader_is_an_error),
        TEST(test_link_of_somebody_else_to_a_pipe_is_refused),
        TEST(test_drawing_follows_no_planted_link),
        TEST(test_kill_in_replacement_leaves_the_old_file_alone),
        TEST(test_temporary_name_is_new_each_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
