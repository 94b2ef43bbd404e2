/* mpi_texts.c - datatypes, groups and hints as text. */
#include "mpi_recorder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows. */
struct text {
    char *bytes;
    size_t len, room;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text,
                                                      const char *format, ...)
{
    va_list args;
    int n;

    if (text->room - text->len < 128 && !text->failed) {
        char *bytes = realloc(text->bytes, 2 * text->room + 256);

        text->failed = bytes == NULL;
        if (bytes != NULL) {
            text->bytes = bytes;
            text->room = 2 * text->room + 256;
        }
    }
    if (text->failed)
        return;
    va_start(args, format);
    n = vsnprintf(text->bytes + text->len, text->room - text->len, format,
                  args);
    va_end(args);
    text->len += (size_t)n; /* never more than 128 */
}

/* `7*3` is 7,7,7 and `7+2*3` is 7,9,11. */
static void put_list(struct text *text, const int64_t *values, int64_t count)
{
    for (int64_t i = 0; i < count;) {
        int64_t run = 1, step = 0;

        if (i + 1 < count)
            step = values[i + 1] - values[i];
        while (i + run < count && values[i + run] - values[i + run - 1] == step)
            run++;
        if (run == 2 && step != 0)
            run = 1;
        put(text, "%s%lld", i > 0 ? "," : "", (long long)values[i]);
        if (run > 1 && step != 0)
            put(text, "+%lld", (long long)step);
        if (run > 1)
            put(text, "*%lld", (long long)run);
        i += run;
    }
    put(text, ";");
}

/* What a datatype was made from. */
struct contents {
    int combiner, nints, naddresses, ntypes;
    int *ints;
    MPI_Aint *addresses;
    MPI_Datatype *types;
};

static void contents_fini(struct contents *c)
{
    for (int i = 0; i < c->ntypes && c->types != NULL; i++) {
        int nints, naddresses, ntypes, combiner = MPI_COMBINER_NAMED;

        if (c->types[i] != MPI_DATATYPE_NULL)
            PMPI_Type_get_envelope(c->types[i], &nints, &naddresses, &ntypes,
                                   &combiner);
        if (combiner != MPI_COMBINER_NAMED)
            PMPI_Type_free(&c->types[i]);
    }
    free(c->ints);
    free(c->addresses);
    free(c->types);
}

static bool contents_get(struct contents *c, MPI_Datatype datatype)
{
    memset(c, 0, sizeof(*c));
    if (PMPI_Type_get_envelope(datatype, &c->nints, &c->naddresses, &c->ntypes,
                               &c->combiner) != MPI_SUCCESS)
        return false;
    if (c->combiner == MPI_COMBINER_NAMED || c->ntypes == 0)
        return true;
    c->ints = calloc((size_t)c->nints + 1, sizeof(*c->ints));
    c->addresses = calloc((size_t)c->naddresses + 1, sizeof(*c->addresses));
    c->types = calloc((size_t)c->ntypes + 1, sizeof(MPI_Datatype));
    return c->ints != NULL && c->addresses != NULL && c->types != NULL &&
           PMPI_Type_get_contents(datatype, c->nints, c->naddresses, c->ntypes,
                                  c->ints, c->addresses,
                                  c->types) == MPI_SUCCESS;
}

/* True: the caller frees it with contents_fini. */
static bool contents_init(struct contents *c, MPI_Datatype datatype)
{
    if (contents_get(c, datatype))
        return true;
    c->ntypes = 0; /* none of them was got */
    contents_fini(c);
    memset(c, 0, sizeof(*c));
    return false;
}

static int64_t size_of(MPI_Datatype datatype)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(datatype, &size);
    return size;
}

static int64_t extent_of(MPI_Datatype datatype)
{
    MPI_Count lb = 0, extent = 0;

    PMPI_Type_get_extent_x(datatype, &lb, &extent);
    return extent;
}

static bool put_type(struct text *text, MPI_Datatype datatype);

/* Bytes in one piece, however they were put together. */
static int64_t plain_bytes(MPI_Datatype datatype)
{
    MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0;
    int64_t size = size_of(datatype);

    PMPI_Type_get_extent_x(datatype, &lb, &extent);
    PMPI_Type_get_true_extent_x(datatype, &true_lb, &true_extent);
    return lb == 0 && true_lb == 0 && extent == size && true_extent == size
               ? size
               : -1;
}

static void put_values(struct text *text, const int *ints, int count)
{
    int64_t *values = calloc((size_t)count + 1, sizeof(*values));

    for (int i = 0; i < count && values != NULL; i++)
        values[i] = ints[i];
    text->failed |= values == NULL;
    if (values != NULL)
        put_list(text, values, count);
    free(values);
}

