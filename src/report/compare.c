/* report/compare.c - matches the measures of two sides by what they are. */
#include "report/compare.h"
#include "core/stats.h"
#include "report/compare_index.h"
#include "report/compare_settings.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "compare");
}

static json_t *list_in(json_t *comparison, const char *name)
{
    return json_object_get(comparison, name);
}

static int is_sound(const json_t *document)
{
    const char *status = pario_document_status(document);

    return strcmp(status, "VALID") == 0 || strcmp(status, "PRELIMINARY") == 0;
}

static const char *suite_of(const struct pario_run_shown *run)
{
    return json_string_value(json_object_get(run->document, "suite"));
}

static int check_run(const struct pario_run_shown *first,
                     const struct pario_run_shown *run, int allow_invalid)
{
    if (strcmp(suite_of(first), suite_of(run)) != 0)
        return pario_fail(PARIO_EUSAGE,
                          "cannot compare %s with %s: one is a result of %s, "
                          "the other of %s",
                          first->label, run->label, suite_of(first),
                          suite_of(run));
    if (!allow_invalid && !is_sound(run->document))
        return pario_fail(PARIO_EUSAGE,
                          "%s is %s: figures of a run that is not valid are "
                          "not compared (--allow-invalid does it all the same)",
                          run->label, pario_document_status(run->document));
    return 0;
}

static int check_sides(const struct pario_side *base,
                       const struct pario_side *now, int allow_invalid)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < base->count; i++)
        code = check_run(&base->runs[0], &base->runs[i], allow_invalid);
    for (size_t i = 0; code == 0 && i < now->count; i++)
        code = check_run(&base->runs[0], &now->runs[i], allow_invalid);
    return code;
}

/* Its runs with their status and what makes them invalid. */
static json_t *describe_side(const struct pario_side *side)
{
    json_t *runs = json_array();

    for (size_t i = 0; i < side->count; i++) {
        const json_t *document = side->runs[i].document;
        json_t *reasons = json_object_get(document, "invalid_reasons");

        (void)json_array_append_new(
            runs,
            json_pack("{s:s, s:s, s:o}", "label", side->runs[i].label, "status",
                      pario_document_status(document), "reasons",
                      json_is_array(reasons) ? json_copy(reasons)
                                             : json_array()));
    }
    return json_array_size(runs) == side->count ? runs : NULL;
}

/* Runs that are taken for repetitions and are none say so. */
static int note_within(json_t *list, const struct pario_side *side,
                       const char *name)
{
    int code = 0;

    for (size_t i = 1; code == 0 && i < side->count; i++) {
        json_t *found = NULL;
        const json_t *text;
        size_t k;

        code = pario_settings_compare(side->runs[0].document,
                                      side->runs[i].document, &found);
        json_array_foreach(found, k, text)
        {
            if (code == 0 &&
                json_array_append_new(
                    list,
                    json_sprintf("%s is not one set of repetitions: %s "
                                 "and %s: %s",
                                 name, side->runs[0].label, side->runs[i].label,
                                 json_string_value(text))) != 0)
                code = no_memory();
        }
        json_decref(found);
    }
    return code;
}

/* Directories and files that differ are a difference in settings; they are
 * numbered as they were met, which is how an object keeps them. */
static int note_places(json_t *list, const char *kind, json_t *there,
                       json_t *here)
{
    void *was = json_object_iter(there), *is = json_object_iter(here);

    for (int i = 1; was != NULL && is != NULL; i++) {
        const char *before = json_object_iter_key(was);
        const char *now = json_object_iter_key(is);

        if (strcmp(before, now) != 0 &&
            json_array_append_new(list, json_sprintf("%s %d: %s -> %s", kind, i,
                                                     before, now)) != 0)
            return no_memory();
        was = json_object_iter_next(there, was);
        is = json_object_iter_next(here, is);
    }
    return 0;
}

/* The values of one figure on both sides. */
struct values {
    double *base, *now;
    size_t nbase, nnow;
    int is_time; /* less is better: the ratio is of speeds all the same */
};

static void free_values(struct values *values)
{
    free(values->base);
    free(values->now);
}

