/* report/measures_names.c - what tells measures apart, in plain words. */
#include "report/measures_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
#include "result/view.h"
#include <stdlib.h>
#include <string.h>

#define NAME_LEN PARIO_NAME_LEN
#define WORDS_LEN ((size_t)2 * NAME_LEN)

void pario_series_word(char name[NAME_LEN], const char *gap, const char *word)
{
    size_t used = strlen(name);

    snprintf(name + used, NAME_LEN - used, "%s%s",
             used > 0 && word[0] != '\0' ? gap : "", word);
}

char *pario_series_plain(const struct pario_row *row, const char *member,
                         char name[NAME_LEN])
{
    const char *own = pario_view_find(row->view, "axes", member, "name");

    if (own != NULL)
        snprintf(name, NAME_LEN, "%s", own);
    else if (strcmp(member, "partition") == 0)
        snprintf(name, NAME_LEN, "processes");
    else
        (void)pario_quantity_name(member, name, NAME_LEN);
    return name;
}

/* "queue depth 4", "request size 4 KiB", "4 processes". */
static void number_words(const struct pario_row *row, const char *member,
                         const json_t *value, char text[WORDS_LEN])
{
    char name[NAME_LEN], number[PARIO_QUANTITY_LEN];

    if (json_is_integer(value) && pario_quantity_unit(member)[0] == '\0')
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    else
        (void)pario_quantity_print(member, value, number);
    if (strcmp(member, "partition") == 0)
        snprintf(text, WORDS_LEN, "%s process%s", number,
                 json_integer_value(value) == 1 ? "" : "es");
    else
        snprintf(text, WORDS_LEN, "%s %s",
                 pario_series_plain(row, member, name), number);
}

void pario_series_member(char name[NAME_LEN], const char *gap,
                         const struct pario_row *row, const char *member)
{
    const json_t *value = json_object_get(row->identity, member);
    const char *own = json_string_value(value);
    char text[WORDS_LEN] = "", *dump;

    if (own != NULL && strcmp(member, "test") == 0 &&
        pario_view_find(row->view, "tests", own, "name") != NULL)
        own = pario_view_find(row->view, "tests", own, "name");
    if (own != NULL) {
        snprintf(text, sizeof(text), "%s", own);
    } else if (json_is_number(value)) {
        number_words(row, member, value, text);
    } else if (json_is_boolean(value)) {
        char plain[NAME_LEN];

        snprintf(text, sizeof(text), "%s%s", json_is_true(value) ? "" : "not ",
                 pario_series_plain(row, member, plain));
    } else if (value != NULL) {
        dump = pario_value_short(value);
        snprintf(text, sizeof(text), "%s", dump != NULL ? dump : "?");
        free(dump);
    }
    pario_series_word(name, gap, text);
}

char *pario_access_words(const char *access, char text[NAME_LEN])
{
    text[0] = '\0';
    if (access != NULL && access[0] != '\0') {
        (void)pario_quantity_name(access, text, NAME_LEN - 2);
        memcpy(text + strlen(text), ", ", sizeof(", "));
    }
    return text;
}

char *pario_members_plain(const json_t *view, json_t *object,
                          const json_t *without)
{
    struct pario_row named = {.view = view, .identity = object};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *name, *gap = "";
    const json_t *value;

    if (out == NULL)
        return NULL;
    json_object_foreach(object, name, value)
    {
        char words[PARIO_NAME_LEN] = "", plain[PARIO_NAME_LEN] = "";

        if (json_object_get(without, name) != NULL)
            continue;
        /* A text alone does not say what it is of: "sync end". */
        if (json_is_string(value))
            (void)pario_series_plain(&named, name, plain);
        pario_series_member(words, "", &named, name);
        fprintf(out, "%s%s%s%s", gap, plain, plain[0] != '\0' ? " " : "",
                words);
        gap = ", ";
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
