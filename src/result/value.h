/* result/value.h - JSON values that jansson would otherwise refuse (new
 * references, NULL when memory is short), and members read in one word. Local.
 */
#ifndef PARIO_RESULT_VALUE_H
#define PARIO_RESULT_VALUE_H

#include <jansson.h>

/* null where value is not finite: NaN and infinity are not JSON. */
json_t *pario_json_real(double value);

/* text as UTF-8: each byte that is not part of a valid sequence becomes
 * U+FFFD. NULL text gives null. */
json_t *pario_json_text(const char *text);

/* The words of a command line as an array of texts. */
json_t *pario_json_words(int argc, char *const *argv);

/* Whether value is one of the elements of list. */
int pario_json_contains(const json_t *list, const json_t *value);

/* What an object says: 0, or what stands for nothing, where it has no such
 * member, or one of another kind. */
static inline double pario_number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}
static inline json_int_t pario_integer_of(const json_t *object,
                                          const char *name)
{
    return json_integer_value(json_object_get(object, name));
}
static inline const char *pario_text_of(const json_t *object, const char *name,
                                        const char *nothing)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : nothing;
}

#endif
