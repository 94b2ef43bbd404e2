/* The devices below a file: what other systems' /proc and /sys say, and a
 * loop device of this one where we may make it. */
#include "made_root.h"
#include "sys/device.h"
#include <fcntl.h>
#include <sys/sysmacros.h>

static void link_to(const char *path, const char *target)
{
    char full[PATH_MAX];

    snprintf(full, sizeof full, "%s%s", root, target);
    assert_int_equal(symlink(full, below_root(path)), 0);
}

/* A device with folder /sys/devices/<place>, e.g. "sda/sda1", 8:1. */
static void put_device(const char *place, const char *number, const char *stat)
{
    const char *name =
        strrchr(place, '/') != NULL ? strrchr(place, '/') + 1 : place;
    char path[512], folder[256];

    snprintf(folder, sizeof folder, "/sys/devices/%s", place);
    snprintf(path, sizeof path, "%s/stat", folder);
    put(path, stat);
    snprintf(path, sizeof path, "/sys/dev/block/%s", number);
    link_to(path, folder);
    snprintf(path, sizeof path, "/sys/class/block/%s", name);
    link_to(path, folder);
}

static struct pario_device_set *find(const char *path, unsigned maj,
                                     unsigned min)
{
    struct pario_device_set *set = NULL;

    assert_int_equal(
        pario_device_find_from(root, path, makedev(maj, min), &set), 0);
    assert_non_null(set);
    return set;
}

static struct pario_device_traffic now(const struct pario_device_set *set)
{
    struct pario_device_traffic traffic;

    assert_int_equal(pario_device_read(set, &traffic), 0);
    return traffic;
}

/* read ios, merges, sectors, ticks; write likewise; in flight, io_ticks,
 * queue; discards likewise; flushes. */
#define STAT_A "10 1 200 3 20 2 400 4 0 70 7 5 0 80 1 9 9\n"
#define STAT_B "1 0 2 0 3 0 4 0 0 30 0 0 0 0 0 0 0\n"

static void test_partition_has_its_own_counters(void **state)
{
    struct pario_device_set *set;
    struct pario_device_traffic traffic;

    (void)state;
    put_device("sda", "8:0", STAT_B);
    put_device("sda/sda1", "8:1", STAT_A);
    put("/sys/devices/sda/sda1/partition", "1\n");
    put("/sys/devices/sda/queue/iostats", "1\n");
    set = find("/scratch/file", 8, 1);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_string_equal(pario_device_names(set), "sda1");
    assert_null(pario_device_lower(set));
    traffic = now(set);
    assert_int_equal(traffic.read_ios, 10);
    assert_int_equal(traffic.read_bytes, 200 * 512);
    assert_int_equal(traffic.write_ios, 20);
    assert_int_equal(traffic.written_bytes, 400 * 512);
    assert_int_equal(traffic.busy_ms, 70);
    assert_int_equal(traffic.discarded_bytes, 80 * 512);
    pario_device_free(set);
}

static void test_old_kernel_without_discards_is_read(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_device("sda", "8:0", "1 0 2 0 3 0 4 0 0 30 0\n");
    set = find("/f", 8, 0);
    assert_int_equal(now(set).written_bytes, 4 * 512);
    assert_int_equal(now(set).discarded_bytes, -1);
    pario_device_free(set);
}

static void test_short_stat_is_refused(void **state)
{
    struct pario_device_traffic traffic;
    struct pario_device_set *set;

    (void)state;
    put_device("sda", "8:0", "1 2 3 4\n");
    set = find("/f", 8, 0);
    assert_int_equal(pario_device_read(set, &traffic), PARIO_EFORMAT);
    pario_device_free(set);
}

