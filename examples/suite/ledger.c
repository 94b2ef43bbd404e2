/* A suite of one's own: how many durable records a second does a directory
 * take?
 *
 * A suite is one const descriptor. Put the file into a folder below src/suites
 * and its name into src/suites/registry.c: command line, --help, document,
 * answer, report and comparison are then there. `run` describes phases and
 * brings the timed loop; the measuring engine makes the numbers.
 */
#include "core/clock.h"
#include "io/backend.h"
#include "measure/phase.h"
#include "result/parameters.h"
#include "suites/suite.h"

#include <errno.h>
#include <stdlib.h>

extern const struct pario_backend pario_backend_durable;

struct ledger {
    int64_t records, record_bytes;
};

static const struct ledger defaults = {.records = 100, .record_bytes = 4096};

/* One table: options, keywords of --config, parameters in the document. */
static const struct pario_field fields[] = {
    {.name = "records",
     .type = PARIO_OPT_INT,
     .offset = offsetof(struct ledger, records),
     .min = 1,
     .max = 1e9,
     .help = "records of each process"},
    {.name = "record",
     .type = PARIO_OPT_SIZE,
     .offset = offsetof(struct ledger, record_bytes),
     .member = "record_bytes",
     .min = 8,
     .max = 1 << 26,
     .help = "size of a record"},
    {.name = NULL},
};

struct part {
    const struct pario_run *run;
    const struct ledger *options;
    char path[4200];
    struct pario_file *file;
    void *record;
};

static struct pario_data data_of(const struct part *part)
{
    return (struct pario_data){
        .key = part->run->data_key,
        .file = (uint64_t)pario_group_rank(part->run->world)};
}

static int open_ledger(void *arg)
{
    struct part *part = arg;
    struct pario_target target = {
        .path = part->path,
        .flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    };

    return pario_backend_durable.open(&target, &part->file);
}

/* Timed. Words that tell where they belong are stamped, not filled in: that
 * would be our own work within the time. */
static int loop(void *arg, struct pario_phase *phase)
{
    struct part *part = arg;
    struct pario_data data = data_of(part);
    int64_t len = part->options->record_bytes, last_ns = phase->begin_ns;
    int64_t now_ns;
    int code = 0;

    for (int64_t i = 0; code == 0 && i < part->options->records; i++) {
        pario_data_stamp(&data, i * len, part->record, (size_t)len);
        code = pario_backend_durable.io[PARIO_WRITE][PARIO_FORM_AT](
            part->file, part->record, (size_t)len, i * len);
        if (code != 0)
            return pario_io_fail(code, PARIO_WRITE, part->path, i * len,
                                 "durable");
        now_ns = pario_clock_ns();
        pario_hist_add(phase->latency, now_ns - last_ns);
        last_ns = now_ns;
        phase->figures.operations++;
        phase->figures.bytes += len;
        phase->figures.written_bytes += len;
    }
    return 0;
}

static int check(void *arg, struct pario_phase *phase)
{
    struct part *part = arg;
    struct pario_data_chunk chunk = {.data = data_of(part),
                                     .base = data_of(part)};
    struct pario_target target = {.path = part->path, .flags = PARIO_OPEN_READ};
    struct pario_data_error error;
    int64_t len = part->options->record_bytes;
    int code = pario_backend_durable.open(&target, &part->file), closed;

    if (code != 0)
        return code;
    for (int64_t i = 0; code == 0 && i < part->options->records; i++) {
        chunk.offset = i * len;
        code = pario_backend_durable.io[PARIO_READ][PARIO_FORM_AT](
            part->file, part->record, (size_t)len, i * len);
        if (code != 0) {
            (void)pario_io_fail(code, PARIO_READ, part->path, i * len,
                                "durable");
        } else if (pario_data_check_stamped(&chunk, part->record, (size_t)len,
                                            &error) != 0) {
            pario_data_describe(&chunk.data, 1, &error, phase->figures.wrong,
                                sizeof(phase->figures.wrong));
            phase->figures.wrong_bytes += error.wrong_bytes;
        }
        phase->figures.checked_bytes += len;
    }
    closed = pario_backend_durable.close(part->file);
    return code != 0 ? code : closed;
}

static int close_ledger(void *arg)
{
    struct part *part = arg;
    int code = part->file != NULL ? pario_backend_durable.close(part->file) : 0;

    part->file = NULL;
    return code;
}

static int measure(struct pario_run *run, struct part *part)
{
    static const struct pario_phase_calls calls = {.open = open_ledger,
                                                   .loop = loop,
                                                   .close = close_ledger,
                                                   .check = check};
    struct pario_hist *latency = malloc(sizeof(*latency));
    struct pario_phase phase = {
        .run = run,
        .group = run->world,
        .path = part->path,
        .writing = 1,
        .latency = latency,
    };
    struct pario_data data = data_of(part);
    int code = 0;

    if (latency == NULL || part->record == NULL)
        code = pario_fail_errno(-ENOMEM, "no room for a record");
    code = pario_agree(run->world, code); /* all measure, or nobody does */
    if (code == 0) {
        pario_hist_init(latency);
        pario_data_fill(&data, 0, part->record,
                        (size_t)part->options->record_bytes);
        code = pario_phase_run(&phase, &calls, part);
    }
    if (code == 0) {
        struct pario_measure made = {
            .test = "records",
            .access = "write",
            .partition = pario_group_size(run->world),
            .parameters = pario_parameters(fields, ~0u, part->options),
        };

        code = pario_phase_record(&phase, &made);
    }
    if (code == 0 && run->result != NULL) {
        struct pario_figures *figures = &phase.figures;

        code = pario_result_summary(
            run->result, "records_per_s",
            json_real((double)figures->operations / figures->seconds),
            figures->flags);
    }
    free(latency);
    return code;
}

static int run_ledger(struct pario_run *run)
{
    struct part part = {.run = run, .options = run->options};
    int64_t need_bytes = part.options->records * part.options->record_bytes *
                         pario_group_size(run->world);
    int code;

    if (run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            printf("%lld records of %lld bytes by each of %d processes\n",
                   (long long)part.options->records,
                   (long long)part.options->record_bytes,
                   pario_group_size(run->world));
        return 0;
    }
    code = pario_run_directory(run, run->noperands > 0 ? run->operands[0] : ".",
                               need_bytes);
    if (code != 0)
        return code;
    snprintf(part.path, sizeof(part.path), "%s/ledger.%d", run->directory,
             pario_group_rank(run->world));
    part.record = malloc((size_t)part.options->record_bytes);
    code = measure(run, &part);
    free(part.record);
    return code;
}

/* The answer: made from the summary by what all suites share. */
static const struct pario_view_line lines[] = {
    {.label = "records", .cells = {{"durable", "records_per_s"}}},
    {.label = NULL},
};
static const struct pario_view view = {
    .title = "ledger, durable records",
    .question = "How many durable records a second does this directory take?",
    .lines = lines,
};

extern const struct pario_suite pario_suite_ledger;
const struct pario_suite pario_suite_ledger = {
    .name = "ledger",
    .operands = "[DIR]",
    .summary = "durable records a second",
    .view = &view,
    .fields = fields,
    .options_size = sizeof(struct ledger),
    .defaults = &defaults,
    .run = run_ledger,
};
