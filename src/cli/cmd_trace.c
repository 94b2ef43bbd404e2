/* cli/cmd_trace.c - `pario trace`: what a recorded program did. */
#include "cli/commands.h"
#include "core/options.h"
#include "core/output.h"
#include "report/format.h"
#include "report/trace.h"
#include "report/trace_otf2.h"
#include "trace/export.h"
#include "trace/import.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum to { TO_NOTHING, TO_DXT, TO_OTF2, TO_JSON, TO_REQUESTS, TO_TRACE };

struct wishes {
    const char *output, *from, *format_name;
    enum pario_format format; /* by format_name, or by the output's */
    int64_t max_calls;        /* 0: as many as are likely */
    int to, force, help;
};

#define FORMATS                                                                \
    (PARIO_FORMAT_BIT(PARIO_FORMAT_TEXT) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_CSV) |                                      \
     PARIO_FORMAT_BIT(PARIO_FORMAT_JSON) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_HTML))

static const char *const to_names[] = {
    "summary", "darshan-dxt-text", "otf2", "json", "requests", "trace", NULL};
static const struct wishes defaults;

#define AT(field) offsetof(struct wishes, field)

static const struct pario_option table[] = {
    {PARIO_OPTION("format", STRING, AT(format_name), "text|csv|json|html"),
     .help = "of the summary; html is one page with the time line (default: by "
             "the ending of FILE, text otherwise)"},
    {PARIO_FIELD("to", CHOICE, AT(to)), .choices = to_names,
     .help = "the calls themselves: for other tools, as requests without "
             "times that can be compared, or as a trace that can be replayed"},
    {PARIO_OPTION("from", STRING, AT(from), "KIND"),
     .help = "FILE is no trace but text of `strace -f -ttt -T` (strace), a "
             "Darshan log with DXT (darshan), the text of darshan-dxt-parser "
             "(darshan-dxt-text) or of recorder2text (recorder-text)"},
    {PARIO_OPTION("max-calls", INT, AT(max_calls), "N"), PARIO_RANGE(0, 1e15),
     .help = "read a trace of up to N calls (default: 100 million, 10 million "
             "with --to, and more for a large file): a few bytes can stand for "
             "years of them"},
    {PARIO_CLI_OUTPUT(AT(output)), .help = "write to FILE"},
    {PARIO_FLAG("force", AT(force)), .letter = 'f', .help = "overwrite FILE"},
    {PARIO_CLI_HELP(AT(help))},
    {.name = NULL},
};

static void print_help(void)
{
    puts("usage: pario trace [OPTION]... FILE\n\n"
         "What a program that `pario record` ran did with files: how long, "
         "which calls,\nwhich patterns. FILE may be cut off, or the .spool "
         "folder of a program that was\nkilled.\n\noptions:");
    pario_options_help(stdout, table, &defaults);
}

static int show(const struct pario_trace *trace,
                const struct pario_profile *profile, enum pario_format format,
                FILE *out)
{
    struct pario_heat heat;
    int code;

    if (format == PARIO_FORMAT_CSV) {
        pario_trace_csv_report(profile, out);
        return 0;
    }
    code = pario_heat_init(&heat, trace, profile);
    if (code != 0)
        return code;
    if (format == PARIO_FORMAT_TEXT)
        pario_trace_text_report(trace, profile, &heat, out);
    else if (format == PARIO_FORMAT_JSON)
        code = pario_trace_json_report(trace, profile, &heat, out);
    else
        pario_trace_page(trace, profile, &heat, out);
    pario_heat_fini(&heat);
    return code;
}

static int summarise(const struct pario_trace *trace, enum pario_format format,
                     FILE *out)
{
    struct pario_profile profile;
    int code = pario_profile_init(&profile, trace);

    if (code != 0)
        return code;
    code = show(trace, &profile, format, out);
    pario_profile_fini(&profile);
    return code;
}

static int print(const struct pario_trace *trace, const struct wishes *wishes,
                 FILE *out)
{
    switch (wishes->to) {
    case TO_DXT:
        return pario_trace_to_dxt(trace, out);
    case TO_JSON:
        return pario_trace_to_json(trace, out);
    case TO_REQUESTS:
        return pario_trace_print(trace, out);
    default:
        return summarise(trace, wishes->format, out);
    }
}

struct shown {
    const struct pario_trace *trace;
    const struct wishes *wishes;
};

static int print_shown(void *context, FILE *out, const char *path)
{
    const struct shown *shown = context;

    (void)path;
    return print(shown->trace, shown->wishes, out);
}

static int write_output(const struct pario_trace *trace,
                        const struct wishes *wishes)
{
    struct shown shown = {trace, wishes};

    if (wishes->to == TO_OTF2)
        return wishes->output != NULL
                   ? pario_trace_to_otf2(trace, wishes->output)
                   : pario_fail(PARIO_EUSAGE,
                                "--to otf2 needs --output FOLDER");
    if (wishes->to == TO_TRACE)
        return wishes->output != NULL
                   ? pario_trace_write(trace, wishes->output, wishes->force,
                                       NULL)
                   : pario_fail(PARIO_EUSAGE, "--to trace needs --output FILE");
    return wishes->output != NULL
               ? pario_output_write(wishes->output, wishes->force, print_shown,
                                    &shown)
               : print(trace, wishes, stdout);
}

int pario_cmd_trace(const struct pario_group *world, int argc, char **argv)
{
    struct wishes wishes = defaults;
    struct pario_option_set sets[] = {{table, &wishes}, {NULL, NULL}};
    struct pario_trace *trace = NULL;
    int noperands = 0;
    int code = pario_options_parse(sets, argc, argv, &noperands);

    (void)world;
    if (code == 0 && wishes.help) {
        print_help();
        return 0;
    }
    if (code == 0 && noperands != 1)
        code = pario_fail(PARIO_EUSAGE, "trace needs one FILE, as `pario "
                                        "record` writes it");
    if (code == 0)
        code = pario_format_choose(
            wishes.format_name, wishes.to == TO_NOTHING ? wishes.output : NULL,
            FORMATS, &wishes.format);
    if (code == 0)
        code = wishes.from != NULL
                   ? pario_trace_import(wishes.from, argv[1], &trace)
                   : pario_trace_open(argv[1], &trace);
    if (code == 0 && wishes.to != TO_TRACE)
        code = pario_trace_check_calls(
            trace, wishes.max_calls,
            wishes.to == TO_NOTHING ? PARIO_CALLS_SUMMED : PARIO_CALLS_LISTED);
    if (code == 0)
        code = write_output(trace, &wishes);
    if (code == 0 && wishes.output == NULL && wishes.from == NULL &&
        wishes.to == TO_NOTHING && wishes.format == PARIO_FORMAT_TEXT)
        printf("\nnext: pario trace %s -o trace.html\n", argv[1]);
    pario_trace_close(trace);
    return code;
}