/* Lengths and displacements of the four indexed constructors. */
static void put_indexed(struct text *text, const struct contents *c)
{
    bool bytes = c->combiner == MPI_COMBINER_HINDEXED ||
                 c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    bool block = c->combiner == MPI_COMBINER_INDEXED_BLOCK ||
                 c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    int count = c->ints[0];
    int64_t *values = calloc(2 * (size_t)count + 1, sizeof(*values));
    int64_t extent = bytes ? 1 : extent_of(c->types[0]);

    text->failed |= values == NULL;
    if (values == NULL)
        return;
    for (int i = 0; i < count; i++) {
        values[i] = block ? c->ints[1] : c->ints[1 + i];
        values[count + i] =
            bytes ? c->addresses[i]
                  : extent * (block ? c->ints[2 + i] : c->ints[1 + count + i]);
    }
    put(text, "i(");
    put_list(text, values, count);
    put_list(text, values + count, count);
    free(values);
    (void)put_type(text, c->types[0]);
}

static void put_struct(struct text *text, const struct contents *c)
{
    int64_t *values = calloc((size_t)c->naddresses + 1, sizeof(*values));

    text->failed |= values == NULL;
    if (values == NULL)
        return;
    for (int i = 0; i < c->naddresses; i++)
        values[i] = c->addresses[i];
    put(text, "s(");
    put_values(text, c->ints + 1, c->ints[0]);
    put_list(text, values, c->naddresses);
    free(values);
    for (int i = 0; i < c->ntypes; i++) {
        if (i > 0)
            put(text, ";");
        (void)put_type(text, c->types[i]);
    }
}

static char order(int value)
{
    return value == MPI_ORDER_C ? 'c' : 'f';
}

static void put_darray(struct text *text, struct contents *c)
{
    int n = c->ints[2];
    int *rest = c->ints + 3;

    for (int i = 0; i < n; i++) {
        int *distribution = &rest[n + i], *argument = &rest[2 * n + i];

        *distribution = *distribution == MPI_DISTRIBUTE_BLOCK    ? 0
                        : *distribution == MPI_DISTRIBUTE_CYCLIC ? 1
                                                                 : 2;
        if (*argument == MPI_DISTRIBUTE_DFLT_DARG)
            *argument = -1;
    }
    put(text, "d(%d,%d;%c;", c->ints[1], c->ints[0],
        order(rest[(size_t)4 * (size_t)n]));
    for (int i = 0; i < 4; i++)
        put_values(text, rest + (ptrdiff_t)i * n, n);
    (void)put_type(text, c->types[0]);
}

static void put_subarray(struct text *text, const struct contents *c)
{
    int n = c->ints[0];

    put(text, "a(%c;", order(c->ints[1 + 3 * n]));
    for (int i = 0; i < 3; i++)
        put_values(text, c->ints + 1 + (ptrdiff_t)i * n, n);
    (void)put_type(text, c->types[0]);
}

static void put_vector(struct text *text, const struct contents *c)
{
    int64_t stride = c->combiner == MPI_COMBINER_HVECTOR
                         ? (int64_t)c->addresses[0]
                         : c->ints[2] * extent_of(c->types[0]);

    put(text, "v(%d,%d,%lld,", c->ints[0], c->ints[1], (long long)stride);
    (void)put_type(text, c->types[0]);
}

/* False: a constructor that is not known. */
static bool put_derived(struct text *text, struct contents *c)
{
    switch (c->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        put(text, "c(%d,", c->ints[0]);
        (void)put_type(text, c->types[0]);
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        put_vector(text, c);
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        put_indexed(text, c);
        break;
    case MPI_COMBINER_STRUCT:
        put_struct(text, c);
        break;
    case MPI_COMBINER_SUBARRAY:
        put_subarray(text, c);
        break;
    case MPI_COMBINER_DARRAY:
        put_darray(text, c);
        break;
    case MPI_COMBINER_RESIZED:
        put(text, "r(%lld,%lld,", (long long)c->addresses[0],
            (long long)c->addresses[1]);
        (void)put_type(text, c->types[0]);
        break;
    default:
        return false;
    }
    put(text, ")");
    return true;
}

/* The predefined pairs with a gap between their parts, or at their end. */
static bool put_pair(struct text *text, MPI_Datatype datatype)
{
    int64_t size = size_of(datatype);

    if (datatype == MPI_SHORT_INT)
        put(text, "s(1*2;0,4;2;4)");
    else if (datatype == MPI_LONG_INT || datatype == MPI_DOUBLE_INT ||
             datatype == MPI_LONG_DOUBLE_INT)
        put(text, "r(0,%lld,%lld)", (long long)extent_of(datatype),
            (long long)size);
    else
        return false;
    return true;
}

