/* suites/pattern/pattern.h - any pattern from the command line: what the user
 * asks for, where each transfer goes, and one timed phase of it. */
#ifndef PARIO_PATTERN_PATTERN_H
#define PARIO_PATTERN_PATTERN_H

#include "core/fields.h"
#include "core/rng.h"
#include "io/backend.h"
#include "measure/phase.h"
#include "measure/stonewall.h"
#include "result/samples.h"

enum pattern_order {
    PATTERN_SEQUENTIAL,
    PATTERN_SHUFFLED, /* each place once */
    PATTERN_UNIFORM,  /* places are drawn: some often, some never */
    PATTERN_ZIPF,
    PATTERN_HOTSPOT,
};

/* One case as the user says it; options.c has the table. Strings are those of
 * the command line or of a file that is held. */
struct pattern_options {
    int interface; /* of pario_interface_names */
    int64_t block_bytes, transfer_bytes, segments;
    int file_per_process, collective, view, direct;
    int64_t alignment_bytes;
    int order; /* enum pattern_order */
    int shuffled;
    int whole_blocks; /* places that are drawn */
    double zipf, hot_data, hot_calls;
    int reorder, reorder_random;
    int64_t task_offset, reorder_seed;
    int64_t tasks; /* --tasks; 0: any */
    int64_t repetitions;
    double delay_s;
    double stonewall_s;
    int wear_out, time_based;
    int fsync;
    int64_t fsync_every;
    int write, read;
    double read_share; /* of a mix, in percent; < 0: no mix */
    const char *sizes; /* "4k/60:64k/40"; NULL: transfers of one size */
    int64_t queue_depth;
    int64_t rate; /* bytes per second of each process; 0: no limit */
    double think_s;
    double interval_s; /* of bandwidth over time; 0: not asked for */
    const char *file;
    int keep_file, multi_file;
    const char *script, *fio;
    const char *label; /* of a case of a file; NULL: the only one */
    char *owned;       /* a string of its own, or NULL; freed with the cases */
};

extern const struct pario_field pattern_fields[];
/* What a case may have; labels leave these fields out. */
enum {
    PATTERN_MIXES = 1,
    PATTERN_HAS_EXPONENT = 2,
    PATTERN_HAS_HOTSPOT = 4,
};
extern const struct pattern_options pattern_defaults;

/* Local. Does the case make sense for so many processes? PARIO_EUSAGE with the
 * option and the remedy. Fills in what follows from other options. */
int pattern_check(struct pattern_options *options,
                  int processes) PARIO_MUST_USE;

/* The cases of a run: one, or those of a file, one after the other. */
struct pattern_cases {
    struct pattern_options *list;
    size_t count;
    struct pario_keyfile *file; /* owns their strings; NULL: none */
    int cold;                   /* fio's jobs drop their files from the cache */
};
/* Local. */
int pattern_cases_load(const struct pattern_options *options, int processes,
                       struct pattern_cases *cases_p) PARIO_MUST_USE;
/* base and the case after it; -ENOMEM. */
int pattern_cases_add(struct pattern_cases *cases,
                      const struct pattern_options *options) PARIO_MUST_USE;
void pattern_cases_free(struct pattern_cases *cases);

/* ior.c. Local: IOR's command line becomes one of long options; NULL: as it
 * is. *block_p holds the new argv and its text. */
int pattern_ior_rewrite(int *argc, char ***argv, void **block_p) PARIO_MUST_USE;
/* ior.c, fio.c. Local: the cases of a script, of a job file. */
int pattern_ior_script(const struct pattern_options *base,
                       struct pattern_cases *cases) PARIO_MUST_USE;
int pattern_fio_jobs(const struct pattern_options *base, int processes,
                     struct pattern_cases *cases) PARIO_MUST_USE;

/* Sizes of transfers and how often each. */
#define PATTERN_SIZES 16
struct pattern_sizes {
    int64_t bytes[PATTERN_SIZES];
    double weight[PATTERN_SIZES], total;
    int count;
};
/* draw.c. Local. */
int pattern_sizes_parse(const char *text,
                        struct pattern_sizes *sizes_p) PARIO_MUST_USE;

/* One transfer. */
struct pattern_op {
    int64_t offset; /* in the file */
    uint32_t len;
    uint32_t write;
};

/* Where the transfers of one process go; the same function of their number on
 * every process that plays the same rank. */
struct pattern_plan {
    const struct pattern_options *options;
    int size, rank;            /* whose part it is: a reader may play another */
    int64_t places;            /* transfers in the data of a process */
    int64_t count;             /* that it makes: as many, or of other sizes */
    int64_t transfer;          /* bytes of one */
    int64_t per_block;         /* transfers of a block */
    int64_t block_stride;      /* from a process's block to the next one's */
    int64_t segment_stride;    /* from a block to the same process's next */
    int64_t base;              /* offset of its first block */
    int64_t file_bytes;        /* of one file */
    int64_t region_bytes;      /* of one process */
    uint32_t longest;          /* transfer */
    int64_t grid;              /* every so many bytes stands an exact word */
    int64_t period;            /* of the bytes between; a power of 2 */
    struct pattern_op *list;   /* made before the time; NULL: computed */
    int64_t listed;            /* of them; more transfers go round */
    struct pario_perm shuffle; /* where order is that */
};

