/* result/value.h - JSON values that jansson would otherwise refuse. Local.
 * All return a new reference, or NULL when memory is short. */
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

/* Is text valid UTF-8 (the strict form: no surrogates, nothing overlong)? */
int pario_utf8_valid(const char *text);

/* Bytes of the valid sequence at text, which ends with NUL; 0: invalid. */
int pario_utf8_length(const char *text);

#endif
