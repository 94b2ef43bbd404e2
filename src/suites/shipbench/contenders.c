/* suites/shipbench/contenders.c - who competes in which test. */
#include "suites/shipbench/shipbench.h"

#include "core/nearest.h"
#include "core/units.h"
#include "suites/shipbench/byhand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum means { NATIVE, SHIPIO, TUNED, BY_HAND };

struct row {
    const char *name;
    enum means means;
    struct {
        const char *key, *value;
    } hint[3];
};

/* Sect. 4.3.4: with and without double buffering; auto is what a user has. */
static const struct row discontiguous[] = {
    {"native", NATIVE, {{NULL, NULL}}},
    {"shipio", SHIPIO, {{NULL, NULL}}},
    {"ship, two buffers",
     SHIPIO,
     {{"IBM_largeblock_io", "false"}, {"shipio_double_buffer", "true"}}},
    {"ship, one buffer",
     SHIPIO,
     {{"IBM_largeblock_io", "false"}, {"shipio_double_buffer", "false"}}},
    {NULL, NATIVE, {{NULL, NULL}}},
};

/* Sect. 4.3.1. */
static const struct row shipping[] = {
    {"native", NATIVE, {{NULL, NULL}}},
    {"without shipping", SHIPIO, {{"shipio_noncollective", "false"}}},
    {"with shipping", SHIPIO, {{"shipio_noncollective", "true"}}},
    {NULL, NATIVE, {{NULL, NULL}}},
};

/* Sect. 4.3.3. */
static const struct row sparse[] = {
    {"native", NATIVE, {{NULL, NULL}}},
    {"shipio", SHIPIO, {{NULL, NULL}}},
    {"ship, dense",
     SHIPIO,
     {{"IBM_largeblock_io", "false"}, {"IBM_sparse_access", "false"}}},
    {"ship, sparse",
     SHIPIO,
     {{"IBM_largeblock_io", "false"}, {"IBM_sparse_access", "true"}}},
    {NULL, NATIVE, {{NULL, NULL}}},
};

/* Sect. 4.3.5; also the begin of the table of Sect. 4.3.2. */
static const struct row plain[] = {
    {"native", NATIVE, {{NULL, NULL}}},
    {"shipio", SHIPIO, {{NULL, NULL}}},
    {NULL, NATIVE, {{NULL, NULL}}},
};

/* What a lattice code can choose from. */
static const struct row lattice[] = {
    {"native", NATIVE, {{NULL, NULL}}},
    {"native, tuned", TUNED, {{NULL, NULL}}},
    {"hand-written", BY_HAND, {{NULL, NULL}}},
    {"shipio", SHIPIO, {{NULL, NULL}}},
    {NULL, NATIVE, {{NULL, NULL}}},
};

static const struct row *const rows[SHIP_TESTS] = {
    [SHIP_DISCONTIGUOUS] = discontiguous,
    [SHIP_SHIPPING] = shipping,
    [SHIP_RANGES] = plain,
    [SHIP_SPARSE] = sparse,
    [SHIP_TASKS_PER_NODE] = plain,
    [SHIP_ONESHOT] = plain,
    [SHIP_LATTICE] = lattice,
};

static void add_hint(struct ship_contender *one, const char *key,
                     const char *value, int own)
{
    if (one->nhints >= SHIP_MAX_HINTS)
        return;
    one->hint[one->nhints].key = key;
    snprintf(one->hint[one->nhints].value, sizeof(one->hint[0].value), "%s",
             value);
    one->hint[one->nhints].own = own;
    one->nhints++;
}

/* Takes the next name of "NAME;NAME" into word; NULL: no more. */
static const char *next_name(const char *list, char *word, size_t len)
{
    size_t n;

    while (list != NULL && (*list == ';' || *list == ' '))
        list++;
    if (list == NULL || *list == '\0')
        return NULL;
    n = strcspn(list, ";");
    snprintf(word, len, "%.*s", (int)n, list);
    for (char *end = word + strlen(word); end > word && end[-1] == ' ';)
        *--end = '\0';
    return list + n;
}