static void test_dm_counts_itself_and_names_its_members(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_device("virtual/dm-0", "253:0", STAT_A);
    put_device("virtual/md0", "9:0", STAT_B);
    put_device("sda", "8:0", STAT_B);
    put_device("sdb", "8:16", STAT_B);
    link_to("/sys/devices/virtual/dm-0/slaves/md0", "/sys/devices/virtual/md0");
    link_to("/sys/devices/virtual/md0/slaves/sda", "/sys/devices/sda");
    link_to("/sys/devices/virtual/md0/slaves/sdb", "/sys/devices/sdb");
    set = find("/f", 253, 0);
    assert_int_equal(now(set).written_bytes, 400 * 512);
    assert_non_null(pario_device_lower(set));
    assert_int_equal(now(pario_device_lower(set)).written_bytes, 4 * 512);
    /* Two members: a sum, and the mean of the time they were busy. */
    assert_int_equal(
        now(pario_device_lower(pario_device_lower(set))).written_bytes,
        2 * 4 * 512);
    assert_int_equal(now(pario_device_lower(pario_device_lower(set))).busy_ms,
                     30);
    assert_true(strncmp(pario_device_names(set), "dm-0 (below: md0 (below: sd",
                        27) == 0);
    pario_device_free(set);
}

static void test_device_without_statistics_is_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_device("nvme0n1", "259:0", "0 0 0 0 0 0 0 0 0 0 0\n");
    put("/sys/devices/nvme0n1/queue/iostats", "0\n");
    set = find("/f", 259, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    assert_string_equal(pario_device_names(set),
                        "not visible (nvme0n1 keeps no statistics)");
    assert_int_equal(now(set).written_bytes, -1);
    pario_device_free(set);
    /* A partition has no queue of its own. */
    put_device("nvme0n1/nvme0n1p1", "259:1", STAT_A);
    put("/sys/devices/nvme0n1/nvme0n1p1/partition", "1\n");
    set = find("/f", 259, 1);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
}

