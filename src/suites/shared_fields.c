/* suites/shared_fields.c - numbers of processes. */
#include "suites/shared_fields.h"

int pario_shared_partitions(const struct pario_group *world, const char *text,
                            struct pario_list *list_p)
{
    static const struct pario_option partition = {.name = "partitions",
                                                  .type = PARIO_OPT_INT};
    int size = pario_group_size(world);
    int code = pario_list_parse(&partition, text, list_p);

    for (size_t i = 0; code == 0 && i < list_p->count; i++)
        if (list_p->value[i] < 1 || list_p->value[i] > size)
            code = pario_fail(PARIO_EUSAGE,
                              "a partition of %lld processes does not fit in a "
                              "run of %d (start more with -n)",
                              (long long)list_p->value[i], size);
    return code;
}
