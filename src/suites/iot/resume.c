/* suites/iot/resume.c - the document of a resumed run. */
#include "suites/iot/resume.h"
#include "result/value.h"
#include "result/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE "before the resume: " /* as result.c marks old failures */

static int contains(const json_t *list, const char *text)
{
    const json_t *value;
    size_t i;

    json_array_foreach(list, i, value)
    {
        if (strcmp(json_string_value(value), text) == 0)
            return 1;
    }
    return 0;
}

/* A failure of the run before is reported once, as one of before. */
static void drop_repeated_warnings(json_t *warnings)
{
    char marked[2048];

    for (size_t i = json_array_size(warnings); i-- > 0;) {
        snprintf(marked, sizeof(marked), BEFORE "%s",
                 json_string_value(json_array_get(warnings, i)));
        if (contains(warnings, marked))
            json_array_remove(warnings, i);
    }
}

int iot_resume_check(struct pario_run *run, const char *text)
{
    char mark[48];
    int code;

    if (run->result == NULL)
        return 0;
    if (run->common.resume != NULL)
        drop_repeated_warnings(
            json_object_get(pario_result_document(run->result), "warnings"));
    /* An option that differs is refused there, for good. */
    code = pario_result_workload_text(run->result, "parameter_file", text);
    snprintf(mark, sizeof(mark), "%d", pario_group_size(run->world));
    if (code == 0)
        code = pario_result_set(run->result, "options", "processes",
                                json_string(mark));
    return code;
}

/* Is it a measure of this set, whatever the access? */
static int is_of_set(const json_t *value, const struct pario_measure *like)
{
    const char *test = pario_text_of(value, "test", NULL);

    return test != NULL && strcmp(test, like->test) == 0 &&
           json_equal(json_object_get(value, "parameters"), like->parameters);
}

static int is_done(struct pario_result *result,
                   const struct pario_measure *like)
{
    const json_t *list =
        json_object_get(pario_result_document(result), "measures");
    const json_t *value;
    int ended = 0;
    size_t i;

    json_array_foreach(list, i, value)
    {
        const char *access;

        if (!is_of_set(value, like))
            continue;
        if (pario_measure_failed(value))
            return 0;
        access = pario_text_of(value, "access", NULL);
        ended |= access != NULL && strcmp(access, like->access) == 0 &&
                 pario_integer_of(value, "partition") == like->partition;
    }
    return ended;
}

int iot_resume_done(const struct iot_context *context, const char *last)
{
    struct pario_measure like = iot_measure(context, last);
    int64_t done = context->run->result != NULL &&
                   context->run->common.resume != NULL &&
                   is_done(context->run->result, &like);

    json_decref(like.parameters);
    return pario_bcast(context->run->world, &done, sizeof(done)) == 0 && done;
}

void iot_resume_forget(const struct iot_context *context)
{
    struct pario_measure like;
    json_t *list;

    if (context->run->result == NULL || context->run->common.resume == NULL)
        return;
    like = iot_measure(context, NULL);
    list = json_object_get(pario_result_document(context->run->result),
                           "measures");
    for (size_t i = json_array_size(list); i-- > 0;)
        if (is_of_set(json_array_get(list, i), &like))
            json_array_remove(list, i);
    json_decref(like.parameters);
}
