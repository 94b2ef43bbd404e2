/* suites/pattern/fio.c - job files of fio: the common keywords are taken with
 * the same meaning, all others are refused by name and line. */
#include "suites/pattern/fio_units.h"
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
    int end_fsync, fsync_on_close;
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

/* One of our options that is a size in fio's units. "1m,1m": of reads and of
 * writes. */
static int set_size(struct job *job, const char *name, const char *value,
                    const char *where)
{
    const char *comma = strchr(value, ',');
    char first[64], bytes_text[32];
    int64_t bytes = 0;

    snprintf(first, sizeof(first), "%.*s",
             (int)(comma != NULL ? comma - value : (long)strlen(value)), value);
    if (comma != NULL && strcmp(first, comma + 1) != 0)
        return refuse(where, value, "one value for reads and writes");
    if (pattern_fio_size(first, &bytes) != 0)
        return refuse(where, value, "bytes, or a number with k, m, g or t");
    snprintf(bytes_text, sizeof(bytes_text), "%lld", (long long)bytes);
    return set(job, name, bytes_text, where);
}

static int take_block(struct job *job, const char *value, const char *where)
{
    return set_size(job, "transfer", value, where);
}

static int take_rate(struct job *job, const char *value, const char *where)
{
    int code = set_size(job, "rate", value, where);

    job->limited = job->options.rate > 0;
    return code;
}

static int take_size(struct job *job, const char *value, const char *where)
{
    if (pattern_fio_size(value, &job->size_bytes) != 0)
        return refuse(where, value,
                      "bytes, or a number with k, m, g or t; a share (50%) or "
                      "a sum is not worked out");
    return 0;
}

/* Sizes in it have the units in which fio and pario agree. */
static int take_split(struct job *job, const char *value, const char *where)
{
    if (strpbrk(value, "bBiI") != NULL)
        return refuse(where, value, "write its sizes as 4k, 64k or 1m");
    return set(job, "sizes", value, where);
}

/* One of our options that is a time in fio's units. */
static int set_time(struct job *job, const char *name, const char *value,
                    double bare_s, const char *where)
{
    double seconds = 0;
    char text[64];

    if (pattern_fio_time(value, bare_s, &seconds) != 0)
        return refuse(where, value, "a number with us, ms, s, m, h or d");
    snprintf(text, sizeof(text), "%.9fs", seconds);
    return set(job, name, text, where);
}

static int take_runtime(struct job *job, const char *value, const char *where)
{
    return set_time(job, "stonewall", value, 1, where);
}

static int take_think(struct job *job, const char *value, const char *where)
{
    return set_time(job, "think", value, 1e-6, where);
}

static int take_flag(int *flag_p, const char *value, const char *where)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return refuse(where, value, "0 or 1");
    *flag_p = value[0] == '1';
    return 0;
}

static int take_end_fsync(struct job *job, const char *value, const char *where)
{
    return take_flag(&job->end_fsync, value, where);
}

static int take_close_fsync(struct job *job, const char *value,
                            const char *where)
{
    return take_flag(&job->fsync_on_close, value, where);
}

static int take_buffered(struct job *job, const char *value, const char *where)
{
    int buffered = 0, code = take_flag(&buffered, value, where);

    return code != 0 ? code : set(job, "direct", buffered ? "0" : "1", where);
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
    if (strchr(value, ':') != NULL)
        return refuse(where, value, "one directory (fio: a list of them)");
    job->directory = value;
    return 0;
}

static int take_filename(struct job *job, const char *value, const char *where)
{
    if (job->processes > 1)
        return refuse(where, value,
                      "all jobs would use the same bytes of one file; leave "
                      "it out: each process has a file of its own");
    if (strchr(value, ':') != NULL)
        return refuse(where, value, "one file (fio: a list of them)");
    job->filename = value;
    return 0;
}

static int take_invalidate(struct job *job, const char *value,
                           const char *where)
{
    return take_flag(&job->invalidate, value, where);
}

