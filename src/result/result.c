/* result/result.c - the document of a run: begun, filled, finished. */
#include "result/result.h"
#include "core/clock.h"
#include "core/text.h"
#include "pario_config.h"
#include "result/document.h"
#include "result/measure.h"
#include "result/value.h"
#include "result/workload.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LEN 1024

struct pario_result {
    json_t *document;
    json_t *confirmed; /* names of options compared since the resume; NULL:
                          not a resumed document */
    size_t resumed_measures; /* those before it come from the resumed one */
    struct pario_claim place;
    int invalid;
    char *refusal; /* why the resumed document is not ours to go on from */
};

/* Facts that make figures incomparable when they change. */
static const char *const telling_facts[] = {
    "host", "nodes", "processes", "mpi", "filesystem", "kernel", "cpu",
};

/* Top-level members that only this file writes. */
static const char *const own_members[] = {
    "schema",          "suite",    "valid",       "warnings",
    "command",         "measures", "findings",    "tool",
    "invalid_reasons", "workload", "started_utc", "finished_utc",
};

#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof((list)[0]))

static int is_in(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *a = name, *b = list[i];

        while (*a != '\0' && (*a == *b || (*a == '_' && *b == '-')))
            a++, b++;
        if (*a == '\0' && *b == '\0')
            return 1;
    }
    return 0;
}

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "result document");
}

static json_t *utc_now(void)
{
    char utc[PARIO_UTC_LEN];

    pario_clock_utc(utc, 0);
    return json_string(utc);
}

static json_t *tool_value(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "pario", "version",
                     PARIO_VERSION, "commit", PARIO_COMMIT);
}

/* In the order in which a reader wants to see it. */
static json_t *new_document(const char *suite, int argc, char *const *argv)
{
    json_t *document = json_object();

    if (document == NULL ||
        json_object_set_new(document, "schema", json_string(PARIO_SCHEMA)) ||
        json_object_set_new(document, "suite", pario_json_text(suite)) ||
        json_object_set_new(document, "valid", json_false()) ||
        json_object_set_new(document, "invalid_reasons", json_array()) ||
        json_object_set_new(document, "warnings", json_array()) ||
        json_object_set_new(document, "tool", tool_value()) ||
        json_object_set_new(document, "command",
                            pario_json_words(argc, argv)) ||
        json_object_set_new(document, "started_utc", utc_now()) ||
        json_object_set_new(document, "finished_utc", json_null()) ||
        json_object_set_new(document, "options", json_object()) ||
        json_object_set_new(document, "system", json_object()) ||
        json_object_set_new(document, "hints_requested", json_object()) ||
        json_object_set_new(document, "hints_in_force", json_object()) ||
        json_object_set_new(document, "summary", json_object()) ||
        json_object_set_new(document, "measures", json_array())) {
        json_decref(document);
        return NULL;
    }
    return document;
}

static int warn_replaced_bytes(struct pario_result *result, int argc,
                               char *const *argv)
{
    for (int i = 0; i < argc; i++)
        if (!pario_utf8_valid(argv[i]))
            return pario_result_warn(
                result,
                "word %d of the command line is not UTF-8: its "
                "invalid bytes are replaced in this document",
                i + 1);
    return 0;
}

int pario_result_create(const char *suite, int argc, char *const *argv,
                        const char *path, int force,
                        struct pario_result **result_p)
{
    struct pario_result *result = calloc(1, sizeof(*result));
    int code;

    if (result == NULL)
        return no_memory();
    result->place = PARIO_CLAIM_NONE;
    code = pario_document_claim(suite, path, force, &result->place);
    if (code != 0)
        goto err_destroy;
    result->document = new_document(suite, argc, argv);
    if (result->document == NULL) {
        code = no_memory();
        goto err_destroy;
    }
    code = warn_replaced_bytes(result, argc, argv);
    if (code != 0)
        goto err_destroy;
    *result_p = result;
    return 0;

err_destroy:
    pario_result_destroy(result);
    return code;
}

/* What was wrong with the run before is judged anew from its measures; the
 * reader still learns of it. */
static int forget_reasons(struct pario_result *result)
{
    json_t *warnings = json_object_get(result->document, "warnings");
    json_t *said = json_object(); /* may be tens of thousands: no search */
    const json_t *old;
    size_t i;
    int failed = said == NULL;

    json_array_foreach(warnings, i, old)
    {
        failed |=
            json_object_set_new(said, json_string_value(old), json_true());
    }
    json_array_foreach(json_object_get(result->document, "invalid_reasons"), i,
                       old)
    {
        char text[TEXT_LEN];
        json_t *value;

        snprintf(text, sizeof(text), "before the resume: %s",
                 json_string_value(old));
        value = pario_json_text(text);
        failed |= value == NULL;
        if (!failed && json_object_get(said, json_string_value(value)) == NULL)
            failed = json_object_set_new(said, json_string_value(value),
                                         json_true()) ||
                     json_array_append(warnings, value);
        json_decref(value);
    }
    json_decref(said);
    return failed || json_object_set_new(result->document, "invalid_reasons",
                                         json_array())
               ? no_memory()
               : 0;
}

