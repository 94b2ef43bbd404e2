/* suites/tune/hintsfile.c - the winner as files, and how to use it: what hints
 * cannot say stands there as commands. */
#include "suites/tune/tune.h"

#include "launch/library.h"
#include "par/group.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One word of a command, as a shell takes it. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* The file will be used from elsewhere. */
static void put_path(FILE *out, const char *path)
{
    char absolute[2 * PATH_MAX], here[PATH_MAX];

    if (path[0] == '/' || getcwd(here, sizeof(here)) == NULL)
        snprintf(absolute, sizeof(absolute), "%s", path);
    else
        snprintf(absolute, sizeof(absolute), "%s/%s", here, path);
    put_word(out, absolute);
}

static void put_line(void *out, const char *key, const char *value)
{
    fprintf(out, "%s %s\n", key, value);
}

/* shipio-run has no variable for cb_config_list. */
static void put_option(void *out, const char *key, const char *value)
{
    char word[600];

    if (strcmp(key, "cb_config_list") == 0)
        return;
    snprintf(word, sizeof(word), "%s=%s", key, value);
    fputs(" --hint ", out);
    put_word(out, word);
}

static void put_pair(void *out, const char *key, const char *value)
{
    fprintf(out, " %s=%s", key, value);
}

static void put_environment(FILE *out, const struct tune_contender *one)
{
    if (one->variable[0] == '\0')
        return;
    fputs("env ", out);
    put_word(out, one->variable);
    fputc(' ', out);
}

static int reads_romio_hints(const struct tune_contender *one)
{
    return !one->shipio && (strstr(pario_par_library(), "MPICH") != NULL ||
                            strstr(one->variable, "romio") != NULL);
}

/* What is written down for a user: the contender of b_eff_io's command, that
 * of other programs, and their files. */
struct use {
    const struct tune_contender *one;
    long long processes;
    int sections; /* the file of --hints has hints, for each type */
    const struct tune_paths *paths;
};

static void put_program(FILE *out, const char *prefix, const struct use *use)
{
    const struct tune_contender *one = use->one;

    fprintf(out, "%sany program: ", prefix);
    put_environment(out, one);
    if (one->shipio) {
        fputs("pario shipio-run", out);
        pario_hints_each(one->hints, put_option, out);
        fputs(" -- ", out);
    } else if (one->hints[0] != '\0' && reads_romio_hints(one)) {
        fputs(one->variable[0] != '\0' ? "ROMIO_HINTS=" : "env ROMIO_HINTS=",
              out);
        put_path(out, use->paths->plain);
        fputc(' ', out);
    }
    fprintf(out, "mpirun -n %lld PROGRAM\n", use->processes);
    if (one->hints[0] == '\0')
        return;
    fprintf(out, "%sin a program: MPI_Info of MPI_File_open:", prefix);
    pario_hints_each(one->hints, put_pair, out);
    fputc('\n', out);
}

static void put_use(FILE *out, const char *prefix, const struct use *use)
{
    char library[PATH_MAX];

    fprintf(out, "%sb_eff_io: ", prefix);
    put_environment(out, use->one);
    fprintf(out, "pario -n %lld beffio%s", use->processes,
            use->one->shipio ? " --mpiio=shipio" : "");
    if (use->sections) {
        fputs(" --hints ", out);
        put_path(out, use->paths->hints);
    }
    fputs(" DIR\n", out);
    put_program(out, prefix, use);
    if (use->one->shipio && pario_library_shipio(library, sizeof(library)) == 0)
        fprintf(out, "%sshipio is %s\n", prefix, library);
}

void tune_print_use(FILE *out, const char *prefix,
                    const struct tune_outcome *outcome,
                    const struct tune_paths *paths)
{
    const struct tune_contender *best;
    struct use use = {.processes = (long long)outcome->processes,
                      .paths = paths};

    if (outcome->winner < 0)
        return;
    best = &outcome->race.one[outcome->winner];
    use.one = best;
    use.sections = best->hints[0] != '\0';
    put_use(out, prefix, &use);
}

