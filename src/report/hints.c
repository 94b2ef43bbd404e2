/* report/hints.c - hints asked for and in force, set by set, file by file. */
#include "report/hints.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED 3 /* files that are named; the others are counted */
#define TEXT_LEN 512
#define MAX_SET_NAME 256

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

/* Which files there are and what their hints are worth, found in one pass: a
 * document may have thousands of either. */
struct hints {
    json_t *owner;  /* {"type0 write np2": "set"}, "": of no set */
    json_t *files;  /* {"set": ["type0 write np2"]}, "": all of them */
    json_t *values; /* {"set": {"cb_nodes": {"4": ["type0 write np2"]}}} */
};

/* The set with the longest name that the file's begins with, or "". */
static const char *owner_of(const json_t *requested, const char *file)
{
    size_t len = strnlen(file, MAX_SET_NAME);
    char name[MAX_SET_NAME + 1];

    memcpy(name, file, len);
    for (; len > 0; len--) {
        void *found;

        name[len] = '\0';
        found = json_object_iter_at((json_t *)(uintptr_t)requested, name);
        if (found != NULL)
            return json_object_iter_key(found);
    }
    return "";
}

/* The member of an object, made where it is not there yet. */
static json_t *member_made(json_t *object, const char *name,
                           json_t *(*make)(void))
{
    json_t *value = json_object_get(object, name);

    if (value == NULL) {
        (void)json_object_set_new(object, name, make());
        value = json_object_get(object, name);
    }
    return value;
}

static void note_values(struct hints *index, const char *set, const char *file,
                        json_t *hints)
{
    json_t *of_set = member_made(index->values, set, json_object), *value;
    const char *name;

    (void)json_array_append_new(member_made(index->files, set, json_array),
                                json_string(file));
    json_object_foreach(hints, name, value)
    {
        char *text = pario_value_short(value);

        if (text != NULL && text[0] != '\0')
            (void)json_array_append_new(
                member_made(member_made(of_set, name, json_object), text,
                            json_array),
                json_string(file));
        free(text);
    }
}

static void note_file(struct hints *index, const json_t *requested,
                      const char *file, json_t *hints)
{
    const char *set = owner_of(requested, file);

    (void)json_object_set_new(index->owner, file, json_string(set));
    note_values(index, "", file, hints);
    if (set[0] != '\0')
        note_values(index, set, file, hints);
}

/* A flat list of hints is one file without a name. */
static void index_init(struct hints *index, const json_t *document)
{
    const json_t *requested = member(document, "hints_requested");
    json_t *in_force = member(document, "hints_in_force"), *value;
    json_t *flat = json_object();
    const char *name;

    *index = (struct hints){json_object(), json_object(), json_object()};
    json_object_foreach(in_force, name, value)
    {
        if (json_is_object(value))
            note_file(index, requested, name, value);
        else
            (void)json_object_set(flat, name, value);
    }
    if (json_object_size(flat) > 0)
        note_file(index, requested, "", flat);
    json_decref(flat);
}

static void index_fini(struct hints *index)
{
    json_decref(index->owner);
    json_decref(index->files);
    json_decref(index->values);
}

static size_t count_files(const struct hints *index, const char *set)
{
    return json_array_size(json_object_get(index->files, set));
}

static const char *owner_at(const struct hints *index, const json_t *list,
                            size_t at)
{
    const char *file = json_string_value(json_array_get(list, at));

    return pario_text_of(index->owner, file, NULL);
}

static void append(char text[TEXT_LEN], const char *word)
{
    size_t used = strlen(text);

    snprintf(text + used, TEXT_LEN - used, "%s", word);
}

/* The set that these files, and no others, are of; NULL: none. */
static const char *set_of(const struct hints *index, const json_t *list)
{
    const char *set = owner_at(index, list, 0);
    size_t count = json_array_size(list);

    if (set == NULL || set[0] == '\0' || count != count_files(index, set))
        return NULL;
    for (size_t i = 1; i < count; i++)
        if (strcmp(owner_at(index, list, i), set) != 0)
            return NULL;
    return set;
}

/* "type0 write np2, type1 write np2 and 9 more": the first of so many. */
static void name_first(const json_t *list, size_t count, char text[TEXT_LEN])
{
    char more[40];

    for (size_t i = 0; i < count && i < MAX_NAMED; i++) {
        append(text, i > 0 ? ", " : "");
        append(text, json_string_value(json_array_get(list, i)));
    }
    if (count > MAX_NAMED) {
        snprintf(more, sizeof(more), " and %zu more", count - MAX_NAMED);
        append(text, more);
    }
}

static void name_files(const struct hints *index, const json_t *list,
                       char text[TEXT_LEN])
{
    const char *set = set_of(index, list);

    if (set != NULL)
        append(text, set);
    else
        name_first(list, json_array_size(list), text);
}

