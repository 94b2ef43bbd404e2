/* report/compare.c - matches the measures of two results by what they are. */
#include "report/compare.h"
#include "report/compare_settings.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 256 /* repetitions of one measure */

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "compare");
}

/* What a measure is, apart from where it was made: directories of prio match by
 * their place in the run, and a series of shipbench is known by its name. A new
 * reference; NULL: no memory. */
static json_t *matching_identity(const json_t *measure, json_t *directories)
{
    json_t *identity = pario_measure_identity(measure);
    const char *directory = pario_text_of(identity, "directory", NULL);
    json_t *place;

    if (json_object_get(identity, "series") != NULL) {
        (void)json_object_del(identity, "hints");
        (void)json_object_del(identity, "library");
    }
    if (directory == NULL)
        return identity;
    place = json_object_get(directories, directory);
    if (place == NULL) {
        place = json_integer((json_int_t)json_object_size(directories) + 1);
        (void)json_object_set_new(directories, directory, place);
    }
    if (json_integer_value(place) > 1)
        (void)json_object_set(identity, "directory", place);
    else
        (void)json_object_del(identity, "directory");
    return identity;
}

/* The rates of a measure: of each pass where it tells them. */
static int add_rates(json_t *list, const json_t *measure)
{
    const json_t *passes = json_object_get(measure, "passes_mbps");
    json_t *pass;
    size_t i;

    if (json_array_size(passes) == 0)
        return json_array_append(list,
                                 json_object_get(measure, "bandwidth_mbps"));
    json_array_foreach(passes, i, pass)
    {
        if (json_number_value(pass) > 0 && json_array_append(list, pass) != 0)
            return -1;
    }
    return 0;
}

/* Measures by their identity as text: {"mbps": [...], "caches": {...}, "what":
 * identity, "flags": bits}. Those that failed are not among them. */
static int add_measure(json_t *index, const json_t *measure, unsigned flags,
                       json_t *directories)
{
    json_t *identity = matching_identity(measure, directories), *entry;
    const char *cache = pario_text_of(measure, "cache", NULL);
    char *key;
    void (*json_free)(void *);
    int bad;

    if (identity == NULL)
        return no_memory();
    json_get_alloc_funcs(NULL, &json_free);
    key = json_dumps(identity, JSON_SORT_KEYS | JSON_COMPACT);
    entry = key != NULL ? json_object_get(index, key) : NULL;
    if (key != NULL && entry == NULL) {
        entry = json_pack("{s:[], s:{}, s:O, s:i}", "mbps", "caches", "what",
                          identity, "flags", 0);
        if (json_object_set_new(index, key, entry) != 0)
            entry = NULL;
    }
    flags |= (unsigned)pario_integer_of(entry, "flags");
    bad = entry == NULL ||
          add_rates(json_object_get(entry, "mbps"), measure) != 0 ||
          json_object_set_new(entry, "flags", json_integer(flags)) != 0 ||
          json_object_set_new(json_object_get(entry, "caches"), cache,
                              json_true()) != 0;
    json_free(key);
    json_decref(identity);
    return bad ? no_memory() : 0;
}

static int make_index(const json_t *document, json_t **index_p,
                      json_t **directories_p)
{
    json_t *index = json_object(), *directories = json_object();
    const json_t *measure;
    size_t i;
    int code = index != NULL && directories != NULL ? 0 : no_memory();

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        const json_t *mbps = json_object_get(measure, "bandwidth_mbps");
        unsigned flags = pario_measure_flags(document, measure);

        if (code == 0 && json_is_number(mbps) && json_number_value(mbps) > 0 &&
            !(flags & PARIO_FLAG_FAILED))
            code = add_measure(index, measure, flags, directories);
    }
    if (code != 0) {
        json_decref(index);
        json_decref(directories);
        return code;
    }
    *index_p = index;
    *directories_p = directories;
    return 0;
}

static const char *at_place(json_t *directories, size_t place)
{
    const char *name;
    json_t *value;

    json_object_foreach(directories, name, value)
    {
        if (json_integer_value(value) == (json_int_t)place)
            return name;
    }
    return NULL;
}

