/* suites/replay/workload.c - who plays what, and where. */
#include "suites/replay/workload.h"
#include "core/cleanup.h"
#include "core/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOWEST_BYTES_PER_S 5e6 /* for deadlines: a slow disk, shared */

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot replay");
}

static int parse_timing(const char *text, double *scale_p)
{
    char *end = NULL;

    if (strcmp(text, "asap") == 0) {
        *scale_p = 0;
        return 0;
    }
    if (strcmp(text, "original") == 0) {
        *scale_p = 1;
        return 0;
    }
    if (strncmp(text, "scaled=", 7) == 0) {
        *scale_p = strtod(text + 7, &end);
        if (end != text + 7 && *end == '\0' && *scale_p > 0 && *scale_p < 1e6)
            return 0;
    }
    return pario_fail(PARIO_EUSAGE,
                      "--timing: asap, original or scaled=0.5, not '%s'", text);
}

/* Commas become lines. */
static int parse_hints(const char *text, char **hints_p)
{
    char *lines;

    if (text == NULL)
        return 0;
    lines = strdup(text);
    if (lines == NULL)
        return no_memory();
    for (char *c = lines; *c != '\0'; c++)
        if (*c == ',')
            *c = '\n';
    *hints_p = lines;
    return 0;
}

const char *const replay_interfaces[] = {"recorded", "posix", "uring", "mpiio",
                                         NULL};

/* Can everything be said in the words of that interface? */
static int check_interface(const struct replay_workload *load)
{
    int uring = strcmp(load->through->name, "uring") == 0;

    if (load->plan.nowhere > 0)
        return pario_fail(PARIO_EUSAGE,
                          "--interface %s: %lld accesses of %s go by shared "
                          "pointers, or append: nobody knows their places",
                          load->through->name, (long long)load->plan.nowhere,
                          load->path);
    for (size_t p = 0; uring && p < pario_trace_processes(load->trace); p++)
        if (pario_trace_process_of(load->trace, p)->nstreams > 1)
            return pario_fail(PARIO_EUSAGE,
                              "--interface uring: process %zu of %s has "
                              "threads, which cannot share a ring",
                              p, load->path);
    return 0;
}

/* With commas between them, here and on the command line. */
static int find_interface(struct replay_workload *load,
                          const struct replay_wishes *wishes)
{
    char *hints = NULL;
    int code;

    if (wishes->interface == 0)
        return 0;
    code = pario_backend_find(replay_interfaces[wishes->interface],
                              &load->through);
    if (code != 0 || wishes->hints == NULL)
        return code;
    hints = strdup(wishes->hints);
    if (hints == NULL)
        return no_memory();
    for (char *c = hints; *c != '\0'; c++)
        if (*c == ',')
            *c = ';';
    code = pario_hints_parse(&load->through_hints, hints);
    free(hints);
    return code;
}

static int read_trace(struct replay_workload *load, int64_t max_calls)
{
    int code = pario_trace_open(load->path, &load->trace);

    if (code == 0 && pario_trace_processes(load->trace) == 0)
        code = pario_fail(PARIO_EFORMAT, "%s has no calls", load->path);
    if (code == 0)
        code =
            pario_trace_check_calls(load->trace, max_calls, PARIO_CALLS_SUMMED);
    if (code == 0)
        code = pario_trace_folder(load->trace, &load->folder);
    if (code == 0)
        code = replay_plan_init(&load->plan, load->trace);
    return code;
}

int replay_workload_open(struct replay_workload *load,
                         const struct replay_wishes *wishes)
{
    int code;

    memset(load, 0, sizeof(*load));
    load->path = wishes->path;
    load->copies = wishes->copies;
    code = parse_timing(wishes->timing, &load->scale);
    if (code == 0)
        code = parse_hints(wishes->hints, &load->hints);
    if (code == 0)
        code = find_interface(load, wishes);
    if (code == 0)
        code = read_trace(load, wishes->max_calls);
    if (code == 0 && load->through != NULL)
        code = check_interface(load);
#if !PARIO_HAVE_MPIIO
    if (code == 0 && load->plan.mpi)
        code = pario_fail(PARIO_EUNAVAIL,
                          "the trace has calls of MPI: build pario with MPI");
#endif
    return code;
}