static long long processes_of(const struct tune_all *all)
{
    for (int p = 0; p < TUNE_ALL; p++)
        if (all->race[p].race.one != NULL)
            return (long long)all->race[p].processes;
    return 0;
}

void tune_all_print_use(FILE *out, const char *prefix,
                        const struct tune_all *all,
                        const struct tune_paths *paths)
{
    struct use use = {.processes = processes_of(all),
                      .sections = tune_all_has_hints(all),
                      .paths = paths};

    if (!all->won)
        return;
    use.one = &tune_all_contenders(all)[all->plain];
    put_use(out, prefix, &use);
}

static void put_ratio(FILE *out, const struct tune_ratio *ratio)
{
    if (ratio->jobs > 1)
        fprintf(out, "%.2f (%.2f to %.2f) times the default", ratio->ratio,
                ratio->low, ratio->high);
    else
        fputs("the default fails", out);
}

/* pario beffio looks for these lines. */
static void put_needs(FILE *out, const struct tune_contender *one)
{
    if (one->variable[0] != '\0')
        fprintf(out, "# needs in the environment: %s\n", one->variable);
    if (one->shipio)
        fputs("# needs shipio\n", out);
}

void tune_write_hints(FILE *out, const struct tune_outcome *outcome,
                      const struct tune_paths *paths)
{
    const struct tune_contender *best;

    fputs("# hints found by pario tune\n", out);
    if (outcome->winner < 0) {
        fputs("# no setting is better than the default\n", out);
        return;
    }
    best = &outcome->race.one[outcome->winner];
    fprintf(out, "# %s: ", best->name);
    put_ratio(out, &outcome->over_nothing);
    fprintf(out, ", %lld processes, data %s\n", (long long)outcome->processes,
            tune_place(&outcome->race));
    put_needs(out, best);
    tune_print_use(out, "# ", outcome, paths);
    if (best->hints[0] == '\0')
        fputs("# no hints are needed\n", out);
    pario_hints_each(best->hints, put_line, out);
}

static int begin_all(FILE *out, const struct tune_all *all, const char *name,
                     const struct tune_ratio *ratio)
{
    fputs("# hints found by pario tune --all\n", out);
    if (!all->won) {
        fputs("# no setting is better than the default\n", out);
        return 0;
    }
    fprintf(out, "# %s: ", name);
    put_ratio(out, ratio);
    fprintf(out, " over all patterns, %lld processes\n", processes_of(all));
    return 1;
}

void tune_all_write_hints(FILE *out, const struct tune_all *all,
                          const struct tune_paths *paths)
{
    const struct tune_contender *one = tune_all_contenders(all);

    if (!begin_all(out, all, one[all->own].name, &all->over_nothing))
        return;
    put_needs(out, &one[all->own]);
    tune_all_print_use(out, "# ", all, paths);
    if (reads_romio_hints(&one[all->own])) {
        fputs("# ROMIO_HINTS knows no sections: ", out);
        put_path(out, paths->plain);
        fputs(" is for all types\n", out);
    }
    for (int type = 0; type < TUNE_TYPES; type++) {
        int i = all->choice[type];

        fprintf(out, "# type %d: %s", type, i < 0 ? "failed" : one[i].name);
        if (i >= 0 && i != all->nothing) {
            fputs(", ", out);
            put_ratio(out, &all->type_over_nothing[type]);
        }
        fputc('\n', out);
        if (i < 0 || one[i].hints[0] == '\0')
            continue;
        fprintf(out, "[type %d]\n", type);
        pario_hints_each(one[i].hints, put_line, out);
    }
}

void tune_all_write_plain(FILE *out, const struct tune_all *all,
                          const struct tune_paths *paths)
{
    const struct tune_contender *one = tune_all_contenders(all);
    const struct tune_contender *plain = &one[all->plain];

    if (!begin_all(out, all, plain->name, &all->plain_over_nothing))
        return;
    put_needs(out, plain);
    tune_all_print_use(out, "# ", all, paths);
    if (plain->hints[0] == '\0')
        fputs("# no hints are needed\n", out);
    pario_hints_each(plain->hints, put_line, out);
}
