/* measure/phase.c - the one place where a number is made. */
#include "measure/phase.h"

#include "core/clock.h"
#include "measure/devices.h"
#include "sys/noise.h"

#include <sys/stat.h>

/* Bytes on disk that the processes can read; a file may have holes. */
static int find_data(const struct pario_phase *phase, int64_t *bytes_p)
{
    struct stat st;
    int whole = phase->nranges == 0;

    *bytes_p = 0;
    for (size_t i = 0; i < phase->nranges; i++)
        *bytes_p += phase->ranges[i].len;
    if (whole && phase->path != NULL && stat(phase->path, &st) == 0)
        *bytes_p = (int64_t)st.st_blocks * 512;
    return pario_reduce_i64(phase->group,
                            whole && phase->shared ? PARIO_MAX : PARIO_SUM,
                            bytes_p, 1);
}

/* Collective. *share_p: of what is going to be read, or was; -1 unknown. */
static int find_residency(const struct pario_phase *phase, int cold,
                          double *share_p)
{
    int64_t bytes = -1, data = 0;
    int code;

    if (phase->shared && phase->nranges == 0)
        code = pario_residency(phase->group, phase->path, cold, &bytes);
    else
        code = pario_residency_of_parts(phase->group, phase->path,
                                        phase->shared, phase->ranges,
                                        phase->nranges, cold, &bytes);
    if (code == 0)
        code = find_data(phase, &data);
    *share_p = bytes >= 0 && data > 0 ? (double)bytes / (double)data : -1;
    return code;
}

/* What this process has asked block devices for; -1 unknown. */
static int64_t own_read_bytes(void)
{
    struct pario_device_traffic own;

    pario_noise_own_io(&own);
    return own.read_bytes;
}

/* Collective, at the end. Beside other programs the devices' counters do not
 * say what came from the page caches. */
static int find_kept(struct pario_phase *phase)
{
    int64_t now = own_read_bytes();
    int64_t facts[2] = {now - phase->own_read_bytes,
                        now < 0 || phase->own_read_bytes < 0};
    int code = find_residency(phase, 0, &phase->kept_share);

    if (code == 0)
        code = pario_reduce_i64(phase->group, PARIO_SUM, facts, 2);
    phase->own_read_bytes = facts[1] > 0 ? -1 : facts[0];
    return code;
}

static int asks_residency(const struct pario_phase *phase)
{
    return phase->outer == NULL && phase->reading && !phase->names;
}

int pario_phase_prepare(struct pario_phase *phase)
{
    struct pario_figures *figures = &phase->figures;
    int code = 0;

    *figures = (struct pario_figures){.seen = {.resident_bytes = -1}};
    phase->pause_ns = phase->unseen_ns = phase->looped_ns = 0;
    phase->gaps_ns = phase->hidden_bytes = phase->unwritten = 0;
    phase->device_reads = -1;
    phase->resident_share = phase->kept_share = -1;
    phase->own_read_bytes = -1;
    if (phase->latency != NULL)
        pario_hist_init(phase->latency);
    phase->pause_begin_ns = phase->has_parts = phase->devices_pause = 0;
    phase->in_gap = phase->resumed_outer = 0;
    if (phase->outer != NULL) {
        phase->outer->has_parts = 1;
        return 0;
    }
    if (asks_residency(phase))
        code = find_residency(phase, phase->run->common.cold,
                              &phase->resident_share);
    if (phase->beside != NULL)
        code = pario_agree(phase->beside, code);
    return code != 0 ? code : pario_devices_find(phase);
}

static void resume_devices(struct pario_phase *phase)
{
    if (phase->devices_pause)
        pario_devices_resume(phase);
    phase->devices_pause = 0;
}

int pario_phase_begin(struct pario_phase *phase)
{
    int code;

    pario_devices_begin(phase);
    if (asks_residency(phase))
        phase->own_read_bytes = own_read_bytes();
    /* Reading counters takes its time: all of it before the barrier. */
    if (phase->outer != NULL)
        resume_devices(phase->outer);
    phase->ready_ns = pario_clock_ns();
    code = pario_barrier(pario_phase_all(phase));
    if (phase->outer != NULL)
        phase->resumed_outer = pario_phase_resume(phase->outer, 1) > 0;
    phase->begin_ns = pario_clock_ns();
    return code;
}

