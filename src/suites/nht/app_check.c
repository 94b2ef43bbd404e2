/* Reading the dumps back after the timed part. */
#include "suites/nht/app_io.h"

#include "core/storage.h"
#include "sys/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the file of a dump, which must be exactly as long as it is to be. */
static int open_dump(const struct nht_io *io, int dump, int ndumps, int *fd_p)
{
    char path[4352];
    int64_t want = io->mode->split ? (int64_t)io->layout.bytes * ndumps
                   : io->many      ? io->dump_bytes
                                   : io->dump_bytes * ndumps;
    struct stat st;
    int fd, code = 0;

    nht_io_place(io, dump, path, sizeof(path));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        code = pario_fail_errno(-errno, "cannot read %s back", path);
    else if (st.st_size != want)
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after writing %lld: data is "
                          "missing although every write call succeeded",
                          path, (long long)st.st_size, (long long)want);
    if (code != 0 && fd >= 0)
        close(fd);
    if (code == 0)
        *fd_p = fd;
    return code;
}

int nht_app_check_length(const struct nht_io *io, int ndumps)
{
    int nfiles = io->many ? ndumps : 1, fd = -1, code = 0;

    /* With a file per process each looks at its own. */
    if (!io->mode->split && pario_group_rank(io->world) != 0)
        nfiles = 0;
    for (int dump = 0; dump < nfiles && code == 0; dump++) {
        code = open_dump(io, dump, ndumps, &fd);
        if (code == 0)
            close(fd);
    }
    return pario_agree(io->world, code);
}

/* This process's part of a dump. */
static int read_dump(const struct nht_io *io, int dump, int ndumps, double *buf)
{
    char path[4352], *pos = (char *)buf;
    int64_t start = nht_io_place(io, dump, path, sizeof(path));
    int fd = -1, code = open_dump(io, dump, ndumps, &fd);

    if (code != 0)
        return code;
    for (size_t i = 0; i < io->layout.count && code == 0; i++) {
        const struct nht_extent *extent = &io->layout.extents[i];

        code = pario_pread_all(fd, pos, extent->len,
                               io->mode->split
                                   ? start + (int64_t)(pos - (char *)buf)
                                   : start + extent->offset);
        if (code != 0)
            pario_fail_errno(code, "cannot read dump %d from %s", dump + 1,
                             path);
        pos += extent->len;
    }
    close(fd);
    return code;
}

int nht_schedule_step(const struct nht_schedule *schedule, int dump)
{
    int64_t step = (int64_t)(dump + 1) * schedule->interval;

    return step < schedule->steps ? (int)step : schedule->steps;
}

/* Collective. The digest of a dump from the parts of all ranks. */
static int whole_digest(const struct nht_io *io, const double *buf,
                        uint64_t *digest_p)
{
    int64_t digest = (int64_t)nht_layout_digest(&io->layout, buf);
    int code = pario_reduce_i64(io->world, PARIO_SUM, &digest, 1);

    *digest_p = (uint64_t)digest;
    return code;
}

static uint64_t known_digest(const struct nht_io *io, int step)
{
    if (step % PARIO_BT_INTERVAL != 0)
        return 0;
    return pario_bt_dump_digest(io->bt->cls, step / PARIO_BT_INTERVAL - 1);
}

int nht_app_digests(const struct nht_io *io, struct pario_bt *bt,
                    const struct nht_schedule *schedule, double *buf,
                    uint64_t *want)
{
    int at = -1, code = 0; /* step of U; -1: not computing */

    for (int dump = 0; dump < schedule->ndumps && code == 0; dump++) {
        int step = nht_schedule_step(schedule, dump);

        want[dump] = known_digest(io, step);
        if (want[dump] != 0)
            continue;
        if (at < 0) {
            pario_bt_start(bt);
            at = 0;
        }
        for (; at < step && code == 0; at++)
            code = pario_bt_step(bt);
        if (code == 0) {
            pario_bt_pack(bt, buf);
            code = whole_digest(io, buf, &want[dump]);
        }
    }
    return code;
}

/* --cold: each node puts the files out of its cache. */
static int evict(const struct nht_io *io, int ndumps)
{
    int64_t left;
    char path[4352];
    int code = 0;

    if (!io->cold ||
        (!io->mode->split && pario_group_node_rank(io->world) != 0))
        return 0;
    for (int dump = 0; dump < (io->many ? ndumps : 1) && code == 0; dump++) {
        nht_io_place(io, dump, path, sizeof(path));
        code = pario_cache_evict(path, &left);
    }
    return code;
}

int nht_app_check(struct nht_io *io, struct pario_bt *bt, int ndumps,
                  const uint64_t *want, double *buf, struct nht_check *check_p)
{
    struct nht_check found = {0};
    int code = pario_agree(io->world, evict(io, ndumps));

    if (code != 0)
        return code;
    for (int dump = 0; dump < ndumps; dump++) {
        uint64_t digest = 0;
        double norm[5];

        code = pario_agree(io->world, read_dump(io, dump, ndumps, buf));
        if (code == 0)
            code = whole_digest(io, buf, &digest);
        if (code == 0) {
            pario_bt_unpack(bt, buf);
            code = pario_bt_error_norm(bt, norm);
        }
        if (code != 0)
            return code;
        for (int m = 0; m < 5; m++)
            found.xce[m] += norm[m] / ndumps;
        found.checked_bytes += io->dump_bytes;
        if (digest == want[dump])
            continue;
        found.wrong_dumps++;
        if (found.first_wrong == 0)
            found.first_wrong = dump + 1;
    }
    *check_p = found;
    return 0;
}

int nht_judge_norms(struct pario_run *run, const struct pario_bt_class *cls,
                    const double xce[5], const double xcr[5], double *worst_p)
{
    double worst_e, worst_r, worst;
    int good = pario_bt_norms_match(xce, cls->xce, &worst_e);

    good = pario_bt_norms_match(xcr, cls->xcr, &worst_r) && good;
    worst = worst_e > worst_r ? worst_e : worst_r;
    if (!good)
        pario_run_invalidate(run,
                             "class %c does not verify: a norm differs by %.1e "
                             "from the reference",
                             cls->name, worst);
    *worst_p = worst;
    return good;
}
