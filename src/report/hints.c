/* report/hints.c - hints asked for and in force, set by set, file by file. */
#include "report/hints.h"
#include "report/table_parts.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 3 /* files that are named; the others are counted */
#define TEXT_LEN 512

static json_t *member(const json_t *document, const char *name)
{
    return json_object_get(document, name);
}

size_t pario_hints_sets(const json_t *document, size_t *all_p)
{
    json_t *requested = member(document, "hints_requested"), *value;
    size_t filled = 0, all = 0, flat = 0;
    const char *name;

    json_object_foreach(requested, name, value)
    {
        if (json_is_object(value)) {
            all++;
            filled += json_object_size(value) > 0;
        } else {
            flat = 1;
        }
    }
    *all_p = all + flat;
    return filled + flat;
}

static int add_text(json_t *into, const char *name, const json_t *value)
{
    char *text = pario_value_short(value);
    int bad =
        text == NULL || json_object_set_new(into, name, json_string(text)) != 0;

    free(text);
    return bad;
}

static int add_set(json_t *into, const char *set, json_t *hints, int named)
{
    const char *name;
    json_t *value;
    int bad = 0;

    json_object_foreach(hints, name, value)
    {
        char text[TEXT_LEN];

        snprintf(text, sizeof(text), "%s%s%s", named ? set : "",
                 named ? ": " : "", name);
        bad |= add_text(into, text, value);
    }
    return bad;
}

json_t *pario_hints_requested(const json_t *document)
{
    json_t *requested = member(document, "hints_requested"), *value;
    json_t *flat = json_object();
    const char *name;
    size_t all;
    int bad = flat == NULL;

    (void)pario_hints_sets(document, &all);
    json_object_foreach(requested, name, value)
    {
        bad |= json_is_object(value) ? add_set(flat, name, value, all > 1)
                                     : add_text(flat, name, value);
    }
    if (bad) {
        json_decref(flat);
        return NULL;
    }
    return flat;
}

/* Is this file of another set, whose name is longer ("a", "ab")? */
static int is_of_longer(const json_t *document, const char *file, size_t len)
{
    json_t *requested = member(document, "hints_requested"), *value;
    const char *name;

    json_object_foreach(requested, name, value)
    {
        if (len > 0 && strlen(name) > len &&
            strncmp(file, name, strlen(name)) == 0)
            return 1;
    }
    return 0;
}

/* The files whose hints count for a set: {"type0 write np2": {...}}; a flat
 * list of hints is one file without a name. */
static json_t *files_of(const json_t *document, const char *set)
{
    json_t *in_force = member(document, "hints_in_force"), *value;
    json_t *files = json_object(), *flat = json_object();
    size_t len = strlen(set);
    const char *name;

    json_object_foreach(in_force, name, value)
    {
        if (!json_is_object(value))
            (void)json_object_set(flat, name, value);
        else if (strncmp(name, set, len) == 0 &&
                 !is_of_longer(document, name, len))
            (void)json_object_set(files, name, value);
    }
    if (json_object_size(flat) > 0)
        (void)json_object_set(files, "", flat);
    json_decref(flat);
    return files;
}

/* The files of a hint by its value: {"4": ["type0 write np2"], "": [...]}, ""
 * for those that do not have it. */
static json_t *values_of(json_t *files, const char *hint)
{
    json_t *values = json_object(), *hints;
    const char *file;

    json_object_foreach(files, file, hints)
    {
        char *text = pario_value_short(json_object_get(hints, hint));
        json_t *list = text != NULL ? json_object_get(values, text) : NULL;

        if (text != NULL && list == NULL) {
            (void)json_object_set_new(values, text, json_array());
            list = json_object_get(values, text);
        }
        (void)json_array_append_new(list, json_string(file));
        free(text);
    }
    return values;
}

static void append(char text[TEXT_LEN], const char *word)
{
    size_t used = strlen(text);

    snprintf(text + used, TEXT_LEN - used, "%s", word);
}

/* The set that these files, and no others, are of; NULL: none. */
static const char *set_of(const json_t *document, const json_t *list)
{
    json_t *requested = member(document, "hints_requested"), *value;
    const char *name;

    json_object_foreach(requested, name, value)
    {
        json_t *files = json_is_object(value) ? files_of(document, name) : NULL;
        size_t count = json_object_size(files), i, found = 0;
        const json_t *file;

        json_array_foreach(list, i, file)
        {
            found += json_object_get(files, json_string_value(file)) != NULL;
        }
        json_decref(files);
        if (count > 0 && found == count && count == json_array_size(list))
            return name;
    }
    return NULL;
}