static int note_resume(struct pario_result *result, int argc, char *const *argv)
{
    json_t *document = result->document, *list, *tool = tool_value();
    int code = 0;

    if (tool == NULL)
        return no_memory();
    if (!json_equal(tool, json_object_get(document, "tool")))
        code = pario_result_warn(result,
                                 "resumed by another build of pario (%s, %s)",
                                 PARIO_VERSION, PARIO_COMMIT);
    json_decref(tool);
    list = json_object_get(document, "resumed");
    if (code == 0 && !json_is_array(list)) {
        list = json_array();
        if (json_object_set_new(document, "resumed", list) != 0)
            return no_memory();
    }
    if (code != 0 ||
        json_array_append_new(list, json_pack("{s:o, s:o}", "started_utc",
                                              utc_now(), "command",
                                              pario_json_words(argc, argv))) ||
        json_object_set_new(document, "valid", json_false()) ||
        json_object_set_new(document, "finished_utc", json_null()))
        return no_memory();
    return forget_reasons(result);
}

static int take_document(struct pario_result *result, const char *suite,
                         const char *path)
{
    const char *theirs;
    int code = pario_result_load(path, &result->document);

    if (code != 0)
        return code;
    theirs = pario_text_of(result->document, "suite", NULL);
    if (strcmp(theirs, suite) != 0)
        return pario_fail(PARIO_EUSAGE,
                          "cannot go on from %s: it is a result of the suite "
                          "%s, not %s",
                          path, theirs, suite);
    result->resumed_measures =
        json_array_size(json_object_get(result->document, "measures"));
    if (!json_is_array(json_object_get(result->document, "invalid_reasons")) &&
        json_object_set_new(result->document, "invalid_reasons",
                            json_array()) != 0)
        return no_memory();
    return pario_document_reclaim(path, &result->place);
}

int pario_result_resume(const char *suite, int argc, char *const *argv,
                        const char *path, struct pario_result **result_p)
{
    struct pario_result *result = calloc(1, sizeof(*result));
    int code;

    if (result == NULL)
        return no_memory();
    result->place = PARIO_CLAIM_NONE;
    code = take_document(result, suite, path);
    if (code != 0)
        goto err_destroy;
    result->confirmed = json_object();
    if (result->confirmed == NULL) {
        code = no_memory();
        goto err_destroy;
    }
    code = note_resume(result, argc, argv);
    if (code == 0)
        code = warn_replaced_bytes(result, argc, argv);
    if (code != 0)
        goto err_destroy;
    *result_p = result;
    return 0;

err_destroy:
    pario_result_destroy(result);
    return code;
}

void pario_result_destroy(struct pario_result *result)
{
    if (result == NULL)
        return;
    pario_document_leave(&result->place);
    json_decref(result->document);
    json_decref(result->confirmed);
    free(result->refusal);
    free(result);
}

const char *pario_result_path(const struct pario_result *result)
{
    return result->place.path;
}

const char *pario_result_begun(const struct pario_result *result)
{
    return pario_document_begun(result->document);
}

json_t *pario_result_document(struct pario_result *result)
{
    return result->document;
}

int pario_result_summary(struct pario_result *result, const char *name,
                         json_t *value, unsigned flags)
{
    int code = pario_result_set(result, "summary", name, value);

    return code != 0 ? code
                     : pario_result_set(result, "summary_flags", name,
                                        pario_flags_json(flags));
}

/* The shortest text of a value for a message. The caller frees it. */
static char *value_text(const json_t *value)
{
    char *dump = value != NULL
                     ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)
                     : NULL;
    char *text = strdup(dump != NULL ? dump : "not set");
    void (*json_free)(void *);

    json_get_alloc_funcs(NULL, &json_free);
    json_free(dump);
    return text;
}

/* For good: nothing is written to the document any more. */
static int refused(const struct pario_result *result)
{
    return result->refusal == NULL
               ? 0
               : pario_fail(PARIO_EUSAGE, "%s", result->refusal);
}

static int refuse(struct pario_result *result, const char *what,
                  const char *name, const json_t *was, const json_t *now)
{
    char *was_text = value_text(was), *now_text = value_text(now);
    int n = asprintf(&result->refusal,
                     "cannot go on from %s: %s %s was %s there and is %s now "
                     "(give the same, or begin a new result)",
                     result->place.path, what, name,
                     was_text != NULL ? was_text : "?",
                     now_text != NULL ? now_text : "?");

    free(was_text);
    free(now_text);
    if (n < 0) {
        result->refusal = NULL;
        return no_memory();
    }
    return refused(result);
}