static int take_stonewall(struct job *job, const char *value, const char *where)
{
    return take_flag(&job->waits, value, where);
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
    return take_flag(&job->unmapped, value, where);
}

/* Neither ours, take nor refused: it changes nothing here. */
struct fio_keyword {
    const char *name, *alias;
    const char *ours; /* with the same values */
    int (*take)(struct job *job, const char *value, const char *where);
    const char *refused;
    const char *idle; /* but not with this value, fio's default */
};

#define SIZE_IS_ALL "size= is the file and what is moved of it"
#define NO_VERIFY "the data is always checked; --verify full checks every byte"
#define NO_LOG "--over-time TIME and --samples FILE record that"
#define NO_ZEROS "each word of the data tells its place"
#define ONE_START "jobs begin together, and one after the other with stonewall"

/* clang-format off */
static const struct fio_keyword fio_keywords[] = {
    {"rw", "readwrite", .take = take_rw},
    {"bs", "blocksize", .take = take_block},
    {"bssplit", .take = take_split},
    {"size", .take = take_size},
    {"numjobs", .take = take_jobs},
    {"iodepth", .take = take_depth},
    {"ioengine", .take = take_engine},
    {"direct", .ours = "direct"},
    {"buffered", .take = take_buffered},
    {"fsync", .ours = "fsync-every"},
    {"end_fsync", .take = take_end_fsync},
    {"fsync_on_close", .take = take_close_fsync},
    {"runtime", .take = take_runtime},
    {"time_based", .ours = "time-based"},
    {"rate", .take = take_rate},
    {"rwmixread", .take = take_mix},
    {"rwmixwrite", .take = take_mix_writes},
    {"random_distribution", .take = take_distribution},
    {"norandommap", .take = take_unmapped},
    {"thinktime", .take = take_think},
    {"directory", .take = take_directory},
    {"filename", .take = take_filename},
    {"invalidate", .take = take_invalidate},
    {"fallocate", .take = take_fallocate},
    {"stonewall", "wait_for_previous", .take = take_stonewall},
    {"group_reporting", "thread", .ours = NULL},
    {"description", "name", .ours = NULL},
    {"new_group", "refill_buffers", .ours = NULL},
    {"randrepeat", "create_serialize", .ours = NULL},
    {"allrandrepeat", "scramble_buffers", .ours = NULL},
    {"unlink", "unlink_each_loop", .ours = NULL},
    {"percentile_list", "clat_percentiles", .ours = NULL},
    {"lat_percentiles", "disable_lat", .ours = NULL},
    {"disable_slat", "disable_clat", .ours = NULL},
    {"randseed", .refused = "say --seed on the command line"},
    {"zero_buffers", .refused = NO_ZEROS, .idle = "0"},
    {"overwrite", .refused = "norandommap=1 writes over a file that is there",
     .idle = "0"},
    {"bsrange", "blocksize_range", .refused = "give sizes by bssplit="},
    {"filesize", "io_size", .refused = SIZE_IS_ALL},
    {"offset", .refused = SIZE_IS_ALL, .idle = "0"},
    {"number_ios", .refused = SIZE_IS_ALL},
    {"nrfiles", "openfiles",
     .refused = "each process has one file; start more processes",
     .idle = "1"},
    {"loops", .refused = "use -i N (each with a new file), or time_based",
     .idle = "1"},
    {"verify", "do_verify", .refused = NO_VERIFY, .idle = "0"},
    {"rate_iops", .refused = "say rate= in bytes per second"},
    {"sync", .refused = "use fsync=1", .idle = "0"},
    {"fdatasync", .refused = "use fsync=N", .idle = "0"},
    {"startdelay", "wait_for", .refused = ONE_START, .idle = "0"},
    {"ramp_time", .refused = "all of the time counts", .idle = "0"},
    {"write_bw_log", "write_lat_log", .refused = NO_LOG},
    {"write_iops_log", "log_avg_msec", .refused = NO_LOG},
    {"thinktime_blocks", .refused = "thinktime= is after each block",
     .idle = "1"},
    {"cpus_allowed", "numa_cpu_nodes",
     .refused = "the launcher binds processes to cores"},
};
/* clang-format on */

