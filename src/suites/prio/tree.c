/* suites/prio/tree.c - a tree of sources as programs that build work on it:
 * unpacked, asked for, compiled, removed. Each process has a tree of its own;
 * what a step needs is made before its time. */
#include "core/beneath.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/data.h"
#include "core/rng.h"
#include "core/storage.h"
#include "suites/prio/prio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum step { UNPACK, CHECK, BUILD, CLEAN };
static const char *const step_names[] = {"unpack", "check", "build", "clean",
                                         NULL};

#define MAX_SOURCE (16 << 20)
#define FILE_SPACE ((int64_t)MAX_SOURCE) /* of the numbers of its data */

#define MAX_BYTES 9e18

/* For deadlines: a slow disk, shared. */
#define SLOWEST_NAME_S 0.02
#define SLOWEST_BYTES_PER_S 5e6

/* Keywords of its own. */
struct tree {
    int step;
    int64_t folders, files; /* files in each folder */
    int64_t source_bytes;
    int64_t headers; /* files that are read for each that is compiled */
};

static const struct tree tree_defaults = {
    .folders = 64, .files = 16, .source_bytes = 16 << 10, .headers = 50};

#define AT(field) offsetof(struct tree, field)

static const struct pario_option tree_keywords[] = {
    {PARIO_FIELD("step", CHOICE, AT(step)), .choices = step_names,
     .help = "unpack, check (ask for each file), build, clean"},
    {PARIO_FIELD("folders", INT, AT(folders)), PARIO_RANGE(1, 1e6),
     .help = "of each process; --scale takes more"},
    {PARIO_FIELD("files", INT, AT(files)), PARIO_RANGE(1, 1e6),
     .help = "in each folder"},
    {PARIO_FIELD("source", SIZE, AT(source_bytes)), PARIO_RANGE(8, MAX_SOURCE),
     .help = "bytes of a file"},
    {PARIO_FIELD("headers", INT, AT(headers)), PARIO_RANGE(0, 1e5),
     .help = "files that are looked for and read for each that is compiled"},
    {.name = NULL},
};

static int64_t files_of(const struct tree *tree)
{
    return tree->folders * tree->files;
}

/* One process's part. */
struct part {
    struct prio_env *env;
    const struct tree *tree;
    struct pario_data data;
    int top, dir; /* the run's directory, and its own in it */
    char folder[32];
    char *bytes, *got;
    struct pario_rng rng;
    struct pario_figures *found;
    char name[64];
};

static const char *name_of(struct part *part, char kind, int64_t i)
{
    snprintf(part->name, sizeof(part->name), "d%lld/%c%lld",
             (long long)(i / part->tree->files), kind, (long long)i);
    return part->name;
}

static int fail(const struct part *part, int code, const char *verb)
{
    return pario_fail_errno(code, "cannot %s %s/t%d/%s", verb,
                            part->env->directory,
                            pario_group_rank(part->env->group), part->name);
}

