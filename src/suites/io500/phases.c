/* suites/io500/phases.c - the phases in IO500's order. */
#include "measure/marks.h"
#include "suites/io500/io500.h"
#include "suites/pattern/files.h"

#include <stdio.h>
#include <string.h>

/* Collective. What pattern has measured, with its samples. */
static int move_data(struct pattern_part *part, enum pattern_access access,
                     const char *test, struct pario_phase *phase)
{
    int code = pattern_phase(part, access, phase);

    return code != 0 ? code : pattern_part_samples(part, access, "io500", test);
}

/* Only writes end by the clock: what they have written is read as a whole. */
static int run_data(struct io500 *io500, const struct io500_phase *what,
                    struct pario_phase *phase)
{
    int writes = (what->rules & IO500_STONEWALLED) != 0;

    io500->data[what->set].stonewall_s =
        writes ? io500->options->stonewall_s : 0;
    io500->data[what->set].wear_out = writes;
    io500->part[what->set].title = what->name;
    return move_data(&io500->part[what->set],
                     writes ? PATTERN_WRITE : PATTERN_READ, what->test, phase);
}

/* Places of the easy files in no order, by another process than its writer and
 * its reader before. */
static int run_random(struct io500 *io500, const struct io500_phase *what,
                      struct pario_phase *phase)
{
    struct pattern_part *easy = &io500->part[IO500_EASY];
    int64_t bytes = easy->written * easy->plan.transfer;
    struct pattern_options options = io500->data[IO500_EASY];
    struct pattern_part part = {
        .run = io500->run,
        .options = &options,
        .writer = easy,
        .title = what->name,
        .written = INT64_MAX,
    };
    int code;

    options.transfer_bytes = options.block_bytes = what->transfer_bytes;
    options.segments = bytes / what->transfer_bytes;
    options.order = PATTERN_SHUFFLED;
    options.task_offset = 2;
    options.stonewall_s = io500->options->stonewall_s;
    options.wear_out = 1;
    options.write = 0;
    code = pattern_part_begin(&part);
    if (code == 0)
        code = move_data(&part, PATTERN_READ, what->test, phase);
    io500->random_stonewall = part.stonewall;
    pattern_part_free(&part);
    return code;
}

/* As IO500 has it: what is created is durable, what is removed need not be. */
static int run_names(struct io500 *io500, const struct io500_phase *what,
                     struct pario_phase *phase)
{
    struct meta_worker *worker = io500->worker[what->set];
    int code;

    io500->how[what->set].title = what->name;
    io500->how[what->set].sync = (what->rules & IO500_STONEWALLED) != 0;
    code = meta_case_measure(worker, meta_op_number(what->op), phase);
    return code != 0 ? code : meta_case_samples(worker, "io500", what->test);
}

/* Not a measurement: files from here on are newer. */
static int run_mark(struct io500 *io500, const struct io500_phase *what,
                    struct pario_phase *phase)
{
    (void)what, (void)phase;
    return io500_make_mark(io500);
}

const struct io500_phase io500_phases[] = {
    {.name = "ior-easy-write",
     .test = "ior-easy",
     .access = "write",
     .run = run_data,
     .set = IO500_EASY,
     .rules = IO500_STONEWALLED},
    {.name = "mdtest-easy-write",
     .test = "mdtest-easy",
     .access = "write",
     .run = run_names,
     .set = IO500_EASY,
     .op = "create",
     .rules = IO500_STONEWALLED},
    {.name = "mdworkbench-create",
     .test = "mdworkbench",
     .access = "create",
     .run = io500_workbench,
     .set = -1,
     .rules = IO500_EXTENDED},
    {.name = "timestamp", .run = run_mark},
    {.name = "find-easy",
     .test = "find-easy",
     .access = "find",
     .run = io500_find,
     .set = IO500_EASY,
     .rules = IO500_EXTENDED},
    {.name = "ior-hard-write",
     .test = "ior-hard",
     .access = "write",
     .run = run_data,
     .set = IO500_HARD,
     .rules = IO500_STONEWALLED},
    {.name = "mdtest-hard-write",
     .test = "mdtest-hard",
     .access = "write",
     .run = run_names,
     .set = IO500_HARD,
     .op = "create",
     .rules = IO500_STONEWALLED},
    {.name = "find",
     .test = "find",
     .access = "find",
     .run = io500_find,
     .set = -1},
    {.name = "find-hard",
     .test = "find-hard",
     .access = "find",
     .run = io500_find,
     .set = IO500_HARD,
     .rules = IO500_EXTENDED},
    {.name = "mdworkbench-bench",
     .test = "mdworkbench",
     .access = "bench",
     .run = io500_workbench,
     .set = -1,
     .rules = IO500_EXTENDED},
    {.name = "ior-easy-read",
     .test = "ior-easy",
     .access = "read",
     .run = run_data,
     .set = IO500_EASY},
    {.name = "mdtest-easy-stat",
     .test = "mdtest-easy",
     .access = "stat",
     .run = run_names,
     .set = IO500_EASY,
     .op = "stat"},
    {.name = "ior-hard-read",
     .test = "ior-hard",
     .access = "read",
     .run = run_data,
     .set = IO500_HARD},
    {.name = "mdtest-hard-stat",
     .test = "mdtest-hard",
     .access = "stat",
     .run = run_names,
     .set = IO500_HARD,
     .op = "stat"},
    {.name = "mdworkbench-delete",
     .test = "mdworkbench",
     .access = "delete",
     .run = io500_workbench,
     .set = -1,
     .rules = IO500_EXTENDED},
    {.name = "mdtest-easy-delete",
     .test = "mdtest-easy",
     .access = "delete",
     .run = run_names,
     .set = IO500_EASY,
     .op = "unlink"},
    {.name = "mdtest-hard-read",
     .test = "mdtest-hard",
     .access = "read",
     .run = run_names,
     .set = IO500_HARD,
     .op = "read"},
    {.name = "mdtest-hard-delete",
     .test = "mdtest-hard",
     .access = "delete",
     .run = run_names,
     .set = IO500_HARD,
     .op = "unlink"},
    {.name = "ior-rnd4K-easy-read",
     .test = "ior-rnd4K",
     .access = "read",
     .run = run_random,
     .set = IO500_EASY,
     .transfer_bytes = 4096,
     .rules = IO500_STONEWALLED | IO500_EXTENDED},
    {.name = "ior-rnd1MB-easy-read",
     .test = "ior-rnd1MB",
     .access = "read",
     .run = run_random,
     .set = IO500_EASY,
     .transfer_bytes = 1 << 20,
     .rules = IO500_STONEWALLED | IO500_EXTENDED},
    {.name = NULL},
};

