/* Plug-ins that must be refused: values outside of their struct (FLAW 1),
 * keywords without defaults (2); and one that returns without having measured
 * on its first process, while the others wait for it (3). */
#include <pario.h>

static const struct pario_plugin_keyword keywords[] = {
    {.name = "depth", .type = PARIO_PLUGIN_INT, .offset = FLAW == 1 ? 4 : 0},
    {.name = NULL},
};

static int loop(void *part, struct pario_plugin_meter *meter)
{
    (void)part;
    pario_plugin_done(meter, 0, 0, 1);
    return 0;
}

static int run(struct pario_plugin_job *job)
{
    struct pario_plugin_work work = {
        .size = sizeof(work),
        .path = pario_plugin_directory(job),
        .no_data = 1,
        .loop = loop,
    };

    if (pario_plugin_rank(job) == 0)
        return 0;
    return pario_plugin_measure(job, 0, &work, job);
}

extern const struct pario_plugin pario_plugin;
const struct pario_plugin pario_plugin = {
    .abi = PARIO_PLUGIN_ABI,
    .name = "flawed",
    .summary = "never runs",
    .keywords = FLAW == 3 ? NULL : keywords,
    .values_size = FLAW == 3 ? 0 : 8,
    .defaults = FLAW == 1 ? "1234567" : NULL,
    .run = run,
};
