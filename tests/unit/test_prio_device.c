/* Which device is mounted, from the text of mountinfo. */
#include "suites/prio/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static const char mountinfo[] =
    "21 26 0:19 / /proc rw,nosuid - proc proc rw\n"
    "26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "40 26 7:3 /sub /mnt/image ro,relatime - ext4 /dev/loop3 ro\n"
    "short line\n"
    "50 26 0:44 / /mnt/none rw - tmpfs none rw\n";

static void test_find_mounted_device_names_its_place(void **state)
{
    char where[64];

    (void)state;
    assert_true(prio_mounts_name(mountinfo, makedev(7, 3), where, 64));
    assert_string_equal(where, "/mnt/image");
    assert_true(prio_mounts_name(mountinfo, makedev(8, 1), where, 64));
    assert_string_equal(where, "/");
}

static void test_find_free_device_finds_nothing(void **state)
{
    char where[64];

    (void)state;
    assert_false(prio_mounts_name(mountinfo, makedev(7, 4), where, 64));
    assert_false(prio_mounts_name("", makedev(7, 3), where, 64));
}

static void test_get_of_a_file_is_refused(void **state)
{
    struct prio_device device;

    (void)state;
    assert_int_equal(prio_device_get("/etc/passwd", &device), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "no block device"));
    assert_int_not_equal(prio_device_get("/dev/no-such-thing", &device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_mounted_device_names_its_place),
        cmocka_unit_test(test_find_free_device_finds_nothing),
        cmocka_unit_test(test_get_of_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
