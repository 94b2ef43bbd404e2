/* report/compare_index.c - the measures of one side by what they are. */
#include "report/compare_index.h"
#include "report/measures_parts.h"
#include "report/table_parts.h"
#include "result/identity.h"
#include "result/view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "compare");
}

/* A member that says where: its place in the run instead, from the second on.
 * places: of all that there were. */
static void number_place(json_t *identity, const char *member, json_t *places)
{
    const char *where = json_string_value(json_object_get(identity, member));
    json_t *place, *known;

    if (where == NULL)
        return;
    if (json_object_get(places, member) == NULL)
        (void)json_object_set_new(places, member, json_object());
    known = json_object_get(places, member);
    place = json_object_get(known, where);
    if (place == NULL) {
        place = json_integer((json_int_t)json_object_size(known) + 1);
        (void)json_object_set_new(known, where, place);
    }
    if (json_integer_value(place) > 1)
        (void)json_object_set(identity, member, place);
    else
        (void)json_object_del(identity, member);
}

/* What a measure is, apart from where it was made: directories and files match
 * by their place in the run, and a series that has a name is known by it. A new
 * reference; NULL: no memory. */
static json_t *matching_identity(const json_t *measure, const json_t *view,
                                 json_t *places)
{
    json_t *identity = pario_measure_identity(measure, view);

    if (json_object_get(identity, "series") != NULL) {
        (void)json_object_del(identity, "hints");
        (void)json_object_del(identity, "library");
    }
    number_place(identity, "directory", places);
    number_place(identity, "filename", places);
    return identity;
}

static double number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

/* The rate that a measure is compared by: of bytes, or of operations where it
 * moves none. NULL: it has none. */
static const char *rate_of(const json_t *measure, double *rate_p)
{
    double mbps = number_of(measure, "bandwidth_mbps");
    double seconds = number_of(measure, "seconds");
    double operations = number_of(measure, "operations");

    *rate_p = mbps;
    if (mbps > 0)
        return "bandwidth_mbps";
    if (number_of(measure, "bytes") > 0 || operations <= 0 || seconds <= 0)
        return NULL;
    *rate_p = operations / seconds;
    return isfinite(*rate_p) ? "operations_per_s" : NULL;
}

/* The rates of a measure: of each pass where it has them. */
static int add_rates(json_t *list, const json_t *measure, double rate)
{
    const json_t *passes = json_object_get(measure, "passes_mbps"), *pass;
    size_t i, count = 0;

    json_array_foreach(passes, i, pass)
    {
        if (json_number_value(pass) <= 0)
            continue;
        if (json_array_append_new(list, json_real(json_number_value(pass))))
            return -1;
        count++;
    }
    return count > 0 ? 0 : json_array_append_new(list, json_real(rate));
}

/* The entry of a measure, made where there is none; borrowed, NULL: no
 * memory. */
static json_t *entry_of(struct pario_index *index, json_t *identity,
                        const char *figure)
{
    const char *test = json_string_value(json_object_get(identity, "test"));
    const char *plain =
        test != NULL ? pario_view_find(index->view, "tests", test, "name")
                     : NULL;
    void (*json_free)(void *);
    char *key = json_dumps(identity, JSON_SORT_KEYS | JSON_COMPACT);
    json_t *entry = key != NULL ? json_object_get(index->measures, key) : NULL;

    json_get_alloc_funcs(NULL, &json_free);
    if (key != NULL && entry == NULL) {
        entry = json_pack("{s:s, s:s*, s:O, s:[], s:{}, s:i, s:i}", "figure",
                          figure, "test", plain, "what", identity, "runs",
                          "caches", "flags", 0, "last", -1);
        if (json_object_set_new(index->measures, key, entry) != 0)
            entry = NULL;
    }
    json_free(key);
    return entry;
}

/* The values of run number `run` in an entry; borrowed, NULL: no memory. */
static json_t *values_of_run(json_t *entry, size_t run)
{
    json_t *runs = json_object_get(entry, "runs");

    if (json_integer_value(json_object_get(entry, "last")) != (json_int_t)run) {
        if (json_array_append_new(runs, json_array()) != 0 ||
            json_object_set_new(entry, "last", json_integer((json_int_t)run)) !=
                0)
            return NULL;
    }
    return json_array_get(runs, json_array_size(runs) - 1);
}

static int add_measure(struct pario_index *index, const json_t *measure,
                       json_t *identity, unsigned flags, size_t run)
{
    const char *cache = json_string_value(json_object_get(measure, "cache"));
    json_t *entry, *values;
    const char *figure;
    double rate;
    int bad;

    figure = rate_of(measure, &rate);
    if (figure == NULL)
        return 0;
    entry = entry_of(index, identity, figure);
    values = entry != NULL ? values_of_run(entry, run) : NULL;
    flags |= (unsigned)json_integer_value(json_object_get(entry, "flags"));
    bad = values == NULL || add_rates(values, measure, rate) != 0 ||
          json_object_set_new(entry, "flags", json_integer(flags)) != 0 ||
          json_object_set_new(json_object_get(entry, "caches"), cache,
                              json_true()) != 0;
    return bad ? no_memory() : 0;
}