/* A row of headlines or measures; NULL: no memory. name is freed. */
static json_t *make_row(char *name, const char *figure, const struct values *v,
                        struct pario_ratio *ratio_p)
{
    json_t *row;
    int code =
        v->is_time
            ? pario_ratio_of(v->now, v->nnow, v->base, v->nbase, ratio_p)
            : pario_ratio_of(v->base, v->nbase, v->now, v->nnow, ratio_p);

    row =
        code == 0 && name != NULL
            ? json_pack("{s:s, s:s, s:f, s:f, s:i, s:i, s:f, s:o, s:o, s:s}",
                        "name", name, "figure", figure, "base",
                        pario_geometric_mean(v->base, v->nbase), "new",
                        pario_geometric_mean(v->now, v->nnow), "base_n",
                        (int)v->nbase, "new_n", (int)v->nnow, "ratio",
                        ratio_p->ratio, "low",
                        ratio_p->known ? json_real(ratio_p->low) : json_null(),
                        "high",
                        ratio_p->known ? json_real(ratio_p->high) : json_null(),
                        "verdict", pario_ratio_verdict(ratio_p))
            : NULL;
    free(name);
    return row;
}

static int add_row(json_t *list, json_t *row, unsigned base_flags,
                   unsigned new_flags)
{
    if (row == NULL ||
        json_object_set_new(row, "base_flags", pario_flags_json(base_flags)) ||
        json_object_set_new(row, "new_flags", pario_flags_json(new_flags)) ||
        json_array_append(list, row) != 0) {
        json_decref(row);
        return no_memory();
    }
    json_decref(row);
    return 0;
}

/* "disk", or "disk/cache" of repetitions that differ. */
static json_t *names_of(json_t *object)
{
    char text[64] = "";
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value)
    {
        size_t used = strlen(text);

        snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? "/" : "",
                 name);
    }
    return pario_json_text(text);
}

static unsigned flags_of(const json_t *entry)
{
    return (unsigned)json_integer_value(json_object_get(entry, "flags"));
}

static int add_measure(json_t *comparison, const json_t *shared,
                       const json_t *there, const json_t *here,
                       struct pario_moments *logs)
{
    struct values values = {0};
    struct pario_ratio ratio;
    json_t *row = NULL;
    int code = pario_entry_values(there, &values.base, &values.nbase);

    if (code == 0)
        code = pario_entry_values(here, &values.now, &values.nnow);
    if (code == 0) {
        row = make_row(pario_entry_name(there, shared),
                       json_string_value(json_object_get(there, "figure")),
                       &values, &ratio);
        if (row != NULL)
            pario_moments_add(logs, log(ratio.ratio));
        (void)json_object_set_new(row, "base_cache",
                                  names_of(json_object_get(there, "caches")));
        (void)json_object_set_new(row, "new_cache",
                                  names_of(json_object_get(here, "caches")));
        code = add_row(list_in(comparison, "measures"), row, flags_of(there),
                       flags_of(here));
    }
    free_values(&values);
    return code;
}

/* What only one side has, by name. */
static int add_missing(json_t *list, const struct pario_index *index,
                       const struct pario_index *other, const json_t *shared)
{
    const char *key;
    json_t *entry;
    int code = 0;

    json_object_foreach(index->measures, key, entry)
    {
        char *name;

        if (code != 0 || json_object_get(other->measures, key) != NULL)
            continue;
        name = pario_entry_name(entry, shared);
        if (name == NULL ||
            json_array_append_new(list, pario_json_text(name)) != 0)
            code = no_memory();
        free(name);
    }
    return code;
}

unsigned pario_comparison_flags(const json_t *row)
{
    return pario_flags_from_json(json_object_get(row, "base_flags")) |
           pario_flags_from_json(json_object_get(row, "new_flags"));
}