static int make_file(struct part *part, char kind, int64_t i, const char *bytes)
{
    size_t len = (size_t)part->tree->source_bytes;
    int fd = openat(part->dir, name_of(part, kind, i),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int code;

    if (fd < 0)
        return fail(part, -errno, "create");
    code = pario_pwrite_all(fd, bytes, len, 0);
    if (close(fd) != 0 && code == 0)
        code = -errno;
    return code != 0 ? fail(part, code, "write") : 0;
}

static int ask_for(struct part *part, int64_t i)
{
    struct stat st;

    if (fstatat(part->dir, name_of(part, 's', i), &st, AT_SYMLINK_NOFOLLOW) !=
        0)
        return fail(part, -errno, "stat");
    return st.st_size == part->tree->source_bytes
               ? 0
               : pario_fail(PARIO_EVERIFY, "%s has %lld bytes instead of %lld",
                            part->name, (long long)st.st_size,
                            (long long)part->tree->source_bytes);
}

static int read_file(struct part *part, char kind, int64_t i)
{
    int fd = openat(part->dir, name_of(part, kind, i),
                    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int code;

    if (fd < 0)
        return fail(part, -errno, "open");
    code = pario_pread_all(fd, part->got, (size_t)part->tree->source_bytes, 0);
    close(fd);
    return code != 0 ? fail(part, code, "read") : 0;
}

/* What was read last. */
static void compare(struct part *part, int64_t i)
{
    struct pario_data_chunk chunk = {
        .data = part->data, .offset = i * FILE_SPACE, .base = part->data};
    struct pario_data_error error;

    part->found->checked_bytes += part->tree->source_bytes;
    if (pario_data_check_stamped(&chunk, part->got,
                                 (size_t)part->tree->source_bytes, &error) == 0)
        return;
    if (part->found->wrong_bytes == 0)
        snprintf(part->found->wrong, sizeof(part->found->wrong),
                 "%s holds other data than was written", part->name);
    part->found->wrong_bytes += error.wrong_bytes;
}

static int make_source(struct part *part, int64_t i)
{
    pario_data_stamp(&part->data, i * FILE_SPACE, part->bytes,
                     (size_t)part->tree->source_bytes);
    return make_file(part, 's', i, part->bytes);
}

/* Headers, the source, and then the object, which holds what was read: what is
 * checked in the end is both. */
static int compile(struct part *part, int64_t i)
{
    uint64_t all = (uint64_t)(files_of(part->tree));
    int code = 0;

    for (int64_t h = 0; code == 0 && h < part->tree->headers; h++) {
        int64_t header = (int64_t)pario_rng_below(&part->rng, all);

        code = ask_for(part, header);
        if (code == 0)
            code = read_file(part, 's', header);
    }
    if (code == 0)
        code = read_file(part, 's', i);
    return code != 0 ? code : make_file(part, 'o', i, part->got);
}

static int on_folder(struct part *part, int64_t folder, int make)
{
    snprintf(part->name, sizeof(part->name), "d%lld", (long long)folder);
    if ((make ? mkdirat(part->dir, part->name, 0777)
              : unlinkat(part->dir, part->name, AT_REMOVEDIR)) != 0)
        return fail(part, -errno, make ? "make" : "remove");
    return 0;
}

static int on_file(struct part *part, enum step step, int64_t i)
{
    switch (step) {
    case UNPACK:
        return make_source(part, i);
    case CHECK:
        return ask_for(part, i);
    case BUILD:
        return compile(part, i);
    default:
        return unlinkat(part->dir, name_of(part, 's', i), 0) == 0
                   ? 0
                   : fail(part, -errno, "remove");
    }
}

/* latency NULL: it is made ready, nobody measures. */
static int walk(struct part *part, enum step step, struct pario_hist *latency)
{
    int64_t all = files_of(part->tree);
    int64_t last_ns = pario_clock_ns();
    int code = 0;

    for (int64_t i = 0; code == 0 && i < all; i++) {
        int64_t folder = i / part->tree->files, now_ns;
        int first = i % part->tree->files == 0;
        int last = (i + 1) % part->tree->files == 0;

        if (step == UNPACK && first)
            code = on_folder(part, folder, 1);
        if (code == 0)
            code = on_file(part, step, i);
        if (code == 0 && step == CLEAN && last)
            code = on_folder(part, folder, 0);
        now_ns = pario_clock_ns();
        if (latency != NULL)
            pario_hist_add(latency, now_ns - last_ns);
        last_ns = now_ns;
    }
    return code;
}

static int prepare(void *arg)
{
    struct part *part = arg;

    return part->tree->step == UNPACK ? 0 : walk(part, UNPACK, NULL);
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct part *part = arg;
    const struct tree *tree = part->tree;
    int64_t all = files_of(tree);
    int code = walk(part, (enum step)tree->step, phase->latency);

    phase->figures.operations = all;
    if (tree->step == UNPACK || tree->step == BUILD)
        phase->figures.written_bytes = all * tree->source_bytes;
    phase->figures.bytes = phase->figures.written_bytes;
    if (tree->step == BUILD)
        phase->figures.bytes += all * (tree->headers + 1) * tree->source_bytes;
    return code;
}

/* Some of what was made; or all is gone. */
static int check(void *arg, struct pario_phase *phase)
{
    struct part *part = arg;
    int64_t all = files_of(part->tree), step = all / 64 + 1;
    char kind = part->tree->step == BUILD ? 'o' : 's';
    struct stat st;
    int code = 0;

    if (part->tree->step == CLEAN)
        return fstatat(part->dir, "d0", &st, AT_SYMLINK_NOFOLLOW) != 0
                   ? 0
                   : pario_fail(PARIO_EVERIFY,
                                "d0 is still there after it was removed");
    part->found = &phase->figures;
    for (int64_t i = 0; code == 0 && i < all; i += step) {
        code = read_file(part, kind, i);
        if (code == 0)
            compare(part, i);
    }
    return code;
}

static int begin(struct part *part)
{
    size_t len = (size_t)part->tree->source_bytes;

    part->bytes = malloc(len);
    part->got = malloc(len);
    if (part->bytes == NULL || part->got == NULL)
        return pario_fail_errno(-ENOMEM, "cannot hold a file");
    pario_data_fill(&part->data, 0, part->bytes, len);
    snprintf(part->folder, sizeof(part->folder), "t%d",
             pario_group_rank(part->env->group));
    part->top = pario_own_open(part->env->directory,
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (part->top >= 0 && mkdirat(part->top, part->folder, 0777) == 0)
        part->dir = openat(part->top, part->folder,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (part->dir < 0)
        return pario_fail_errno(-errno, "cannot make %s/%s",
                                part->env->directory, part->folder);
    return 0;
}

/* Local. The next case finds nothing of it. */
static int end(struct part *part)
{
    int code = pario_beneath_empty(part->dir);

    if (code == 0 && unlinkat(part->top, part->folder, AT_REMOVEDIR) != 0)
        code = -errno;
    return code != 0 ? pario_fail_errno(code, "cannot remove %s/%s",
                                        part->env->directory, part->folder)
                     : 0;
}

static void tree_scale(void *own, double factor)
{
    struct tree *tree = own;
    double folders = (double)tree->folders * factor + 0.5;

    tree->folders = folders < 1     ? 1
                    : folders < 1e9 ? (int64_t)folders
                                    : (int64_t)1e9;
}

/* Sources, and as many objects where they are built. */
static int64_t tree_files(const struct prio_case *what)
{
    const struct tree *tree = what->own;

    return files_of(tree) * (tree->step == BUILD ? 2 : 1) * what->processes;
}

static int64_t tree_disk_bytes(const struct prio_case *what)
{
    const struct tree *tree = what->own;

    return tree_files(what) * tree->source_bytes;
}

/* Figures count bytes up to 2^63. */
static int tree_check(const struct prio_case *what)
{
    const struct tree *tree = what->own;
    double files = (double)tree->folders * (double)tree->files;
    double moved = files * (double)tree->source_bytes;

    if (files * (double)FILE_SPACE < MAX_BYTES &&
        moved * (double)(tree->headers + 2) < MAX_BYTES &&
        moved * 2 * what->processes < MAX_BYTES)
        return 0;
    return pario_fail(PARIO_EUSAGE,
                      "%.3g files of %lld bytes are more than can be counted",
                      files, (long long)tree->source_bytes);
}

/* All names of the step, its sources before it and all away after it. */
static double tree_schedule_s(const struct prio_case *what)
{
    const struct tree *tree = what->own;
    double files = (double)tree->folders * (double)tree->files;
    double names =
        files * (tree->step == BUILD ? (double)tree->headers + 4 : 3);

    return names *
           (SLOWEST_NAME_S +
            what->processes * (double)tree->source_bytes / SLOWEST_BYTES_PER_S);
}

static int tree_run(struct prio_env *env, const struct prio_case *what,
                    struct prio_figures *figures)
{
    static const struct pario_phase_calls calls = {
        .open = prepare, .loop = loop, .check = check};
    struct part part = {
        .env = env,
        .tree = what->own,
        .data = {env->run->data_key, what->file_number},
        .top = -1,
        .dir = -1,
    };
    struct pario_phase *phase = figures->phase;
    int step = part.tree->step, code;

    pario_rng_init(&part.rng,
                   what->seed + (uint64_t)pario_group_rank(env->group));
    code = begin(&part);
    phase->path = env->directory;
    phase->shared = 1;
    phase->names = 1;
    phase->writing = step != CHECK;
    phase->reading = step == CHECK || step == BUILD;
    phase->unsynced = 1; /* nobody syncs a build */
    code = prio_measure(env, code, figures, &calls, &part);
    if (code == 0)
        code = end(&part);
    if (part.dir >= 0)
        close(part.dir);
    if (part.top >= 0)
        close(part.top);
    free(part.bytes);
    free(part.got);
    return code;
}

extern const struct prio_bench prio_bench_tree;
const struct prio_bench prio_bench_tree = {
    .test = {"tree", "a tree of sources: unpacked, asked for, built, removed"},
    .abilities = PRIO_NO_DATA,
    .keywords = tree_keywords,
    .own_size = sizeof(struct tree),
    .own_defaults = &tree_defaults,
    .scale = tree_scale,
    .disk_bytes = tree_disk_bytes,
    .files = tree_files,
    .schedule_s = tree_schedule_s,
    .check = tree_check,
    .run = tree_run,
};