static void test_members_count_where_dm_does_not(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_device("virtual/dm-0", "253:0", "0 0 0 0 0 0 0 0 0 0 0\n");
    put("/sys/devices/virtual/dm-0/queue/iostats", "0\n");
    put_device("sda", "8:0", STAT_A);
    link_to("/sys/devices/virtual/dm-0/slaves/sda", "/sys/devices/sda");
    set = find("/f", 253, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_string_equal(pario_device_names(set), "sda");
    assert_int_equal(now(set).written_bytes, 400 * 512);
    pario_device_free(set);
}

#define ROOT_ON_VDA "27 1 254:0 / / rw - ext4 /dev/vda rw\n"

static void put_loop(void)
{
    put("/proc/self/mountinfo",
        ROOT_ON_VDA "90 27 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
    put_device("vda", "254:0", STAT_B);
    put_device("virtual/loop0", "7:0", STAT_A);
    put("/sys/devices/virtual/loop0/loop/offset", "0\n");
    put("/sys/devices/virtual/loop0/loop/backing_file", "/images/disk.img\n");
}

static void test_loop_names_device_of_its_file(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_loop();
    put("/images/disk.img", "");
    set = find("/mnt/f", 7, 0);
    assert_string_equal(pario_device_names(set), "loop0 (below: vda)");
    assert_int_equal(now(set).written_bytes, 400 * 512);
    assert_int_equal(now(pario_device_lower(set)).written_bytes, 4 * 512);
    pario_device_free(set);
}

/* Where the file was cannot be seen: in memory, perhaps. */
static void test_loop_of_file_that_is_not_seen_is_not_visible(void **state)
{
    static const char *const files[] = {"/images/disk.img (deleted)\n",
                                        "/host/disk.img\n", "/far/disk.img\n"};
    struct pario_device_set *set;

    (void)state;
    put_loop();
    put("/proc/self/mountinfo",
        ROOT_ON_VDA "90 27 7:0 / /mnt rw - ext4 /dev/loop0 rw\n"
                    "91 27 0:99 / /far rw - fuse.sshfs server: rw\n");
    put("/far/disk.img", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put("/sys/devices/virtual/loop0/loop/backing_file", files[i]);
        set = find("/mnt/f", 7, 0);
        assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
        assert_string_equal(pario_device_names(set),
                            "not visible (loop0 lies on what is not visible)");
        assert_int_equal(now(set).written_bytes, -1);
        pario_device_free(set);
    }
    /* Nor what is striped over it and a disk. */
    put_device("virtual/dm-0", "253:0", STAT_A);
    put_device("sda", "8:0", STAT_A);
    link_to("/sys/devices/virtual/dm-0/slaves/sda", "/sys/devices/sda");
    link_to("/sys/devices/virtual/dm-0/slaves/loop0",
            "/sys/devices/virtual/loop0");
    set = find("/f", 253, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
}

/* A stripe over a disk and a file on another: at the lowest level both disks
 * count, each once. */
static void test_members_without_anything_below_stay(void **state)
{
    const struct pario_device_set *lower;
    struct pario_device_set *set;

    (void)state;
    put_loop();
    put("/images/disk.img", "");
    put_device("virtual/dm-0", "253:0", STAT_A);
    put_device("sda", "8:0", STAT_A);
    link_to("/sys/devices/virtual/dm-0/slaves/sda", "/sys/devices/sda");
    link_to("/sys/devices/virtual/dm-0/slaves/loop0",
            "/sys/devices/virtual/loop0");
    set = find("/f", 253, 0);
    lower = pario_device_lower(set);
    assert_int_equal(now(lower).written_bytes, 2 * 400 * 512);
    lower = pario_device_lower(lower);
    assert_non_null(lower);
    assert_int_equal(now(lower).written_bytes, (400 + 4) * 512);
    assert_null(pario_device_lower(lower));
    pario_device_free(set);
}

/* Nothing that a disk in memory counts has reached a device. */
static void test_disk_in_memory_is_no_device(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_device("virtual/zram0", "252:0", STAT_A);
    put_device("virtual/ram1", "1:1", STAT_A);
    put_device("virtual/dm-0", "253:0", STAT_A);
    put_device("sda", "8:0", STAT_B);
    link_to("/sys/devices/virtual/dm-0/slaves/zram0",
            "/sys/devices/virtual/zram0");
    set = find("/f", 252, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_NONE);
    assert_string_equal(pario_device_names(set), "memory (zram0)");
    assert_int_equal(now(set).written_bytes, -1);
    pario_device_free(set);
    set = find("/f", 1, 1);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_NONE);
    pario_device_free(set);
    set = find("/f", 253, 0);
    assert_int_equal(pario_device_kind_of(pario_device_lower(set)),
                     PARIO_DEVICE_NONE);
    pario_device_free(set);
    /* Of a stripe, what is written to the disk alone. */
    link_to("/sys/devices/virtual/dm-0/slaves/sda", "/sys/devices/sda");
    set = find("/f", 253, 0);
    assert_string_equal(pario_device_names(set), "dm-0 (below: sda)");
    assert_int_equal(now(pario_device_lower(set)).written_bytes, 4 * 512);
    pario_device_free(set);
}

/* What lies below a loop device may be cached there: no replacement. */
static void test_loop_without_statistics_is_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put_loop();
    put("/images/disk.img", "");
    put("/sys/devices/virtual/loop0/queue/iostats", "0\n");
    set = find("/mnt/f", 7, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
}

/* A loop device on a file that lies on itself: cannot be, must not hang. */
static void test_loop_on_itself_ends(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo", "27 1 7:0 / / rw - ext4 /dev/loop0 rw\n");
    put_device("virtual/loop0", "7:0", STAT_A);
    put("/sys/devices/virtual/loop0/loop/backing_file", "/disk.img\n");
    put("/disk.img", "");
    set = find("/f", 7, 0);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_int_equal(now(set).written_bytes, 400 * 512);
    pario_device_free(set);
}

#define MOUNTSTATS(point, bytes, calls)                                        \
    "device server:/export mounted on " point                                  \
    " with fstype nfs4 statvers=1.1\n"                                         \
    "\topts:\trw,vers=4.2\n"                                                   \
    "\tage:\t12\n"                                                             \
    "\tevents:\t1 2 3\n"                                                       \
    "\tbytes:\t" bytes "\n"                                                    \
    "\tper-op statistics\n"                                                    \
    "\t        READ: " calls " 7 0 0 0\n"                                      \
    "\t       WRITE: 9 7 0 0 0\n\n"

static void test_nfs_counts_what_the_server_saw(void **state)
{
    struct pario_device_set *set;
    struct pario_device_traffic traffic;

    (void)state;
    put("/proc/self/mountinfo", ROOT_ON_VDA
        "91 27 0:50 / /my\\040nfs rw - nfs4 server:/export rw,vers=4.2\n");
    put("/proc/self/mountstats",
        "device /dev/vda mounted on / with fstype ext4\n" MOUNTSTATS(
            "/other", "1 1 1 1 1 1 1 1", "1")
            MOUNTSTATS("/my\\040nfs", "11 12 13 14 15 16 17 18", "8")
                MOUNTSTATS("/last", "2 2 2 2 2 2 2 2", "2"));
    set = find("/my nfs/f", 0, 50);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_NFS);
    assert_string_equal(pario_device_names(set), "server:/export");
    traffic = now(set);
    assert_int_equal(traffic.read_bytes, 15);
    assert_int_equal(traffic.written_bytes, 16);
    assert_int_equal(traffic.read_ios, 8);
    assert_int_equal(traffic.write_ios, 9);
    assert_int_equal(traffic.busy_ms, -1);
    /* Unmounted under us. */
    put("/proc/self/mountstats", "device /dev/vda mounted on / with fstype\n");
    assert_int_equal(pario_device_read(set, &traffic), -ENODEV);
    pario_device_free(set);
}

static void test_nfs_without_statistics_is_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo", "91 1 0:50 / / rw - nfs server:/e rw\n");
    set = find("/f", 0, 50);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    assert_string_equal(pario_device_names(set), "not visible (nfs)");
    pario_device_free(set);
}

