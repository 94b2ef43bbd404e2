/* A PRIOmark sub-benchmark of one's own: each process makes, looks at and
 * removes small files.
 *
 *   cc -shared -fPIC $(pkg-config --cflags pario) -o metadata.so metadata.c
 *   pario -n 4 prio --plugin ./metadata.so metadata.prio /scratch/me
 *
 * Where pario is not installed, -I PARIO/include stands for what pkg-config
 * says.
 */
#include <pario.h>

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

static const struct pario_plugin_keyword keywords[] = {
    {.name = "files",
     .type = PARIO_PLUGIN_INT,
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
        return pario_plugin_fail(-errno, "cannot make and remove %s", path);
    return 0;
}

/* Timed: the clock stops when it returns. */
static int loop(void *part, struct pario_plugin_meter *meter)
{
    const struct pario_plugin_job *job = part;
    const struct metadata *values = pario_plugin_values(job);
    int64_t last_ns = pario_plugin_begin_ns(meter), now_ns;
    char path[4200];
    int code = 0;

    for (int64_t i = 0; code == 0 && i < values->files; i++) {
        snprintf(path, sizeof(path), "%s/%d.%lld", pario_plugin_directory(job),
                 pario_plugin_rank(job), (long long)i);
        code = touch(path);
        now_ns = pario_plugin_now_ns();
        pario_plugin_done(meter, 0, 0, now_ns - last_ns);
        last_ns = now_ns;
    }
    return code;
}

static int run(struct pario_plugin_job *job)
{
    struct pario_plugin_work work = {
        .size = sizeof(work),
        .path = pario_plugin_directory(job),
        .no_data = 1,
        .loop = loop,
    };

    return pario_plugin_measure(job, 0, &work, job);
}

/* The one name that pario looks for. */
extern const struct pario_plugin pario_plugin;
const struct pario_plugin pario_plugin = {
    .abi = PARIO_PLUGIN_ABI,
    .name = "metadata",
    .summary = "makes, looks at and removes small files",
    .keywords = keywords,
    .values_size = sizeof(struct metadata),
    .defaults = &defaults,
    .run = run,
};
