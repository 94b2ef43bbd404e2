/* pario.h - all that a plug-in sees of pario.
 *
 * A plug-in is a shared object that exports `const struct pario_plugin
 * pario_plugin`: a sub-benchmark of one's own for `pario prio`, with a section
 * and keywords of its own in a workload. It describes a piece of work and
 * brings the timed loop; pario does what comes round it (barrier, clock, device
 * counters, reduction, verdict, document) and prints, compares and plots the
 * figures like all others.
 *
 *   cc -shared -fPIC $(pkg-config --cflags pario) -o mine.so mine.c
 *   pario -n 4 prio --plugin ./mine.so mine.prio /scratch/me
 *
 * Structs that a plug-in fills in are only ever added to at their end, and a
 * change of anything else has a new number: a plug-in of another number is
 * refused. `examples/plugin` has a complete one.
 *
 * Local: this process alone. Collective: all processes of the job call it.
 */
#ifndef PARIO_H
#define PARIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARIO_PLUGIN_ABI 3

/* How a value stands in a workload, and as what it is stored. */
enum pario_plugin_type {
    PARIO_PLUGIN_FLAG,   /* int */
    PARIO_PLUGIN_INT,    /* int64_t */
    PARIO_PLUGIN_SIZE,   /* int64_t bytes: "64k", "2M" */
    PARIO_PLUGIN_TIME,   /* double seconds: "5s", "10ms" */
    PARIO_PLUGIN_REAL,   /* double */
    PARIO_PLUGIN_STRING, /* const char * */
    PARIO_PLUGIN_CHOICE  /* int, index into choices */
};

/* A table of these ends with a NULL name. min == max: no bounds. */
struct pario_plugin_keyword {
    const char *name;
    enum pario_plugin_type type;
    size_t offset; /* in the plug-in's struct of values */
    double min, max;
    const char *const *choices; /* ended by NULL */
    const char *help;
};

struct pario_plugin_job;   /* one measurement: where, and among whom */
struct pario_plugin_meter; /* what this process has done of it */

struct pario_plugin {
    int abi;             /* PARIO_PLUGIN_ABI */
    const char *name;    /* of its section and in results */
    const char *summary; /* one line, for `pario list` and errors */
    const struct pario_plugin_keyword *keywords; /* NULL: none */
    size_t values_size;                          /* of the struct of values */
    const void *defaults;                        /* one of these */
    /* Local, before anything runs. 0, or pario_plugin_fail() with what is
     * impossible; pario puts file and line before it. NULL: nothing is. */
    int (*check)(const void *values);
    /* Collective; calls pario_plugin_measure exactly once. */
    int (*run)(struct pario_plugin_job *job);
};

/* The work that is measured. open, sync and close are collective where the
 * file is; NULL: there is nothing to do. Each returns 0 or an error. */
struct pario_plugin_work {
    size_t size;      /* sizeof(struct pario_plugin_work) */
    const char *path; /* the file or folder: whose device is watched */
    int shared;       /* one file for all; else one for each process */
    int writing, reading, direct; /* any data is; O_DIRECT */
    int no_data;                  /* names only, there is nothing to check */
    int (*open)(void *part);      /* before the time */
    int (*loop)(void *part, struct pario_plugin_meter *meter); /* timed */
    int (*sync)(void *part);                                   /* timed */
    int (*close)(void *part); /* timed; after errors, too */
    /* Not timed, collective, only after success. */
    int (*verify)(void *part, struct pario_plugin_meter *meter);
};

/* Local. The job. */
const char *pario_plugin_directory(const struct pario_plugin_job *job);
int pario_plugin_rank(const struct pario_plugin_job *job);
int pario_plugin_processes(const struct pario_plugin_job *job);
int pario_plugin_repetition(const struct pario_plugin_job *job); /* from 0 */
uint64_t pario_plugin_seed(const struct pario_plugin_job *job);
const void *pario_plugin_values(const struct pario_plugin_job *job);

/* Collective. code: what went wrong before on this process (0: nothing); then
 * nobody measures. The result is the same on all processes. */
int pario_plugin_measure(struct pario_plugin_job *job, int code,
                         const struct pario_plugin_work *work, void *part);

/* Local, in the loop. */
int64_t pario_plugin_now_ns(void);
int64_t pario_plugin_begin_ns(const struct pario_plugin_meter *meter);
/* One operation is done: the bytes it moved, and what it took. */
void pario_plugin_done(struct pario_plugin_meter *meter, int64_t read_bytes,
                       int64_t written_bytes, int64_t took_ns);

/* Local. Bytes that tell where they belong: word by word different in every
 * file of a run. file: 0 to 1023, the plug-in's own numbers (a process that
 * has files of its own takes its rank into account). */
void pario_plugin_fill(const struct pario_plugin_job *job, unsigned file,
                       int64_t offset, void *buf, size_t len);
/* In verify, on all that was read: wrong bytes make the run invalid. */
void pario_plugin_verify(struct pario_plugin_meter *meter, unsigned file,
                         int64_t offset, const void *buf, size_t len);

/* Local. Keeps the message and returns the code, a negative errno whose text
 * is put behind it: `return pario_plugin_fail(-errno, "cannot open %s", path)`.
 */
int pario_plugin_fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
