/* suites/prio/plugin.c - sub-benchmarks from outside: the functions of pario.h,
 * and a plug-in as a sub-benchmark like the built-in ones. */
#include "suites/prio/plugin.h"

#include "core/clock.h"
#include "core/data.h"
#include "pario.h"
#include "suites/prio/keys.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN_ABILITIES PRIO_NO_DATA

/* Words of a plug-in's files: beyond those of the built-in sub-benchmarks. */
#define FILES_BASE (UINT64_C(1) << 19)
#define FILES_OF_SECTION UINT64_C(8192)
_Static_assert(PRIO_MAX_SECTIONS *FILES_OF_SECTION <= FILES_BASE,
               "file numbers end at 2^20");

/* How a plug-in lives among the built-in ones. Its values stand behind this
 * in the struct of the section's own keywords, so that run knows whose it is.
 */
struct adopted {
    const struct pario_plugin *plugin;
    max_align_t values[]; /* the plug-in's struct begins here */
};

struct pario_plugin_job {
    struct prio_env *env;
    const struct prio_case *what;
    struct prio_figures *figures;
    const struct adopted *adopted;
    int measured;
};

struct pario_plugin_meter {
    const struct pario_plugin_job *job;
    struct pario_phase *phase;
    const struct pario_plugin_work *work;
    void *part;
};

const char *pario_plugin_directory(const struct pario_plugin_job *job)
{
    return job->env->directory;
}

int pario_plugin_rank(const struct pario_plugin_job *job)
{
    return pario_group_rank(job->env->group);
}

int pario_plugin_processes(const struct pario_plugin_job *job)
{
    return pario_group_size(job->env->group);
}

int pario_plugin_repetition(const struct pario_plugin_job *job)
{
    return job->what->repetition;
}

uint64_t pario_plugin_seed(const struct pario_plugin_job *job)
{
    return job->what->seed;
}

const void *pario_plugin_values(const struct pario_plugin_job *job)
{
    return job->adopted->values;
}

int64_t pario_plugin_now_ns(void)
{
    return pario_clock_ns();
}

int64_t pario_plugin_begin_ns(const struct pario_plugin_meter *meter)
{
    return meter->phase->begin_ns;
}

void pario_plugin_done(struct pario_plugin_meter *meter, int64_t read_bytes,
                       int64_t written_bytes, int64_t took_ns)
{
    struct pario_figures *figures = &meter->phase->figures;

    figures->operations++;
    figures->bytes += read_bytes + written_bytes;
    figures->written_bytes += written_bytes;
    pario_hist_add(meter->phase->latency, took_ns);
}

static struct pario_data words(const struct pario_plugin_job *job,
                               unsigned file)
{
    uint64_t section = job->what->file_number % PRIO_MAX_SECTIONS;

    return (struct pario_data){
        .key = job->env->run->data_key,
        .file =
            FILES_BASE + section * FILES_OF_SECTION + file % FILES_OF_SECTION,
    };
}

void pario_plugin_fill(const struct pario_plugin_job *job, unsigned file,
                       int64_t offset, void *buf, size_t len)
{
    struct pario_data data = words(job, file);

    pario_data_fill(&data, offset, buf, len);
}

void pario_plugin_verify(struct pario_plugin_meter *meter, unsigned file,
                         int64_t offset, const void *buf, size_t len)
{
    struct pario_figures *figures = &meter->phase->figures;
    struct pario_data data = words(meter->job, file);
    struct pario_data_error error;

    figures->checked_bytes += (int64_t)len;
    if (pario_data_check(&data, offset, buf, len, &error) == 0)
        return;
    if (figures->wrong_bytes == 0)
        pario_data_describe(&data, UINT64_C(1) << 20, &error, figures->wrong,
                            sizeof(figures->wrong));
    figures->wrong_bytes += error.wrong_bytes;
}

int pario_plugin_fail(int code, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    /* 0 would be success, and no errno lies below ours. */
    if (code >= 0 || code < -4095)
        return pario_fail(PARIO_EUNAVAIL, "%s", text);
    return pario_fail_errno(code, "%s", text);
}

static int work_open(void *arg)
{
    struct pario_plugin_meter *meter = arg;

    return meter->work->open != NULL ? meter->work->open(meter->part) : 0;
}

