/* suites/iot/timings.c - blocks of the timings file (4.4.2): each carries the
 * input block, the hints in force and its parameter set, so that blocks can
 * be concatenated and split at will. */
#include "suites/iot/iot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_HEADER "# there was no memory for the header\n"

/* malloc'ed; rank 0's is the one that is written. */
static char *make_header(const struct iot_context *context)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = context->rank == 0 ? open_memstream(&text, &len) : NULL;

    if (out == NULL)
        return NULL;
    fprintf(out, "suite iot\nclassname %s\ntestname %s\n%s",
            iot_class_names[context->test->bench->class],
            context->test->bench->test.name, context->test->input);
    fprintf(out, "host %s\nmpi %s\nfilesystem %s\n", context->run->node.host,
            pario_par_library(), context->fs.type);
    for (size_t i = 0; i < context->in_force.count; i++)
        fprintf(out, "in_force.%s %s\n", context->in_force.hint[i].key,
                context->in_force.hint[i].value);
    pario_fields_print(iot_fields, context->test->bench->abilities,
                       context->set, "set_", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int iot_timings_samples(struct iot_context *context, const char *keyword,
                        struct pario_samples *samples)
{
    char *header = make_header(context);
    int code = pario_samples_append(context->run->world, context->timings,
                                    header != NULL ? header : NO_HEADER,
                                    keyword, samples);

    free(header);
    return code;
}

int iot_timings_values(struct iot_context *context, const char *keyword,
                       const char *unit, const int64_t *values, size_t count)
{
    char *header = make_header(context);
    int code = pario_timings_append(context->run->world, context->timings,
                                    header != NULL ? header : NO_HEADER,
                                    keyword, unit, values, count);

    free(header);
    return code;
}

int iot_timings_time(struct iot_context *context, const char *keyword,
                     double seconds)
{
    int64_t ns = (int64_t)(seconds * 1e9 + 0.5);

    return iot_timings_values(context, keyword, "s", &ns, seconds >= 0);
}
