/* Any bytes as a workload of PRIOmark: read, checked, and its cases walked
 * without a fault. */
#include "fuzz/fuzz.h"
#include "suites/prio/workload.h"

#define MAX_CASES 1000

extern const struct prio_bench prio_bench_common_file;
extern const struct prio_bench prio_bench_strided;
extern const struct prio_bench prio_bench_async;
extern const struct prio_bench prio_bench_single_file;
extern const struct prio_bench prio_bench_raw;

static int count(void *context, const struct prio_section *section,
                 const struct prio_case *what)
{
    int *left = context;

    (void)section;
    (void)what;
    return --*left > 0 ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct prio_bench *const benches[] = {
        &prio_bench_common_file, &prio_bench_strided, &prio_bench_async,
        &prio_bench_single_file, &prio_bench_raw,     NULL};
    struct prio_workload *workload;

    if (prio_workload_read(pario_fuzz_file(data, len), benches, 1, NULL,
                           &workload) != 0)
        return 0;
    if (prio_workload_check(workload, 4) == 0)
        for (int i = 0; i < workload->nsections; i++) {
            int left = MAX_CASES;

            (void)!prio_section_each(workload, &workload->section[i], 4, count,
                                     &left);
        }
    prio_workload_destroy(workload);
    return 0;
}
