/* trace/places.c - which bytes of which file a call touches: the files that
 * are open, their views and pointers. */
#include "trace/profile.h"
#include "trace/reader_parts.h"
#include "trace/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS 65536
#define MAX_SEGMENTS ((size_t)1 << 21)
#define WORK_PER_BYTE 64
#define LEAST_WORK 256 /* of a type, whatever others have cost */

/* Of a view that nobody can lay out: it is somewhere. */
static const struct pario_layout unknown_view = {.too_many = 1};

/* A datatype by the number of its string, laid out when first used. */
struct type_entry {
    struct pario_layout layout;
    int good;
};

struct open_file {
    const char *path;
    int64_t pointer; /* bytes; in the view's data for MPI */
    int64_t disp, etype;
    const struct pario_layout *view; /* NULL: plain bytes */
    int unknown;                     /* pointer */
};

struct pario_places {
    const struct pario_trace *trace;
    size_t process;
    struct open_file *files;
    size_t nfiles;
    struct type_entry **types; /* by number; owned each: views point to them */
    size_t ntypes;
    struct pario_places_budget *budget;
};

struct pario_places_budget
pario_places_budget_of(const struct pario_trace *trace)
{
    struct pario_places_budget budget = {.work = PARIO_LAYOUT_WORK,
                                         .segments = MAX_SEGMENTS};

    for (size_t i = 0; i < trace->nparts; i++)
        budget.work += WORK_PER_BYTE * (int64_t)trace->parts[i].chunk.len;
    return budget;
}

int pario_places_create(const struct pario_trace *trace, size_t process,
                        struct pario_places_budget *budget,
                        struct pario_places **places_p)
{
    struct pario_places *places = calloc(1, sizeof(*places));

    if (places == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read a trace");
    places->trace = trace;
    places->process = process;
    places->budget = budget;
    *places_p = places;
    return 0;
}

void pario_places_destroy(struct pario_places *places)
{
    if (places == NULL)
        return;
    for (size_t i = 0; i < places->ntypes; i++) {
        if (places->types[i] != NULL) {
            places->budget->segments += places->types[i]->layout.count;
            pario_layout_fini(&places->types[i]->layout);
        }
        free(places->types[i]);
    }
    free(places->types);
    free(places->files);
    free(places);
}

/* A few letters may stand for a million segments: where they are too many to be
 * kept, or others have cost too much before, the size and the bounds of the
 * type are still right. */
static int lay_out(struct pario_places *places, const char *text,
                   struct pario_layout *layout)
{
    struct pario_places_budget *budget = places->budget;
    int64_t least = LEAST_WORK;
    int64_t *work = budget->work > least ? &budget->work : &least;
    struct pario_type *type = NULL;
    int code = pario_type_parse(text, work, &type);

    if (code == 0)
        code = pario_type_layout(type, work, layout);
    pario_type_destroy(type);
    if (code != 0)
        return code;
    if (layout->count > budget->segments) {
        free(layout->segments);
        layout->segments = NULL;
        layout->count = 0;
        layout->too_many = 1;
    }
    budget->segments -= layout->count;
    return 0;
}

static const struct pario_layout *find_type(struct pario_places *places,
                                            int64_t number)
{
    size_t count = pario_trace_strings(places->trace, places->process);
    struct type_entry *entry;

    if (number < 0 || (size_t)number >= count)
        return NULL;
    if (places->types == NULL) {
        places->types = calloc(count, sizeof(struct type_entry *));
        places->ntypes = places->types != NULL ? count : 0;
    }
    if (places->types == NULL)
        return NULL;
    if (places->types[number] != NULL)
        return places->types[number]->good ? &places->types[number]->layout
                                           : NULL;
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return NULL;
    places->types[number] = entry;
    entry->good =
        lay_out(places,
                pario_trace_string(places->trace, places->process, number),
                &entry->layout) == 0;
    return entry->good ? &entry->layout : NULL;
}

static struct open_file *find_file(struct pario_places *places, int64_t arg)
{
    size_t slot = (size_t)PARIO_FILE_SLOT(arg);

