/* suites/io500/io500.c - `pario io500`: IO500's phases, with evidence. */
#include "suites/io500/io500.h"

#include "core/units.h"
#include "suites/shared_fields.h"
#include "suites/suite.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#define EASY_TRANSFER ((int64_t)2 << 20)
/* What IO500 itself stops at. */
#define MAX_EASY_BYTES ((int64_t)9920000 << 20)
#define MAX_HARD_SEGMENTS 10000000
#define MAX_FILES 1000000

#define AT(field) offsetof(struct io500_options, field)

static const struct pario_field io500_fields[] = {
    {PARIO_OPTION("stonewall", TIME, AT(stonewall_s), "TIME"),
     PARIO_RANGE(0.01, 1e5), .letter = 'D', .member = "stonewall_s",
     .help = "of each phase that writes; the list asks for 300 s"},
    {PARIO_SHARED_INTERFACE(AT(interface)), .letter = 'a',
     .help = "of the ior phases"},
    {PARIO_SHARED_DIRECT(AT(direct)),
     .help = "O_DIRECT in ior-easy (the 47008 bytes of ior-hard do not fit)"},
    {PARIO_FLAG("extended", AT(extended)),
     .help = "also mdworkbench, find-easy, find-hard, ior-rnd4K and "
             "ior-rnd1MB, which do not count"},
    {PARIO_OPTION("easy-size", SIZE, AT(easy_bytes), "SIZE"),
     PARIO_RANGE(0, MAX_EASY_BYTES),
     .help = "most bytes of a process in ior-easy (0: what fits)"},
    {PARIO_OPTION("hard-segments", INT, AT(hard_segments), "N"),
     PARIO_RANGE(0, MAX_HARD_SEGMENTS),
     .help = "most transfers of a process in ior-hard (0: what fits)"},
    {PARIO_OPTION("easy-files", INT, AT(easy_files), "N"), PARIO_RANGE(0, 1e9),
     .help = "most files of a process in mdtest-easy (0: 1000000, or what "
             "fits)"},
    {PARIO_OPTION("hard-files", INT, AT(hard_files), "N"), PARIO_RANGE(0, 1e9),
     .help = "the same in mdtest-hard"},
    {.name = NULL},
};

static const struct io500_options io500_defaults = {
    .stonewall_s = IO500_LIST_S,
};

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What nobody has asked for takes a share of half of what is free. */
struct room {
    int64_t bytes, inodes; /* of one process */
    int64_t block;
};

static int find_room(const char *dir, int processes, struct room *room_p)
{
    struct statvfs fs;

    if (statvfs(dir, &fs) != 0)
        return pario_fail_errno(-errno, "cannot use the directory %s", dir);
    room_p->bytes = (int64_t)(fs.f_bavail * fs.f_frsize) / 2 / processes;
    room_p->inodes =
        fs.f_files > 0 ? (int64_t)fs.f_favail / 2 / processes : INT64_MAX / 2;
    room_p->block = (int64_t)fs.f_frsize;
    return 0;
}

/* Sizes of one process: bytes of ior-easy, segments of ior-hard, files. */
enum { EASY_BYTES, HARD_SEGMENTS, EASY_FILES, HARD_FILES, SIZES };

static int64_t file_bytes(const struct room *room)
{
    return (IO500_HARD_FILE + room->block - 1) / room->block * room->block;
}

static void choose_sizes(const struct io500_options *options,
                         const struct room *room, int64_t sizes[SIZES])
{
    sizes[EASY_BYTES] = options->easy_bytes > 0
                            ? options->easy_bytes
                            : at_most(MAX_EASY_BYTES, room->bytes / 10 * 6);
    sizes[EASY_BYTES] = sizes[EASY_BYTES] / EASY_TRANSFER * EASY_TRANSFER;
    sizes[HARD_SEGMENTS] =
        options->hard_segments > 0
            ? options->hard_segments
            : at_most(MAX_HARD_SEGMENTS,
                      room->bytes / 10 * 2 / IO500_HARD_TRANSFER);
    sizes[EASY_FILES] = options->easy_files > 0
                            ? options->easy_files
                            : at_most(MAX_FILES, room->inodes / 2);
    sizes[HARD_FILES] = options->hard_files > 0
                            ? options->hard_files
                            : at_most(at_most(MAX_FILES, room->inodes / 2),
                                      room->bytes / 10 * 2 / file_bytes(room));
}

