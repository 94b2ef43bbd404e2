/* suites/prio/explain.c - `--explain`: what a workload will do. */
#include "core/units.h"
#include "suites/prio/plan.h"
#include "suites/prio/prio.h"

#include <stdio.h>
#include <string.h>

/* Over all cases of a section. */
struct needs {
    const struct prio *prio;
    int64_t cases, requests, moved, disk, memory, files;
    double fixed_s; /* think time and times that are given */
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_case(struct needs *needs, const struct prio_section *section,
                     const struct prio_case *what)
{
    unsigned abilities = section->bench->abilities;
    int64_t all = what->data_bytes * what->processes;
    int64_t budget = needs->prio->env.memory_bytes;
    int64_t requests, memory;

    needs->cases++;
    if (section->bench->files != NULL)
        needs->files = most(needs->files, section->bench->files(what));
    if (section->bench->disk_bytes != NULL)
        needs->disk = most(needs->disk, section->bench->disk_bytes(what));
    if (abilities & PRIO_NO_DATA)
        return;
    requests = abilities & PRIO_WHOLE ? 1 : prio_plan_count(what);
    memory = what->reuse_buffer ? what->request_high * what->depth
             : what->data_bytes < budget || what->time_s > 0 ? what->data_bytes
                                                             : budget;
    needs->memory =
        most(needs->memory,
             memory + requests * (int64_t)sizeof(struct prio_request));
    if (!(abilities & PRIO_ON_DEVICE))
        needs->disk = most(needs->disk, all);
    if (what->time_s > 0) {
        needs->fixed_s += what->time_s;
        return;
    }
    needs->requests += requests * what->processes;
    /* async moves it twice: serialised and beside the computation. */
    needs->moved += abilities & PRIO_WHOLE ? 2 * all : all;
    needs->fixed_s += what->think_s * (double)requests;
}

static int add_each(void *context, const struct prio_section *section,
                    const struct prio_case *what)
{
    add_case(context, section, what);
    return 0;
}

static struct needs section_needs(const struct prio *prio,
                                  const struct prio_section *section)
{
    struct needs needs = {.prio = prio};
    int size = pario_group_size(prio->run->world);
    int code =
        prio_section_each(prio->workload, section, size, add_each, &needs);

    (void)code; /* add_each never fails */
    return needs;
}

static struct needs mix_needs(const struct prio *prio,
                              const struct prio_mix *mix)
{
    struct needs needs = {.prio = prio};
    int counts[PRIO_MAX_PARTS];
    int64_t disk = 0;

    if (prio_mix_divide(prio->workload, mix, pario_group_size(prio->run->world),
                        counts) != 0)
        return needs;
    for (int i = 0; i < mix->nparts; i++) {
        struct prio_case what;

        prio_mix_case(prio->workload, mix, i, 0, counts[i], &what);
        needs.disk = 0;
        add_case(&needs, mix->part[i].section, &what);
        disk += needs.disk;
    }
    needs.disk = disk;
    needs.fixed_s = mix->time_s * (double)mix->repetitions;
    return needs;
}

/* --keep: the files of all sections lie side by side. */
static int64_t section_disk(const struct prio *prio,
                            const struct prio_section *section)
{
    const struct prio_workload *workload = prio->workload;
    int size = pario_group_size(prio->run->world);
    int64_t disk = section->alone ? section_needs(prio, section).disk : 0;

    for (int i = 0; i < workload->nmixes; i++) {
        const struct prio_mix *mix = &workload->mix[i];
        int counts[PRIO_MAX_PARTS];

        if (prio_mix_divide(workload, mix, size, counts) != 0)
            continue;
        for (int p = 0; p < mix->nparts; p++) {
            struct needs needs = {.prio = prio};
            struct prio_case what;

            if (mix->part[p].section != section)
                continue;
            prio_mix_case(workload, mix, p, 0, counts[p], &what);
            add_case(&needs, section, &what);
            disk = most(disk, needs.disk);
        }
    }
    return disk;
}

int64_t prio_disk_needed(const struct prio *prio)
{
    const struct prio_workload *workload = prio->workload;
    int64_t disk = 0;

    for (int i = 0; prio->run->common.keep && i < workload->nsections; i++)
        disk += section_disk(prio, &workload->section[i]);
    if (prio->run->common.keep)
        return disk;
    for (int i = 0; i < workload->nsections; i++)
        if (workload->section[i].alone)
            disk = most(disk, section_needs(prio, &workload->section[i]).disk);
    for (int i = 0; i < workload->nmixes; i++)
        disk = most(disk, mix_needs(prio, &workload->mix[i]).disk);
    return disk;
}

static void print_sizes(FILE *out, const struct prio_sizes *sizes)
{
    char low[PARIO_UNITS_LEN], high[PARIO_UNITS_LEN];

    for (size_t i = 0; i < sizes->count; i++) {
        const struct prio_size *size = &sizes->item[i];

        fprintf(out, "%s%s", i > 0 ? ", " : "",
                pario_size_print(size->low, low));
        if (size->high != size->low)
            fprintf(out, " to %s at random",
                    pario_size_print(size->high, high));
    }
}

static void print_names(FILE *out, const char *const *names, unsigned bits)
{
    int first = 1;

    for (int i = 0; names[i] != NULL; i++) {
        if (!(bits & 1u << i))
            continue;
        fprintf(out, "%s%s", first ? "" : ", ", names[i]);
        first = 0;
    }
}

static void print_conditions(FILE *out, const struct prio_section *section)
{
    static const char *const syncs[] = {
        "writes are made durable at the end, within the time",
        "writes are left to the operating system's cache",
        "every write is durable before the next (O_DSYNC)",
    };
    const struct prio_case *base = &section->base;
    unsigned abilities = section->bench->abilities;

    if (abilities & (PRIO_NO_DATA | PRIO_WHOLE))
        return;
    fprintf(out, "  conditions: %s", syncs[base->sync]);
    if (base->direct)
        fprintf(out, "; O_DIRECT, past the page cache");
    if (base->depth > 1)
        fprintf(out, "; %lld requests under way with io_uring",
                (long long)base->depth);
    if (base->think_s > 0)
        fprintf(out, "; %g ms of thinking with each request",
                base->think_s * 1e3);
    if (base->prefetch > 0)
        fprintf(out, "; at most %lld are read ahead",
                (long long)base->prefetch);
    if (base->time_s > 0)
        fprintf(out, "; passes repeated for %g s", base->time_s);
    if (base->reuse_buffer)
        fprintf(out, "; one buffer again and again, data not checked");
    if (abilities & PRIO_STRIDES)
        fprintf(out, "; %lld blocks of a process side by side",
                (long long)base->blocks);
    if (abilities & PRIO_ON_DEVICE)
        fprintf(out, "; device %s",
                base->device != NULL ? base->device : "(none named yet)");
    fputc('\n', out);
}

static void print_data(FILE *out, const struct prio_section *section)
{
    unsigned abilities = section->bench->abilities;

    if (abilities & PRIO_NO_DATA)
        return;
    fprintf(out, "  data of each process: ");
    print_sizes(out, &section->data);
    if (abilities & PRIO_WHOLE) {
        fprintf(out,
                ", in one request, beside a computation of %g of its "
                "time\n",
                section->base.computation);
        return;
    }
    fprintf(out, "; requests of ");
    print_sizes(out, &section->request);
    fprintf(out, "\n  reads to writes where both occur:");
    for (size_t i = 0; i < section->ratio.count; i++)
        fprintf(out, " %lld:%lld", (long long)section->ratio.item[i].reads,
                (long long)section->ratio.item[i].writes);
    fputc('\n', out);
}

static void print_needs(FILE *out, const struct needs *needs)
{
    char a[PARIO_UNITS_LEN], b[PARIO_UNITS_LEN], c[PARIO_UNITS_LEN];

    fprintf(out, "  %lld measures", (long long)needs->cases);
    if (needs->moved > 0)
        fprintf(out, ", %lld requests, %s moved", (long long)needs->requests,
                pario_size_print_short(needs->moved, a));
    if (needs->files > 0)
        fprintf(out, "; at most %lld files", (long long)needs->files);
    fprintf(out, "; disk %s; memory %s a process\n",
            pario_size_print_short(needs->disk, b),
            pario_size_print_short(needs->memory, c));
    fprintf(out, "  time: ");
    if (needs->moved > 0)
        fprintf(out, "%.1f s at 100 MB/s, %.1f s at 1 GB/s",
                (double)needs->moved / 1e8 + needs->fixed_s,
                (double)needs->moved / 1e9 + needs->fixed_s);
    else
        fprintf(out, "%.1f s", needs->fixed_s);
    fprintf(out, "%s\n",
            needs->disk > 0 ? ", and writing the files first" : "");
}

static void print_section(FILE *out, const struct prio *prio,
                          const struct prio_section *section)
{
    struct needs needs = section_needs(prio, section);

    fprintf(out, "\n%s (line %d): %s\n", section->label, section->line,
            section->bench->test.summary);
    if (section->bench->run == NULL)
        return;
    if (section->patterns != 0) {
        fprintf(out, "  patterns: ");
        print_names(out, prio_pattern_names, section->patterns);
    }
    if (section->methods != 0) {
        fprintf(out, "; access methods: ");
        print_names(out, prio_method_names, section->methods);
    }
    if (section->patterns != 0 || section->methods != 0)
        fputc('\n', out);
    fprintf(out, "  processes:");
    for (size_t i = 0; i < section->processes.count; i++)
        if (section->processes.item[i] == 0)
            fprintf(out, " all");
        else if (section->processes.item[i] < 0)
            fprintf(out, " %lld, doubled up to all",
                    (long long)-section->processes.item[i]);
        else
            fprintf(out, " %lld", (long long)section->processes.item[i]);
    fprintf(out, "; repetitions: %lld\n", (long long)section->repetitions);
    print_data(out, section);
    print_conditions(out, section);
    if (section->alone)
        print_needs(out, &needs);
    else
        fprintf(out, "  runs only as part of a mix\n");
}

static void print_mix(FILE *out, const struct prio *prio,
                      const struct prio_mix *mix)
{
    struct needs needs = mix_needs(prio, mix);
    int counts[PRIO_MAX_PARTS];

    if (prio_mix_divide(prio->workload, mix, pario_group_size(prio->run->world),
                        counts) != 0)
        return;
    fprintf(out, "\n%s (line %d): at the same time for %g s", mix->label,
            mix->line, mix->time_s);
    if (mix->repetitions > 1)
        fprintf(out, ", %lld times", (long long)mix->repetitions);
    for (int i = 0; i < mix->nparts; i++)
        fprintf(out, "%s %d process%s %s", i == 0 ? ":" : ",", counts[i],
                counts[i] > 1 ? "es do" : " does", mix->part[i].section->label);
    fputc('\n', out);
    print_needs(out, &needs);
}

void prio_explain(const struct prio *prio, FILE *out)
{
    const struct prio_workload *workload = prio->workload;
    char size[PARIO_UNITS_LEN];

    fprintf(out, "workload: %s\n", workload->name);
    fprintf(out, "processes: %d; seed %llu: the same requests every time\n",
            pario_group_size(prio->run->world),
            (unsigned long long)workload->seed);
    fprintf(out, "directories:");
    for (int i = 0; i < prio->ndirectories; i++)
        fprintf(out, " %s", prio->directory[i]);
    fprintf(out, "; disk space needed in each: %s\n",
            pario_size_print_short(prio_disk_needed(prio), size));
    fprintf(out,
            "memory for data: at most %s a process; more data goes in "
            "windows of that size\n",
            pario_size_print_short(prio->env.memory_bytes, size));
    for (int i = 0; i < workload->nsections; i++)
        print_section(out, prio, &workload->section[i]);
    for (int i = 0; i < workload->nmixes; i++)
        print_mix(out, prio, &workload->mix[i]);
    fprintf(out, "\ntotal v1: geometric mean over the sub-benchmarks of the "
                 "geometric mean over\ntheir cases; mixes and plug-ins from "
                 "outside do not enter.\n");
}
