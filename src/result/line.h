/* result/line.h - on which line of a JSON text a value stands. Private to
 * src/result. Local. */
#ifndef PARIO_RESULT_LINE_H
#define PARIO_RESULT_LINE_H

#include <stddef.h>

/* The line, from 1, of the value that path ("measures[3].verify.errors")
 * leads to, or of the deepest value on the way that is there. text[len] must
 * be 0 and text valid JSON. */
int pario_json_line(const char *text, size_t len, const char *path);

#endif
