/* measure/surroundings.c - what else went on while a run measured. */
#include "measure/surroundings.h"

#include "core/units.h"
#include "measure/placement.h"
#include "measure/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Traffic of others that is worth a word: more than this, and than this share
 * of what the run itself asked for (metadata and journals are ours). */
#define OTHERS_BYTES ((int64_t)16 << 20)
#define OTHERS_SHARE 0.25
/* Before the run: looked at for so long, worth a word from so much on. */
#define LOOK_NS 30000000
#define LOOK_BYTES ((int64_t)1 << 20)

static struct pario_noise_share share_of(const struct pario_run *run)
{
    return (struct pario_noise_share){
        .processes =
            run->jobs > 0 ? run->jobs : pario_group_node_size(run->world),
        .cores = pario_node_cpus(),
        .own_user_ns = -1,
    };
}

/* A plan is not disturbed by anybody. */
static int is_unwatched(const struct pario_run *run)
{
    return run->unwatched || run->common.dry_run;
}

static int was_reported(const struct pario_noise_findings *reported,
                        const char *text)
{
    for (int i = 0; i < reported->count; i++)
        if (strcmp(reported->text[i], text) == 0)
            return 1;
    return 0;
}

/* Rank 0's node speaks, each thing once; how many others have something to say
 * is added. */
static int report(struct pario_run *run, const char *when,
                  const struct pario_noise_findings *findings,
                  const struct pario_noise_findings *reported)
{
    int first = pario_group_rank(run->world) == 0;
    int64_t others =
        pario_group_node_rank(run->world) == 0 && !first && findings->count > 0;
    json_t *list = json_array();
    int code = pario_reduce_i64(run->world, PARIO_SUM, &others, 1);

    for (int i = 0; i < findings->count; i++) {
        if (first && !was_reported(reported, findings->text[i]))
            pario_run_warn(run, "%s", findings->text[i]);
        json_array_append_new(list, json_string(findings->text[i]));
    }
    if (others > 0 && first)
        pario_run_warn(run, "%lld other node%s not quiet %s the run either",
                       (long long)others, others == 1 ? " was" : "s were",
                       when);
    if (run->result == NULL) {
        json_decref(list);
        return code;
    }
    return pario_result_set(run->result, "surroundings", when, list);
}

static int64_t mpi_time_ns(void)
{
    double now_s = pario_par_time_s();

    return now_s < 0 ? -1 : (int64_t)(now_s * 1e9);
}

/* Collective. Every figure is made of the clock: without it there is none. */
static int check_clocks(struct pario_run *run)
{
    char text[PARIO_NOISE_LEN] = "";
    struct pario_clocks now;
    int64_t bent;
    int code;

    pario_clocks_now(mpi_time_ns, &now);
    bent = pario_clocks_compare(&run->surroundings.clocks, &now, text,
                                sizeof text);
    code = pario_reduce_i64(run->world, PARIO_SUM, &bent, 1);
    if (code == 0 && bent > 0 && pario_group_rank(run->world) == 0) {
        if (text[0] != '\0')
            pario_run_invalidate(run, "%s", text);
        else
            pario_run_invalidate(run, "the clocks of %lld processes disagree",
                                 (long long)bent);
    }
    return code;
}

int pario_surroundings_begin(struct pario_run *run)
{
    struct pario_surroundings *around = &run->surroundings;
    struct pario_noise_share share = share_of(run);
    const struct pario_noise_findings none = {.count = 0};
    int code;

    if (is_unwatched(run))
        return 0;
    pario_clocks_now(mpi_time_ns, &around->clocks);
    pario_noise_now(&around->begin);
    pario_noise_describe(&around->begin, NULL, &share, &around->before);
    code =
        pario_agree(run->world, report(run, "before", &around->before, &none));
    return code != 0 ? code : pario_placement_check(run);
}

/* What others do to the device before the run has done anything. */
static void look_before(struct pario_run *run)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    struct pario_surroundings *around = &run->surroundings;
    struct pario_device_traffic now, delta;
    char text[PARIO_NOISE_LEN], rate[PARIO_UNITS_LEN];
    int64_t bytes, begin_ns = pario_clock_ns();
    json_t *list;
    double seconds;

    nanosleep(&pause, NULL);
    seconds = pario_clock_since_s(begin_ns);
    if (pario_device_read(around->devices, &now) != 0)
        return;
    pario_device_since(&around->traffic, &now, &delta);
    bytes = delta.read_bytes + delta.written_bytes;
    if (delta.read_bytes < 0 || delta.written_bytes < 0 || bytes < LOOK_BYTES)
        return;
    snprintf(text, sizeof(text),
             "others moved %s from and to %s before this run",
             pario_rate_print((double)bytes / seconds * 1e-6, rate),
             pario_device_names(around->devices));
    pario_run_warn(run, "%s", text);
    list = json_object_get(
        json_object_get(pario_result_document(run->result), "surroundings"),
        "before");
    json_array_append_new(list, json_string(text));
}

