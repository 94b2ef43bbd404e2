/* report/measure_flags.c - what speaks against a run, a measure, a figure. */
#include "report/measures.h"
#include "report/table_parts.h"
#include "result/value.h"

#include <string.h>

unsigned pario_run_flags(const json_t *document)
{
    const char *status = pario_document_status(document);

    if (strcmp(status, "INVALID") == 0 || strcmp(status, "UNFINISHED") == 0)
        return PARIO_FLAG_INVALID;
    return strcmp(status, "PRELIMINARY") == 0 ? PARIO_FLAG_PRELIMINARY : 0;
}

unsigned pario_measure_flags(const json_t *document, const json_t *measure)
{
    return pario_run_flags(document) | pario_flags_of_measure(measure);
}

/* Documents of before summary_flags: of all measures that count. */
static unsigned flags_of_all(const json_t *document)
{
    struct pario_flag_sum sum = {0};
    const json_t *measure;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        unsigned flags = pario_flags_of_measure(measure);

        if (pario_integer_of(measure, "bytes") > 0 &&
            !(flags & PARIO_FLAG_FAILED))
            pario_flag_sum_add(&sum, flags);
    }
    return (pario_flag_sum_get(&sum) & ~(unsigned)PARIO_FLAG_SHORT) |
           (sum.all & PARIO_FLAG_SHORT);
}

unsigned pario_summary_flags(const json_t *document, const char *name)
{
    const json_t *own = json_object_get(document, "summary_flags");

    return pario_run_flags(document) |
           (json_is_object(own)
                ? pario_flags_from_json(json_object_get(own, name))
                : flags_of_all(document));
}

void pario_summary_flags_complete(json_t *document)
{
    json_t *summary = json_object_get(document, "summary"), *own;
    const json_t *value;
    const char *name;
    unsigned flags;

    if (json_is_object(json_object_get(document, "summary_flags")))
        return;
    flags = flags_of_all(document);
    own = json_object();
    json_object_foreach(summary, name, value)
    {
        (void)json_object_set_new(own, name, pario_flags_json(flags));
    }
    (void)json_object_set_new(document, "summary_flags", own);
}