/* Directories that differ are a difference in settings. */
static int note_directories(struct pario_comparison *c, json_t *there,
                            json_t *here)
{
    for (size_t i = 1; i <= json_object_size(there); i++) {
        const char *was = at_place(there, i), *is = at_place(here, i);

        if (is != NULL && strcmp(was, is) != 0 &&
            json_array_append_new(
                c->differences, json_sprintf("directory %d: %s there, %s here",
                                             (int)i, was, is)) != 0)
            return no_memory();
    }
    return 0;
}

static size_t values_of(const json_t *entry, double values[MAX_VALUES])
{
    const json_t *list = json_object_get(entry, "mbps");
    size_t n = json_array_size(list);

    n = n < MAX_VALUES ? n : MAX_VALUES;
    for (size_t i = 0; i < n; i++)
        values[i] = json_number_value(json_array_get(list, i));
    return n;
}

static double geometric_mean(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return exp(sum / (double)n);
}

static void put_figure(struct pario_table *table, double value)
{
    char text[PARIO_FIGURE_LEN];

    (void)pario_table_cell(table, "%s", pario_figure(value, text));
}

static void put_ratio(struct pario_table *table,
                      const struct pario_ratio *ratio)
{
    (void)pario_table_cell(table, "%.3f", ratio->ratio);
    if (ratio->known)
        (void)pario_table_cell(table, "%.3f to %.3f", ratio->low, ratio->high);
    else
        (void)pario_table_cell(table, "%s", "n/a");
    (void)pario_table_cell(table, "%s", pario_ratio_verdict(ratio));
}

/* "disk", or "disk/cache" of repetitions that differ. Returns text. */
static char *names_of(json_t *object, char text[64])
{
    const char *name;
    json_t *value;

    text[0] = '\0';
    json_object_foreach(object, name, value)
    {
        size_t used = strlen(text);

        snprintf(text + used, 64 - used, "%s%s", used > 0 ? "/" : "", name);
    }
    return text;
}

/* One word where both sides have it, "base: x, new: y" where not. */
static void put_both(struct pario_table *table, const char *there,
                     const char *here)
{
    if (strcmp(there, here) == 0)
        (void)pario_table_cell(table, "%s", there);
    else
        (void)pario_table_cell(table, "base: %s, new: %s",
                               there[0] != '\0' ? there : "none",
                               here[0] != '\0' ? here : "none");
}

static void put_words(struct pario_table *table, unsigned there, unsigned here)
{
    char was[PARIO_FLAGS_LEN], is[PARIO_FLAGS_LEN];

    put_both(table, pario_flags_print(there, was), pario_flags_print(here, is));
}

/* The cache has a column of its own. */
static void put_flags(struct pario_table *table, unsigned there, unsigned here)
{
    const unsigned cache =
        PARIO_FLAG_CACHE | PARIO_FLAG_MIXED | PARIO_FLAG_UNKNOWN;

    put_words(table, there & ~cache, here & ~cache);
}

static unsigned flags_of(const json_t *entry)
{
    return (unsigned)pario_integer_of(entry, "flags");
}

/* Members that all measures have alike; a new reference, NULL: no memory. */
static json_t *shared_members(json_t *index)
{
    json_t *first = NULL, *shared = json_object(), *entry, *value;
    const char *key, *name;

    if (shared == NULL || json_object_size(index) < 2)
        return shared;
    json_object_foreach(index, key, entry)
    {
        json_t *what = json_object_get(entry, "what");

        if (first == NULL) {
            first = what;
            (void)json_object_update(shared, first);
        }
        json_object_foreach(first, name, value)
        {
            if (!json_equal(json_object_get(what, name), value))
                (void)json_object_del(shared, name);
        }
    }
    (void)json_object_del(shared, "test");
    return shared;
}

/* "common_file write, 4 processes, method=posix": what tells a measure from
 * the others. The caller frees it; NULL: no memory. */
