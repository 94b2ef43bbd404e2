/* analysis/inputs.c - reads what a report is made from. */
#include "analysis/inputs.h"
#include "analysis/analysis.h"
#include "core/path.h"
#include "report/before_view.h"
#include "report/hints.h"
#include "report/table_parts.h"
#include "result/result.h"
#include "result/value.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "report");
}

static int add_problem(struct pario_inputs *inputs, const char *text)
{
    char **more = realloc(inputs->problems,
                          (inputs->nproblems + 1) * sizeof(*inputs->problems));
    json_t *clean;

    if (more == NULL)
        return no_memory();
    inputs->problems = more;
    clean = pario_json_text(text);
    more[inputs->nproblems] =
        clean != NULL ? strdup(json_string_value(clean)) : NULL;
    json_decref(clean);
    if (more[inputs->nproblems] == NULL)
        return no_memory();
    inputs->nproblems++;
    return 0;
}

/* "cb_nodes=4"; "" where there are none, or several sets of them: a label names
 * one thing. The caller frees it. */
static char *hint_text(const json_t *document)
{
    json_t *shown;
    size_t all;
    char *text;

    (void)pario_hints_sets(document, &all);
    if (all > 1)
        return strdup("");
    shown = pario_hints_requested(document);
    text = shown != NULL ? pario_value_short(shown) : NULL;
    json_decref(shown);
    return text;
}

/* "/a/run1.json" with hints -> "run1 (cb_nodes=4)"; the path where another
 * file has that name. The caller frees it. */
static char *make_label(const struct pario_inputs *inputs, const char *path,
                        const json_t *document)
{
    const char *name = pario_base_name(path);
    size_t len = strlen(name);
    char *hints, *label = NULL, *plain;
    json_t *clean;

    if (len > 5 && strcmp(name + len - 5, ".json") == 0)
        len -= 5;
    hints = hint_text(document);
    if (asprintf(&label, "%.*s%s%s%s", (int)len, name,
                 hints != NULL && hints[0] != '\0' ? " (" : "",
                 hints != NULL ? hints : "",
                 hints != NULL && hints[0] != '\0' ? ")" : "") < 0)
        label = NULL;
    free(hints);
    for (size_t i = 0; label != NULL && i < inputs->nruns; i++)
        if (strcmp(inputs->runs[i].label, label) == 0) {
            free(label);
            label = NULL;
            if (asprintf(&label, "%s [%zu]", path, inputs->nruns + 1) < 0)
                label = NULL;
            break;
        }
    clean = label != NULL ? pario_json_text(label) : NULL;
    plain = clean != NULL ? strdup(json_string_value(clean)) : NULL;
    json_decref(clean);
    free(label);
    return plain;
}

static int add_result(struct pario_inputs *inputs, const char *path,
                      json_t *document)
{
    struct pario_run_shown *more =
        realloc(inputs->runs, (inputs->nruns + 1) * sizeof(*inputs->runs));
    char *label;

    if (more == NULL)
        return no_memory();
    inputs->runs = more;
    pario_before_view(document);
    pario_summary_flags_complete(document);
    label = make_label(inputs, path, document);
    if (label == NULL)
        return no_memory();
    more[inputs->nruns++] =
        (struct pario_run_shown){.document = document, .label = label};
    return 0;
}

static int add_timings(struct pario_inputs *inputs,
                       struct pario_timings *timings)
{
    struct pario_timings **more =
        realloc(inputs->timings,
                (inputs->ntimings + 1) * sizeof(struct pario_timings *));
    char text[80];
    int code = 0;

    if (more == NULL) {
        pario_timings_close(timings);
        return no_memory();
    }
    inputs->timings = more;
    more[inputs->ntimings++] = timings;
    if (timings->ncomplaints > 0) /* a part of it cannot be used */
        inputs->failed = PARIO_EFORMAT;
    for (size_t i = 0; code == 0 && i < timings->ncomplaints; i++)
        code = add_problem(inputs, timings->complaints[i]);
    if (code == 0 && timings->nunreported > 0) {
        snprintf(text, sizeof(text), "%" PRId64 " more blocks are left out",
                 timings->nunreported);
        code = add_problem(inputs, text);
    }
    return code;
}

static int add_file(struct pario_inputs *inputs, const char *path)
{
    struct pario_timings *timings;
    json_t *document;
    int code;

    if (pario_timings_looks_so(path)) {
        code = pario_timings_open(path, &timings);
        if (code == 0)
            return add_timings(inputs, timings);
    } else {
        code = pario_result_load(path, &document);
        if (code == 0) {
            code = add_result(inputs, path, document);
            if (code != 0)
                json_decref(document);
            return code;
        }
    }
    inputs->failed = code;
    return add_problem(inputs, pario_error_message());
}

int pario_inputs_init(struct pario_inputs *inputs, int count,
                      char *const *paths)
{
    int code = 0;

    *inputs = (struct pario_inputs){.nruns = 0};
    for (int i = 0; code == 0 && i < count; i++)
        code = add_file(inputs, paths[i]);
    if (code != 0)
        pario_inputs_fini(inputs);
    return code;
}

void pario_inputs_fini(struct pario_inputs *inputs)
{
    for (size_t i = 0; i < inputs->nruns; i++) {
        json_decref((json_t *)(uintptr_t)inputs->runs[i].document);
        free((char *)(uintptr_t)inputs->runs[i].label);
    }
    for (size_t i = 0; i < inputs->ntimings; i++)
        pario_timings_close(inputs->timings[i]);
    for (size_t i = 0; i < inputs->nproblems; i++)
        free(inputs->problems[i]);
    free(inputs->runs);
    free(inputs->timings);
    free(inputs->problems);
    *inputs = (struct pario_inputs){.nruns = 0};
}

int pario_inputs_figures(const struct pario_inputs *inputs, int64_t first,
                         int64_t last, struct pario_figure_list *figures)
{
    struct pario_lane_plan plan = {
        .first = first, .last = last, .columns = 64, .levels = 1};
    const char *why;
    int code = pario_measures_figures(inputs->runs, inputs->nruns, figures);

    for (size_t i = 0; code == 0 && i < inputs->ntimings; i++)
        code =
            pario_allav_figures(inputs->timings[i], &plan, -1, figures, &why);
    return code;
}