/* Directories and files are counted in each run anew, also by measures that
 * failed: those of one would else be taken for those of another. */
static int add_run(struct pario_index *index, const json_t *document,
                   size_t run)
{
    const json_t *measure;
    size_t i;
    int code = 0;

    (void)json_object_clear(index->places);
    index->view = json_object_get(document, "view");
    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        unsigned flags = pario_measure_flags(document, measure);
        json_t *identity = matching_identity(
            measure, json_object_get(document, "view"), index->places);

        if (code == 0 && identity == NULL)
            code = no_memory();
        if (code == 0 && !(flags & PARIO_FLAG_FAILED))
            code = add_measure(index, measure, identity, flags, run);
        json_decref(identity);
    }
    return code;
}

int pario_index_init(struct pario_index *index, const struct pario_side *side)
{
    int code;

    index->measures = json_object();
    index->places = json_object();
    code = index->measures != NULL && index->places != NULL ? 0 : no_memory();
    for (size_t i = 0; code == 0 && i < side->count; i++)
        code = add_run(index, side->runs[i].document, i);
    if (code != 0)
        pario_index_fini(index);
    return code;
}

void pario_index_fini(struct pario_index *index)
{
    json_decref(index->measures);
    json_decref(index->places);
    *index = (struct pario_index){.measures = NULL};
}

double pario_geometric_mean(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return exp(sum / (double)n);
}

static void copy_values(const json_t *list, double *values)
{
    const json_t *value;
    size_t i;

    json_array_foreach(list, i, value)
    {
        values[i] = json_number_value(value);
    }
}

int pario_entry_values(const json_t *entry, double **values_p, size_t *count_p)
{
    const json_t *runs = json_object_get(entry, "runs"), *run;
    size_t most = json_array_size(runs), i;
    double *values, *own;

    json_array_foreach(runs, i, run)
    {
        most = json_array_size(run) > most ? json_array_size(run) : most;
    }
    values = calloc(most + 1, sizeof(*values));
    own = calloc(most + 1, sizeof(*own));
    if (values == NULL || own == NULL) {
        free(values);
        free(own);
        return no_memory();
    }
    json_array_foreach(runs, i, run)
    {
        copy_values(run, own);
        values[i] = pario_geometric_mean(own, json_array_size(run));
    }
    *count_p = json_array_size(runs);
    if (*count_p == 1) {
        *count_p = json_array_size(json_array_get(runs, 0));
        copy_values(json_array_get(runs, 0), values);
    }
    free(own);
    *values_p = values;
    return 0;
}

json_t *pario_index_shared(const struct pario_index *index)
{
    json_t *shared = json_object(), *entry;
    const char *key;
    int first = 1;

    if (shared == NULL || json_object_size(index->measures) < 2)
        return shared;
    json_object_foreach(index->measures, key, entry)
    {
        json_t *what = json_object_get(entry, "what");

        if (first)
            (void)json_object_update(shared, what);
        pario_identity_share(shared, what);
        first = 0;
    }
    (void)json_object_del(shared, "test");
    return shared;
}

static void drop_shared(json_t *rest, const json_t *shared)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)shared, name, value)
    {
        (void)json_object_del(rest, name);
    }
}

/* What is left when test, access and number of processes are said. */
static char *other_members(json_t *what, const json_t *shared)
{
    static const char *const said[] = {"test", "access", "partition"};
    json_t *rest = json_copy(what);
    char *text;

    drop_shared(rest, shared);
    if (json_equal(json_object_get(what, "section"),
                   json_object_get(what, "test")))
        (void)json_object_del(rest, "section");
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        (void)json_object_del(rest, said[i]);
    text = rest != NULL ? pario_members_plain(NULL, rest, NULL) : NULL;
    json_decref(rest);
    return text;
}

char *pario_entry_name(const json_t *entry, const json_t *shared)
{
    json_t *what = json_object_get(entry, "what");
    const char *plain = json_string_value(json_object_get(entry, "test"));
    const char *test = json_string_value(json_object_get(what, "test"));
    const char *access = json_string_value(json_object_get(what, "access"));
    json_int_t processes =
        json_integer_value(json_object_get(what, "partition"));
    char *text = NULL, *others = other_members(what, shared), count[48] = "";

    if (json_object_get(shared, "access") != NULL)
        access = NULL;
    if (json_object_get(shared, "partition") == NULL)
        snprintf(count, sizeof(count), ", %" JSON_INTEGER_FORMAT " process%s",
                 processes, processes == 1 ? "" : "es");
    if (others == NULL ||
        asprintf(&text, "%s%s%s%s%s%s", plain != NULL ? plain : test,
                 access == NULL  ? ""
                 : plain != NULL ? ", "
                                 : " ",
                 access != NULL ? access : "", count,
                 others[0] != '\0' ? ", " : "", others) < 0)
        text = NULL;
    free(others);
    return text;
}