static char *what_text(json_t *what, json_t *shared)
{
    json_t *rest = json_copy(what), *value;
    const char *test = pario_text_of(what, "test", NULL);
    const char *access = pario_text_of(what, "access", NULL);
    long long processes = pario_integer_of(what, "partition");
    char *text = NULL, *others, count[48] = "";
    const char *name;

    json_object_foreach(shared, name, value)
    {
        (void)json_object_del(rest, name);
    }
    if (json_object_get(rest, "partition") != NULL)
        snprintf(count, sizeof(count), ", %lld process%s", processes,
                 processes == 1 ? "" : "es");
    if (json_equal(json_object_get(rest, "section"),
                   json_object_get(rest, "test")))
        (void)json_object_del(rest, "section");
    (void)json_object_del(rest, "test");
    (void)json_object_del(rest, "access");
    (void)json_object_del(rest, "partition");
    others = rest != NULL ? pario_value_short(rest) : NULL;
    if (others == NULL ||
        asprintf(&text, "%s%s%s%s%s%s", test, access != NULL ? " " : "",
                 access != NULL ? access : "", count,
                 others[0] != '\0' ? ", " : "", others) < 0)
        text = NULL;
    free(others);
    json_decref(rest);
    return text;
}

static int add_row(struct pario_comparison *c, const json_t *there,
                   const json_t *here, double *log_ratio_p)
{
    double base[MAX_VALUES], now[MAX_VALUES];
    size_t nbase = values_of(there, base), nnow = values_of(here, now);
    struct pario_ratio ratio;
    char *what = what_text(json_object_get(there, "what"), c->shared);
    char was[64], is[64];
    int code;

    if (what == NULL)
        return no_memory();
    code = pario_ratio_of(base, nbase, now, nnow, &ratio);
    if (code == 0) {
        (void)pario_table_cell(c->measures, "%s", what);
        put_figure(c->measures, geometric_mean(base, nbase));
        put_figure(c->measures, geometric_mean(now, nnow));
        (void)pario_table_cell(c->measures, "%zu/%zu", nbase, nnow);
        put_ratio(c->measures, &ratio);
        put_both(c->measures, names_of(json_object_get(there, "caches"), was),
                 names_of(json_object_get(here, "caches"), is));
        put_flags(c->measures, flags_of(there), flags_of(here));
        *log_ratio_p = log(ratio.ratio);
        if (ratio.known && ratio.high < 1 && ratio.ratio < c->worst_shown)
            c->worst_shown = ratio.ratio;
    }
    free(what);
    return 0;
}

/* The mean over all measures, with the spread between them. */
static void judge_overall(struct pario_comparison *c, const double *logs)
{
    struct pario_moments m;
    double half;

    c->overall = (struct pario_ratio){.ratio = 1};
    if (c->matched == 0)
        return;
    pario_moments_init(&m);
    for (size_t i = 0; i < c->matched; i++)
        pario_moments_add(&m, logs[i]);
    c->overall.ratio = c->overall.low = c->overall.high = exp(m.mean);
    if (c->matched < 2)
        return;
    half = pario_student((double)(c->matched - 1)) * pario_moments_stddev(&m) /
           sqrt((double)c->matched);
    c->overall.low = exp(m.mean - half);
    c->overall.high = exp(m.mean + half);
    c->overall.known = 1;
}

static int match(struct pario_comparison *c, json_t *there, json_t *here)
{
    double *logs = calloc(json_object_size(there) + 1, sizeof(*logs));
    size_t caches = 0;
    const char *key;
    json_t *entry;
    int code = 0;

    c->shared = shared_members(there);
    if (logs == NULL || c->shared == NULL) {
        free(logs);
        return no_memory();
    }
    json_object_foreach(there, key, entry)
    {
        const json_t *other = json_object_get(here, key);

        if (code != 0 || other == NULL)
            continue;
        code = add_row(c, entry, other, &logs[c->matched]);
        caches += !json_equal(json_object_get(entry, "caches"),
                              json_object_get(other, "caches"));
        c->matched++;
    }
    c->only_base = json_object_size(there) - c->matched;
    c->only_now = json_object_size(here) - c->matched;
    if (code == 0)
        judge_overall(c, logs);
    free(logs);
    if (code == 0 && caches > 0 &&
        json_array_append_new(
            c->differences,
            json_sprintf("cache verdict: differs in %zu of %zu measures",
                         caches, c->matched)) != 0)
        code = no_memory();
    return code;
}

