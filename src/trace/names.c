/* trace/names.c - a table that grows with the names in it. */
#include "trace/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot read a trace");
}

/* Begins with a number that whoever wrote the trace does not know. */
static uint64_t hash(const struct pario_names *names, const char *text, int tag)
{
    uint64_t value = 0xcbf29ce484222325u ^ (uint64_t)(uintptr_t)names;

    value = (value ^ (uint64_t)tag) * 0x100000001b3u;
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 0x100000001b3u;
    return value >> 24;
}

/* The slot of a name, or the free one where it belongs. */
static size_t *find_slot(const struct pario_names *names, const char *text,
                         int tag)
{
    size_t at = (size_t)hash(names, text, tag) & (names->nslots - 1);

    for (; names->slots[at] != 0; at = (at + 1) & (names->nslots - 1)) {
        const struct pario_name *name = &names->names[names->slots[at] - 1];

        if (name->tag == tag && strcmp(name->text, text) == 0)
            break;
    }
    return &names->slots[at];
}

/* Room for one more; at most half of the slots are used. */
static int grow(struct pario_names *names)
{
    size_t room = names->room > 0 ? 2 * names->room : 16;
    struct pario_name *more;
    size_t *slots;

    if (names->count < names->room)
        return 0;
    more = realloc(names->names, room * sizeof(*more));
    if (more == NULL)
        return no_memory();
    names->names = more;
    slots = calloc(2 * room, sizeof(*slots));
    if (slots == NULL)
        return no_memory();
    free(names->slots);
    names->slots = slots;
    names->nslots = 2 * room;
    names->room = room;
    for (size_t i = 0; i < names->count; i++)
        *find_slot(names, more[i].text, more[i].tag) = i + 1;
    return 0;
}

int pario_names_find(struct pario_names *names, const char *text, int tag,
                     size_t *number_p)
{
    size_t place =
        ((uintptr_t)text / 16 + (size_t)tag * 37) % PARIO_NAMES_RECENT;
    size_t *slot;
    int code;

    if (names->recent[place].name.text == text &&
        names->recent[place].name.tag == tag) {
        *number_p = names->recent[place].number;
        return 0;
    }
    code = grow(names);
    if (code != 0)
        return code;
    slot = find_slot(names, text, tag);
    if (*slot == 0) {
        names->names[names->count] = (struct pario_name){text, tag};
        *slot = ++names->count;
    }
    names->recent[place].name = (struct pario_name){text, tag};
    names->recent[place].number = *slot - 1;
    *number_p = *slot - 1;
    return 0;
}

void pario_names_fini(struct pario_names *names)
{
    free(names->names);
    free(names->slots);
    memset(names, 0, sizeof(*names));
}
