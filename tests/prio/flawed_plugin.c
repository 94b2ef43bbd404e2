/* Plug-ins that must be refused: values outside of their struct (FLAW 1),
 * keywords without defaults (2), with the name of a parameter that every
 * measure has (4, 6) or of a keyword of every section (5); and one that returns
 * without having measured on its first process, while the others wait for it
 * (3). */
#include <pario.h>

#if FLAW == 4
#define KEYWORD "directory"
#elif FLAW == 5
#define KEYWORD "repetitions"
#elif FLAW == 6
#define KEYWORD "access"
#else
#define KEYWORD "depth"
#endif

static const struct pario_plugin_keyword keywords[] = {
    {.name = KEYWORD, .type = PARIO_PLUGIN_INT, .offset = FLAW == 1 ? 4 : 0},
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
    .defaults = FLAW == 2 || FLAW == 3 ? NULL : "1234567",
    .run = run,
};
