/* analysis/samples_csv.c - the samples of a block as they are. */
#include "analysis/analysis.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct rows {
    FILE *out;
    const struct pario_timings_section *section;
    int64_t at, first, last; /* loop counters */
};

static int put_rows(void *context, const int64_t *ns, size_t count)
{
    struct rows *rows = context;
    char name[96];

    snprintf(name, sizeof(name), "process %d (%.64s)", rows->section->rank,
             rows->section->keyword);
    for (size_t i = 0; i < count; i++, rows->at++) {
        if (rows->at < rows->first)
            continue;
        if (rows->last >= 0 && rows->at >= rows->last)
            return 1;
        pario_cell_put(rows->out, name, PARIO_FORMAT_CSV);
        fprintf(rows->out, ",%" PRId64 ",%" PRId64 ".%06" PRId64 "\n", rows->at,
                ns[i] / 1000000, ns[i] % 1000000);
    }
    return 0;
}

int pario_samples_csv(const struct pario_timings *timings,
                      const struct pario_timings_block *block, int proc,
                      const struct pario_lane_plan *plan, FILE *out)
{
    int code = 0, found = 0;

    fputs("series,loop counter,\"time of a call, ms\"\n", out);
    for (size_t i = 0; code == 0 && i < block->nsections; i++) {
        struct rows rows = {.out = out,
                            .section = &block->sections[i],
                            .first = plan->first,
                            .last = plan->last};

        if (proc >= 0 && rows.section->rank != proc)
            continue;
        found = 1;
        code =
            pario_timings_read(timings, block, rows.section, put_rows, &rows);
        code = code == 1 ? 0 : code;
    }
    if (code == 0 && !found)
        code = pario_fail(PARIO_EUSAGE,
                          "%s:%" PRId64 ": this block has no process %d",
                          timings->path, block->line, proc);
    if (code == 0 && ferror(out))
        code = pario_fail_errno(-EIO, "cannot write the samples");
    return code;
}
