/* Any bytes as a parameter file of the test suite: read without a fault. */
#include "fuzz/fuzz.h"
#include "suites/iot/params.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct iot_errors errors = {.path = "fuzz"};
    struct iot_params params = {.ntests = 0};
    char *text = malloc(len + 1);

    if (text == NULL)
        abort();
    memcpy(text, data, len);
    text[len] = '\0';
    (void)!iot_params_read(text, 4, 0, &errors, &params);
    iot_params_fini(&params);
    iot_errors_fini(&errors);
    free(text);
    return 0;
}
