/*
 * NHT-1's peak disk I/O benchmark (report RND-92-016, section 3): 80 % of the
 * system's memory, filled with random data, goes to disk and comes back.
 */
#include "suites/nht/peak_io.h"

#include "core/units.h"
#include "measure/marks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Memory that stays free on a node, for everything else that runs there. */
#define RESERVE_BYTES ((int64_t)256 << 20)
/* Memory is taken in pieces, looking each time whether there is enough. */
#define PIECE_BYTES ((int64_t)64 << 20)

static int too_little(const struct nht_peak *peak, int64_t need, int64_t have)
{
    char text[3][PARIO_UNITS_LEN];

    return pario_fail(
        -ENOMEM,
        "nht peak needs %s of memory on this node and only %s of %s can be "
        "had without endangering it (lower it with --memory or --fraction: "
        "a trial, not NHT-1)",
        pario_size_print_short(need, text[0]),
        pario_size_print_short(have > 0 ? have : 0, text[1]),
        pario_size_print_short(peak->amount.memory_bytes, text[2]));
}

/* Local. Does the node bear it? */
static int check_memory(const struct nht_peak *peak)
{
    int64_t need =
        peak->amount.share_bytes * pario_group_node_size(peak->run->world);
    int64_t have = peak->run->node.memory_free_bytes - RESERVE_BYTES;

    return need <= have ? 0 : too_little(peak, need, have);
}

/* Local. Fills the buffer with random data; the first time this takes the
 * memory, so the node is looked at before each piece. */
static int fill(struct nht_peak *peak, const struct pario_data *data,
                int taking)
{
    int64_t share = peak->amount.share_bytes;
    int procs = pario_group_node_size(peak->run->world);

    for (int64_t at = 0; at < share; at += PIECE_BYTES) {
        int64_t len = share - at < PIECE_BYTES ? share - at : PIECE_BYTES;
        struct pario_node_facts now;

        if (taking && pario_node_facts_get(&now) == 0 &&
            now.memory_free_bytes >= 0 &&
            now.memory_free_bytes < RESERVE_BYTES / 2 + len * procs)
            return too_little(peak, share * procs, at * procs);
        pario_data_fill(data, at, peak->buf + at, (size_t)len);
    }
    return 0;
}

