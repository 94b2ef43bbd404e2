/* cli/cmd_report.c - `pario report`: result documents as tables. */
#include "cli/commands.h"
#include "core/options.h"
#include "report/table.h"
#include "result/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report_options {
    int format; /* enum pario_format */
    int force;
    const char *output;
};

static const char *const formats[] = {"text", "csv", "md", NULL};

static const struct pario_option report_table[] = {
    {.name = "format",
     .type = PARIO_OPT_CHOICE,
     .offset = offsetof(struct report_options, format),
     .choices = formats,
     .help = "for a screen, for programs, or Markdown"},
    {.name = "output",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = offsetof(struct report_options, output),
     .argument = "FILE",
     .help = "write to FILE instead of the standard output"},
    {.name = "force",
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct report_options, force),
     .help = "replace FILE where it exists"},
    {.name = NULL},
};

static void print_help(void)
{
    static const struct report_options defaults = {.format = 0};

    puts("usage: pario report RESULT.json... [options]\n\n"
         "Prints the measures of results as tables. Every number from a "
         "cache, not\nverified, or of an invalid run says so in its row.\n\n"
         "options:");
    pario_options_help(stdout, report_table, &defaults);
}

/* Appends the tables of one document to out. */
static int report_one(FILE *out, const char *path, int format, int first)
{
    json_t *document;
    int code = pario_result_load(path, &document);

    if (code != 0)
        return code;
    if (!first && format != PARIO_FORMAT_CSV)
        fputs("\n", out);
    code = format == PARIO_FORMAT_CSV
               ? pario_table_print_csv(out, document, first)
               : pario_table_print(out, document, (enum pario_format)format);
    json_decref(document);
    return code;
}

/* Every good one, whatever the others are; returns the last error, whose
 * message the caller prints. */
static int report_all(FILE *out, int format, int count, char **paths,
                      int *good_p)
{
    char message[1024] = "";
    int failed = 0;

    *good_p = 0;
    for (int i = 0; i < count; i++) {
        int code = report_one(out, paths[i], format, *good_p == 0);

        if (code == 0) {
            (*good_p)++;
            continue;
        }
        if (failed != 0)
            fprintf(stderr, "pario: %s\n", message);
        snprintf(message, sizeof(message), "%s", pario_error_message());
        failed = code;
    }
    if (failed != 0)
        pario_error_replace(message);
    return failed;
}

static int put_text(FILE *out, const char *name, const char *text, size_t len)
{
    errno = 0;
    if (fwrite(text, 1, len, out) != len || fflush(out) != 0)
        return pario_fail_errno(errno != 0 ? -errno : -EIO, "cannot write %s",
                                name);
    return 0;
}

static int put_file(const struct report_options *options, const char *text,
                    size_t len)
{
    const char *path = options->output;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int created = fd >= 0, code;
    FILE *out;

    if (fd < 0 && errno == EEXIST && options->force)
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 && errno == EEXIST)
        return pario_fail(-EEXIST,
                          "%s exists and is kept: give another name with -o, "
                          "or replace it with --force",
                          path);
    if (fd < 0)
        return pario_fail_errno(-errno, "cannot write %s", path);
    out = fdopen(fd, "w");
    if (out == NULL) {
        code = pario_fail_errno(-errno, "cannot write %s", path);
        close(fd);
    } else {
        code = put_text(out, path, text, len);
        if (fclose(out) != 0 && code == 0)
            code = pario_fail_errno(-errno, "cannot write %s", path);
    }
    if (code != 0 && created)
        unlink(path);
    return code;
}

/* The tables are made in memory first, so that -o FILE is not touched when no
 * document was good. */
static int report(const struct report_options *options, int count, char **paths)
{
    char *text = NULL, message[1024];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int good, failed, code = 0;

    if (out == NULL)
        return pario_fail_errno(-errno, "report");
    failed = report_all(out, options->format, count, paths, &good);
    if (fclose(out) != 0) {
        free(text);
        return pario_fail_errno(-ENOMEM, "report");
    }
    snprintf(message, sizeof(message), "%s", pario_error_message());
    if (good > 0)
        code = options->output != NULL
                   ? put_file(options, text, len)
                   : put_text(stdout, "the standard output", text, len);
    free(text);
    if (code != 0 && failed != 0)
        fprintf(stderr, "pario: %s\n", message);
    return code != 0 ? code : failed;
}

int pario_cmd_report(const struct pario_group *world, int argc, char **argv)
{
    struct report_options options = {.format = PARIO_FORMAT_TEXT};
    const struct pario_option_set sets[] = {
        {.table = report_table, .values = &options}, {.table = NULL}};
    int noperands, code;

    (void)world;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code != 0)
        return code;
    if (noperands == 0)
        return pario_fail(PARIO_EUSAGE,
                          "report: which results? usage: pario report "
                          "RESULT.json... (`pario report --help`)");
    return report(&options, noperands, argv + 1);
}