/* md-workbench has at most as many as mdtest-hard. */
static int64_t small_files(const struct io500_options *options,
                           const int64_t sizes[SIZES])
{
    return sizes[HARD_FILES] * (options->extended ? 2 : 1);
}

static int check_sizes(const struct io500_options *options, const char *dir,
                       const struct room *room, const int64_t sizes[SIZES])
{
    int64_t files = sizes[EASY_FILES] + small_files(options, sizes);

    if (sizes[EASY_BYTES] < EASY_TRANSFER || sizes[HARD_SEGMENTS] < 1 ||
        sizes[EASY_FILES] < 1 || sizes[HARD_FILES] < 1)
        return pario_fail(-ENOSPC,
                          "%s has too little room: %lld bytes and %lld inodes "
                          "for each process (--easy-size takes at least 2 MiB)",
                          dir, (long long)room->bytes, (long long)room->inodes);
    if (files > room->inodes * 2)
        return pario_fail(-ENOSPC,
                          "%s has %lld inodes free for each process: too few "
                          "for %lld files (--easy-files, --hard-files)",
                          dir, 2 * (long long)room->inodes, (long long)files);
    return 0;
}

static void set_data(struct io500 *io500, const int64_t sizes[SIZES])
{
    struct pattern_options *easy = &io500->data[IO500_EASY];
    struct pattern_options *hard = &io500->data[IO500_HARD];

    *easy = *hard = pattern_defaults;
    easy->interface = hard->interface = io500->options->interface;
    easy->write = hard->write = easy->read = hard->read = 1;
    easy->fsync = hard->fsync = 1;
    easy->reorder = hard->reorder = 1;
    easy->direct = io500->options->direct;
    easy->file_per_process = 1;
    easy->transfer_bytes = EASY_TRANSFER;
    easy->block_bytes = sizes[EASY_BYTES];
    hard->transfer_bytes = hard->block_bytes = IO500_HARD_TRANSFER;
    hard->segments = sizes[HARD_SEGMENTS];
}

static void set_names(struct io500 *io500, const int64_t sizes[SIZES])
{
    io500->what[IO500_EASY] = (struct meta_case){.layout = META_OWN};
    io500->what[IO500_HARD] = (struct meta_case){
        .layout = META_SHARED, .size_bytes = IO500_HARD_FILE, .number = 1};
    for (int i = 0; i < IO500_SETS; i++)
        io500->how[i] = (struct meta_how){
            .seconds = io500->options->stonewall_s,
            .wear_out = 1,
            .others = 1,
            .files = sizes[i == IO500_EASY ? EASY_FILES : HARD_FILES],
            .cold = io500->run->common.cold,
        };
}

/* Collective. Rank 0 looks how much there is. */
static int plan(struct io500 *io500, const char *dir)
{
    const struct pario_group *world = io500->run->world;
    int processes = pario_group_size(world), code = 0;
    int64_t sizes[SIZES + 1] = {0};
    struct room room = {.block = 1};

    if (pario_group_rank(world) == 0) {
        code = find_room(dir, processes, &room);
        if (code == 0) {
            choose_sizes(io500->options, &room, sizes);
            code = check_sizes(io500->options, dir, &room, sizes);
        }
        sizes[SIZES] =
            (sizes[EASY_BYTES] + sizes[HARD_SEGMENTS] * IO500_HARD_TRANSFER +
             small_files(io500->options, sizes) * file_bytes(&room)) *
            processes;
    }
    code = pario_agree(world, code);
    if (code == 0)
        code = pario_bcast(world, sizes, sizeof(sizes));
    if (code != 0)
        return code;
    io500->need_bytes = sizes[SIZES];
    set_data(io500, sizes);
    set_names(io500, sizes);
    return 0;
}

