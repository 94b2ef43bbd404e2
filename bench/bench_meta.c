/* bench/bench_meta.c - what `pario meta` costs beside the calls it measures: a
 * bare loop of the same system calls on the same names, in turns with it, on a
 * directory in memory. bench_meta PARIO DIR */
#include "core/clock.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 50000
#define TURNS 7

static double bare(int dir, const char *op)
{
    char name[64];
    int64_t begin = pario_clock_ns();

    for (int i = 0; i < FILES; i++) {
        struct stat st;
        int fd = 0;

        snprintf(name, sizeof(name), "c0.p0/f%d", i);
        if (strcmp(op, "create") == 0) {
            fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
            if (fd >= 0)
                close(fd);
        } else if (strcmp(op, "stat") == 0) {
            fd = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
        } else {
            fd = unlinkat(dir, name, 0);
        }
        if (fd < 0) {
            perror(name);
            exit(1);
        }
    }
    return FILES / ((double)(pario_clock_ns() - begin) * 1e-9);
}

static double accepted(const json_t *measures, const char *op)
{
    const json_t *measure;
    size_t i;

    json_array_foreach(measures, i, measure) if (
        strcmp(json_string_value(json_object_get(measure, "access")), op) ==
        0) return json_number_value(json_object_get(measure, "accepted_per_s"));
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const char *const ops[] = {"create", "stat", "unlink"};
    double ratio[3][TURNS];
    char command[4096];
    int dir;

    if (argc != 3 || chdir(argv[2]) != 0) {
        fprintf(stderr, "usage: bench_meta PARIO DIR\n");
        return 2;
    }
    dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(command, sizeof(command),
             "%s meta -q -l own -s 0 --files %d --ops stat,unlink --no-sync "
             "--verify off --force -o meta.json . 2>/dev/null",
             argv[1], FILES);
    for (int turn = 0; turn < TURNS; turn++) {
        double plain[3];
        json_t *document;

        if (mkdir("c0.p0", 0777) != 0)
            return 1;
        for (int i = 0; i < 3; i++)
            plain[i] = bare(dir, ops[i]);
        if (rmdir("c0.p0") != 0 || system(command) != 0) // NOLINT
            return 1;
        document = json_load_file("meta.json", 0, NULL);
        for (int i = 0; i < 3; i++)
            ratio[i][turn] =
                plain[i] /
                accepted(json_object_get(document, "measures"), ops[i]);
        json_decref(document);
        unlink("meta.json");
    }
    for (int i = 0; i < 3; i++) {
        qsort(ratio[i], TURNS, sizeof(double), compare);
        printf("meta, %s: %.3f of the time of a bare loop (median of %d; %.3f "
               "to %.3f)\n",
               ops[i], ratio[i][TURNS / 2], TURNS, ratio[i][0],
               ratio[i][TURNS - 1]);
    }
    close(dir);
    return 0;
}
