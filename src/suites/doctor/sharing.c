/* suites/doctor/sharing.c - is the directory truly the same for all? One file
 * made by rank 0 must be seen by all; what each process writes into it must
 * be read by another: while the file is open, and after it was closed. */
#include "core/cleanup.h"
#include "core/data.h"
#include "core/storage.h"
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define APPEAR_TRIES                                                           \
    60 /* x 50 ms: attribute caches of network file systems                    \
        */
#define DATA_KEY 0x646f63746f7200u

struct sharing {
    struct pario_doctor *doctor;
    char path[PATH_MAX + 16];
    int fd;           /* open for writing; -1: not open */
    int64_t stale[2]; /* ranks that read something else: [after close] */
};

static int make_file(struct sharing *sharing)
{
    int code = 0;

    if (pario_group_rank(sharing->doctor->world) == 0) {
        int fd = pario_own_open(sharing->path,
                                O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

        if (fd < 0 || close(fd) != 0)
            code = pario_fail_errno(-errno, "cannot make %s", sharing->path);
    }
    return pario_agree(sharing->doctor->world, code);
}

/* Collective. *unseen_p: how many ranks do not see the file. */
static int open_file(struct sharing *sharing, int64_t *unseen_p)
{
    struct timespec pause = {.tv_nsec = 50000000};
    int64_t unseen = 0;
    int code = 0, sum_code;

    for (int i = 0; i < APPEAR_TRIES; i++) {
        sharing->fd = pario_own_open(sharing->path, O_RDWR | O_CLOEXEC, 0);
        if (sharing->fd >= 0 || (errno != ENOENT && errno != ESTALE))
            break;
        nanosleep(&pause, NULL);
    }
    if (sharing->fd < 0) {
        unseen = errno == ENOENT || errno == ESTALE;
        if (!unseen)
            code = pario_fail_errno(-errno, "cannot open %s", sharing->path);
    }
    sum_code = pario_reduce_i64(sharing->doctor->world, PARIO_SUM, &unseen, 1);
    *unseen_p = unseen;
    return pario_agree(sharing->doctor->world, code != 0 ? code : sum_code);
}

/* The first generation is written and synced, the second also closed. */
static int write_block(struct sharing *sharing, int generation)
{
    const struct pario_data data = {DATA_KEY + (uint64_t)generation, 0};
    int64_t offset =
        (int64_t)pario_group_rank(sharing->doctor->world) * BLOCK_BYTES;
    char block[BLOCK_BYTES];
    int code;

    pario_data_fill(&data, offset, block, sizeof block);
    code = pario_pwrite_all(sharing->fd, block, sizeof block, offset);
    if (code != 0)
        code = pario_fail_errno(code, "cannot write to %s", sharing->path);
    else if (generation == 0 && fsync(sharing->fd) != 0)
        code = pario_fail_errno(-errno, "cannot sync %s", sharing->path);
    if (generation == 1) {
        if (close(sharing->fd) != 0 && code == 0)
            code = pario_fail_errno(-errno, "cannot close %s", sharing->path);
        sharing->fd = -1;
    }
    return pario_agree(sharing->doctor->world, code);
}

/* Local. 0 as written, PARIO_EVERIFY otherwise, or an error of reading. */
static int read_block(const struct sharing *sharing, int writer, int generation)
{
    const struct pario_data data = {DATA_KEY + (uint64_t)generation, 0};
    int64_t offset = (int64_t)writer * BLOCK_BYTES;
    struct pario_data_error error;
    char block[BLOCK_BYTES];
    int fd = pario_own_open(sharing->path, O_RDONLY | O_CLOEXEC, 0);
    int code =
        fd >= 0 ? pario_pread_all(fd, block, sizeof block, offset) : -errno;

    if (fd >= 0)
        close(fd);
    if (code == PARIO_ESHORT)
        return PARIO_EVERIFY; /* the size is stale */
    if (code != 0)
        return pario_fail_errno(code, "cannot read %s", sharing->path);
    return pario_data_check(&data, offset, block, sizeof block, &error);
}

/* Collective. Reads the blocks of the next rank and of one on the next node;
 * counts the ranks that did not find what was written. */
static int read_others(struct sharing *sharing, int generation)
{
    const struct pario_group *world = sharing->doctor->world;
    int size = pario_group_size(world), rank = pario_group_rank(world);
    int64_t unused, widest, stale = 0;
    int code = doctor_range(sharing->doctor, pario_group_node_size(world),
                            &unused, &widest);
    const int shifts[2] = {1, code == 0 ? (int)(widest % size) : 1};

    for (int i = 0; code == 0 && i < 2; i++) {
        int got = read_block(sharing, (rank + shifts[i]) % size, generation);

        if (got == PARIO_EVERIFY)
            stale = 1;
        else
            code = got;
    }
    sharing->stale[generation] = stale;
    code = pario_agree(world, code);
    if (code == 0)
        code =
            pario_reduce_i64(world, PARIO_SUM, &sharing->stale[generation], 1);
    return code;
}

/* What makes clients coherent, where it is known (docs/filesystems.md). */
static const char *remedy_of(const char *type)
{
    if (strcmp(type, "cephfs") == 0)
        return "mount with `ceph-fuse --fuse_disable_pagecache=true "
               "--client_oc=false`: results would be of wrong data";
    if (strcmp(type, "glusterfs") == 0)
        return "mount with direct-io-mode=enable,attribute-timeout=0,"
               "entry-timeout=0: results would be of wrong data";
    return "turn off the client's caching (mount option) or give another file "
           "system: results would be of wrong data";
}

static void report(struct sharing *sharing)
{
    struct pario_doctor *doctor = sharing->doctor;
    int size = pario_group_size(doctor->world);
    int nodes = pario_group_nodes(doctor->world);

    if (sharing->stale[1] > 0)
        doctor_report(doctor, PARIO_VERDICT_ERROR, remedy_of(doctor->fs.type),
                      "%lld of %d ranks read old data after the writer had "
                      "closed the file",
                      (long long)sharing->stale[1], size);
    else if (sharing->stale[0] > 0)
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "shared files written and read while open, as MPI-IO "
                      "does, may show old data: turn off client caching",
                      "%lld of %d ranks see synced data of others only after "
                      "close",
                      (long long)sharing->stale[0], size);
    else if (size == 1)
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "one process reads back what it wrote; start with `-n` "
                      "to check between processes");
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "a new file is seen by all %d processes on %d node%s, "
                      "and data of others is read as written, while open and "
                      "after close",
                      size, nodes, nodes == 1 ? "" : "s");
}