static void test_btrfs_sums_all_its_devices(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo",
        "27 1 0:33 / / rw - btrfs /dev/mapper/vg-home rw,subvol=/\n");
    put_device("virtual/dm-3", "253:3", STAT_A);
    put_device("sdb", "8:16", STAT_B);
    put_device("sdc", "8:32", STAT_B);
    assert_int_equal(symlink("../dm-3", below_root("/dev/mapper/vg-home")), 0);
    put("/sys/fs/btrfs/features/raid1c34", "0\n");
    link_to("/sys/fs/btrfs/another/devices/sdc", "/sys/devices/sdc");
    link_to("/sys/fs/btrfs/uuid/devices/dm-3", "/sys/devices/virtual/dm-3");
    link_to("/sys/fs/btrfs/uuid/devices/sdb", "/sys/devices/sdb");
    /* st_dev of a subvolume is not even the number in mountinfo. */
    set = find("/sub/f", 0, 41);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_int_equal(now(set).written_bytes, 404 * 512);
    assert_int_equal(now(set).busy_ms, 50);
    assert_string_equal(pario_device_names(set), "dm-3 + sdb");
    pario_device_free(set);
}

/* One device of perhaps several: too few bytes would accuse a cache. */
static void test_btrfs_of_unknown_devices_is_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo", "27 1 0:33 / / rw - btrfs /dev/sdb rw\n");
    put_device("sdb", "8:16", STAT_B);
    set = find("/f", 0, 33);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
}

static void test_bcachefs_sums_all_its_devices(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo",
        "27 1 0:33 / / rw - bcachefs /dev/sda:/dev/sdb rw\n");
    put_device("sda", "8:0", STAT_A);
    put_device("sdb", "8:16", STAT_B);
    set = find("/f", 0, 33);
    assert_string_equal(pario_device_names(set), "sda + sdb");
    assert_int_equal(now(set).written_bytes, 404 * 512);
    pario_device_free(set);
}

#define LAYER                                                                  \
    "/var/lib/layers/"                                                         \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/diff"
