/* result/io500.c - the figures of IO500 and its scores. */
#include "result/io500.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* In the order in which they are measured. */
const struct pario_io500_figure pario_io500_figures[PARIO_IO500_FIGURES] = {
    {"ior-easy-write", "ior_easy_write_gibps", 0, 1},
    {"mdtest-easy-write", "mdtest_easy_write_kiops", 1, 1},
    {"mdworkbench-create", "mdworkbench_create_kiops", 1, 0},
    {"find-easy", "find_easy_kiops", 1, 0},
    {"ior-hard-write", "ior_hard_write_gibps", 0, 1},
    {"mdtest-hard-write", "mdtest_hard_write_kiops", 1, 1},
    {"find", "find_kiops", 1, 1},
    {"find-hard", "find_hard_kiops", 1, 0},
    {"mdworkbench-bench", "mdworkbench_bench_kiops", 1, 0},
    {"ior-easy-read", "ior_easy_read_gibps", 0, 1},
    {"mdtest-easy-stat", "mdtest_easy_stat_kiops", 1, 1},
    {"ior-hard-read", "ior_hard_read_gibps", 0, 1},
    {"mdtest-hard-stat", "mdtest_hard_stat_kiops", 1, 1},
    {"mdworkbench-delete", "mdworkbench_delete_kiops", 1, 0},
    {"mdtest-easy-delete", "mdtest_easy_delete_kiops", 1, 1},
    {"mdtest-hard-read", "mdtest_hard_read_kiops", 1, 1},
    {"mdtest-hard-delete", "mdtest_hard_delete_kiops", 1, 1},
    {"ior-rnd4K-easy-read", "ior_rnd4k_easy_read_gibps", 0, 0},
    {"ior-rnd1MB-easy-read", "ior_rnd1mb_easy_read_gibps", 0, 0},
};

static int same_letter(char a, char b)
{
    return (a == '_' ? '-' : tolower((unsigned char)a)) ==
           (b == '_' ? '-' : tolower((unsigned char)b));
}

int pario_io500_find(const char *phase, size_t len)
{
    for (int i = 0; i < PARIO_IO500_FIGURES; i++) {
        const char *name = pario_io500_figures[i].phase;
        size_t at = 0;

        while (at < len && name[at] != '\0' && same_letter(phase[at], name[at]))
            at++;
        if (at == len && name[at] == '\0')
            return i;
    }
    return -1;
}

static double geometric_mean(const double values[PARIO_IO500_FIGURES],
                             int names)
{
    double sum = 0;
    int count = 0;

    for (int i = 0; i < PARIO_IO500_FIGURES; i++) {
        const struct pario_io500_figure *figure = &pario_io500_figures[i];

        if (!figure->scored || figure->names != names)
            continue;
        if (values[i] <= 0)
            return 0;
        sum += log(values[i]);
        count++;
    }
    return exp(sum / count);
}

struct pario_io500_score
pario_io500_scores(const double values[PARIO_IO500_FIGURES])
{
    struct pario_io500_score score = {
        .bandwidth_gibps = geometric_mean(values, 0),
        .names_kiops = geometric_mean(values, 1),
    };

    score.score = sqrt(score.bandwidth_gibps * score.names_kiops);
    return score;
}

static const struct pario_view_line lines[] = {
    {"score",
     {{"", "io500_score"},
      {"data", "bandwidth_gibps"},
      {"names", "metadata_kiops"}},
     NULL},
    {"ior-easy",
     {{"write", "ior_easy_write_gibps"}, {"read", "ior_easy_read_gibps"}},
     NULL},
    {"ior-hard",
     {{"write", "ior_hard_write_gibps"}, {"read", "ior_hard_read_gibps"}},
     NULL},
    {"mdtest-easy",
     {{"write", "mdtest_easy_write_kiops"},
      {"stat", "mdtest_easy_stat_kiops"},
      {"delete", "mdtest_easy_delete_kiops"}},
     NULL},
    {"mdtest-hard",
     {{"write", "mdtest_hard_write_kiops"},
      {"stat", "mdtest_hard_stat_kiops"},
      {"delete", "mdtest_hard_delete_kiops"}},
     NULL},
    {"", {{"read", "mdtest_hard_read_kiops"}}, NULL},
    {"find",
     {{"all", "find_kiops"},
      {"easy", "find_easy_kiops"},
      {"hard", "find_hard_kiops"}},
     NULL},
    {"mdworkbench",
     {{"create", "mdworkbench_create_kiops"},
      {"bench", "mdworkbench_bench_kiops"},
      {"delete", "mdworkbench_delete_kiops"}},
     NULL},
    {"random reads",
     {{"4 KiB", "ior_rnd4k_easy_read_gibps"},
      {"1 MiB", "ior_rnd1mb_easy_read_gibps"}},
     NULL},
    {.label = NULL},
};

static const struct pario_view_name shown[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "operations_per_s", .name = "operations"},
    {.key = "latency_ns.p99", .name = "time of an operation, 99 % of them"},
    {.key = NULL},
};

const struct pario_view pario_io500_view = {
    .title = "IO500 pattern (not an IO500 submission)",
    .question = "How fast is this directory by IO500's phases?",
    .lines = lines,
    .values = shown,
    .next = "pario report {file} -o io500.html",
};
