/* suites/doctor/storage.c - the directory and the file system behind it. */
#include "core/cleanup.h"
#include "core/units.h"
#include "io/backend.h"
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LITTLE_SPACE (1LL << 30)
#define FEW_INODES 1000

/* Rank 0 makes our own directory in dir and tells the others its name. */
static int make_scratch(struct pario_doctor *doctor)
{
    char path[sizeof doctor->scratch];
    int code = 0;

    memset(path, 0, sizeof path);
    if (pario_group_rank(doctor->world) == 0)
        code = pario_cleanup_make_tree(doctor->dir, ".pario-doctor", 0, path,
                                       sizeof path);
    code = pario_agree(doctor->world, code);
    if (code == 0)
        code = pario_agree(doctor->world,
                           pario_bcast(doctor->world, path, sizeof path));
    if (code == 0)
        memcpy(doctor->scratch, path, sizeof path);
    return code;
}

int doctor_check_directory(struct pario_doctor *doctor)
{
    const struct pario_group *world = doctor->world;
    int code = pario_agree(world, pario_fs_check_writable(doctor->dir, 0));

    if (code == 0)
        code = pario_agree(world, pario_fs_facts_get(doctor->dir, &doctor->fs));
    if (code == 0) /* one process a node is enough to try things out */
        code = pario_agree(world, pario_group_node_rank(world) == 0
                                      ? pario_fs_probe(doctor->dir, &doctor->fs)
                                      : 0);
    if (code == 0)
        code = make_scratch(doctor);
    if (code != 0)
        doctor_report(doctor, PARIO_VERDICT_ERROR,
                      "give a directory that every process can write to; the "
                      "checks of the file system were left out",
                      "%s", pario_error_message());
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "%s: every process can write to it", doctor->dir);
    return 0;
}

/* FNV-1a, to see whether all ranks have the same text. */
static int64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (int64_t)(hash >> 2);
}

int doctor_check_file_system(struct pario_doctor *doctor)
{
    const struct pario_fs_facts *fs = &doctor->fs;
    int nodes = pario_group_nodes(doctor->world);
    enum pario_verdict verdict = PARIO_VERDICT_OK;
    const char *remedy = "", *note = "";
    int64_t least, most;
    int code = doctor_range(doctor, text_hash(fs->type), &least, &most);

    if (code != 0)
        return code;
    if (least != most) {
        verdict = PARIO_VERDICT_ERROR;
        remedy = "mount the same file system there on all nodes";
        note = "; other nodes have another type there";
    } else if (fs->memory_backed) {
        verdict = PARIO_VERDICT_WARNING;
        remedy = "give a directory on a disk, unless memory is to be measured";
        note = "; no disk behind it: rates are those of memory";
    } else if (nodes > 1 && !fs->parallel) {
        verdict = PARIO_VERDICT_WARNING;
        remedy = "give a directory on a parallel or network file system";
        note = "; not a parallel file system by its type";
    }
    doctor_report(doctor, verdict, remedy, "%s (%s on %s; %s)%s", fs->type,
                  fs->source, fs->mount, fs->options, note);
    return 0;
}

int doctor_check_space(struct pario_doctor *doctor)
{
    char some[PARIO_UNITS_LEN], all[PARIO_UNITS_LEN];
    enum pario_verdict verdict = PARIO_VERDICT_OK;
    int64_t least, unused;
    int code = doctor_range(doctor, doctor->fs.free_bytes, &least, &unused);

    if (code != 0)
        return code;
    if (least < LITTLE_SPACE)
        verdict = PARIO_VERDICT_WARNING;
    if (least == 0)
        verdict = PARIO_VERDICT_ERROR;
    doctor_report(doctor, verdict,
                  verdict == PARIO_VERDICT_OK
                      ? ""
                      : "free some space: small data stays in caches, and a "
                        "full file system fails or is slow",
                  "%s of %s", pario_size_print_short(least, some),
                  pario_size_print_short(doctor->fs.total_bytes, all));
    return 0;
}

int doctor_check_inodes(struct pario_doctor *doctor)
{
    int64_t least, unused;
    int few;
    int code = doctor_range(doctor, doctor->fs.free_inodes, &least, &unused);

    if (code != 0)
        return code;
    if (doctor->fs.total_inodes < 0 || least < 0) {
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "%s does not count them beforehand", doctor->fs.type);
        return 0;
    }
    few = least < FEW_INODES + pario_group_size(doctor->world);
    doctor_report(doctor, few ? PARIO_VERDICT_WARNING : PARIO_VERDICT_OK,
                  few ? "remove files: one file a process may not fit" : "",
                  "%lld free of %lld", (long long)least,
                  (long long)doctor->fs.total_inodes);
    return 0;
}

int doctor_check_blocks(struct pario_doctor *doctor)
{
    char text[PARIO_UNITS_LEN];

    doctor_report(doctor, PARIO_VERDICT_OK, "", "%s",
                  pario_size_print(doctor->fs.block_bytes, text));
    return 0;
}

