/* result/view.c - how the figures of a document want to be seen. */
#include "result/view.h"

#include "result/flags.h"
#include "result/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_LEN 1024
#define LONG_TEXT_LEN 8192 /* with names of files */
#define MAX_ENTRIES 200    /* of a table that are looked at */

/* Its view, made where there is none yet; borrowed. */
static json_t *view_of(struct pario_result *result)
{
    json_t *document = pario_result_document(result);
    json_t *view = json_object_get(document, "view");

    if (json_is_object(view))
        return view;
    (void)json_object_set_new(document, "view", json_object());
    return json_object_get(document, "view");
}

static json_t *list_of(struct pario_result *result, const char *name)
{
    json_t *view = view_of(result);
    json_t *list = json_object_get(view, name);

    if (json_is_array(list))
        return list;
    (void)json_object_set_new(view, name, json_array());
    return json_object_get(view, name);
}

static json_t *line_json(const struct pario_view_line *line)
{
    json_t *figures = json_array();

    for (int i = 0; i < PARIO_VIEW_CELLS && line->cells[i].name != NULL; i++)
        (void)json_array_append_new(
            figures, json_pack("{s:s, s:s}", "name", line->cells[i].name,
                               "figure", line->cells[i].figure));
    return json_pack("{s:s, s:o, s:s*}", "label", line->label, "figures",
                     figures, "note", line->note);
}

void pario_view_add(struct pario_result *result,
                    const struct pario_view_line *line)
{
    if (result != NULL)
        (void)json_array_append_new(list_of(result, "answer"), line_json(line));
}

void pario_view_clear(struct pario_result *result)
{
    if (result != NULL)
        (void)json_array_clear(list_of(result, "answer"));
}

static json_t *names_json(const struct pario_view_name *names)
{
    json_t *list = json_array();

    for (; names->key != NULL; names++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s*}", "key", names->key, "name",
                            names->name, "only", names->only));
    return list;
}

static json_t *tests_json(const struct pario_view_test *tests)
{
    json_t *list = json_array();

    for (; tests->test != NULL; tests++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s*, s:s*, s:s*}", "key", tests->test,
                            "name", tests->name, "figure", tests->figure,
                            "apart", tests->apart));
    return list;
}

/* "U L_bytes" as a list. */
static json_t *words_json(const char *words)
{
    json_t *list = json_array();

    while (*words != '\0') {
        size_t len = strcspn(words, " ");

        (void)json_array_append_new(list, json_stringn(words, len));
        words += len + strspn(words + len, " ");
    }
    return list;
}

static json_t *lines_json(const struct pario_view_line *line)
{
    json_t *list = json_array();

    for (; line->label != NULL; line++)
        (void)json_array_append_new(list, line_json(line));
    return list;
}

/* Also where there is none: readers need not guess. */
static json_t *numbering_json(const struct pario_field *fields)
{
    json_t *list = json_array();

    for (; fields != NULL && fields->name != NULL; fields++)
        if (fields->rules & PARIO_FIELD_FREE)
            (void)json_array_append_new(
                list, json_string(pario_field_member(fields)));
    return list;
}

json_t *pario_view_json(const struct pario_view *view)
{
    return json_pack(
        "{s:s*, s:s*, s:s*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o}", "title",
        view->title, "question", view->question, "lead", view->lead, "answer",
        view->lines != NULL ? lines_json(view->lines) : NULL, "axes",
        view->axes != NULL ? names_json(view->axes) : NULL, "values",
        view->values != NULL ? names_json(view->values) : NULL, "tests",
        view->tests != NULL ? tests_json(view->tests) : NULL, "beside",
        view->beside != NULL ? words_json(view->beside) : NULL, "details",
        view->details != NULL ? words_json(view->details) : NULL, "numbering",
        numbering_json(view->fields));
}

void pario_view_set(struct pario_result *result, const struct pario_view *view)
{
    if (result != NULL && view != NULL)
        (void)json_object_set_new(pario_result_document(result), "view",
                                  pario_view_json(view));
}

