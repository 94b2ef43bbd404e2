/* trace/type_parse.c - the text of a datatype as a tree. */
#include "trace/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 100
#define MAX_LISTED ((size_t)1 << 23) /* in all lists of a type */
#define MAX_DIMENSIONS 1024

struct text {
    const char *at;
    int depth;
    size_t listed;
    int64_t *work; /* NULL: no limit but MAX_LISTED */
};

static int wrong(void)
{
    return pario_fail(PARIO_EFORMAT, "a datatype of the trace is not one");
}

static int take(struct text *text, char c)
{
    if (*text->at != c)
        return wrong();
    text->at++;
    return 0;
}

static int get_number(struct text *text, int64_t *value_p)
{
    char *end;
    long long value;

    if (*text->at != '-' && (*text->at < '0' || *text->at > '9'))
        return wrong();
    errno = 0;
    value = strtoll(text->at, &end, 10);
    if (end == text->at || errno != 0)
        return wrong();
    text->at = end;
    *value_p = value;
    return 0;
}

static int list_add(struct text *text, struct pario_type_list *list,
                    int64_t value)
{
    int64_t *values = list->values;

    if (++text->listed > MAX_LISTED ||
        (text->work != NULL && --*text->work < 0))
        return wrong();
    if ((list->count & (list->count - 1)) == 0) {
        values = realloc(values, (list->count > 0 ? 2 * list->count : 1) *
                                     sizeof(*values));
        if (values == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read a datatype");
        list->values = values;
    }
    values[list->count++] = value;
    return 0;
}

static int get_list(struct text *text, struct pario_type_list *list)
{
    int code = 0;

    while (code == 0 && *text->at != ';') {
        int64_t value = 0, step = 0, count = 1;

        code = get_number(text, &value);
        if (code == 0 && *text->at == '+') {
            text->at++;
            code = get_number(text, &step);
        }
        if (code == 0 && *text->at == '*') {
            text->at++;
            code = get_number(text, &count);
        }
        for (int64_t i = 0; i < count && code == 0; i++) {
            code = list_add(text, list, value);
            if (__builtin_add_overflow(value, step, &value) && i + 1 < count)
                code = wrong();
        }
        if (code == 0 && *text->at == ',')
            text->at++;
        else
            break;
    }
    return code != 0 ? code : take(text, ';');
}

static int get_type(struct text *text, struct pario_type **type_p);

static int get_part(struct text *text, struct pario_type *type)
{
    struct pario_type *part = NULL;
    struct pario_type **parts;
    int code = get_type(text, &part);

    if (code != 0)
        return code;
    if ((type->nparts & (type->nparts - 1)) == 0) {
        parts = realloc(type->parts, (type->nparts > 0 ? 2 * type->nparts : 1) *
                                         sizeof(struct pario_type *));
        if (parts == NULL) {
            pario_type_destroy(part);
            return pario_fail_errno(-ENOMEM, "cannot read a datatype");
        }
        type->parts = parts;
    }
    type->parts[type->nparts++] = part;
    return 0;
}

/* "n,n,": numbers before a type, or at the end without the last comma. */
static int get_numbers(struct text *text, int64_t **values, int count, int last)
{
    int code = 0;

    for (int i = 0; i < count && code == 0; i++) {
        code = get_number(text, values[i]);
        if (code == 0 && !(last && i == count - 1))
            code = take(text, ',');
    }
    return code;
}

static int get_order(struct text *text, struct pario_type *type)
{
    if (*text->at != 'c' && *text->at != 'f')
        return wrong();
    type->fortran_order = *text->at++ == 'f';
    return take(text, ';');
}

static int get_lists(struct text *text, struct pario_type *type, int count)
{
    int code = 0;

    for (int i = 0; i < count && code == 0; i++)
        code = get_list(text, &type->lists[i]);
    for (int i = 1; i < count && code == 0; i++)
        if (type->lists[i].count != type->lists[0].count)
            code = wrong();
    return code;
}

static int get_array(struct text *text, struct pario_type *type)
{
    int64_t *place[] = {&type->count, &type->blocklength};
    int code = 0;

    if (type->kind == 'd') {
        code = get_numbers(text, place, 2, 1);
        if (code == 0)
            code = take(text, ';');
    }
    if (code == 0)
        code = get_order(text, type);
    if (code == 0)
        code = get_lists(text, type, type->kind == 'd' ? 4 : 3);
    if (code == 0 &&
        (type->lists[0].count == 0 || type->lists[0].count > MAX_DIMENSIONS))
        code = wrong();
    return code != 0 ? code : get_part(text, type);
}

static int get_struct(struct text *text, struct pario_type *type)
{
    int code = get_lists(text, type, 2);

    for (size_t i = 0; i < type->lists[0].count && code == 0; i++) {
        if (i > 0)
            code = take(text, ';');
        if (code == 0)
            code = get_part(text, type);
    }
    return code;
}

static int get_kind(struct text *text, struct pario_type *type)
{
    int64_t *vector[] = {&type->count, &type->blocklength, &type->stride};
    int64_t *resized[] = {&type->lb, &type->extent};
    int64_t *unknown[] = {&type->count, &type->extent};
    int code;

    switch (type->kind) {
    case 'c':
        code = get_numbers(text, vector, 1, 0);
        break;
    case 'v':
        code = get_numbers(text, vector, 3, 0);
        break;
    case 'r':
        code = get_numbers(text, resized, 2, 0);
        break;
    case 'i':
        code = get_lists(text, type, 2);
        break;
    case 's':
        return get_struct(text, type);
    case 'a':
    case 'd':
        return get_array(text, type);
    case 'x':
        return get_numbers(text, unknown, 2, 1);
    default:
        return wrong();
    }
    return code != 0 ? code : get_part(text, type);
}

static int get_type(struct text *text, struct pario_type **type_p)
{
    struct pario_type *type = calloc(1, sizeof(*type));
    int code = 0;

    if (type == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read a datatype");
    if (++text->depth > MAX_DEPTH) {
        code = wrong();
    } else if (*text->at >= '0' && *text->at <= '9') {
        type->kind = 'b';
        code = get_number(text, &type->count);
    } else {
        type->kind = *text->at;
        text->at += *text->at != '\0';
        code = take(text, '(');
        if (code == 0)
            code = get_kind(text, type);
        if (code == 0)
            code = take(text, ')');
    }
    text->depth--;
    if (code == 0 && (type->count < 0 || type->blocklength < 0))
        code = wrong();
    if (code == 0)
        *type_p = type;
    else
        pario_type_destroy(type);
    return code;
}

int pario_type_parse(const char *string, int64_t *work,
                     struct pario_type **type_p)
{
    struct text text = {.at = string, .work = work};
    struct pario_type *type = NULL;
    int code = get_type(&text, &type);

    if (code == 0 && *text.at != '\0') {
        pario_type_destroy(type);
        code = wrong();
    }
    if (code == 0)
        *type_p = type;
    return code;
}

void pario_type_destroy(struct pario_type *type)
{
    if (type == NULL)
        return;
    for (size_t i = 0; i < type->nparts; i++)
        pario_type_destroy(type->parts[i]);
    for (int i = 0; i < 4; i++)
        free(type->lists[i].values);
    free(type->parts);
    free(type);
}