static double headline_rate(const char *name, const json_t *value)
{
    size_t len = strlen(name);
    double number = json_is_number(value) ? json_number_value(value) : 0;

    if ((len > 5 && strcmp(name + len - 5, "_mbps") == 0) ||
        (len > 12 && strcmp(name + len - 12, "_bytes_per_s") == 0))
        return number;
    return 0;
}

static int compare_headlines(struct pario_comparison *c, const json_t *base,
                             const json_t *now)
{
    static const char *const headers[] = {"headline", "base", "new", "ratio",
                                          "flags"};
    json_t *there = json_object_get(base, "summary");
    const json_t *here = json_object_get(now, "summary");
    const char *name;
    json_t *value;
    int code = 0;

    c->worst_headline = INFINITY;
    json_object_foreach(there, name, value)
    {
        double was = headline_rate(name, value);
        double is = headline_rate(name, json_object_get(here, name));

        if (code != 0 || was <= 0)
            continue;
        if (is <= 0) {
            c->missing_headlines++;
            continue;
        }
        if (c->headline == NULL)
            code = pario_table_create(5, headers, &c->headline);
        if (code != 0)
            continue;
        (void)pario_table_cell(c->headline, "%s", name);
        put_figure(c->headline, was);
        put_figure(c->headline, is);
        (void)pario_table_cell(c->headline, "%.3f", is / was);
        put_words(c->headline, pario_summary_flags(base, name),
                  pario_summary_flags(now, name));
        if (is / was < c->worst_headline)
            c->worst_headline = is / was;
    }
    return code;
}

static int is_sound(const json_t *document)
{
    const char *status = pario_document_status(document);

    return strcmp(status, "VALID") == 0 || strcmp(status, "PRELIMINARY") == 0;
}

static int check_pair(const struct pario_run_shown *base,
                      const struct pario_run_shown *now, int allow_invalid)
{
    const char *there = pario_text_of(base->document, "suite", NULL);
    const char *here = pario_text_of(now->document, "suite", NULL);

    if (strcmp(there, here) != 0)
        return pario_fail(PARIO_EUSAGE,
                          "cannot compare %s with %s: one is a result of %s, "
                          "the other of %s",
                          base->label, now->label, there, here);
    if (!allow_invalid &&
        (!is_sound(base->document) || !is_sound(now->document)))
        return pario_fail(PARIO_EUSAGE,
                          "%s is %s and %s is %s: figures of a run that is "
                          "not valid are not compared (--allow-invalid does "
                          "it all the same)",
                          base->label, pario_document_status(base->document),
                          now->label, pario_document_status(now->document));
    return 0;
}

int pario_compare(const struct pario_run_shown *base,
                  const struct pario_run_shown *now, int allow_invalid,
                  struct pario_comparison *comparison_p)
{
    static const char *const headers[] = {"measure", "base MB/s", "new MB/s",
                                          "n",       "ratio",     "95 %",
                                          "verdict", "cache",     "flags"};
    struct pario_comparison c = {.worst_shown = INFINITY};
    json_t *there = NULL, *here = NULL, *was = NULL, *is = NULL;
    int code = check_pair(base, now, allow_invalid);

    if (code == 0)
        code = pario_settings_compare(base->document, now->document,
                                      &c.differences);
    if (code == 0)
        code = pario_table_create(9, headers, &c.measures);
    if (code == 0)
        code = compare_headlines(&c, base->document, now->document);
    if (code == 0)
        code = make_index(base->document, &there, &was);
    if (code == 0)
        code = make_index(now->document, &here, &is);
    if (code == 0)
        code = note_directories(&c, was, is);
    if (code == 0)
        code = match(&c, there, here);
    json_decref(there);
    json_decref(here);
    json_decref(was);
    json_decref(is);
    if (code != 0) {
        pario_comparison_fini(&c);
        return code;
    }
    *comparison_p = c;
    return 0;
}

void pario_comparison_fini(struct pario_comparison *comparison)
{
    json_decref(comparison->differences);
    json_decref(comparison->shared);
    pario_table_destroy(comparison->headline);
    pario_table_destroy(comparison->measures);
    *comparison = (struct pario_comparison){.matched = 0};
}

