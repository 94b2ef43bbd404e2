/* What the devices saw becomes part of a figure. The counters are made ones:
 * files that the tests write. */
#include "core/clock.h"
#include "made_root.h"
#include "measure/devices.h"
#include <sys/sysmacros.h>

#define MIB ((int64_t)1 << 20)

static struct pario_group *world;
static struct pario_run run;

static struct pario_phase phase_of(const struct pario_group *group)
{
    return (struct pario_phase){.run = &run,
                                .group = group,
                                .path = "./none",
                                .shared = 1,
                                .writing = 1,
                                .reading = 1};
}

/* The counters of the made disk, in bytes. */
static void count(int64_t read_bytes, int64_t written_bytes, int64_t busy_ms)
{
    char text[128];

    snprintf(text, sizeof(text), "1 0 %lld 0 1 0 %lld 0 0 %lld 0\n",
             (long long)read_bytes / 512, (long long)written_bytes / 512,
             (long long)busy_ms);
    put("/sys/devices/made/stat", text);
}

static struct pario_device_set *made_disk(void)
{
    struct pario_device_set *set = NULL;
    char folder[PATH_MAX];

    count(0, 0, 0);
    snprintf(folder, sizeof(folder), "%s/sys/devices/made", root);
    assert_int_equal(symlink(folder, below_root("/sys/dev/block/8:0")), 0);
    assert_int_equal(symlink(folder, below_root("/sys/class/block/made")), 0);
    assert_int_equal(pario_device_find_from(root, "/f", makedev(8, 0), &set),
                     0);
    return set;
}

static void put_nfs(int64_t read_bytes, int64_t written_bytes)
{
    char text[512];

    snprintf(text, sizeof(text),
             "device server:/e mounted on /n with fstype nfs4 statvers=1.1\n"
             "\tbytes:\t0 0 0 0 %lld %lld 0 0\n"
             "\tper-op statistics\n"
             "\t        READ: 1 1 0 0 0 0 0 0 0\n"
             "\t       WRITE: 1 1 0 0 0 0 0 0 0\n",
             (long long)read_bytes, (long long)written_bytes);
    put("/proc/self/mountstats", text);
}

static struct pario_device_set *made_server(void)
{
    struct pario_device_set *set = NULL;

    put("/proc/self/mountinfo", "91 1 0:50 / /n rw - nfs4 server:/e rw\n");
    put_nfs(0, 0);
    assert_int_equal(pario_device_find_from(root, "/n/f", makedev(0, 50), &set),
                     0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_NFS);
    return set;
}

/* Collective. Begins the phase as if the made devices lay below its file. */
static void begin_on(struct pario_phase *phase,
                     struct pario_device_set *(*make)(void))
{
    assert_int_equal(pario_phase_prepare(phase), 0);
    pario_device_free(phase->devices);
    phase->devices =
        pario_group_node_rank(pario_devices_users(phase)) == 0 ? make() : NULL;
    assert_int_equal(pario_phase_begin(phase), 0);
}

static void test_disk_was_busy_for_as_long_as_it_says(void **state)
{
    struct pario_phase phase = phase_of(world);

    (void)state;
    begin_on(&phase, made_disk);
    count(3 * MIB, 5 * MIB, 70);
    assert_int_equal(pario_phase_end(&phase, 0), 0);
    assert_int_equal(phase.figures.seen.device_read_bytes, 3 * MIB);
    assert_int_equal(phase.figures.seen.device_written_bytes, 5 * MIB);
    assert_int_equal(phase.figures.seen.device_busy_ms, 70);
    pario_phase_drop(&phase);
}

/* An NFS client does not say how long the server was busy; those who do not
 * speak for a node may not make that a 0. */
static void test_time_that_is_not_visible_is_not_zero(void **state)
{
    struct pario_phase phase = phase_of(world);

    (void)state;
    begin_on(&phase, made_server);
    put_nfs(3 * MIB, 5 * MIB);
    assert_int_equal(pario_phase_end(&phase, 0), 0);
    assert_int_equal(phase.figures.seen.device_written_bytes, 5 * MIB);
    assert_int_equal(phase.figures.seen.device_busy_ms, -1);
    pario_phase_drop(&phase);
}

/* Even ranks write 1 MiB each, odd ones write 3 and read 2; the disk wrote 3/4
 * of it, and read twice as much: each has its share, in the document, too. */
static void test_groups_side_by_side_share_what_the_disk_did(void **state)
{
    int64_t size = pario_group_size(world);
    int64_t others = size / 2, evens = size - others;
    int odd = pario_group_rank(world) % 2;
    int64_t written = evens * MIB + others * 3 * MIB;
    struct pario_group *group = NULL;
    struct pario_phase phase;

    (void)state;
    assert_int_equal(pario_group_split(world, odd, &group), 0);
    phase = phase_of(group);
    phase.beside = world;
    begin_on(&phase, made_disk);
    count(others * 4 * MIB, written * 3 / 4, 10);
    phase.figures.written_bytes = odd ? 3 * MIB : MIB;
    phase.figures.bytes = odd ? 5 * MIB : MIB;
    assert_int_equal(pario_phase_end(&phase, 0), 0);
    assert_int_equal(pario_phase_settle(&phase), 0);
    assert_int_equal(phase.figures.seen.device_written_bytes,
                     (odd ? others * 3 : evens) * MIB * 3 / 4);
    assert_int_equal(phase.figures.seen.device_read_bytes,
                     odd ? others * 4 * MIB : 0);
    assert_int_equal(phase.figures.cache, PARIO_CACHE_MIXED);
    pario_group_destroy(group);
}

