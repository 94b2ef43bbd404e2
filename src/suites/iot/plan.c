/* suites/iot/plan.c - reads and checks everything before anything runs. */
#include "suites/iot/plan.h"

#include "core/units.h"
#include "result/samples.h"
#include "suites/iot/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TEXT (16 << 20)

/* Rank 0. The whole file; malloc'ed, ended by NUL. */
static int read_text(const char *path, char **text_p)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t len = 0;
    int code = 0;

    if (in == NULL)
        return pario_fail_errno(-errno, "cannot read the parameter file %s",
                                path);
    text = malloc(MAX_TEXT + 1);
    if (text == NULL) {
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    } else {
        len = fread(text, 1, MAX_TEXT + 1, in);
        if (ferror(in))
            code = pario_fail_errno(-EIO, "cannot read %s", path);
        else if (len > MAX_TEXT)
            code = pario_fail(PARIO_EFORMAT, "%s is too large", path);
        else if (memchr(text, '\0', len) != NULL)
            code = pario_fail(PARIO_EFORMAT, "%s is no text file", path);
        else
            text[len] = '\0';
    }
    fclose(in);
    if (code != 0) {
        free(text);
        return code;
    }
    *text_p = text;
    return 0;
}

/* Collective. One process reads, however many there are. */
static int share_text(const struct pario_run *run, const char *path,
                      char **text_p)
{
    char *text = NULL;
    int64_t len = 0;
    int first = pario_group_rank(run->world) == 0, code = 0;

    if (first)
        code = read_text(path, &text);
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    if (first && text != NULL)
        len = (int64_t)strlen(text) + 1;
    code = pario_bcast(run->world, &len, sizeof(len));
    if (code == 0 && !first && (text = malloc((size_t)len)) == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot read %s", path);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = pario_bcast(run->world, text, (size_t)len);
    if (code != 0) {
        free(text);
        return code;
    }
    *text_p = text;
    return 0;
}

/* The directory that holds a file; malloc'ed, NULL without memory. */
static char *directory_of(const char *filename)
{
    char *copy = strdup(filename);
    char *dir = copy != NULL ? strdup(dirname(copy)) : NULL;

    free(copy);
    return dir;
}

static void check_place(const struct pario_run *run,
                        const struct iot_test *test, struct iot_errors *errors)
{
    char *dir = directory_of(test->filename), path[4400];
    int64_t most = 0;
    struct stat st;

    for (size_t s = 0; s < test->nsets; s++) {
        int files = test->set[s].separate ? pario_group_size(run->world) : 1;

        if (test->set[s].file_bytes * files > most)
            most = test->set[s].file_bytes * files;
        for (int r = 0; s == 0 && files > 1 && r < files; r++)
            if (lstat(iot_path(test, test->set, r, path, sizeof(path)), &st) ==
                    0 &&
                !run->common.force)
                iot_error(errors, test->line,
                          "the file %s exists, perhaps from another run, and "
                          "is kept: remove it, name another file, or say "
                          "--force",
                          path);
    }
    if (dir == NULL)
        iot_error(errors, test->line, "no memory");
    else if (pario_fs_check_writable(dir, most) != 0)
        iot_error(errors, test->line, "%s", pario_error_message());
    else if (lstat(test->filename, &st) == 0 && !run->common.force)
        iot_error(errors, test->line,
                  "filename %s exists, perhaps from another run, and is kept: "
                  "remove it, name another file, or say --force",
                  test->filename);
    else if (lstat(test->filename, &st) == 0 && !S_ISREG(st.st_mode))
        iot_error(errors, test->line, "filename %s is no regular file",
                  test->filename);
    free(dir);
}

/* The largest part of one process must fit in its share of the memory. */
static void check_memory(const struct pario_run *run,
                         const struct iot_test *test, struct iot_errors *errors)
{
    int64_t memory = run->node.memory_free_bytes;
    int node_size = pario_group_node_size(run->world);
    int size = pario_group_size(run->world);

    for (size_t s = 0; memory > 0 && s < test->nsets; s++) {
        const struct iot_set *set = &test->set[s];
        int64_t need = test->bench->memory(set, size, node_size);

        if (need > memory)
            iot_error(errors, test->line,
                      "set %zu needs %lld bytes of memory on a node, %lld are "
                      "free",
                      s + 1, (long long)need, (long long)memory);
    }
}

/* A block is appended after each phase: better to know now that none can. */
static void check_timings(const char *path, const struct iot_params *params,
                          struct iot_errors *errors)
{
    char *dir = directory_of(path);
    int absent = access(path, F_OK) != 0 && errno == ENOENT;

    for (size_t t = 0; t < params->ntests; t++)
        if (params->test[t].filename != NULL && params->test[t].nsets > 0 &&
            strcmp(params->test[t].filename, path) == 0)
            iot_error(errors, params->test[t].line,
                      "filename %s is the timings file, too", path);
    if (absent && dir != NULL && pario_fs_check_writable(dir, 0) != 0)
        iot_error(errors, 0, "cannot write the timings to %s: %s", path,
                  pario_error_message());
    else if (pario_timings_check(path) != 0)
        iot_error(errors, 0, "%s", pario_error_message());
    free(dir);
}

const char *iot_plan_timings(const struct pario_run *run,
                             const struct iot_params *params)
{
    if (run->common.samples != NULL)
        return run->common.samples;
    return params->timings != NULL ? params->timings : IOT_TIMINGS;
}

static size_t count_sets(const struct iot_params *params)
{
    size_t sets = 0;

    for (size_t t = 0; t < params->ntests; t++)
        sets += params->test[t].nsets;
    return sets;
}

/* What only other nodes have found (their memory may be smaller) comes to
 * rank 0 as the message of the first of them. */
static int agree_on_others(const struct pario_run *run,
                           const struct iot_errors *errors)
{
    int64_t of_first = errors->count;
    const char *line = errors->text;
    int code = pario_bcast(run->world, &of_first, sizeof(of_first));

    if (code != 0 || errors->count <= of_first)
        return pario_agree(run->world, code);
    /* Those of the file itself are the same everywhere, and come first. */
    for (int64_t i = 0; line != NULL && i < of_first; i++)
        line += strcspn(line, "\n") + (strchr(line, '\n') != NULL);
    return pario_agree(run->world,
                       pario_fail(PARIO_EUSAGE, "%.*s",
                                  line != NULL ? (int)strcspn(line, "\n") : 0,
                                  line != NULL ? line : ""));
}

/* Rank 0 prints; the count is made the same on all ranks. */
static int report(struct pario_run *run, const struct iot_errors *errors)
{
    int64_t count = errors->count;
    int others = agree_on_others(run, errors);

    if (pario_group_rank(run->world) == 0) {
        for (const char *line = errors->warnings; line != NULL && *line != '\0';
             line += strcspn(line, "\n") + 1)
            pario_run_warn(run, "%.*s", (int)strcspn(line, "\n"), line);
        if (errors->text != NULL)
            fputs(errors->text, stderr);
        if (others == PARIO_EUSAGE)
            fprintf(stderr, "%s\n", pario_error_message());
    }
    if (others != 0 && others != PARIO_EUSAGE)
        return others;
    if (pario_reduce_i64(run->world, PARIO_MAX, &count, 1) != 0 || count > 0)
        return pario_fail(PARIO_EUSAGE, "%lld error%s in %s: nothing was run",
                          (long long)count, count == 1 ? "" : "s",
                          errors->path);
    return 0;
}

int iot_plan(struct pario_run *run, const struct iot_options *options,
             struct iot_params *params_p)
{
    const char *path = run->noperands > 0 ? run->operands[0] : "iotparams.in";
    struct iot_errors errors = {.path = path};
    char *text = NULL;
    int code = share_text(run, path, &text);

    if (code != 0)
        return code;
    code = pario_agree(run->world, iot_resume_check(run, text));
    if (code == 0)
        code = iot_params_read(text, pario_group_size(run->world),
                               options->class, &errors, params_p);
    free(text);
    for (size_t t = 0; code == 0 && t < params_p->ntests; t++) {
        const struct iot_test *test = &params_p->test[t];

        if (test->filename == NULL)
            continue;
        check_memory(run, test, &errors);
        if (pario_group_rank(run->world) == 0)
            check_place(run, test, &errors);
    }
    if (code == 0 && pario_group_rank(run->world) == 0)
        check_timings(iot_plan_timings(run, params_p), params_p, &errors);
    if (code == 0 && errors.count == 0 && count_sets(params_p) == 0)
        iot_error(&errors, 0, "holds no test of the class %s",
                  iot_class_names[options->class]);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = report(run, &errors);
    iot_errors_fini(&errors);
    return code;
}

void iot_plan_print(const struct pario_run *run,
                    const struct iot_params *params)
{
    char what[IOT_TEXT], size[PARIO_UNITS_LEN];
    int64_t most = 0, total = 0;

    if (pario_group_rank(run->world) != 0)
        return;
    printf("iot: %d processes, %zu parameter sets\n",
           pario_group_size(run->world), count_sets(params));
    for (size_t t = 0; t < params->ntests; t++)
        for (size_t s = 0; s < params->test[t].nsets; s++) {
            const struct iot_set *set = &params->test[t].set[s];

            iot_describe(&params->test[t], set, (int)s + 1, what, sizeof(what));
            printf("  %s: %s in %s\n", what,
                   pario_size_print(set->file_bytes, size),
                   params->test[t].filename);
            most = set->file_bytes > most ? set->file_bytes : most;
            total += set->file_bytes;
        }
    printf("  disk space: at most %s at a time\n",
           pario_size_print_short(most, size));
    printf("  time: %s are written and read; the tests end when that is "
           "done\n",
           pario_size_print_short(total, size));
    printf("  timings: %s\n", iot_plan_timings(run, params));
}

int iot_plan_facts(struct pario_run *run, const char *filename,
                   struct pario_fs_facts *facts_p)
{
    char *dir = filename != NULL ? directory_of(filename) : NULL;
    int code = 0;

    *facts_p = (struct pario_fs_facts){.type = "unknown"};
    if (dir != NULL)
        code = pario_fs_facts_get(dir, facts_p);
    if (code == 0 && dir != NULL)
        code = pario_run_place(run, dir, facts_p);
    free(dir);
    if (code == 0 && run->result != NULL)
        pario_result_set(run->result, "system", "filesystem",
                         json_string(facts_p->type));
    return pario_agree(run->world, code);
}