#define FOUR_LAYERS LAYER ":" LAYER ":" LAYER ":" LAYER
#define OVERLAY                                                                \
    "95 27 0:60 / /merged rw,relatime - overlay overlay "                      \
    "rw,lowerdir=" FOUR_LAYERS ":" FOUR_LAYERS ":" FOUR_LAYERS                 \
    ",upperdir=/upper,workdir=/work\n"

static void test_overlay_writes_to_device_of_upperdir(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo", ROOT_ON_VDA OVERLAY);
    put_device("vda", "254:0", STAT_A);
    put("/upper/file", "");
    set = find("/merged/f", 0, 60);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_string_equal(pario_device_names(set), "vda");
    pario_device_free(set);
}

/* In a container upperdir is a name of the host's. */
static void test_overlay_of_a_container_is_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo", ROOT_ON_VDA OVERLAY);
    put_device("vda", "254:0", STAT_A);
    set = find("/merged/f", 0, 60);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    assert_string_equal(pario_device_names(set), "not visible (overlay)");
    pario_device_free(set);
}

static void test_memory_has_no_device(void **state)
{
    static const char *const types[] = {"tmpfs", "ramfs", "devtmpfs"};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct pario_device_set *set;
        char text[128], name[64];

        snprintf(text, sizeof text, "27 1 0:33 / / rw - %s none rw\n",
                 types[i]);
        put("/proc/self/mountinfo", text);
        set = find("/f", 0, 33);
        assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_NONE);
        snprintf(name, sizeof name, "memory (%s)", types[i]);
        assert_string_equal(pario_device_names(set), name);
        assert_int_equal(now(set).read_bytes, -1);
        pario_device_free(set);
    }
}

static void test_fuse_and_network_are_not_visible(void **state)
{
    struct pario_device_set *set;

    (void)state;
    put("/proc/self/mountinfo",
        "27 1 0:33 / / rw - fuse.sshfs host:/dir rw\n"
        "28 27 0:34 / /l rw - lustre 10.0.0.1@tcp:/work rw\n");
    set = find("/f", 0, 33);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    assert_string_equal(pario_device_names(set), "not visible (fuse.sshfs)");
    pario_device_free(set);
    set = find("/l/f", 0, 34);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
    /* No mountinfo at all. */
    put("/proc/self/mountinfo", "");
    set = find("/f", 0, 33);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_UNKNOWN);
    pario_device_free(set);
}

static void test_unplugged_device_is_an_error(void **state)
{
    struct pario_device_traffic traffic = {.read_bytes = 7};
    struct pario_device_set *set;
    char path[PATH_MAX];

    (void)state;
    put_device("sda", "8:0", STAT_A);
    set = find("/f", 8, 0);
    assert_int_equal(pario_device_read(set, &traffic), 0);
    snprintf(path, sizeof path, "%s/sys/devices/sda/stat", root);
    assert_int_equal(unlink(path), 0);
    traffic.read_bytes = 7;
    assert_int_equal(pario_device_read(set, &traffic), -ENODEV);
    assert_non_null(strstr(pario_error_message(), "went away"));
    assert_int_equal(traffic.read_bytes, 7);
    pario_device_free(set);
}

static void test_since_of_a_counter_that_went_back_is_unknown(void **state)
{
    struct pario_device_traffic begin = {100, 10, 5, 5, -1, 0};
    struct pario_device_traffic end = {150, 9, 6, 5, 3, -1};
    struct pario_device_traffic delta;

    (void)state;
    pario_device_since(&begin, &end, &delta);
    assert_int_equal(delta.read_bytes, 50);
    assert_int_equal(delta.written_bytes, -1);
    assert_int_equal(delta.read_ios, 1);
    assert_int_equal(delta.write_ios, 0);
    assert_int_equal(delta.busy_ms, -1);
    assert_int_equal(delta.discarded_bytes, -1);
}

static void test_find_of_missing_path_fails(void **state)
{
    struct pario_device_set *set = NULL;

    (void)state;
    assert_int_equal(pario_device_find("/no/such/file", &set), -ENOENT);
    assert_null(set);
}