static json_t *point_json(const struct pario_view_point *point)
{
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "series", point->series, "x",
        point->category != NULL ? pario_json_text(point->category)
                                : pario_json_real(point->x),
        "y", pario_json_real(point->y), "low", pario_json_real(point->low),
        "high", pario_json_real(point->high), "flags",
        pario_flags_json(point->flags));
}

void pario_view_draw(struct pario_result *result, const char *title,
                     const char *x, const char *y,
                     const struct pario_view_point *points, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        (void)json_array_append_new(list, point_json(&points[i]));
    if (result != NULL && count > 0)
        (void)json_array_append_new(list_of(result, "pictures"),
                                    json_pack("{s:s, s:s, s:s, s:O}", "title",
                                              title, "x", x, "y", y, "points",
                                              list));
    json_decref(list);
}

const char *pario_view_find(const json_t *view, const char *table,
                            const char *key, const char *field)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(view, table), i, entry)
    {
        const char *own = json_string_value(json_object_get(entry, "key"));

        if (i >= MAX_ENTRIES)
            break;
        if (own != NULL && strcmp(own, key) == 0)
            return json_string_value(json_object_get(entry, field));
    }
    return NULL;
}

int pario_view_lists(const json_t *view, const char *list, const char *word)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(view, list), i, entry)
    {
        if (i >= MAX_ENTRIES)
            break;
        if (json_is_string(entry) &&
            strcmp(json_string_value(entry), word) == 0)
            return 1;
    }
    return 0;
}

/* A sentence that is there already is not said again. len: of the text, with
 * its end. */
static PARIO_PRINTF(4, 0) void add_text(struct pario_result *result,
                                        const char *list, size_t len,
                                        const char *fmt, va_list args)
{
    char text[LONG_TEXT_LEN];
    json_t *entries, *entry;

    vsnprintf(text, len, fmt, args);
    if (result == NULL)
        return;
    entries = list_of(result, list);
    entry = pario_json_text(text);
    if (strcmp(list, "sentences") == 0 && pario_json_contains(entries, entry))
        json_decref(entry);
    else
        (void)json_array_append_new(entries, entry);
}

void pario_view_say(struct pario_result *result, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_text(result, "sentences", TEXT_LEN, fmt, args);
    va_end(args);
}

void pario_view_use(struct pario_result *result, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_text(result, "use", LONG_TEXT_LEN, fmt, args);
    va_end(args);
}

/* The value of "{NAME}" at text; *len_p: of the whole; NULL: there is none. */
static const char *value_at(const char *text, const char *const values[][2],
                            size_t *len_p)
{
    for (size_t i = 0; values[i][0] != NULL; i++) {
        *len_p = strlen(values[i][0]);
        if (strncmp(text, values[i][0], *len_p) == 0)
            return values[i][1];
    }
    return NULL;
}

void pario_view_next(struct pario_result *result, const struct pario_view *view,
                     int processes)
{
    const json_t *system, *details;
    char count[32] = "", text[LONG_TEXT_LEN] = "";
    const char *path;
    size_t used = 0, len;

    if (result == NULL || view == NULL || view->next == NULL ||
        json_object_get(view_of(result), "next") != NULL)
        return;
    system = json_object_get(pario_result_document(result), "system");
    details = json_object_get(system, "filesystem_details");
    path = pario_result_path(result);
    if (processes > 1)
        snprintf(count, sizeof(count), "-n %d ", processes);
    for (const char *at = view->next; *at != '\0' && used < sizeof(text) - 1;
         at += len) {
        const char *value =
            value_at(at,
                     (const char *const[][2]){
                         {"{n}", count},
                         {"{dir}", pario_text_of(details, "target", ".")},
                         {"{file}", path},
                         {NULL, NULL}},
                     &len);

        len = value != NULL ? len : 1;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s",
                                 value != NULL ? LONG_TEXT_LEN : 1,
                                 value != NULL ? value : at);
    }
    pario_view_text(result, "next", "%s", text);
}

void pario_view_text(struct pario_result *result, const char *name,
                     const char *fmt, ...)
{
    char text[LONG_TEXT_LEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (result != NULL)
        (void)json_object_set_new(view_of(result), name, pario_json_text(text));
}
