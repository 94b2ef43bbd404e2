/* report/trace_heat.c - where in each file a program was, and when. */
#include "core/units.h"
#include "report/trace.h"

#include <math.h>

#define LEFT 80 /* of the picture: offsets stand there */
#define CELL 8
#define ROW 5

static const char *const colours[] = {"", "#009e73", "#d55e00"};

/* The most bytes of a cell, either way. */
static float largest_cell(const struct pario_heat_file *file)
{
    float most = 0;

    for (int way = PARIO_DATA_READ; way <= PARIO_DATA_WRITE; way++)
        for (int r = 0; r < PARIO_HEAT_ROWS; r++)
            for (int c = 0; c < PARIO_PROFILE_COLUMNS; c++)
                if (file->cell[way][r][c] > most)
                    most = file->cell[way][r][c];
    return most;
}

/* Darkness grows with the logarithm: a page beside a gigabyte is still seen. */
static double darkness(float bytes, float most)
{
    double share = 1 + log2((double)bytes / (double)most) / 20;

    return share > 0.15 ? share : 0.15;
}

/* Reads are the left half of a cell, writes the right one. */
static void put_cells(const struct pario_heat_file *file, FILE *out)
{
    float most = largest_cell(file);

    for (int way = PARIO_DATA_READ; way <= PARIO_DATA_WRITE; way++)
        for (int r = 0; r < PARIO_HEAT_ROWS; r++)
            for (int c = 0; c < PARIO_PROFILE_COLUMNS; c++)
                if (file->cell[way][r][c] > 0)
                    fprintf(out,
                            "<rect x=\"%d\" y=\"%d\" width=\"%d\" "
                            "height=\"%d\" fill=\"%s\" "
                            "fill-opacity=\"%.2f\"/>\n",
                            LEFT + c * CELL + (way - 1) * CELL / 2,
                            (PARIO_HEAT_ROWS - 1 - r) * ROW, CELL / 2, ROW,
                            colours[way],
                            darkness(file->cell[way][r][c], most));
}

static void put_file(const struct pario_profile *profile,
                     const struct pario_heat_file *file, FILE *out)
{
    char size[2][PARIO_UNITS_LEN];
    int width = LEFT + PARIO_PROFILE_COLUMNS * CELL;
    int height = PARIO_HEAT_ROWS * ROW;

    fputs("<h3>", out);
    pario_trace_html_text(file->path, out);
    fprintf(out,
            "</h3>\n<svg role=\"img\" viewBox=\"0 0 %d %d\" class=\"wide "
            "heat\"><title>Bytes read and written, by offset and time"
            "</title>\n<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\" "
            "fill=\"none\" stroke=\"#bbb\"/>\n",
            width, height + 20, LEFT, width - LEFT, height);
    put_cells(file, out);
    fprintf(out,
            "<text x=\"%d\" y=\"10\" class=\"l\">%s</text><text x=\"%d\" "
            "y=\"%d\" class=\"l\">%s</text>\n<text x=\"%d\" y=\"%d\">0 s"
            "</text><text x=\"%d\" y=\"%d\" class=\"l\">%.3g s</text></svg>\n",
            LEFT - 6, pario_size_print_short(file->end, size[0]), LEFT - 6,
            height, pario_size_print_short(file->begin, size[1]), LEFT,
            height + 15, width, height + 15,
            (double)(profile->end_ns - profile->begin_ns) * 1e-9);
}

void pario_trace_heat_page(const struct pario_profile *profile,
                           const struct pario_heat *heat, FILE *out)
{
    if (heat->nfiles == 0)
        return;
    fprintf(out,
            "<h2>Where in the files, and when?</h2>\n<p>Offset upwards, time "
            "to the right; <span style=\"color:%s\">&#9632; read</span>, "
            "<span style=\"color:%s\">&#9632; written</span>, the darker the "
            "more bytes; at most the %d files of which most was moved.</p>\n",
            colours[PARIO_DATA_READ], colours[PARIO_DATA_WRITE],
            PARIO_HEAT_FILES);
    for (size_t i = 0; i < heat->nfiles; i++)
        put_file(profile, &heat->files[i], out);
}
