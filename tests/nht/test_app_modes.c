/*
 * `nht app` class S on the processes it is started with, in every mode: each
 * run compares all its dumps with the reference digests. Usage:
 * test_app_modes STEPS [MODE...]
 */
#include "core/cleanup.h"
#include "par/group.h"
#include "suites/nht/app_io.h"
#include "suites/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct pario_suite pario_suite_nht;

/* Collective. A fresh directory that all ranks know. */
static int make_directory(const struct pario_group *world, char *path,
                          size_t len)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    int code = 0;

    snprintf(path, len, "%s/pario-modes.XXXXXX", place);
    if (pario_group_rank(world) == 0 && mkdtemp(path) == NULL)
        code = pario_fail(-1, "cannot make a directory in %s", place);
    code = pario_agree(world, code);
    return code != 0 ? code : pario_bcast(world, path, len);
}

static int run(const struct pario_group *world, const char *dir,
               const char *steps, const char *mode)
{
    char words[16][128], output[160], *argv[16];
    const char *const line[] = {
        "nht", "app",    "--class", "S",        "--tc", "1",       "--steps",
        steps, "--mode", mode,      "--output", output, "--quiet", dir};
    int argc = (int)(sizeof(line) / sizeof(line[0])), code;

    snprintf(output, sizeof(output), "%s/%s.json", dir, mode);
    for (int i = 0; i < argc; i++) {
        snprintf(words[i], sizeof(words[i]), "%s", line[i]);
        argv[i] = words[i];
    }
    argv[argc] = NULL;
    code = pario_suite_main(&pario_suite_nht, world, argc, argv);
    if (code != 0 && pario_group_rank(world) == 0)
        fprintf(stderr, "mode %s: %s\n", mode, pario_error_message());
    if (pario_group_rank(world) == 0)
        unlink(output);
    return code;
}

int main(int argc, char **argv)
{
    struct pario_group *world = NULL;
    char dir[64];
    int bad;

    if (pario_cleanup_start() != 0 ||
        pario_par_start(&argc, &argv, &world) != 0 || argc < 2)
        return 2;
    bad = make_directory(world, dir, sizeof(dir)) != 0;
    for (int i = 0; !bad && nht_mode_names[i] != NULL; i++) {
        int wanted = argc == 2;

        for (int a = 2; a < argc; a++)
            wanted = wanted || strcmp(argv[a], nht_mode_names[i]) == 0;
        if (wanted && nht_modes[i] != NULL)
            bad = run(world, dir, argv[1], nht_mode_names[i]) != 0;
    }
    /* Empty, if every run removed what it made. */
    if (pario_group_rank(world) == 0 && rmdir(dir) != 0) {
        perror(dir);
        bad = 1;
    }
    pario_par_finish(world);
    pario_cleanup_finish();
    return bad;
}
