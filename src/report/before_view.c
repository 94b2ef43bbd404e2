/* report/before_view.c - documents of before they described themselves. The
 * only place in src/report that knows suites by name; nothing is added here. */
#include "report/before_view.h"

#include "result/value.h"
#include "result/view.h"

#include <stdio.h>
#include <string.h>

static const struct pario_view_name beffio_axes[] = {
    {.key = "l_bytes", .name = "contiguous chunk on disk"},
    {.key = NULL},
};

#define TYPE(number, words)                                                    \
    {.test = "type" number,                                                    \
     .name = (words),                                                          \
     .figure = "b_eff_io",                                                     \
     .apart = "partition"},                                                    \
    {                                                                          \
        .test = "type" number "_total", .name = (words),                       \
        .figure = "b_eff_io, whole types"                                      \
    }

static const struct pario_view_test beffio_types[] = {
    TYPE("0", "scatter"),   TYPE("1", "shared"),   TYPE("2", "separate"),
    TYPE("3", "segmented"), TYPE("4", "seg-coll"), {.test = NULL},
};

static const struct pario_view_name shipbench_axes[] = {
    {.key = "tasks_per_node", .name = "tasks on a node"},
    {.key = "sparsity_percent", .name = "stripes accessed"},
    {.key = "block_bytes", .name = "block size"},
    {.key = NULL},
};

static const struct pario_view_name prio_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "acl", .name = "asynchronous computing loss (ACL)"},
    {.key = "abl", .name = "asynchronous bandwidth loss (ABL)"},
    {.key = NULL},
};

static const struct pario_view_name iot_axes[] = {
    {.key = "file_bytes", .name = "file size"},
    {.key = "block_bytes", .name = "block size"},
    {.key = "data_bytes", .name = "data size"},
    {.key = "proc", .name = "process grid"},
    {.key = "update_frac", .name = "share of blocks updated"},
    {.key = NULL},
};

static const struct pario_view_name iot_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "seconds", .name = "time", .only = "proc"},
    {.key = NULL},
};

static const struct {
    const char *suite;
    struct pario_view view;
} views[] = {
    {"beffio",
     {.lead = "measures",
      .axes = beffio_axes,
      .tests = beffio_types,
      .beside = "hints",
      .details = "U L_bytes type"}},
    {"shipbench",
     {.axes = shipbench_axes,
      .details = "series library hints blocks_per_task file_bytes"}},
    {"prio",
     {.values = prio_values,
      .beside = "directory",
      .details = "parts processes_computing"}},
    {"iot", {.lead = "measures", .axes = iot_axes, .values = iot_values}},
    {"nht", {.details = "scheme kernel parts"}},
};

/* Curves of the same type and access that lie apart: b_eff_io's chunks of a
 * power of two plus 8 bytes, and its second pattern of 1 MiB. */
static void name_chunks(json_t *measure)
{
    const json_t *pattern = json_object_get(measure, "pattern");
    json_int_t l = pario_integer_of(pattern, "l_bytes");
    json_int_t type = pario_integer_of(pattern, "type");
    json_int_t memory = pario_integer_of(pattern, "L_bytes");
    char name[80];

    if (l <= 0 || type < 0 || type > 4)
        return;
    snprintf(name, sizeof(name), "%s%s%s", beffio_types[2 * type].name,
             l % 1024 == 8 ? " +8 B" : "",
             l == 1 << 20 && memory > l ? ", 2 MiB in memory" : "");
    (void)json_object_set_new(measure, "series", json_string(name));
}

/* "50 %, native": the share is a parameter of its own. */
static void name_contender(json_t *measure)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    const char *series = pario_text_of(parameters, "series", NULL);
    const char *comma = series != NULL ? strstr(series, ", ") : NULL;

    if (comma != NULL && series[0] >= '0' && series[0] <= '9')
        series = comma + 2;
    if (series != NULL)
        (void)json_object_set_new(measure, "series", json_string(series));
}

void pario_before_view(json_t *document)
{
    const char *suite = pario_text_of(document, "suite", "");
    json_t *view = json_object_get(document, "view"), *measure, *said;
    size_t i = 0, k;

    while (i < sizeof(views) / sizeof(views[0]) &&
           strcmp(views[i].suite, suite) != 0)
        i++;
    if (i == sizeof(views) / sizeof(views[0]) ||
        json_object_get(view, "details") != NULL)
        return;
    if (!json_is_object(view)) {
        (void)json_object_set_new(document, "view", json_object());
        view = json_object_get(document, "view");
    }
    said = pario_view_json(&views[i].view);
    (void)json_object_update_missing(view, said);
    json_decref(said);
    json_array_foreach(json_object_get(document, "measures"), k, measure)
    {
        if (json_object_get(measure, "series") != NULL)
            break;
        if (i == 0)
            name_chunks(measure);
        else if (i == 1)
            name_contender(measure);
    }
}
