/* suites/pattern/cases.c - the cases of a run: that of the command line, or
 * those of a file. */
#include "suites/pattern/pattern.h"

#include <errno.h>
#include <stdlib.h>

int pattern_cases_add(struct pattern_cases *cases,
                      const struct pattern_options *options)
{
    struct pattern_options *list =
        realloc(cases->list, (cases->count + 1) * sizeof(*list));

    if (list == NULL)
        return pario_fail_errno(-ENOMEM, "cannot list the cases");
    list[cases->count++] = *options;
    cases->list = list;
    return 0;
}

int pattern_cases_load(const struct pattern_options *options, int processes,
                       struct pattern_cases *cases_p)
{
    *cases_p = (struct pattern_cases){.count = 0};
    if (options->script != NULL && options->fio != NULL)
        return pario_fail(PARIO_EUSAGE, "--script and --fio: choose one");
    if (options->fio != NULL)
        return pattern_fio_jobs(options, processes, cases_p);
    if (options->script != NULL)
        return pattern_ior_script(options, cases_p);
    return pattern_cases_add(cases_p, options);
}

void pattern_cases_free(struct pattern_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free(cases->list[i].owned);
    free(cases->list);
    pario_keyfile_destroy(cases->file);
    *cases = (struct pattern_cases){.count = 0};
}
