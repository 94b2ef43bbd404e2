/* The suite nht: NHT-1's application, peak disk and network benchmarks. */
#include "suites/nht/nht.h"

#include "apps/bt/class.h"
#include "core/nearest.h"
#include "suites/nht/app_io.h"
#include "suites/suite.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct nht_options, field)

static const char *const files_choices[] = {"one", "many", NULL};
static const char *const scheme_choices[] = {"auto", "multi", "block", NULL};
static const char *const via_choices[] = {"ftp", "scp", NULL};

const struct pario_field nht_fields[] = {
    {PARIO_OPTION("class", STRING, AT(bt_class), "CLASS"), .needs = NHT_SOLVES,
     .help = "app: problem size S, W, A, B (NHT-1's own, default) or C"},
    {PARIO_OPTION("mode", CHOICE, AT(mode), "MODE"), .needs = NHT_DUMPS,
     .choices = nht_mode_names, .help = "app: how the dumps are written"},
    {PARIO_OPTION("files", CHOICE, AT(files), "HOW"), .needs = NHT_DUMPS,
     .choices = files_choices,
     .help = "app: all dumps in one file, or many: a file per dump"},
    {PARIO_OPTION("scheme", CHOICE, AT(scheme), "SCHEME"), .needs = NHT_DUMPS,
     .rules = PARIO_FIELD_SAID, .choices = scheme_choices,
     .help = "app: multi-partition (square process counts) or block"},
    {PARIO_OPTION("tc", TIME, AT(tc_s), "SECONDS"), PARIO_RANGE(0, 1e9),
     .needs = NHT_DUMPS, .rules = PARIO_FIELD_SAID,
     .help = "app: best known time without I/O (default: measured here)"},
    {PARIO_OPTION("tc-runs", INT, AT(tc_runs), "N"), PARIO_RANGE(1, 1000),
     .needs = NHT_DUMPS, .rules = PARIO_FIELD_SAID,
     .help = "app: runs without I/O of which the best is T_C (default: 3)"},
    {PARIO_FLAG("sync", AT(sync)), .needs = NHT_DUMPS,
     .help = "app: make the dumps durable within T_T (--no-sync: BTIO's way)"},
    {PARIO_OPTION("interval", INT, AT(interval), "STEPS"),
     PARIO_RANGE(1, 100000), .needs = NHT_SOLVES,
     .help = "app: write U every so many steps (NHT-1: 5)"},
    {PARIO_OPTION("steps", INT, AT(steps), "STEPS"), PARIO_RANGE(0, 100000),
     .needs = NHT_DUMPS,
     .help = "app: fewer steps than the class has, for trials"},
    {PARIO_OPTION("hints", STRING, AT(hints), "KEY=VALUE;..."),
     .needs = NHT_DUMPS, .rules = PARIO_FIELD_SAID,
     .help = "app: MPI-IO hints"},
    {PARIO_OPTION("compare", STRING, AT(compare), "FILE"),
     .needs = NHT_COMPARES, .rules = PARIO_FIELD_SAID,
     .help = "verify: compare with this file"},
    {PARIO_OPTION("fraction", REAL, AT(fraction), "SHARE"),
     PARIO_RANGE(0.0001, 1), .needs = NHT_MOVES, .rules = PARIO_FIELD_SAID,
     .help = "peak, network: share of the memory to move (NHT-1: 0.8)"},
    {PARIO_OPTION("memory", SIZE, AT(memory_bytes), "SIZE"),
     PARIO_RANGE(0, 1e18), .needs = NHT_MOVES, .rules = PARIO_FIELD_SAID,
     .help = "peak, network: take this for the memory of a node (a trial)"},
    {PARIO_FLAG("calibrate", AT(calibrate)), .needs = NHT_CALIBRATES,
     .rules = PARIO_FIELD_SAID,
     .help = "peak: find the best interface and request size first"},
    {PARIO_OPTION("via", CHOICE, AT(via), "HOW"), .needs = NHT_SENDS,
     .choices = via_choices, .help = "network: ftp, or scp"},
    {PARIO_OPTION("server", STRING, AT(server), "PROGRAM"), .needs = NHT_SENDS,
     .rules = PARIO_FIELD_SAID, .help = "network: the vsftpd or sshd to start"},
    {PARIO_OPTION("host", STRING, AT(host), "HOST"), .needs = NHT_SENDS,
     .help = "network: transfer to this machine's server instead"},
    {PARIO_OPTION("port", INT, AT(port), "PORT"), PARIO_RANGE(0, 65535),
     .needs = NHT_SENDS, .rules = PARIO_FIELD_SAID,
     .help = "network: port of the server (default: a free one, or standard)"},
    {PARIO_OPTION("user", STRING, AT(user), "NAME"), .needs = NHT_SENDS,
     .rules = PARIO_FIELD_SAID, .help = "network: user on --host"},
    {PARIO_OPTION("password-file", STRING, AT(password_file), "FILE"),
     .needs = NHT_SENDS, .rules = PARIO_FIELD_SAID,
     .help = "network: file with the password of --user (ftp)"},
    {PARIO_OPTION("remote-dir", STRING, AT(remote_dir), "DIR"),
     .needs = NHT_SENDS, .rules = PARIO_FIELD_SAID,
     .help = "network: directory on --host for the file"},
    {.name = NULL},
};

