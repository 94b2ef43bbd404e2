/* Any bytes as a keyword file (--config) for the options of every suite:
 * refused or taken without a fault. */
#include "core/keyfile.h"
#include "fuzz/fuzz.h"
#include "suites/common.h"
#include "suites/suite.h"

#include <stdlib.h>
#include <string.h>

static void give(const struct pario_suite *suite,
                 const struct pario_keyfile *file)
{
    struct pario_common common = pario_common_defaults;
    void *values = malloc(suite->options_size + 1);
    struct pario_option_set sets[] = {{pario_common_options, &common},
                                      {suite->options, values},
                                      {NULL, NULL}};

    if (values == NULL)
        abort();
    memcpy(values, suite->defaults, suite->options_size);
    (void)!pario_options_from_keyfile(sets, file, suite->name);
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pario_keyfile *file;

    if (pario_keyfile_read(pario_fuzz_file(data, len), NULL, &file) != 0)
        return 0;
    for (int i = 0; pario_suites[i] != NULL; i++)
        if (pario_suites[i]->options != NULL &&
            pario_suites[i]->options_size > 0)
            give(pario_suites[i], file);
    pario_keyfile_destroy(file);
    return 0;
}
