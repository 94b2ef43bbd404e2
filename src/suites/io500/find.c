/* suites/io500/find.c - a parallel find: folders are dealt out among the
 * processes, each lists its own and looks closer at the names that match. */
#include "suites/io500/io500.h"

#include "core/cleanup.h"
#include "core/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 64
#define SLOWEST_S 1e-3  /* of one name, for the schedule */
#define MAX_TICK_S 10.0 /* of the times of files: FAT has 2 s */
#define PAUSE_NS 1000000L

/* One process's part of a find. */
struct search {
    struct io500 *io500;
    const struct io500_phase *what;
    int dir; /* the run's directory */
    char
        *folders; /* all of them: names, each with its NUL, one after another */
    int64_t folders_len;
    int64_t seen, found;
    char failed[512];
};

/* Local. Makes an empty file; its time. */
static int make_file(const char *path, struct timespec *time_p)
{
    int fd =
        pario_own_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct stat st;
    int code = 0;

    if (fd < 0 || fstat(fd, &st) != 0)
        code = pario_fail_errno(-errno, "cannot make %s", path);
    else
        *time_p = st.st_mtim;
    if (fd >= 0)
        close(fd);
    return code;
}

static int is_newer(const struct timespec *time, const struct timespec *mark)
{
    return time->tv_sec > mark->tv_sec ||
           (time->tv_sec == mark->tv_sec && time->tv_nsec > mark->tv_nsec);
}

/* Rank 0. Returns when files that are made from now on are newer: the times of
 * files advance in ticks. */
static int mark_now(const struct io500 *io500, struct timespec *mark_p)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    double end_s = pario_clock_s() + MAX_TICK_S;
    struct timespec time = {.tv_sec = 0};
    char path[4300], later[4300];
    int code = make_file(
        pario_run_path(io500->run, "timestamp", path, sizeof(path)), mark_p);

    pario_run_path(io500->run, "later", later, sizeof(later));
    while (code == 0 && !is_newer(&time, mark_p)) {
        if (pario_clock_s() > end_s)
            return pario_fail(PARIO_EVERIFY,
                              "%s: a file that is made %.0f s later has the "
                              "same time: nothing can be found by it",
                              path, MAX_TICK_S);
        code = make_file(later, &time);
        if (code == 0 && pario_own_unlink(later) != 0)
            code = pario_fail_errno(-errno, "cannot remove %s", later);
        (void)nanosleep(&pause, NULL);
    }
    return code;
}

int io500_make_mark(struct io500 *io500)
{
    const struct pario_group *world = io500->run->world;
    int code = 0;

    if (pario_group_rank(world) == 0)
        code = mark_now(io500, &io500->mark);
    code = pario_agree(world, code);
    return code != 0 ? code
                     : pario_bcast(world, &io500->mark, sizeof(io500->mark));
}

static int fail(struct search *search, const char *name)
{
    int code = -errno;

    if (search->failed[0] == '\0')
        snprintf(search->failed, sizeof(search->failed), "%s", name);
    return code;
}

/* Size and time count where files with data are looked for. */
static int matches(struct search *search, int dir, const char *name,
                   int *match_p)
{
    struct stat st;

    *match_p = 0;
    if (strstr(name, IO500_MATCH) == NULL)
        return 0;
    *match_p = search->what->set == IO500_EASY;
    if (*match_p)
        return 0;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail(search, name);
    *match_p = st.st_size == IO500_HARD_FILE &&
               is_newer(&st.st_mtim, &search->io500->mark);
    return 0;
}

/* 1: a folder, 0: something else; negative: it cannot be asked for. */
static int is_folder(struct search *search, int dir, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail(search, entry->d_name);
    return S_ISDIR(st.st_mode);
}

static int walk(struct search *search, int parent, const char *name, int depth);

/* What stands in a folder. */
static int look_at(struct search *search, int dir, const struct dirent *entry,
                   int depth)
{
    int folder = is_folder(search, dir, entry), match = 0, code;

    if (folder < 0)
        return folder;
    if (folder)
        return walk(search, dir, entry->d_name, depth + 1);
    search->seen++;
    code = matches(search, dir, entry->d_name, &match);
    search->found += match;
    return code;
}

static DIR *open_folder(int parent, const char *name)
{
    int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

    if (stream == NULL && fd >= 0)
        close(fd);
    return stream;
}

