/* cli/cmd_doctor.c - pario doctor [DIR]: parse, call, print. */
#include "cli/commands.h"
#include "core/options.h"
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <stdio.h>

struct doctor_options {
    int json, help;
};

static const struct pario_option options[] = {
    {.name = "json",
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct doctor_options, json),
     .help = "print one JSON object (pario-doctor/1)"},
    {.name = "help",
     .letter = 'h',
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct doctor_options, help),
     .help = "print this text"},
    {.name = NULL},
};

static void print_help(void)
{
    puts("usage: pario doctor [OPTION]... [DIR]\n"
         "Looks at the machine and at DIR (default: the current directory) "
         "as a careful\nadministrator would before trusting a number. Each "
         "line is a fact with its\nverdict and the remedy. Exit status 0: no "
         "errors found, 1: errors, 2: usage.\n");
    pario_options_help(stdout, options, NULL);
}

/* Local. What the exit status is made of: the first error found. */
static int outcome(const struct pario_doctor *doctor)
{
    const struct pario_findings *findings = &doctor->findings;

    for (size_t i = 0; i < findings->count; i++)
        if (findings->finding[i].verdict == PARIO_VERDICT_ERROR)
            return pario_fail(PARIO_EUNAVAIL, "doctor: %zu error%s found: %s",
                              findings->errors,
                              findings->errors == 1 ? "" : "s",
                              findings->finding[i].fact);
    return 0;
}

int pario_cmd_doctor(const struct pario_group *world, int argc, char **argv)
{
    struct doctor_options given = {0};
    const struct pario_option_set sets[] = {{options, &given}, {NULL, NULL}};
    struct pario_doctor doctor;
    char message[1024];
    int noperands = 0;
    int code = pario_options_parse(sets, argc, argv, &noperands);

    if (code == 0 && noperands > 1)
        code = pario_fail(PARIO_EUSAGE, "doctor takes one directory, not %d",
                          noperands);
    code = pario_agree(world, code);
    if (code != 0)
        return code;
    if (given.help) {
        if (pario_group_rank(world) == 0)
            print_help();
        return 0;
    }
    code = pario_doctor_run(&doctor, world, noperands == 1 ? argv[1] : ".");
    if (code == 0 && pario_group_rank(world) == 0) {
        code = given.json ? pario_doctor_print_json(stdout, &doctor)
                          : pario_doctor_print_text(stdout, &doctor);
        if (code == 0)
            code = outcome(&doctor);
    }
    pario_doctor_fini(&doctor);
    /* The findings are of all ranks: the message is not rank 0's own. */
    snprintf(message, sizeof message, "%s", pario_error_message());
    code = pario_agree(world, code);
    if (pario_group_rank(world) == 0)
        pario_error_replace(message);
    return code;
}
