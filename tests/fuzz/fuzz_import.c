/* Any bytes as the text of strace, darshan-dxt-parser and recorder2text: read,
 * written as a trace, and that profiled, without a fault. */
#include "fuzz/fuzz.h"
#include "trace/heat.h"
#include "trace/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const kinds[] = {"strace", "darshan-dxt-text",
                                        "recorder-text"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct pario_trace *trace = NULL;
        struct pario_profile profile;

        if (pario_trace_import(kinds[i], pario_fuzz_file(data, len), &trace) !=
            0)
            continue;
        if (pario_profile_init(&profile, trace) == 0) {
            struct pario_heat heat;

            if (pario_heat_init(&heat, trace, &profile) == 0)
                pario_heat_fini(&heat);
            pario_profile_fini(&profile);
        }
        pario_trace_close(trace);
    }
    return 0;
}