/* "base: LABEL: INVALID: why; why" */
static void put_status(const char *side, const struct pario_run_shown *run,
                       FILE *out, enum pario_format format)
{
    const json_t *reasons = json_object_get(run->document, "invalid_reasons");
    const char *status = pario_document_status(run->document);
    int html = format == PARIO_FORMAT_HTML;
    const json_t *text;
    size_t i;

    if (html)
        fprintf(out, "<p class=\"status status-%s\">", status);
    fprintf(out, "%s: ", side);
    pario_cell_put(out, run->label, format);
    fprintf(out, ": %s%s", status,
            strcmp(status, "PRELIMINARY") == 0
                ? ": not an official figure by the suite's rules"
            : strcmp(status, "UNFINISHED") == 0 ? ": the run did not finish"
                                                : "");
    json_array_foreach(reasons, i, text)
    {
        fputs(i == 0 ? ": " : "; ", out);
        pario_cell_put(out, json_string_value(text), format);
    }
    fputs(html ? "</p>\n" : "\n", out);
}

static void put_differences(const struct pario_comparison *c, FILE *out,
                            enum pario_format format)
{
    int html = format == PARIO_FORMAT_HTML;
    const json_t *text;
    size_t i;

    if (html && json_array_size(c->differences) > 0)
        fputs("<ul class=\"warnings\">\n", out);
    json_array_foreach(c->differences, i, text)
    {
        fputs(html ? "<li>" : "warning: ", out);
        pario_cell_put(out, json_string_value(text), format);
        fputs(html ? "</li>\n" : "\n", out);
    }
    if (html && json_array_size(c->differences) > 0)
        fputs("</ul>\n", out);
}

/* What all measures have alike, once. */
static void put_shared(const struct pario_comparison *c, FILE *out,
                       enum pario_format format)
{
    int html = format == PARIO_FORMAT_HTML;
    char *text = pario_value_short(c->shared);

    if (text != NULL && text[0] != '\0') {
        fputs(html ? "<p class=\"note\">all measures: " : "all measures: ",
              out);
        pario_cell_put(out, text, format);
        fputs(html ? "</p>\n" : "\n\n", out);
    }
    free(text);
}

static void put_overall(const struct pario_comparison *c, FILE *out)
{
    if (c->matched == 0) {
        fputs("no measure is in both\n", out);
        return;
    }
    fprintf(out, "overall: ratio %.3f", c->overall.ratio);
    if (c->overall.known)
        fprintf(out, " (95 %%: %.3f to %.3f), %s", c->overall.low,
                c->overall.high, pario_ratio_verdict(&c->overall));
    fprintf(out, ", geometric mean of %zu measures\n", c->matched);
    if (c->only_base + c->only_now + c->missing_headlines > 0)
        fprintf(out,
                "not compared: %zu measures and %zu headline figures only in "
                "the base, %zu measures only in the new\n",
                c->only_base, c->missing_headlines, c->only_now);
}

int pario_comparison_print(const struct pario_comparison *comparison,
                           const struct pario_run_shown *base,
                           const struct pario_run_shown *now, FILE *out,
                           enum pario_format format)
{
    int html = format == PARIO_FORMAT_HTML, code = 0;

    fputs(html ? "<h3>" : "", out);
    pario_cell_put(out, now->label, format);
    fputs(" against ", out);
    pario_cell_put(out, base->label, format);
    fputs(html ? "</h3>\n" : "\n", out);
    put_status("base", base, out, format);
    put_status("new", now, out, format);
    put_differences(comparison, out, format);
    fputs(html ? "<p class=\"status\">" : "\n", out);
    put_overall(comparison, out);
    fputs(html ? "</p><div class=\"scroll\" tabindex=\"0\">\n" : "\n", out);
    if (comparison->headline != NULL)
        code = pario_table_render(comparison->headline, out, format);
    fputs(html ? "</div>\n" : "\n", out);
    put_shared(comparison, out, format);
    fputs(html ? "<div class=\"scroll\" tabindex=\"0\">\n" : "", out);
    if (code == 0 && comparison->matched > 0)
        code = pario_table_render(comparison->measures, out, format);
    fputs(html ? "</div>\n" : "", out);
    return code;
}