void pario_phase_pause(struct pario_phase *phase)
{
    phase->pause_begin_ns = pario_clock_ns();
    phase->devices_pause = phase->in_gap = phase->has_parts;
    if (phase->devices_pause)
        pario_devices_pause(phase);
}

int pario_phase_reads_ahead(const struct pario_phase *phase)
{
    return phase->reading && !phase->direct;
}

static void add_pause(struct pario_phase *phase, int64_t length, int quiet)
{
    phase->pause_ns += length;
    if (!quiet)
        phase->unseen_ns += length;
}

int64_t pario_phase_resume(struct pario_phase *phase, int quiet)
{
    int64_t length;

    if (phase->pause_begin_ns == 0)
        return 0;
    resume_devices(phase);
    length = pario_clock_ns() - phase->pause_begin_ns;
    if (phase->in_gap)
        phase->gaps_ns += length;
    phase->pause_begin_ns = 0;
    pario_phase_paused(phase, length, quiet);
    return length;
}

void pario_phase_paused(struct pario_phase *phase, int64_t length_ns, int quiet)
{
    add_pause(phase, length_ns, quiet);
    if (phase->outer != NULL)
        add_pause(phase->outer, length_ns, quiet);
}

int pario_phase_end(struct pario_phase *phase, int code)
{
    int seen_code, idle_code = 0;

    (void)pario_phase_resume(phase, 1);
    phase->end_ns = pario_clock_ns();
    if (phase->idlers)
        idle_code = pario_barrier_idle(pario_phase_all(phase));
    code = pario_agree(pario_phase_all(phase), code != 0 ? code : idle_code);
    if (phase->outer != NULL)
        pario_phase_pause(phase->outer);
    seen_code = pario_devices_end(phase);
    if (code == 0)
        code = seen_code;
    if (phase->names || phase->many)
        phase->unwritten = -1; /* of many files nobody asks */
    else if (code == 0 && phase->outer == NULL && phase->writing)
        code = pario_residency_unwritten(phase->group, phase->path,
                                         phase->shared, &phase->unwritten);
    if (code == 0 && asks_residency(phase))
        code = find_kept(phase);
    return code;
}

void pario_phase_spread(struct pario_phase *phase, int64_t spent_ns)
{
    const struct pario_phase *outer = phase->outer;

    phase->figures.seen = outer->figures.seen;
    phase->device_reads = outer->device_reads;
    phase->ready_ns = phase->begin_ns = 0;
    phase->looped_ns = phase->pause_ns = 0;
    phase->end_ns = spent_ns;
    phase->unseen_ns = outer->end_ns - outer->begin_ns - spent_ns;
    phase->spread = 1;
}

void pario_phase_drop(struct pario_phase *phase)
{
    if (phase->outer == NULL) {
        pario_device_free(phase->devices);
        pario_group_destroy(phase->neighbours);
    }
    phase->devices = NULL;
    phase->neighbours = NULL;
}

/* From the first call until the data is durable and the file closed. */
static int timed_part(struct pario_phase *phase,
                      const struct pario_phase_calls *calls, void *part)
{
    int code = calls->loop(part, phase), sync_code = 0, close_code = 0;

    phase->looped_ns = pario_clock_ns();
    if (phase->writing && calls->sync != NULL)
        sync_code = calls->sync(part);
    if (calls->close != NULL)
        close_code = calls->close(part);
    code = code != 0 ? code : sync_code != 0 ? sync_code : close_code;
    return pario_phase_end(phase, code);
}

int pario_phase_run(struct pario_phase *phase,
                    const struct pario_phase_calls *calls, void *part)
{
    /* Those beside it may have to open and check, others not: all meet. */
    int meet = phase->beside != NULL;
    int code = pario_phase_prepare(phase);

    if (code == 0 && (calls->open != NULL || meet))
        code = pario_agree(pario_phase_all(phase),
                           calls->open != NULL ? calls->open(part) : 0);
    if (code == 0)
        code = pario_phase_begin(phase);
    if (code != 0) {
        pario_phase_drop(phase);
        return code;
    }
    code = timed_part(phase, calls, part);
    if (code == 0 && (calls->check != NULL || meet))
        code =
            pario_agree(pario_phase_all(phase),
                        calls->check != NULL ? calls->check(part, phase) : 0);
    if (code != 0) {
        pario_phase_drop(phase);
        return code;
    }
    return pario_phase_settle(phase);
}
