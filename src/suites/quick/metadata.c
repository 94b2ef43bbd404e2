/* suites/quick/metadata.c - files created and asked for, each process in a
 * directory of its own. */
#include "core/beneath.h"
#include "core/clock.h"
#include "par/series.h"
#include "par/watchdog.h"
#include "suites/quick/quick.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 50000 /* of a process: they must be removed again */
#define NAME_LEN 24
#define SHORT_S 1.0

struct names {
    struct quick *quick;
    double seconds;
    char path[4200];
    int fd;        /* of the directory; -1: it is not there */
    int64_t count; /* files in it */
    int cold;      /* nothing of them is in memory */
    struct pario_hist latency;
};

static char *name_of(int64_t i, char name[NAME_LEN])
{
    snprintf(name, NAME_LEN, "f%lld", (long long)i);
    return name;
}

static int create_one(struct names *names, int64_t i)
{
    char name[NAME_LEN];
    int fd = pario_beneath_open(names->fd, name_of(i, name),
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 || close(fd) != 0)
        return pario_fail_errno(-errno, "cannot create %s/%s", names->path,
                                name);
    return 0;
}

static int stat_one(struct names *names, int64_t i)
{
    char name[NAME_LEN];
    struct stat st;

    if (fstatat(names->fd, name_of(i, name), &st, AT_SYMLINK_NOFOLLOW) != 0)
        return pario_fail_errno(-errno, "cannot stat %s/%s", names->path, name);
    return 0;
}

/* The timed loop of both; cycle: so many names, over and over. */
static int64_t loop(struct names *names, int (*one)(struct names *, int64_t),
                    int64_t limit, int64_t cycle, int *code_p)
{
    struct pario_series series;
    int64_t n, i = 0, last_ns;
    int code = 0;

    pario_series_start(&series, NULL, names->seconds, limit);
    last_ns = pario_clock_ns();
    while (code == 0 && (n = pario_series_next(&series)) > 0)
        for (; code == 0 && n > 0; n--, i++) {
            int64_t now_ns;

            pario_position_at(i);
            code = one(names, i % cycle);
            now_ns = pario_clock_ns();
            pario_hist_add(&names->latency, now_ns - last_ns);
            last_ns = now_ns;
        }
    *code_p = code;
    return code == 0 ? i : i - 1;
}

static int create_loop(void *arg, struct pario_phase *phase)
{
    struct names *names = arg;
    int code;

    names->count = loop(names, create_one, MAX_FILES, MAX_FILES, &code);
    phase->figures.operations = names->count;
    return code;
}

static int sync_directory(void *arg)
{
    struct names *names = arg;

    return syncfs(names->fd) == 0
               ? 0
               : pario_fail_errno(-errno, "cannot sync %s", names->path);
}

/* Cold names are asked for once: then they are in memory. */
static int stat_loop(void *arg, struct pario_phase *phase)
{
    struct names *names = arg;
    int code = 0;

    phase->figures.operations =
        names->count > 0 ? loop(names, stat_one, names->cold ? names->count : 0,
                                names->count, &code)
                         : 0;
    return code;
}

static struct pario_measure describe(const struct quick *quick,
                                     const char *access)
{
    return (struct pario_measure){
        .test = "metadata",
        .access = access,
        .partition = pario_group_size(quick->run->world),
        .parameters = json_pack("{s:s}", "directory", "per process"),
    };
}

/* Collective. One phase and its measure. */
static int measure(struct names *names, const char *access,
                   const struct pario_phase_calls *calls)
{
    struct quick *quick = names->quick;
    struct pario_measure measure;
    struct pario_phase phase = {
        .run = quick->run,
        .group = quick->run->world,
        .path = names->path,
        .writing = calls->sync != NULL,
        .names = 1,
        .names_kept = !names->cold,
        .latency = &names->latency,
    };
    int code;

    names->seconds = quick_share_s(quick);
    pario_run_phase(quick->run, names->seconds, "metadata, %s", access);
    code = pario_phase_run(&phase, calls, names);
    quick->phases_done++;
    if (code != 0)
        return code;
    quick->moved_s += phase.figures.loop_s;
    if (phase.figures.seconds < SHORT_S)
        phase.figures.flags |= PARIO_FLAG_SHORT;
    if (quick_is_done(quick, describe(quick, access)))
        return 0; /* it was needed for what comes next */
    measure = describe(quick, access);
    return pario_phase_record(&phase, &measure);
}

/* Collective. What was created is written, and forgotten where that is asked
 * for and allowed. */
static int forget_names(struct names *names)
{
    const struct pario_group *world = names->quick->run->world;
    int64_t cold = names->quick->cold_names;
    int code = pario_barrier(world);

    if (cold && pario_group_node_rank(world) == 0) {
        sync();
        cold = pario_cache_forget_all() == 0;
    }
    if (code == 0)
        code = pario_reduce_i64(world, PARIO_MIN, &cold, 1);
    names->cold = (int)cold;
    return code;
}

static int make_directory(struct names *names)
{
    char name[32];

    snprintf(name, sizeof(name), "names.%d",
             pario_group_rank(names->quick->run->world));
    pario_run_path(names->quick->run, name, names->path, sizeof(names->path));
    if (mkdir(names->path, 0777) != 0)
        return pario_fail_errno(-errno, "cannot make %s", names->path);
    names->fd = open(names->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return names->fd >= 0
               ? 0
               : pario_fail_errno(-errno, "cannot open %s", names->path);
}

/* Each process removes its own: faster than one for all at the end. */
static void remove_names(struct names *names)
{
    char name[NAME_LEN];

    if (names->fd < 0)
        return;
    for (int64_t i = 0; !names->quick->run->common.keep && i < names->count;
         i++)
        (void)unlinkat(names->fd, name_of(i, name), 0);
    close(names->fd);
}

int quick_metadata(struct quick *quick)
{
    static const struct pario_phase_calls creating = {.loop = create_loop,
                                                      .sync = sync_directory};
    static const struct pario_phase_calls asking = {.loop = stat_loop};
    struct names names = {.quick = quick, .fd = -1};
    int code;

    if (quick_is_done(quick, describe(quick, "stat"))) {
        quick->phases_done += 2;
        return 0;
    }
    code = pario_agree(quick->run->world, make_directory(&names));
    if (code == 0)
        code = measure(&names, "create", &creating);
    if (code == 0)
        code = forget_names(&names);
    if (code == 0)
        code = measure(&names, "stat", &asking);
    remove_names(&names);
    return code;
}
