/* suites/tune/settings.c - what is worth trying: the hints of ROMIO and shipio
 * with their sensible values, and OMPIO's parameters, which are no hints. */
#include "suites/tune/tune.h"

#include "io/hints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CB(nodes, size)                                                        \
    "romio_cb_write=enable;romio_cb_read=enable;cb_config_list=*:*;"           \
    "cb_nodes=" nodes ";cb_buffer_size=" size
#define ALONE "romio_cb_write=disable;romio_cb_read=disable;"
#define SIEVE "romio_ds_write=enable;romio_ds_read=enable"
#define SIEVE_16M ";ind_wr_buffer_size=16777216;ind_rd_buffer_size=16777216"
#define ROMIO "OMPI_MCA_io=romio321"
#define AGGREGATORS(n) "OMPI_MCA_io_ompio_num_aggregators=" n
#define SHIP "IBM_largeblock_io=false;"

const struct tune_setting tune_settings[] = {
    {"native default", NULL, 0, NULL, ""},
    {"ROMIO cb 16M", "MPICH", 0, NULL, CB("{n}", "16777216")},
    {"ROMIO cb 4M", "MPICH", 0, NULL, CB("{n}", "4194304")},
    {"ROMIO cb 1M", "MPICH", 0, NULL, CB("{n}", "1048576")},
    {"ROMIO cb 16M, half", "MPICH", 0, NULL, CB("{h}", "16777216")},
    {"ROMIO cb 16M, one", "MPICH", 0, NULL, CB("1", "16777216")},
    {"ROMIO independent", "MPICH", 0, NULL,
     ALONE "romio_ds_write=disable;romio_ds_read=disable"},
    {"ROMIO sieving", "MPICH", 0, NULL, ALONE SIEVE},
    {"ROMIO sieving 16M", "MPICH", 0, NULL, ALONE SIEVE SIEVE_16M},
    {"OMPIO cb 4M", "Open MPI", 0, NULL, "cb_buffer_size=4194304"},
    {"OMPIO individual", "Open MPI", 0, "OMPI_MCA_fcoll=individual", ""},
    {"OMPIO dynamic", "Open MPI", 0, "OMPI_MCA_fcoll=dynamic", ""},
    {"OMPIO dynamic_gen2", "Open MPI", 0, "OMPI_MCA_fcoll=dynamic_gen2", ""},
    {"OMPIO vulcan", "Open MPI", 0, "OMPI_MCA_fcoll=vulcan", ""},
    {"OMPIO two_phase", "Open MPI", 0, "OMPI_MCA_fcoll=two_phase", ""},
    {"OMPIO one aggregates", "Open MPI", 0, AGGREGATORS("1"), ""},
    {"OMPIO half aggregate", "Open MPI", 0, AGGREGATORS("{h}"), ""},
    {"OMPIO all aggregate", "Open MPI", 0, AGGREGATORS("{n}"), ""},
    {"romio321 default", "Open MPI", 0, ROMIO, ""},
    {"romio321 cb 16M", "Open MPI", 0, ROMIO, CB("{n}", "16777216")},
    {"romio321 cb 4M", "Open MPI", 0, ROMIO, CB("{n}", "4194304")},
    {"romio321 cb 16M, half", "Open MPI", 0, ROMIO, CB("{h}", "16777216")},
    {"romio321 cb 16M, one", "Open MPI", 0, ROMIO, CB("1", "16777216")},
    {"romio321 independent", "Open MPI", 0, ROMIO,
     ALONE "romio_ds_write=disable;romio_ds_read=disable"},
    {"romio321 sieving", "Open MPI", 0, ROMIO, ALONE SIEVE},
    {"romio321 sieving 16M", "Open MPI", 0, ROMIO, ALONE SIEVE SIEVE_16M},
    {"shipio default", NULL, 1, NULL, ""},
    {"shipio ship 64k", NULL, 1, NULL, SHIP "IBM_io_buffer_size=65536"},
    {"shipio ship 1M", NULL, 1, NULL, SHIP "IBM_io_buffer_size=1048576"},
    {"shipio ship, one buffer", NULL, 1, NULL,
     SHIP "shipio_double_buffer=false"},
    {"shipio ship, half agents", NULL, 1, NULL, SHIP "cb_nodes={h}"},
    {"shipio ship, one agent", NULL, 1, NULL, SHIP "cb_nodes=1"},
    {"shipio direct", NULL, 1, NULL, "IBM_largeblock_io=true"},
    {NULL, NULL, 0, NULL, NULL},
};

