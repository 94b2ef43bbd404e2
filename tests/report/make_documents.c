/* Writes one document of each kind into the directory argv[1]: what
 * validate.py holds against the schema is what pario really writes. */
#include "core/stats.h"
#include "result/result.h"
#include "result/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char program[] = "pario", suite[] = "quick", odd[] = "dir\xff";
static char *words[] = {program, suite, odd, NULL};

static void check(int code)
{
    if (code == 0)
        return;
    fprintf(stderr, "make_documents: %s\n", pario_error_message());
    exit(1);
}

static void add(struct pario_result *result, const char *test, double seconds,
                int errors, const char *error)
{
    static struct pario_hist hist;
    struct pario_measure measure = {
        .test = test,
        .access = "write",
        .partition = 4,
        .pattern = json_pack("{s:i, s:i}", "type", 0, "l_bytes", 1024),
        .extra = json_pack("{s:o}", "ratio", pario_json_real(NAN)),
        .bytes = 1 << 20,
        .operations = 1024,
        .seconds = seconds,
        .first_done_s = 0.1,
        .last_done_s = -1,
        .latency = &hist,
        .checked_bytes = 4096,
        .errors = errors,
        .cache = PARIO_CACHE_MIXED,
        .error = error,
    };

    pario_hist_init(&hist);
    for (int i = 0; i < 1024; i++)
        pario_hist_add(&hist, 1000 + i);
    check(pario_result_add(result, &measure));
}

static void fill(struct pario_result *result)
{
    check(pario_result_set(result, "system", "nodes", json_integer(1)));
    check(pario_result_set(result, "system", "mpi", json_string("none")));
    check(pario_result_set(result, "options", "time", json_string("60 s")));
    check(pario_result_set(result, "hints_requested", "cb_nodes",
                           json_string("4")));
    add(result, "good", 0.5, 0, NULL);
    check(pario_result_set(result, "summary", "write_mbps", json_real(2.1)));
    check(pario_result_set(result, "summary", "bad_mbps", json_real(NAN)));
}

static struct pario_result *begin(const char *path)
{
    struct pario_result *result = NULL;

    check(pario_result_create(suite, 3, words, path, 1, &result));
    fill(result);
    return result;
}

int main(int argc, char **argv)
{
    struct pario_result *result = NULL;

    if (argc != 2 || chdir(argv[1]) != 0)
        return 2;
    result = begin("valid.json");
    check(pario_result_finish(result));
    pario_result_destroy(result);

    result = begin("unfinished.json");
    pario_result_destroy(result);

    result = begin("failed.json");
    add(result, "wrong data", 0.5, 3, NULL);
    add(result, "no time", NAN, 0, "the disk \xfe is full");
    check(pario_result_invalidate(result, "the disk is full"));
    check(pario_result_finish(result));
    pario_result_destroy(result);

    check(pario_result_create(suite, 3, words, "nothing.json", 1, &result));
    check(pario_result_finish(result));
    pario_result_destroy(result);

    pario_result_destroy(begin("resumed.json"));
    check(pario_result_resume(suite, 3, words, "resumed.json", &result));
    check(pario_result_set(result, "options", "time", json_string("60 s")));
    check(pario_result_finish(result));
    pario_result_destroy(result);
    return 0;
}
