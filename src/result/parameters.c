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

json_t *pario_parameters(const struct pario_field *fields, unsigned abilities,
                         const void *values)
{
    json_t *object = json_object();

    if (object != NULL &&
        pario_parameters_set(object, fields, abilities, values) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *pario_parameters_hints(const struct pario_hints *hints)
{
    json_t *object = json_object();

    for (size_t i = 0; i < hints->count; i++)
        (void)json_object_set_new(object, hints->hint[i].key,
                                  pario_json_text(hints->hint[i].value));
    return object;
}
