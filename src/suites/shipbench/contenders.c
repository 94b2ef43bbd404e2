/* suites/shipbench/contenders.c - who competes in which test. */
#include "suites/shipbench/shipbench.h"

#include <stdio.h>
#include <string.h>

struct row {
    const char *name;
    int shipio;
    struct {
        const char *key, *value;
    } hint[3];
};

/* Sect. 4.3.4: with and without double buffering; auto is what a user has. */
static const struct row discontiguous[] = {
    {"native", 0, {{NULL, NULL}}},
    {"shipio", 1, {{NULL, NULL}}},
    {"ship, two buffers",
     1,
     {{"IBM_largeblock_io", "false"}, {"shipio_double_buffer", "true"}}},
    {"ship, one buffer",
     1,
     {{"IBM_largeblock_io", "false"}, {"shipio_double_buffer", "false"}}},
    {NULL, 0, {{NULL, NULL}}},
};

/* Sect. 4.3.1. */
static const struct row shipping[] = {
    {"native", 0, {{NULL, NULL}}},
    {"without shipping", 1, {{"shipio_noncollective", "false"}}},
    {"with shipping", 1, {{"shipio_noncollective", "true"}}},
    {NULL, 0, {{NULL, NULL}}},
};

/* Sect. 4.3.3. */
static const struct row sparse[] = {
    {"native", 0, {{NULL, NULL}}},
    {"shipio", 1, {{NULL, NULL}}},
    {"ship, dense",
     1,
     {{"IBM_largeblock_io", "false"}, {"IBM_sparse_access", "false"}}},
    {"ship, sparse",
     1,
     {{"IBM_largeblock_io", "false"}, {"IBM_sparse_access", "true"}}},
    {NULL, 0, {{NULL, NULL}}},
};

/* Sect. 4.3.5; also the begin of the table of Sect. 4.3.2. */
static const struct row plain[] = {
    {"native", 0, {{NULL, NULL}}},
    {"shipio", 1, {{NULL, NULL}}},
    {NULL, 0, {{NULL, NULL}}},
};

static void add_hint(struct ship_contender *one, const char *key,
                     const char *value)
{
    if (one->nhints >= SHIP_MOST_HINTS)
        return;
    one->hint[one->nhints].key = key;
    snprintf(one->hint[one->nhints].value, sizeof(one->hint[0].value), "%s",
             value);
    one->nhints++;
}

static struct ship_contender *add(const struct ship_plan *plan,
                                  struct ship_contenders *all, int shipio,
                                  const char *prefix, const char *name)
{
    struct ship_contender *one = &all->one[all->count];

    if (all->count == SHIP_MOST_CONTENDERS ||
        !(shipio ? plan->shipio : plan->native))
        return NULL;
    memset(one, 0, sizeof(*one));
    snprintf(one->series, sizeof(one->series), "%s%s", prefix, name);
    one->calls = shipio ? &mpiio_shipio : &mpiio_native;
    all->count++;
    return one;
}

static void add_rows(const struct ship_plan *plan, const struct row *row,
                     const char *prefix, struct ship_contenders *all)
{
    for (; row->name != NULL; row++) {
        struct ship_contender *one =
            add(plan, all, row->shipio, prefix, row->name);

        for (int i = 0; one != NULL && i < 3 && row->hint[i].key != NULL; i++)
            add_hint(one, row->hint[i].key, row->hint[i].value);
    }
}

void ship_prefix(int64_t tasks_per_node, int64_t sparsity, char *prefix,
                 size_t len)
{
    if (tasks_per_node > 0)
        snprintf(prefix, len, "%lld per node, ", (long long)tasks_per_node);
    else if (sparsity > 0)
        snprintf(prefix, len, "%lld %%, ", (long long)sparsity);
    else
        prefix[0] = '\0';
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
        one = add(plan, all, 1, "", name);
        if (one == NULL)
            continue;
        add_hint(one, "IBM_largeblock_io", "false");
        snprintf(name, sizeof(name), "%lld", (long long)plan->max_acc.value[i]);
        add_hint(one, "shipio_max_acc", name);
    }
}

void ship_contenders_of(const struct ship_plan *plan, enum ship_test test,
                        const char *prefix, int64_t stripe_bytes,
                        struct ship_contenders *contenders_p)
{
    static const struct row *const rows[SHIP_TESTS] = {
        [SHIP_DISCONTIGUOUS] = discontiguous,
        [SHIP_SHIPPING] = shipping,
        [SHIP_RANGES] = plain,
        [SHIP_SPARSE] = sparse,
        [SHIP_TASKS_PER_NODE] = plain,
    };
    char stripe[32];

    contenders_p->count = 0;
    add_rows(plan, rows[test], prefix, contenders_p);
    if (test == SHIP_RANGES)
        add_ranges(plan, contenders_p);
    snprintf(stripe, sizeof(stripe), "%lld", (long long)stripe_bytes);
    for (size_t i = 0; i < contenders_p->count; i++) {
        struct ship_contender *one = &contenders_p->one[i];

        if (one->calls != &mpiio_shipio)
            continue;
        if (test == SHIP_SPARSE)
            add_hint(one, "IBM_io_buffer_size", stripe);
        /* The variable that MPI_THREAD_MULTIPLE needs holds for all files. */
        if (test != SHIP_SHIPPING)
            add_hint(one, "shipio_noncollective", "false");
    }
}

int ship_contender_hints(const struct ship_contender *contender,
                         struct pario_hints *hints)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < contender->nhints; i++)
        code = pario_hints_set(hints, contender->hint[i].key,
                               contender->hint[i].value);
    return code;
}
