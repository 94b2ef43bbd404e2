/* suites/pattern/part.c - what one process needs for a case: plans, buffers,
 * the names of its files. */
#include "suites/pattern/files.h"
#include "suites/pattern/timed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Local. Buffers and lists. */
static int make_buffers(struct pattern_part *part)
{
    const struct pattern_plan *plan = &part->plan;
    size_t depth = (size_t)part->options->queue_depth;
    size_t slot = (size_t)plan->period + plan->longest;
    struct pattern_contents contents = {
        .key = part->run->data_key, .grid = plan->grid, .period = plan->period};
    void *source = NULL, *space = NULL;
    int code = pario_buffer_alloc(slot * depth, &source);

    if (code == 0)
        code = pario_buffer_alloc(plan->longest * depth, &space);
    if (code == 0)
        code = pario_samples_init(&part->samples, PATTERN_KEPT);
    part->words = malloc(PATTERN_KEPT * sizeof(*part->words));
    if (code == 0 && part->words == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot start");
    part->source = source;
    part->space = space;
    for (size_t i = 0; code == 0 && i < depth; i++)
        pattern_contents_base(&contents, part->source + i * slot, slot);
    return code;
}

/* Local. Plans and buffers of one case. */
static int make_plans(struct pattern_part *part)
{
    const struct pattern_options *options = part->options;
    const struct pario_group *world = part->run->world;
    uint64_t seed = (uint64_t)part->run->common.seed;
    int size = pario_group_size(world), rank = pario_group_rank(world);
    int code = pattern_plan_make(options, size, rank, seed, &part->plan);

    if (code == 0)
        code = pattern_plan_make(options, size, part->read.rank, seed,
                                 &part->read);
    if (code == 0)
        code = make_buffers(part);
    if (code == 0 && options->interval_s > 0) {
        part->interval_bytes =
            calloc(PATTERN_INTERVALS, sizeof(*part->interval_bytes));
        if (part->interval_bytes == NULL)
            code = pario_fail_errno(-ENOMEM, "cannot start");
    }
    return code;
}

int pattern_part_begin(struct pattern_part *part)
{
    const struct pario_group *world = part->run->world;
    int code = pario_backend_find(
        pario_interface_names[part->options->interface], &part->backend);

    code = pario_agree(world, code);
    if (code == 0)
        code = pattern_files_reader(part);
    if (code == 0)
        code = pario_agree(world, make_plans(part));
    return code != 0 ? code : pattern_files_find(part);
}

void pattern_part_free(struct pattern_part *part)
{
    free(part->source);
    free(part->space);
    free(part->words);
    free(part->interval_bytes);
    pario_samples_fini(&part->samples);
    pario_hints_fini(&part->in_force);
    pattern_plan_free(&part->plan);
    pattern_plan_free(&part->read);
}

int pattern_part_samples(struct pattern_part *part, enum pattern_access access,
                         const char *suite, const char *test)
{
    const struct pattern_options *options = part->options;
    const char *path = part->run->common.samples;
    char header[512];

    if (path == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite %s\ntestname %s\ninterface %s\nblocksize %lld\naccess %s\n",
             suite, test, part->backend->name,
             (long long)options->transfer_bytes, pattern_access_names[access]);
    return pario_samples_append(part->run->world, path, header,
                                access == PATTERN_READ ? "r" : "w",
                                &part->samples);
}
