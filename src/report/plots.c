/* report/plots.c - figures as files, drawn by gnuplot. */
#include "report/plots.h"
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

struct script {
    const char *text;
    size_t len;
};

/* The script is no file: a name in a directory for all could be exchanged. */
static int open_script(const struct script *script)
{
    int fd = memfd_create("pario-plot", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (write(fd, script->text, script->len) != (ssize_t)script->len ||
        lseek(fd, 0, SEEK_SET) != 0) {
        int code = -errno;

        close(fd);
        return code;
    }
    return fd;
}

/* gnuplot from one descriptor to another. */
static int spawn_gnuplot(int in, int out, pid_t *pid_p)
{
    char name[] = "gnuplot", ignore[] = "-d", input[] = "-";
    char *argv[] = {name, ignore, input, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawnp(pid_p, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* A pario_output_writer: the stream is the file to be. */
static int draw(void *context, FILE *out, const char *path)
{
    int in = open_script(context), status, error;
    pid_t pid;

    if (in < 0)
        return pario_fail_errno(in, "cannot draw %s", path);
    error = spawn_gnuplot(in, fileno(out), &pid);
    close(in);
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
        return pario_fail(-EIO, "gnuplot could not draw %s", path);
    return 0;
}

/* The CSV, or the script, that path asks for; the caller frees it. */
static int figure_text(const struct pario_figure *figure, const char *path,
                       char **text_p, size_t *len_p)
{
    FILE *out = open_memstream(text_p, len_p);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "plot");
    code = ends_in(path, ".csv")
               ? pario_figure_table(figure, out, PARIO_FORMAT_CSV)
               : pario_figure_gnuplot(figure, out, terminal_for(path));
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "plot");
    if (code != 0)
        free(*text_p);
    return code;
}

int pario_output_figure_check(const char *path)
{
    if (ends_in(path, ".csv") || ends_in(path, ".gp") ||
        terminal_for(path) != NULL)
        return 0;
    return pario_fail(PARIO_EUSAGE,
                      "%s: the name must end in .gp, .csv, .png, .svg or .pdf",
                      path);
}

int pario_output_figure(const struct pario_figure *figure, const char *path,
                        int force)
{
    struct script script;
    char *text;
    size_t len;
    int code = pario_output_figure_check(path);

    if (code != 0)
        return code;
    code = figure_text(figure, path, &text, &len);
    if (code != 0)
        return code;
    script = (struct script){text, len};
    if (terminal_for(path) != NULL)
        code = pario_output_write(path, force, draw, &script);
    else
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
