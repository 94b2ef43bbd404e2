/* suites/beffio/export.c - the figures for others: CSV and SKaMPI. */
#include "core/output.h"
#include "report/table.h"
#include "suites/beffio/beffio.h"
#include "suites/beffio/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct export
{
    struct beffio_figures *list;
    int count, skampi;
};

static void put_csv_line(FILE *out, const struct beffio_figures *one,
                         int access, int type, int row)
{
    const struct beffio_cell *cell = &one->cell[access][type][row];
    char flags[PARIO_FLAGS_LEN];

    fprintf(out, "%d,", one->partition);
    pario_cell_put(out, one->hints != NULL ? one->hints : "", PARIO_FORMAT_CSV);
    fprintf(out, ",%d,%s,%d,%lld,%d,%.6f,%s\n",
            one->repetition > 0 ? one->repetition : 1,
            beffio_access_names[access], type, (long long)cell->l,
            beffio_chunks[row].L != 0 ? 2 : 1, cell->mbps,
            pario_flags_print(cell->flags, flags));
}

static void export_csv(FILE *out, const struct beffio_figures *list, int count)
{
    fputs("partition,hints,repetition,access,type,l_bytes,chunks_in_L,mbps,"
          "flags\n",
          out);
    for (int i = 0; i < count; i++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            for (int type = 0; type < BEFFIO_ALL_TYPES; type++)
                for (int row = 0; row < BEFFIO_CHUNKS; row++)
                    if (list[i].cell[access][type][row].measured)
                        put_csv_line(out, &list[i], access, type, row);
}

/* "np2", "np2-a.hints", "np2-r3": one name for each experiment. */
static void name_experiment(const struct beffio_figures *one, char *buf,
                            size_t len)
{
    size_t used = (size_t)snprintf(buf, len, "np%d", one->partition);

    if (one->hints != NULL && used < len)
        used += (size_t)snprintf(buf + used, len - used, "-%s", one->hints);
    if (one->repetition > 0 && used < len)
        snprintf(buf + used, len - used, "-r%d", one->repetition);
}

static void export_skampi_type(FILE *out, const struct beffio_figures *one,
                               int access, int type)
{
    char name[600];

    name_experiment(one, name, sizeof(name));
    fprintf(out, "/*@b_eff_io_%s_%s-%s.ski*/\n", beffio_access_names[access],
            beffio_types[type].name, name);
    fprintf(out, "begin result \"b_eff_io %s %s %s\"\n",
            beffio_access_names[access], beffio_types[type].name, name);
    for (int row = 0; row < BEFFIO_CHUNKS; row++) {
        const struct beffio_cell *cell = &one->cell[access][type][row];

        if (cell->measured && beffio_chunks[row].L == 0)
            fprintf(out, "l= %lld %.6f\n", (long long)cell->l, cell->mbps);
    }
    fputs("end result\n", out);
}

/* SKaMPI's comparison pages take blocks of `argument value` lines between
 * begin and end result lines. */
static void export_skampi(FILE *out, const struct beffio_figures *list,
                          int count)
{
    for (int i = 0; i < count; i++)
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            for (int type = 0; type < BEFFIO_ALL_TYPES; type++)
                if (list[i].total[access][type].mbps > 0)
                    export_skampi_type(out, &list[i], access, type);
}

static int write_export(void *context, FILE *out, const char *path)
{
    const struct export *export = context;

    (void)path;
    if (export->skampi)
        export_skampi(out, export->list, export->count);
    else
        export_csv(out, export->list, export->count);
    return 0;
}

int beffio_export(const char *what, const json_t *document)
{
    const char *colon = strchr(what, ':');
    struct export export = {.skampi = strncmp(what, "skampi:", 7) == 0};
    int code;

    if (colon == NULL)
        return PARIO_EUSAGE; /* was checked before the run */
    code = beffio_figures_collect(document, &export.list, &export.count);
    if (code != 0)
        return code;
    code = pario_output_write(colon + 1, 1, write_export, &export);
    free(export.list);
    return code;
}
