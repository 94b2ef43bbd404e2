/* suites/pattern/fio.c - job files of fio: the common keywords are taken with
 * the same meaning, all others are refused by name and line. */
#include "core/units.h"
#include "suites/pattern/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job on its way to a case. */
struct job {
    struct pattern_options options;
    int64_t size_bytes, processes;
    double mix; /* percent of reads, if it is a mix */
    int random, queued, invalidate, waits;
    int zipf, unmapped, limited; /* limited: by rate= */
    int64_t depth;
    const char *directory, *filename;
};

static int refuse(const char *where, const char *value, const char *why)
{
    return pario_fail(PARIO_EUSAGE, "%s=%s is not taken: %s", where, value,
                      why);
}

/* One of our options, as if it had been given. */
static int set(struct job *job, const char *name, const char *value,
               const char *where)
{
    return pario_field_set(pario_field_find(pattern_fields, name),
                           &job->options, value, where);
}

static int take_rw(struct job *job, const char *value, const char *where)
{
    static const struct {
        const char *name;
        int write, read, mix, random;
    } ways[] = {
        {"read", 0, 1, 0, 0},     {"write", 1, 0, 0, 0},
        {"rw", 0, 0, 1, 0},       {"readwrite", 0, 0, 1, 0},
        {"randread", 0, 1, 0, 1}, {"randwrite", 1, 0, 0, 1},
        {"randrw", 0, 0, 1, 1},
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(ways[i].name, value) != 0)
            continue;
        job->options.write = ways[i].write;
        job->options.read = ways[i].read;
        job->options.read_share = ways[i].mix ? 0 : -1;
        job->random = ways[i].random;
        return 0;
    }
    return refuse(where, value,
                  "one of read, write, rw, randread, randwrite, randrw");
}

static int take_engine(struct job *job, const char *value, const char *where)
{
    static const struct {
        const char *name, *ours;
    } engines[] = {
        {"sync", "posix"},     {"psync", "posix"},   {"vsync", "posix"},
        {"pvsync", "posix"},   {"pvsync2", "posix"}, {"libaio", "uring"},
        {"io_uring", "uring"},
    };

    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        if (strcmp(engines[i].name, value) != 0)
            continue;
        job->queued = strcmp(engines[i].ours, "uring") == 0;
        return set(job, "interface", engines[i].ours, where);
    }
    return refuse(where, value,
                  "sync, psync, vsync, pvsync, pvsync2, libaio, io_uring");
}

static int take_distribution(struct job *job, const char *value,
                             const char *where)
{
    job->zipf = strncmp(value, "zipf:", 5) == 0;
    if (strcmp(value, "random") == 0)
        return 0;
    if (!job->zipf)
        return refuse(where, value, "random or zipf:EXPONENT");
    return set(job, "zipf", value + 5, where);
}

/* "1m" or "1m,1m": of reads and of writes. */
static int take_rate(struct job *job, const char *value, const char *where)
{
    const char *comma = strchr(value, ',');
    char first[64];
    int code;

    snprintf(first, sizeof(first), "%.*s",
             (int)(comma != NULL ? comma - value : (long)strlen(value)), value);
    if (comma != NULL && strcmp(first, comma + 1) != 0)
        return refuse(where, value, "one rate for reads and writes");
    code = set(job, "rate", first, where);
    job->limited = job->options.rate > 0;
    return code;
}

static int take_size(struct job *job, const char *value, const char *where)
{
    int code = pario_size_parse(value, &job->size_bytes);

    return code == 0 ? 0
                     : pario_fail(code, "%s: %s", where, pario_error_message());
}

static int take_jobs(struct job *job, const char *value, const char *where)
{
    char *end = NULL;
    long long n = strtoll(value, &end, 10);

    if (*value == '\0' || *end != '\0')
        return refuse(where, value, "a number of jobs");
    if (n != job->processes)
        return pario_fail(PARIO_EUSAGE,
                          "%s=%s: start as many processes: pario -n %s "
                          "pattern --fio ...",
                          where, value, value);
    return 0;
}

static int take_mix(struct job *job, const char *value, const char *where)
{
    double share = job->options.read_share;
    int code = set(job, "read-share", value, where);

    job->mix = job->options.read_share;
    job->options.read_share = share;
    if (code == 0 && job->mix < 0)
        return refuse(where, value, "a percentage, 0 to 100");
    return code;
}

static int take_mix_writes(struct job *job, const char *value,
                           const char *where)
{
    int code = take_mix(job, value, where);

    job->mix = 100 - job->mix;
    return code;
}

static int take_depth(struct job *job, const char *value, const char *where)
{
    int code = set(job, "queue-depth", value, where);

    job->depth = job->options.queue_depth;
    job->options.queue_depth = 1;
    return code;
}

