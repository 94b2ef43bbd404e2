/* Any bytes as a history: listed, its documents loaded, its trends drawn. */
#include "fuzz/fuzz.h"
#include "report/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_RUN 4 /* numbers of runs that are loaded */

/* SQLite follows the name of a file in memory to nowhere: it gets one that is
 * on a disk. */
static char path[] = "/tmp/pario-fuzz-history-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

static void write_file(const uint8_t *data, size_t len)
{
    static int fd = -1;

    if (fd < 0) {
        fd = mkstemp(path);
        if (atexit(remove_file) != 0)
            abort();
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 ||
        pwrite(fd, data, len, 0) != (ssize_t)len)
        abort();
}

static void draw(const struct pario_trend *trend, FILE *out)
{
    struct pario_figure *figure = NULL;

    (void)!pario_trend_print(trend, out, PARIO_FORMAT_TEXT);
    if (pario_trend_figure(trend, &figure) == 0)
        pario_figure_destroy(figure);
}

static void read_all(struct pario_history *history, FILE *out)
{
    struct pario_trends trends = {0};
    json_t *document;

    (void)!pario_history_list(history, 100, out, PARIO_FORMAT_CSV);
    for (int64_t run = 0; run < MAX_RUN; run++) {
        document = NULL;
        if (pario_history_load(history, run, &document) == 0)
            json_decref(document);
    }
    if (pario_history_trends(history, NULL, 0, &trends) != 0)
        return;
    (void)!pario_trends_table(&trends, out, PARIO_FORMAT_MD);
    for (size_t i = 0; i < trends.count; i++)
        draw(&trends.items[i], out);
    pario_trends_fini(&trends);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pario_history *history = NULL;
    FILE *out = fopen("/dev/null", "w");

    if (out == NULL)
        abort();
    write_file(data, len);
    if (pario_history_open(path, 0, &history) == 0) {
        read_all(history, out);
        pario_history_close(history);
    }
    fclose(out);
    return 0;
}