/* How the layout is asked for where no attribute tells it. */
static const struct {
    const char *type, *command;
} layout_commands[] = {
    {"lustre", "lfs getstripe -d"},
    {"gpfs", "mmlsfs and mmlspool"},
    {"beegfs", "beegfs-ctl --getentryinfo"},
    {"glusterfs", "gluster volume info"},
    {"moosefs", "mfsfileinfo (chunks of 64 MiB)"},
    {"cephfs", "getfattr -n ceph.dir.layout"},
};

static void report_unknown_layout(struct pario_doctor *doctor)
{
    const char *type = doctor->fs.type;

    for (size_t i = 0; i < sizeof layout_commands / sizeof *layout_commands;
         i++) {
        if (strcmp(type, layout_commands[i].type) != 0)
            continue;
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "%s does not tell the layout here; `%s` does", type,
                      layout_commands[i].command);
        return;
    }
    doctor_report(doctor, PARIO_VERDICT_OK, "",
                  "%s has or tells no stripe layout", type);
}

int doctor_check_stripes(struct pario_doctor *doctor)
{
    const struct pario_fs_facts *fs = &doctor->fs;
    char size[PARIO_UNITS_LEN] = "unknown size", count[48] = "all targets";
    int narrow = fs->stripe_count == 1 && strcmp(fs->type, "lustre") == 0 &&
                 pario_group_size(doctor->world) > 1;

    if (fs->stripe_bytes < 0 && fs->stripe_count < 0) {
        report_unknown_layout(doctor);
        return 0;
    }
    if (fs->stripe_bytes > 0)
        pario_size_print(fs->stripe_bytes, size);
    if (fs->stripe_count > 0)
        snprintf(count, sizeof count, "%d target%s", fs->stripe_count,
                 fs->stripe_count == 1 ? "" : "s");
    doctor_report(doctor, narrow ? PARIO_VERDICT_WARNING : PARIO_VERDICT_OK,
                  narrow ? "a shared file uses one target only: lfs setstripe "
                           "-c -1 on the directory spreads new files"
                         : "",
                  "stripes of %s over %s", size, count);
    return 0;
}

/* Collective. The smallest value of the processes that probed. */
static int probed(const struct pario_doctor *doctor, int mine, int64_t *least_p)
{
    int64_t unused;

    return doctor_range(
        doctor, pario_group_node_rank(doctor->world) == 0 ? mine : INT64_MAX,
        least_p, &unused);
}

int doctor_check_direct(struct pario_doctor *doctor)
{
    char text[PARIO_UNITS_LEN];
    int64_t least;
    int code = probed(doctor, doctor->fs.direct_alignment, &least);

    if (code != 0)
        return code;
    if (least > 0)
        doctor_report(doctor, PARIO_VERDICT_OK, "", "yes, aligned to %s",
                      pario_size_print(doctor->fs.direct_alignment, text));
    else
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "measure through the cache with data larger than memory, "
                      "or evict with --cold",
                      least == 0 ? "no: the page cache cannot be bypassed"
                                 : "could not be found out");
    return 0;
}

int doctor_check_fallocate(struct pario_doctor *doctor)
{
    int64_t least;
    int code = probed(doctor, doctor->fs.can_fallocate, &least);

    if (code != 0)
        return code;
    if (least == 1)
        doctor_report(doctor, PARIO_VERDICT_OK, "", "yes");
    else
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "space cannot be reserved cheaply: leave preallocation "
                      "off",
                      least == 0 ? "no" : "could not be found out");
    return 0;
}

int doctor_check_locks(struct pario_doctor *doctor)
{
    int64_t least;
    int code = probed(doctor, doctor->fs.can_lock, &least);

    if (code != 0)
        return code;
    if (least == 1)
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "byte-range locks keep others out");
    else
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "ROMIO's data sieving needs them: mount with locks "
                      "(Lustre: -o flock) or set the hint "
                      "romio_ds_write=disable",
                      least == 0 ? "no byte-range locks"
                                 : "could not be found out");
    return 0;
}

int doctor_check_uring(struct pario_doctor *doctor)
{
    const struct pario_backend *backend = NULL;
    int allowed = 0, code;

    if (pario_backend_find("uring", &backend) != 0) {
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "install liburing's development files and build again",
                      "not compiled in: asynchronous I/O cannot be measured");
        pario_error_clear();
        return 0;
    }
    code = pario_backend_allowed(backend, doctor->world, &allowed);
    if (code != 0)
        return code;
    if (allowed)
        doctor_report(doctor, PARIO_VERDICT_OK, "", "usable");
    else
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "sysctl kernel.io_uring_disabled=0, a newer kernel, or a "
                      "container that permits it; --io posix works without",
                      "%s", pario_error_message());
    pario_error_clear();
    return 0;
}
