/* suites/quick/grid.c - every interface, shared and separate files, four
 * request sizes, two orders. */
#include "core/lists.h"
#include "core/units.h"
#include "measure/marks.h"
#include "result/value.h"
#include "suites/quick/quick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t request_sizes[] = {4 << 10, 64 << 10, 1 << 20,
                                        QUICK_LARGEST};

#define SIZES (sizeof(request_sizes) / sizeof(request_sizes[0]))

/* Collective. Every interface that the system allows. */
static int take_all_interfaces(struct quick *quick)
{
    int code = 0;

    for (int i = 0;
         code == 0 && i < QUICK_INTERFACES && pario_backends[i] != NULL; i++) {
        int allowed = 0;

        code = pario_run_may_use(quick->run, pario_backends[i], &allowed);
        if (code == 0 && allowed)
            quick->backend[quick->nbackends++] = pario_backends[i];
    }
    return code;
}

static int choose_interfaces(struct quick *quick)
{
    static const struct pario_option interface = {.name = "interfaces",
                                                  .type = PARIO_OPT_CHOICE,
                                                  .choices =
                                                      pario_interface_names};
    struct pario_list list = {.count = 0};
    int code;

    if (strcmp(quick->options->interfaces, "all") == 0)
        return take_all_interfaces(quick);
    code = pario_list_parse(&interface, quick->options->interfaces, &list);
    if (code == 0 && list.count > QUICK_INTERFACES)
        code = pario_fail(PARIO_EUSAGE, "--interfaces: at most %d",
                          QUICK_INTERFACES);
    for (size_t i = 0; code == 0 && i < list.count; i++)
        code = pario_backend_find(pario_interface_names[list.value[i]],
                                  &quick->backend[quick->nbackends++]);
    return code;
}

/* Direct I/O only where the interface has it; the others are left out. */
static int check_direct(struct quick *quick, const char *dir)
{
    int kept = 0;

    if (!quick->options->direct)
        return 0;
    for (int i = 0; i < quick->nbackends; i++) {
        if (!(quick->backend[i]->open_flags & PARIO_OPEN_DIRECT)) {
            pario_run_warn(quick->run, "%s has no O_DIRECT and is left out",
                           quick->backend[i]->name);
            continue;
        }
        quick->backend[kept++] = quick->backend[i];
    }
    quick->nbackends = kept;
    if (kept == 0)
        return pario_fail(PARIO_EUSAGE, "no interface with O_DIRECT is left");
    return pario_backend_check(quick->backend[0], dir, PARIO_OPEN_DIRECT,
                               request_sizes[0]);
}

int quick_grid_begin(struct quick *quick, const char *dir)
{
    int code = choose_interfaces(quick);

    if (code == 0)
        code = check_direct(quick, dir);
    quick->phases = quick->nbackends * 2 * 2 * (int)SIZES * QUICK_ACCESSES;
    return code;
}

void quick_grid_print(const struct quick *quick)
{
    char size[PARIO_UNITS_LEN];
    int processes = pario_group_size(quick->run->world);

    printf("quick: %d process%s, interfaces:", processes,
           processes == 1 ? "" : "es");
    for (int i = 0; i < quick->nbackends; i++)
        printf(" %s", quick->backend[i]->name);
    printf("\n  one shared file and one file per process; sequential and "
           "random; write, rewrite, read\n  requests of");
    for (size_t i = 0; i < SIZES; i++)
        printf(" %s", pario_size_print(request_sizes[i], size));
    printf("\n  time: %.1f s, %.2f s for each measure\n",
           quick->options->time_s, quick->options->time_s / quick->phases);
    printf("  memory: %s for each process\n",
           pario_size_print_short((int64_t)quick->region, size));
    printf("  disk space: at most %s\n",
           pario_size_print_short((int64_t)quick->region * processes, size));
}

static struct pario_measure describe(const struct quick *quick,
                                     const struct quick_case *what,
                                     enum quick_access access)
{
    return (struct pario_measure){
        .test = what->separate ? "file_per_process" : "shared_file",
        .access = quick_access_names[access],
        .partition = pario_group_size(quick->run->world),
        .parameters = quick_parameters(quick, what),
    };
}

static int run_case(struct quick *quick, struct quick_case *what)
{
    int code = 0;

    if (pario_run_is_done(quick->run, describe(quick, what, QUICK_READ))) {
        quick->phases_done += QUICK_ACCESSES;
        return 0;
    }
    quick_part_begin(quick, what);
    for (int access = 0; code == 0 && access < QUICK_ACCESSES; access++) {
        struct pario_measure measure =
            describe(quick, what, (enum quick_access)access);

        code = quick_measure(quick, (enum quick_access)access, &measure);
    }
    quick_part_end(quick);
    return code;
}

int quick_grid_run(struct quick *quick)
{
    uint64_t number = 0;
    int code = 0;

    for (int b = 0; b < quick->nbackends; b++)
        for (int separate = 0; separate < 2; separate++)
            for (int random = 0; random < 2; random++)
                for (size_t s = 0; code == 0 && s < SIZES; s++) {
                    struct quick_case what = {
                        .backend = quick->backend[b],
                        .separate = separate,
                        .random = random,
                        .direct = quick->options->direct,
                        .depth = (int)quick->options->queue_depth,
                        .request_bytes = request_sizes[s],
                        .file_number = number++,
                    };

                    /* Only io_uring keeps a queue here: MPI-IO's nonblocking
                     * calls are measured by the suites about them. */
                    if (strcmp(what.backend->name, "uring") != 0)
                        what.depth = 1;
                    code = run_case(quick, &what);
                }
    return code;
}

static int is_of(const json_t *measure, const char *interface,
                 const char *access)
{
    const json_t *parameters = json_object_get(measure, "parameters");
    const char *own = pario_text_of(parameters, "interface", NULL);
    const char *kind = pario_text_of(measure, "access", NULL);

    return own != NULL && strcmp(own, interface) == 0 && kind != NULL &&
           strcmp(kind, access) == 0;
}

/* The best of an interface is one that took long enough, if there is any. */
static const json_t *best_of(const json_t *measures, const char *interface,
                             const char *access)
{
    const json_t *best = NULL, *measure;
    size_t i;

    json_array_foreach(measures, i, measure)
    {
        if (is_of(measure, interface, access) &&
            pario_headline_better(measure, best))
            best = measure;
    }
    return best;
}

/* From the document: a resumed run has measures of before. */
void quick_grid_summarise(struct quick *quick)
{
    struct pario_result *result = quick->run->result;
    const json_t *measures =
        result != NULL
            ? json_object_get(pario_result_document(result), "measures")
            : NULL;
    char name[64];

    for (int b = 0; measures != NULL && b < quick->nbackends; b++)
        for (int a = 0; a < QUICK_ACCESSES; a++) {
            const json_t *best = best_of(measures, quick->backend[b]->name,
                                         quick_access_names[a]);

            snprintf(name, sizeof(name), "%s_best_%s_mbps",
                     quick->backend[b]->name, quick_access_names[a]);
            if (best != NULL)
                pario_result_summary(
                    result, name,
                    json_copy(json_object_get(best, "bandwidth_mbps")),
                    pario_flags_of_headline(best));
        }
}