/* Copies text with {n} or {h} filled in. */
static void fill_in(const char *text, int processes, char *out, size_t len)
{
    const char *all = text != NULL ? strstr(text, "{n}") : NULL;
    const char *half = text != NULL ? strstr(text, "{h}") : NULL;
    const char *mark = all != NULL ? all : half;

    if (mark == NULL)
        snprintf(out, len, "%s", text != NULL ? text : "");
    else
        snprintf(out, len, "%.*s%d%s", (int)(mark - text), text,
                 all != NULL ? processes : (processes + 1) / 2, mark + 3);
}

void tune_unknown_add(struct tune_contender *one, const char *key)
{
    size_t len = strlen(one->unknown), more = strlen(key);
    const char *at = one->unknown;

    while ((at = strstr(at, key)) != NULL) {
        if ((at == one->unknown || at[-1] == ' ') &&
            (at[more] == '\0' || at[more] == ','))
            return;
        at += more;
    }
    snprintf(one->unknown + len, sizeof(one->unknown) - len, "%s%s",
             len > 0 ? ", " : "", key);
}

static void name_if_unknown(void *argument, const char *key, const char *value)
{
    struct tune_contender *one = argument;

    (void)value;
    if (!pario_hints_acted_on(
            one->shipio ? PARIO_HINTS_SHIPIO : PARIO_HINTS_OMPIO, key))
        tune_unknown_add(one, key);
}

static void name_unknown(struct tune_contender *one, const char *mpi)
{
    if (one->shipio ||
        (strstr(mpi, "Open MPI") != NULL && one->variable[0] == '\0'))
        pario_hints_each(one->hints, name_if_unknown, one);
}

/* With few processes, half of them may be one or all. */
static int is_known(const struct tune_race *race,
                    const struct tune_contender *one)
{
    for (int i = 0; i < race->count; i++)
        if (race->one[i].shipio == one->shipio &&
            strcmp(race->one[i].variable, one->variable) == 0 &&
            strcmp(race->one[i].hints, one->hints) == 0)
            return 1;
    return 0;
}

/* yield: with the library that stops the spinning. */
static void add(struct tune_race *race, const struct tune_setting *setting,
                const struct tune_field *field, int yield)
{
    struct tune_contender one = {.shipio = setting->shipio};

    snprintf(one.name, sizeof(one.name), "%s%s", setting->name,
             yield ? ", yield" : "");
    fill_in(setting->variable, field->processes, one.variable,
            sizeof(one.variable));
    if (yield)
        snprintf(one.variable, sizeof(one.variable), "LD_PRELOAD=%s",
                 field->yield);
    fill_in(setting->hints, field->processes, one.hints, sizeof(one.hints));
    one.is_default =
        !yield && setting->hints[0] == '\0' && setting->variable == NULL;
    if (race->count == TUNE_MAX_CONTENDERS || is_known(race, &one))
        return;
    name_unknown(&one, field->mpi);
    race->one[race->count++] = one;
}

static int suits(const struct tune_setting *setting,
                 const struct tune_field *field)
{
    if (setting->mpi != NULL && strstr(field->mpi, setting->mpi) == NULL)
        return 0;
    if (setting == &tune_settings[0])
        return 1;
    return setting->shipio ? field->shipio : field->native;
}

/* What the user gave, for each library that there is. */
static void add_extra(struct tune_race *race, const struct tune_field *field,
                      const char *hints, int number)
{
    static const struct {
        const char *name, *mpi, *variable;
        int shipio;
    } ways[] = {{"native", NULL, NULL, 0},
                {"romio321", "Open MPI", ROMIO, 0},
                {"shipio", NULL, NULL, 1}};

    for (int i = 0; i < 3; i++) {
        char name[64];
        struct tune_setting own = {name, ways[i].mpi, ways[i].shipio,
                                   ways[i].variable, hints};

        snprintf(name, sizeof(name), "given %d, %s", number, ways[i].name);
        if (!suits(&own, field))
            continue;
        add(race, &own, field, 0);
        if (field->yield != NULL)
            add(race, &own, field, 1);
    }
}

int tune_race_init(struct tune_race *race, const struct tune_field *field)
{
    race->count = 0;
    race->one = calloc(TUNE_MAX_CONTENDERS, sizeof(*race->one));
    if (race->one == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    for (const struct tune_setting *s = tune_settings; s->name != NULL; s++) {
        if (!suits(s, field))
            continue;
        /* Who spins is ten times slower with any hints: the defaults show. */
        if (field->yield == NULL || s->hints[0] == '\0')
            add(race, s, field, 0);
        if (field->yield != NULL)
            add(race, s, field, 1);
    }
    for (int i = 0; field->extra != NULL && field->extra[i] != NULL; i++)
        add_extra(race, field, field->extra[i], i + 1);
    return 0;
}

void tune_race_fini(struct tune_race *race)
{
    free(race->one);
    race->one = NULL;
}