int io500_begin(struct io500 *io500)
{
    struct pario_run *run = io500->run;
    static const char *const names[] = {"ior-easy", "ior-hard"};
    int code = 0;

    for (int i = 0; code == 0 && i < IO500_SETS; i++) {
        io500->part[i] = (struct pattern_part){
            .run = run,
            .options = &io500->data[i],
            .name = names[i],
            .generation = 1,
        };
        code = pattern_part_begin(&io500->part[i]);
        if (code == 0)
            code = meta_case_begin(run, run->world, &io500->what[i],
                                   &io500->how[i], &io500->worker[i]);
    }
    return code;
}

/* What its members tell apart; sizes that the room has chosen are none of it.
 */
static json_t *parameters_of(const struct io500 *io500,
                             const struct io500_phase *what)
{
    const struct io500_options *options = io500->options;
    json_t *object = json_pack("{s:f}", "stonewall_s", options->stonewall_s);
    int64_t bytes = what->transfer_bytes > 0 ? what->transfer_bytes
                    : what->op == NULL && what->set >= 0
                        ? io500->data[what->set].transfer_bytes
                        : 0;

    if (what->run == run_data || what->run == run_random) {
        json_object_set_new(
            object, "interface",
            json_string(pario_interface_names[options->interface]));
        json_object_set_new(object, "request_bytes", json_integer(bytes));
        if (io500->data[what->set].direct)
            json_object_set_new(object, "direct", json_true());
    } else if (what->run == run_names || what->run == io500_workbench) {
        json_object_set_new(object, "size_bytes",
                            json_integer(what->set >= 0
                                             ? io500->what[what->set].size_bytes
                                             : IO500_HARD_FILE));
    }
    return object;
}

/* GiB/s, or thousands of names per second. */
static double value_of(const struct pario_io500_figure *figure,
                       const struct pario_figures *figures)
{
    if (figures->seconds <= 0)
        return 0;
    return figure->names ? (double)figures->operations / figures->seconds * 1e-3
                         : (double)figures->bytes / figures->seconds / 0x1p30;
}

/* Collective. */
static int record(struct io500 *io500, const struct io500_phase *what,
                  struct pario_phase *phase)
{
    int number = pario_io500_find(what->name, strlen(what->name));
    const struct pario_stonewall *stonewall = io500_stonewall(io500, what);
    struct pario_measure measure = {
        .test = what->test,
        .access = what->access,
        .partition = pario_group_size(io500->run->world),
    };

    if (what->rules & IO500_STONEWALLED &&
        phase->figures.seconds < IO500_LIST_S) {
        pario_figures_unofficial(&phase->figures);
        io500->short_phases += !(what->rules & IO500_EXTENDED);
    }
    measure.parameters = parameters_of(io500, what);
    measure.extra =
        json_pack("{s:o}", "evidence", io500_evidence(io500, what, phase));
    if (stonewall != NULL)
        json_object_set_new(measure.extra, "stonewall",
                            pario_stonewall_json(stonewall));
    io500->values[number] =
        value_of(&pario_io500_figures[number], &phase->figures);
    io500->flags[number] = phase->figures.flags;
    return pario_phase_record(phase, &measure);
}

int io500_run_phases(struct io500 *io500)
{
    int code = 0;

    for (const struct io500_phase *what = io500_phases;
         code == 0 && what->name != NULL; what++) {
        struct pario_phase phase = {.run = io500->run};

        if (what->rules & IO500_EXTENDED && !io500->options->extended)
            continue;
        code = what->run(io500, what, &phase);
        if (code == 0 && what->test != NULL)
            code = record(io500, what, &phase);
    }
    return code;
}

int io500_end(struct io500 *io500, int code)
{
    for (int i = 0; i < IO500_SETS; i++) {
        if (code == 0)
            code = pattern_files_end(&io500->part[i], 1);
        pattern_part_free(&io500->part[i]);
        meta_case_end(io500->worker[i]);
    }
    return code;
}