PARIO_PRINTF(1, 2) static int run(const char *format, ...)
{
    char command[PATH_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

/* Writes a MiB past all caches straight to the device. */
static void write_direct(const char *device)
{
    int fd = open(device, O_WRONLY | O_DIRECT | O_CLOEXEC);
    void *buf = NULL;

    assert_true(fd >= 0);
    assert_int_equal(posix_memalign(&buf, 4096, 1 << 20), 0);
    memset(buf, 7, 1 << 20);
    assert_int_equal(pwrite(fd, buf, 1 << 20, 0), 1 << 20);
    assert_int_equal(fsync(fd), 0);
    free(buf);
    close(fd);
}

static void test_loop_device_of_this_system_counts(void **state)
{
    char image[PATH_MAX], device[64] = "";
    struct pario_device_traffic begin, end, delta;
    struct pario_device_set *set = NULL;
    FILE *name;

    (void)state;
    snprintf(image, sizeof image, "%s/disk.img", root);
    if (geteuid() != 0 || access("/sys/block", R_OK) != 0 ||
        run("truncate -s 4M %s", image) != 0 ||
        run("losetup -f --show %s > %s/name 2>/dev/null", image, root) != 0) {
        print_message("no loop device can be made here\n");
        skip();
    }
    name = fopen(below_root("/name"), "r");
    assert_non_null(name);
    assert_int_equal(fscanf(name, "%63s", device), 1);
    fclose(name);
    assert_int_equal(pario_device_find(device, &set), 0);
    begin = now(set);
    write_direct(device);
    end = now(set);
    assert_int_equal(run("losetup -d %s", device), 0);
    if (pario_device_kind_of(set) == PARIO_DEVICE_UNKNOWN) {
        pario_device_free(set);
        print_message("what holds files in /tmp cannot be seen here\n");
        skip();
    }
    pario_device_since(&begin, &end, &delta);
    assert_int_equal(pario_device_kind_of(set), PARIO_DEVICE_BLOCK);
    assert_true(strncmp(pario_device_names(set), strrchr(device, '/') + 1,
                        strlen(strrchr(device, '/') + 1)) == 0);
    assert_int_equal(delta.written_bytes, 1 << 20);
    assert_true(delta.read_bytes >= 0);
    pario_device_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(test_partition_has_its_own_counters),
        WITH_ROOT(test_old_kernel_without_discards_is_read),
        WITH_ROOT(test_short_stat_is_refused),
        WITH_ROOT(test_dm_counts_itself_and_names_its_members),
        WITH_ROOT(test_device_without_statistics_is_not_visible),
        WITH_ROOT(test_members_count_where_dm_does_not),
        WITH_ROOT(test_loop_names_device_of_its_file),
        WITH_ROOT(test_loop_of_file_that_is_not_seen_is_not_visible),
        WITH_ROOT(test_loop_without_statistics_is_not_visible),
        WITH_ROOT(test_loop_on_itself_ends),
        WITH_ROOT(test_members_without_anything_below_stay),
        WITH_ROOT(test_disk_in_memory_is_no_device),
        WITH_ROOT(test_nfs_counts_what_the_server_saw),
        WITH_ROOT(test_nfs_without_statistics_is_not_visible),
        WITH_ROOT(test_btrfs_sums_all_its_devices),
        WITH_ROOT(test_btrfs_of_unknown_devices_is_not_visible),
        WITH_ROOT(test_bcachefs_sums_all_its_devices),
        WITH_ROOT(test_overlay_writes_to_device_of_upperdir),
        WITH_ROOT(test_overlay_of_a_container_is_not_visible),
        WITH_ROOT(test_memory_has_no_device),
        WITH_ROOT(test_fuse_and_network_are_not_visible),
        WITH_ROOT(test_unplugged_device_is_an_error),
        cmocka_unit_test(test_since_of_a_counter_that_went_back_is_unknown),
        cmocka_unit_test(test_find_of_missing_path_fails),
        WITH_ROOT(test_loop_device_of_this_system_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