static int take(struct job *job, const char *path,
                const struct pario_keyword *keyword)
{
    const char *value = keyword->value[0] != '\0' ? keyword->value : "1";
    char where[600];

    snprintf(where, sizeof(where), "%.400s:%d: %.64s", path, keyword->line,
             keyword->name);
    for (size_t i = 0; i < sizeof(fio_keywords) / sizeof(fio_keywords[0]);
         i++) {
        const struct fio_keyword *known = &fio_keywords[i];

        if (strcmp(known->name, keyword->name) != 0 &&
            (known->alias == NULL || strcmp(known->alias, keyword->name) != 0))
            continue;
        if (known->refused != NULL)
            return known->idle != NULL && strcmp(known->idle, value) == 0
                       ? 0
                       : refuse(where, value, known->refused);
        if (strchr(value, '$') != NULL && known->take != NULL)
            return refuse(where, value, "variables are not filled in");
        if (known->take != NULL)
            return known->take(job, value, where);
        return known->ours != NULL ? set(job, known->ours, value, where) : 0;
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
    options->fsync = job->end_fsync || job->fsync_on_close;
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

/* Keywords of one section, from number *i on; there may be none, for a job that
 * is all as [global] says. Sections are told apart by their place in the file:
 * two may have one name. */
static int take_section(struct job *job, const struct pario_keyfile *file,
                        size_t *i, const char *section)
{
    int code = 0;

    for (;
         code == 0 && *i < file->count && file->keywords[*i].section == section;
         (*i)++)
        code = take(job, file->path, &file->keywords[*i]);
    return code;
}

/* What stands before the first section is of [global], too. */
static int take_jobs_of(struct job *global, struct pattern_cases *cases)
{
    const struct pario_keyfile *file = cases->file;
    size_t i = 0;
    int code = file->count > 0 && file->keywords[0].section[0] == '\0'
                   ? take_section(global, file, &i, file->keywords[0].section)
                   : 0;

    for (size_t s = 0; code == 0 && s < file->nsections; s++) {
        const char *section = file->sections[s];
        int is_global = strcmp(section, "global") == 0;
        struct job job = *global;

        code = take_section(is_global ? global : &job, file, &i, section);
        if (code == 0 && !is_global)
            code = add(cases, &job, section);
    }
    return code;
}

/* What each job says for itself, or fio's defaults do; the rest is of the whole
 * run. */
static int check_base(const struct pattern_options *base)
{
    struct pattern_options plain = pattern_defaults;

    plain.fio = base->fio;
    plain.repetitions = base->repetitions;
    plain.delay_s = base->delay_s;
    plain.interval_s = base->interval_s;
    plain.wear_out = base->wear_out;
    plain.keep_file = base->keep_file;
    for (const struct pario_field *field = pattern_fields; field->name != NULL;
         field++) {
        const struct pario_field one[] = {*field, {.name = NULL}};

        if (!pario_fields_equal(one, base, &plain))
            return pario_fail(PARIO_EUSAGE,
                              "--fio with --%s: the jobs decide what is done; "
                              "leave it out",
                              field->name);
    }
    return 0;
}

int pattern_fio_jobs(const struct pattern_options *base, int processes,
                     struct pattern_cases *cases)
{
    struct job global = {.options = *base,
                         .processes = processes,
                         .mix = 50,
                         .depth = 1,
                         .invalidate = 1};
    int code = check_base(base);

    if (code == 0)
        code = pario_keyfile_read(base->fio, "#;", &cases->file);
    /* What fio takes where a job says nothing. */
    global.options.transfer_bytes = 4096;
    global.options.read = 1;
    if (code == 0)
        code = take_jobs_of(&global, cases);
    if (code == 0 && cases->count == 0)
        code = pario_fail(PARIO_EUSAGE, "%s: there is no job in it", base->fio);
    return code;
}
