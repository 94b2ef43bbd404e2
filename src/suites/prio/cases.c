/* suites/prio/cases.c - from sections to cases, and what is impossible. */
#include "core/rng.h"
#include "core/units.h"
#include "suites/prio/device.h"
#include "suites/prio/keys.h"
#include "suites/prio/plan.h"
#include "suites/prio/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_REQUEST ((int64_t)1 << 30)
#define LONGEST_WHOLE ((int64_t)0x7ffff000) /* one pread of Linux */
#define SMALLEST_SECTOR 512
#define FILE_LIMIT ((int64_t)1 << (PARIO_DATA_WORD_BITS + 3))

/* The lists that apply to a pattern. */
static struct prio_ratio ratio_of(const struct prio_section *section,
                                  enum prio_pattern pattern, size_t i)
{
    switch (pattern) {
    case PRIO_WRITE:
        return (struct prio_ratio){0, 1};
    case PRIO_BACKWARD:
    case PRIO_READ:
        return (struct prio_ratio){1, 0};
    default:
        return section->ratio.item[i];
    }
}

static size_t ratios_of(const struct prio_section *section,
                        enum prio_pattern pattern)
{
    return pattern == PRIO_READ_WRITE || pattern == PRIO_RANDOM
               ? section->ratio.count
               : 1;
}

static void set_sizes(const struct prio_workload *workload,
                      const struct prio_section *section,
                      const struct prio_size *data,
                      const struct prio_size *request, struct prio_case *what)
{
    int64_t step = prio_size_step(data);

    what->request_low = request->low;
    what->request_high = request->high;
    what->seed =
        pario_mix64(workload->seed + ((uint64_t)section->number << 32) +
                    (uint64_t)what->repetition);
    what->data_low = data->low;
    what->data_high = data->high;
    what->data_bytes = prio_draw_size(data->low, data->high, step, what->seed);
    if (section->bench->abilities & (PRIO_WHOLE | PRIO_NO_DATA))
        what->request_low = what->request_high = what->data_bytes;
    what->file_number = (uint64_t)section->number;
}

/* The innermost loops: all that runs on the same file. */
static int each_access(const struct prio_workload *workload,
                       const struct prio_section *section,
                       struct prio_case *what, size_t data, size_t request,
                       prio_case_fn *fn, void *context)
{
    /* A sub-benchmark without patterns or methods has one of each. */
    unsigned methods = section->methods != 0 ? section->methods : 1;
    unsigned patterns = section->patterns != 0 ? section->patterns : 1;
    int code = 0;

    for (int p = 0; p < PRIO_PATTERNS; p++) {
        if (!(patterns & 1u << p))
            continue;
        for (int m = 0; m < PRIO_METHODS; m++)
            for (size_t r = 0; methods & 1u << m &&
                               r < ratios_of(section, (enum prio_pattern)p);
                 r++)
                for (int n = 0; code == 0 && n < section->repetitions; n++) {
                    struct prio_ratio ratio =
                        ratio_of(section, (enum prio_pattern)p, r);

                    what->pattern = (enum prio_pattern)p;
                    what->method = (enum prio_method)m;
                    what->reads = ratio.reads;
                    what->writes = ratio.writes;
                    what->repetition = n;
                    set_sizes(workload, section, &section->data.item[data],
                              &section->request.item[request], what);
                    code = fn(context, section, what);
                }
    }
    return code;
}

/* All data and request sizes on one number of processes. */
static int each_size(const struct prio_workload *workload,
                     const struct prio_section *section, int processes,
                     prio_case_fn *fn, void *context)
{
    struct prio_case what = section->base;
    size_t requests = section->bench->abilities & (PRIO_WHOLE | PRIO_NO_DATA)
                          ? 1
                          : section->request.count;
    int code = 0;

    what.processes = processes;
    for (size_t d = 0; d < section->data.count; d++)
        for (size_t r = 0; code == 0 && r < requests; r++)
            code = each_access(workload, section, &what, d, r, fn, context);
    return code;
}