static bool put_type(struct text *text, MPI_Datatype datatype)
{
    struct contents c;
    int64_t bytes = plain_bytes(datatype);
    bool known = true;

    if (bytes >= 0 && contents_init(&c, datatype)) {
        bool named = c.combiner == MPI_COMBINER_NAMED || c.ntypes == 0 ||
                     c.combiner == MPI_COMBINER_CONTIGUOUS;

        contents_fini(&c);
        if (named) {
            put(text, "%lld", (long long)bytes);
            return true;
        }
    }
    if (put_pair(text, datatype))
        return true;
    if (!contents_init(&c, datatype))
        known = false;
    else if (c.combiner == MPI_COMBINER_DUP && c.ntypes == 1)
        known = put_type(text, c.types[0]);
    else if (c.combiner == MPI_COMBINER_NAMED || c.ntypes == 0)
        known = false;
    else
        known = put_derived(text, &c);
    contents_fini(&c);
    if (!known)
        put(text, "x(%lld,%lld)", (long long)size_of(datatype),
            (long long)extent_of(datatype));
    return known;
}

/* Numbers are kept with the handle, so that a handle that is used again for
 * another datatype or communicator is not mistaken. */
static int type_key = MPI_KEYVAL_INVALID, comm_key = MPI_KEYVAL_INVALID;
static pthread_mutex_t keys_lock = PTHREAD_MUTEX_INITIALIZER;

static void make_keys(void)
{
    rec_enter();
    pthread_mutex_lock(&keys_lock);
    if (type_key == MPI_KEYVAL_INVALID) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN,
                                &comm_key, NULL);
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN,
                                &type_key, NULL);
    }
    pthread_mutex_unlock(&keys_lock);
    rec_leave();
}

int64_t rec_type(MPI_Datatype datatype)
{
    struct text text = {0};
    void *kept = NULL;
    int found = 0;
    int64_t number;

    if (datatype == MPI_DATATYPE_NULL)
        return 0;
    if (type_key == MPI_KEYVAL_INVALID)
        make_keys();
    PMPI_Type_get_attr(datatype, type_key, (void *)&kept, &found);
    if (found)
        return (int64_t)(intptr_t)kept;
    (void)put_type(&text, datatype);
    number = text.failed ? 0 : rec_string(text.bytes);
    free(text.bytes);
    PMPI_Type_set_attr(datatype, type_key, (void *)(intptr_t)number);
    return number;
}

static void put_ranks(struct text *text, const int *ranks, int count)
{
    for (int i = 0; i < count;) {
        int run = 1, step = 1;

        if (i + 1 < count && ranks[i + 1] > ranks[i])
            step = ranks[i + 1] - ranks[i];
        while (i + run < count && ranks[i + run] - ranks[i + run - 1] == step)
            run++;
        if (run == 2 && step != 1)
            run = 1;
        put(text, "%s%d", i > 0 ? "," : "", ranks[i]);
        if (run > 1)
            put(text, "-%d", ranks[i + run - 1]);
        if (run > 1 && step != 1)
            put(text, ":%d", step);
        i += run;
    }
}

static void put_group(struct text *text, MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int size = 0;
    int *numbers;

    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    numbers = calloc(2 * (size_t)size + 1, sizeof(*numbers));
    text->failed |= numbers == NULL;
    for (int i = 0; i < size && numbers != NULL; i++)
        numbers[i] = i;
    if (numbers != NULL) {
        PMPI_Group_translate_ranks(group, size, numbers, world, numbers + size);
        put_ranks(text, numbers + size, size);
    }
    free(numbers);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
}

int64_t rec_group(MPI_Comm comm)
{
    struct text text = {0};
    void *kept = NULL;
    int found = 0;
    int64_t number;

    if (comm == MPI_COMM_NULL)
        return 0;
    if (comm_key == MPI_KEYVAL_INVALID)
        make_keys();
    PMPI_Comm_get_attr(comm, comm_key, (void *)&kept, &found);
    if (found)
        return (int64_t)(intptr_t)kept;
    put_group(&text, comm);
    number = text.failed ? 0 : rec_string(text.bytes);
    free(text.bytes);
    PMPI_Comm_set_attr(comm, comm_key, (void *)(intptr_t)number);
    return number;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted: two libraries give hints in different orders. */
static void put_info(struct text *text, MPI_Info info, int count)
{
    char **lines = calloc((size_t)count + 1, sizeof(*lines));
    int used = 0;

    for (int i = 0; i < count && lines != NULL; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
        int found = 0;

        if (PMPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS ||
            PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found) !=
                MPI_SUCCESS ||
            !found || asprintf(&lines[used], "%s=%s", key, value) < 0)
            continue;
        used++;
    }
    if (lines != NULL)
        qsort(lines, (size_t)used, sizeof(*lines), by_text);
    for (int i = 0; i < used; i++) {
        for (size_t n = 0; n < strlen(lines[i]); n += 100)
            put(text, "%.100s", lines[i] + n);
        put(text, "\n");
        free(lines[i]);
    }
    free(lines);
}

int64_t rec_info(MPI_Info info)
{
    struct text text = {0};
    int count = 0;
    int64_t number;

    if (info == MPI_INFO_NULL ||
        PMPI_Info_get_nkeys(info, &count) != MPI_SUCCESS || count == 0)
        return 0;
    put_info(&text, info, count);
    number = text.failed || text.bytes == NULL ? 0 : rec_string(text.bytes);
    free(text.bytes);
    return number;
}