static int is_itself(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Recursive: folders are nested a few levels. */
static int walk(struct search *search, int parent, const char *name, int depth)
{
    DIR *stream = depth < MAX_DEPTH ? open_folder(parent, name) : NULL;
    const struct dirent *entry;
    int code = 0;

    if (stream == NULL) {
        errno = depth < MAX_DEPTH ? errno : ELOOP;
        return fail(search, name);
    }
    while (code == 0 && (errno = 0, entry = readdir(stream)) != NULL)
        if (!is_itself(entry->d_name))
            code = look_at(search, dirfd(stream), entry, depth);
    if (code == 0 && errno != 0)
        code = fail(search, name);
    closedir(stream);
    return code;
}

/* Is the folder part of what is searched? */
static int belongs(const struct search *search, const char *name)
{
    char prefix[32];

    if (search->what->set < 0)
        return 1;
    snprintf(prefix, sizeof(prefix), "c%d.",
             search->io500->what[search->what->set].number);
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Rank 0. The names of the folders at the top; files there are its own. */
static int list_top(struct search *search, FILE *names)
{
    DIR *stream = open_folder(search->dir, ".");
    const struct dirent *entry;
    int code = 0;

    if (stream == NULL)
        return fail(search, ".");
    while (code == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
        int folder = is_itself(entry->d_name)
                         ? -1
                         : is_folder(search, dirfd(stream), entry);

        if (folder == 0 && search->what->set < 0)
            code = look_at(search, dirfd(stream), entry, 0);
        else if (folder > 0 && belongs(search, entry->d_name))
            fwrite(entry->d_name, strlen(entry->d_name) + 1, 1, names);
        else if (folder < 0 && !is_itself(entry->d_name))
            code = folder;
    }
    if (code == 0 && errno != 0)
        code = fail(search, ".");
    closedir(stream);
    return code;
}

static int describe(const struct search *search, int code)
{
    return code == 0
               ? 0
               : pario_fail_errno(code, "find: cannot look at %s in %s",
                                  search->failed[0] != '\0' ? search->failed
                                                            : "the folders",
                                  search->io500->run->directory);
}

/* Local. Room for the names, and on rank 0 the names themselves. */
static int hold_names(struct search *search, int first)
{
    size_t len = 0;
    FILE *names;
    int code;

    if (!first) {
        search->folders = malloc((size_t)search->folders_len + 1);
        return search->folders != NULL ? 0 : -ENOMEM;
    }
    names = open_memstream(&search->folders, &len);
    if (names == NULL)
        return -ENOMEM;
    code = list_top(search, names);
    if (fclose(names) != 0 && code == 0)
        code = -ENOMEM;
    search->folders_len = (int64_t)len;
    return code;
}

/* Collective, timed. Rank 0 lists the top, all get the names. */
static int deal(struct search *search)
{
    const struct pario_group *world = search->io500->run->world;
    int first = pario_group_rank(world) == 0, code = 0;
    int bcast;

    if (first)
        code = hold_names(search, first);
    bcast =
        pario_bcast(world, &search->folders_len, sizeof(search->folders_len));
    if (!first && bcast == 0)
        code = hold_names(search, first);
    code = pario_agree(world, bcast != 0 ? bcast : describe(search, code));
    return code != 0 ? code
                     : pario_bcast(world, search->folders,
                                   (size_t)search->folders_len);
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct search *search = arg;
    const struct pario_group *world = search->io500->run->world;
    int rank = pario_group_rank(world), size = pario_group_size(world);
    int code = deal(search), number = 0;

    for (int64_t at = 0; code == 0 && at < search->folders_len;
         at += (int64_t)strlen(search->folders + at) + 1)
        if (number++ % size == rank)
            code = describe(search,
                            walk(search, search->dir, search->folders + at, 0));
    phase->figures.operations = search->seen;
    return code;
}

/* Exactly the files that have such a name were found: names are made from
 * numbers, so that everybody knows its own. */
static int check(void *arg, struct pario_phase *phase)
{
    struct search *search = arg;
    struct io500 *io500 = search->io500;
    int set = search->what->set == IO500_EASY ? IO500_EASY : IO500_HARD;
    int64_t sums[] = {search->found, search->seen, 0, 0};
    int code;

    (void)phase;
    sums[2] = meta_case_matches(io500->worker[set], IO500_MATCH);
    for (int i = 0; i < IO500_SETS; i++)
        if (search->what->set < 0 || search->what->set == i)
            sums[3] += meta_case_files(io500->worker[i]);
    code = pario_reduce_i64(io500->run->world, PARIO_SUM, sums, 4);
    if (code != 0 || (sums[0] == sums[2] && sums[1] >= sums[3]))
        return code;
    return pario_fail(PARIO_EVERIFY,
                      "find saw %lld of %lld files and found %lld where %lld "
                      "match",
                      (long long)sums[1], (long long)sums[3],
                      (long long)sums[0], (long long)sums[2]);
}

static const struct pario_phase_calls calls = {.loop = loop, .check = check};

int io500_find(struct io500 *io500, const struct io500_phase *what,
               struct pario_phase *phase)
{
    struct pario_run *run = io500->run;
    struct search search = {.io500 = io500, .what = what};
    double files = (double)meta_case_files(io500->worker[IO500_EASY]) +
                   (double)meta_case_files(io500->worker[IO500_HARD]);
    int code = 0, cold = 0;

    search.dir =
        pario_own_open(run->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (search.dir < 0)
        code = pario_fail_errno(-errno, "cannot open %s", run->directory);
    code = pario_agree(run->world, code);
    if (code == 0 && run->common.cold)
        code = meta_forget_names(run, run->world, search.dir, &cold);
    pario_run_phase(run, files * pario_group_size(run->world) * SLOWEST_S, "%s",
                    what->name);
    *phase = (struct pario_phase){
        .run = run,
        .group = run->world,
        .path = run->directory,
        .shared = 1,
        .reading = 1,
        .names = 1,
    };
    if (code == 0)
        code = pario_phase_run(phase, &calls, &search);
    free(search.folders);
    if (search.dir >= 0)
        close(search.dir);
    return code;
}