static int take_memory(struct nht_peak *peak)
{
    int code;

    pario_run_phase(peak->run, (double)peak->amount.total_bytes / 100e6,
                    "filling the memory with random data");
    peak->buf =
        mmap(NULL, (size_t)peak->amount.share_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (peak->buf == MAP_FAILED) {
        peak->buf = NULL;
        code = pario_fail_errno(-errno, "cannot take the memory");
    } else {
        code = fill(peak, &peak->data, 1);
    }
    return pario_agree(peak->run->world, code);
}

/* Every byte; the memory held other random data before the read. */
static int check_data(void *arg, struct pario_phase *phase)
{
    struct nht_peak *peak = arg;
    struct pario_figures *figures = &phase->figures;
    struct pario_data_error error;
    char text[192];

    if (peak->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    figures->checked_bytes = peak->amount.share_bytes;
    if (pario_data_check(&peak->data, 0, peak->buf,
                         (size_t)peak->amount.share_bytes, &error) == 0)
        return 0;
    figures->wrong_bytes = error.wrong_bytes;
    pario_data_describe(&peak->data,
                        (uint64_t)pario_group_size(peak->run->world), &error,
                        text, sizeof(text));
    snprintf(figures->wrong, sizeof(figures->wrong), "peak.%06d: %s",
             pario_group_rank(peak->run->world), text);
    return 0;
}

/* Local, after all measures: no invalid result is official. */
static void summarise(struct nht_peak *peak, int official)
{
    struct pario_result *result = peak->run->result;
    const struct pario_figures *wrote = &peak->phase[PARIO_WRITE].figures;
    const struct pario_figures *did_read = &peak->phase[PARIO_READ].figures;
    double rate = 2.0 * (double)peak->amount.total_bytes /
                  (did_read->seconds + wrote->seconds);
    struct pario_flag_sum both = {0};

    if (result == NULL)
        return;
    pario_flag_sum_add(&both, wrote->flags);
    pario_flag_sum_add(&both, did_read->flags);
    pario_result_summary(result, "r_peak_bytes_per_s", json_real(rate),
                         pario_flag_sum_get(&both));
    pario_result_summary(result, "t_pwrite_s", json_real(wrote->seconds),
                         wrote->flags);
    pario_result_summary(result, "t_pread_s", json_real(did_read->seconds),
                         did_read->flags);
    pario_result_set(result, "summary", "bytes",
                     json_integer(peak->amount.total_bytes));
    pario_result_set(result, "summary", "official",
                     json_boolean(official && pario_result_is_valid(result)));
}

/* Collective. What was read back and compared is what was written. */
static int report(struct nht_peak *peak)
{
    struct pario_figures *wrote = &peak->phase[PARIO_WRITE].figures;
    const struct pario_figures *did_read = &peak->phase[PARIO_READ].figures;
    int on_disk =
        wrote->cache == PARIO_CACHE_DISK && did_read->cache == PARIO_CACHE_DISK;
    int code;

    if (!on_disk)
        pario_run_warn(
            peak->run,
            "the data did not all go to a disk and come from there "
            "(writing: %s, reading: %s%s): not an NHT-1 result",
            pario_cache_names[wrote->cache], pario_cache_names[did_read->cache],
            peak->run->fs.memory_backed ? "; this file system has no disk"
                                        : "");
    pario_figures_read_back(wrote, did_read);
    code = nht_peak_record(peak, PARIO_WRITE, &peak->way, "write");
    if (code == 0)
        code = nht_peak_record(peak, PARIO_READ, &peak->read_way, "read");
    if (code == 0 && did_read->wrong_bytes == 0)
        summarise(peak, on_disk && peak->amount.official);
    return code;
}

/* The read begins when the only copy is on disk. */
static int prepare_read(struct nht_peak *peak)
{
    struct pario_data other = peak->data;
    struct nht_way direct = peak->way;
    int64_t resident = 0;
    int code;

    direct.direct = 1;
    other.key = ~other.key;
    code = pario_agree(peak->run->world, fill(peak, &other, 0));
    if (code == 0)
        code = nht_peak_evict(peak, &resident);
    if (code == 0)
        code = pario_agree(peak->run->world,
                           pario_cache_resident(peak->path, 0, 0, &resident));
    if (code == 0)
        code = pario_reduce_i64(peak->run->world, PARIO_SUM, &resident, 1);
    peak->read_way = peak->way;
    /* Where pages stay in the cache O_DIRECT goes past them. */
    if (code == 0 && resident * 20 > peak->amount.total_bytes &&
        nht_way_is_possible(peak, &direct))
        peak->read_way = direct;
    return code;
}

static int measure(struct nht_peak *peak)
{
    double schedule_s = (double)peak->amount.total_bytes / 30e6;
    int code;

    pario_run_phase(peak->run, schedule_s, "writing with %s%s, %lld MiB x %d",
                    peak->way.backend, peak->way.direct ? " O_DIRECT" : "",
                    (long long)(peak->way.request_bytes / NHT_BLOCK),
                    (int)peak->way.depth);
    code = nht_peak_move(peak, &peak->way, PARIO_WRITE,
                         peak->amount.share_bytes, NULL);
    if (code == 0) {
        pario_run_phase(peak->run, schedule_s,
                        "putting the files out of "
                        "memory");
        code = prepare_read(peak);
    }
    if (code == 0) {
        pario_run_phase(peak->run, 2 * schedule_s,
                        "reading, and checking every byte");
        code = nht_peak_move(peak, &peak->read_way, PARIO_READ,
                             peak->amount.share_bytes, check_data);
    }
    return code == 0 ? report(peak) : code;
}

static int print_plan(const struct nht_peak *peak)
{
    char text[3][PARIO_UNITS_LEN];

    if (pario_group_rank(peak->run->world) != 0)
        return 0;
    printf("nht peak: %s of %s a node, %s in all, to disk and back; needs as "
           "much memory and disk space\n",
           pario_size_print_short(peak->amount.share_bytes *
                                      pario_group_node_size(peak->run->world),
                                  text[0]),
           pario_size_print_short(peak->amount.memory_bytes, text[1]),
           pario_size_print_short(peak->amount.total_bytes, text[2]));
    return 0;
}

int pario_nht_peak(struct pario_run *run)
{
    struct nht_peak peak = {.run = run};
    int rank = pario_group_rank(run->world);
    char name[32];
    int code;

    if (run->noperands > 1)
        return pario_fail(PARIO_EUSAGE, "nht peak takes one directory");
    code = pario_agree(run->world, nht_amount_get(run, &peak.amount));
    if (code == 0 && run->common.dry_run)
        return print_plan(&peak);
    if (code == 0)
        code = pario_agree(run->world, check_memory(&peak));
    if (code == 0)
        code = pario_run_directory(run,
                                   run->noperands > 0 ? run->operands[0] : NULL,
                                   peak.amount.total_bytes);
    if (code != 0)
        return code;
    if (!peak.amount.official)
        pario_run_warn(run, "less than 80 %% of the memory: a trial, not an "
                            "NHT-1 result");
    peak.data =
        (struct pario_data){.key = run->data_key, .file = (uint64_t)rank};
    snprintf(name, sizeof(name), "peak.%06d", rank);
    pario_run_path(run, name, peak.path, sizeof(peak.path));
    code = take_memory(&peak);
    if (code == 0)
        code = nht_peak_calibrate(&peak);
    if (code == 0)
        code = measure(&peak);
    if (peak.buf != NULL)
        munmap(peak.buf, (size_t)peak.amount.share_bytes);
    return code;
}