static size_t count_units(const struct replay_workload *load)
{
    return pario_trace_processes(load->trace) * (size_t)load->copies;
}

int replay_workload_check(const struct replay_workload *load, int size)
{
    size_t recorded = pario_trace_processes(load->trace);
    size_t wanted = count_units(load);
    size_t now = (size_t)size;

    if (now == wanted || (!load->plan.mpi && now < wanted))
        return 0;
    if (now > wanted && load->copies == 1 && now % recorded == 0)
        return pario_fail(PARIO_EUSAGE,
                          "%s is of %zu process%s, and this job has %zu: "
                          "`pario -n %zu replay ...`, or --amplify %zu",
                          load->path, recorded, recorded == 1 ? "" : "es", now,
                          recorded, now / recorded);
    return pario_fail(PARIO_EUSAGE,
                      "%s is of %zu process%s%s, and this job has %zu: `pario "
                      "-n %zu replay ...`",
                      load->path, wanted, wanted == 1 ? "" : "es",
                      load->plan.mpi ? " with calls of MPI" : "", now, wanted);
}

/* The directory of a copy, seen from the run's. */
static void name_copy(const struct replay_workload *load, int64_t copy,
                      char name[REPLAY_COPY_LEN])
{
    if (load->copies == 1)
        snprintf(name, REPLAY_COPY_LEN, ".");
    else
        snprintf(name, REPLAY_COPY_LEN, "./copy%lld", (long long)copy);
}

/* Its whole name: the process will be in another directory. */
static int make_directory(const struct replay_workload *load, int64_t copy,
                          char **directory_p)
{
    char here[PATH_MAX] = "", name[REPLAY_COPY_LEN];

    if (load->site.directory[0] != '/' && getcwd(here, sizeof(here)) == NULL)
        return pario_fail_errno(-errno, "cannot find the current directory");
    name_copy(load, copy, name);
    if (asprintf(directory_p, "%s%s%s%s", here, here[0] != '\0' ? "/" : "",
                 load->site.directory, name + 1) >= 0)
        return 0;
    *directory_p = NULL;
    return no_memory();
}

/* The directory is still NULL. */
static struct replay describe(const struct replay_workload *load, int64_t copy,
                              size_t process)
{
    return (struct replay){
        .trace = load->trace,
        .plan = &load->plan,
        .process = process,
        .copy = (int)copy,
        .folder = load->folder,
        .key = load->site.key + (uint64_t)copy,
        .scale = load->scale,
        .check = load->site.check,
        .hints = load->hints,
        .through = load->through,
        .through_is_mpi =
            load->through != NULL && strcmp(load->through->name, "mpiio") == 0,
        .through_hints = load->through_hints,
        .nstreams = pario_trace_process_of(load->trace, process)->nstreams,
    };
}

static int unit_init(struct replay_workload *load, size_t number)
{
    size_t recorded = pario_trace_processes(load->trace);
    struct replay_unit *unit = &load->units[load->nunits];
    int64_t copy = (int64_t)(number / recorded);
    int code = make_directory(load, copy, &unit->directory);

    if (code != 0)
        return code;
    unit->replay = describe(load, copy, number % recorded);
    unit->replay.directory = unit->directory;
    name_copy(load, copy, unit->below);
    unit->replay.below = unit->below;
    unit->streams = calloc(unit->replay.nstreams + 1, sizeof(*unit->streams));
    load->nunits++;
    if (unit->streams == NULL)
        return no_memory();
    for (size_t s = 0; s < unit->replay.nstreams; s++)
        pario_hist_init(&unit->streams[s].sums.latency);
    return replay_init(&unit->replay, unit->streams);
}

