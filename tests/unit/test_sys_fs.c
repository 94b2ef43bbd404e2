/* Facts about file systems: other systems' mounts as text, this one's by
 * making files. */
#include "sys/fs.h"
#include "sys/fstype.h"
#include "sys/mounts.h"
#include "sys/stripe.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char mountinfo[] =
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
    "40 27 0:40 / /lustre rw,flock shared:4 - lustre mgs@tcp:/scratch rw,lazy\n"
    "41 27 0:41 / /lustre/inner rw - tmpfs tmpfs rw,size=1k\n"
    "42 27 0:42 / /gpfs/work rw,relatime shared:1 master:2 - gpfs work rw\n"
    "43 27 0:43 / /home rw - autofs map rw\n"
    "44 27 0:44 /export /home rw,vers=4.2 - nfs4 srv:/export rw,wsize=1048576\n"
    "45 27 0:45 / /mnt/with\\040blank rw - fuse.mfs mfs#m:9421 rw,user_id=0\n"
    "46 27 0:46 / /mnt/g rw - fuse.glusterfs srv:/vol rw\n"
    "47 27 0:47 / /mnt/c rw - ceph 10.0.0.1:/ rw,acl\n"
    "truncated line\n";

static char dir[] = "/tmp/pario-test-fs-XXXXXX";
static char scratch[sizeof dir];

static int make_dir(void **state)
{
    (void)state;
    memcpy(scratch, dir, sizeof dir);
    return mkdtemp(scratch) != NULL ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(scratch); /* fails when anything was left behind */
}

static void expect_mount(const char *path, const char *point, const char *type)
{
    struct pario_mount mount;

    assert_int_equal(pario_mount_find(mountinfo, path, &mount), 0);
    assert_string_equal(mount.point, point);
    assert_string_equal(mount.type, type);
}

static void test_mount_is_longest_prefix(void **state)
{
    (void)state;
    expect_mount("/lustre/a/b", "/lustre", "lustre");
    expect_mount("/lustre", "/lustre", "lustre");
    expect_mount("/lustre2/a", "/", "ext4");
    expect_mount("/lustre/inner/x", "/lustre/inner", "tmpfs");
    expect_mount("/lustre/innermost", "/lustre", "lustre");
    expect_mount("/gpfs/work/x", "/gpfs/work", "gpfs");
    expect_mount("/gpfs", "/", "ext4");
    expect_mount("/", "/", "ext4");
}

static void test_mount_over_another_hides_it(void **state)
{
    (void)state;
    expect_mount("/home/me", "/home", "nfs4");
}

static void test_mount_escapes_are_resolved(void **state)
{
    (void)state;
    expect_mount("/mnt/with blank/x", "/mnt/with blank", "fuse.mfs");
}

static void test_mount_options_of_both_kinds_are_joined(void **state)
{
    struct pario_mount mount;

    (void)state;
    assert_int_equal(pario_mount_find(mountinfo, "/home/x", &mount), 0);
    assert_string_equal(mount.options, "rw,vers=4.2,wsize=1048576");
    assert_string_equal(mount.source, "srv:/export");
    assert_string_equal(mount.root, "/export");
    assert_true(pario_mount_has_option(mount.options, "vers=4.2"));
    assert_false(pario_mount_has_option(mount.options, "vers"));
}