static int work_loop(void *arg, struct pario_phase *phase)
{
    struct pario_plugin_meter *meter = arg;

    (void)phase;
    return meter->work->loop(meter->part, meter);
}

static int work_sync(void *arg)
{
    struct pario_plugin_meter *meter = arg;

    return meter->work->sync != NULL ? meter->work->sync(meter->part) : 0;
}

static int work_close(void *arg)
{
    struct pario_plugin_meter *meter = arg;

    return meter->work->close != NULL ? meter->work->close(meter->part) : 0;
}

static int work_verify(void *arg, struct pario_phase *phase)
{
    struct pario_plugin_meter *meter = arg;

    (void)phase;
    return meter->work->verify != NULL ? meter->work->verify(meter->part, meter)
                                       : 0;
}

int pario_plugin_measure(struct pario_plugin_job *job, int code,
                         const struct pario_plugin_work *given, void *part)
{
    static const struct pario_phase_calls calls = {
        work_open, work_loop, work_sync, work_close, work_verify};
    struct pario_plugin_work work = {0};
    struct pario_phase *phase = job->figures->phase;
    struct pario_plugin_meter meter = {job, phase, &work, part};

    if (job->measured++)
        return pario_fail(PARIO_EUSAGE, "%s measures twice",
                          job->adopted->plugin->name);
    /* One built for an older header brings less. */
    memcpy(&work, given,
           given->size < sizeof(work) ? given->size : sizeof(work));
    if (code == 0 && (work.loop == NULL || work.path == NULL))
        code = pario_fail(PARIO_EUSAGE, "%s measures without a path or a loop",
                          job->adopted->plugin->name);
    phase->path = work.path;
    phase->shared = work.shared;
    phase->writing = work.writing;
    phase->reading = work.reading;
    phase->direct = work.direct;
    phase->unsynced = work.sync == NULL;
    phase->unchecked = work.no_data || work.verify == NULL;
    return prio_measure(job->env, code, job->figures, &calls, &meter);
}

static int run(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures)
{
    const struct adopted *adopted = what->own;
    struct pario_plugin_job job = {env, what, figures, adopted, 0};
    int code = adopted->plugin->run(&job);

    if (job.measured)
        return code;
    /* The other processes wait there. */
    if (code == 0)
        code = pario_fail(PARIO_EUNAVAIL,
                          "the plug-in %s returned without having measured",
                          adopted->plugin->name);
    figures->phase->path = env->directory;
    return prio_measure(env, code, figures, NULL, NULL);
}

static int check(const struct prio_case *what)
{
    const struct adopted *adopted = what->own;

    return adopted->plugin->check != NULL
               ? adopted->plugin->check(adopted->values)
               : 0;
}

static const struct {
    enum pario_option_type type;
    size_t size;
} types[] = {
    [PARIO_PLUGIN_FLAG] = {PARIO_OPT_FLAG, sizeof(int)},
    [PARIO_PLUGIN_INT] = {PARIO_OPT_INT, sizeof(int64_t)},
    [PARIO_PLUGIN_SIZE] = {PARIO_OPT_SIZE, sizeof(int64_t)},
    [PARIO_PLUGIN_TIME] = {PARIO_OPT_TIME, sizeof(double)},
    [PARIO_PLUGIN_REAL] = {PARIO_OPT_REAL, sizeof(double)},
    [PARIO_PLUGIN_STRING] = {PARIO_OPT_STRING, sizeof(const char *)},
    [PARIO_PLUGIN_CHOICE] = {PARIO_OPT_CHOICE, sizeof(int)},
};
#define TYPES (sizeof(types) / sizeof(types[0]))

/* The keywords as ours, for values that stand behind struct adopted. */
static struct pario_option *keywords_of(const struct pario_plugin *plugin)
{
    const struct pario_plugin_keyword *word = plugin->keywords;
    struct pario_option *options;
    size_t n = 0;