int prio_section_each(const struct prio_workload *workload,
                      const struct prio_section *section, int size,
                      prio_case_fn *fn, void *context)
{
    int code = 0;

    if (section->bench->run == NULL)
        return 0;
    for (size_t p = 0; code == 0 && p < section->processes.count; p++) {
        int64_t wish = section->processes.item[p];

        /* n-all: doubled from n on, and all in the end. */
        for (int64_t n = -wish; code == 0 && wish < 0 && n < size; n *= 2)
            code = each_size(workload, section, (int)n, fn, context);
        if (code == 0)
            code = each_size(workload, section, wish > 0 ? (int)wish : size, fn,
                             context);
    }
    return code;
}

static int bit_index(unsigned bits)
{
    int i = 0;

    while (bits > 1) {
        bits >>= 1;
        i++;
    }
    return i;
}

void prio_mix_case(const struct prio_workload *workload,
                   const struct prio_mix *mix, int part, int repetition,
                   int processes, struct prio_case *what)
{
    const struct prio_section *section = mix->part[part].section;
    struct prio_ratio ratio;

    *what = section->base;
    what->pattern = (enum prio_pattern)bit_index(section->patterns);
    what->method = (enum prio_method)bit_index(section->methods);
    ratio = ratio_of(section, what->pattern, 0);
    what->reads = ratio.reads;
    what->writes = ratio.writes;
    what->repetition = repetition;
    what->processes = processes;
    set_sizes(workload, section, &section->data.item[0],
              &section->request.item[0], what);
    what->time_s = mix->time_s;
}

/* The shares in percent, rounded so that they add up: 50 and 50 of 3 are 2 and
 * 1. At most `most` processes, at least one each. */
static void divide_percents(const struct prio_mix *mix, int size, int most,
                            int counts[PRIO_MAX_PARTS])
{
    double percent = 0;
    int given = 0, left = 0;

    for (int i = 0; i < mix->nparts; i++)
        left += mix->part[i].share.percent >= 0;
    for (int i = 0; i < mix->nparts; i++) {
        int count;

        if (mix->part[i].share.percent < 0)
            continue;
        left--;
        percent += mix->part[i].share.percent;
        count = (int)(percent / 100 * size + 0.5) - given;
        if (count > most - given - left)
            count = most - given - left;
        counts[i] = count > 1 ? count : 1;
        given += counts[i];
    }
}

/* What is wrong with the shares themselves; *rest_p: the part that takes the
 * rest, or -1. */
static int check_shares(const struct prio_workload *workload,
                        const struct prio_mix *mix, int *rest_p)
{
    double percent = 0;

    *rest_p = -1;
    for (int i = 0; i < mix->nparts; i++) {
        const struct prio_share *share = &mix->part[i].share;
        int code = 0;

        if (share->percent > 0)
            percent += share->percent;
        if (percent > 100.001)
            code =
                pario_fail(PARIO_EUSAGE, "more than 100 %% of the processes");
        if (share->rest && *rest_p >= 0)
            code =
                pario_fail(PARIO_EUSAGE, "a second part that takes the rest");
        if (code != 0)
            return prio_workload_fail(workload, mix->part[i].line, "");
        if (share->rest)
            *rest_p = i;
    }
    return 0;
}

int prio_mix_divide(const struct prio_workload *workload,
                    const struct prio_mix *mix, int size,
                    int counts[PRIO_MAX_PARTS])
{
    int used = 0, rest = -1;
    int code = check_shares(workload, mix, &rest);

    if (code != 0)
        return code;
    for (int i = 0; i < mix->nparts; i++) {
        counts[i] = (int)mix->part[i].share.processes;
        used += counts[i];
    }
    divide_percents(mix, size, size - used - (rest >= 0), counts);
    used = 0;
    for (int i = 0; i < mix->nparts; i++)
        used += counts[i];
    if (rest >= 0)
        counts[rest] = size - used;
    if ((rest >= 0 && size - used < 1) || (rest < 0 && used > size)) {
        (void)pario_fail(PARIO_EUSAGE,
                         "the mix '%s' needs more than the %d processes there "
                         "are",
                         mix->label, size);
        return prio_workload_fail(workload, mix->line, "");
    }
    /* Percentages that leave some over: the last part takes them. */
    if (rest < 0 && mix->nparts > 0 &&
        mix->part[mix->nparts - 1].share.percent >= 0)
        counts[mix->nparts - 1] += size - used;
    return 0;
}

