/* core/lists.h - several values of one option: "posix,uring", "2 4 8",
 * "0,4k,1M".
 *
 *   static const struct pario_option partition = {
 *       .name = "partitions", .type = PARIO_OPT_INT, .min = 1, .max = 1000};
 *   code = pario_list_parse(&partition, "2,4", &list);
 */
#ifndef PARIO_CORE_LISTS_H
#define PARIO_CORE_LISTS_H

#include "core/options.h"

#define PARIO_MAX_LIST 128

struct pario_list {
    int64_t value[PARIO_MAX_LIST]; /* of choices: their numbers */
    size_t count;
};

/* Local. Each word is a value of this option, which is a whole number, a size
 * or a choice. A comma with blanks around it, or blanks alone, divide words.
 * PARIO_EUSAGE names the option and the word. */
int pario_list_parse(const struct pario_option *option, const char *text,
                     struct pario_list *list_p) PARIO_MUST_USE;

/* Local. The greatest; 0 of none. */
int64_t pario_list_largest(const struct pario_list *list);

#endif
