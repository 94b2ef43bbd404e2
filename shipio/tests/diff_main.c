/*
 * diff_main.c - differential test of an MPI-IO library against a model.
 *
 * Runs many random MPI-IO programs, each from one number, in one start of the
 * processes. A failing program is made small by leaving out whatever can be
 * left out, printed, and ends the run with status 1.
 */
#include "diff_native.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct arguments {
    uint64_t seed;
    int64_t cases;
    double seconds;
    uint64_t only; /* one case, shown in full; 0: many */
    bool large;
    bool keep_going;
    struct diff_options options;
    struct diff_dropped dropped;
};

static char now_running[64];

/* A hang or a crash has no message of its own: name the case, and the place.
 * Every rank of a hang has the time to do so. */
static void on_signal(int number)
{
    const char *what = number == SIGALRM ? "hangs: " : "crashes: ";
    void *frames[32];

    (void)!write(STDERR_FILENO, what, strlen(what));
    (void)!write(STDERR_FILENO, now_running, strlen(now_running));
    /* Not for handlers, but nothing is lost: the process ends. */
    backtrace_symbols_fd(frames, backtrace(frames, 32), // NOLINT
                         STDERR_FILENO);
    if (number == SIGALRM) {
        sleep(2);
        _exit(1);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "op", "op:rank" or "hN", separated by commas. */
static bool parse_dropped(char *text, struct diff_dropped *dropped)
{
    char *save = NULL;

    for (char *item = strtok_r(text, ",", &save); item;
         item = strtok_r(NULL, ",", &save)) {
        bool hint = item[0] == 'h';
        char *end = NULL;
        long i = strtol(item + hint, &end, 10);

        if (i < 0 || i >= (hint ? DIFF_MAX_HINTS : DIFF_MAX_OPS))
            return false;
        if (hint) {
            dropped->hint[i] = true;
        } else if (*end == ':') {
            long r = strtol(end + 1, &end, 10);

            if (r < 0 || r >= DIFF_MAX_RANKS)
                return false;
            dropped->part[i][r] = true;
        } else {
            dropped->op[i] = true;
        }
        if (*end)
            return false;
    }
    return true;
}

static bool parse_value(struct arguments *a, const char *key, char *value)
{
    char *end = NULL;

    if (!strcmp(key, "--dir")) {
        a->options.dir = value;
        return true;
    }
    if (!strcmp(key, "--drop"))
        return parse_dropped(value, &a->dropped);
    if (!strcmp(key, "--time")) {
        a->seconds = strtod(value, &end);
        return !*end;
    }
    uint64_t number = strtoull(value, &end, 0);
    if (!strcmp(key, "--seed"))
        a->seed = number;
    else if (!strcmp(key, "--cases"))
        a->cases = (int64_t)number;
    else if (!strcmp(key, "--case"))
        a->only = number;
    else if (!strcmp(key, "--limit"))
        a->options.limit_s = (unsigned)number;
    else
        return false;
    return !*end;
}

static bool parse_arguments(struct arguments *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--native"))
            a->options.native = true;
        else if (!strcmp(argv[i], "--large"))
            a->large = true;
        else if (!strcmp(argv[i], "--keep-going"))
            a->keep_going = true;
        else if (!strcmp(argv[i], "--new-names"))
            a->options.new_names = true;
        else if (i + 1 < argc && parse_value(a, argv[i], argv[i + 1]))
            i++;
        else
            return false;
    }
    return true;
}

static void print_case(const struct diff_case *c,
                       const struct diff_dropped *dropped)
{
    char text[4096];

    printf("  %d ranks%s, amode %d, base %lld, file of %lld bytes\n", c->ranks,
           c->reversed ? " in reverse order" : "", c->amode, (long long)c->base,
           (long long)c->initial_size);
    for (int i = 0; i < c->nhints; i++) {
        if (!dropped->hint[i])
            printf("  hint h%d: %s = %s\n", i, c->hints[i].key,
                   c->hints[i].value);
    }
    for (int i = 0; i < c->nops; i++) {
        if (dropped->op[i])
            continue;
        diff_op_describe(&c->ops[i], c->ranks, text, sizeof(text));
        printf("  op %d: %s\n", i, text);
        for (int r = 0; r < c->ranks; r++) {
            if (dropped->part[i][r])
                printf("    rank %d left out\n", r);
        }
    }
}

static void print_dropped(const struct diff_case *c,
                          const struct diff_dropped *dropped)
{
    const char *separator = " --drop ";

    for (int i = 0; i < c->nhints; i++) {
        if (dropped->hint[i]) {
            printf("%sh%d", separator, i);
            separator = ",";
        }
    }
    for (int i = 0; i < c->nops; i++) {
        if (dropped->op[i]) {
            printf("%s%d", separator, i);
            separator = ",";
        }
        for (int r = 0; r < c->ranks && !dropped->op[i]; r++) {
            if (dropped->part[i][r]) {
                printf("%s%d:%d", separator, i, r);
                separator = ",";
            }
        }
    }
    printf("\n");
}

struct shrinker {
    const struct diff_case *c;
    const struct diff_options *options;
    struct diff_dropped dropped;
    char *message;
    size_t len;
    bool changed;
};

/* Leaves *what out if the case still fails without it. */
static void try_without(struct shrinker *s, bool *what)
{
    char message[512];

    if (*what)
        return;
    *what = true;
    alarm(s->options->limit_s);
    if (diff_run_case(s->c, &s->dropped, s->options, message,
                      sizeof(message))) {
        *what = false;
        return;
    }
    snprintf(s->message, s->len, "%s", message);
    s->changed = true;
}

static void shrink(struct shrinker *s)
{
    do {
        s->changed = false;
        for (int i = s->c->nops - 1; i >= 0; i--)
            try_without(s, &s->dropped.op[i]);
    } while (s->changed);
    for (int i = 0; i < s->c->nhints; i++)
        try_without(s, &s->dropped.hint[i]);
    for (int i = 0; i < s->c->nops; i++) {
        for (int r = 0; r < s->c->ranks; r++) {
            if (!s->dropped.op[i] && s->c->ops[i].part[r].type)
                try_without(s, &s->dropped.part[i][r]);
        }
    }
}

/* Collective. True when the case passes. */
static bool run_one(const struct arguments *a, uint64_t seed, int rank,
                    int size)
{
    struct diff_case *c = malloc(sizeof(*c));
    struct diff_limits limits = {.max_ranks = size,
                                 .large = a->large,
                                 .empty = !a->options.native,
                                 .plain = diff_native_is_romio() &&
                                          a->options.native};
    char message[512] = "";

    if (!c)
        abort();
    snprintf(now_running, sizeof(now_running), "--case %llu%s, %d ranks\n",
             (unsigned long long)seed, a->large ? " --large" : "", size);
    alarm(a->options.limit_s);
    diff_case_generate(c, seed, &limits, rank);
    bool ok =
        diff_run_case(c, &a->dropped, &a->options, message, sizeof(message));
    if (!ok) {
        struct shrinker s = {.c = c,
                             .options = &a->options,
                             .dropped = a->dropped,
                             .message = message,
                             .len = sizeof(message)};

        if (!a->only)
            shrink(&s);
        if (rank == 0) {
            printf("FAILED: %s\n", message);
            print_case(c, &s.dropped);
            printf("  again: mpirun -n %d shipio_diff%s --case %llu", size,
                   a->large ? " --large" : "", (unsigned long long)seed);
            print_dropped(c, &s.dropped);
            fflush(stdout);
        }
    }
    alarm(0);
    diff_case_free(c);
    free(c);
    return ok;
}

static int run_many(const struct arguments *a, int rank, int size)
{
    double start = now_s();
    int64_t done = 0, failed = 0;
    int go = 1;

    while (go && done < a->cases && (a->keep_going || failed == 0)) {
        uint64_t seed = diff_mix(a->seed * 1000003 + (uint64_t)done) >> 20;

        failed += !run_one(a, seed | 1, rank, size);
        done++;
        if (a->seconds > 0 && done % 16 == 0) {
            go = now_s() - start < a->seconds;
            MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("%lld cases on %d ranks, %lld failed, %.1f s (seed %llu)\n",
               (long long)done, size, (long long)failed, now_s() - start,
               (unsigned long long)a->seed);
    if (rank == 0)
        diff_native_report();
    return failed ? 1 : 0;
}

/* A folder of our own below dir; rank 0 makes its name. */
static bool make_folder(const char *dir, int rank, char *folder, int len)
{
    int ok = 1;

    if (rank == 0) {
        snprintf(folder, (size_t)len, "%s/shipio-diff-XXXXXX", dir);
        ok = mkdtemp(folder) != NULL;
        if (!ok)
            fprintf(stderr, "cannot make %s: %s\n", folder, strerror(errno));
    }
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(folder, len, MPI_CHAR, 0, MPI_COMM_WORLD);
    return ok;
}

int main(int argc, char **argv)
{
    struct arguments a = {
        .seed = 1, .cases = 100, .options = {.dir = "/tmp", .limit_s = 10}};
    char folder[400] = "";
    int rank = 0, size = 0, status = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!parse_arguments(&a, argc, argv) || size > DIFF_MAX_RANKS) {
        if (rank == 0)
            fprintf(stderr, "usage: shipio_diff [--seed N] [--cases N] "
                            "[--time S] [--large] [--native] [--keep-going] "
                            "[--new-names] [--limit S] "
                            "[--dir DIR] [--case N [--drop LIST]]\n");
        goto out;
    }
    (void)backtrace((void *[1]){NULL}, 1); /* loads what it needs now */
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGBUS, on_signal);
    status = 1;
    if (!make_folder(a.options.dir, rank, folder, sizeof(folder)))
        goto out;
    a.options.dir = folder;
    if (a.only) {
        a.options.verbose = true;
        status = run_one(&a, a.only, rank, size) ? 0 : 1;
    } else {
        status = run_many(&a, rank, size);
    }
    if (rank == 0 && rmdir(folder))
        fprintf(stderr, "%s is not empty\n", folder);
out:
    MPI_Finalize();
    return status;
}
