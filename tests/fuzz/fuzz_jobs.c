/* Any bytes as a job file of fio and as a script of IOR: read, and each case
 * checked, without a fault. */
#include "fuzz/fuzz.h"
#include "suites/pattern/pattern.h"

#define PROCESSES 4

static void load(const struct pattern_options *options)
{
    struct pattern_cases cases = {.count = 0};

    if (pattern_cases_load(options, PROCESSES, &cases) == 0)
        for (size_t i = 0; i < cases.count; i++)
            (void)!pattern_check(&cases.list[i], PROCESSES);
    pattern_cases_free(&cases);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pattern_options fio = pattern_defaults, ior = pattern_defaults;

    fio.fio = ior.script = pario_fuzz_file(data, len);
    load(&fio);
    load(&ior);
    return 0;
}
