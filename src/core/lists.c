/* core/lists.c - several values of one option. */
#include "core/lists.h"

#include <string.h>

#define BLANKS " \t"
#define WORD_LEN 128

/* Takes the first word of *text_p, and what divides it from the next. Returns
 * the word's length; *more_p: there must be another. */
static size_t take_word(const char **text_p, const char **word_p, int *more_p)
{
    const char *word = *text_p + strspn(*text_p, BLANKS);
    size_t len = strcspn(word, BLANKS ",");
    const char *next = word + len + strspn(word + len, BLANKS);

    *more_p = *next != '\0';
    *word_p = word;
    *text_p = *next == ',' ? next + 1 : next;
    return len;
}

struct value {
    int64_t number;
    int choice;
};

static int add_value(const struct pario_option *option, const char *text,
                     size_t len, struct pario_list *list)
{
    struct pario_option one = *option;
    struct value value = {0, 0};
    char word[WORD_LEN], where[WORD_LEN];
    int code;

    one.offset = option->type == PARIO_OPT_CHOICE
                     ? offsetof(struct value, choice)
                     : offsetof(struct value, number);
    snprintf(where, sizeof(where), "--%s", option->name);
    snprintf(word, sizeof(word), "%.*s", (int)len, text);
    if (len >= sizeof(word) || list->count == PARIO_MAX_LIST)
        return pario_fail(PARIO_EUSAGE, "%s: more than %d values, or too long",
                          where, PARIO_MAX_LIST);
    code = pario_option_set_value(&one, &value, word, where);
    if (code == 0)
        list->value[list->count++] = value.number + value.choice;
    return code;
}

int pario_list_parse(const struct pario_option *option, const char *text,
                     struct pario_list *list_p)
{
    struct pario_list list = {.count = 0};
    int code = 0, more = 1;

    while (code == 0 && more) {
        const char *word;
        size_t len = take_word(&text, &word, &more);

        code = add_value(option, word, len, &list);
    }
    if (code == 0)
        *list_p = list;
    return code;
}

int64_t pario_list_largest(const struct pario_list *list)
{
    int64_t most = 0;

    for (size_t i = 0; i < list->count; i++)
        most = list->value[i] > most ? list->value[i] : most;
    return most;
}