    if (arg < 0 || slot >= MAX_SLOTS)
        return NULL;
    if (slot >= places->nfiles) {
        struct open_file *files =
            realloc(places->files, (slot + 1) * sizeof(*files));

        if (files == NULL)
            return NULL;
        memset(files + places->nfiles, 0,
               (slot + 1 - places->nfiles) * sizeof(*files));
        places->files = files;
        places->nfiles = slot + 1;
    }
    return &places->files[slot];
}

/* The name of the call without what makes it collective or nonblocking. */
static int starts(enum pario_trace_op op, const char *text)
{
    return strncmp(pario_trace_op_table[op].name, text, strlen(text)) == 0;
}

static int ends(enum pario_trace_op op, const char *text)
{
    const char *name = pario_trace_op_table[op].name;
    size_t len = strlen(name), n = strlen(text);

    return len >= n && strcmp(name + len - n, text) == 0;
}

int pario_trace_is_collective(enum pario_trace_op op)
{
    const char *name = pario_trace_op_table[op].name;

    return strncmp(name, "File_", 5) == 0 &&
           (strstr(name, "_all") != NULL || strstr(name, "_ordered") != NULL);
}

static void open_it(struct pario_places *places,
                    const struct pario_event *event, const char *path)
{
    struct open_file *file =
        find_file(places, pario_trace_value(event, PARIO_ARG_FILE, -1));

    if (file == NULL || event->result < 0)
        return;
    *file = (struct open_file){.path = path, .etype = 1};
    file->unknown = (pario_trace_value(event, PARIO_ARG_FLAGS, 0) &
                     PARIO_TRACE_APPEND) != 0;
}

static void set_view(struct pario_places *places, struct open_file *file,
                     const struct pario_event *event)
{
    const struct pario_layout *etype =
        find_type(places, pario_trace_value(event, PARIO_ARG_ETYPE, 0));

    file->disp = pario_trace_value(event, PARIO_ARG_DISP, 0);
    file->etype = etype != NULL && etype->size > 0 ? etype->size : 1;
    file->view =
        find_type(places, pario_trace_value(event, PARIO_ARG_FILETYPE, 0));
    if (file->view == NULL)
        file->view = &unknown_view;
    if (file->view->count == 1 &&
        file->view->segments[0].len == file->view->extent &&
        file->view->segments[0].offset == 0)
        file->view = NULL; /* plain bytes from disp on */
    file->pointer = 0;
    file->unknown = 0;
}

static void seek(struct open_file *file, const struct pario_event *event)
{
    int64_t unit = starts(event->op, "File_") ? file->etype : 1;
    int64_t distance;

    if (strstr(pario_trace_op_table[event->op].name, "shared") != NULL)
        return;
    if (ends(event->op, "_set")) {
        if (__builtin_mul_overflow(
                pario_trace_value(event, PARIO_ARG_OFFSET, 0), unit,
                &file->pointer))
            file->pointer = 0;
        file->unknown = 0;
    } else if (ends(event->op, "_cur")) {
        if (__builtin_mul_overflow(
                pario_trace_value(event, PARIO_ARG_DISTANCE, 0), unit,
                &distance))
            distance = 0;
        (void)__builtin_add_overflow(file->pointer, distance, &file->pointer);
    } else {
        file->unknown = 1; /* the size of the file is not known */
    }
}

static int64_t bytes_of(struct pario_places *places,
                        const struct pario_event *event)
{
    const struct pario_layout *type;
    int64_t bytes = pario_trace_value(event, PARIO_ARG_LENGTH, -1);

    if (bytes >= 0)
        return bytes;
    type = find_type(places, pario_trace_value(event, PARIO_ARG_TYPE, 0));
    if (type == NULL ||
        __builtin_mul_overflow(
            type->size, pario_trace_value(event, PARIO_ARG_COUNT, 0), &bytes))
        return 0;
    return bytes > 0 ? bytes : 0;
}

/* About so many, of data that is longer than its first piece. */
static int64_t count_pieces(const struct pario_layout *view, int64_t bytes)
{
    double n = (double)bytes * (double)view->count / (double)view->size + 0.999;

    return !(n >= 2) ? 2 : n < 9e18 ? (int64_t)n : INT64_MAX;
}

/* From a position in the view's data to the file. */
static void locate(const struct open_file *file, int64_t position,
                   struct pario_place *place)
{
    struct pario_segment piece;

