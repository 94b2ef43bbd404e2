/* report/compare_settings.c - differences in settings, before any figure. */
#include "report/compare_settings.h"
#include "report/hints.h"
#include "report/table_parts.h"
#include "result/workload.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const facts[] = {"mpi",
                                    "filesystem",
                                    "nodes",
                                    "processes",
                                    "processes_per_node",
                                    "host",
                                    "kernel",
                                    "cpu",
                                    "cores",
                                    "memory_per_node_bytes",
                                    "memory_limit_bytes"};

static const char *const details[] = {
    "mount",        "source",       "mount_options", "block_bytes",
    "stripe_bytes", "stripe_count", "memory_backed"};

static int add_difference(json_t *list, const char *what, const char *name,
                          const json_t *was, const json_t *is)
{
    char *was_text = pario_value_short(was), *is_text = pario_value_short(is);
    int bad = was_text == NULL || is_text == NULL ||
              json_array_append_new(
                  list, json_sprintf("%s %s: %s -> %s", what, name,
                                     was == NULL ? "not set" : was_text,
                                     is == NULL ? "not set" : is_text)) != 0;

    free(was_text);
    free(is_text);
    return bad ? pario_fail_errno(-ENOMEM, "compare") : 0;
}

static int compare_one(json_t *list, const char *what, const char *name,
                       const json_t *base, const json_t *now)
{
    const json_t *was = json_object_get(base, name);
    const json_t *is = json_object_get(now, name);

    if (was == is || (was != NULL && is != NULL && json_equal(was, is)))
        return 0;
    return add_difference(list, what, name, was, is);
}

/* All members of both objects. */
static int compare_objects(json_t *list, const char *what, json_t *base,
                           json_t *now)
{
    const char *name;
    json_t *value;
    int code = 0;

    json_object_foreach(base, name, value)
    {
        if (code == 0 && !pario_option_is_free(name))
            code = compare_one(list, what, name, base, now);
    }
    json_object_foreach(now, name, value)
    {
        if (code == 0 && !pario_option_is_free(name) &&
            json_object_get(base, name) == NULL)
            code = compare_one(list, what, name, base, now);
    }
    return code;
}

static int compare_names(json_t *list, const char *const *names, size_t count,
                         const json_t *base, const json_t *now)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < count; i++)
        code = compare_one(list, "system", names[i], base, now);
    return code;
}

static int compare_hints(json_t *list, const json_t *base, const json_t *now)
{
    json_t *asked_there = pario_hints_requested(base);
    json_t *asked_here = pario_hints_requested(now);
    json_t *there = pario_hints_in_force(base);
    json_t *here = pario_hints_in_force(now);
    int code = asked_there != NULL && asked_here != NULL && there != NULL &&
                       here != NULL
                   ? 0
                   : pario_fail_errno(-ENOMEM, "compare");

    if (code == 0)
        code = compare_objects(list, "hint asked for", asked_there, asked_here);
    if (code == 0)
        code = compare_objects(list, "hint in force", there, here);
    json_decref(asked_there);
    json_decref(asked_here);
    json_decref(there);
    json_decref(here);
    return code;
}

/* Options differ one by one below; this says what that means. */
static int compare_workloads(json_t *list, const json_t *base,
                             const json_t *now)
{
    const json_t *was = json_object_get(base, "workload");
    const json_t *is = json_object_get(now, "workload");

    if (was == NULL || is == NULL || json_equal(was, is))
        return 0;
    if (json_array_append_new(list, json_string("workload: the two runs were "
                                                "asked to do different work")))
        return pario_fail_errno(-ENOMEM, "compare");
    return 0;
}

/* The result of another program says nothing of how it was made. */
static int note_other_program(json_t *list, const json_t *base,
                              const json_t *now)
{
    const json_t *from = json_object_get(base, "read_from");
    const char *program;

    if (from == NULL)
        from = json_object_get(now, "read_from");
    program = json_string_value(json_object_get(from, "program"));
    if (program == NULL)
        return 0;
    return json_array_append_new(
               list, json_sprintf("a result of %s: how it was made is not "
                                  "known here",
                                  program)) == 0
               ? 1
               : pario_fail_errno(-ENOMEM, "compare");
}

/* 1 where nothing else is known. */
static int compare_runs(json_t *list, const json_t *base, const json_t *now)
{
    const json_t *there = json_object_get(base, "system");
    const json_t *here = json_object_get(now, "system");
    int code = note_other_program(list, base, now);

    if (code == 0)
        code = compare_workloads(list, base, now);
    if (code == 0)
        code = compare_names(list, facts, sizeof(facts) / sizeof(facts[0]),
                             there, here);
    if (code == 0)
        code =
            compare_names(list, details, sizeof(details) / sizeof(details[0]),
                          json_object_get(there, "filesystem_details"),
                          json_object_get(here, "filesystem_details"));
    if (code == 0)
        code = compare_hints(list, base, now);
    if (code == 0)
        code = compare_objects(list, "option", json_object_get(base, "options"),
                               json_object_get(now, "options"));
    if (code == 0)
        code = compare_objects(list, "pario", json_object_get(base, "tool"),
                               json_object_get(now, "tool"));
    return code;
}

int pario_settings_compare(const json_t *base, const json_t *now,
                           json_t **list_p)
{
    json_t *list = json_array();
    int code = list != NULL ? compare_runs(list, base, now)
                            : pario_fail_errno(-ENOMEM, "compare");

    if (code < 0) {
        json_decref(list);
        return code;
    }
    *list_p = list;
    return 0;
}