static int take_directory(struct job *job, const char *value, const char *where)
{
    (void)where;
    job->directory = value;
    return 0;
}

static int take_filename(struct job *job, const char *value, const char *where)
{
    if (job->processes > 1)
        return refuse(where, value,
                      "all jobs would write to the same bytes of one file");
    job->filename = value;
    return 0;
}

static int take_invalidate(struct job *job, const char *value,
                           const char *where)
{
    (void)where;
    job->invalidate = strcmp(value, "0") != 0;
    return 0;
}

static int take_stonewall(struct job *job, const char *value, const char *where)
{
    (void)where;
    job->waits = strcmp(value, "0") != 0;
    return 0;
}

static int take_fallocate(struct job *job, const char *value, const char *where)
{
    (void)job;
    return strcmp(value, "none") == 0
               ? 0
               : refuse(where, value, "none: nothing is allocated beforehand");
}

static int take_unmapped(struct job *job, const char *value, const char *where)
{
    (void)where;
    job->unmapped = strcmp(value, "0") != 0;
    return 0;
}

/* Neither ours nor take: it changes nothing here. */
struct fio_keyword {
    const char *name, *alias;
    const char *ours; /* with the same values */
    const char *suffix;
    int (*take)(struct job *job, const char *value, const char *where);
};

static const struct fio_keyword fio_keywords[] = {
    {"rw", "readwrite", NULL, NULL, take_rw},
    {"bs", "blocksize", "transfer", NULL, NULL},
    {"bssplit", NULL, "sizes", NULL, NULL},
    {"size", NULL, NULL, NULL, take_size},
    {"numjobs", NULL, NULL, NULL, take_jobs},
    {"iodepth", NULL, NULL, NULL, take_depth},
    {"ioengine", NULL, NULL, NULL, take_engine},
    {"direct", NULL, "direct", NULL, NULL},
    {"fsync", NULL, "fsync-every", NULL, NULL},
    {"end_fsync", "fsync_on_close", "fsync", NULL, NULL},
    {"runtime", NULL, "stonewall", NULL, NULL},
    {"time_based", NULL, "time-based", NULL, NULL},
    {"rate", NULL, NULL, NULL, take_rate},
    {"rwmixread", NULL, NULL, NULL, take_mix},
    {"rwmixwrite", NULL, NULL, NULL, take_mix_writes},
    {"random_distribution", NULL, NULL, NULL, take_distribution},
    {"norandommap", NULL, NULL, NULL, take_unmapped},
    {"thinktime", NULL, "think", "us", NULL},
    {"directory", NULL, NULL, NULL, take_directory},
    {"filename", NULL, NULL, NULL, take_filename},
    {"invalidate", NULL, NULL, NULL, take_invalidate},
    {"fallocate", NULL, NULL, NULL, take_fallocate},
    {"stonewall", "wait_for_previous", NULL, NULL, take_stonewall},
    {"group_reporting", "thread", NULL, NULL, NULL},
    {"description", "name", NULL, NULL, NULL},
};

static int take(struct job *job, const char *path,
                const struct pario_keyword *keyword)
{
    const char *value = keyword->value[0] != '\0' ? keyword->value : "1";
    char where[600], text[512];

    snprintf(where, sizeof(where), "%.400s:%d: %.64s", path, keyword->line,
             keyword->name);
    for (size_t i = 0; i < sizeof(fio_keywords) / sizeof(fio_keywords[0]);
         i++) {
        const struct fio_keyword *known = &fio_keywords[i];

        if (strcmp(known->name, keyword->name) != 0 &&
            (known->alias == NULL || strcmp(known->alias, keyword->name) != 0))
            continue;
        if (known->take != NULL)
            return known->take(job, value, where);
        if (known->ours == NULL)
            return 0;
        if (pario_field_find(pattern_fields, known->ours)->type ==
            PARIO_OPT_STRING)
            return set(job, known->ours, value, where); /* of the file */
        snprintf(text, sizeof(text), "%s%s", value,
                 known->suffix != NULL ? known->suffix : "");
        return set(job, known->ours, text, where);
    }
    return pario_fail(PARIO_EUSAGE,
                      "%s: pario pattern has no such keyword of fio; leave it "
                      "out, or see docs/pattern.md for those there are",
                      where);
}

