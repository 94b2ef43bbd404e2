/* The doctor's verdicts on facts that this machine does not have. */
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pario_group *world;
static struct pario_doctor doctor;

static int new_doctor(void **state)
{
    (void)state;
    doctor = (struct pario_doctor){.world = world, .check = "test"};
    doctor.fs = (struct pario_fs_facts){.type = "ext4",
                                        .stripe_bytes = -1,
                                        .stripe_count = -1,
                                        .total_inodes = -1,
                                        .free_inodes = -1};
    return 0;
}

static int end_doctor(void **state)
{
    (void)state;
    pario_doctor_fini(&doctor);
    return 0;
}

/* Runs one check and looks at its only finding. */
static void expect(doctor_check *check, enum pario_verdict verdict,
                   const char *text)
{
    const struct pario_finding *finding;

    pario_doctor_fini(&doctor);
    assert_int_equal(check(&doctor), 0);
    assert_int_equal(doctor.findings.count, 1);
    finding = &doctor.findings.finding[0];
    assert_int_equal(finding->verdict, verdict);
    assert_int_equal(finding->remedy[0] == '\0', verdict == PARIO_VERDICT_OK);
    if (strstr(finding->fact, text) == NULL)
        assert_string_equal(finding->fact, text);
    assert_int_equal(doctor.findings.errors, verdict == PARIO_VERDICT_ERROR);
}

static void set_type(const char *type)
{
    snprintf(doctor.fs.type, sizeof doctor.fs.type, "%s", type);
}

static void test_governor_other_than_performance_warns(void **state)
{
    (void)state;
    strcpy(doctor.node.governor, "powersave");
    expect(doctor_check_governor, PARIO_VERDICT_WARNING, "powersave");
    strcpy(doctor.node.governor, "performance");
    expect(doctor_check_governor, PARIO_VERDICT_OK, "performance");
    strcpy(doctor.node.governor, "unknown");
    expect(doctor_check_governor, PARIO_VERDICT_OK, "not visible");
}

static void test_memory_names_limit_and_warns_of_little(void **state)
{
    (void)state;
    doctor.node.memory_bytes = 16LL << 30;
    doctor.node.memory_limit_bytes = 4LL << 30;
    doctor.node.memory_free_bytes = 3LL << 30;
    expect(doctor_check_memory, PARIO_VERDICT_OK, "cgroup limit 4");
    doctor.node.memory_limit_bytes = -1;
    expect(doctor_check_memory, PARIO_VERDICT_OK, "no cgroup limit");
    doctor.node.memory_free_bytes = 100 << 20;
    expect(doctor_check_memory, PARIO_VERDICT_WARNING, "100 MiB");
    doctor.node.memory_bytes = -1;
    expect(doctor_check_memory, PARIO_VERDICT_WARNING, "not visible");
}

static void test_page_cache_names_twenty_times_rule(void **state)
{
    (void)state;
    doctor.node.memory_free_bytes = 1LL << 30;
    doctor.node.dirty_limit_bytes = 200 << 20;
    doctor.node.dirty_background_bytes = 100 << 20;
    doctor.node.page_cache_bytes = 0;
    expect(doctor_check_page_cache, PARIO_VERDICT_OK, "20 GiB");
    expect(doctor_check_page_cache, PARIO_VERDICT_OK, "wait from 200 MiB");
    doctor.node.dirty_limit_bytes = -1;
    expect(doctor_check_page_cache, PARIO_VERDICT_WARNING, "not visible");
}

static void test_memory_backed_file_system_warns(void **state)
{
    (void)state;
    expect(doctor_check_file_system, PARIO_VERDICT_OK, "ext4");
    set_type("tmpfs");
    doctor.fs.memory_backed = 1;
    expect(doctor_check_file_system, PARIO_VERDICT_WARNING, "no disk");
}

static void test_full_file_system_is_error(void **state)
{
    (void)state;
    doctor.fs.total_bytes = 10LL << 30;
    doctor.fs.free_bytes = 0;
    expect(doctor_check_space, PARIO_VERDICT_ERROR, "0 B of 10 GiB");
    doctor.fs.free_bytes = (1LL << 30) - 1;
    expect(doctor_check_space, PARIO_VERDICT_WARNING, "of 10 GiB");
    doctor.fs.free_bytes = 1LL << 30;
    expect(doctor_check_space, PARIO_VERDICT_OK, "1 GiB of 10 GiB");
}