/* A part that took turns with another: 1 of 4 MiB written, all that was read.
 * What the disk did while the other had its turn was off its clock. */
static void test_parts_in_turns_share_what_the_disk_did(void **state)
{
    int64_t size = pario_group_size(world);
    struct pario_phase whole = phase_of(world), part = whole, reads = whole;

    (void)state;
    part.outer = reads.outer = &whole;
    part.reading = reads.writing = 0;
    begin_on(&whole, made_disk);
    count(size * MIB, size * 4 * MIB, 10);
    assert_int_equal(pario_phase_end(&whole, 0), 0);
    whole.figures.bytes = 5 * MIB;
    whole.figures.written_bytes = 4 * MIB;
    whole.begin_ns = 1;
    whole.end_ns = 700000001;
    part.figures.bytes = part.figures.written_bytes = MIB;
    pario_phase_spread(&part, 500000000);
    assert_int_equal(pario_phase_settle(&part), 0);
    assert_true(part.figures.seconds == 0.5);
    assert_true(part.figures.seen.unseen_s == 0.2);
    assert_true(part.figures.flags & PARIO_FLAG_PAUSED);
    assert_int_equal(part.figures.bytes, size * MIB);
    assert_int_equal(part.figures.seen.device_written_bytes, size * MIB);
    assert_int_equal(part.figures.cache, PARIO_CACHE_DISK);
    reads.figures.bytes = MIB;
    pario_phase_spread(&reads, 699000000);
    assert_int_equal(pario_phase_settle(&reads), 0);
    assert_int_equal(reads.figures.seen.device_read_bytes, size * MIB);
    assert_false(reads.figures.flags & PARIO_FLAG_PAUSED);
    pario_phase_drop(&whole);
}

/* What the disk does between the parts of a phase is none of its. */
static void test_disk_is_not_watched_between_parts(void **state)
{
    struct pario_phase whole = phase_of(world), part = whole;
    int speaks = pario_group_node_rank(world) == 0;

    (void)state;
    part.outer = &whole;
    begin_on(&whole, made_disk);
    assert_int_equal(pario_phase_prepare(&part), 0);
    assert_int_equal(pario_phase_begin(&part), 0);
    if (speaks)
        count(0, 2 * MIB, 20);
    assert_int_equal(pario_phase_end(&part, 0), 0);
    assert_int_equal(part.figures.seen.device_written_bytes, 2 * MIB);
    if (speaks)
        count(0, 9 * MIB, 90);
    assert_int_equal(pario_phase_begin(&part), 0);
    if (speaks)
        count(0, 10 * MIB, 95);
    assert_int_equal(pario_phase_end(&part, 0), 0);
    assert_int_equal(pario_phase_end(&whole, 0), 0);
    assert_int_equal(whole.figures.seen.device_written_bytes, 3 * MIB);
    assert_int_equal(whole.figures.seen.device_busy_ms, 25);
    pario_phase_drop(&whole);
}

/* A reader's two parts: between them the disk reads ahead 2 of 8 MiB, or more
 * than it can be seen to. */
static struct pario_figures
read_in_parts(struct pario_device_set *(*make)(void), int64_t ahead)
{
    int64_t size = pario_group_size(world);
    struct pario_phase whole = phase_of(world), part = phase_of(world);

    whole.writing = part.writing = 0;
    part.outer = &whole;
    begin_on(&whole, make);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pario_phase_prepare(&part), 0);
        assert_int_equal(pario_phase_begin(&part), 0);
        count((4 * i + 4) * size * MIB + i * ahead, 0, 0);
        assert_int_equal(pario_phase_end(&part, 0), 0);
        count((4 * i + 4) * size * MIB + ahead, 0, 0);
    }
    (void)pario_phase_resume(&whole, 1);
    whole.figures.bytes = 8 * MIB;
    assert_int_equal(pario_phase_end(&whole, 0), 0);
    assert_int_equal(pario_phase_settle(&whole), 0);
    return whole.figures;
}

static struct pario_device_set *nothing(void)
{
    return NULL;
}

static void test_what_is_read_ahead_between_parts_marks_the_whole(void **state)
{
    struct pario_figures figures =
        read_in_parts(made_disk, 2 * pario_group_size(world) * MIB);

    (void)state;
    assert_true(figures.seen.unseen_s > 0.24 * figures.seconds);
    assert_true(figures.seen.unseen_s < 0.26 * figures.seconds);
    assert_true(figures.flags & PARIO_FLAG_PAUSED);
}

static void test_parts_without_reading_ahead_mark_nothing(void **state)
{
    (void)state;
    assert_false(read_in_parts(made_disk, 0).flags & PARIO_FLAG_PAUSED);
}

static void test_gaps_without_visible_disk_mark_the_whole(void **state)
{
    struct pario_figures figures = read_in_parts(nothing, 0);

    (void)state;
    assert_true(figures.flags & PARIO_FLAG_PAUSED);
    assert_true(figures.seen.unseen_s > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(test_disk_was_busy_for_as_long_as_it_says),
        WITH_ROOT(test_time_that_is_not_visible_is_not_zero),
        WITH_ROOT(test_groups_side_by_side_share_what_the_disk_did),
        WITH_ROOT(test_parts_in_turns_share_what_the_disk_did),
        WITH_ROOT(test_disk_is_not_watched_between_parts),
        WITH_ROOT(test_what_is_read_ahead_between_parts_marks_the_whole),
        WITH_ROOT(test_parts_without_reading_ahead_mark_nothing),
        WITH_ROOT(test_gaps_without_visible_disk_mark_the_whole),
    };
    int failed = 1;

    if (pario_par_start(&argc, &argv, &world) == 0) {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        pario_par_finish(world);
    }
    return failed;
}