/* Sets *key_p to the keyword at fault. */
static int check_methods(const struct prio_section *section,
                         const struct prio_case *what, int *key_p)
{
    *key_p = PRIO_KEY_DIRECT;
    if (what->direct && (prio_method_is_mpiio(what->method)))
        return pario_fail(PARIO_EUSAGE,
                          "O_DIRECT needs the access method posix, io_uring or "
                          "posix_aio, not %s",
                          prio_method_names[what->method]);
    *key_p = PRIO_KEY_SYNC;
    if (what->sync == PRIO_SYNC_DSYNC && prio_method_is_mpiio(what->method))
        return pario_fail(PARIO_EUSAGE,
                          "dsync needs the access method posix "
                          "or io_uring, not %s",
                          prio_method_names[what->method]);
    *key_p = PRIO_KEY_DEPTH;
    if (what->depth > 1 && !(section->methods & 1u << PRIO_URING))
        return pario_fail(PARIO_EUSAGE,
                          "several requests under way need the access method "
                          "io_uring");
    *key_p = PRIO_KEY_THINK;
    if (what->think_s > 0 && what->depth > 1 && what->method == PRIO_URING)
        return pario_fail(PARIO_EUSAGE,
                          "thinking after a request while others are under "
                          "way is no time without I/O: use depth 1, and more "
                          "processes");
    *key_p = PRIO_KEY_PREFETCH;
    if (what->prefetch > 0 && (what->think_s <= 0 || what->writes > 0))
        return pario_fail(PARIO_EUSAGE,
                          "what is read ahead waits for a program that "
                          "computes: it needs think, and ratio 1:0");
    *key_p = PRIO_KEY_TIME;
    if (what->time_s > 0 && prio_method_is_collective(what->method))
        return pario_fail(PARIO_EUSAGE,
                          "collective access methods run whole passes, not "
                          "for a time");
    return 0;
}

static int check_sizes(const struct prio_section *section,
                       const struct prio_case *what, int *key_p)
{
    unsigned abilities = section->bench->abilities;
    char data[PARIO_UNITS_LEN], request[PARIO_UNITS_LEN];

    if (abilities & PRIO_NO_DATA)
        return 0;
    *key_p = PRIO_KEY_DATA;
    if (abilities & PRIO_WHOLE && what->data_bytes > LONGEST_WHOLE)
        return pario_fail(PARIO_EUSAGE,
                          "the data goes in one request of at most %lld bytes",
                          (long long)LONGEST_WHOLE);
    if (what->data_bytes > FILE_LIMIT / what->processes)
        return pario_fail(PARIO_EUSAGE, "more than %s together",
                          pario_size_print(FILE_LIMIT, data));
    if (what->direct && what->data_bytes % SMALLEST_SECTOR != 0)
        return pario_fail(PARIO_EUSAGE,
                          "O_DIRECT needs multiples of %d bytes, at least",
                          SMALLEST_SECTOR);
    *key_p = PRIO_KEY_REQUEST;
    if (what->request_high > what->data_bytes)
        return pario_fail(PARIO_EUSAGE,
                          "a request of %s is larger than the data of one "
                          "process, %s",
                          pario_size_print(what->request_high, request),
                          pario_size_print(what->data_bytes, data));
    if (abilities & PRIO_STRIDES &&
        what->blocks > what->data_bytes / what->request_high) {
        *key_p = PRIO_KEY_BLOCKS;
        return pario_fail(PARIO_EUSAGE,
                          "%lld blocks of %s are more than the data of one "
                          "process, %s",
                          (long long)what->blocks,
                          pario_size_print(what->request_high, request),
                          pario_size_print(what->data_bytes, data));
    }
    if (!(abilities & PRIO_WHOLE) && what->request_high > LONGEST_REQUEST)
        return pario_fail(PARIO_EUSAGE, "a request of more than 1 GiB");
    if (what->direct && (what->request_low % SMALLEST_SECTOR != 0 ||
                         what->request_high % SMALLEST_SECTOR != 0))
        return pario_fail(PARIO_EUSAGE,
                          "O_DIRECT needs multiples of %d bytes, at least",
                          SMALLEST_SECTOR);
    return 0;
}