/* An option of a resumed run must be what it was. */
static int confirm_option(struct pario_result *result, const char *name,
                          const json_t *value)
{
    json_t *options = json_object_get(result->document, "options");
    const json_t *was = json_object_get(options, name);

    if (json_object_set_new(result->confirmed, name, json_true()) != 0)
        return no_memory();
    if (result->refusal != NULL)
        return refused(result);
    if (pario_option_is_free(name) || (was != NULL && json_equal(was, value)))
        return 0;
    return refuse(result, "option", name, was, value);
}

static int confirm_all(struct pario_result *result)
{
    json_t *options = json_object_get(result->document, "options");
    const char *name;
    json_t *was;

    if (result->refusal != NULL || result->confirmed == NULL)
        return refused(result);
    json_object_foreach(options, name, was)
    {
        if (json_object_get(result->confirmed, name) == NULL &&
            !pario_option_is_free(name))
            return refuse(result, "option", name, was, NULL);
    }
    return 0;
}

int pario_result_place(struct pario_result *result, size_t index, json_t *place)
{
    json_t *system = json_object_get(result->document, "system");
    json_t *places = json_object_get(system, "directories");
    const json_t *was = json_array_get(places, index);
    char number[32];
    int code = 0;

    snprintf(number, sizeof(number), "%zu", index + 1);
    if (!json_is_array(places)) {
        places = json_array();
        if (json_object_set_new(system, "directories", places) != 0)
            code = no_memory();
    }
    if (code == 0 && place != NULL && was != NULL && !json_equal(was, place))
        code = refuse(result, "directory", number, was, place);
    else if (code == 0 && was == NULL &&
             (place == NULL || json_array_append(places, place) != 0))
        code = no_memory();
    json_decref(place);
    return code;
}

static int compare_fact(struct pario_result *result, const char *name,
                        const json_t *value)
{
    const json_t *was =
        json_object_get(json_object_get(result->document, "system"), name);
    char *was_text, *now_text;
    int code;

    if (was == NULL || !IS_IN(name, telling_facts) || json_equal(was, value))
        return 0;
    /* It is other work, and a headline would be made of both. */
    if (strcmp(name, "processes") == 0)
        return refuse(result, "number of", name, was, value);
    was_text = value_text(was);
    now_text = value_text(value);
    code = pario_result_warn(
        result, "resumed on another system: %s was %s and is %s now", name,
        was_text != NULL ? was_text : "?", now_text != NULL ? now_text : "?");
    free(was_text);
    free(now_text);
    return code;
}

static int check_member(struct pario_result *result, const char *section,
                        const char *name, const json_t *value)
{
    if (section[0] == '\0' && IS_IN(name, own_members))
        return pario_fail(-EINVAL, "result: member %s is not for setting",
                          name);
    if (strcmp(section, "summary") == 0 &&
        (json_is_object(value) || json_is_array(value)))
        return pario_fail(-EINVAL, "result: summary.%s must be one value",
                          name);
    if (result->confirmed == NULL)
        return 0;
    if (strcmp(section, "options") == 0)
        return confirm_option(result, name, value);
    if (strcmp(section, "system") == 0)
        return compare_fact(result, name, value);
    return 0;
}

/* Sets every member of an object given for a whole section. */
static int set_section(struct pario_result *result, const char *section,
                       json_t *members)
{
    const char *name;
    json_t *value;
    int code = 0;

    json_object_foreach(members, name, value)
    {
        code = pario_result_set(result, section, name, json_incref(value));
        if (code != 0)
            break;
    }
    json_decref(members);
    return code;
}

int pario_result_set(struct pario_result *result, const char *section,
                     const char *name, json_t *value)
{
    json_t *object = result->document;
    int code;

    if (value == NULL) { /* what jansson makes of NaN */
        value = json_null();
        code = pario_result_warn(result, "%s%s%s has no finite value", section,
                                 section[0] != '\0' ? "." : "", name);
        if (code != 0)
            return code;
    }
    if (section[0] == '\0' && json_is_object(value) &&
        json_is_object(json_object_get(object, name)))
        return set_section(result, name, value);
    code = check_member(result, section, name, value);
    if (code != 0) {
        json_decref(value);
        return code;
    }
    if (section[0] != '\0') {
        object = json_object_get(result->document, section);
        if (object == NULL) {
            object = json_object();
            if (json_object_set_new(result->document, section, object) != 0)
                object = NULL;
        }
    }
    if (object == NULL || json_object_set(object, name, value) != 0)
        code = no_memory();
    json_decref(value);
    return code;
}

