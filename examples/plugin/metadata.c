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

struct part {
    const struct prio_env *env;
    int64_t files;
};

/* Timed: the engine stops the clock when it returns. */
static int loop(void *arg, struct pario_phase *phase)
{
    const struct part *part = arg;
    int64_t last_ns = phase->begin_ns, now_ns;
    char path[4200];
    int code = 0;

    for (int64_t i = 0; code == 0 && i < part->files; i++) {
        snprintf(path, sizeof(path), "%s/%d.%lld", part->env->directory,
                 pario_group_rank(part->env->group), (long long)i);
        code = touch(path);
        now_ns = pario_clock_ns();
        pario_hist_add(phase->latency, now_ns - last_ns);
        last_ns = now_ns;
        phase->figures.operations++;
    }
    return code;
}

/* The host gives directory and phase, and writes down what becomes of it. */
static int run(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures)
{
    static const struct pario_phase_calls calls = {.loop = loop};
    struct part part = {env, ((const struct metadata *)what->own)->files};

    figures->phase->path = env->directory;
    figures->phase->unchecked = 1; /* there is no data to check */
    return prio_measure(env, 0, figures, &calls, &part);
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
