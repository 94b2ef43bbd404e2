/* A PRIOmark sub-benchmark of one's own: each process makes, looks at and
 * removes small files.
 *
 *   cc -shared -fPIC $(pkg-config --cflags pario) -o metadata.so metadata.c
 *   pario -n 4 prio --plugin ./metadata.so metadata.prio /scratch/me
 *
 * Where pario is not installed, -D_GNU_SOURCE -I PARIO/src stands for what
 * pkg-config says.
 */
#include "suites/prio/plugin.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keywords of our own in the workload's [metadata] section. */
struct metadata {
    int64_t files;
};

static const struct metadata defaults = {.files = 1000};

static const struct pario_option keywords[] = {
    {.name = "files",
     .type = PARIO_OPT_INT,
     .offset = offsetof(struct metadata, files),
     .min = 1,
     .max = 1e9,
     .help = "files of each process"},
    {.name = NULL},
};

static int touch(const char *path)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 || close(fd) != 0 || stat(path, &st) != 0 || unlink(path) != 0)
        return pario_fail_errno(-errno, "cannot make and remove %s", path);
    return 0;
}

/* The host gives the directory and accumulates what each process reports. */
static int run(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures)
{
    const struct metadata *own = what->own;
    int code = prio_start(env, 0); /* all begin together */
    int64_t begin = pario_clock_ns(), told = begin;
    char path[4200];

    for (int64_t i = 0; code == 0 && i < own->files; i++) {
        int64_t now;

        snprintf(path, sizeof(path), "%s/%d.%lld", env->directory,
                 pario_group_rank(env->group), (long long)i);
        code = touch(path);
        now = pario_clock_ns();
        pario_hist_add(figures->latency, now - told);
        told = now;
        figures->operations++;
    }
    figures->seconds = figures->wall_s = (double)(told - begin) * 1e-9;
    figures->verify_off = 1; /* there is no data to check */
    return code;
}

/* The one name that the host looks for. */
extern const struct prio_bench prio_plugin;
const struct prio_bench prio_plugin = {
    .abi = PRIO_PLUGIN_ABI,
    .name = "metadata",
    .summary = "makes, looks at and removes small files",
    .abilities = PRIO_NO_DATA,
    .keywords = keywords,
    .own_size = sizeof(struct metadata),
    .own_defaults = &defaults,
    .run = run,
};
