/* suites/prio/raw.c - a block device, past all caches (PRIOmark, Sect. 4.1).
 *
 * Reading needs no permission but to read. Writing destroys what is on the
 * device: it must be named by --destroy-data and be in nobody's use.
 */
#include "pario_config.h"
#include "suites/prio/device.h"
#include "suites/prio/prio.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if PARIO_HAVE_URING
#define RAW_METHODS (1u << PRIO_URING)
#else
#define RAW_METHODS (1u << PRIO_POSIX)
#endif

/* Set once from the command line, before the workload is checked: a plug-in
 * descriptor's check sees the case only. */
static const char *allowed;
static int only_explained;

void prio_raw_allow(const char *device)
{
    allowed = device;
}

void prio_raw_only_explain(void)
{
    only_explained = 1;
}

static int may_write(const char *path)
{
    if (only_explained)
        return 0;
    if (allowed == NULL || !prio_device_same(path, allowed))
        return pario_fail(PARIO_EUSAGE,
                          "writing to %s destroys what is on it: allow it "
                          "with --destroy-data %s, or read only (ratio 1:0)",
                          path, path);
    return prio_device_check_free(path);
}

static int raw_check(const struct prio_case *what)
{
    struct prio_device device;
    int code;

    if (what->device == NULL && only_explained)
        return 0;
    if (what->device == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "which device? `device` here or --device on the "
                          "command line names it");
    code = prio_device_get(what->device, &device);
    if (code != 0)
        return code;
    if (what->request_low % device.sector != 0 ||
        what->request_high % device.sector != 0 ||
        what->data_bytes % device.sector != 0)
        return pario_fail(PARIO_EUSAGE,
                          "data and requests must be multiples of the block "
                          "of %s, %d bytes",
                          what->device, device.sector);
    if (what->data_bytes > device.bytes / what->processes)
        return pario_fail(PARIO_EUSAGE,
                          "%d processes with %lld bytes each do not fit on %s "
                          "with %lld bytes",
                          what->processes, (long long)what->data_bytes,
                          what->device, (long long)device.bytes);
    if (!what->direct)
        return pario_fail(PARIO_EUSAGE,
                          "raw is always direct: leave `direct no` out");
    return what->writes > 0 ? may_write(what->device) : 0;
}

/* The first writing section, or NULL. */
static const struct prio_section *
writing_section(const struct prio_workload *workload)
{
    for (int i = 0; i < workload->nsections; i++) {
        const struct prio_section *section = &workload->section[i];

        for (size_t r = 0; section->bench->abilities & PRIO_ON_DEVICE &&
                           r < section->ratio.count;
             r++)
            if (section->ratio.item[r].writes > 0)
                return section;
    }
    return NULL;
}

int prio_raw_confirm(const struct prio_workload *workload)
{
    const struct prio_section *section = writing_section(workload);
    int fd = -1, code;

    if (section == NULL)
        return 0;
    code = prio_device_claim(section->base.device, &fd);
    if (code != 0)
        return PARIO_EUSAGE;
    close(fd);
    return prio_device_ask(section->base.device);
}

static int raw_run(struct prio_env *env, const struct prio_case *what,
                   struct prio_figures *figures)
{
    struct prio_layout layout = {
        .device = 1,
        .base = pario_group_rank(env->group) * what->data_bytes,
    };
    int claim = -1, code = 0;

    snprintf(layout.path, sizeof(layout.path), "%s", what->device);
    /* One process of each node holds it; nobody can mount it meanwhile. */
    if (what->writes > 0 && pario_group_node_rank(env->group) == 0) {
        code = prio_device_check_free(what->device);
        if (code == 0)
            code = prio_device_claim(what->device, &claim);
    }
    code = pario_agree(env->group, code);
    code = code == 0 ? prio_transfer(env, what, &layout, figures)
                     : prio_measure(env, code, figures, NULL, NULL);
    if (claim >= 0)
        close(claim);
    return code;
}

extern const struct prio_bench prio_bench_raw;
const struct prio_bench prio_bench_raw = {
    .test = {"raw", "a block device, past all caches, through io_uring"},
    .patterns = 1u << PRIO_READ_WRITE | 1u << PRIO_RANDOM,
    .methods = RAW_METHODS,
    .abilities = PRIO_CAN_TIME | PRIO_ON_DEVICE | PRIO_COUNTS,
    .check = raw_check,
    .run = raw_run,
};
