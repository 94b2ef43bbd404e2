/* Reading the dumps back after the timed part. */
#include "suites/nht/app_io.h"

#include "sys/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, char *pos, size_t len, int64_t offset)
{
    while (len > 0) {
        ssize_t n = pread(fd, pos, len, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : PARIO_ESHORT;
        pos += n;
        len -= (size_t)n;
        offset += n;
    }
    return 0;
}

/* This process's part of a dump; the file must be exactly as long as it is
 * to be. */
static int read_dump(const struct nht_io *io, int dump, int ndumps, double *buf)
{
    char path[4352], *pos = (char *)buf;
    int64_t start = nht_io_place(io, dump, path, sizeof(path));
    int64_t want = io->mode->split ? (int64_t)io->layout.bytes * ndumps
                   : io->many      ? io->dump_bytes
                                   : io->dump_bytes * ndumps;
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;
    struct stat st;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot read %s back", path);
    if (fstat(fd, &st) != 0)
        code = pario_fail_errno(-errno, "cannot read %s back", path);
    else if (st.st_size != want)
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after writing %lld: data is "
                          "missing although every write call succeeded",
                          path, (long long)st.st_size, (long long)want);
    for (size_t i = 0; i < io->layout.count && code == 0; i++) {
        const struct nht_extent *extent = &io->layout.extents[i];

        code = read_all(fd, pos, extent->len,
                        io->mode->split ? start + (int64_t)(pos - (char *)buf)
                                        : start + extent->offset);
        if (code != 0)
            pario_fail_errno(code, "cannot read dump %d from %s", dump + 1,
                             path);
        pos += extent->len;
    }
    close(fd);
    return code;
}

/* Sums the digests of all ranks and compares: 1 right, 0 wrong, -1 unknown. */
static int judge(const struct nht_io *io, int step, const double *buf,
                 int *verdict_p)
{
    int64_t digest = (int64_t)nht_layout_digest(&io->layout, buf);
    uint64_t want = 0;
    int code = pario_reduce_i64(io->world, PARIO_SUM, &digest, 1);

    if (step % PARIO_BT_INTERVAL == 0)
        want = pario_bt_dump_digest(io->bt->cls, step / PARIO_BT_INTERVAL - 1);
    *verdict_p = want == 0 ? -1 : (uint64_t)digest == want;
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

int nht_app_check(struct nht_io *io, struct pario_bt *bt, int interval,
                  int nsteps, double *buf, struct nht_check *check_p)
{
    int ndumps = (nsteps + interval - 1) / interval;
    struct nht_check found = {0};
    int code = pario_agree(io->world, evict(io, ndumps));

    if (code != 0)
        return code;
    for (int dump = 0; dump < ndumps; dump++) {
        int step =
            (dump + 1) * interval < nsteps ? (dump + 1) * interval : nsteps;
        int verdict = 0;
        double norm[5];

        code = pario_agree(io->world, read_dump(io, dump, ndumps, buf));
        if (code == 0)
            code = judge(io, step, buf, &verdict);
        if (code == 0) {
            pario_bt_unpack(bt, buf);
            code = pario_bt_error_norm(bt, norm);
        }
        if (code != 0)
            return code;
        for (int m = 0; m < 5; m++)
            found.xce[m] += norm[m] / ndumps;
        found.checked_bytes += io->dump_bytes;
        found.unknown_dumps += verdict < 0;
        found.wrong_dumps += verdict == 0;
        if (verdict == 0 && found.first_wrong == 0)
            found.first_wrong = dump + 1;
    }
    *check_p = found;
    return 0;
}