static const struct nht_options defaults = {
    .mode = PARIO_HAVE_MPIIO ? 0 : 2, /* full; without MPI-IO posix */
    .sync = 1,
    .tc_runs = 3,
    .interval = PARIO_BT_INTERVAL,
    .fraction = 0.8,
    .calibrate = 1,
    .remote_dir = ".",
};

/* A test of the suite. */
static const struct nht_test {
    struct pario_test test; /* first */
    unsigned abilities;
    int (*run)(struct pario_run *run);
} tests[] = {
    {{"app",
      "application I/O: T_T, R_IO and overhead of a flow solver's dumps"},
     NHT_SOLVES | NHT_DUMPS,
     pario_nht_app},
    {{"peak", "peak disk I/O: 80 % of memory to disk and back"},
     NHT_MOVES | NHT_CALIBRATES,
     pario_nht_peak},
    {{"network", "network I/O: a file over a loopback connection"},
     NHT_MOVES | NHT_SENDS,
     pario_nht_network},
    {{"verify", "print the diagonal of dump files, and check them"},
     NHT_SOLVES | NHT_COMPARES,
     pario_nht_verify},
    {{NULL, NULL}, 0, NULL},
};

static int unknown_test(const char *name)
{
    struct pario_nearest nearest = {.word = name};

    for (const struct nht_test *t = tests; t->test.name != NULL; t++)
        pario_nearest_try(&nearest, t->test.name);
    return pario_fail(PARIO_EUSAGE,
                      "nht has no test '%s'%s (it has app, peak, network and "
                      "verify)",
                      name, pario_nearest_say(&nearest, ""));
}

static int run_nht(struct pario_run *run)
{
    if (run->noperands < 1)
        return pario_fail(PARIO_EUSAGE,
                          "nht needs a test: app, peak, network or verify");
    for (const struct nht_test *t = tests; t->test.name != NULL; t++) {
        char name[32];
        int code;

        if (strcmp(run->operands[0], t->test.name) != 0)
            continue;
        snprintf(name, sizeof(name), "nht %s", t->test.name);
        code = pario_fields_refuse(nht_fields, t->abilities, run->options,
                                   &defaults, name);
        run->operands++;
        run->noperands--;
        return code != 0 ? code : t->run(run);
    }
    return unknown_test(run->operands[0]);
}

static const struct pario_view_line nht_lines[] = {
    {"application", {{"rate", "r_io_bytes_per_s"}}, "of the whole run"},
    {"", {{"rate", "btio_mbps"}}, "in I/O alone"},
    {"run time", {{"with", "t_t_s"}, {"without", "t_c_s"}}, "checkpoints"},
    {"peak disk",
     {{"rate", "r_peak_bytes_per_s"},
      {"write", "t_pwrite_s"},
      {"read", "t_pread_s"}},
     NULL},
    {"network",
     {{"rate", "r_throughput_bytes_per_s"}, {"time", "t_transfer_s"}},
     NULL},
    {.label = NULL},
};

static const struct pario_view_test nht_test_names[] = {
    {.test = "app", .name = "the application"},
    {.test = "peak", .name = "peak disk"},
    {.test = "network", .name = "network"},
    {.test = NULL},
};

static const struct pario_view nht_view = {
    .title = "NHT-1: what I/O costs an application, a disk, a network",
    .question = "What does I/O cost the run?",
    .lines = nht_lines,
    .tests = nht_test_names,
    .details = "scheme kernel parts",
    .next = "pario report {file} -o nht.html",
};

const struct pario_suite pario_suite_nht = {
    .name = "nht",
    .no_resume = "it reads the files it wrote, and they are gone; run it again",
    .operands = "TEST [DIR | FILE...]",
    .summary = "NHT-1: application, peak disk and network I/O",
    .help = "The NHT-1 I/O benchmarks (NASA Ames RND-92-016). `nht app DIR` "
            "runs the block- tridiagonal flow solver and writes its solution "
            "every 5 steps; `nht verify FILE` prints and checks what it "
            "wrote (kept with --keep); `nht peak DIR` moves 80 % of memory "
            "to disk and back; `nht network DIR` sends it through a loopback "
            "connection.",
    .fields = nht_fields,
    .options_size = sizeof(struct nht_options),
    .defaults = &defaults,
    .tests = &tests[0].test,
    .test_size = sizeof(struct nht_test),
    .run = run_nht,
    .view = &nht_view,
    .print = pario_nht_print,
};
