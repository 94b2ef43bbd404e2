/* suites/tune/settings.c - what is worth trying: the hints of ROMIO and shipio
 * with their sensible values, and OMPIO's parameters, which are no hints. */
#include "suites/tune/tune.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CB(size)                                                               \
    "romio_cb_write=enable;romio_cb_read=enable;cb_config_list=*:*;"           \
    "cb_nodes={n};cb_buffer_size=" size
#define ALONE "romio_cb_write=disable;romio_cb_read=disable;"
#define ROMIO "OMPI_MCA_io=romio321"

const struct tune_setting tune_settings[] = {
    {"native default", NULL, 0, NULL, ""},
    {"ROMIO cb 16M", "MPICH", 0, NULL, CB("16777216")},
    {"ROMIO cb 4M", "MPICH", 0, NULL, CB("4194304")},
    {"ROMIO cb 1M", "MPICH", 0, NULL, CB("1048576")},
    {"ROMIO independent", "MPICH", 0, NULL,
     ALONE "romio_ds_write=disable;romio_ds_read=disable"},
    {"ROMIO independent, sieving", "MPICH", 0, NULL,
     ALONE "romio_ds_write=enable;romio_ds_read=enable"},
    {"OMPIO individual", "Open MPI", 0, "OMPI_MCA_fcoll=individual", ""},
    {"OMPIO dynamic", "Open MPI", 0, "OMPI_MCA_fcoll=dynamic", ""},
    {"OMPIO dynamic_gen2", "Open MPI", 0, "OMPI_MCA_fcoll=dynamic_gen2", ""},
    {"OMPIO vulcan", "Open MPI", 0, "OMPI_MCA_fcoll=vulcan", ""},
    {"OMPIO two_phase", "Open MPI", 0, "OMPI_MCA_fcoll=two_phase", ""},
    {"OMPIO all aggregate", "Open MPI", 0,
     "OMPI_MCA_io_ompio_num_aggregators={n}", ""},
    {"romio321 default", "Open MPI", 0, ROMIO, ""},
    {"romio321 cb 16M", "Open MPI", 0, ROMIO, CB("16777216")},
    {"romio321 cb 4M", "Open MPI", 0, ROMIO, CB("4194304")},
    {"romio321 independent", "Open MPI", 0, ROMIO,
     ALONE "romio_ds_write=disable;romio_ds_read=disable"},
    {"romio321 independent, sieving", "Open MPI", 0, ROMIO,
     ALONE "romio_ds_write=enable;romio_ds_read=enable"},
    {"shipio default", NULL, 1, NULL, ""},
    {"shipio ship 64k", NULL, 1, NULL,
     "IBM_largeblock_io=false;IBM_io_buffer_size=65536"},
    {"shipio ship 1M", NULL, 1, NULL,
     "IBM_largeblock_io=false;IBM_io_buffer_size=1048576"},
    {"shipio direct", NULL, 1, NULL, "IBM_largeblock_io=true"},
    {NULL, NULL, 0, NULL, NULL},
};

/* Copies text with {n} filled in. */
static void fill_in(const char *text, int processes, char *out, size_t len)
{
    const char *mark = text != NULL ? strstr(text, "{n}") : NULL;

    if (mark == NULL)
        snprintf(out, len, "%s", text != NULL ? text : "");
    else
        snprintf(out, len, "%.*s%d%s", (int)(mark - text), text, processes,
                 mark + 3);
}

/* OMPIO's MPI_File_get_info names hints that it does not know, too: what it
 * looks at is known from its source. */
static void name_unknown(struct tune_contender *one, const char *mpi)
{
    static const char *const known[] = {"cb_buffer_size", "cb_nodes",
                                        "collective_buffering",
                                        "striping_factor", "striping_unit"};
    char copy[sizeof(one->hints)], *rest = copy, *pair;

    if (one->shipio || strstr(mpi, "Open MPI") == NULL)
        return;
    snprintf(copy, sizeof(copy), "%s", one->hints);
    while ((pair = strsep(&rest, ";")) != NULL) {
        size_t i = 0;

        pair[strcspn(pair, "=")] = '\0';
        while (i < 5 && strcmp(known[i], pair) != 0)
            i++;
        if (i == 5 && one->unknown[0] == '\0')
            snprintf(one->unknown, sizeof(one->unknown), "%s", pair);
    }
}

static void add(struct tune_race *race, const struct tune_setting *setting,
                int processes)
{
    struct tune_contender *one = &race->one[race->count];

    if (race->count == TUNE_MOST_CONTENDERS)
        return;
    snprintf(one->name, sizeof(one->name), "%s", setting->name);
    fill_in(setting->variable, processes, one->variable, sizeof(one->variable));
    fill_in(setting->hints, processes, one->hints, sizeof(one->hints));
    one->shipio = setting->shipio;
    one->is_default = setting->hints[0] == '\0' && setting->variable == NULL;
    race->count++;
}

int tune_race_init(struct tune_race *race, const char *mpi, int processes,
                   int with_shipio, const char *extra)
{
    race->count = 0;
    race->one = calloc(TUNE_MOST_CONTENDERS, sizeof(*race->one));
    if (race->one == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    for (const struct tune_setting *s = tune_settings; s->name != NULL; s++)
        if ((!s->shipio || with_shipio) &&
            (s->mpi == NULL || strstr(mpi, s->mpi) != NULL))
            add(race, s, processes);
    for (int shipio = 0; extra != NULL && shipio <= with_shipio; shipio++) {
        struct tune_setting own = {shipio ? "given, shipio" : "given, native",
                                   NULL, shipio, NULL, extra};

        add(race, &own, processes);
        name_unknown(&race->one[race->count - 1], mpi);
    }
    return 0;
}

void tune_race_fini(struct tune_race *race)
{
    free(race->one);
    race->one = NULL;
}
