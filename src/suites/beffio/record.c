/* suites/beffio/record.c - what a pass leaves in the document. */
#include "core/units.h"
#include "measure/marks.h"
#include "result/parameters.h"
#include "suites/beffio/pass.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* What tells two experiments of one partition apart; NULL: nothing need. */
struct values {
    const char *hints;
    int64_t repetition;
};

const struct pario_field beffio_parameters[] = {
    {PARIO_FIELD("hints", STRING, offsetof(struct values, hints)),
     .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("repetition", INT, offsetof(struct values, repetition)),
     .rules = PARIO_FIELD_IF_SET | PARIO_FIELD_FREE},
    {.name = NULL},
};

static json_t *parameters_of(const struct beffio_pass *pass)
{
    struct values values = {
        .hints = pass->beffio->interleaved
                     ? beffio_hintset_name(pass->experiment->hints)
                     : NULL,
        .repetition = pass->beffio->repeated ? pass->experiment->repetition : 0,
    };

    return values.hints != NULL || values.repetition > 0
               ? pario_parameters(beffio_parameters, 0, &values)
               : NULL;
}

/* The curve that a pattern is a point of. Chunks of a power of two plus 8 bytes
 * lie beside the others and are slower; type 0 has a second pattern of 1 MiB,
 * with more memory to a call. */
static json_t *series_of(const struct beffio_pass *pass,
                         const struct beffio_part *part)
{
    char memory[PARIO_UNITS_LEN];
    const char *type = beffio_types[pass->type].name;

    if (part->loop.L == 2 * part->loop.l)
        return json_sprintf("%s, %s in memory", type,
                            pario_size_print_short(part->loop.L, memory));
    return json_sprintf("%s%s", type, part->loop.l % 1024 == 8 ? " +8 B" : "");
}

int beffio_record_pattern(struct beffio_pass *pass, struct beffio_part *part)
{
    const struct beffio_pattern *row = part->row;
    char test[16];
    struct pario_measure measure = {
        .test = test,
        .access = beffio_access_names[pass->access],
        .partition = pass->size,
        .error = part->error[0] != '\0' ? part->error : NULL,
    };

    if (measure.error != NULL)
        pario_run_invalidate(pass->beffio->run, "type %d %s: %s",
                             (int)pass->type, measure.access, part->error);
    if (row->U == 0)
        return 0;
    measure.pattern = json_pack("{s:i, s:I, s:I, s:i}", "type", (int)pass->type,
                                "l_bytes", (json_int_t)part->loop.l, "L_bytes",
                                (json_int_t)part->loop.L, "U", row->U);
    measure.parameters = parameters_of(pass);
    measure.extra = json_pack("{s:o}", "series", series_of(pass, part));
    if (row->l == BEFFIO_MPART)
        (void)json_object_set_new(measure.extra, "m_part", json_true());
    snprintf(test, sizeof(test), "type%d", (int)pass->type);
    return pario_phase_record(&part->phase, &measure);
}

/* What the block devices saw of an access, as far as they can be seen. */
static void add_device_bytes(struct beffio_pass *pass)
{
    const struct pario_seen *seen = &pass->whole.figures.seen;
    int64_t *sum = &pass->beffio->device_bytes[pass->access];
    int64_t bytes = pass->access == BEFFIO_READ ? seen->device_read_bytes
                                                : seen->device_written_bytes;

    *sum = *sum < 0 || bytes < 0 ? -1 : *sum + bytes;
}

/* The type's figure: all bytes over the time from opening to closing. */
int beffio_record_total(struct beffio_pass *pass)
{
    struct beffio_experiment *experiment = pass->experiment;
    struct pario_figures *figures = &pass->whole.figures;
    char test[24];
    struct pario_measure measure = {
        .test = test,
        .access = beffio_access_names[pass->access],
        .partition = pass->size,
        .error = pass->errors > 0 ? "one or more of its patterns failed" : NULL,
    };
    int code;

    figures->bytes = pass->bytes;
    figures->written_bytes = pass->access == BEFFIO_READ ? 0 : pass->bytes;
    if (beffio_reads_everything(pass))
        figures->data_bytes = pass->bytes / pass->size;
    code = pario_phase_settle(&pass->whole);
    if (code != 0)
        return code;
    snprintf(test, sizeof(test), "type%d_total", (int)pass->type);
    measure.parameters = parameters_of(pass);
    if (pass->type < BEFFIO_TYPES) {
        experiment->bandwidths.mbps[pass->access][pass->type] =
            pario_mbps(figures->bytes, figures->seconds);
        experiment->flags[pass->access][pass->type] =
            pario_flags_with_failures(figures, pass->errors);
        experiment->bytes[pass->access] += figures->bytes;
    }
    experiment->failed_patterns += pass->errors;
    add_device_bytes(pass);
    return pario_phase_record(&pass->whole, &measure);
}

int beffio_record_hints(struct beffio_pass *pass)
{
    struct pario_run *run = pass->beffio->run;
    char *name = NULL; /* of any length: a set is told by its path */
    int code = 0;

    if (asprintf(&name, "%s%stype%d %s np%d",
                 pass->beffio->interleaved
                     ? beffio_hintset_name(pass->experiment->hints)
                     : "",
                 pass->beffio->interleaved ? " " : "", (int)pass->type,
                 beffio_access_names[pass->access], pass->size) < 0) {
        name = NULL;
        code = pario_fail_errno(-ENOMEM, "cannot record the hints");
    }
    if (code == 0 && run->result != NULL)
        code = pario_result_set(run->result, "hints_in_force", name,
                                pario_parameters_hints(&pass->in_force));
    free(name);
    return pario_agree(pass->group, code);
}