/* What follows from several keywords together. */
static int finish(struct job *job, const char *path, const char *name)
{
    struct pattern_options *options = &job->options;
    int64_t transfer = options->transfer_bytes;

    if (job->size_bytes < transfer)
        return pario_fail(PARIO_EUSAGE,
                          "%s: [%s] needs a size of at least one block (bs)",
                          path, name);
    options->block_bytes = job->size_bytes / transfer * transfer;
    options->queue_depth = job->queued ? job->depth : 1;
    if (options->read_share >= 0)
        options->read_share = job->mix;
    if (options->read_share >= 0 && job->limited)
        return pario_fail(PARIO_EUSAGE,
                          "%s: [%s] has a rate for a mix: fio limits reads and "
                          "writes each by it, pario both together; leave rate "
                          "out",
                          path, name);
    if (!job->random)
        options->order = PATTERN_SEQUENTIAL;
    else if (job->zipf)
        options->order = PATTERN_ZIPF;
    else if (job->unmapped)
        options->order = PATTERN_UNIFORM;
    else if (options->order == PATTERN_SEQUENTIAL)
        options->order =
            options->sizes != NULL ? PATTERN_UNIFORM : PATTERN_SHUFFLED;
    if (options->order != PATTERN_ZIPF) /* that of [global] */
        options->zipf = pattern_defaults.zipf;
    options->file_per_process = job->filename == NULL;
    options->label = name;
    if (job->filename != NULL && job->filename[0] == '/') {
        options->file = job->filename;
        return 0;
    }
    if (job->filename == NULL && job->directory == NULL)
        return 0;
    if (asprintf(&options->owned, "%s/%s",
                 job->directory != NULL ? job->directory : ".",
                 job->filename != NULL ? job->filename : name) < 0) {
        options->owned = NULL;
        return pario_fail_errno(-ENOMEM, "cannot list the cases");
    }
    options->file = options->owned;
    return 0;
}

static int add(struct pattern_cases *cases, struct job *job, const char *name)
{
    const char *path = cases->file->path;
    int code = 0;

    if (cases->count > 0 && !job->waits)
        return pario_fail(PARIO_EUSAGE,
                          "%s: [%s] would run beside the job before it; with "
                          "stonewall in it one runs after the other",
                          path, name);
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->list[i].label, name) == 0)
            return pario_fail(PARIO_EUSAGE,
                              "%s: two jobs are called [%s]: figures are told "
                              "apart by their names",
                              path, name);
    code = finish(job, path, name);
    if (code == 0)
        code = pattern_cases_add(cases, &job->options);
    if (code != 0)
        free(job->options.owned);
    else if (job->invalidate && (job->options.read || job->mix > 0))
        cases->cold = 1;
    return code;
}

/* Sections without keywords are not in the list of keywords. */
static size_t count_jobs(const struct pario_keyfile *file)
{
    size_t jobs = 0;

    for (size_t i = 0; i < file->nsections; i++)
        jobs += strcmp(file->sections[i], "global") != 0;
    return jobs;
}

/* Keywords of one section, of [global] for the defaults. */
static int take_section(struct job *job, const struct pario_keyfile *file,
                        size_t *i, const char *section)
{
    int code = 0;

    for (; code == 0 && *i < file->count &&
           strcmp(file->keywords[*i].section, section) == 0;
         (*i)++)
        code = take(job, file->path, &file->keywords[*i]);
    return code;
}

/* What each job says for itself, or fio's defaults do. */
static int check_base(const struct pattern_options *base)
{
    if (base->transfer_bytes == pattern_defaults.transfer_bytes &&
        base->block_bytes == pattern_defaults.block_bytes &&
        !base->file_per_process)
        return 0;
    return pario_fail(PARIO_EUSAGE,
                      "--fio with -t, -b or -F: the jobs say bs, size and "
                      "filename themselves; leave it out");
}

int pattern_fio_jobs(const struct pattern_options *base, int processes,
                     struct pattern_cases *cases)
{
    struct job global = {.options = *base,
                         .processes = processes,
                         .mix = 50,
                         .depth = 1,
                         .invalidate = 1};
    size_t jobs = 0;
    int code = check_base(base);

    if (code == 0)
        code = pario_keyfile_read(base->fio, "#;", &cases->file);
    if (code == 0)
        jobs = count_jobs(cases->file);
    /* What fio takes where a job says nothing. */
    global.options.transfer_bytes = 4096;
    global.options.read = 1;
    for (size_t i = 0; code == 0 && i < cases->file->count;) {
        const char *section = cases->file->keywords[i].section;
        struct job job = global;
        int is_global = section[0] == '\0' || strcmp(section, "global") == 0;

        code =
            take_section(is_global ? &global : &job, cases->file, &i, section);
        if (code == 0 && !is_global)
            code = add(cases, &job, section);
    }
    if (code == 0 && cases->count != jobs)
        code = pario_fail(PARIO_EUSAGE,
                          "%s: %zu of %zu jobs have no keywords of their own; "
                          "repeat rw= in each",
                          base->fio, jobs - cases->count, jobs);
    if (code == 0 && jobs == 0)
        code = pario_fail(PARIO_EUSAGE, "%s: there is no job in it", base->fio);
    return code;
}