/* "type0 write np2, type1 write np2 and 9 more", or the set's name. */
static void name_files(const json_t *document, const json_t *list,
                       char text[TEXT_LEN])
{
    const char *set = set_of(document, list);
    size_t count = json_array_size(list);
    char more[40];

    if (set != NULL) {
        append(text, set);
        return;
    }
    for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
        append(text, i > 0 ? ", " : "");
        append(text, json_string_value(json_array_get(list, i)));
    }
    if (count > MOST_NAMED) {
        snprintf(more, sizeof(more), " and %zu more", count - MOST_NAMED);
        append(text, more);
    }
}

/* "4", or "4 (FILES), 2 (FILES)"; the value `but` is left out. */
static void tell_values(const json_t *document, json_t *values, const char *but,
                        char text[TEXT_LEN])
{
    int several = json_object_size(values) > 1, begun = 0;
    const char *value;
    json_t *list;

    text[0] = '\0';
    json_object_foreach(values, value, list)
    {
        if (value[0] == '\0' || strcmp(value, but) == 0)
            continue;
        append(text, begun ? ", " : "");
        append(text, value);
        begun = 1;
        if (several) {
            append(text, " (");
            name_files(document, list, text);
            append(text, ")");
        }
    }
}

json_t *pario_hints_in_force(const json_t *document)
{
    json_t *files = files_of(document, ""), *flat = json_object(), *hints;
    const char *file, *name;
    json_t *value;

    json_object_foreach(files, file, hints)
    {
        json_object_foreach(hints, name, value)
        {
            char text[TEXT_LEN];
            json_t *values;

            if (json_object_get(flat, name) != NULL)
                continue;
            values = values_of(files, name);
            tell_values(document, values, "", text);
            (void)json_object_set_new(flat, name, json_string(text));
            json_decref(values);
        }
    }
    json_decref(files);
    return flat;
}

/* What became of a hint in the files of its set: "" when it is in force. A
 * hint for some files only ("type 0: cb_nodes") is when one of them has it. */
static void tell_fate(const json_t *document, const char *set, const char *name,
                      const char *asked, char text[TEXT_LEN])
{
    const char *colon = strstr(name, ": ");
    json_t *files = files_of(document, set);
    json_t *values = values_of(files, colon != NULL ? colon + 2 : name);
    const json_t *good = json_object_get(values, asked);
    const json_t *none = json_object_get(values, "");
    size_t others = json_object_size(values) - (good != NULL) - (none != NULL);
    char told[TEXT_LEN];

    text[0] = '\0';
    if (good == NULL && others == 0) {
        append(text, "(not in force)");
    } else if (colon == NULL || good == NULL) {
        tell_values(document, values, asked, told);
        if (others > 0) {
            append(text, "(in force: ");
            append(text, told);
        }
        if (none != NULL) {
            append(text, others > 0 ? "; not in " : "(not in ");
            name_files(document, none, text);
        }
        append(text, text[0] != '\0' ? ")" : "");
    }
    json_decref(values);
    json_decref(files);
}

static int add_words(json_t *words, const json_t *document, const char *set,
                     json_t *hints, int named)
{
    const char *name;
    json_t *value;
    int bad = 0;

    json_object_foreach(hints, name, value)
    {
        char *asked = pario_value_short(value), fate[TEXT_LEN];

        if (asked == NULL)
            return -1;
        tell_fate(document, named ? set : "", name, asked, fate);
        bad |= json_array_append_new(
            words, json_sprintf("%s%s%s=%s%s", named ? set : "",
                                named ? ": " : "", name, asked, fate));
        free(asked);
    }
    return bad;
}

json_t *pario_hints_words(const json_t *document)
{
    json_t *requested = member(document, "hints_requested"), *value;
    json_t *words = json_array(), *flat = json_object();
    const char *name;
    size_t all;
    int bad = words == NULL || flat == NULL;

    (void)pario_hints_sets(document, &all);
    json_object_foreach(requested, name, value)
    {
        if (json_is_object(value))
            bad |= add_words(words, document, name, value, all > 1);
        else
            bad |= json_object_set(flat, name, value);
    }
    bad |= add_words(words, document, "", flat, 0);
    json_decref(flat);
    if (bad) {
        json_decref(words);
        return NULL;
    }
    return words;
}