static void test_few_inodes_warn(void **state)
{
    (void)state;
    expect(doctor_check_inodes, PARIO_VERDICT_OK, "does not count");
    doctor.fs.total_inodes = 100000;
    doctor.fs.free_inodes = 900;
    expect(doctor_check_inodes, PARIO_VERDICT_WARNING, "900 free");
    doctor.fs.free_inodes = 50000;
    expect(doctor_check_inodes, PARIO_VERDICT_OK, "50000 free");
}

static void test_stripes_go_by_type(void **state)
{
    (void)state;
    expect(doctor_check_stripes, PARIO_VERDICT_OK, "ext4 has or tells no");
    set_type("lustre");
    expect(doctor_check_stripes, PARIO_VERDICT_OK, "lfs getstripe");
    set_type("beegfs");
    expect(doctor_check_stripes, PARIO_VERDICT_OK, "beegfs-ctl");
    set_type("glusterfs");
    expect(doctor_check_stripes, PARIO_VERDICT_OK, "gluster volume info");
    set_type("gpfs");
    doctor.fs.stripe_bytes = 8 << 20;
    expect(doctor_check_stripes, PARIO_VERDICT_OK,
           "stripes of 8 MiB over all targets");
    set_type("lustre");
    doctor.fs.stripe_count = 4;
    expect(doctor_check_stripes, PARIO_VERDICT_OK, "over 4 targets");
}

static void test_missing_features_warn(void **state)
{
    (void)state;
    doctor.fs.direct_alignment = 4096;
    doctor.fs.can_fallocate = doctor.fs.can_lock = 1;
    expect(doctor_check_direct, PARIO_VERDICT_OK, "4 KiB");
    expect(doctor_check_fallocate, PARIO_VERDICT_OK, "yes");
    expect(doctor_check_locks, PARIO_VERDICT_OK, "locks");
    doctor.fs.direct_alignment = 0;
    doctor.fs.can_fallocate = doctor.fs.can_lock = 0;
    expect(doctor_check_direct, PARIO_VERDICT_WARNING, "no: ");
    expect(doctor_check_fallocate, PARIO_VERDICT_WARNING, "no");
    expect(doctor_check_locks, PARIO_VERDICT_WARNING, "no byte-range");
    doctor.fs.direct_alignment = -1;
    doctor.fs.can_fallocate = doctor.fs.can_lock = -1;
    expect(doctor_check_direct, PARIO_VERDICT_WARNING, "found out");
    expect(doctor_check_fallocate, PARIO_VERDICT_WARNING, "found out");
    expect(doctor_check_locks, PARIO_VERDICT_WARNING, "found out");
}

static void test_missing_programs_are_named(void **state)
{
    const char *old = getenv("PATH");
    char *path = strdup(old != NULL ? old : "/usr/bin:/bin");
    int gnuplot = 0;

    (void)state;
    assert_non_null(path);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    assert_int_equal(doctor_check_parts(&doctor), 0);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    for (size_t i = 0; i < doctor.findings.count; i++)
        gnuplot +=
            doctor.findings.finding[i].verdict == PARIO_VERDICT_WARNING &&
            strstr(doctor.findings.finding[i].fact, "no gnuplot") != NULL;
    assert_int_equal(gnuplot, 1);
}

static void test_text_to_full_device_is_error(void **state)
{
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    if (full == NULL)
        skip();
    doctor.dir = ".";
    doctor_report(&doctor, PARIO_VERDICT_OK, "", "fact");
    assert_int_equal(pario_doctor_print_text(full, &doctor, 1), -EIO);
    clearerr(full);
    assert_int_equal(pario_doctor_print_json(full, &doctor), -EIO);
    (void)fclose(full);
}

int main(int argc, char **argv)
{
#define VERDICT(test)                                                          \
    cmocka_unit_test_setup_teardown(test, new_doctor, end_doctor)
    const struct CMUnitTest tests[] = {
        VERDICT(test_governor_other_than_performance_warns),
        VERDICT(test_memory_names_limit_and_warns_of_little),
        VERDICT(test_page_cache_names_twenty_times_rule),
        VERDICT(test_memory_backed_file_system_warns),
        VERDICT(test_full_file_system_is_error),
        VERDICT(test_few_inodes_warn),
        VERDICT(test_stripes_go_by_type),
        VERDICT(test_missing_features_warn),
        VERDICT(test_missing_programs_are_named),
        VERDICT(test_text_to_full_device_is_error),
    };
    int failed;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    return failed != 0;
}