/* By its name, with the case's prefix or without, in one test or all. */
static int is_left_out(const char *without, enum ship_test test,
                       const char *prefix, const char *name)
{
    const char *test_name = ship_test_names[test].name;
    size_t len = strlen(test_name);
    char word[128], full[128];

    snprintf(full, sizeof(full), "%s%s", prefix, name);
    while ((without = next_name(without, word, sizeof(word))) != NULL) {
        const char *tail = word;

        if (strncmp(word, test_name, len) == 0 && word[len] == '/')
            tail = word + len + 1;
        if (strcmp(tail, name) == 0 || strcmp(tail, full) == 0)
            return 1;
    }
    return 0;
}

static struct ship_contender *add(const struct ship_plan *plan,
                                  struct ship_contenders *all, enum means means,
                                  const char *prefix, const char *name)
{
    struct ship_contender *one = &all->one[all->count];

    if (all->count == SHIP_MAX_CONTENDERS ||
        !(means == SHIPIO ? plan->shipio : plan->native))
        return NULL;
    memset(one, 0, sizeof(*one));
    snprintf(one->series, sizeof(one->series), "%s%s", prefix, name);
    one->prefix = strlen(prefix) < sizeof(one->series) ? strlen(prefix) : 0;
    one->left_out =
        is_left_out(plan->options->without, all->test, prefix, name);
    one->tuned = means == TUNED;
    one->calls = means == SHIPIO    ? &pario_mpiio_shipio
                 : means == BY_HAND ? &ship_by_hand
                                    : &pario_mpiio_native;
    all->count++;
    return one;
}

static void add_rows(const struct ship_plan *plan, const struct row *row,
                     const char *prefix, struct ship_contenders *all)
{
    for (; row->name != NULL; row++) {
        struct ship_contender *one =
            add(plan, all, row->means, prefix, row->name);

        for (int i = 0; one != NULL && i < 3 && row->hint[i].key != NULL; i++)
            add_hint(one, row->hint[i].key, row->hint[i].value, 1);
    }
}

void ship_prefix(const struct ship_kind *kind, char *prefix, size_t len)
{
    char size[PARIO_UNITS_LEN];

    if (kind->tasks_per_node > 0)
        snprintf(prefix, len, "%lld per node, ",
                 (long long)kind->tasks_per_node);
    else if (kind->sparsity > 0)
        snprintf(prefix, len, "%lld %%, ", (long long)kind->sparsity);
    else if (kind->shot_bytes > 0)
        snprintf(prefix, len, "%s, ",
                 pario_size_print_short(kind->shot_bytes, size));
    else
        prefix[0] = '\0';
}

/* Behind a test's name and a case's prefix. */
static const char *bare_name(const char *word)
{
    static const char *const units[] = {" per node, ", " %, ",   " B, ",
                                        " bytes, ",    " KiB, ", " MiB, ",
                                        " GiB, "};
    char *end;

    for (int t = 0; t < SHIP_TESTS; t++) {
        size_t len = strlen(ship_test_names[t].name);

        if (strncmp(word, ship_test_names[t].name, len) == 0 &&
            word[len] == '/')
            word += len + 1;
    }
    (void)strtod(word, &end);
    for (size_t u = 0; end != word && u < sizeof(units) / sizeof(units[0]); u++)
        if (strncmp(end, units[u], strlen(units[u])) == 0)
            return end + strlen(units[u]);
    return word;
}

int ship_without_check(const char *without)
{
    char word[128];

    while ((without = next_name(without, word, sizeof(word))) != NULL) {
        struct pario_nearest nearest = {.word = bare_name(word)};
        int known = strncmp(nearest.word, "max_acc ", 8) == 0;

        pario_nearest_try(&nearest, "max_acc 0");
        for (int t = 0; t < SHIP_TESTS; t++)
            for (const struct row *row = rows[t]; row->name != NULL; row++) {
                known = known || strcmp(row->name, nearest.word) == 0;
                pario_nearest_try(&nearest, row->name);
            }
        if (!known)
            return pario_fail(PARIO_EUSAGE, "--without: no contender '%s'%s",
                              word, pario_nearest_say(&nearest, ""));
    }
    return 0;
}

/* 0, 1, n - 1, 2, n - 2 ...: all steps differ (Williams's design). */
static size_t zigzag(size_t n, size_t i)
{
    return i % 2 == 1 ? (i + 1) / 2 : (n - i / 2) % n;
}