/* Collective; the file is open on the ranks that see it. */
static int exchange(struct sharing *sharing)
{
    int code = write_block(sharing, 0);

    if (code == 0)
        code = read_others(sharing, 0);
    if (code == 0)
        code = write_block(sharing, 1);
    if (code == 0)
        code = read_others(sharing, 1);
    return code;
}

int doctor_check_sharing(struct pario_doctor *doctor)
{
    struct sharing sharing = {.doctor = doctor, .fd = -1};
    int64_t unseen = 0;
    int code;

    snprintf(sharing.path, sizeof sharing.path, "%s/shared", doctor->scratch);
    code = make_file(&sharing);
    if (code == 0)
        code = open_file(&sharing, &unseen);
    if (code == 0 && unseen == 0)
        code = exchange(&sharing);
    if (sharing.fd >= 0)
        close(sharing.fd);
    doctor->shared = code == 0 && unseen == 0;
    if (code != 0)
        doctor_report(doctor, PARIO_VERDICT_ERROR,
                      "look at the storage: a simple file could not be used",
                      "%s", pario_error_message());
    else if (unseen > 0)
        doctor_report(doctor, PARIO_VERDICT_ERROR,
                      "give a directory on a file system that all nodes mount",
                      "%lld of %d ranks do not see a file that rank 0 made: "
                      "the directory is not shared",
                      (long long)unseen, pario_group_size(doctor->world));
    else
        report(&sharing);
    return 0;
}
