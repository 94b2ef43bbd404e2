/* text.h - names of files may hold anything; what a terminal is shown is
 * chosen. */
#ifndef SHIPIO_TEXT_H
#define SHIPIO_TEXT_H

#include <stddef.h>

/* Local. The bytes of the character that the text begins with, if it is UTF-8
 * and no control character, which a terminal would obey; else 0. */
int shipio_text_shown(const char *text);

/* Local. Copies the text, with ? for what is not shown; returns the copy,
 * which is cut off where it has no more room. */
const char *shipio_text_tame(char *copy, size_t len, const char *text);

#endif
