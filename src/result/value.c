/* result/value.c - JSON values that jansson would otherwise refuse. */
#include "result/value.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *pario_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *pario_json_text(const char *text)
{
    char *copy, *to;
    json_t *value;

    if (text == NULL)
        return json_null();
    if (pario_utf8_valid(text))
        return json_string(text);
    copy = to = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
    if (copy == NULL)
        return NULL;
    while (*text != '\0') {
        int length = pario_utf8_length(text);

        if (length > 0) {
            memcpy(to, text, (size_t)length);
            to += length;
            text += length;
        } else {
            memcpy(to, REPLACEMENT, strlen(REPLACEMENT));
            to += strlen(REPLACEMENT);
            text++;
        }
    }
    *to = '\0';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *pario_json_words(int argc, char *const *argv)
{
    json_t *words = json_array();

    if (words == NULL)
        return NULL;
    for (int i = 0; i < argc; i++) {
        if (json_array_append_new(words, pario_json_text(argv[i])) != 0) {
            json_decref(words);
            return NULL;
        }
    }
    return words;
}

int pario_json_contains(const json_t *list, const json_t *value)
{
    const json_t *element;
    size_t i;

    json_array_foreach(list, i, element)
    {
        if (json_equal(element, value))
            return 1;
    }
    return 0;
}