struct checking {
    const struct prio_workload *workload;
    int size;
};

static int check_case(void *context, const struct prio_section *section,
                      const struct prio_case *what)
{
    const struct checking *checking = context;
    int key = PRIO_KEY_PROCESSES, line, code = 0;

    if (what->processes > checking->size)
        code = pario_fail(PARIO_EUSAGE,
                          "%d processes were asked for, %d are there (pario "
                          "-n %d)",
                          what->processes, checking->size, what->processes);
    if (code == 0)
        code = check_sizes(section, what, &key);
    if (code == 0)
        code = check_methods(section, what, &key);
    if (code == 0 && section->bench->check != NULL) {
        key = PRIO_KEYS;
        code = section->bench->check(what);
    }
    if (code == 0)
        return 0;
    line = key < PRIO_KEYS ? abs(section->lines[key]) : 0;
    return prio_workload_fail(
        checking->workload, line > 0 ? line : section->line,
        key < PRIO_KEYS ? prio_keys[key].name : section->label);
}

/* In a mix a section is one case: which one must be clear. */
static int check_part(struct checking *checking, const struct prio_mix *mix,
                      int part, int processes)
{
    const struct prio_section *section = mix->part[part].section;
    struct prio_case what;

    if (!(section->bench->abilities & (PRIO_CAN_TIME | PRIO_ONCE))) {
        (void)pario_fail(PARIO_EUSAGE, "%s cannot be part of a mix",
                         section->bench->test.name);
        return prio_workload_fail(checking->workload, mix->part[part].line,
                                  section->label);
    }
    if ((section->patterns & (section->patterns - 1)) != 0 ||
        (section->methods & (section->methods - 1)) != 0 ||
        section->data.count > 1 || section->request.count > 1 ||
        section->ratio.count > 1) {
        (void)pario_fail(PARIO_EUSAGE,
                         "a part of a mix has one pattern, one method, one "
                         "data size, one request size and one ratio");
        return prio_workload_fail(checking->workload, section->line,
                                  section->label);
    }
    prio_mix_case(checking->workload, mix, part, 0, processes, &what);
    return check_case(checking, section, &what);
}

/* Parts that write a device would write into one another's data. */
static int check_devices(const struct checking *checking,
                         const struct prio_mix *mix)
{
    for (int i = 0; i < mix->nparts; i++) {
        const struct prio_section *one = mix->part[i].section;

        for (int k = 0; k < i; k++) {
            const struct prio_section *two = mix->part[k].section;

            if (one->base.device == NULL || two->base.device == NULL ||
                !(one->bench->abilities & two->bench->abilities &
                  PRIO_ON_DEVICE) ||
                one->ratio.item[0].writes + two->ratio.item[0].writes == 0 ||
                !prio_device_same(one->base.device, two->base.device))
                continue;
            (void)pario_fail(PARIO_EUSAGE,
                             "two parts of a mix on one device, and one of "
                             "them writes");
            return prio_workload_fail(checking->workload, mix->part[i].line,
                                      one->label);
        }
    }
    return 0;
}

static int check_mix(struct checking *checking, const struct prio_mix *mix)
{
    int counts[PRIO_MAX_PARTS] = {0};
    int code;

    if (mix->nparts < 2) {
        (void)pario_fail(PARIO_EUSAGE,
                         "a mix needs at least two parts: LABEL SHARE");
        return prio_workload_fail(checking->workload, mix->line, "");
    }
    code = prio_mix_divide(checking->workload, mix, checking->size, counts);
    for (int i = 0; code == 0 && i < mix->nparts; i++)
        code = check_part(checking, mix, i, counts[i]);
    return code != 0 ? code : check_devices(checking, mix);
}

int prio_workload_check(const struct prio_workload *workload, int size)
{
    struct checking checking = {.workload = workload, .size = size};
    int code = 0;

    for (int i = 0; code == 0 && i < workload->nsections; i++)
        if (workload->section[i].alone)
            code = prio_section_each(workload, &workload->section[i], size,
                                     check_case, &checking);
    for (int i = 0; code == 0 && i < workload->nmixes; i++)
        code = check_mix(&checking, &workload->mix[i]);
    return code;
}
