/* suites/iot/apart.c - tests of one name in one file: what tells them apart. */
#include "suites/iot/params.h"

#include <errno.h>
#include <string.h>

static int differ(const char *a, const char *b)
{
    return a != b && (a == NULL || b == NULL || strcmp(a, b) != 0);
}

int iot_tell_apart(struct iot_params *params)
{
    struct iot_test *tests = params->test;

    for (size_t i = 0; i < params->ntests; i++)
        if (tests[i].hints.count > 0) {
            tests[i].hint_text = pario_hints_print(&tests[i].hints);
            if (tests[i].hint_text == NULL)
                return pario_fail_errno(-ENOMEM, "cannot read the parameters");
        }
    for (size_t i = 0; i < params->ntests; i++)
        for (size_t k = 0; k < params->ntests; k++) {
            int files = differ(tests[i].filename, tests[k].filename);
            int hints = differ(tests[i].hint_text, tests[k].hint_text);

            if (tests[i].bench != tests[k].bench)
                continue;
            for (size_t s = 0; s < tests[i].nsets; s++) {
                if (files)
                    tests[i].set[s].filename = tests[i].filename;
                if (hints)
                    tests[i].set[s].hints = tests[i].hint_text;
            }
        }
    return 0;
}