static void find_others(struct pario_noise_findings *findings, const char *verb,
                        const char *devices, int64_t device, int64_t own)
{
    char size[PARIO_UNITS_LEN];

    if (device < 0 || device - own < OTHERS_BYTES ||
        (double)(device - own) < OTHERS_SHARE * (double)own ||
        findings->count == PARIO_NOISE_MAX)
        return;
    snprintf(findings->text[findings->count++], PARIO_NOISE_LEN,
             "others %s %s %s %s beside this run", verb,
             pario_size_print_short(device - own, size),
             strcmp(verb, "read") == 0 ? "from" : "to", devices);
}

/* What the device moved beyond what the processes of its node asked for. */
static int find_other_traffic(struct pario_run *run,
                              struct pario_noise_findings *findings)
{
    struct pario_surroundings *around = &run->surroundings;
    struct pario_device_traffic own, now, delta;
    int on_node = pario_group_node(run->world) == 0;
    int64_t bytes[2] = {0, 0};
    int code;

    pario_noise_own_io(&own);
    pario_device_since(&around->own, &own, &delta);
    if (on_node && delta.read_bytes > 0)
        bytes[0] = delta.read_bytes;
    if (on_node && delta.written_bytes > 0)
        bytes[1] = delta.written_bytes;
    code = pario_reduce_i64(run->world, PARIO_SUM, bytes, 2);
    if (code != 0 || around->devices == NULL)
        return code;
    if (pario_device_read(around->devices, &now) == 0) {
        const char *names = pario_device_names(around->devices);

        pario_device_since(&around->traffic, &now, &delta);
        find_others(findings, "read", names, delta.read_bytes, bytes[0]);
        find_others(findings, "wrote", names, delta.written_bytes, bytes[1]);
    }
    pario_device_free(around->devices);
    around->devices = NULL;
    return 0;
}

/* Rank 0. The devices below the run's directory; none if they cannot be seen:
 * then there is nothing to say. */
static void find_devices(struct pario_run *run)
{
    struct pario_surroundings *around = &run->surroundings;

    if (pario_device_find(run->directory, &around->devices) != 0 ||
        pario_device_read(around->devices, &around->traffic) != 0) {
        pario_device_free(around->devices);
        around->devices = NULL;
    }
}

int pario_surroundings_watch(struct pario_run *run)
{
    struct pario_surroundings *around = &run->surroundings;
    int code = 0;

    if (is_unwatched(run))
        return 0;
    if (around->watched && run->jobs == 0)
        code = find_other_traffic(run, &around->others);
    pario_noise_own_io(&around->own);
    if (pario_group_rank(run->world) == 0) {
        find_devices(run);
        /* Later the device may be busy with what this run has left. */
        if (!around->watched && around->devices != NULL &&
            run->result != NULL && around->traffic.read_bytes >= 0)
            look_before(run);
        if (run->jobs > 0) { /* from here on its jobs are busy there */
            pario_device_free(around->devices);
            around->devices = NULL;
        }
    }
    around->watched = 1;
    return code;
}

int pario_surroundings_end(struct pario_run *run)
{
    struct pario_surroundings *around = &run->surroundings;
    struct pario_noise_share share = share_of(run);
    struct pario_noise_findings findings = {.count = 0};
    struct pario_noise now, delta;
    int64_t own_user_ns;
    int code;

    if (is_unwatched(run))
        return 0;
    pario_noise_now(&now);
    pario_noise_since(&around->begin, &now, &delta);
    own_user_ns = delta.own_user_ns > 0 ? delta.own_user_ns : 0;
    code = pario_reduce_i64(run->world, PARIO_SUM, &own_user_ns, 1);
    share.own_user_ns = own_user_ns / pario_group_nodes(run->world);
    if (run->jobs > 0)
        share.own_user_ns = -1;
    pario_noise_describe(&around->begin, &delta, &share, &findings);
    if (code == 0 && around->watched && run->jobs == 0)
        code = find_other_traffic(run, &around->others);
    for (int i = 0;
         i < around->others.count && findings.count < PARIO_NOISE_MAX; i++)
        snprintf(findings.text[findings.count++], PARIO_NOISE_LEN, "%s",
                 around->others.text[i]);
    if (code == 0)
        code = check_clocks(run);
    if (code == 0)
        code = report(run, "during", &findings, &around->before);
    return pario_agree(run->world, code);
}
