/* Any bytes as a file of hints: read, and given to every file that b_eff_io
 * opens, without a fault. */
#include "fuzz/fuzz.h"
#include "suites/beffio/hintset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct beffio_hintset *set;
    struct pario_hints hints = {0};
    int found = 0;

    if (beffio_hintset_read(pario_fuzz_file(data, len), 1, &set) != 0)
        return 0;
    (void)!beffio_hintset_list(set, &hints);
    (void)!beffio_hintset_open(set, 0, 0, &hints);
    (void)!beffio_hintset_chunk(set, 0, 0, 1024, &hints, &found);
    pario_hints_fini(&hints);
    beffio_hintset_destroy(set);
    return 0;
}
