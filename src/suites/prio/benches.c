/* suites/prio/benches.c - the table of sub-benchmarks. */
#include "suites/prio/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct prio_bench prio_bench_common_file;
extern const struct prio_bench prio_bench_strided;
extern const struct prio_bench prio_bench_async;
extern const struct prio_bench prio_bench_single_file;
extern const struct prio_bench prio_bench_raw;
extern const struct prio_bench prio_bench_replay;
extern const struct prio_bench prio_bench_tree;
extern const struct prio_bench prio_bench_total;

/* In the order of the paper's figure 1, then what is ours; total comes last. */
const struct pario_test *const prio_tests[] = {
    &prio_bench_common_file.test,
    &prio_bench_strided.test,
    &prio_bench_async.test,
    &prio_bench_single_file.test,
    &prio_bench_raw.test,
    &prio_bench_replay.test,
    &prio_bench_tree.test,
    &prio_bench_total.test,
    NULL,
};

static int add(struct prio *prio, const struct prio_bench *bench)
{
    if (prio->nbenches == PRIO_MAX_BENCHES)
        return pario_fail(PARIO_EUSAGE, "more than %d sub-benchmarks",
                          PRIO_MAX_BENCHES);
    prio->bench[prio->nbenches++] = bench;
    return 0;
}

static int load(struct prio *prio, const char *path)
{
    const struct prio_bench *bench;
    int code = prio_plugin_load(path, &bench);

    if (code != 0)
        return code;
    if (strcmp(bench->test.name, "mix") == 0)
        return pario_fail(PARIO_EUSAGE, "%s: the name mix is taken", path);
    for (int i = 0; i < prio->nbenches; i++)
        if (strcmp(prio->bench[i]->test.name, bench->test.name) == 0)
            return pario_fail(PARIO_EUSAGE,
                              "%s: there is a sub-benchmark %s already", path,
                              bench->test.name);
    return add(prio, bench);
}

int prio_benches_load(struct prio *prio)
{
    char *copy, *rest, *path;
    int code = 0;

    for (size_t i = 0; prio_tests[i] != NULL; i++) /* it stands first */
        prio->bench[prio->nbenches++] =
            (const struct prio_bench *)prio_tests[i];
    if (prio->options->plugin == NULL)
        return 0;
    copy = rest = strdup(prio->options->plugin);
    if (copy == NULL)
        return pario_fail_errno(-ENOMEM, "cannot load plug-ins");
    while (code == 0 && (path = strsep(&rest, ",")) != NULL)
        if (path[0] != '\0')
            code = load(prio, path);
    free(copy);
    return code;
}
