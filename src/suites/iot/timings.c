/* suites/iot/timings.c - blocks of the timings file (4.4.2): each carries the
 * input block, the hints in force and its parameter set, so that blocks can
 * be concatenated and split at will. */
#include "suites/iot/iot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_HEADER "# there was no memory for the header\n"

/* The sub-header: the parameter values of this set. */
static void set_lines(FILE *out, const struct iot_context *context)
{
    const struct iot_set *set = context->set;

    fprintf(out, "set %d\nfile_bytes %lld\n", context->number,
            (long long)set->file_bytes);
    if (set->repetition > 0)
        fprintf(out, "repetition %d\n", set->repetition);
    if (set->separate)
        fprintf(out, "file_per_process 1\n");
    if (set->block_bytes > 0)
        fprintf(out, "block_bytes %lld\n", (long long)set->block_bytes);
    if (set->block_max > 0)
        fprintf(out, "blockmin_bytes %lld\nblockmax_bytes %lld\n",
                (long long)set->block_min, (long long)set->block_max);
    for (int d = 0; d < set->ndims; d++)
        fprintf(out, "set_%csize %lld\n", 'x' + d, (long long)set->size[d]);
    for (int d = 0; d < set->ndims && set->grid[0] > 0; d++)
        fprintf(out, "set_%cproc %d\n", 'x' + d, set->grid[d]);
    if (context->test->kind == IOT_NONSEQ)
        fprintf(out, "set_update_frac %g\n", set->update_frac);
    if (context->test->kind == IOT_OUTOFCORE)
        fprintf(out, "memory_bytes %lld\nset_variant %s\n",
                (long long)set->memory_bytes,
                set->variant == IOT_LEFT ? "left" : "right");
}

/* malloc'ed; rank 0's is the one that is written. */
static char *make_header(const struct iot_context *context)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = context->rank == 0 ? open_memstream(&text, &len) : NULL;

    if (out == NULL)
        return NULL;
    fprintf(out, "suite iot\nclassname %s\ntestname %s\n%s",
            iot_class_names[iot_names[context->test->kind].class],
            iot_names[context->test->kind].name, context->test->input);
    fprintf(out, "host %s\nmpi %s\nfilesystem %s\n", context->run->node.host,
            pario_par_library(), context->fs.type);
    for (size_t i = 0; i < context->in_force.count; i++)
        fprintf(out, "in_force.%s %s\n", context->in_force.hint[i].key,
                context->in_force.hint[i].value);
    set_lines(out, context);
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
