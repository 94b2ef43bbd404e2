/* result/parameters.c - a table of fields as JSON. */
#include "result/parameters.h"

#include "result/value.h"

int pario_parameters_set(json_t *object, const struct pario_field *fields,
                         unsigned abilities, const void *values)
{
    for (; fields->name != NULL; fields++) {
        const char *text;
        int64_t whole;
        double real;
        json_t *value;

        if (!pario_field_is_written(fields, abilities, values))
            continue;
        switch (pario_field_value(fields, values, &whole, &real, &text)) {
        case -1:
            value = pario_json_text(text);
            break;
        case 1:
            value = pario_json_real(real);
            break;
        default:
            value = fields->type == PARIO_OPT_FLAG ? json_boolean(whole)
                                                   : json_integer(whole);
        }
        if (json_object_set_new(object, pario_field_member(fields), value) != 0)
            return -1;
    }
    return 0;
}