/* The mean over all measures, with the spread between them. */
static int set_overall(json_t *comparison, const struct pario_moments *m)
{
    struct pario_ratio overall = {.known = m->count > 1};
    struct pario_flag_sum flags = {0};
    const json_t *row;
    double half;
    size_t i;

    if (m->count == 0)
        return json_object_set_new(comparison, "overall", json_null());
    half = overall.known ? pario_student((double)(m->count - 1)) *
                               pario_moments_stddev(m) / sqrt((double)m->count)
                         : 0;
    json_array_foreach(json_object_get(comparison, "measures"), i, row)
    {
        pario_flag_sum_add(&flags, pario_comparison_flags(row));
    }
    overall.ratio = fmin(exp(m->mean), 1e300);
    overall.low = exp(m->mean - half);
    overall.high = fmin(exp(m->mean + half), 1e300);
    return json_object_set_new(
        comparison, "overall",
        json_pack("{s:f, s:o, s:o, s:s, s:I, s:o}", "ratio", overall.ratio,
                  "low", overall.known ? json_real(overall.low) : json_null(),
                  "high", overall.known ? json_real(overall.high) : json_null(),
                  "verdict", pario_ratio_verdict(&overall), "measures",
                  (json_int_t)m->count, "flags",
                  pario_flags_json(pario_flag_sum_get(&flags))));
}

static int match_measures(json_t *comparison, const struct pario_index *there,
                          const struct pario_index *here)
{
    json_t *shared = pario_index_shared(there), *entry;
    json_t *differences = list_in(comparison, "differences");
    struct pario_moments logs;
    json_int_t caches = 0;
    const char *key;
    int code = shared != NULL ? 0 : no_memory();

    pario_moments_init(&logs);
    json_object_foreach(there->measures, key, entry)
    {
        const json_t *other = json_object_get(here->measures, key);

        if (code != 0 || other == NULL)
            continue;
        code = add_measure(comparison, shared, entry, other, &logs);
        caches += !json_equal(json_object_get(entry, "caches"),
                              json_object_get(other, "caches"));
    }
    if (code == 0)
        code =
            add_missing(list_in(comparison, "only_base"), there, here, shared);
    if (code == 0)
        code =
            add_missing(list_in(comparison, "only_new"), here, there, shared);
    if (code == 0 &&
        (set_overall(comparison, &logs) != 0 ||
         json_object_set(comparison, "all_measures", shared) != 0 ||
         (caches > 0 &&
          json_array_append_new(
              differences,
              json_sprintf("cache verdict: differs in %" JSON_INTEGER_FORMAT
                           " of %" JSON_INTEGER_FORMAT " measures",
                           caches, (json_int_t)logs.count)) != 0)))
        code = no_memory();
    json_decref(shared);
    return code;
}

/* Is a figure of the summary compared, and is less of it better? */
static int is_compared(const char *name, int *is_time_p)
{
    static const struct {
        const char *ending;
        int is_time;
    } kinds[] = {{"_mbps", 0},  {"_per_s", 0}, {"_iops", 0}, {"_ns", 1},
                 {"_gibps", 0}, {"_kiops", 0}, {"_score", 0}};
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t end = strlen(kinds[i].ending);

        if (len > end && strcmp(name + len - end, kinds[i].ending) == 0) {
            *is_time_p = kinds[i].is_time;
            return 1;
        }
    }
    return 0;
}

static int headline_values(const struct pario_side *side, const char *figure,
                           double **values_p, size_t *count_p)
{
    double *values = calloc(side->count, sizeof(*values));

    if (values == NULL)
        return no_memory();
    *count_p = 0;
    for (size_t i = 0; i < side->count; i++) {
        double value = json_number_value(json_object_get(
            json_object_get(side->runs[i].document, "summary"), figure));

        if (value > 0)
            values[(*count_p)++] = value;
    }
    *values_p = values;
    return 0;
}

static unsigned headline_flags(const struct pario_side *side,
                               const char *figure)
{
    unsigned flags = 0;

    for (size_t i = 0; i < side->count; i++)
        flags |= pario_summary_flags(side->runs[i].document, figure);
    return flags;
}