/* Every other repetition goes backwards, which balances an odd n and changes
 * nothing for an even one. */
size_t ship_order(size_t n, int64_t r, size_t i)
{
    int back = r % 2 != 0;
    size_t first = zigzag(n, back ? n - 1 : 0);
    size_t at = zigzag(n, back ? n - 1 - i : i);

    return (at + n - first + (size_t)r) % n;
}

/* max_acc 0 is "without" (Sect. 4.3.2). */
static void add_ranges(const struct ship_plan *plan,
                       struct ship_contenders *all)
{
    for (size_t i = 0; i < plan->max_acc.count; i++) {
        char name[32];
        struct ship_contender *one;

        snprintf(name, sizeof(name), "max_acc %lld",
                 (long long)plan->max_acc.value[i]);
        one = add(plan, all, SHIPIO, "", name);
        if (one == NULL)
            continue;
        add_hint(one, "IBM_largeblock_io", "false", 1);
        snprintf(name, sizeof(name), "%lld", (long long)plan->max_acc.value[i]);
        add_hint(one, "shipio_max_acc", name, 1);
    }
}

/* What hints can do for interleaved data, where --tuned-hints does not say:
 * every task aggregates, in large buffers. OMPIO knows no more of it. */
static void add_tuned(const struct ship_plan *plan, int tasks,
                      struct ship_contender *one)
{
    char number[32];

    if (plan->tuned_hints.count > 0)
        return;
#ifdef OPEN_MPI
    (void)number;
    (void)tasks;
    add_hint(one, "cb_buffer_size", "4194304", 0);
#else
    snprintf(number, sizeof(number), "%d", tasks);
    add_hint(one, "romio_cb_write", "enable", 0);
    add_hint(one, "romio_cb_read", "enable", 0);
    add_hint(one, "cb_config_list", "*:*", 0);
    add_hint(one, "cb_nodes", number, 0);
    add_hint(one, "cb_buffer_size", "16777216", 0);
#endif
}

void ship_contenders_of(const struct ship_plan *plan, enum ship_test test,
                        int tasks, const char *prefix, int64_t stripe_bytes,
                        struct ship_contenders *contenders_p)
{
    char stripe[32];

    contenders_p->count = 0;
    contenders_p->test = test;
    add_rows(plan, rows[test], prefix, contenders_p);
    if (test == SHIP_RANGES)
        add_ranges(plan, contenders_p);
    snprintf(stripe, sizeof(stripe), "%lld", (long long)stripe_bytes);
    for (size_t i = 0; i < contenders_p->count; i++) {
        struct ship_contender *one = &contenders_p->one[i];

        if (one->tuned)
            add_tuned(plan, tasks, one);
        if (one->calls != &pario_mpiio_shipio)
            continue;
        if (test == SHIP_SPARSE)
            add_hint(one, "IBM_io_buffer_size", stripe, 0);
        /* The variable that MPI_THREAD_MULTIPLE needs holds for all files. */
        if (test != SHIP_SHIPPING)
            add_hint(one, "shipio_noncollective", "false", 0);
    }
}

static int set_hints(const struct ship_contender *contender, int own,
                     struct pario_hints *hints)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < contender->nhints; i++)
        if (contender->hint[i].own == own)
            code = pario_hints_set(hints, contender->hint[i].key,
                                   contender->hint[i].value);
    return code;
}

int ship_contender_hints(const struct ship_plan *plan,
                         const struct ship_contender *contender,
                         struct pario_hints *hints)
{
    int code = set_hints(contender, 0, hints);

    if (contender->calls == &ship_by_hand)
        return code;
    if (code == 0 && contender->tuned)
        code = pario_hints_merge(hints, &plan->tuned_hints);
    if (code == 0)
        code = pario_hints_merge(hints, contender->calls == &pario_mpiio_shipio
                                            ? &plan->shipio_hints
                                            : &plan->native_hints);
    return code == 0 ? set_hints(contender, 1, hints) : code;
}

int ship_contender_owns(const struct ship_contender *contender, const char *key)
{
    for (size_t i = 0; i < contender->nhints; i++)
        if (contender->hint[i].own && strcmp(contender->hint[i].key, key) == 0)
            return 1;
    return 0;
}
