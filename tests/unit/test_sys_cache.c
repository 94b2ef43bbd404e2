/* The page cache, through cachestat and through mincore. */
#include "sys/cache.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CACHESTAT 451
#define FILE_BYTES (256 * 1024 + 100) /* the last page is not whole */

typedef int resident_fn(int fd, int64_t offset, int64_t len, int64_t *bytes_p);

static char path[128];

static int make_file(const char *folder)
{
    static const char block[FILE_BYTES] = {1};
    int fd;

    snprintf(path, sizeof path, "%s/pario-test-cache-XXXXXX", folder);
    fd = mkstemp(path);
    if (fd < 0)
        return -1;
    if (write(fd, block, sizeof block) != (ssize_t)sizeof block) {
        close(fd);
        return -1;
    }
    return close(fd);
}

static int make_disk_file(void **state)
{
    (void)state;
    return make_file(".");
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static int is_on(long type)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && fs.f_type == type;
}

static int on_disk(void)
{
    return !is_on(TMPFS_MAGIC);
}

/* Evicts, reads the first and the third page, and counts. */
static void expect_pages_of(resident_fn *resident)
{
    int64_t page = sysconf(_SC_PAGESIZE), left, bytes = -1;
    int fd = open(path, O_RDONLY);
    char byte;

    assert_true(fd >= 0);
    assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
    assert_int_equal(bytes, FILE_BYTES);
    assert_int_equal(resident(fd, page, page, &bytes), 0);
    assert_int_equal(bytes, page);
    assert_int_equal(pario_cache_evict(path, &left), 0);
    assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(pread(fd, &byte, 1, 2 * page), 1);
    assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
    assert_int_equal(bytes, 2 * page);
    assert_int_equal(resident(fd, page, page, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(close(fd), 0);
}

static void test_mincore_counts_pages(void **state)
{
    (void)state;
    if (!on_disk())
        skip();
    expect_pages_of(pario_cache_resident_mincore);
}

static void test_cachestat_counts_pages(void **state)
{
    int fd = open(path, O_RDONLY);
    int64_t bytes;
    int code;

    (void)state;
    assert_true(fd >= 0);
    code = pario_cache_resident_cachestat(fd, 0, 1, &bytes);
    assert_int_equal(close(fd), 0);
    if (code == -ENOSYS || code == -EPERM || !on_disk() ||
        is_on(OVERLAYFS_SUPER_MAGIC))
        skip();
    assert_int_equal(code, 0);
    expect_pages_of(pario_cache_resident_cachestat);
}

/* From here on cachestat fails in this process as on an older kernel. */
static int forbid_cachestat(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CACHESTAT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0
               ? 0
               : -1;
}

/* Exit status of the child: 0 as wanted, 1 wrong, 77 no seccomp. */
static int resident_without_cachestat(void)
{
    int fd = open(path, O_RDONLY);
    int64_t bytes = -1;

    if (fd < 0 || forbid_cachestat() != 0)
        return 77;
    if (pario_cache_resident_cachestat(fd, 0, 1, &bytes) != -ENOSYS)
        return 1;
    if (pario_cache_resident(path, 0, 0, &bytes) != 0)
        return 1;
    return bytes == FILE_BYTES ? 0 : 1;
}

static void test_resident_without_cachestat_uses_mincore(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    assert_true(child >= 0);
    if (child == 0)
        _exit(resident_without_cachestat());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_resident_range_is_bounded_by_file(void **state)
{
    int64_t bytes = -1;

    (void)state;
    assert_int_equal(pario_cache_resident(path, 0, 1 << 30, &bytes), 0);
    assert_int_equal(bytes, FILE_BYTES);
    assert_int_equal(pario_cache_resident(path, FILE_BYTES - 50, 0, &bytes), 0);
    assert_int_equal(bytes, 50);
    assert_int_equal(pario_cache_resident(path, 1 << 30, 0, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void test_evict_leaves_nothing_on_disk(void **state)
{
    int64_t left = -1, bytes = -1;

    (void)state;
    if (!on_disk())
        skip();
    assert_int_equal(pario_cache_evict(path, &left), 0);
    assert_int_equal(left, 0);
    assert_int_equal(pario_cache_resident(path, 0, 0, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void test_what_was_not_synced_is_unwritten(void **state)
{
    int64_t bytes = -1;
    int code, fd;

    (void)state;
    if (!on_disk())
        skip();
    fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    code = pario_cache_unwritten(path, &bytes);
    if (code == 0) {
        assert_int_equal(bytes, 0);
        /* The kernel may write it at once, but hardly ever each time. */
        for (int i = 0; i < 100 && bytes == 0; i++) {
            assert_int_equal(pwrite(fd, "x", 1, 0), 1);
            assert_int_equal(pario_cache_unwritten(path, &bytes), 0);
        }
        assert_true(bytes > 0); /* as many pages as the kernel keeps as one */
    }
    assert_int_equal(close(fd), 0);
    assert_int_equal(pario_cache_unwritten("/no/such", &bytes), -ENOENT);
    assert_int_equal(pario_cache_unwritten("/", &bytes), -EOPNOTSUPP);
    if (code == -EOPNOTSUPP)
        skip();
    assert_int_equal(code, 0);
}

static void test_evict_on_tmpfs_leaves_everything(void **state)
{
    int64_t left = -1;

    (void)state;
    if (make_file("/dev/shm") != 0)
        skip();
    if (on_disk()) {
        unlink(path);
        skip();
    }
    assert_int_equal(pario_cache_evict(path, &left), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(left, FILE_BYTES);
}

/* An overlay over memory, where pages stay: all of a file is resident. Exit
 * status of the child, whose mounts nobody else sees: 0 as wanted, 1 wrong, 77
 * not allowed here. */
static int resident_on_overlay(const char *folder)
{
    char options[256], file[96];
    int64_t bytes = -1;

    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, NULL) != 0 || chdir(folder) != 0 ||
        mkdir("low", 0700) != 0 || mkdir("up", 0700) != 0 ||
        mkdir("work", 0700) != 0 || mkdir("all", 0700) != 0)
        return 77;
    snprintf(options, sizeof options, "lowerdir=low,upperdir=up,workdir=work");
    if (mount("none", "all", "overlay", 0, options) != 0)
        return 77;
    snprintf(file, sizeof file, "%s/all", folder);
    if (make_file(file) != 0 || !is_on(OVERLAYFS_SUPER_MAGIC))
        return 1;
    if (pario_cache_resident(path, 0, 0, &bytes) != 0)
        return 1;
    return bytes == FILE_BYTES ? 0 : 1;
}

static void test_resident_on_overlay_is_that_of_the_file_below(void **state)
{
    char folder[] = "/tmp/pario-overlay-XXXXXX";
    pid_t child;
    int status;

    (void)state;
    assert_non_null(mkdtemp(folder));
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(resident_on_overlay(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(rmdir(folder), 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("overlays may not be mounted here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_missing_file_is_enoent_with_name(void **state)
{
    int64_t bytes = -7;

    (void)state;
    assert_int_equal(pario_cache_resident("/no/such", 0, 0, &bytes), -ENOENT);
    assert_non_null(strstr(pario_error_message(), "/no/such"));
    assert_int_equal(pario_cache_evict("/no/such", &bytes), -ENOENT);
    assert_int_equal(bytes, -7);
}

int main(void)
{
#define ON_DISK(test)                                                          \
    cmocka_unit_test_setup_teardown(test, make_disk_file, remove_file)
    const struct CMUnitTest tests[] = {
        ON_DISK(test_mincore_counts_pages),
        ON_DISK(test_cachestat_counts_pages),
        ON_DISK(test_resident_without_cachestat_uses_mincore),
        ON_DISK(test_resident_range_is_bounded_by_file),
        ON_DISK(test_evict_leaves_nothing_on_disk),
        ON_DISK(test_what_was_not_synced_is_unwritten),
        cmocka_unit_test(test_evict_on_tmpfs_leaves_everything),
        cmocka_unit_test(test_resident_on_overlay_is_that_of_the_file_below),
        cmocka_unit_test(test_missing_file_is_enoent_with_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