    while (word != NULL && word[n].name != NULL)
        n++;
    options = calloc(n + 1, sizeof(*options));
    if (options == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        options[i] = (struct pario_option){
            .name = word[i].name,
            .type = types[word[i].type].type,
            .offset = offsetof(struct adopted, values) + word[i].offset,
            .min = word[i].min,
            .max = word[i].max,
            .choices = word[i].choices,
            .help = word[i].help,
        };
    return options;
}

/* For the whole run: the descriptor is in use until the process ends. */
static int adopt(const struct pario_plugin *plugin,
                 const struct prio_bench **bench_p)
{
    struct prio_bench *bench = calloc(1, sizeof(*bench));
    struct adopted *own = calloc(1, sizeof(*own) + plugin->values_size);
    struct pario_option *keywords = keywords_of(plugin);

    if (bench == NULL || own == NULL || keywords == NULL) {
        free(bench);
        free(own);
        free(keywords);
        return pario_fail_errno(-ENOMEM, "cannot load %s", plugin->name);
    }
    own->plugin = plugin;
    if (plugin->values_size > 0)
        memcpy(own->values, plugin->defaults, plugin->values_size);
    *bench = (struct prio_bench){
        .test = {plugin->name, plugin->summary != NULL ? plugin->summary : ""},
        .abilities = PLUGIN_ABILITIES,
        .keywords = keywords,
        .own_size = sizeof(*own) + plugin->values_size,
        .own_defaults = own,
        .check = check,
        .run = run,
    };
    *bench_p = bench;
    return 0;
}

/* A measure's parameters and a section's keywords stand beside the plug-in's
 * own: of two with one name only one would be seen. */
static int is_taken(const char *name)
{
    /* What every measure has (result/identity.h). */
    static const char *const members[] = {"test", "access", "partition",
                                          "pattern"};
    const struct pario_field *key = pario_field_find(prio_keys, name);

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (strcmp(members[i], name) == 0)
            return 1;
    if (key != NULL && pario_field_applies(key, PLUGIN_ABILITIES))
        return 1;
    for (const struct pario_field *f = prio_parameters; f->name != NULL; f++)
        if (pario_field_applies(f, PLUGIN_ABILITIES) &&
            strcmp(pario_field_member(f), name) == 0)
            return 1;
    return 0;
}

static int check_keywords(const char *path, const struct pario_plugin *plugin)
{
    const struct pario_plugin_keyword *word = plugin->keywords;

    if ((plugin->values_size > 0) != (plugin->defaults != NULL) ||
        (word != NULL && plugin->values_size == 0))
        return pario_fail(PARIO_EUSAGE,
                          "%s: keywords need values_size and defaults", path);
    for (; word != NULL && word->name != NULL; word++) {
        if (is_taken(word->name))
            return pario_fail(PARIO_EUSAGE,
                              "%s: keyword %s has a meaning in every section "
                              "or document already: choose another name",
                              path, word->name);
        if ((size_t)word->type >= TYPES ||
            (word->type == PARIO_PLUGIN_CHOICE && word->choices == NULL) ||
            types[word->type].size > plugin->values_size ||
            word->offset > plugin->values_size - types[word->type].size)
            return pario_fail(PARIO_EUSAGE,
                              "%s: keyword %s has no known type, or lies "
                              "outside of its values",
                              path, word->name);
    }
    return 0;
}

static int refuse_number(const char *path, int number)
{
    return pario_fail(PARIO_EUSAGE,
                      "%s was built for version %d of the plug-in interface, "
                      "this pario has version %d: build it again",
                      path, number, PARIO_PLUGIN_ABI);
}

int prio_plugin_load(const char *path, const struct prio_bench **bench_p)
{
    const struct pario_plugin *plugin;
    const int *old;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int code;

    if (library == NULL)
        return pario_fail(PARIO_EUSAGE, "cannot load the plug-in: %s",
                          dlerror());
    plugin = dlsym(library, "pario_plugin");
    /* What versions 1 and 2 exported; the number is its first member, too. */
    old = dlsym(library, "prio_plugin");
    if (plugin == NULL && old != NULL)
        return refuse_number(path, *old);
    if (plugin == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "%s is no plug-in: it does not export pario_plugin",
                          path);
    if (plugin->abi != PARIO_PLUGIN_ABI)
        return refuse_number(path, plugin->abi);
    if (plugin->name == NULL || plugin->name[0] == '\0' || plugin->run == NULL)
        return pario_fail(PARIO_EUSAGE, "%s has no name or no run function",
                          path);
    code = check_keywords(path, plugin);
    return code != 0 ? code : adopt(plugin, bench_p);
}
