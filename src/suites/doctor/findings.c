/* suites/doctor/findings.c - collecting and printing what was found. */
#include "core/text.h"
#include "result/result.h"
#include "result/value.h"
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *json, *text;
} verdict_names[] = {
    [PARIO_VERDICT_OK] = {"ok", "ok"},
    [PARIO_VERDICT_WARNING] = {"warning", "warning"},
    [PARIO_VERDICT_ERROR] = {"error", "ERROR"},
};

/* Room for one more; NULL where there is none. */
static struct pario_finding *append(struct pario_findings *findings)
{
    struct pario_finding *more =
        realloc(findings->finding, (findings->count + 1) * sizeof *more);

    if (more == NULL) {
        findings->code =
            pario_fail_errno(-ENOMEM, "cannot keep a finding of the doctor");
        return NULL;
    }
    findings->finding = more;
    return &more[findings->count++];
}

void doctor_report(struct pario_doctor *doctor, enum pario_verdict verdict,
                   const char *remedy, const char *fmt, ...)
{
    struct pario_finding *finding;
    va_list args;

    if (pario_group_rank(doctor->world) != 0)
        return;
    finding = append(&doctor->findings);
    if (finding == NULL)
        return;
    finding->name = doctor->check;
    finding->verdict = verdict;
    snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy);
    va_start(args, fmt);
    vsnprintf(finding->fact, sizeof finding->fact, fmt, args);
    va_end(args);
    doctor->findings.errors += verdict == PARIO_VERDICT_ERROR;
}

void pario_doctor_fini(struct pario_doctor *doctor)
{
    free(doctor->findings.finding);
    doctor->findings = (struct pario_findings){.count = 0};
}

/* The last words: how much is in order, and how to go on. */
static void print_answer(FILE *out, const struct pario_doctor *doctor, int all)
{
    const struct pario_findings *findings = &doctor->findings;
    int processes = pario_group_size(doctor->world);
    size_t warnings = 0;

    for (size_t i = 0; i < findings->count; i++)
        warnings += findings->finding[i].verdict == PARIO_VERDICT_WARNING;
    fprintf(out, "%zu findings: %zu warning%s, %zu error%s%s\n",
            findings->count, warnings, warnings == 1 ? "" : "s",
            findings->errors, findings->errors == 1 ? "" : "s",
            all ? "" : "; --verbose shows what is in order, too");
    if (findings->errors == 0 && processes > 1)
        fprintf(out, "next: pario -n %d quick %s\n", processes, doctor->dir);
    else if (findings->errors == 0)
        fprintf(out, "next: pario quick %s\n", doctor->dir);
}

int pario_doctor_print_text(FILE *out, const struct pario_doctor *doctor,
                            int all)
{
    const struct pario_findings *findings = &doctor->findings;
    char head[80];
    size_t width = 0;
    int indent;

    for (size_t i = 0; i < findings->count; i++)
        if (strlen(findings->finding[i].name) > width)
            width = strlen(findings->finding[i].name);
    indent = (int)width + 11;
    for (size_t i = 0; i < findings->count; i++) {
        const struct pario_finding *finding = &findings->finding[i];

        if (finding->verdict == PARIO_VERDICT_OK && !all)
            continue;
        snprintf(head, sizeof(head), "%-7s  %-*s  ",
                 verdict_names[finding->verdict].text, (int)width,
                 finding->name);
        (void)pario_text_wrap(out, head, indent, finding->fact);
        snprintf(head, sizeof(head), "%*s-> ", indent, "");
        if (finding->remedy[0] != '\0')
            (void)pario_text_wrap(out, head, indent + 3, finding->remedy);
    }
    print_answer(out, doctor, all);
    if (fflush(out) != 0 || ferror(out))
        return pario_fail_errno(-EIO, "cannot write the findings");
    return 0;
}

static int add_text(json_t *object, const char *key, const char *text)
{
    return json_object_set_new(object, key, pario_json_text(text));
}

static json_t *finding_to_json(const struct pario_finding *finding)
{
    json_t *object = json_object();

    if (object == NULL || add_text(object, "name", finding->name) != 0 ||
        add_text(object, "fact", finding->fact) != 0 ||
        add_text(object, "verdict", verdict_names[finding->verdict].json) !=
            0 ||
        add_text(object, "remedy", finding->remedy) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *doctor_to_json(const struct pario_doctor *doctor)
{
    const struct pario_findings *findings = &doctor->findings;
    json_t *document = json_object(), *list = json_array();
    int bad = document == NULL || list == NULL ||
              add_text(document, "doctor", "pario-doctor/1") != 0 ||
              add_text(document, "directory", doctor->dir) != 0;

    for (size_t i = 0; !bad && i < findings->count; i++)
        bad =
            json_array_append_new(list, finding_to_json(&findings->finding[i]));
    if (bad) {
        json_decref(list);
        json_decref(document);
        return NULL;
    }
    bad = json_object_set_new(document, "checks", list) != 0 ||
          json_object_set_new(document, "ok",
                              json_boolean(findings->errors == 0)) != 0;
    if (bad) {
        json_decref(document);
        return NULL;
    }
    return document;
}

int pario_doctor_print_json(FILE *out, const struct pario_doctor *doctor)
{
    json_t *document = doctor_to_json(doctor);
    int code = 0;

    if (document == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make the JSON document");
    if (json_dumpf(document, out, JSON_INDENT(2) | JSON_ENSURE_ASCII) != 0 ||
        fputc('\n', out) == EOF || fflush(out) != 0)
        code = pario_fail_errno(-EIO, "cannot write the findings");
    json_decref(document);
    return code;
}

int doctor_record(const struct pario_doctor *doctor,
                  struct pario_result *result)
{
    int code = 0;

    for (size_t i = 0;
         result != NULL && code == 0 && i < doctor->findings.count; i++)
        code = pario_result_add_finding(
            result, finding_to_json(&doctor->findings.finding[i]));
    return code;
}
