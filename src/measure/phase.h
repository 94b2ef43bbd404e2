/* measure/phase.h - the one place where a number is made.
 *
 * A phase is one timed piece of work by all processes of a group. The suite
 * says who does what to which file, and brings the timed loop; the engine does
 * everything that comes round it, in one order for all suites:
 *
 *   prepare   cold where asked for, residency, the devices below the file
 *   begin     device counters, barrier, the clock starts
 *             ... the suite's loop, sync and close ...
 *   end       the clock stops; all agree on what went wrong; device counters
 *             ... the suite checks the data, outside the time ...
 *   settle    reduction over the processes, verdict, flags
 *   record    the measure in the document
 *
 * pario_phase_run is that order with the suite's functions in it. Suites whose
 * paper asks for another shape (b_eff_io: patterns within the time from open
 * to close) call the steps themselves. Where the time runs, the engine does
 * nothing: no call, no branch.
 */
#ifndef PARIO_MEASURE_PHASE_H
#define PARIO_MEASURE_PHASE_H

#include "measure/figures.h"
#include "measure/residency.h"

/* A file system's device, what lies below that, and so on. */
#define PARIO_DEVICE_LEVELS 4

struct pario_phase {
    /* The suite says; what one process knows of unsynced, unchecked, unread,
     * repeats_data and scattered, before settle, holds for all: */
    struct pario_run *run;
    const struct pario_group *group; /* all of it call every step */
    /* Several groups work at one time: all of these begin and end together,
     * and what a device saw is compared with what all of them did that have
     * their files there. NULL: the group is alone. */
    const struct pario_group *beside;
    int idle;         /* this process only waits for the others */
    int idlers;       /* some of the group are idle: they sleep meanwhile */
    const char *path; /* its file, or the one that all share; or a device */
    int shared;       /* one file for all; else one for each process */
    int writing;      /* anything is written */
    int reading;      /* anything is read */
    int direct;       /* O_DIRECT */
    int names;        /* it makes names (writing) or asks for them, no data */
    int names_kept;   /* the kernel knows those that it asks for */
    int many;         /* path is one of several files that it writes */
    int unsynced;     /* nothing makes what it writes durable */
    int copies;       /* every byte that is written is read, too */
    int unchecked;    /* nobody can know what the data should be */
    int unread;       /* some of what it writes is not read back */
    int read_later;   /* another phase, or a check of several, compares it */
    int repeats_data; /* the same bytes are written again and again */
    int scattered;    /* each call of its own, in no order of places */
    /* What this process will read, or a sample of it, where that is not the
     * whole file. */
    const struct pario_range *ranges;
    size_t nranges;
    /* This phase is a part of a longer one, which has seen to cold, residency
     * and devices. NULL: it stands for itself. A part that writes ends with a
     * sync. The outer clock stands still from the end of a part until the next
     * one begins or the suite resumes it. */
    struct pario_phase *outer;
    struct pario_hist *latency; /* of this process, then of all; NULL: none */
    struct pario_figures figures;

    /* The engine's own. */
    struct pario_device_set *devices; /* the one that speaks for its node */
    struct pario_group *neighbours;   /* of beside, with the same devices */
    struct pario_device_traffic before[PARIO_DEVICE_LEVELS];
    struct pario_device_traffic paused[PARIO_DEVICE_LEVELS];
    int has_parts; /* then what devices do in its pauses is not counted ... */
    int devices_pause;      /* ... from here on: paused is set */
    int in_gap;             /* such a pause; its devices may go on before it */
    int64_t gaps_ns;        /* length of such pauses */
    int64_t device_reads;   /* requests that the devices saw; -1 unknown */
    int64_t unwritten;      /* bytes that no device has seen; -1 unknown */
    int64_t hidden_bytes;   /* that the devices read in them; -1 unknown */
    double resident_share;  /* of the data, in page caches before; -1 unknown */
    double kept_share;      /* the same at the end */
    int64_t own_read_bytes; /* of this process, then of all; -1 unknown */
    int spread;             /* over the whole time of the outer phase */
    int64_t ready_ns; /* before the barrier that stands before the beginning */
    int64_t begin_ns, looped_ns, end_ns, pause_ns, unseen_ns;
    int64_t pause_begin_ns; /* 0: the clock runs */
    int resumed_outer;      /* its clock stood still until this one began */
};

/* The parts of a phase that are the suite's own. open, sync and close are
 * collective where the file is. NULL: there is nothing to do. */
struct pario_phase_calls {
    int (*open)(void *part); /* before the time */
    /* Timed. Sets the figures of this process; returns its own error. */
    int (*loop)(void *part, struct pario_phase *phase);
    int (*sync)(void *part);  /* timed, after a loop that writes */
    int (*close)(void *part); /* timed; called also after errors */
    /* Collective, not timed, only after success. */
    int (*check)(void *part, struct pario_phase *phase);
};

/* Collective. The whole order up to settle. The code is everybody's. */
int pario_phase_run(struct pario_phase *phase,
                    const struct pario_phase_calls *calls,
                    void *part) PARIO_MUST_USE;

/* The steps. Each is collective over the group and gives all the same code;
 * after a failed prepare or begin nothing else is called but
 * pario_phase_drop. */
int pario_phase_prepare(struct pario_phase *phase) PARIO_MUST_USE;
int pario_phase_begin(struct pario_phase *phase) PARIO_MUST_USE;
/* Stops the clock before anything else. code: what went wrong here. */
int pario_phase_end(struct pario_phase *phase, int code) PARIO_MUST_USE;
int pario_phase_settle(struct pario_phase *phase) PARIO_MUST_USE;
/* Local, between the end of the outer phase and its settling. A part of it that
 * took turns with others: spent_ns is what its calls took of this process; in
 * the rest of the outer phase the device may have worked for it unseen. Instead
 * of prepare, begin and end; the figures hold the part's bytes, those of the
 * outer phase all of them. Each part is credited with what the devices saw by
 * its share of the bytes. */
void pario_phase_spread(struct pario_phase *phase, int64_t spent_ns);
/* Local. Frees what the phase holds; settle has done so. */
void pario_phase_drop(struct pario_phase *phase);

/* Local. The tool's own work within the time (checking, filling): the clock
 * stands still. quiet: the device had nothing to do meanwhile that the figure
 * gains from. Written data had been synced, or nothing was written; data was
 * not read ahead, or was dropped again (pario_phase_reads_ahead). Other pauses
 * of more than 1 % of the time mark the figure. Between the parts of a phase
 * the counters show what was read ahead. A pause of a part is one of the outer
 * phase, too. resume returns the length in ns; 0 if the clock ran. */
void pario_phase_pause(struct pario_phase *phase);
int64_t pario_phase_resume(struct pario_phase *phase, int quiet);
/* Local. The same for pauses that the loop has timed itself. */
void pario_phase_paused(struct pario_phase *phase, int64_t length_ns,
                        int quiet);
/* Local. May the system read on while the clock stands still? */
int pario_phase_reads_ahead(const struct pario_phase *phase);

/* Collective over wider, of which the settled phase's group is a part: all of
 * it learn figures and latency, and it becomes the phase's group. The others
 * come with a phase that has run and latency alone. */
int pario_phase_share(struct pario_phase *phase,
                      const struct pario_group *wider) PARIO_MUST_USE;

/* Collective. Adds the figures to a measure that has its name (test, access,
 * partition, pattern, parameters, extra, error) and to the document. Wrong
 * data makes the run invalid. */
int pario_phase_record(struct pario_phase *phase,
                       struct pario_measure *measure) PARIO_MUST_USE;
#endif
