/* result/identity.c - what a measure is. */
#include "result/identity.h"

#include "result/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Documents of before they said it themselves. */
static const char *const numbering[] = {"repetition", "repeat", "run", "set",
                                        "line"};

/* A parameter that tells repetitions apart, not kinds of measures. */
static int is_numbering(const json_t *view, const char *name)
{
    if (json_is_array(json_object_get(view, "numbering")))
        return pario_view_lists(view, "numbering", name);
    for (size_t i = 0; i < sizeof(numbering) / sizeof(numbering[0]); i++)
        if (strcmp(numbering[i], name) == 0)
            return 1;
    return 0;
}

static int copy_members(json_t *into, const json_t *from, const json_t *view)
{
    void *iter = json_object_iter((json_t *)(uintptr_t)from);

    for (; iter != NULL;
         iter = json_object_iter_next((json_t *)(uintptr_t)from, iter))
        if (!is_numbering(view, json_object_iter_key(iter)) &&
            json_object_set(into, json_object_iter_key(iter),
                            json_object_iter_value(iter)) != 0)
            return -1;
    return 0;
}

/* The name of a side of something that has several: "yproc" for "proc". */
static json_t *side_of(const json_t *identity, char side, const char *thing)
{
    char name[80];

    snprintf(name, sizeof(name), "%c%.70s", side, thing);
    return json_object_get(identity, name);
}

/* The first thing whose sides are given one by one; NULL: there is none. */
static const char *sided_thing(json_t *identity)
{
    const char *name;
    json_t *value;

    json_object_foreach(identity, name, value)
    {
        if (name[0] == 'x' && name[1] != '\0' && json_is_integer(value) &&
            strlen(name) < 70 &&
            json_is_integer(side_of(identity, 'y', name + 1)))
            return name + 1;
    }
    return NULL;
}

/* xproc, yproc, zproc -> proc "2x3x1". */
static int join_sides(json_t *identity)
{
    char thing[80], name[80], text[80];
    const char *found;

    while ((found = sided_thing(identity)) != NULL) {
        size_t used = 0;

        snprintf(thing, sizeof(thing), "%s", found);
        for (const char *side = "xyz"; *side != '\0'; side++) {
            const json_t *value = side_of(identity, *side, thing);

            if (json_is_integer(value))
                used += (size_t)snprintf(
                    text + used, sizeof(text) - used, "%s%" JSON_INTEGER_FORMAT,
                    used > 0 ? "x" : "", json_integer_value(value));
            snprintf(name, sizeof(name), "%c%.70s", *side, thing);
            (void)json_object_del(identity, name);
        }
        if (json_object_set_new(identity, thing, json_string(text)) != 0)
            return -1;
    }
    return 0;
}

json_t *pario_measure_identity(const json_t *measure, const json_t *view)
{
    static const char *const names[] = {"test", "access", "partition"};
    json_t *identity = json_object();
    int bad = identity == NULL;

    for (size_t i = 0; !bad && i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *value = json_object_get(measure, names[i]);

        bad = value != NULL && json_object_set(identity, names[i], value) != 0;
    }
    if (bad ||
        copy_members(identity, json_object_get(measure, "pattern"), view) ||
        copy_members(identity, json_object_get(measure, "parameters"), view) ||
        join_sides(identity)) {
        json_decref(identity);
        return NULL;
    }
    return identity;
}

void pario_identity_share(json_t *shared, const json_t *other)
{
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(shared, next, name, value)
    {
        if (!json_equal(json_object_get(other, name), value))
            (void)json_object_del(shared, name);
    }
}
