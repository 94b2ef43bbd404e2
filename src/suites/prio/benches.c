/* suites/prio/benches.c - the table of sub-benchmarks, and plug-ins from
 * outside. */
#include "suites/prio/prio.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct prio_bench prio_bench_common_file;
extern const struct prio_bench prio_bench_strided;
extern const struct prio_bench prio_bench_async;
extern const struct prio_bench prio_bench_single_file;
extern const struct prio_bench prio_bench_raw;
extern const struct prio_bench prio_bench_total;

/* In the order of the paper's figure 1; total comes last. */
static const struct prio_bench *const built_in[] = {
    &prio_bench_common_file, &prio_bench_strided, &prio_bench_async,
    &prio_bench_single_file, &prio_bench_raw,     &prio_bench_total,
};

static int add(struct prio *prio, const struct prio_bench *bench)
{
    if (prio->nbenches == PRIO_MAX_BENCHES)
        return pario_fail(PARIO_EUSAGE, "more than %d sub-benchmarks",
                          PRIO_MAX_BENCHES);
    prio->bench[prio->nbenches++] = bench;
    return 0;
}

static int check_plugin(const struct prio *prio, const char *path,
                        const struct prio_bench *bench)
{
    /* The number is the first member: it can be read whatever follows. */
    if (bench->abi != PRIO_PLUGIN_ABI)
        return pario_fail(PARIO_EUSAGE,
                          "%s was built for version %d of the plug-in "
                          "interface, this pario has version %d: build it "
                          "again",
                          path, bench->abi, PRIO_PLUGIN_ABI);
    if (bench->name == NULL || bench->name[0] == '\0' || bench->run == NULL)
        return pario_fail(PARIO_EUSAGE, "%s has no name or no run function",
                          path);
    if (strcmp(bench->name, "mix") == 0)
        return pario_fail(PARIO_EUSAGE, "%s: the name mix is taken", path);
    if (bench->abilities & PRIO_COUNTS)
        return pario_fail(PARIO_EUSAGE,
                          "%s: a plug-in from outside does not count in the "
                          "total (PRIO_COUNTS)",
                          path);
    if ((bench->own_size > 0) != (bench->own_defaults != NULL) ||
        (bench->keywords != NULL && bench->own_size == 0))
        return pario_fail(PARIO_EUSAGE,
                          "%s: keywords need own_size and own_defaults", path);
    for (int i = 0; i < prio->nbenches; i++)
        if (strcmp(prio->bench[i]->name, bench->name) == 0)
            return pario_fail(PARIO_EUSAGE,
                              "%s: there is a sub-benchmark %s already", path,
                              bench->name);
    return 0;
}

/* Stays loaded until the process ends: its descriptor is in use. */
static int load(struct prio *prio, const char *path)
{
    const struct prio_bench *bench;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int code;

    if (library == NULL)
        return pario_fail(PARIO_EUSAGE, "cannot load the plug-in: %s",
                          dlerror());
    bench = dlsym(library, "prio_plugin");
    if (bench == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "%s is no plug-in: it does not export prio_plugin",
                          path);
    code = check_plugin(prio, path, bench);
    return code != 0 ? code : add(prio, bench);
}

int prio_benches_load(struct prio *prio)
{
    char *copy, *rest, *path;
    int code = 0;

    for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
        prio->bench[prio->nbenches++] = built_in[i];
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
