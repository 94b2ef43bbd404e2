/* core/text.h - text of files and names that may hold anything: what of it is
 * UTF-8, and what a terminal may be shown. Local. */
#ifndef PARIO_CORE_TEXT_H
#define PARIO_CORE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Is text valid UTF-8 (the strict form: no surrogates, nothing overlong)? */
int pario_utf8_valid(const char *text);

/* The bytes of the UTF-8 character that text begins with; 0: none. */
int pario_utf8_length(const char *text);

/* The bytes of the character that text, which is not empty, begins with, if a
 * terminal may be shown it. 0: what would move its cursor or rename its window
 * (C0, DEL, C1), a mark that reverses the text after it, or a byte that is no
 * UTF-8, which may be a C1 by itself; *skip_p, which may be NULL, is then how
 * many bytes that takes. */
int pario_text_shown(const char *text, int *skip_p);

/* What may not be shown becomes question marks, but newline and tab. */
void pario_text_tame(char *text);

/* On one line: newline and tab become question marks, too. */
void pario_text_put(FILE *out, const char *text);

/* Columns that it takes on a terminal. */
size_t pario_text_columns(const char *text);

/* Its words on lines of at most PARIO_TEXT_WIDTH columns: the first after
 * `head`, which is printed as it is, later ones after so many blanks. Returns
 * how many lines. */
#define PARIO_TEXT_WIDTH 80
int pario_text_wrap(FILE *out, const char *head, int indent, const char *text);

#endif