/* Collective. What would fail in the middle fails here. */
static int check(struct io500 *io500, const char *dir)
{
    int processes = pario_group_size(io500->run->world), code = 0;
    const struct pario_backend *backend = NULL;

    for (int i = 0; code == 0 && i < IO500_SETS; i++)
        code = pattern_check(&io500->data[i], processes);
    if (code == 0)
        code = pario_backend_find(
            pario_interface_names[io500->options->interface], &backend);
    if (code == 0 && backend->probe != NULL)
        code = backend->probe();
    if (code == 0 && io500->options->direct)
        code =
            pario_backend_check(backend, dir, PARIO_OPEN_DIRECT, EASY_TRANSFER);
    return pario_agree(io500->run->world, code);
}

static void print_plan(const struct io500 *io500)
{
    int64_t processes = pario_group_size(io500->run->world);
    const struct meta_how *how = io500->how;
    char size[3][PARIO_UNITS_LEN];

    printf("io500: IO500 pattern (not an IO500 submission), %lld process%s\n"
           "  ior-easy: a file of at most %s for each process, transfers of 2 "
           "MiB\n"
           "  ior-hard: one file of at most %s, transfers of 47008 bytes\n"
           "  files: at most %lld in mdtest-easy, %lld of 3901 bytes in "
           "mdtest-hard, %lld in all\n"
           "  disk space: at most %s\n"
           "  time: %.1f s of each of the four phases that write, and as long "
           "as it takes\n  to read and remove what they have written\n",
           (long long)processes, processes == 1 ? "" : "es",
           pario_size_print_short(io500->data[IO500_EASY].block_bytes, size[0]),
           pario_size_print_short(io500->data[IO500_HARD].segments *
                                      IO500_HARD_TRANSFER * processes,
                                  size[1]),
           (long long)(how[IO500_EASY].files * processes),
           (long long)(how[IO500_HARD].files * processes),
           (long long)((how[IO500_EASY].files + how[IO500_HARD].files + 1) *
                           processes +
                       2),
           pario_size_print_short(io500->need_bytes, size[2]),
           io500->options->stonewall_s);
    if (io500->options->extended)
        printf("  mdworkbench: at most %lld files of 3901 bytes more\n",
               (long long)(how[IO500_HARD].files * processes));
    printf("  phases:");
    for (const struct io500_phase *what = io500_phases; what->name != NULL;
         what++)
        if (!(what->rules & IO500_EXTENDED) || io500->options->extended)
            printf(" %s", what->name);
    putchar('\n');
}

static int io500_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    struct io500 io500 = {.run = run, .options = run->options};
    int code = plan(&io500, dir);

    if (code == 0)
        code = check(&io500, dir);
    if (code != 0)
        return code;
    if (run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            print_plan(&io500);
        return 0;
    }
    code = pario_run_directory(run, dir, io500.need_bytes);
    if (code == 0)
        code = io500_begin(&io500);
    if (code == 0)
        code = io500_run_phases(&io500);
    code = io500_end(&io500, code);
    if (code == 0)
        io500_summarise(&io500);
    return code;
}

static const struct pario_test io500_tests[] = {
    {"ior-easy", "large transfers, a file for each process"},
    {"ior-hard", "47008 bytes, one file for all"},
    {"mdtest-easy", "empty files, a directory for each process"},
    {"mdtest-hard", "files of 3901 bytes, one directory for all"},
    {"find", "all names; those of some size, time and name"},
    {"mdworkbench", "files of 3901 bytes: looked at, read, replaced by new "
                    "ones (--extended)"},
    {NULL, NULL},
};

const struct pario_suite pario_suite_io500 = {
    .name = "io500",
    .operands = "[DIR]",
    .summary = "IO500's phases and scores, with evidence (not a submission)",
    .help = "The phases of IO500 in its order: large and small transfers, "
            "empty and small files, find; each phase that writes goes on for "
            "300 s (--stonewall) and then until all processes have done what "
            "the fastest had done. Geometric means and the score are those "
            "of the list, which takes only results of its own program. Every "
            "figure says what the list asks for, what the device saw and "
            "whether the data was right. --dry-run says how many files and "
            "bytes there will be; --cold drops the caches before what is "
            "read (as root).",
    .fields = io500_fields,
    .options_size = sizeof(struct io500_options),
    .defaults = &io500_defaults,
    .tests = io500_tests,
    .no_resume = "its phases use the files of those before",
    .run = io500_run,
    .view = &pario_io500_view,
};