static int make_units(struct replay_workload *load)
{
    size_t rank = (size_t)pario_group_rank(load->site.group);
    size_t size = (size_t)pario_group_size(load->site.group);
    size_t count = count_units(load);
    int code = 0;

    load->units = calloc(count / size + 2, sizeof(*load->units));
    if (load->units == NULL)
        return no_memory();
    for (size_t u = rank; u < count && code == 0; u += size)
        code = unit_init(load, u);
    return code;
}

/* Rank 0: the files of all copies. */
static int prepare_files(struct replay_workload *load)
{
    int code = 0;

    for (int64_t copy = 0; copy < load->copies && code == 0; copy++) {
        struct replay replay = describe(load, copy, 0);
        char *directory = NULL;

        code = make_directory(load, copy, &directory);
        if (directory == NULL)
            return code;
        if (load->copies > 1 && pario_own_mkdir(directory, 0755) != 0)
            code = pario_fail_errno(-errno, "cannot make %s", directory);
        replay.directory = directory;
        if (code == 0)
            code = replay_prepare(&load->plan, &replay);
        free(directory);
    }
    return code;
}

/* Collective. All streams are walked at a time for it, which takes memory for
 * each of them: on rank 0 alone. */
static int check_messages(struct replay_workload *load, int code)
{
    const struct pario_group *group = load->site.group;
    struct replay_messages *messages = &load->plan.messages;

    if (code == 0 && pario_group_rank(group) == 0)
        code = replay_messages_check(messages, load->trace);
    code = pario_agree(group, code);
    return code != 0 ? code
                     : pario_bcast(group, &messages->incomplete,
                                   sizeof(messages->incomplete));
}

int replay_workload_prepare(struct replay_workload *load,
                            const struct replay_site *site)
{
    int code;

    load->site = *site;
    code = make_units(load);
    if (code == 0 && pario_group_rank(site->group) == 0)
        code = prepare_files(load);
    code = check_messages(load, code);
    if (code == 0 && load->plan.mpi) /* one unit on each rank */
        code = pario_agree(site->group, replay_mpi_start(&load->units[0].replay,
                                                         load->units[0].streams,
                                                         site->group));
    return code;
}

/* Local. The calls of the C library go by names, as the program's did: from
 * the directory itself, whatever has its name meanwhile. *back_p: where the
 * process was. */
static int enter_directory(const char *directory, int *back_p)
{
    char path[PATH_MAX];
    int tree, back, code = 0;

    if (snprintf(path, sizeof(path), "%s/.", directory) >= PATH_MAX)
        return pario_fail_errno(-ENAMETOOLONG, "cannot enter %s", directory);
    back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    tree = pario_own_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (back < 0 || tree < 0 || fchdir(tree) != 0)
        code = pario_fail_errno(-errno, "cannot enter %s", directory);
    if (tree >= 0)
        close(tree);
    if (code != 0 && back >= 0)
        close(back);
    if (code == 0)
        *back_p = back;
    return code;
}

static int leave_directory(int back)
{
    int code = fchdir(back) == 0
                   ? 0
                   : pario_fail_errno(-errno, "cannot return to the directory "
                                              "that pario was started in");

    close(back);
    return code;
}

static void *run_unit(void *argument)
{
    struct replay_unit *unit = argument;

    unit->code = replay_run(&unit->replay, unit->streams);
    if (unit->code != 0)
        snprintf(unit->message, sizeof(unit->message), "%s",
                 pario_error_message());
    return NULL;
}