/* The files of a hint: {"4": ["type0 write np2"]}. Returns how many have it. */
static size_t values_of(const struct hints *index, const char *set,
                        const char *hint, json_t **values_p)
{
    json_t *values = json_object_get(json_object_get(index->values, set), hint);
    const char *value;
    json_t *list;
    size_t have = 0;

    json_object_foreach(values, value, list)
    {
        have += json_array_size(list);
    }
    *values_p = values;
    return have;
}

/* "4", or "4 (FILES), 2 (FILES)"; the value `but` is left out. several: files
 * differ in it. */
static void tell_values(const struct hints *index, json_t *values, int several,
                        const char *but, char text[TEXT_LEN])
{
    int begun = 0;
    const char *value;
    json_t *list;

    text[0] = '\0';
    json_object_foreach(values, value, list)
    {
        if (strcmp(value, but) == 0)
            continue;
        append(text, begun ? ", " : "");
        append(text, value);
        begun = 1;
        if (several) {
            append(text, " (");
            name_files(index, list, text);
            append(text, ")");
        }
    }
}

json_t *pario_hints_in_force(const json_t *document)
{
    struct hints index;
    json_t *flat = json_object(), *values, *all;
    const char *name;

    index_init(&index, document);
    all = json_object_get(index.values, "");
    json_object_foreach(all, name, values)
    {
        size_t have = values_of(&index, "", name, &values);
        char text[TEXT_LEN];

        tell_values(&index, values,
                    json_object_size(values) > 1 ||
                        have < count_files(&index, ""),
                    "", text);
        (void)json_object_set_new(flat, name, json_string(text));
    }
    index_fini(&index);
    return flat;
}

/* The files of a set that lack a hint which `have` of them have. No more are
 * looked at than have it and are named. */
static void name_lacking(const struct hints *index, const char *set,
                         json_t *values, size_t have, char text[TEXT_LEN])
{
    const json_t *files = json_object_get(index->files, set), *file;
    size_t lacking = json_array_size(files) - have, at, i;
    json_t *with = json_object(), *first = json_array(), *list;
    const char *value, *owner;
    size_t of_owner = 0;

    json_object_foreach(values, value, list)
    {
        json_array_foreach(list, i, file)
        {
            (void)json_object_set_new(with, json_string_value(file),
                                      json_true());
        }
    }
    json_array_foreach(files, at, file)
    {
        if (json_array_size(first) == MAX_NAMED)
            break;
        if (json_object_get(with, json_string_value(file)) == NULL)
            (void)json_array_append(first, (json_t *)(uintptr_t)file);
    }
    /* All files of one set, and no others? */
    owner = owner_at(index, first, 0);
    json_object_foreach(with, value, list)
    {
        of_owner +=
            owner != NULL &&
            strcmp(owner, pario_text_of(index->owner, value, NULL)) == 0;
    }
    if (owner != NULL && owner[0] != '\0' && of_owner == 0 &&
        lacking == count_files(index, owner))
        append(text, owner);
    else
        name_first(first, lacking, text);
    json_decref(with);
    json_decref(first);
}

/* What became of a hint in the files of its set: "" when it is in force. A
 * hint for some files only ("type 0: cb_nodes") is when one of them has it. */
static void tell_fate(const struct hints *index, const char *set,
                      const char *name, const char *asked, char text[TEXT_LEN])
{
    const char *colon = strstr(name, ": ");
    json_t *values;
    size_t have =
        values_of(index, set, colon != NULL ? colon + 2 : name, &values);
    const json_t *good = json_object_get(values, asked);
    size_t others = json_object_size(values) - (good != NULL);
    int lacking = have < count_files(index, set);
    char others_text[TEXT_LEN];

    text[0] = '\0';
    if (good == NULL && others == 0) {
        append(text, "(not in force)");
    } else if (colon == NULL || good == NULL) {
        tell_values(index, values, lacking || json_object_size(values) > 1,
                    asked, others_text);
        if (others > 0) {
            append(text, "(in force: ");
            append(text, others_text);
        }
        if (lacking) {
            append(text, others > 0 ? "; not in " : "(not in ");
            name_lacking(index, set, values, have, text);
        }
        append(text, text[0] != '\0' ? ")" : "");
    }
}

static int add_words(json_t *words, const struct hints *index, const char *set,
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
        tell_fate(index, named ? set : "", name, asked, fate);
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
    struct hints index;
    size_t all;
    int bad = words == NULL || flat == NULL;

    index_init(&index, document);
    (void)pario_hints_sets(document, &all);
    json_object_foreach(requested, name, value)
    {
        if (json_is_object(value))
            bad |= add_words(words, &index, name, value, all > 1);
        else
            bad |= json_object_set(flat, name, value);
    }
    bad |= add_words(words, &index, "", flat, 0);
    index_fini(&index);
    json_decref(flat);
    if (bad) {
        json_decref(words);
        return NULL;
    }
    return words;
}
