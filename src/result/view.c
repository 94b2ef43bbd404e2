/* result/view.c - how the figures of a document want to be seen. */
#include "result/view.h"

#include "result/value.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_LEN 1024

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

void pario_view_add(struct pario_result *result,
                    const struct pario_view_line *line)
{
    json_t *figures = json_array();
    json_t *object;

    for (int i = 0; i < PARIO_VIEW_CELLS && line->cells[i].name != NULL; i++)
        (void)json_array_append_new(
            figures, json_pack("{s:s, s:s}", "name", line->cells[i].name,
                               "figure", line->cells[i].figure));
    object = json_pack("{s:s, s:o, s:s*}", "label", line->label, "figures",
                       figures, "note", line->note);
    if (result != NULL && object != NULL)
        (void)json_array_append(list_of(result, "answer"), object);
    json_decref(object);
}

void pario_view_set(struct pario_result *result, const struct pario_view *view)
{
    if (result == NULL || view == NULL)
        return;
    (void)json_object_del(pario_result_document(result), "view");
    (void)json_object_set_new(view_of(result), "title",
                              pario_json_text(view->title));
    (void)json_object_set_new(view_of(result), "question",
                              pario_json_text(view->question));
    for (const struct pario_view_line *line = view->lines;
         line != NULL && line->label != NULL; line++)
        pario_view_add(result, line);
}

void pario_view_say(struct pario_result *result, const char *fmt, ...)
{
    char text[TEXT_LEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (result != NULL)
        (void)json_array_append_new(list_of(result, "sentences"),
                                    pario_json_text(text));
}

void pario_view_text(struct pario_result *result, const char *name,
                     const char *fmt, ...)
{
    char text[TEXT_LEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (result != NULL)
        (void)json_object_set_new(view_of(result), name, pario_json_text(text));
}