int pario_result_warn(struct pario_result *result, const char *fmt, ...)
{
    char text[TEXT_LEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return pario_document_warn(result->document, text);
}

int pario_result_invalidate(struct pario_result *result, const char *fmt, ...)
{
    char text[TEXT_LEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    result->invalid = 1; /* even when there is no memory for the reason */
    return pario_document_invalidate(result->document, text);
}

static int is_empty(const struct pario_result *result)
{
    return json_array_size(json_object_get(result->document, "measures")) ==
               0 &&
           json_array_size(json_object_get(result->document, "findings")) == 0;
}

int pario_result_is_valid(const struct pario_result *result)
{
    const json_t *list = json_object_get(result->document, "measures");
    const json_t *measure;
    size_t i;

    if (result->invalid || result->refusal != NULL || is_empty(result))
        return 0;
    json_array_foreach(list, i, measure)
    {
        if (pario_measure_failed(measure))
            return 0;
    }
    return 1;
}

static json_t *matching(const struct pario_result *result,
                        const struct pario_measure *like, size_t *index_p)
{
    json_t *list = json_object_get(result->document, "measures");

    for (size_t i = *index_p; i < result->resumed_measures; i++) {
        json_t *measure = json_array_get(list, i);

        if (pario_measure_matches(measure, like)) {
            *index_p = i;
            return measure;
        }
    }
    return NULL;
}

const json_t *pario_result_find(const struct pario_result *result,
                                const struct pario_measure *like)
{
    const json_t *measure;
    size_t i = 0;

    for (; (measure = matching(result, like, &i)) != NULL; i++)
        if (!pario_measure_failed(measure))
            return measure;
    return NULL;
}

/* A failed measure of the resumed document gives way to its repetition, and
 * any to the one that replaces it. */
static int place(struct pario_result *result, const struct pario_measure *like,
                 json_t *measure)
{
    json_t *list = json_object_get(result->document, "measures");
    const json_t *old;
    size_t i = 0;

    for (size_t k = 0; like->replaces && k < json_array_size(list); k++)
        if (pario_measure_matches(json_array_get(list, k), like))
            return json_array_set(list, k, measure) != 0 ? no_memory() : 0;
    for (; (old = matching(result, like, &i)) != NULL; i++)
        if (pario_measure_failed(old))
            return json_array_set(list, i, measure) != 0 ? no_memory() : 0;
    return json_array_append(list, measure) != 0 ? no_memory() : 0;
}

int pario_result_add(struct pario_result *result,
                     const struct pario_measure *measure)
{
    json_t *value = NULL;
    int code = confirm_all(result);

    if (code == 0)
        code = pario_measure_build(result, measure, &value);
    if (code == 0)
        code = place(result, measure, value);
    json_decref(value);
    json_decref(measure->pattern);
    json_decref(measure->parameters);
    json_decref(measure->extra);
    return code != 0 ? code : pario_result_write(result);
}

int pario_result_add_finding(struct pario_result *result, json_t *finding)
{
    json_t *list = json_object_get(result->document, "findings");
    int code = confirm_all(result);

    if (code == 0 && list == NULL) {
        list = json_array();
        if (json_object_set_new(result->document, "findings", list) != 0)
            code = no_memory();
    }
    if (code == 0 && json_array_append(list, finding) != 0)
        code = no_memory();
    json_decref(finding);
    return code != 0 ? code : pario_result_write(result);
}

/* Where the name has been taken the results are saved under another, as those
 * of a run that is not valid. */
static int save(struct pario_result *result, int durable)
{
    int code = pario_document_write(&result->place, result->document, durable);
    char reason[TEXT_LEN];

    if (code != -ESTALE)
        return code;
    snprintf(reason, sizeof(reason), "%s", pario_error_message());
    if (pario_result_invalidate(result, "%s", reason) == 0 &&
        json_object_set_new(result->document, "valid", json_false()) == 0)
        (void)!pario_document_write(&result->place, result->document, durable);
    return pario_fail(code, "%s", reason);
}

static int write_document(struct pario_result *result, int durable)
{
    int code = refused(result);

    return code != 0 ? code : save(result, durable);
}

/* In the middle of a run a sync would disturb what is measured next. */
int pario_result_write(struct pario_result *result)
{
    return write_document(result, 0);
}

int pario_result_finish(struct pario_result *result)
{
    int code = confirm_all(result);

    if (code != 0)
        return code;
    if (is_empty(result))
        code = pario_result_invalidate(result, "nothing was measured");
    if (code != 0)
        return code;
    if (json_object_set_new(result->document, "workload",
                            pario_workload_value(result->document)) ||
        json_object_set_new(result->document, "finished_utc", utc_now()) ||
        json_object_set_new(result->document, "valid",
                            json_boolean(pario_result_is_valid(result))))
        return no_memory();
    return write_document(result, 1);
}
