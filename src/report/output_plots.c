/* report/output_plots.c - figures as files, drawn by gnuplot. */
#include "report/output.h"
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
    const char *ending, *terminal;
} drawings[] = {
    {".png", "pngcairo noenhanced size 1200,750 font 'sans,12'"},
    {".svg", "svg noenhanced size 900,560 font 'sans,12' background 'white'"},
    {".pdf", "pdfcairo noenhanced size 16cm,10cm font 'sans,10'"},
};

static const char *terminal_for(const char *path)
{
    size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++)
        if (len > 4 && strcmp(path + len - 4, drawings[i].ending) == 0)
            return drawings[i].terminal;
    return NULL;
}

static int ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path), end_len = strlen(ending);

    return len > end_len && strcmp(path + len - end_len, ending) == 0;
}

/* Runs gnuplot on a script; PARIO_EUNAVAIL: there is none. */
static int run_gnuplot(const char *script)
{
    char name[] = "gnuplot", ignore[] = "-d", path[PATH_MAX];
    char *argv[] = {name, ignore, path, NULL};
    int status, error;
    pid_t pid;

    snprintf(path, sizeof(path), "%s", script);
    error = posix_spawnp(&pid, name, NULL, NULL, argv, environ);
    if (error != 0)
        return pario_fail(PARIO_EUNAVAIL,
                          "cannot run gnuplot: %s (install gnuplot, or take "
                          "the .gp script)",
                          strerror(error));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return pario_fail_errno(-errno, "gnuplot");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return pario_fail(PARIO_EUNAVAIL, "cannot run gnuplot");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return pario_fail(-EIO, "gnuplot could not draw %s", script);
    return 0;
}

/* The text of a script; the caller frees it. */
static int script_text(const struct pario_figure *figure, const char *terminal,
                       const char *output, char **text_p, size_t *len_p)
{
    FILE *out = open_memstream(text_p, len_p);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "plot");
    code = pario_figure_gnuplot(figure, out, terminal, output);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "plot");
    if (code != 0)
        free(*text_p);
    return code;
}

static int csv_text(const struct pario_figure *figure, char **text_p,
                    size_t *len_p)
{
    FILE *out = open_memstream(text_p, len_p);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "plot");
    code = pario_figure_table(figure, out, PARIO_FORMAT_CSV);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "plot");
    if (code != 0)
        free(*text_p);
    return code;
}

/* A script under a new name in TMPDIR. */
static int write_script(char script[PATH_MAX], const char *text, size_t len)
{
    const char *directory = getenv("TMPDIR");
    int code, fd;

    if (directory == NULL || directory[0] == '\0')
        directory = "/tmp";
    if (snprintf(script, PATH_MAX, "%s/pario-plot-XXXXXX", directory) >=
        PATH_MAX)
        return pario_fail_errno(-ENAMETOOLONG, "%s", directory);
    fd = mkstemp(script);
    if (fd < 0)
        return pario_fail_errno(-errno, "cannot write %s", script);
    close(fd);
    code = pario_output_file(script, 1, text, len);
    if (code != 0)
        unlink(script);
    return code;
}

/* gnuplot draws under another name: what is left of a failure goes, and an
 * older drawing stays until there is a new one. */
static int draw(const struct pario_figure *figure, const char *path, int force)
{
    char script[PATH_MAX], part[PATH_MAX], *text;
    size_t len;
    int code;

    if (!force && access(path, F_OK) == 0)
        return pario_fail(-EEXIST,
                          "%s exists and is kept: give another name, or "
                          "replace it with --force",
                          path);
    if (snprintf(part, sizeof(part), "%s.part", path) >= (int)sizeof(part))
        return pario_fail_errno(-ENAMETOOLONG, "%s", path);
    code = script_text(figure, terminal_for(path), part, &text, &len);
    if (code != 0)
        return code;
    code = write_script(script, text, len);
    free(text);
    if (code != 0)
        return code;
    code = run_gnuplot(script);
    unlink(script);
    if (code == 0 && rename(part, path) != 0)
        code = pario_fail_errno(-errno, "cannot write %s", path);
    if (code != 0)
        unlink(part);
    return code;
}

int pario_output_figure(const struct pario_figure *figure, const char *path,
                        int force)
{
    char *text;
    size_t len;
    int code;

    if (terminal_for(path) != NULL)
        return draw(figure, path, force);
    if (ends_in(path, ".csv"))
        code = csv_text(figure, &text, &len);
    else if (ends_in(path, ".gp"))
        code = script_text(figure, NULL, NULL, &text, &len);
    else
        return pario_fail(PARIO_EUSAGE,
                          "%s: the name must end in .gp, .csv, .png, .svg or "
                          ".pdf",
                          path);
    if (code != 0)
        return code;
    code = pario_output_file(path, force, text, len);
    free(text);
    return code;
}

int pario_output_plot(struct pario_plots *plots,
                      const struct pario_figure *figure)
{
    char stem[PATH_MAX - 8], path[PATH_MAX];
    int code;

    if (plots->count == 0 && mkdir(plots->directory, 0777) != 0 &&
        errno != EEXIST)
        return pario_fail_errno(-errno, "cannot make %s", plots->directory);
    plots->count++;
    if (snprintf(stem, sizeof(stem), "%s/%02zu-%s", plots->directory,
                 plots->count, figure->id) >= (int)sizeof(stem))
        return pario_fail_errno(-ENAMETOOLONG, "%s", plots->directory);
    snprintf(path, sizeof(path), "%s.gp", stem);
    code = pario_output_figure(figure, path, plots->force);
    for (size_t i = 0; code == 0 && !plots->undrawn &&
                       i < sizeof(drawings) / sizeof(drawings[0]);
         i++) {
        snprintf(path, sizeof(path), "%s%s", stem, drawings[i].ending);
        code = pario_output_figure(figure, path, plots->force);
        if (code == PARIO_EUNAVAIL) {
            plots->undrawn = 1;
            code = 0;
        }
    }
    return code;
}
