/* suites/beffio/figures.c - a document's figures in the order of the tables. */
#include "suites/beffio/figures.h"
#include "result/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct beffio_chunk beffio_chunks[BEFFIO_CHUNKS] = {
    {BEFFIO_MPART, 0},  {1 << 20, 2 << 20}, {1 << 20, 0},
    {32 << 10, 0},      {1 << 10, 0},       {(32 << 10) + 8, 0},
    {(1 << 10) + 8, 0}, {(1 << 20) + 8, 0},
};

static int chunk_row(const json_t *measure, const json_t *pattern)
{
    int64_t l = pario_integer_of(pattern, "l_bytes"),
            L = pario_integer_of(pattern, "L_bytes");

    if (json_is_true(json_object_get(measure, "m_part")))
        return 0;
    for (int i = 1; i < BEFFIO_CHUNKS; i++)
        if (beffio_chunks[i].l == l &&
            (beffio_chunks[i].L == L ||
             (beffio_chunks[i].L == 0 && L != 2 * l)))
            return i;
    return -1;
}

static int access_of(const json_t *measure)
{
    const char *text = pario_text_of(measure, "access", NULL);

    for (int i = 0; text != NULL && i < BEFFIO_ACCESSES; i++)
        if (strcmp(beffio_access_names[i], text) == 0)
            return i;
    return -1;
}

static void take_measure(struct beffio_figures *figures, const json_t *measure)
{
    const char *test = pario_text_of(measure, "test", NULL);
    const json_t *pattern = json_object_get(measure, "pattern");
    struct beffio_cell cell = {
        .measured = 1,
        .mbps = pario_number_of(measure, "bandwidth_mbps"),
        .l = pario_integer_of(pattern, "l_bytes"),
        .flags = pario_flags_of_measure(measure),
    };
    int access = access_of(measure), type, row;

    if (test == NULL || access < 0 || strncmp(test, "type", 4) != 0)
        return;
    type = test[4] - '0';
    if (type < 0 || type >= BEFFIO_ALL_TYPES)
        return;
    if (!json_is_object(pattern)) {
        if (type < BEFFIO_TYPES)
            figures->bandwidths.mbps[access][type] = cell.mbps;
        figures->total[access][type] = cell;
        return;
    }
    row = chunk_row(measure, pattern);
    if (row >= 0)
        figures->cell[access][type][row] = cell;
}

static int same_hints(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* The experiment of a measure, a new one if there is none yet. */
static struct beffio_figures *find(const json_t *measure,
                                   struct beffio_figures **list_p, int *count_p)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    int partition = (int)pario_integer_of(measure, "partition");
    int repetition = (int)pario_integer_of(parameters, "repetition");
    const char *hints = pario_text_of(parameters, "hints", NULL);
    struct beffio_figures *grown;

    for (int i = 0; i < *count_p; i++) {
        struct beffio_figures *one = &(*list_p)[i];

        if (one->partition == partition && one->repetition == repetition &&
            same_hints(one->hints, hints))
            return one;
    }
    grown = realloc(*list_p, (size_t)(*count_p + 1) * sizeof(*grown));
    if (grown == NULL)
        return NULL;
    *list_p = grown;
    grown += (*count_p)++;
    memset(grown, 0, sizeof(*grown));
    grown->partition = partition;
    grown->repetition = repetition;
    grown->hints = hints;
    return grown;
}

int beffio_figures_collect(const json_t *document,
                           struct beffio_figures **list_p, int *count_p)
{
    const json_t *measures = json_object_get(document, "measures");
    struct beffio_figures *list = NULL;
    const json_t *measure;
    int count = 0;
    size_t index;

    json_array_foreach(measures, index, measure)
    {
        struct beffio_figures *one = find(measure, &list, &count);

        if (one == NULL) {
            free(list);
            return pario_fail_errno(-ENOMEM, "summary");
        }
        take_measure(one, measure);
    }
    *list_p = list;
    *count_p = count;
    return 0;
}

int beffio_figures_is_best(const struct beffio_figures *list, int count, int i,
                           int release)
{
    double value = beffio_value(&list[i].bandwidths, release);

    for (int k = 0; k < count; k++) {
        double other = beffio_value(&list[k].bandwidths, release);

        if (k != i && same_hints(list[k].hints, list[i].hints) &&
            (other > value || (k < i && other == value)))
            return 0;
    }
    return 1;
}

char *beffio_mark(unsigned flags, char mark[BEFFIO_MARK_LEN])
{
    static const struct {
        unsigned flag;
        char letter;
    } letters[] = {
        {PARIO_FLAG_FAILED, '!'},     {PARIO_FLAG_CACHE, 'c'},
        {PARIO_FLAG_MIXED, '~'},      {PARIO_FLAG_UNKNOWN, '?'},
        {PARIO_FLAG_SHORT, 's'},      {PARIO_FLAG_PAUSED, 'p'},
        {PARIO_FLAG_UNVERIFIED, 'u'},
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (flags & letters[i].flag)
            mark[n++] = letters[i].letter;
    mark[n] = '\0';
    return mark;
}