/* Local. Sizes alone, without the places. */
void pattern_plan_layout(const struct pattern_options *options, int size,
                         int rank, struct pattern_plan *plan_p);
/* Local. Writes and reads visit the same places. */
int pattern_plan_make(const struct pattern_options *options, int size, int rank,
                      uint64_t seed,
                      struct pattern_plan *plan_p) PARIO_MUST_USE;
void pattern_plan_free(struct pattern_plan *plan);
/* Are places, sizes or directions drawn, so that the file must be there? */
int pattern_draws(const struct pattern_options *options);
/* draw.c. Local: their list. */
int pattern_draw(struct pattern_plan *plan, uint64_t seed) PARIO_MUST_USE;
/* Local. In the order of the file, whatever the options say. */
static inline struct pattern_op
pattern_op_in_order(const struct pattern_plan *plan, int64_t i)
{
    int64_t block = i / plan->per_block, in_block = i % plan->per_block;

    return (struct pattern_op){
        .offset = plan->base + block * plan->segment_stride +
                  in_block * plan->transfer,
        .len = (uint32_t)plan->transfer,
    };
}
/* Local. The i-th transfer where none is listed. */
struct pattern_op pattern_op_computed(const struct pattern_plan *plan,
                                      int64_t i);

static inline struct pattern_op pattern_op_at(const struct pattern_plan *plan,
                                              int64_t i)
{
    if (plan->list == NULL)
        return pattern_op_computed(plan, i);
    return plan->list[i < plan->listed ? i : i % plan->listed];
}

/* contents.c - the bytes of a file are a function of generation and place, so
 * that transfers of any size may overlap. Local. */
struct pattern_contents {
    uint64_t key, generation;
    int64_t data_base; /* files of processes hold what a shared one would */
    int64_t grid, period;
};
/* The words between the stamps, for offsets 0 .. len. */
void pattern_contents_base(const struct pattern_contents *contents,
                           char *buffer, size_t len);
/* Makes the bytes of [offset, offset + len) of buffer, which holds the words
 * between. In the timed loop. */
void pattern_contents_stamp(const struct pattern_contents *contents,
                            int64_t offset, char *buffer, size_t len);
/* 0: right. Else figures know. */
int pattern_contents_check(const struct pattern_contents *contents,
                           int64_t offset, const char *buffer, size_t len,
                           struct pario_figures *figures);
/* The first exact word of a transfer, and where it stands in it. */
uint64_t pattern_contents_word(const struct pattern_contents *contents,
                               int64_t offset);
static inline int64_t pattern_word_at(int64_t grid, int64_t offset)
{
    return -offset & (grid - 1);
}

enum pattern_access {
    PATTERN_WRITE,
    PATTERN_READ,
    PATTERN_MIX,
    PATTERN_PREPARE, /* in order, not recorded */
};
extern const char *const pattern_access_names[];

#define PATTERN_INTERVALS 4096 /* of bandwidth over time */

/* What a case needs from phase to phase on one process. */
struct pattern_part {
    struct pario_run *run;
    const struct pattern_options *options;
    const struct pario_backend *backend;
    const char *name;  /* of its files; NULL: "pattern" */
    const char *title; /* of its next phase; NULL: what the options say */
    /* It reads the files of this part, which has written them; NULL: its own */
    const struct pattern_part *writer;
    struct pattern_plan plan; /* of this process, and ... */
    struct pattern_plan read; /* ... of the one whose data it reads */
    char path[4300], read_path[4300];
    int existing;         /* a file that was there: nobody knows its data */
    uint64_t generation;  /* of the data in the file */
    int64_t written;      /* transfers that every process has written */
    char *source, *space; /* for writes, for reads: a slot per request */
    uint64_t *words;      /* the first exact word of each read */
    struct pario_samples samples;
    struct pario_hist latency;
    int64_t *interval_bytes;     /* bandwidth over time; NULL */
    struct pario_hints in_force; /* as the library reports them; none: it has
                                    no hints */
    /* Of the last phase: */
    struct pario_stonewall stonewall; /* or its end, where there was none */
};

/* Collective. run and options are set, and what is not left to the default: the
 * names, the generation, whose data it is. After an error it is freed, too. */
int pattern_part_begin(struct pattern_part *part) PARIO_MUST_USE;
void pattern_part_free(struct pattern_part *part);
/* Collective. The samples of the last phase to --samples, if it was given. */
int pattern_part_samples(struct pattern_part *part, enum pattern_access access,
                         const char *suite, const char *test) PARIO_MUST_USE;

/* Collective. The phase up to settle; its figures are everybody's. */
int pattern_phase(struct pattern_part *part, enum pattern_access access,
                  struct pario_phase *phase_p) PARIO_MUST_USE;

/* print.c. Local, rank 0. */
void pattern_print_plan(const struct pattern_cases *cases, int processes,
                        const char *dir);
/* Rank 0: the figures of the summary and the lines of the answer. */
int pattern_answer(struct pario_result *result) PARIO_MUST_USE;

#endif