static void test_bare_fuse_is_named_by_its_source(void **state)
{
    static const char *const lines[][2] = {
        {"9 1 0:9 / /m rw - fuse mfs#192.0.2.1:9421 rw", "fuse.mfs"},
        {"9 1 0:9 / /m rw - fuse /dev/fuse#1 rw", "fuse"},
        {"9 1 0:9 / /m rw - fuse host:/a#b rw", "fuse"},
        {"9 1 0:9 / /m rw - fuse #b rw", "fuse"},
        {"9 1 0:9 / /m rw - ext4 mfs#x rw", "ext4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct pario_mount mount;

        assert_int_equal(pario_mount_parse(lines[i][0], &mount), 0);
        assert_string_equal(mount.type, lines[i][1]);
    }
}

static void test_mount_of_bad_line_is_format_error(void **state)
{
    struct pario_mount mount;

    (void)state;
    assert_int_equal(pario_mount_parse("36 35 98:0 / /mnt", &mount),
                     PARIO_EFORMAT);
    assert_int_equal(pario_mount_parse("36 35 98:0 / /m rw - ext4", &mount),
                     PARIO_EFORMAT);
    assert_int_equal(pario_mount_parse("", &mount), PARIO_EFORMAT);
    assert_int_equal(pario_mount_find("", "/", &mount), -ENOENT);
}

static void expect_type(const char *mounted, unsigned long magic,
                        const char *name, int parallel)
{
    const struct pario_fstype *type = pario_fstype_find(mounted, magic);

    assert_non_null(type);
    assert_string_equal(type->name, name);
    assert_int_equal(type->parallel, parallel);
}

static void test_type_by_mount_then_magic(void **state)
{
    (void)state;
    expect_type("fuse.mfs", 0x65735546, "moosefs", 1);
    expect_type("fuse.glusterfs", 0x65735546, "glusterfs", 1);
    expect_type("ceph", 0, "cephfs", 1);
    expect_type("nfs4", 0x6969, "nfs", 1);
    expect_type("", 0x0bd00bd0, "lustre", 1);
    expect_type("", 0x47504653, "gpfs", 1);
    expect_type("", 0xef53, "ext4", 0);
    assert_null(pario_fstype_find("fuse.something", 0x65735546));
    assert_null(pario_fstype_find("", 0x12345));
    assert_int_equal(pario_fstype_find("tmpfs", 0)->memory_backed, 1);
}

static void put32(unsigned char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

static void put16(unsigned char *at, uint16_t word)
{
    memcpy(at, &word, sizeof word);
}

static void put_plain(unsigned char *at, uint32_t magic, uint32_t bytes,
                      uint16_t count)
{
    put32(at, magic);
    put32(at + 24, bytes);
    put16(at + 28, count);
}

static void test_stripe_of_plain_lustre_layout(void **state)
{
    unsigned char lov[56] = {0};
    struct pario_stripe stripe;

    (void)state;
    put_plain(lov, 0x0bd10bd0, 4 << 20, 8);
    assert_int_equal(pario_stripe_parse_lov(lov, 32, &stripe), 0);
    assert_int_equal(stripe.bytes, 4 << 20);
    assert_int_equal(stripe.count, 8);
    put_plain(lov, 0x0bd30bd0, 0, 0xffff); /* default size, all targets */
    assert_int_equal(pario_stripe_parse_lov(lov, sizeof lov, &stripe), 0);
    assert_int_equal(stripe.bytes, -1);
    assert_int_equal(stripe.count, -1);
}

static void test_stripe_of_composite_lustre_layout_is_last_one(void **state)
{
    unsigned char lov[32 + 2 * 48 + 2 * 32] = {0};
    struct pario_stripe stripe;

    (void)state;
    put32(lov, 0x0bd60bd0);
    put16(lov + 14, 2);
    put32(lov + 32 + 24, 128);
    put32(lov + 32 + 48 + 24, 160);
    put_plain(lov + 128, 0x0bd10bd0, 1 << 20, 1);
    put_plain(lov + 160, 0x0bd10bd0, 16 << 20, 4);
    assert_int_equal(pario_stripe_parse_lov(lov, sizeof lov, &stripe), 0);
    assert_int_equal(stripe.bytes, 16 << 20);
    assert_int_equal(stripe.count, 4);
}

static void test_stripe_of_damaged_lustre_layout_is_format_error(void **state)
{
    unsigned char lov[128] = {0};
    struct pario_stripe stripe;

    (void)state;
    assert_int_equal(pario_stripe_parse_lov(lov, 8, &stripe), PARIO_EFORMAT);
    assert_int_equal(pario_stripe_parse_lov(lov, 64, &stripe), PARIO_EFORMAT);
    put32(lov, 0x0bd60bd0);
    put16(lov + 14, 200); /* more entries than bytes */
    assert_int_equal(pario_stripe_parse_lov(lov, sizeof lov, &stripe),
                     PARIO_EFORMAT);
    put16(lov + 14, 1);
    put32(lov + 32 + 24, 120); /* a layout that reaches past the end */
    put_plain(lov, 0x0bd60bd0, 0, 0);
    put16(lov + 14, 1);
    assert_int_equal(pario_stripe_parse_lov(lov, sizeof lov, &stripe),
                     PARIO_EFORMAT);
}

static void test_stripe_of_ceph_layout(void **state)
{
    struct pario_stripe stripe;

    (void)state;
    assert_int_equal(
        pario_stripe_parse_ceph("stripe_unit=65536 stripe_count=3 "
                                "object_size=4194304 pool=cephfs_data",
                                &stripe),
        0);
    assert_int_equal(stripe.bytes, 65536);
    assert_int_equal(stripe.count, 3);
    assert_int_equal(pario_stripe_parse_ceph("pool=x", &stripe), PARIO_EFORMAT);
}

static void test_stripe_of_local_file_system_is_not_told(void **state)
{
    struct pario_stripe stripe;

    (void)state;
    pario_stripe_get("ext4", "/", &stripe);
    assert_int_equal(stripe.bytes, -1);
    assert_int_equal(stripe.count, -1);
}

static void test_facts_of_missing_path_are_enoent(void **state)
{
    struct pario_fs_facts facts;

    (void)state;
    assert_int_equal(pario_fs_facts_get("/no/such/path", &facts), -ENOENT);
    assert_non_null(strstr(pario_error_message(), "/no/such/path"));
}

static void test_facts_of_proc_are_known_by_mount(void **state)
{
    struct pario_fs_facts facts;

    (void)state;
    assert_int_equal(pario_fs_facts_get("/proc/self/", &facts), 0);
    assert_string_equal(facts.type, "proc");
    assert_string_equal(facts.mount, "/proc");
    assert_int_equal(facts.can_lock, -1);
}

static void test_probe_of_directory_leaves_nothing(void **state)
{
    struct pario_fs_facts facts;

    (void)state;
    assert_int_equal(pario_fs_facts_get(scratch, &facts), 0);
    assert_true(facts.total_bytes >= facts.free_bytes);
    assert_true(facts.block_bytes >= 512);
    assert_int_equal(pario_fs_probe(scratch, &facts), 0);
    assert_int_equal(facts.can_lock, 1);
    /* 0, or a power of two of at least a sector */
    assert_int_equal(facts.direct_alignment & (facts.direct_alignment - 1), 0);
    assert_true(facts.direct_alignment == 0 || facts.direct_alignment >= 512);
    assert_int_equal(rmdir(scratch), 0);
    assert_int_equal(mkdir(scratch, 0700), 0);
}

static void test_probe_of_missing_directory_fails(void **state)
{
    struct pario_fs_facts facts = {.can_lock = -1};

    (void)state;
    assert_int_equal(pario_fs_probe("/no/such/dir", &facts), -ENOENT);
    assert_non_null(strstr(pario_error_message(), "/no/such/dir"));
    assert_int_equal(facts.can_lock, -1);
}

static void test_facts_of_tmpfs_are_memory_backed(void **state)
{
    struct pario_fs_facts facts = {.type = ""};

    (void)state;
    if (access("/dev/shm", W_OK) != 0 ||
        pario_fs_facts_get("/dev/shm", &facts) != 0 ||
        strcmp(facts.type, "tmpfs") != 0)
        skip();
    assert_int_equal(facts.memory_backed, 1);
    assert_int_equal(facts.parallel, 0);
    assert_int_equal(pario_fs_probe("/dev/shm", &facts), 0);
    assert_int_equal(facts.can_fallocate, 1);
}

static void test_writable_directory_is_ok(void **state)
{
    (void)state;
    assert_int_equal(pario_fs_check_writable(scratch, 0), 0);
    assert_int_equal(pario_fs_check_writable(scratch, 1), 0);
}

static void test_writable_names_cause_and_remedy(void **state)
{
    (void)state;
    assert_int_equal(pario_fs_check_writable("/no/such", 0), -ENOENT);
    assert_non_null(strstr(pario_error_message(), "/no/such does not exist"));
    assert_int_equal(pario_fs_check_writable("/proc/version", 0), -ENOTDIR);
    assert_non_null(strstr(pario_error_message(), "not a directory"));
    assert_int_equal(pario_fs_check_writable(scratch, INT64_MAX), -ENOSPC);
    assert_non_null(strstr(pario_error_message(), "free"));
}

static void test_writable_of_closed_directory_is_eacces(void **state)
{
    (void)state;
    if (geteuid() == 0 && seteuid(65534) != 0)
        skip();
    assert_int_equal(pario_fs_check_writable(scratch, 0), -EACCES);
    assert_non_null(strstr(pario_error_message(), "permissions"));
}

static int close_dir(void **state)
{
    int code = make_dir(state);

    return code != 0 ? code : chmod(scratch, 0500);
}

static int restore_user(void **state)
{
    if (getuid() == 0 && seteuid(0) != 0)
        return -1;
    return remove_dir(state);
}

static void test_writable_of_read_only_mount_is_erofs(void **state)
{
    int code;

    (void)state;
    if (mount("none", scratch, "tmpfs", MS_RDONLY, "size=4k") != 0)
        skip();
    code = pario_fs_check_writable(scratch, 0);
    assert_int_equal(umount(scratch), 0);
    assert_int_equal(code, -EROFS);
    assert_non_null(strstr(pario_error_message(), "read-only"));
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mount_is_longest_prefix),
        cmocka_unit_test(test_mount_over_another_hides_it),
        cmocka_unit_test(test_mount_escapes_are_resolved),
        cmocka_unit_test(test_mount_options_of_both_kinds_are_joined),
        cmocka_unit_test(test_bare_fuse_is_named_by_its_source),
        cmocka_unit_test(test_mount_of_bad_line_is_format_error),
        cmocka_unit_test(test_type_by_mount_then_magic),
        cmocka_unit_test(test_stripe_of_plain_lustre_layout),
        cmocka_unit_test(test_stripe_of_composite_lustre_layout_is_last_one),
        cmocka_unit_test(test_stripe_of_damaged_lustre_layout_is_format_error),
        cmocka_unit_test(test_stripe_of_ceph_layout),
        cmocka_unit_test(test_stripe_of_local_file_system_is_not_told),
        cmocka_unit_test(test_facts_of_missing_path_are_enoent),
        cmocka_unit_test(test_facts_of_proc_are_known_by_mount),
        IN_DIR(test_probe_of_directory_leaves_nothing),
        cmocka_unit_test(test_probe_of_missing_directory_fails),
        cmocka_unit_test(test_facts_of_tmpfs_are_memory_backed),
        IN_DIR(test_writable_directory_is_ok),
        IN_DIR(test_writable_names_cause_and_remedy),
        cmocka_unit_test_setup_teardown(
            test_writable_of_closed_directory_is_eacces, close_dir,
            restore_user),
        IN_DIR(test_writable_of_read_only_mount_is_erofs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