static int run_units(struct replay_workload *load)
{
    pthread_t *threads = calloc(load->nunits + 1, sizeof(*threads));
    size_t started = 1;
    int code = 0;

    if (threads == NULL)
        return no_memory();
    for (; started < load->nunits && code == 0; started += code == 0)
        code = -pthread_create(&threads[started], NULL, run_unit,
                               &load->units[started]);
    if (code == 0 && load->nunits > 0)
        run_unit(&load->units[0]);
    for (size_t u = 1; u < started; u++)
        pthread_join(threads[u], NULL);
    free(threads);
    if (code != 0)
        return pario_fail_errno(code, "cannot start a thread");
    for (size_t u = 0; u < load->nunits; u++)
        if (load->units[u].code != 0)
            return pario_fail(load->units[u].code, "%s",
                              load->units[u].message);
    return 0;
}

int replay_workload_run(struct replay_workload *load)
{
    int back = -1, code = enter_directory(load->site.directory, &back), left;

    if (code != 0)
        return code;
    pario_recorder_pause(0); /* what it records are the calls of the trace */
    code = run_units(load);
    if (load->site.pauses_recorder)
        pario_recorder_pause(1);
    left = leave_directory(back);
    return code != 0 ? code : left;
}

static void add_sums(struct replay_sums *sums, const struct replay_sums *more)
{
    sums->calls += more->calls;
    sums->otherwise += more->otherwise;
    sums->checked += more->checked;
    sums->wrong += more->wrong;
    sums->jumps += more->jumps;
    sums->unstamped += more->unstamped;
    sums->unread += more->unread;
    for (int way = PARIO_DATA_NONE; way <= PARIO_DATA_WRITE; way++) {
        sums->bytes[way] += more->bytes[way];
        sums->operations[way] += more->operations[way];
    }
    if (sums->first_otherwise[0] == '\0')
        memcpy(sums->first_otherwise, more->first_otherwise,
               sizeof(sums->first_otherwise));
    if (sums->wrong_place[0] == '\0')
        memcpy(sums->wrong_place, more->wrong_place, sizeof(sums->wrong_place));
    pario_hist_merge(&sums->latency, &more->latency);
}

void replay_workload_sums(const struct replay_workload *load,
                          struct replay_sums *sums_p)
{
    memset(sums_p, 0, sizeof(*sums_p));
    pario_hist_init(&sums_p->latency);
    for (size_t u = 0; u < load->nunits; u++)
        for (size_t s = 0; s < load->units[u].replay.nstreams; s++)
            add_sums(sums_p, &load->units[u].streams[s].sums);
}

double replay_workload_schedule_s(const struct replay_workload *load)
{
    double bytes =
        (double)pario_trace_times(load->plan.need_bytes, load->copies);

    return (double)load->plan.seconds_ns * 1e-9 *
               (load->scale > 1 ? load->scale : 1) +
           2 * bytes / SLOWEST_BYTES_PER_S + 10;
}

void replay_workload_fini(struct replay_workload *load)
{
    for (size_t u = 0; u < load->nunits; u++) {
        if (load->units[u].streams != NULL)
            replay_fini(&load->units[u].replay, load->units[u].streams);
        free(load->units[u].streams);
        free(load->units[u].directory);
    }
    free(load->units);
    free(load->folder);
    free(load->hints);
    pario_hints_fini(&load->through_hints);
    replay_plan_fini(&load->plan);
    pario_trace_close(load->trace);
}

static int is_trace(const char *path)
{
    size_t len = strlen(path);
    struct stat st;

    return path[0] != '-' && stat(path, &st) == 0 &&
           (S_ISREG(st.st_mode) ||
            (len > 6 && strcmp(path + len - 6, ".spool") == 0));
}

int replay_has_threads(int argc, char **argv)
{
    struct pario_trace *trace = NULL;
    int threads = 0;

    for (int i = 1; i < argc && trace == NULL; i++)
        if (!is_trace(argv[i]) || pario_trace_open(argv[i], &trace) != 0)
            trace = NULL;
    for (size_t p = 0; trace != NULL && p < pario_trace_processes(trace); p++)
        threads |= pario_trace_process_of(trace, p)->nstreams > 1;
    pario_trace_close(trace);
    return threads;
}