    place->position = position;
    place->view = file->view;
    place->disp = file->disp;
    if (file->view == NULL) {
        (void)__builtin_add_overflow(file->disp, position, &place->offset);
        place->pieces = 1;
        place->piece = place->bytes;
        return;
    }
    if (pario_layout_locate(file->view, file->disp, position, &piece) != 0)
        return;
    place->offset = piece.offset;
    place->piece = piece.len < place->bytes ? piece.len : place->bytes;
    place->pieces =
        place->bytes <= piece.len ? 1 : count_pieces(file->view, place->bytes);
}

int pario_place_piece(const struct pario_place *place, int64_t done,
                      int64_t *offset_p, int64_t *len_p)
{
    struct pario_segment piece = {.offset = 0, .len = INT64_MAX};
    int64_t position;

    if (place->offset < 0 || done < 0 || done >= place->bytes ||
        __builtin_add_overflow(place->position, done, &position))
        return PARIO_EFORMAT;
    if (place->view == NULL) {
        if (__builtin_add_overflow(place->disp, position, &piece.offset))
            return PARIO_EFORMAT;
    } else if (pario_layout_locate(place->view, place->disp, position,
                                   &piece) != 0) {
        return PARIO_EFORMAT;
    }
    *offset_p = piece.offset;
    *len_p = piece.len < place->bytes - done ? piece.len : place->bytes - done;
    return 0;
}

static void access_file(struct pario_places *places,
                        const struct pario_event *event, struct open_file *file,
                        struct pario_place *place)
{
    int64_t offset = pario_trace_value(event, PARIO_ARG_OFFSET, -1);
    int mpi = starts(event->op, "File_");
    int shared = strstr(pario_trace_op_table[event->op].name, "shared") ||
                 strstr(pario_trace_op_table[event->op].name, "ordered");

    place->bytes = bytes_of(places, event);
    place->pieces = 1;
    place->piece = place->bytes;
    if (offset >= 0 || pario_trace_arg_find(event->op, PARIO_ARG_OFFSET) >= 0) {
        if (__builtin_mul_overflow(offset, mpi ? file->etype : 1, &offset))
            return;
        locate(file, offset, place);
    } else if (!shared && !file->unknown) {
        locate(file, file->pointer, place);
        (void)__builtin_add_overflow(
            file->pointer, event->result > 0 ? event->result - 1 : place->bytes,
            &file->pointer);
    }
}

int pario_places_next(struct pario_places *places,
                      const struct pario_event *event,
                      struct pario_place *place_p)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];
    const char *path =
        pario_trace_text(places->trace, places->process, event, PARIO_ARG_PATH);
    int64_t arg = pario_trace_value(event, PARIO_ARG_FILE, -1);
    struct open_file *file;

    *place_p = (struct pario_place){.path = path, .offset = -1};
    if (pario_trace_arg_find(event->op, PARIO_ARG_PATH) >= 0 && arg >= 0)
        open_it(places, event, path);
    if (path[0] != '\0' || arg < 0)
        return 0;
    file = find_file(places, arg);
    if (file == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read a trace");
    place_p->path = file->path != NULL ? file->path : "";
    if (facts->data != PARIO_DATA_NONE)
        access_file(places, event, file, place_p);
    else if (event->op == PARIO_OP_File_set_view)
        set_view(places, file, event);
    else if (strstr(facts->name, "seek") != NULL)
        seek(file, event);
    return 0;
}