static int add_headline(json_t *comparison, const struct pario_side *base,
                        const struct pario_side *now, const char *figure)
{
    struct values values = {0};
    struct pario_ratio ratio;
    char *name = NULL;
    int code;

    if (!is_compared(figure, &values.is_time))
        return 0;
    code = headline_values(base, figure, &values.base, &values.nbase);
    if (code == 0)
        code = headline_values(now, figure, &values.now, &values.nnow);
    if (code == 0 && values.nbase > 0) {
        name = pario_headline_name(base->runs[0].document, figure);
        if (values.nnow > 0)
            code = add_row(list_in(comparison, "headlines"),
                           make_row(name, figure, &values, &ratio),
                           headline_flags(base, figure),
                           headline_flags(now, figure));
        else {
            code = name != NULL && json_array_append_new(
                                       list_in(comparison, "only_base"),
                                       json_sprintf("headline: %s", name)) == 0
                       ? 0
                       : no_memory();
            free(name);
        }
    }
    free_values(&values);
    return code;
}

static int match_headlines(json_t *comparison, const struct pario_side *base,
                           const struct pario_side *now)
{
    json_t *summary = json_object_get(base->runs[0].document, "summary");
    const json_t *value;
    const char *figure;
    int code = 0;

    json_object_foreach(summary, figure, value)
    {
        if (code == 0 && json_is_number(value))
            code = add_headline(comparison, base, now, figure);
    }
    return code;
}

/* How many of the measures have which verdict. */
static int count_verdicts(json_t *comparison)
{
    static const struct {
        const char *verdict, *name;
    } verdicts[] = {{"faster", "faster"},
                    {"slower", "slower"},
                    {"the same", "same"},
                    {"too noisy", "too_noisy"},
                    {"not judged", "not_judged"}};
    const json_t *row;
    size_t i;

    for (size_t k = 0; k < sizeof(verdicts) / sizeof(verdicts[0]); k++) {
        json_int_t count = 0;

        json_array_foreach(list_in(comparison, "measures"), i, row)
        {
            count += strcmp(json_string_value(json_object_get(row, "verdict")),
                            verdicts[k].verdict) == 0;
        }
        if (json_object_set_new(comparison, verdicts[k].name,
                                json_integer(count)) != 0)
            return no_memory();
    }
    return 0;
}

static json_t *new_comparison(const struct pario_side *base,
                              const struct pario_side *now)
{
    return json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:n, s:[], s:[], "
                     "s:[], s:[], s:[], s:{}}",
                     "suite", suite_of(&base->runs[0]), "base",
                     describe_side(base), "new", describe_side(now), "faster",
                     0, "slower", 0, "same", 0, "not_judged", 0, "overall",
                     "differences", "headlines", "measures", "only_base",
                     "only_new", "all_measures");
}

static int fill(json_t *comparison, const struct pario_side *base,
                const struct pario_side *now)
{
    struct pario_index there = {0}, here = {0};
    json_t *list = list_in(comparison, "differences"), *settings = NULL;
    int code = pario_settings_compare(base->runs[0].document,
                                      now->runs[0].document, &settings);

    if (code == 0 && json_array_extend(list, settings) != 0)
        code = no_memory();
    json_decref(settings);
    if (code == 0)
        code = note_within(list, base, "the base");
    if (code == 0)
        code = note_within(list, now, "the new");
    if (code == 0)
        code = match_headlines(comparison, base, now);
    if (code == 0)
        code = pario_index_init(&there, base);
    if (code == 0)
        code = pario_index_init(&here, now);
    if (code == 0)
        code = note_places(list, "directory",
                           json_object_get(there.places, "directory"),
                           json_object_get(here.places, "directory"));
    if (code == 0)
        code =
            note_places(list, "file", json_object_get(there.places, "filename"),
                        json_object_get(here.places, "filename"));
    if (code == 0)
        code = match_measures(comparison, &there, &here);
    if (code == 0)
        code = count_verdicts(comparison);
    pario_index_fini(&there);
    pario_index_fini(&here);
    return code;
}

int pario_compare(const struct pario_side *base, const struct pario_side *now,
                  int allow_invalid, json_t **comparison_p)
{
    json_t *comparison;
    int code = check_sides(base, now, allow_invalid);

    if (code != 0)
        return code;
    comparison = new_comparison(base, now);
    code = comparison != NULL ? fill(comparison, base, now) : no_memory();
    if (code != 0) {
        json_decref(comparison);
        return code;
    }
    *comparison_p = comparison;
    return 0;
}
