/* suites/beffio/plot.c - the three diagrams of Figure 3: bandwidth over chunk
 * size, one line per type, for write, rewrite and read. They are the report's
 * figures of the document, drawn as the report draws them; as in the paper the
 * bandwidth is on a logarithmic scale. */
#include "core/path.h"
#include "report/measures.h"
#include "report/plots.h"
#include "result/value.h"
#include "suites/beffio/beffio.h"
#include "suites/beffio/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_of(const json_t *measure, const struct beffio_figures *figures)
{
    const json_t *parameters = json_object_get(measure, "parameters");

    return pario_integer_of(measure, "partition") == figures->partition &&
           pario_integer_of(parameters, "repetition") == figures->repetition &&
           strcmp(pario_text_of(parameters, "hints", ""),
                  figures->hints != NULL ? figures->hints : "") == 0;
}

/* The document as if it had this experiment only, and as it will be when the
 * run is over: until then it says that it is neither that nor valid. A new
 * reference; NULL: no memory. */
static json_t *part_of(const json_t *document,
                       const struct beffio_figures *figures)
{
    const json_t *summary = json_object_get(document, "summary"), *measure;
    json_t *part = json_copy((json_t *)(uintptr_t)document);
    json_t *measures = json_array();
    int failed = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        if (is_of(measure, figures))
            failed |= json_array_append(measures, (json_t *)(uintptr_t)measure);
    }
    failed |= json_object_set_new(part, "measures", measures);
    (void)json_object_del(part, "finished_utc");
    failed |= json_object_set_new(
        part, "valid",
        json_boolean(pario_integer_of(summary, "failed_patterns") == 0));
    if (failed == 0)
        return part;
    json_decref(part);
    return NULL;
}

/* The figure of an access method over the chunk size; NULL: there is none. */
static struct pario_figure *find_figure(const struct pario_figure_list *list,
                                        const char *access)
{
    char word[32];

    snprintf(word, sizeof(word), ": %s, ", access);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->kind == PARIO_FIGURE_LINES &&
            list->items[i]->question == PARIO_ASKS_SIZE &&
            strstr(list->items[i]->title, word) != NULL)
            return list->items[i];
    return NULL;
}

/* The title says which experiment it is, too. */
static int name_experiment(struct pario_figure *figure,
                           const struct beffio_figures *figures)
{
    char repetition[40] = "", *title;

    if (figures->repetition > 0)
        snprintf(repetition, sizeof(repetition), ", repetition %d",
                 figures->repetition);
    if (asprintf(&title, "%s, %d process%s%s%s%s", figure->title,
                 figures->partition, figures->partition == 1 ? "" : "es",
                 figures->hints != NULL ? ", hints " : "",
                 figures->hints != NULL ? figures->hints : "", repetition) < 0)
        return pario_fail_errno(-ENOMEM, "cannot draw %s", figure->title);
    free(figure->title);
    figure->title = title;
    return 0;
}

static int draw_access(const char *prefix, int force, const char *access,
                       const struct pario_figure *figure)
{
    static const char *const endings[] = {"png", "svg"};
    int code = 0;

    for (int i = 0; i < 2; i++) {
        char *path;
        int drawn;

        if (asprintf(&path, "%s-%s.%s", prefix, access, endings[i]) < 0)
            return pario_fail_errno(-ENOMEM, "cannot draw %s", prefix);
        drawn = pario_output_figure(figure, path, force);
        code = code != 0 ? code : drawn;
        free(path);
    }
    return code;
}

/* One whose name is taken does not keep the others from being drawn. */
static int draw_figures(const char *prefix, int force,
                        const struct pario_figure_list *list,
                        const struct beffio_figures *figures)
{
    int code = 0;

    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        const char *name = beffio_access_names[access];
        struct pario_figure *figure = find_figure(list, name);
        int drawn;

        if (figure == NULL)
            continue;
        figure->y_log = 1;
        drawn = name_experiment(figure, figures);
        code = code != 0 ? code : drawn;
        drawn = draw_access(prefix, force, name, figure);
        code = code != 0 ? code : drawn;
    }
    return code;
}

static int plot_figures(const char *prefix, int force, const json_t *document,
                        const struct beffio_figures *figures)
{
    struct pario_figure_list list = {.count = 0};
    json_t *part = part_of(document, figures);
    struct pario_run_shown run = {.document = part, .label = prefix};
    int code = part != NULL
                   ? pario_measures_figures(&run, 1, &list)
                   : pario_fail_errno(-ENOMEM, "cannot draw %s", prefix);

    if (code == 0)
        code = draw_figures(prefix, force, &list, figures);
    pario_figure_list_fini(&list);
    json_decref(part);
    return code;
}

/* PREFIX; of a set of hints PREFIX-SET, and where another set has taken that
 * PREFIX-SET-2 and so on. Never cut, as a cut name is never a free one; of any
 * bytes, as a file's name is. The caller frees *name_p. */
static int name_set(const char *prefix, const char *hints, json_t *taken,
                    char **name_p)
{
    char *name;
    int n = asprintf(&name, "%s%s%s", prefix, hints != NULL ? "-" : "",
                     hints != NULL ? pario_base_name(hints) : "");

    for (int nth = 2;
         n >= 0 && hints != NULL && json_object_get(taken, name) != NULL;
         nth++) {
        free(name);
        n = asprintf(&name, "%s-%s-%d", prefix, pario_base_name(hints), nth);
    }
    if (n < 0)
        return pario_fail_errno(-ENOMEM, "cannot draw %s", prefix);
    if (json_object_set_new_nocheck(taken, name, json_true()) != 0) {
        free(name);
        return pario_fail_errno(-ENOMEM, "cannot draw %s", prefix);
    }
    *name_p = name;
    return 0;
}

/* The best partition and repetition; where hints are compared, of each set. */
int beffio_plot(const char *prefix, int force, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int release = pario_integer_of(summary, "release") == 1 ? 1 : 2;
    struct beffio_figures *list = NULL;
    json_t *taken = json_object();
    int count = 0;
    int code = beffio_figures_collect(document, &list, &count);

    for (int i = 0; i < count; i++) {
        char *name = NULL;
        int drawn;

        if (!beffio_figures_is_best(list, count, i, release))
            continue;
        drawn = name_set(prefix, list[i].hints, taken, &name);
        if (drawn == 0)
            drawn = plot_figures(name, force, document, &list[i]);
        free(name);
        code = code != 0 ? code : drawn;
    }
    json_decref(taken);
    free(list);
    return code;
}
